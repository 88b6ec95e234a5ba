/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Findings about lines that threads take from each other, by the verdicts of sharing.h. */
#include "profile/findings.h"

#include <math.h>

static const double simulated_least = 0.1; /* of all misses */

static const char *evidence_of(struct findings *findings,
                               const struct snapshot_sharing_group *group)
{
    const char *lines = group->line_count == 1 ? "line" : "lines";
    if (group->evidence == SHARING_HITM)
        return arena_printf(findings->arena,
                            "%u threads on %zu cache %s: %.0f samples, %.0f of which found the "
                            "line modified in another CPU's cache.",
                            group->threads, group->line_count, lines, group->samples, group->hitm);
    return arena_printf(findings->arena,
                        "%u threads on %zu cache %s: %.0f of %.0f samples followed one of "
                        "another thread on another CPU, a store among the two. Had the threads "
                        "used the %s one after the other, hardly any would.",
                        group->threads, group->line_count, lines, group->turns, group->samples,
                        lines);
}

/* From the first line to the last: what the finding is known by in the next snapshot. */
static void extent(const struct snapshot_sharing_group *group, struct snapshot_finding *finding)
{
    finding->lines_first = UINT64_MAX;
    for (size_t i = 0; i < group->line_count; i++) {
        uint64_t address = group->lines[i].address;
        finding->lines_first = address < finding->lines_first ? address : finding->lines_first;
        finding->lines_last = address > finding->lines_last ? address : finding->lines_last;
    }
}

static enum finding_kind kind_of(const struct snapshot_sharing_group *group)
{
    return group->verdict == SHARING_FALSE ? FINDING_FALSE_SHARING : FINDING_TRUE_SHARING;
}

/*
 * Where misses of another level than the first rank, the line is hardly among them. Its part is of
 * the misses alone: samples of hits tell nothing of what they cost.
 */
static void share_simulated(struct findings *findings, const struct snapshot_sharing_group *group)
{
    const struct snapshot_sharing *sharing = &findings->snapshot->sharing;
    struct snapshot_finding finding = {
        .kind = kind_of(group),
        .sure = FINDING_SURE,
        .page = FINDING_ON_SHARING,
        .object = group->object,
        .id = group->id,
        .name = group->name,
        .field = group->fields,
        .function = group->lines[0].sides[0].codes[0].function,
        .file = group->lines[0].sides[0].codes[0].file,
        .line = group->lines[0].sides[0].codes[0].line,
        .evidence = arena_printf(findings->arena,
                                 "%u threads on %zu cache line%s: %.0f samples are misses because "
                                 "another thread had written to the line, of %.0f samples of "
                                 "misses in all.",
                                 group->threads, group->line_count,
                                 group->line_count == 1 ? "" : "s", group->hitm, sharing->misses),
        .advice = group->remedy,
        .how_sure = "exact of each miss; but simulated threads run one at a time and change "
                    "seldom: where they really run at once, there are far more",
        .share = fmin(1, group->hitm / sharing->misses),
        .gain = NAN,
        .reckoned = "how long these misses would take where the threads run at once, a simulation "
                    "does not tell",
        .bound = true};
    extent(group, &finding);
    if (finding.share >= simulated_least)
        findings_add(findings, &finding);
}

static void share(struct findings *findings, const struct snapshot_sharing_group *group)
{
    struct snapshot_finding finding = {
        .kind = kind_of(group),
        .sure = group->evidence == SHARING_HITM ? FINDING_SURE : FINDING_LIKELY,
        .page = FINDING_ON_SHARING,
        .object = group->object,
        .field = group->fields,
        .function = group->lines[0].sides[0].codes[0].function,
        .file = group->lines[0].sides[0].codes[0].file,
        .line = group->lines[0].sides[0].codes[0].line,
        .evidence = evidence_of(findings, group),
        .advice = group->remedy,
        .how_sure = group->evidence == SHARING_HITM
                        ? "the hardware reports it"
                        : "inferred from alternating accesses; this source reports no HITM",
        .share = group->share.value * findings->attributed,
        .gain = NAN,
        .reckoned = "how long these accesses would take on a line of their own, samples do not "
                    "tell; try it and compare (misstop diff)",
        .bound = true};
    extent(group, &finding);
    findings_add(findings, &finding);
}

/* By its causes, where the misses that rank are of it. */
static bool is_told(const struct findings *findings, uint32_t object)
{
    return object < findings->snapshot->object_count &&
           (findings_has_kind(findings, object, FINDING_FALSE_SHARING) ||
            findings_has_kind(findings, object, FINDING_TRUE_SHARING));
}

void findings_sharing(struct findings *findings)
{
    const struct snapshot_sharing *sharing = &findings->snapshot->sharing;
    for (size_t i = 0; i < sharing->group_count; i++) {
        const struct snapshot_sharing_group *group = &sharing->groups[i];
        bool contended = group->verdict == SHARING_TRUE || group->verdict == SHARING_FALSE ||
                         group->verdict == SHARING_BOTH;
        if (!contended || !group->sure || !group->line_count || !group->lines[0].side_count ||
            !group->lines[0].sides[0].code_count)
            continue;
        if (sharing->misses > 0) {
            if (!is_told(findings, group->object))
                share_simulated(findings, group);
        } else if (!findings_causes(findings, group->object) &&
                   group->object < findings->snapshot->object_count) {
            share(findings, group);
        }
    }
}
