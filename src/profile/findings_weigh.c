/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is known exactly, held against what samples made likely: causes of misses and use of lines
 * (--sim), and watchpoints (--watch). */
#include "profile/findings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double mostly = 0.5;
static const double used_mostly =
    0.75; /* of a line's words in a visit: there is nothing to split */

static const double lines_enough = 100;

enum verdict { NOTHING, SUPPORTED, CONTRADICTED };

/* It says that lines were in the cache before, and would be found there again. */
static bool needs_reuse(const struct snapshot_finding *finding)
{
    return finding->kind == FINDING_CONFLICT || finding->kind == FINDING_STREAMING ||
           finding->kind == FINDING_COLUMNS || finding->kind == FINDING_PUSHED_OUT ||
           (finding->kind == FINDING_SPLIT && finding->bound);
}

/* It is of whole lines being fetched for little. */
static bool of_unused_bytes(const struct snapshot_finding *finding)
{
    return finding->kind == FINDING_SPLIT;
}

static const struct snapshot_watch_object *watch_of(const struct findings *findings,
                                                    uint32_t object)
{
    const struct snapshot_watch *watch = &findings->snapshot->watch;
    for (size_t i = 0; watch->on && object != UINT32_MAX && i < watch->count; i++)
        if (watch->objects[i].object == object)
            return &watch->objects[i];
    return NULL;
}

/* ---- causes ---- */

static enum verdict by_causes(const struct snapshot_causes_row *causes,
                              const struct snapshot_finding *finding)
{
    double first = causes->figures.share[CAUSE_FIRST] + causes->figures.share[CAUSE_FIRST_HERE];
    return needs_reuse(finding) && finding->sure != FINDING_SURE && first >= mostly ? CONTRADICTED
                                                                                    : NOTHING;
}

static void add_causes(const struct findings *findings, const struct snapshot_causes_row *causes,
                       struct snapshot_finding *finding)
{
    const double *share = causes->figures.share;
    finding->evidence = arena_printf(
        findings->arena,
        "%s Of its %.0f misses in %s %.0f%% are first references, %.0f%% for want of room, %.0f%% "
        "conflicts.",
        finding->evidence, causes->figures.misses, findings_level_name(findings),
        (share[CAUSE_FIRST] + share[CAUSE_FIRST_HERE]) * 100, share[CAUSE_CAPACITY] * 100,
        share[CAUSE_CONFLICT] * 100);
}

/* ---- use of lines ---- */

/* What a finding says is unused, by the part of its lines that is used. */
static enum verdict by_part(double low, double high)
{
    return low > used_mostly ? CONTRADICTED : high < mostly ? SUPPORTED : NOTHING;
}

/* Of the lines fetched for it that left a simulated cache; NULL: it is not told, or of too few. */
static const struct snapshot_use *use_of(const struct findings *findings,
                                         const struct snapshot_finding *finding)
{
    const struct snapshot *snapshot = findings->snapshot;
    const struct snapshot_use *use =
        finding->object < snapshot->object_count ? snapshot->objects[finding->object].use : NULL;
    return use && use->lines >= lines_enough ? use : NULL;
}

/* A line may leave a nearer cache before all that is used of it has been. */
static enum verdict by_spatial(const struct findings *findings, const struct snapshot_use *use,
                               const struct snapshot_finding *finding)
{
    double used = snapshot_use_spatial(use);
    if (!of_unused_bytes(finding) || isnan(used))
        return NOTHING;
    enum verdict verdict = by_part(used, used);
    return verdict == SUPPORTED && findings->snapshot->uses.is_nearer ? NOTHING : verdict;
}

static void add_spatial(const struct findings *findings, const struct snapshot_use *use,
                        struct snapshot_finding *finding)
{
    finding->evidence =
        arena_printf(findings->arena,
                     "%s Of the %.0f lines fetched for it that L%u let go, %.0f%% "
                     "of the bytes had been used.",
                     finding->evidence, use->lines, findings->snapshot->uses.level + 1u,
                     snapshot_use_spatial(use) * 100);
    finding->how_sure = "the simulated cache saw which bytes of each line were used";
    finding->sure = FINDING_SURE;
}

/* ---- watches ---- */

static enum verdict by_use(const struct snapshot_watch_object *watch,
                           const struct snapshot_finding *finding)
{
    if (!of_unused_bytes(finding) || isnan(watch->used.value))
        return NOTHING;
    return by_part(watch->used.low, watch->used.high);
}

static enum verdict by_reuse(const struct snapshot_watch_object *watch,
                             const struct snapshot_finding *finding)
{
    enum finding_kind kind = finding->kind;
    switch (watch->verdict) {
    case WATCH_STREAMING:
        return kind == FINDING_STREAMING ? SUPPORTED
               : needs_reuse(finding)    ? CONTRADICTED
                                         : NOTHING;
    case WATCH_CAPACITY:
        return kind == FINDING_STREAMING  ? SUPPORTED
               : kind == FINDING_CONFLICT ? CONTRADICTED
                                          : NOTHING;
    case WATCH_CONFLICT:
        return kind == FINDING_CONFLICT ? SUPPORTED : NOTHING;
    case WATCH_CACHED: /* of the level that the event counts */
        return kind == FINDING_STREAMING || kind == FINDING_CONFLICT ? CONTRADICTED : NOTHING;
    default:
        return NOTHING;
    }
}

static enum verdict by_watch(const struct snapshot_watch_object *watch,
                             const struct snapshot_finding *finding)
{
    enum verdict use = by_use(watch, finding);
    enum verdict reuse = by_reuse(watch, finding);
    return use == CONTRADICTED || reuse == CONTRADICTED ? CONTRADICTED
           : use == SUPPORTED || reuse == SUPPORTED     ? SUPPORTED
                                                        : NOTHING;
}

static void add_watch(const struct findings *findings, const struct snapshot_watch_object *watch,
                      struct snapshot_finding *finding)
{
    const char *words;
    if (by_use(watch, finding) == SUPPORTED)
        words = arena_printf(findings->arena,
                             "Watchpoints saw %.0f%% (%.0f to %.0f) of a line used in each of "
                             "%llu visits.",
                             watch->used.value * 100, watch->used.low * 100, watch->used.high * 100,
                             (unsigned long long)watch->visits);
    else
        words =
            arena_printf(findings->arena,
                         "Of %llu of its lines that were watched %llu were touched again while "
                         "they were.",
                         (unsigned long long)watch->watched, (unsigned long long)watch->touched);
    finding->evidence = arena_printf(findings->arena, "%s %s", finding->evidence, words);
    finding->how_sure = "watchpoints on the running program saw it, besides the samples";
    finding->sure = FINDING_SURE;
}

/* ---- all of it ---- */

/* false: it is not told. */
static bool weigh(const struct findings *findings, struct snapshot_finding *finding)
{
    const struct snapshot_causes_row *causes = findings_causes(findings, finding->object);
    const struct snapshot_watch_object *watch = watch_of(findings, finding->object);
    const struct snapshot_use *use = use_of(findings, finding);
    enum verdict watched = watch ? by_watch(watch, finding) : NOTHING;
    enum verdict used = by_spatial(findings, use, finding);
    if ((causes && by_causes(causes, finding) == CONTRADICTED) || used == CONTRADICTED ||
        watched == CONTRADICTED)
        return false;
    if (causes && finding->sure != FINDING_SURE)
        add_causes(findings, causes, finding);
    if (used == SUPPORTED)
        add_spatial(findings, use, finding);
    if (watched == SUPPORTED)
        add_watch(findings, watch, finding);
    return finding->evidence != NULL;
}

static int order(const void *left, const void *right)
{
    const struct snapshot_finding *a = left;
    const struct snapshot_finding *b = right;
    if (a->bound != b->bound)
        return a->bound - b->bound;
    double worth_a = findings_worth(a);
    double worth_b = findings_worth(b);
    return worth_a > worth_b ? -1 : worth_a < worth_b;
}

void findings_sort(struct findings *findings)
{
    qsort(findings->list, findings->count, sizeof *findings->list, order);
}

void findings_weigh(struct findings *findings)
{
    size_t kept = 0;
    for (size_t i = 0; i < findings->count; i++)
        if (weigh(findings, &findings->list[i]))
            findings->list[kept++] = findings->list[i];
    findings->count = kept;
    findings_sort(findings);
}
