/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Findings that only hardware can tell: page walks, memory of another node. */
#include "profile/findings.h"

#include <math.h>

static const double tlb_least = 0.2;    /* of the accesses: a walk takes less than a miss */
static const double remote_least = 0.2; /* of the accesses: farther by half to twice as long */
static const double remote_saved = 0.4; /* of that time: local memory takes 60 % of remote's */

static const struct snapshot_levels *levels_of(const struct findings *findings, size_t index)
{
    const struct snapshot_object *object = &findings->snapshot->objects[index];
    const struct snapshot_levels *levels = object->levels;
    return levels && levels->from == LEVELS_RECORDED && object->samples >= FINDINGS_SAMPLES ? levels
                                                                                            : NULL;
}

static void walks(struct findings *findings, size_t index, const struct snapshot_levels *levels)
{
    struct snapshot_finding finding = {
        .kind = FINDING_TLB,
        .sure = FINDING_SURE,
        .page = FINDING_ON_DETAIL,
        .object = (uint32_t)index,
        .advice = "Put it on huge pages: madvise(MADV_HUGEPAGE) on memory aligned to 2 MiB, or "
                  "mmap(MAP_HUGETLB); or keep what is used together on the same pages.",
        .how_sure = "the hardware told it of each sample",
        .reckoned = "its samples with a page walk: the wait for the data itself stays",
        .gain = findings_share(findings, index) * levels->tlb_miss,
        .bound = true};
    finding.evidence =
        arena_printf(findings->arena,
                     "%.0f%% of the %.0f samples on it found no translation in the "
                     "TLB and waited for a page walk.",
                     levels->tlb_miss * 100, findings->snapshot->objects[index].samples);
    findings_add(findings, &finding);
}

static void far_away(struct findings *findings, size_t index, const struct snapshot_levels *levels)
{
    struct snapshot_finding finding = {
        .kind = FINDING_REMOTE,
        .sure = FINDING_SURE,
        .page = FINDING_ON_DETAIL,
        .object = (uint32_t)index,
        .advice = "Let the threads that use it fill it first, bind them to its node (numactl), or "
                  "give each node its own copy.",
        .how_sure = "the hardware told it of each sample",
        .reckoned = "two fifths of its remote samples, by what local memory takes of the time",
        .gain = findings_share(findings, index) * levels->remote * remote_saved};
    finding.evidence =
        arena_printf(findings->arena, "%.0f%% of the %.0f samples on it came from another node.",
                     levels->remote * 100, findings->snapshot->objects[index].samples);
    findings_add(findings, &finding);
}

void findings_tlb(struct findings *findings)
{
    for (size_t i = 0; i < findings->snapshot->object_count; i++) {
        const struct snapshot_levels *levels = levels_of(findings, i);
        if (levels && levels->tlb_miss >= tlb_least)
            walks(findings, i, levels);
    }
}

void findings_remote(struct findings *findings)
{
    for (size_t i = 0; i < findings->snapshot->object_count; i++) {
        const struct snapshot_levels *levels = levels_of(findings, i);
        if (levels && levels->remote >= remote_least)
            far_away(findings, i, levels);
    }
}
