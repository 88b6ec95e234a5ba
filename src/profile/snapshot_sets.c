/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The cache sets, as a snapshot shows them. */
#include "profile/measured.h"
#include "profile/state.h"

#include <math.h>
#include <stdlib.h>

enum { PARTS = 4096, CROWD = 16384 };

static const double held_enough = 0.8; /* of the crowding, on no more lines than ways */

static int by_set(const void *left, const void *right)
{
    const struct snapshot_set_part *a = left;
    const struct snapshot_set_part *b = right;
    if (a->set != b->set)
        return a->set < b->set ? -1 : 1;
    return a->samples > b->samples ? -1 : a->samples < b->samples;
}

/* Which objects fill each set: every one of a small cache's, the strongest of a big one's. */
static void list_parts(struct build *build, struct snapshot_sets *shown)
{
    struct hash *parts = &build->profile->parts;
    const struct window *window = &build->profile->window;
    double mean = window_mean_weight(window, window->used);
    hash_clear(parts);
    for (uint32_t i = 0; i < window->used; i++) {
        const struct window_entry *entry = window_at(window, i);
        uint32_t *count = hash_insert(parts, (uint64_t)entry->set << 32 | entry->object, NULL);
        if (count)
            *count += window_parts(entry, mean);
    }
    uint32_t least = 1;
    for (size_t listed = SIZE_MAX; listed > PARTS; least *= 2) {
        listed = 0;
        for (size_t i = 0; parts->slots && i <= parts->mask; i++)
            listed += parts->slots[i].used && parts->slots[i].value >= least;
        if (listed <= PARTS)
            break;
    }
    shown->parts = arena_array(build->arena, PARTS, sizeof *shown->parts);
    build->failed |= !shown->parts;
    for (size_t i = 0; shown->parts && parts->slots && i <= parts->mask; i++)
        if (parts->slots[i].used && parts->slots[i].value >= least && shown->part_count < PARTS)
            shown->parts[shown->part_count++] = (struct snapshot_set_part){
                .set = (uint32_t)(parts->slots[i].key >> 32),
                .object = build_object_index(build, (uint32_t)parts->slots[i].key),
                .samples = (double)parts->slots[i].value / WINDOW_PARTS};
    if (shown->parts)
        qsort(shown->parts, shown->part_count, sizeof *shown->parts, by_set);
}

/* Distinct lines of each set in the window. */
static void count_lines(struct build *build, struct snapshot_sets *shown)
{
    const struct window *window = &build->profile->window;
    shown->lines = arena_array(build->arena, shown->sets, sizeof *shown->lines);
    build->failed |= !shown->lines;
    for (uint32_t i = 0; shown->lines && i < window->used; i++) {
        const struct window_entry *entry = window_at(window, i);
        if (entry->mapped && entry->set < shown->sets)
            shown->lines[entry->set]++;
    }
}

/* One line that missed in a hot set. */
struct crowd {
    uint32_t set;
    uint32_t count;
};

static int by_set_and_count(const void *left, const void *right)
{
    const struct crowd *a = left;
    const struct crowd *b = right;
    if (a->set != b->set)
        return a->set < b->set ? -1 : 1;
    return a->count > b->count ? -1 : a->count < b->count;
}

/* The lines of hot sets in the newest part of the window, by set, the hottest line first. */
static size_t crowd_hot_sets(struct build *build, const struct snapshot_sets *shown, double bound,
                             struct crowd *crowd)
{
    const struct window *window = &build->profile->window;
    size_t count = 0;
    for (uint32_t i = window->used; i > 0 && count < CROWD; i--) {
        const struct window_entry *entry = window_at(window, i - 1);
        if (entry->mapped && entry->set < shown->sets && shown->counts[entry->set] > bound)
            crowd[count++] = (struct crowd){entry->set, entry->count};
    }
    qsort(crowd, count, sizeof *crowd, by_set_and_count);
    return count;
}

/*
 * Share of what hot sets have above the mean that falls on as many lines as a set has ways.
 * Those lines can live side by side: they are hot, but do not throw each other out. What a
 * set has below them is lines that do. NAN: no set is crowded in the window.
 */
static double held_by_ways(struct build *build, const struct snapshot_sets *shown, double bound)
{
    struct crowd *crowd = arena_array(build->arena, CROWD, sizeof *crowd);
    double mean = (double)build->profile->window.used / shown->sets;
    double held = 0;
    double excess = 0;
    size_t count = crowd ? crowd_hot_sets(build, shown, bound, crowd) : 0;
    for (size_t i = 0; i < count;) {
        uint32_t set = crowd[i].set;
        double top = 0;
        double all = 0;
        for (uint32_t rank = 0; i < count && crowd[i].set == set; i++, rank++) {
            all += crowd[i].count;
            top += rank < shown->ways ? crowd[i].count : 0;
        }
        excess += fmax(0, all - mean);
        held += fmin(top, fmax(0, all - mean));
    }
    return excess > 0 ? held / excess : NAN;
}

/*
 * Lines of the object that has most of the samples in hot sets, seen or not: reading a large array
 * crowds sets too, as the prefetchers begin anew with each page and the samples are at the first
 * lines of pages. More lines than the cache holds would not fit whatever their sets are. NAN: no
 * set is hot.
 */
static double lines_in_hot_sets(struct build *build, const struct snapshot_sets *shown,
                                double bound)
{
    const struct window *window = &build->profile->window;
    struct hash *hot = &build->profile->parts;
    const uint32_t *leader = NULL;
    uint32_t object = UINT32_MAX;
    double lines = 0;
    double once = 0;
    double twice = 0;
    hash_clear(hot);
    for (uint32_t i = 0; i < window->used; i++) {
        const struct window_entry *entry = window_at(window, i);
        uint32_t *count = entry->set < shown->sets && shown->counts[entry->set] > bound
                              ? hash_insert(hot, entry->object, NULL)
                              : NULL;
        if (count)
            ++*count;
    }
    for (size_t i = 0; hot->slots && i <= hot->mask; i++)
        if (hot->slots[i].used && (!leader || hot->slots[i].value > *leader)) {
            leader = &hot->slots[i].value;
            object = (uint32_t)hot->slots[i].key;
        }
    if (!leader)
        return NAN;
    for (uint32_t i = 0; i < window->used; i++) {
        const struct window_entry *entry = window_at(window, i);
        if (!entry->mapped || entry->object != object)
            continue;
        lines++;
        once += entry->count == 1;
        twice += entry->count == 2;
    }
    return lines + once * (once - 1) / (2 * (twice + 1));
}

/* What the hot sets have in common, after "6 of 64 sets take 48 % of the time". */
static const char *read_hot_sets(struct build *build, const struct sets_finding *finding,
                                 struct snapshot_sets *shown)
{
    double held = held_by_ways(build, shown, finding->bound);
    double lines = lines_in_hot_sets(build, shown, finding->bound);
    double room = (double)shown->sets * shown->ways;
    bool misses = measured_of(&build->snapshot->source)->misses;
    if (isnan(held) || isnan(lines))
        return NULL;
    if (held > held_enough)
        return arena_printf(build->arena,
                            "%.0f %% of the crowding is on %u lines a set or fewer: hot lines%s",
                            100 * held, shown->ways, misses ? ", not a conflict" : "");
    if (lines > room)
        return arena_printf(build->arena,
                            "of an object with more lines than %s holds: lines at the same place "
                            "of their pages%s",
                            shown->level, misses ? ", no sign of a conflict" : "");
    shown->conflict = misses;
    return arena_printf(build->arena,
                        "on more lines than %s %u ways hold: %saddresses a multiple of %u bytes "
                        "apart",
                        finding->hot_sets == 1 ? "its" : "their", shown->ways,
                        misses ? "conflict between " : "", shown->sets * shown->line);
}

static const char *sets_reading(struct build *build, const struct sets_finding *finding,
                                struct snapshot_sets *shown)
{
    const struct measured *measured = measured_of(&build->snapshot->source);
    if (finding->verdict == SETS_TOO_FEW)
        return arena_printf(build->arena, "too few samples to tell: %.0f on %u sets",
                            finding->samples, shown->sets);
    if (finding->verdict == SETS_UNIFORM)
        return arena_printf(build->arena,
                            "the %u sets share the %s evenly (%.0f %% more than even)%s",
                            shown->sets, measured->word, 100 * finding->excess,
                            measured->misses ? ": capacity rather than conflict" : "");
    const char *hot = read_hot_sets(build, finding, shown);
    if (!hot)
        return arena_printf(build->arena,
                            "the %u sets share the %s unevenly (%.0f %% more than even), but no "
                            "set stands out yet%s",
                            shown->sets, measured->word, 100 * finding->excess,
                            measured->misses ? ": no sign of a conflict" : "");
    return arena_printf(build->arena, "%u of %u sets %s %.0f %% of the %s, %s", finding->hot_sets,
                        shown->sets, finding->hot_sets == 1 ? "takes" : "take",
                        100 * finding->hot_share, measured->word, hot);
}

void build_sets(struct build *build)
{
    struct profile *profile = build->profile;
    const struct geometry *geometry = &profile->sets.geometry;
    struct snapshot_sets *shown = &build->snapshot->sets;
    struct sets_finding finding;
    shown->level = arena_string(build->arena, geometry->level);
    shown->index = profile->options.physical_index ? "physical" : "virtual";
    if (!geometry->virtual_exact && !profile->options.physical_index)
        shown->note = "this level is indexed by physical address; virtual addresses tell its sets "
                      "only within a page";
    if (geometry->guessed)
        shown->note = "the recording does not tell its caches: the shape is this machine's; -C "
                      "LEVEL=SIZE,WAYS,LINE gives another";
    shown->sets = geometry->sets;
    shown->ways = geometry->ways;
    shown->line = geometry->line_bytes;
    shown->counts = arena_array(build->arena, geometry->sets, sizeof *shown->counts);
    build->failed |= !shown->counts || !shown->level;
    if (!shown->counts)
        return;
    for (uint32_t i = 0; i < geometry->sets; i++)
        shown->counts[i] = build_samples(build, &profile->sets.at[i]);
    double squares =
        counted_read(&profile->sets.squares, build->snapshot->basis, build->scale * build->scale);
    sets_judge(&finding, shown->counts, geometry->sets,
               decay_effective(build_read(build, &profile->sets.sum), squares));
    shown->chi2 = finding.chi2;
    shown->p_value = finding.p_value;
    shown->hot_sets = finding.hot_sets;
    shown->verdict = finding.verdict;
    count_lines(build, shown);
    if (build->failed)
        return;
    shown->reading = sets_reading(build, &finding, shown);
    list_parts(build, shown);
}
