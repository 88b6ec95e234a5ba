/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Findings about blocks that are allocated and freed all the time: what malloc and free cost. */
#include "profile/findings.h"

#include <math.h>
#include <string.h>

static const double often_per_s = 10e3;  /* allocations: below, they are no matter of malloc's */
static const double short_lived_s = 0.1; /* longer, and it is data that is kept */
static const double least_of_it = 0.7;   /* a free list of its own takes time, too */
static const double most_of_it = 1.15;   /* what uses the blocks waits less for them */
static const double most_of_them = 0.1;  /* of all allocations, for a bin to be told */

/* Functions of glibc's malloc and of C++ that do nothing but allocate, by how their names begin;
 * jemalloc and tcmalloc have the same outer names. */
static bool is_allocator(const struct snapshot_code *code)
{
    static const char *const names[] = {
        "malloc",    "calloc",       "realloc",       "free",
        "cfree",     "_int_malloc",  "_int_free",     "_int_realloc",
        "sysmalloc", "unlink_chunk", "operator new",  "operator delete",
        "tcache_",   "systrim",      "__libc_malloc", "__libc_free"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strncmp(code->function, names[i], strlen(names[i])))
            return true;
    return false;
}

/* Part of the samples that is the allocator's; what the agent adds to it is not counted at all. */
static double allocator_share(const struct findings *findings)
{
    const struct snapshot *snapshot = findings->snapshot;
    double allocator = 0;
    for (size_t i = 0; i < snapshot->code_count; i++) {
        const struct snapshot_code *code = &snapshot->code[i];
        allocator += is_allocator(code) ? findings_code_share(findings, code) : 0;
    }
    return allocator;
}

static double all_per_s(const struct snapshot_heap *heap)
{
    double all = 0;
    for (size_t i = 0; i < heap->bin_count; i++)
        all += heap->bins[i].heap.allocations_per_s > 0 ? heap->bins[i].heap.allocations_per_s : 0;
    return all;
}

static void churn(struct findings *findings, const struct snapshot_bin *bin, double part,
                  double allocator)
{
    const struct heap_bin *heap = &bin->heap;
    struct snapshot_finding finding = {.kind = FINDING_CHURN,
                                       .sure = FINDING_LIKELY,
                                       .page = FINDING_ON_HEAP,
                                       .object = bin->object,
                                       .id = heap->object,
                                       .name = heap->name,
                                       .share = allocator * part,
                                       .gain = fmin(1, most_of_it * allocator * part),
                                       .gain_low = least_of_it * allocator * part};
    finding.evidence = arena_printf(
        findings->arena,
        "%.0f allocations a second, %.0f%% of all, of blocks that are freed after %.3g ms on "
        "average; %.0f%% of the samples are in malloc, free and their kin.",
        heap->allocations_per_s, part * 100, heap->lifetime_s * 1e3, allocator * 100);
    finding.advice = "Keep them: take blocks from a list of those no longer needed, allocate many "
                     "at a time, or let short-lived ones live on the stack.";
    finding.reckoned =
        "most of the samples in malloc and free, times its part of the allocations; those of "
        "misstop's own agent are left out";
    finding.how_sure = "that each allocation costs the same is assumed; first uses of fresh blocks "
                       "are not counted";
    findings_add(findings, &finding);
}

void findings_churn(struct findings *findings)
{
    const struct snapshot_heap *heap = &findings->snapshot->heap;
    double all = all_per_s(heap);
    double allocator =
        findings->snapshot->totals.attributed >= FINDINGS_SAMPLES ? allocator_share(findings) : 0;
    bool in_time = !findings_simulated(findings);
    for (size_t i = 0; in_time && i < heap->bin_count; i++) {
        const struct snapshot_bin *bin = &heap->bins[i];
        double part = bin->heap.allocations_per_s / all;
        if (!bin->heap.walked && bin->heap.allocations_per_s >= often_per_s &&
            bin->heap.lifetime_s <= short_lived_s && part >= most_of_them)
            churn(findings, bin, part, allocator);
    }
}
