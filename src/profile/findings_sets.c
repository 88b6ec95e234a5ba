/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Findings about cache sets: lines that throw each other out while others have room. */
#include "profile/findings.h"

#include <math.h>
#include <stdlib.h>

static const double most_of_hot = 0.5; /* of the samples in hot sets are the leading object's */

/* Samples of the window in hot sets: of all, and of each object the most. */
struct hot_sets {
    double all;
    double leading;
    uint32_t object; /* UINT32_MAX: none */
    double excess;   /* part of all samples above an even share */
};

/* A set is hot here that has more than twice the mean: parts are listed by count only. */
static bool is_hot(const struct snapshot_sets *sets, uint32_t set, double mean)
{
    return set < sets->sets && sets->counts[set] > 2 * mean;
}

static void measure(const struct findings *findings, double *by_object, struct hot_sets *hot)
{
    const struct snapshot_sets *sets = &findings->snapshot->sets;
    double sum = 0;
    for (uint32_t i = 0; i < sets->sets; i++)
        sum += sets->counts[i];
    double mean = sum / sets->sets;
    for (uint32_t i = 0; i < sets->sets; i++)
        hot->excess += is_hot(sets, i, mean) ? (sets->counts[i] - mean) / sum : 0;
    for (size_t i = 0; i < sets->part_count; i++) {
        const struct snapshot_set_part *part = &sets->parts[i];
        if (!is_hot(sets, part->set, mean))
            continue;
        hot->all += part->samples;
        if (part->object < findings->snapshot->object_count)
            by_object[part->object] += part->samples;
    }
    hot->object = UINT32_MAX;
    for (uint32_t i = 0; i < findings->snapshot->object_count; i++)
        if (by_object[i] > hot->leading) {
            hot->leading = by_object[i];
            hot->object = i;
        }
}

/*
 * What makes it a conflict: a cache of this size without sets would hold all of it. Reading large
 * arrays crowds sets too, for the prefetchers start anew with each page.
 */
static bool would_fit(const struct findings *findings, uint32_t object)
{
    const struct snapshot_sets *sets = &findings->snapshot->sets;
    const struct spread *spread = findings_spread(findings, object);
    return spread &&
           spread_bytes(spread, sets->line) <= (double)sets->sets * sets->ways * sets->line;
}

static void conflict(struct findings *findings, const struct hot_sets *hot)
{
    const struct snapshot_sets *sets = &findings->snapshot->sets;
    uint32_t stride = sets->sets * sets->line;
    struct snapshot_finding finding = {.kind = FINDING_CONFLICT,
                                       .sure = FINDING_LIKELY,
                                       .page = FINDING_ON_SETS,
                                       .object = hot->object,
                                       .gain = hot->excess * findings->attributed,
                                       .bound = true};
    bool one = sets->hot_sets == 1;
    finding.evidence = arena_printf(
        findings->arena,
        "%u of the %u sets of %s %s %.0f%% of the samples above %s even part, on more lines than "
        "%s %u ways hold; %.0f%% of that is this object's.",
        sets->hot_sets, sets->sets, sets->level, one ? "takes" : "take", hot->excess * 100,
        one ? "its" : "their", one ? "its" : "their", sets->ways, hot->leading / hot->all * 100);
    finding.advice = arena_printf(
        findings->arena,
        "Addresses a multiple of %u bytes apart share a set: make rows longer by a line (%u "
        "bytes), or copy the block that is worked on into memory of its own.",
        stride, sets->line);
    finding.reckoned =
        one ? "what this set has above an even share" : "what these sets have above an even share";
    finding.how_sure = "sampled lines tell the sets, not what threw a line out";
    findings_add(findings, &finding);
}

void findings_conflict(struct findings *findings)
{
    const struct snapshot_sets *sets = &findings->snapshot->sets;
    size_t count = findings->snapshot->object_count;
    struct hot_sets hot = {0};
    if (findings->snapshot->causes.told) /* by cause, then */
        return;
    /* A note says that the index is guessed, or known within a page only. */
    if (sets->verdict != SETS_CONCENTRATED || !sets->conflict || sets->note || !sets->sets ||
        !count)
        return;
    double *by_object = calloc(count, sizeof *by_object);
    if (by_object)
        measure(findings, by_object, &hot);
    free(by_object);
    if (hot.object != UINT32_MAX && hot.leading >= most_of_hot * hot.all &&
        would_fit(findings, hot.object))
        conflict(findings, &hot);
}
