/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Findings about how a struct lies in cache lines: what splitting or aligning it would save. */
#include "profile/findings.h"

#include <math.h>

enum { ELEMENTS_MANY = 64 };
enum { MALLOC_ALIGNS = 16 }; /* elements of no more look like blocks of their own by their begin */

static const double saved_at_least = 0.1; /* of the samples: the wait may overlap with others */
static const double fits_saves_at_least = 0.4; /* where what is in use then fits in the caches */
static const double of_one_type = 0.5;       /* of the object's samples are of the type judged */
static const double used_at_most = 0.5;      /* of what is fetched: else a split saves little */
static const double used_in_no_order = 0.25; /* of the lines' bytes */
static const double in_place = 0.9;          /* of the samples */
static const double crossing_least = 0.15;   /* of the samples */
static const double most_cross = 0.9; /* of the elements: too few others to compare them with */

/* It ends in an array without a length: what makes the object long are that array's elements. */
static bool goes_on(const struct snapshot_layout *layout)
{
    for (size_t i = 0; i < layout->row_count; i++)
        if (layout->rows[i].kind == LAYOUT_MEMBER && layout->rows[i].member.offset >= layout->size)
            return true;
    return false;
}

/* The leading layout of an object that has many elements beyond the near caches; NULL: not so. */
static const struct snapshot_layout *many_elements(const struct findings *findings, size_t index)
{
    const struct snapshot_object *object = &findings->snapshot->objects[index];
    const struct spread *spread = findings_spread(findings, index);
    const struct snapshot_layout *layout = object->layout_count ? &object->layouts[0] : NULL;
    uint32_t line = findings->snapshot->sets.line;
    /* Without a type the element may be a row of something, and its parts no members. */
    if (!spread || !layout || layout->inferred || !layout->size || goes_on(layout) || !line ||
        !(layout->share >= of_one_type) || layout->samples < FINDINGS_SAMPLES ||
        !(spread_bytes(spread, line) >= findings_beyond(findings)))
        return NULL;
    return object->size >= ELEMENTS_MANY * layout->size || object->blocks >= ELEMENTS_MANY ? layout
                                                                                           : NULL;
}

/* All that was sampled begins in a line where the elements of an array would, and nearly
 * everywhere they would: blocks of their own begin by malloc's rounding. */
static bool begin_as_in_array(const struct snapshot_layout *layout, const struct spread *spread,
                              uint32_t line)
{
    uint64_t at = 0;
    uint32_t places = 0, seen = 0, samples = 0;
    while (at < line && !spread->begins[at])
        at++;
    for (uint64_t begin = at; at < line && (!places || at != begin); places++) {
        seen += spread->begins[at] > 0;
        samples += spread->begins[at];
        at = (at + layout->size) % line;
    }
    return layout->size > MALLOC_ALIGNS && samples >= in_place * spread->typed &&
           seen * 2 >= places;
}

/* Elements lie side by side: a pass fetches nothing but them. Blocks of their own have others
 * between, or are only the head of something (Python's PyGC_Head). */
static bool side_by_side(const struct snapshot_object *object, const struct snapshot_layout *layout,
                         const struct spread *spread, uint32_t line)
{
    if (object->instance_count && object->instances[0].size >= ELEMENTS_MANY * layout->size)
        return true;
    return line <= SPREAD_LINE_MOST && spread->typed >= FINDINGS_SAMPLES &&
           begin_as_in_array(layout, spread, line);
}

/* Bytes that one pass, or one visit, brings for each element now. */
static double fetched_bytes(const struct snapshot_layout *layout, bool pass, uint32_t line)
{
    return pass && layout->size < line ? (double)layout->size : (double)layout->hot_span * line;
}

/* ... and when the members in use lie by themselves. */
static double needed_bytes(const struct findings_hot *hot, bool pass, uint32_t line)
{
    return pass ? (double)hot->used_bytes : ceil((double)hot->used_bytes / line) * line;
}

/* Bytes of the one array that the elements lie in; 0: they are blocks of their own. */
static uint64_t array_bytes(const struct snapshot_object *object,
                            const struct snapshot_layout *layout)
{
    uint64_t block = object->instance_count ? object->instances[0].size : 0;
    uint64_t bytes = object->blocks > 1 ? block : block > object->size ? block : object->size;
    return bytes >= ELEMENTS_MANY * layout->size ? bytes : 0;
}

/*
 * In no order each visit fetches a line, however little is wanted of it. In an array of their own
 * the members in use miss less only where that is about what a core's own caches hold; how much
 * less, the samples do not tell. Where they are too few to tell the order, a pass in order would
 * gain by the same.
 */
static void split_off(struct findings *findings, size_t index, const struct snapshot_layout *layout,
                      const struct findings_hot *hot)
{
    double bytes = (double)array_bytes(&findings->snapshot->objects[index], layout);
    double elements = floor(bytes / (double)layout->size);
    double line = findings->snapshot->sets.line;
    double dense = elements * (double)hot->used_bytes;
    double touched = elements * fmin(line, (double)layout->size);
    if (!(bytes > 0) || dense > findings_beyond(findings) || dense > used_in_no_order * touched)
        return;
    struct snapshot_finding finding = {
        .kind = FINDING_SPLIT,
        .sure = FINDING_LIKELY,
        .page = FINDING_ON_LAYOUT,
        .object = (uint32_t)index,
        .field = hot->members,
        .gain = findings_share(findings, index) * layout->share,
        .gain_low = fits_saves_at_least * findings_share(findings, index) * layout->share,
        .reckoned = "two fifths to all of its samples on them: how many the caches would then hold "
                    "depends on what else they hold",
        .how_sure =
            "members that are always read right after another one of the same line may hide "
            "behind it: see that the code does not use them"};
    finding.evidence = arena_printf(
        findings->arena,
        "%.0f samples on %s of %llu bytes: %llu %s in use (%s), and a line of %.0f is fetched for "
        "each. %s The lines come to %.1f MiB, what is in use to %.1f MiB.",
        layout->samples, layout->name, (unsigned long long)layout->size,
        (unsigned long long)hot->used_bytes, hot->used_bytes == 1 ? "is" : "are",
        hot->members ? hot->members : "offsets in Layout", line,
        findings_order(findings, index) == SPREAD_SCATTERED
            ? "The elements are not read in order."
            : "In which order the elements are read is not seen.",
        touched / (1 << 20), dense / (1 << 20));
    finding.advice = arena_printf(
        findings->arena,
        "Split the struct: keep %s in an array of its own. It is %.1f MiB instead of the %.1f MiB "
        "of lines, and caches hold far more of it.",
        hot->members ? hot->members : "what is in use", dense / (1 << 20), touched / (1 << 20));
    findings_add(findings, &finding);
}

static void split(struct findings *findings, size_t index)
{
    const struct snapshot_layout *layout = many_elements(findings, index);
    uint32_t line = findings->snapshot->sets.line;
    struct findings_hot hot;
    if (!layout)
        return;
    enum spread_order order = findings_order(findings, index);
    findings_hot(layout, findings->arena, &hot);
    bool in_order = order == SPREAD_FORWARD || order == SPREAD_BACKWARD;
    bool pass = in_order && side_by_side(&findings->snapshot->objects[index], layout,
                                         findings_spread(findings, index), line);
    double fetched = fetched_bytes(layout, pass, line);
    double needed = needed_bytes(&hot, pass, line);
    if (hot.used_bytes && !pass && hot.end - hot.first <= line) { /* side by side already */
        split_off(findings, index, layout, &hot);
        return;
    }
    if (!hot.used_bytes || needed > used_at_most * fetched)
        return;
    struct snapshot_finding finding = {.kind = FINDING_SPLIT,
                                       .sure = FINDING_LIKELY,
                                       .page = FINDING_ON_LAYOUT,
                                       .object = (uint32_t)index,
                                       .field = hot.members,
                                       .gain = findings_share(findings, index) * layout->share *
                                               (1 - needed / fetched)};
    finding.gain_low = finding.gain * (pass ? 0.5 : saved_at_least);
    finding.evidence = arena_printf(
        findings->arena,
        "%.0f samples on %s of %llu bytes: %llu %s in use (%s), and %.0f are fetched for each. The "
        "elements are %s.",
        layout->samples, layout->name, (unsigned long long)layout->size,
        (unsigned long long)hot.used_bytes, hot.used_bytes == 1 ? "is" : "are",
        hot.members ? hot.members : "offsets in Layout", fetched,
        in_order ? "read in order" : "not read in order");
    finding.advice =
        pass ? "Split the struct: an array of the members in use, and another of the rest (or an "
               "array for each member)."
             : "Put the members in use side by side at the start of the struct, so that they share "
               "a line, and align the elements to lines.";
    finding.reckoned = arena_printf(findings->arena,
                                    "its share of all samples, times the %.0f of %.0f bytes that "
                                    "would not be fetched",
                                    fetched - needed, fetched);
    finding.how_sure = "members that are always read right after another one of the same line "
                       "may hide behind it: see that the code does not use them";
    findings_add(findings, &finding);
}

/* Part of an array's elements whose hot bytes cross a line, by where one of them begins; NAN: the
 * elements are blocks of their own. */
static double crossing_elements(const struct snapshot_object *object,
                                const struct snapshot_layout *layout, const struct spread *spread,
                                const struct findings_hot *hot, uint32_t line)
{
    uint64_t begin = 0;
    double crossing = 0;
    if (!side_by_side(object, layout, spread, line) || line > SPREAD_LINE_MOST)
        return NAN;
    while (begin < line && !spread->begins[begin])
        begin++;
    for (uint32_t i = 0; i < line; i++) { /* comes round to where it began after so many at most */
        uint64_t at = (begin + i * layout->size) % line;
        crossing += (at + hot->first) / line != (at + hot->end - 1) / line;
    }
    return crossing / line;
}

/* How what aligning saves is told apart from what it does not. */
struct saving {
    double part;    /* of the samples on the elements */
    bool by_number; /* it follows from how many elements cross */
};

/*
 * An element across two lines is waited for twice, and aligned, the line that took fewer of its
 * samples does not come: where both are fetched at once, hardly any wait for the second. In an
 * array, where it is known how many elements cross, it is no more than what these take beyond
 * their number, and twice the uncertainty of that.
 */
static struct saving saved(const struct spread *spread, double elements)
{
    double all = spread->typed;
    double crossing = spread->crossing / all;
    double fewer = fmin(spread->behind, (double)spread->crossing - spread->behind) / all;
    double uncertain = 2 * sqrt(crossing * (1 - crossing) / all);
    double beyond = fmax(0, crossing + uncertain - elements) / (1 - elements);
    if (!(elements > 0) || elements > most_cross || fewer <= beyond)
        return (struct saving){fewer, false};
    return (struct saving){beyond, true};
}

static void straddling(struct findings *findings, size_t index)
{
    const struct snapshot_layout *layout = many_elements(findings, index);
    const struct spread *spread = findings_spread(findings, index);
    uint32_t line = findings->snapshot->sets.line;
    struct findings_hot hot;
    if (!layout || findings_order(findings, index) != SPREAD_SCATTERED ||
        spread->typed < FINDINGS_SAMPLES)
        return;
    findings_hot(layout, findings->arena, &hot);
    double crossing = (double)spread->crossing / spread->typed;
    if (hot.end - hot.first > line || crossing < crossing_least)
        return;
    double elements =
        crossing_elements(&findings->snapshot->objects[index], layout, spread, &hot, line);
    struct saving saving = saved(spread, elements);
    struct snapshot_finding finding = {.kind = FINDING_STRADDLING,
                                       .sure = FINDING_PERHAPS,
                                       .page = FINDING_ON_LAYOUT,
                                       .object = (uint32_t)index,
                                       .field = hot.members,
                                       .gain = findings_share(findings, index) * layout->share *
                                               saving.part,
                                       .bound = true};
    finding.evidence = arena_printf(
        findings->arena,
        "%.0f%% of %u samples fell on elements whose hot bytes (%llu to %llu of %llu) cross from "
        "one cache line into the next, and one line would hold them. The elements are not read in "
        "order.",
        crossing * 100, spread->typed, (unsigned long long)hot.first,
        (unsigned long long)hot.end - 1, (unsigned long long)layout->size);
    finding.advice = arena_printf(
        findings->arena,
        "Align the elements: alignas(%u) on the struct, and aligned_alloc() for the memory.",
        layout->size <= line / 2 ? line / 2 : line);
    finding.reckoned =
        saving.by_number
            ? arena_printf(findings->arena,
                           "elements that cross are %.0f%% of all, and take %.0f%% of the samples: "
                           "what they take more than the others, and how unsure that is",
                           elements * 100, crossing * 100)
            : arena_printf(findings->arena,
                           "of the two lines of an element that crosses, the samples on the one "
                           "that has fewer: %.0f%% of those on %s",
                           saving.part * 100, layout->name);
    finding.how_sure =
        "the two lines of an element may arrive at the same time, and longer elements fill "
        "caches sooner: measure it";
    findings_add(findings, &finding);
}

void findings_split(struct findings *findings)
{
    for (size_t i = 0; i < findings->spread_count; i++)
        split(findings, i);
}

void findings_straddling(struct findings *findings)
{
    for (size_t i = 0; i < findings->spread_count; i++)
        straddling(findings, i);
}
