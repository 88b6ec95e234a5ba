/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Findings about many small blocks of the heap: far apart, paired, or mostly the allocator's. */
#include "profile/findings.h"

#include <math.h>
#include <string.h>

/* What glibc's malloc writes in front of each block on 64-bit machines (malloc.c, struct
 * malloc_chunk); other allocators keep it elsewhere, and waste no less by rounding up. */
enum { HEADER_BYTES = 8 };

static const double fetched_at_least =
    2; /* times what the blocks hold: else pooling saves little */
static const double pooled_saves_at_least = 0.2;
static const double wasted_saves_at_least = 0.5; /* prefetching gains by it as well */
static const double wasted_at_least = 0.5; /* of what malloc takes for them */
static const double as_many = 0.1; /* blocks of two kinds are one each: numbers differ by less */
static const double together_at_least = 0.7; /* of the samples fall into the same stretches */
enum { HOLDER_SAMPLES = 16 }; /* on the one that leads to the other: it may be hidden */

/* Of one bin: how much a block is asked for, and takes, on average; NAN: not known. */
struct blocks {
    double count;
    double asked_bytes;
    double taken_bytes;
};

static bool blocks_of(const struct findings *findings, size_t index, struct blocks *blocks)
{
    const struct snapshot_bin *bin = findings_bin(findings, index);
    if (!bin || !bin->heap.live_blocks)
        return false;
    const struct heap_bin *heap = &bin->heap;
    bool asked = !heap->walked && heap->requested_bytes;
    blocks->count = (double)heap->live_blocks;
    blocks->taken_bytes = (double)heap->usable_bytes / blocks->count + HEADER_BYTES;
    blocks->asked_bytes =
        (double)(asked ? heap->requested_bytes : heap->usable_bytes) / blocks->count;
    return true;
}

static bool beyond_caches(const struct findings *findings, size_t index)
{
    const struct spread *spread = findings_spread(findings, index);
    return spread &&
           spread_bytes(spread, findings->snapshot->sets.line) >= findings_beyond(findings);
}

static void scattered(struct findings *findings, size_t index)
{
    uint32_t line = findings->snapshot->sets.line;
    struct blocks blocks;
    if (!beyond_caches(findings, index) || findings_has(findings, (uint32_t)index) ||
        findings_order(findings, index) != SPREAD_SCATTERED || !blocks_of(findings, index, &blocks))
        return;
    /* By pages, which are soon seen twice: how much of them is no blocks. */
    double fetched =
        fmin(findings_pages(findings, index) * FINDINGS_PAGE_BYTES, blocks.count * line);
    double pooled = fmin(blocks.count * blocks.asked_bytes, fetched);
    /* A look-up at random needs one line of a block wherever it is: side by side the blocks gain
     * where they then fit in the caches. */
    if (fetched < fetched_at_least * pooled || pooled > findings_beyond(findings))
        return;
    struct snapshot_finding finding = {.kind = FINDING_SCATTERED,
                                       .sure = FINDING_LIKELY,
                                       .page = FINDING_ON_DETAIL,
                                       .object = (uint32_t)index,
                                       .gain = findings_share(findings, index) *
                                               (1 - pooled / fetched)};
    finding.gain_low = pooled_saves_at_least * finding.gain;
    finding.evidence = arena_printf(
        findings->arena,
        "%.0f blocks of %.0f bytes each on average lie on at least %.0f MiB of cache lines, in no "
        "order, between others; side by side they would take %.0f MiB.",
        blocks.count, blocks.asked_bytes, fetched / (1 << 20), pooled / (1 << 20));
    finding.advice = "Allocate them as one: an array, or a pool that is filled in the order in "
                     "which they are visited; then lines also come before they are asked for.";
    finding.reckoned = arena_printf(findings->arena,
                                    "its share of all samples, times the %.0f of %.0f MiB that "
                                    "would not be fetched",
                                    (fetched - pooled) / (1 << 20), fetched / (1 << 20));
    finding.how_sure = "the lines are estimated from the pages sampled twice, as if all blocks "
                       "were visited; blocks that are always "
                       "visited in one order gain more";
    findings_add(findings, &finding);
}

static void waste(struct findings *findings, size_t index)
{
    const struct snapshot_bin *bin = findings_bin(findings, index);
    struct blocks blocks;
    if (!beyond_caches(findings, index) || findings_has(findings, (uint32_t)index) || !bin ||
        bin->heap.walked || !bin->heap.requested_bytes || !blocks_of(findings, index, &blocks))
        return;
    double wasted = 1 - blocks.asked_bytes / blocks.taken_bytes;
    enum spread_order order = findings_order(findings, index);
    /* In no order each look-up fetches its line, however full of others that is. */
    if (wasted < wasted_at_least || (order != SPREAD_FORWARD && order != SPREAD_BACKWARD))
        return;
    struct snapshot_finding finding = {.kind = FINDING_WASTE,
                                       .sure = FINDING_LIKELY,
                                       .page = FINDING_ON_HEAP,
                                       .object = (uint32_t)index,
                                       .gain = findings_share(findings, index),
                                       .gain_low = wasted_saves_at_least *
                                                   findings_share(findings, index) * wasted};
    finding.evidence = arena_printf(findings->arena,
                                    "%.0f blocks were asked for with %.1f bytes each on average, "
                                    "and take %.1f: %.0f%% of their "
                                    "%.0f MiB is headers and rounding.",
                                    blocks.count, blocks.asked_bytes, blocks.taken_bytes,
                                    wasted * 100, blocks.count * blocks.taken_bytes / (1 << 20));
    finding.advice = "Put them into one array, or allocate many at a time (a pool): no header, and "
                     "no rounding up.";
    finding.reckoned = arena_printf(findings->arena,
                                    "half of its share of all samples times the %.0f%% of what is "
                                    "fetched that holds nothing, to all of its share",
                                    wasted * 100);
    finding.how_sure = "that neighbours in memory are used soon after each other is taken for "
                       "granted where they are read in order";
    findings_add(findings, &finding);
}

/* ---- two objects that are visited one after the other ---- */

/* The member of `holder` that leads to blocks of the other type, if it is read. */
static const struct snapshot_layout_row *leads_to(const struct snapshot_layout *holder,
                                                  const struct snapshot_layout *other)
{
    for (size_t i = 0; i < holder->row_count; i++) {
        const struct snapshot_layout_row *row = &holder->rows[i];
        if (findings_points_to(row, other->name) && row->samples > 0)
            return row;
    }
    return NULL;
}

static const struct snapshot_layout *typed_layout(const struct findings *findings, size_t index)
{
    const struct snapshot_object *object = &findings->snapshot->objects[index];
    const struct snapshot_layout *layout = object->layout_count ? &object->layouts[0] : NULL;
    return layout && !layout->inferred && layout->size ? layout : NULL;
}

static bool same_function(const struct snapshot_object *a, const struct snapshot_object *b)
{
    return a->code_count && b->code_count && a->code[0].id == b->code[0].id;
}

/* One of these to each of those. */
static bool one_each(const struct findings *findings, size_t a, size_t b, struct blocks *blocks)
{
    struct blocks other;
    return blocks_of(findings, a, blocks) && blocks_of(findings, b, &other) &&
           fabs(blocks->count - other.count) <= as_many * fmax(blocks->count, other.count);
}

static void pair(struct findings *findings, size_t holder, size_t index)
{
    const struct snapshot_object *a = &findings->snapshot->objects[holder];
    const struct snapshot_object *b = &findings->snapshot->objects[index];
    const struct snapshot_layout *from = typed_layout(findings, holder);
    const struct snapshot_layout *to = typed_layout(findings, index);
    const struct snapshot_layout_row *link = from && to && from != to ? leads_to(from, to) : NULL;
    uint32_t line = findings->snapshot->sets.line;
    struct findings_hot hot_from, hot_to;
    struct blocks blocks;
    if (!link || !same_function(a, b) || !one_each(findings, holder, index, &blocks) ||
        findings->spreads[holder].samples < HOLDER_SAMPLES ||
        spread_together(&findings->spreads[holder], &findings->spreads[index]) < together_at_least)
        return;
    findings_hot(from, findings->arena, &hot_from);
    findings_hot(to, findings->arena, &hot_to);
    if (hot_from.end - hot_from.first + hot_to.end - hot_to.first > line)
        return;
    struct snapshot_finding finding = {
        .kind = FINDING_TOGETHER,
        .sure = FINDING_LIKELY,
        .page = FINDING_ON_DETAIL,
        .object = (uint32_t)index,
        .field = hot_to.members,
        .gain = (findings_share(findings, holder) + findings_share(findings, index)) / 2,
        .gain_low = (findings_share(findings, holder) + findings_share(findings, index)) / 10};
    finding.evidence = arena_printf(
        findings->arena,
        "%s reads %s.%s and then this, in no order: %.0f and %.0f samples at the same times; there "
        "are as many of the one as of the other (%.0f), and a line would hold what is used of "
        "both.",
        a->code[0].function, from->name, link->member.name, a->samples, b->samples, blocks.count);
    finding.advice = arena_printf(findings->arena,
                                  "Put %s into %s, as a member instead of the pointer; or allocate "
                                  "both as one block.",
                                  to->name, from->name);
    finding.reckoned = "a tenth to half of the samples on the two: one of two lines comes";
    finding.how_sure = "that each leads to another one is taken from there being as many of the "
                       "one as of the other";
    findings_add(findings, &finding);
}

/* ---- all of them ---- */

void findings_scattered(struct findings *findings)
{
    for (size_t i = 0; i < findings->spread_count; i++)
        scattered(findings, i);
}

void findings_waste(struct findings *findings)
{
    for (size_t i = 0; i < findings->spread_count; i++)
        waste(findings, i);
}

void findings_together(struct findings *findings)
{
    for (size_t i = 0; i < findings->spread_count; i++)
        for (size_t k = 0;
             beyond_caches(findings, i) && findings_order(findings, i) == SPREAD_SCATTERED &&
             k < findings->spread_count;
             k++)
            pair(findings, k, i);
}
