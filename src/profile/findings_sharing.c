/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Findings about lines that threads take from each other, by the verdicts of sharing.h. */
#include "profile/findings.h"

#include <math.h>

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

static void share(struct findings *findings, const struct snapshot_sharing_group *group)
{
    bool apart = group->verdict == SHARING_FALSE;
    struct snapshot_finding finding = {
        .kind = apart ? FINDING_FALSE_SHARING : FINDING_TRUE_SHARING,
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

void findings_sharing(struct findings *findings)
{
    const struct snapshot_sharing *sharing = &findings->snapshot->sharing;
    for (size_t i = 0; i < sharing->group_count; i++) {
        const struct snapshot_sharing_group *group = &sharing->groups[i];
        bool contended = group->verdict == SHARING_TRUE || group->verdict == SHARING_FALSE ||
                         group->verdict == SHARING_BOTH;
        if (contended && group->sure && !findings_causes(findings, group->object) &&
            group->object < findings->snapshot->object_count && group->line_count &&
            group->lines[0].side_count && group->lines[0].sides[0].code_count)
            share(findings, group);
    }
}
