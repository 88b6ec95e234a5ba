/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Findings about lines that threads take from each other, by the verdicts of sharing.h. */
#include "profile/findings.h"

#include <math.h>

/* What a reader is told to do; `locked`: the line is fought for by atomic instructions. */
static const char *advice_of(const struct snapshot_sharing_group *group)
{
    if (group->verdict == SHARING_FALSE)
        return group->line_count > 1
                   ? "Give each thread's element a line of its own (alignas(64)), or count in a "
                     "local variable and store now and then."
                   : "Put what each thread writes on a line of its own (alignas(64) on one of the "
                     "two).";
    if (group->locked)
        return "Take it less often: a counter per thread, added up when it is read; a lock for "
               "less at a time, or several of them.";
    return "Let each thread have its own copy, and join them now and then.";
}

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
                        "%u threads on %zu cache %s: of %.0f samples %.0f came by turns with a "
                        "store among them; chance would make it %.0f.",
                        group->threads, group->line_count, lines, group->samples, group->turns,
                        group->expected);
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
        .advice = advice_of(group),
        .how_sure = group->evidence == SHARING_HITM
                        ? "the hardware told it"
                        : "known by turns of sampled accesses, for want of HITM",
        .gain = group->share.value * findings->attributed,
        .reckoned = "all samples on these lines: what is left are hits in the first cache",
        .bound = true};
    findings_add(findings, &finding);
}

void findings_sharing(struct findings *findings)
{
    const struct snapshot_sharing *sharing = &findings->snapshot->sharing;
    for (size_t i = 0; i < sharing->group_count; i++) {
        const struct snapshot_sharing_group *group = &sharing->groups[i];
        bool contended = group->verdict == SHARING_TRUE || group->verdict == SHARING_FALSE ||
                         group->verdict == SHARING_BOTH;
        if (contended && group->sure && group->object < findings->snapshot->object_count &&
            group->line_count && group->lines[0].side_count && group->lines[0].sides[0].code_count)
            share(findings, group);
    }
}
