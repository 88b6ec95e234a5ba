/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "profile/findings/findings.h"

enum { ELEMENTS_MANY = 64 };
enum { MALLOC_ALIGNS = 16 }; /* smaller elements look like separate blocks */
/* Minimum share of the object's samples on the judged type. */
static const double of_one_type = 0.5;
static const double in_place = 0.9; /* minimum share of the samples */

/* Returns true if the type ends in a flexible array: its elements make the object large. */
static bool ends_in_flexible_array(const struct snapshot_layout *layout)
{
    for (size_t i = 0; i < layout->row_count; i++)
        if (layout->rows[i].kind == LAYOUT_MEMBER && layout->rows[i].member.offset >= layout->size)
            return true;
    return false;
}

/* Returns the main layout of many elements that exceed the near caches; otherwise NULL. */
static const struct snapshot_layout *layout_of_many_elements(const struct findings *findings,
                                                             size_t index)
{
    const struct snapshot_object *object = &findings->snapshot->objects[index];
    const struct spread *spread = findings_spread(findings, index);
    const struct snapshot_layout *layout = object->layout_count ? &object->layouts[0] : NULL;
    uint32_t line = findings->snapshot->sets.line;
    /* The inferred element may be a row of something, and its parts are not members. */
    if (!spread || !layout || layout->inferred || layout->reading == LAYOUT_MANAGED ||
        !layout->size || ends_in_flexible_array(layout) || !line ||
        !(layout->share >= of_one_type) || layout->samples < FINDINGS_SAMPLES ||
        !(spread_bytes(spread, line) >= findings_min_bytes(findings)))
        return NULL;
    return object->size >= ELEMENTS_MANY * layout->size || object->blocks >= ELEMENTS_MANY ? layout
                                                                                           : NULL;
}

/* Returns true if the samples begin in a line at the offsets of array elements, and at nearly all
 * of these offsets: separate blocks begin at malloc's alignment. */
static bool begins_like_array(const struct snapshot_layout *layout, const struct spread *spread,
                              uint32_t line)
{
    uint64_t at = 0;
    uint32_t places = 0, seen = 0, samples = 0;
    while (at < line && !spread->begin_counts[at])
        at++;
    for (uint64_t begin = at; at < line && (!places || at != begin); places++) {
        seen += spread->begin_counts[at] > 0;
        samples += spread->begin_counts[at];
        at = (at + layout->size) % line;
    }
    return layout->size > MALLOC_ALIGNS && samples >= in_place * spread->typed &&
           seen * 2 >= places;
}

/* Returns true if the elements are adjacent, so that a pass fetches nothing else. Separate blocks
 * have other blocks in between, or are only the head of a larger one (Python's PyGC_Head). */
static bool elements_are_adjacent(const struct snapshot_object *object,
                                  const struct snapshot_layout *layout, const struct spread *spread,
                                  uint32_t line)
{
    if (object->instance_count && object->instances[0].size >= ELEMENTS_MANY * layout->size)
        return true;
    return line <= SPREAD_LINE_MAX && spread->typed >= FINDINGS_SAMPLES &&
           begins_like_array(layout, spread, line);
}

/* Returns the bytes currently fetched per element in one pass, or in one visit. */
static double fetched_bytes(const struct snapshot_layout *layout, bool pass, uint32_t line)
{
    return pass && layout->size < line ? (double)layout->size : (double)layout->hot_span * line;
}

/* Returns the bytes fetched if the used members are separate. */
static double needed_bytes(const struct findings_hot *hot, bool pass, uint32_t line)
{
    return pass ? (double)hot->used_bytes : ceil((double)hot->used_bytes / line) * line;
}

/* Returns the size of the array of elements; 0: they are separate blocks. */
static uint64_t array_bytes(const struct snapshot_object *object,
                            const struct snapshot_layout *layout)
{
    uint64_t block = object->instance_count ? object->instances[0].size : 0;
    uint64_t bytes = object->blocks > 1 ? block : block > object->size ? block : object->size;
    return bytes >= ELEMENTS_MANY * layout->size ? bytes : 0;
}

/* ---- split ---- */

static const double saved_min = 0.1;      /* share of the samples: waits can overlap */
static const double fits_saves_min = 0.4; /* if the used members then fit into the caches */
/* Share of the fetched bytes; above, a split saves little. */
static const double used_max = 0.5;
static const double used_in_no_order = 0.25; /* share of the lines' bytes */

/*
 * Reports a split for accesses in random order. Each visit fetches a line, however few bytes of it
 * are used. In an array of their own, the used members miss less only if that array roughly fits
 * into a core's caches; samples do not show how much less. If there are too few samples to show the
 * order, a pass in order would gain the same.
 */
static void split_off(struct findings *findings, size_t index, const struct snapshot_layout *layout,
                      const struct findings_hot *hot)
{
    double bytes = (double)array_bytes(&findings->snapshot->objects[index], layout);
    double elements = floor(bytes / (double)layout->size);
    double line = findings->snapshot->sets.line;
    double dense = elements * (double)hot->used_bytes;
    double touched = elements * fmin(line, (double)layout->size);
    if (!(bytes > 0) || dense > findings_min_bytes(findings) || dense > used_in_no_order * touched)
        return;
    struct snapshot_finding finding = {.rule = RULE_SPLIT_OFF,
                                       .confidence = CONFIDENCE_MEDIUM,
                                       .object = (uint32_t)index,
                                       .field = hot->members,
                                       .gain = findings_share(findings, index) * layout->share,
                                       .gain_low = fits_saves_min *
                                                   findings_share(findings, index) * layout->share};
    finding.type = layout->name;
    finding.figures.split =
        (struct finding_split){.samples = layout->samples,
                               .element_bytes = layout->size,
                               .used_bytes = hot->used_bytes,
                               .fetched_bytes = touched,
                               .needed_bytes = dense,
                               .scattered = findings_order(findings, index) == SPREAD_SCATTERED};
    findings_add(findings, &finding);
}

static void find_split(struct findings *findings, size_t index)
{
    const struct snapshot_layout *layout = layout_of_many_elements(findings, index);
    uint32_t line = findings->snapshot->sets.line;
    struct findings_hot hot;
    if (!layout)
        return;
    enum spread_order order = findings_order(findings, index);
    findings_hot(layout, findings->arena, &hot);
    bool in_order = order == SPREAD_FORWARD || order == SPREAD_BACKWARD;
    bool pass = in_order && elements_are_adjacent(&findings->snapshot->objects[index], layout,
                                                  findings_spread(findings, index), line);
    double fetched = fetched_bytes(layout, pass, line);
    double needed = needed_bytes(&hot, pass, line);
    if (hot.used_bytes && !pass && hot.end - hot.first <= line) { /* already adjacent */
        split_off(findings, index, layout, &hot);
        return;
    }
    if (!hot.used_bytes || needed > used_max * fetched)
        return;
    struct snapshot_finding finding = {.rule = RULE_SPLIT,
                                       .confidence = CONFIDENCE_MEDIUM,
                                       .object = (uint32_t)index,
                                       .field = hot.members,
                                       .gain = findings_share(findings, index) * layout->share *
                                               (1 - needed / fetched)};
    finding.gain_low = finding.gain * (pass ? 0.5 : saved_min);
    finding.type = layout->name;
    finding.figures.split = (struct finding_split){.samples = layout->samples,
                                                   .element_bytes = layout->size,
                                                   .used_bytes = hot.used_bytes,
                                                   .fetched_bytes = fetched,
                                                   .needed_bytes = needed,
                                                   .in_order = in_order,
                                                   .pass = pass};
    findings_add(findings, &finding);
}

/* ---- straddling ---- */

static const double crossing_min = 0.15; /* minimum share of the samples */
/* Share of the elements; above, too few others for comparison. */
static const double most_cross = 0.9;

/* Returns the share of an array's elements with hot bytes that cross a line, from the start of one
 * element; NAN: separate blocks. */
static double crossing_elements(const struct snapshot_object *object,
                                const struct snapshot_layout *layout, const struct spread *spread,
                                const struct findings_hot *hot, uint32_t line)
{
    uint64_t begin = 0;
    double crossing = 0;
    if (!elements_are_adjacent(object, layout, spread, line) || line > SPREAD_LINE_MAX)
        return NAN;
    while (begin < line && !spread->begin_counts[begin])
        begin++;
    for (uint32_t i = 0; i < line; i++) { /* the offsets repeat after at most `line` elements */
        uint64_t at = (begin + i * layout->size) % line;
        crossing += (at + hot->first) / line != (at + hot->end - 1) / line;
    }
    return crossing / line;
}

struct saving {
    double avoidable_share; /* share of the samples on the elements */
    bool is_calculated;     /* derived from the number of crossing elements */
};

/*
 * Returns an upper bound of the samples that alignment saves. A crossing element is waited for
 * twice; once aligned, the line with fewer of its samples is not fetched. If both lines are fetched
 * at once, few samples wait for the second. In an array, where the share of crossing elements is
 * known, the bound is the excess of their samples over that share, plus twice its uncertainty.
 */
static struct saving alignment_saving(const struct spread *spread, double elements)
{
    double all = spread->typed;
    double crossing = spread->crossing_samples / all;
    double fewer = fmin(spread->crossing_on_later_line,
                        (double)spread->crossing_samples - spread->crossing_on_later_line) /
                   all;
    double uncertain = 2 * sqrt(crossing * (1 - crossing) / all);
    double beyond = fmax(0, crossing + uncertain - elements) / (1 - elements);
    if (!(elements > 0) || elements > most_cross || fewer <= beyond)
        return (struct saving){fewer, false};
    return (struct saving){beyond, true};
}

static void find_straddling(struct findings *findings, size_t index)
{
    const struct snapshot_layout *layout = layout_of_many_elements(findings, index);
    const struct spread *spread = findings_spread(findings, index);
    uint32_t line = findings->snapshot->sets.line;
    struct findings_hot hot;
    if (!layout || findings_order(findings, index) != SPREAD_SCATTERED ||
        spread->typed < FINDINGS_SAMPLES)
        return;
    findings_hot(layout, findings->arena, &hot);
    double crossing = (double)spread->crossing_samples / spread->typed;
    if (hot.end - hot.first > line || crossing < crossing_min)
        return;
    double elements =
        crossing_elements(&findings->snapshot->objects[index], layout, spread, &hot, line);
    struct saving saving = alignment_saving(spread, elements);
    struct snapshot_finding finding = {.rule = RULE_STRADDLING,
                                       .confidence = CONFIDENCE_LOW,
                                       .object = (uint32_t)index,
                                       .field = hot.members,
                                       .gain = findings_share(findings, index) * layout->share *
                                               saving.avoidable_share,
                                       .is_upper_bound = true};
    finding.type = layout->name;
    finding.figures.straddling =
        (struct finding_straddling){.samples = spread->typed,
                                    .crossing_share = crossing,
                                    .elements = elements,
                                    .avoidable_share = saving.avoidable_share,
                                    .is_calculated = saving.is_calculated,
                                    .hot_first = hot.first,
                                    .hot_end = hot.end,
                                    .element_bytes = layout->size};
    findings_add(findings, &finding);
}

/* ---- many small heap blocks: scattered, or mostly overhead ---- */

enum { HEADER_BYTES = 8 }; /* glibc (struct malloc_chunk), 64 bits; others need at least that */
static const double fetched_min = 2; /* multiple of the blocks' bytes */
static const double pooled_saves_min = 0.2;
static const double wasted_saves_min = 0.5; /* prefetching improves as well */
static const double wasted_min = 0.5;       /* share of the bytes that malloc uses for them */

/* Average requested and used bytes per block of a bin; NAN: not known. */
struct blocks {
    double count;
    double requested_bytes;
    double occupied_bytes;
};

static bool read_blocks(const struct findings *findings, size_t index, struct blocks *blocks)
{
    const struct snapshot_bin *bin = findings_bin(findings, index);
    if (!bin || !bin->heap.live_blocks)
        return false;
    const struct heap_bin *heap = &bin->heap;
    bool asked = !heap->is_size_class && heap->requested_bytes;
    blocks->count = (double)heap->live_blocks;
    blocks->occupied_bytes = (double)heap->usable_bytes / blocks->count + HEADER_BYTES;
    blocks->requested_bytes =
        (double)(asked ? heap->requested_bytes : heap->usable_bytes) / blocks->count;
    return true;
}

static bool exceeds_caches(const struct findings *findings, size_t index)
{
    const struct spread *spread = findings_spread(findings, index);
    return spread &&
           spread_bytes(spread, findings->snapshot->sets.line) >= findings_min_bytes(findings);
}

static void find_scattered(struct findings *findings, size_t index)
{
    uint32_t line = findings->snapshot->sets.line;
    struct blocks blocks;
    if (!exceeds_caches(findings, index) || findings_has(findings, (uint32_t)index) ||
        findings_order(findings, index) != SPREAD_SCATTERED ||
        !read_blocks(findings, index, &blocks))
        return;
    /* Estimated by pages, which are soon seen twice: the part of them that is not blocks. */
    double fetched =
        fmin(findings_pages(findings, index) * FINDINGS_PAGE_BYTES, blocks.count * line);
    double pooled = fmin(blocks.count * blocks.requested_bytes, fetched);
    /* A random access needs one line of a block wherever it is: adjacent blocks only help if they
     * then fit into the caches. */
    if (fetched < fetched_min * pooled || pooled > findings_min_bytes(findings))
        return;
    struct snapshot_finding finding = {.rule = RULE_SCATTERED,
                                       .confidence = CONFIDENCE_MEDIUM,
                                       .object = (uint32_t)index,
                                       .gain = findings_share(findings, index) *
                                               (1 - pooled / fetched)};
    finding.gain_low = pooled_saves_min * finding.gain;
    finding.figures.blocks = (struct finding_blocks){.count = blocks.count,
                                                     .requested_bytes = blocks.requested_bytes,
                                                     .fetched_bytes = fetched,
                                                     .pooled_bytes = pooled};
    findings_add(findings, &finding);
}

static void find_waste(struct findings *findings, size_t index)
{
    const struct snapshot_bin *bin = findings_bin(findings, index);
    struct blocks blocks;
    if (!exceeds_caches(findings, index) || findings_has(findings, (uint32_t)index) || !bin ||
        bin->heap.is_size_class || !bin->heap.requested_bytes ||
        !read_blocks(findings, index, &blocks))
        return;
    double wasted = 1 - blocks.requested_bytes / blocks.occupied_bytes;
    enum spread_order order = findings_order(findings, index);
    /* In random order each access fetches its line, whatever else is in the line. */
    if (wasted < wasted_min || (order != SPREAD_FORWARD && order != SPREAD_BACKWARD))
        return;
    struct snapshot_finding finding = {.rule = RULE_WASTE,
                                       .confidence = CONFIDENCE_MEDIUM,
                                       .object = (uint32_t)index,
                                       .gain = findings_share(findings, index),
                                       .gain_low = wasted_saves_min *
                                                   findings_share(findings, index) * wasted};
    finding.figures.blocks = (struct finding_blocks){.count = blocks.count,
                                                     .requested_bytes = blocks.requested_bytes,
                                                     .occupied_bytes = blocks.occupied_bytes};
    findings_add(findings, &finding);
}

/* ---- two objects visited one after the other ---- */

static const double as_many = 0.1;      /* maximum difference in number of two kinds of blocks */
static const double together_min = 0.7; /* share of the samples in the same time ranges */
enum { HOLDER_SAMPLES = 16 }; /* minimum on the object with the pointer; its misses may be hidden */

/* Returns the member of `holder` that points to the other type and is read; NULL: none. */
static const struct snapshot_layout_row *find_link_to(const struct snapshot_layout *holder,
                                                      const struct snapshot_layout *other)
{
    for (size_t i = 0; i < holder->row_count; i++) {
        const struct snapshot_layout_row *row = &holder->rows[i];
        if (findings_points_to(row, other->name) && row->samples > 0)
            return row;
    }
    return NULL;
}

static const struct snapshot_layout *find_typed_layout(const struct findings *findings,
                                                       size_t index)
{
    const struct snapshot_object *object = &findings->snapshot->objects[index];
    const struct snapshot_layout *layout = object->layout_count ? &object->layouts[0] : NULL;
    return layout && !layout->inferred && layout->size ? layout : NULL;
}

static bool share_hot_function(const struct snapshot_object *a, const struct snapshot_object *b)
{
    return a->code_count && b->code_count && a->code[0].id == b->code[0].id;
}

/* Returns true if both objects have about the same number of blocks. */
static bool have_like_block_counts(const struct findings *findings, size_t a, size_t b,
                                   struct blocks *blocks)
{
    struct blocks other;
    return read_blocks(findings, a, blocks) && read_blocks(findings, b, &other) &&
           fabs(blocks->count - other.count) <= as_many * fmax(blocks->count, other.count);
}

static void check_pointer_pair(struct findings *findings, size_t holder, size_t index)
{
    const struct snapshot_object *a = &findings->snapshot->objects[holder];
    const struct snapshot_object *b = &findings->snapshot->objects[index];
    const struct snapshot_layout *from = find_typed_layout(findings, holder);
    const struct snapshot_layout *to = find_typed_layout(findings, index);
    const struct snapshot_layout_row *link =
        from && to && from != to ? find_link_to(from, to) : NULL;
    uint32_t line = findings->snapshot->sets.line;
    struct findings_hot hot_from, hot_to;
    struct blocks blocks;
    if (!link || !share_hot_function(a, b) ||
        !have_like_block_counts(findings, holder, index, &blocks) ||
        findings->spreads[holder].samples < HOLDER_SAMPLES ||
        spread_time_overlap(&findings->spreads[holder], &findings->spreads[index]) < together_min)
        return;
    findings_hot(from, findings->arena, &hot_from);
    findings_hot(to, findings->arena, &hot_to);
    if (hot_from.end - hot_from.first + hot_to.end - hot_to.first > line)
        return;
    struct snapshot_finding finding = {
        .rule = RULE_POINTED_TO,
        .confidence = CONFIDENCE_MEDIUM,
        .object = (uint32_t)index,
        .field = hot_to.members,
        .gain = (findings_share(findings, holder) + findings_share(findings, index)) / 2,
        .gain_low = (findings_share(findings, holder) + findings_share(findings, index)) / 10};
    finding.type = to->name;
    finding.other = from->name;
    finding.link = link->member.name;
    finding.figures.pair =
        (struct finding_pair){.samples = {a->samples, b->samples}, .blocks = blocks.count};
    findings_add(findings, &finding);
}

static void find_pointed_to(struct findings *findings)
{
    for (size_t i = 0; i < findings->spread_count; i++)
        for (size_t k = 0;
             exceeds_caches(findings, i) && findings_order(findings, i) == SPREAD_SCATTERED &&
             k < findings->spread_count;
             k++)
            check_pointer_pair(findings, k, i);
}

/* ---- blocks that are continuously allocated and freed: cost of malloc and free ---- */

static const double often_per_s = 10e3;  /* allocations */
static const double short_lived_s = 0.1; /* above, the data is kept */
static const double least_of_it = 0.7;   /* a custom free list takes time as well */
static const double most_of_it = 1.15;   /* its users wait less for the blocks */
static const double most_of_them = 0.1;  /* minimum share of all allocations */

/* Returns true for the allocation functions of glibc's malloc and of C++, by prefix; jemalloc and
 * tcmalloc have the same outer names. */
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

/* Returns the allocator's share of the samples; the agent's own samples are not counted. */
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

static double total_allocation_rate(const struct snapshot_heap *heap)
{
    double all = 0;
    for (size_t i = 0; i < heap->bin_count; i++)
        all += heap->bins[i].heap.allocations_per_s > 0 ? heap->bins[i].heap.allocations_per_s : 0;
    return all;
}

static void churn_add(struct findings *findings, const struct snapshot_bin *bin, double part,
                      double allocator)
{
    const struct heap_bin *heap = &bin->heap;
    struct snapshot_finding finding = {.rule = RULE_CHURN,
                                       .confidence = CONFIDENCE_MEDIUM,
                                       .object = bin->object,
                                       .id = heap->object,
                                       .name = heap->name,
                                       .share = allocator * part,
                                       .gain = fmin(1, most_of_it * allocator * part),
                                       .gain_low = least_of_it * allocator * part};
    finding.figures.churn =
        (struct finding_churn){heap->allocations_per_s, part, heap->lifetime_s, allocator};
    findings_add(findings, &finding);
}

static void find_churn(struct findings *findings)
{
    const struct snapshot_heap *heap = &findings->snapshot->heap;
    double all = total_allocation_rate(heap);
    double allocator =
        findings->snapshot->totals.attributed >= FINDINGS_SAMPLES ? allocator_share(findings) : 0;
    for (size_t i = 0; i < heap->bin_count; i++) {
        const struct snapshot_bin *bin = &heap->bins[i];
        double part = bin->heap.allocations_per_s / all;
        if (!bin->heap.is_size_class && bin->heap.allocations_per_s >= often_per_s &&
            bin->heap.lifetime_s <= short_lived_s && part >= most_of_them)
            churn_add(findings, bin, part, allocator);
    }
}

static const struct findings_rule rules[] = {
    {.rule = RULE_SPLIT,
     .kind = FINDING_SPLIT,
     .find_object = find_split,
     .assumes_unused_bytes = true},
    {.rule = RULE_SPLIT_OFF, .kind = FINDING_SPLIT, .assumes_unused_bytes = true},
    {.rule = RULE_STRADDLING, .kind = FINDING_STRADDLING, .find_object = find_straddling},
    {.rule = RULE_POINTED_TO, .kind = FINDING_SEPARATED_PAIR, .find = find_pointed_to},
    {.rule = RULE_SCATTERED, .kind = FINDING_SCATTERED, .find_object = find_scattered},
    {.rule = RULE_WASTE, .kind = FINDING_WASTE, .find_object = find_waste},
    {.rule = RULE_CHURN,
     .kind = FINDING_CHURN,
     .find = find_churn,
     .needs_real_time = true,
     .changes_use = true},
};
const struct findings_family findings_layout = FINDINGS_FAMILY(rules);
