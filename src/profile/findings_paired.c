/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Findings about arrays that are read at the same index, each a miss of its own. Only where every
 * miss is told (--sim): of samples that lie thousands of misses apart none tells which index. */
#include "profile/findings.h"

#include <math.h>

enum { PAIRS_LEAST = 64 };

static const double next_often =
    0.5; /* of the misses on one, what comes next is one on the other */
static const double same_index = 0.9; /* of these */

/* What is looked at: two objects, their elements, and what was seen of them. The first is the one
 * that is read first. */
struct paired {
    size_t at[2];
    uint32_t id[2];
    uint64_t element[2];
    uint64_t base[2];
    uint32_t pairs; /* a miss on the first, and the next one of the thread on the second */
    uint32_t alike; /* of these, as far from index to index as most */
    int64_t apart;  /* so far */
};

static uint64_t element_bytes(const struct findings *findings, size_t index)
{
    const struct snapshot_object *object = &findings->snapshot->objects[index];
    const struct snapshot_layout *layout = object->layout_count ? &object->layouts[0] : NULL;
    return layout && !layout->inferred ? layout->size : findings->spreads[index].widest;
}

/* Far more than the cache holds, in no order. */
static bool fits_no_cache(const struct findings *findings, size_t index)
{
    const struct spread *spread = findings_spread(findings, index);
    return spread && findings_order(findings, index) == SPREAD_SCATTERED &&
           spread_bytes(spread, findings->snapshot->sets.line) >= findings_beyond(findings);
}

/* By how much the indices of two misses differ, on the first object and then on the second. */
static bool difference(const struct paired *paired, const struct window_entry *one,
                       const struct window_entry *next, int64_t *apart)
{
    const struct window_entry *entries[2] = {one, next};
    if (one->object != paired->id[0] || next->object != paired->id[1] || one->tid != next->tid)
        return false;
    int64_t index[2];
    for (int i = 0; i < 2; i++)
        index[i] = (int64_t)((entries[i]->address - paired->base[i]) / paired->element[i]);
    *apart = index[0] - index[1];
    return true;
}

/* The difference that most have, if more than half do (Boyer and Moore 1981); then how many. */
static void look(const struct window *window, struct paired *paired)
{
    uint32_t votes = 0;
    int64_t apart;
    for (uint32_t i = 0; i + 1 < window->used; i++) {
        if (!difference(paired, window_at(window, i), window_at(window, i + 1), &apart))
            continue;
        paired->pairs++;
        if (!votes)
            paired->apart = apart;
        votes += apart == paired->apart ? 1 : UINT32_MAX;
    }
    for (uint32_t i = 0; votes && i + 1 < window->used; i++)
        paired->alike +=
            difference(paired, window_at(window, i), window_at(window, i + 1), &apart) &&
            apart == paired->apart;
}

static void tell(struct findings *findings, const struct paired *paired)
{
    const struct snapshot_object *one = &findings->snapshot->objects[paired->at[0]];
    const struct snapshot_object *other = &findings->snapshot->objects[paired->at[1]];
    struct snapshot_finding finding = {
        .kind = FINDING_TOGETHER,
        .sure = FINDING_SURE,
        .page = FINDING_ON_DETAIL,
        .object = (uint32_t)paired->at[0],
        .gain =
            (findings_share(findings, paired->at[0]) + findings_share(findings, paired->at[1])) / 2,
        .reckoned = "half the misses on the two: one of two lines comes",
        .how_sure = "every miss is told, one after the other; where they are fetched at once, less "
                    "than half of the time goes with them"};
    finding.evidence = arena_printf(
        findings->arena,
        "It and %s are read at the same index, in no order: %u times a miss on the one was "
        "followed "
        "by one on the other, %.0f%% of these at the same element (of %llu and %llu bytes).",
        other->name, paired->pairs, 100.0 * paired->alike / paired->pairs,
        (unsigned long long)paired->element[0], (unsigned long long)paired->element[1]);
    finding.advice = arena_printf(findings->arena,
                                  "Make one array of structs of %s and %s: then both come with one "
                                  "line.",
                                  one->name, other->name);
    findings_add(findings, &finding);
}

static void pair(struct findings *findings, size_t one, size_t other)
{
    struct paired paired = {.at = {one, other}};
    uint32_t fewer = UINT32_MAX;
    for (int i = 0; i < 2; i++) {
        const struct spread *spread = &findings->spreads[paired.at[i]];
        paired.id[i] = findings->snapshot->objects[paired.at[i]].id;
        paired.element[i] = element_bytes(findings, paired.at[i]);
        paired.base[i] = spread->lowest;
        fewer = spread->samples < fewer ? spread->samples : fewer;
    }
    if (!paired.element[0] || !paired.element[1] ||
        paired.element[0] + paired.element[1] > findings->snapshot->sets.line)
        return;
    look(findings->window, &paired);
    if (paired.pairs >= PAIRS_LEAST && paired.pairs >= next_often * fewer &&
        paired.alike >= same_index * paired.pairs)
        tell(findings, &paired);
}

void findings_paired(struct findings *findings)
{
    if (!findings->window || !findings->snapshot->simulation.level_count)
        return;
    for (size_t i = 0; i < findings->spread_count; i++)
        for (size_t k = i + 1; fits_no_cache(findings, i) && k < findings->spread_count; k++)
            if (fits_no_cache(findings, k) && !findings_overlap(findings, (uint32_t)i, (uint32_t)k))
                pair(findings, i, k);
}
