/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "base/array.h"
#include "profile/state.h"
#include "profile/tables/rates.h"

/* ---- the cache sets ---- */

enum { PARTS = 4096, CROWD = 16384 };

static const double held_enough = 0.8; /* share of the crowding, on at most as many lines as ways */

static size_t count_parts(const struct hash *parts, uint32_t least)
{
    const struct hash_slot *part;
    size_t count = 0;
    for (size_t i = 0; (part = hash_next(parts, &i));)
        count += part->value >= least;
    return count;
}

/* Lists the objects in each set: all of them for a small cache, the largest for a big one. */
static void list_parts(struct build *build, struct snapshot_sets *shown)
{
    struct hash *parts = &build->profile->parts;
    const struct window *window = &build->profile->window;
    double mean = window_mean_weight(window, window->used);
    hash_clear(parts);
    for (uint32_t i = 0; i < window->used; i++) {
        const struct window_entry *entry = window_at(window, i);
        hash_add(parts, (uint64_t)entry->set << 32 | entry->object, window_parts(entry, mean));
    }
    uint32_t least = 1;
    while (count_parts(parts, least) > PARTS)
        least *= 2;
    shown->parts = build_array(build, PARTS, sizeof *shown->parts);
    const struct hash_slot *part;
    for (size_t i = 0; shown->parts && (part = hash_next(parts, &i));)
        if (part->value >= least)
            shown->parts[shown->part_count++] =
                (struct snapshot_set_part){.set = (uint32_t)(part->key >> 32),
                                           .object = build_object_index(build, (uint32_t)part->key),
                                           .samples = (double)part->value / WINDOW_PARTS};
    if (shown->parts)
        SORT(shown->parts, shown->part_count, SMALLEST(struct snapshot_set_part, set),
             LARGEST(struct snapshot_set_part, samples));
}

/* Counts the distinct lines of each set in the window. */
static void count_lines(struct build *build, struct snapshot_sets *shown)
{
    const struct window *window = &build->profile->window;
    shown->lines = build_array(build, shown->sets, sizeof *shown->lines);
    for (uint32_t i = 0; shown->lines && i < window->used; i++) {
        const struct window_entry *entry = window_at(window, i);
        if (entry->mapped && entry->set < shown->sets)
            shown->lines[entry->set]++;
    }
}

/* A line that missed in a hot set. */
struct hot_set_line {
    uint32_t set;
    uint32_t count;
};

/* Collects the lines of hot sets from the window's newest part, by set, hottest first. */
static size_t collect_hot_set_lines(struct build *build, const struct snapshot_sets *shown,
                                    double bound, struct hot_set_line *crowd)
{
    const struct window *window = &build->profile->window;
    size_t count = 0;
    for (uint32_t i = window->used; i > 0 && count < CROWD; i--) {
        const struct window_entry *entry = window_at(window, i - 1);
        if (entry->mapped && entry->set < shown->sets && shown->counts[entry->set] > bound)
            crowd[count++] = (struct hot_set_line){entry->set, entry->count};
    }
    SORT(crowd, count, SMALLEST(struct hot_set_line, set), LARGEST(struct hot_set_line, count));
    return count;
}

/* Returns the share of the hot sets' excess on as many lines as a set has ways: these fit, so they
 * are hot but do not evict each other. NAN: no set is crowded in the window. */
static double share_held_by_ways(struct build *build, const struct snapshot_sets *shown,
                                 double bound)
{
    struct hot_set_line *crowd = arena_array(build->arena, CROWD, sizeof *crowd);
    double mean = (double)build->profile->window.used / shown->sets;
    double held = 0;
    double excess = 0;
    size_t count = crowd ? collect_hot_set_lines(build, shown, bound, crowd) : 0;
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
 * Estimates the lines, sampled or not, of the object with most samples in hot sets. Reading a large
 * array also crowds sets, because prefetching restarts on each page and the samples are on the
 * first lines of pages. An object larger than the cache does not fit in any case. NAN: no set is
 * hot.
 */
static double lines_in_hot_sets(struct build *build, const struct snapshot_sets *shown,
                                double bound)
{
    const struct window *window = &build->profile->window;
    struct hash *hot = &build->profile->parts;
    const struct hash_slot *leader = NULL;
    const struct hash_slot *slot;
    double lines = 0;
    double once = 0;
    double twice = 0;
    hash_clear(hot);
    for (uint32_t i = 0; i < window->used; i++) {
        const struct window_entry *entry = window_at(window, i);
        if (entry->set < shown->sets && shown->counts[entry->set] > bound)
            hash_add(hot, entry->object, 1);
    }
    for (size_t i = 0; (slot = hash_next(hot, &i));)
        leader = !leader || slot->value > leader->value ? slot : leader;
    if (!leader)
        return NAN;
    for (uint32_t i = 0; i < window->used; i++) {
        const struct window_entry *entry = window_at(window, i);
        if (!entry->mapped || entry->object != leader->key)
            continue;
        lines++;
        once += entry->count == 1;
        twice += entry->count == 2;
    }
    return lines + once * (once - 1) / (2 * (twice + 1));
}

/* Classifies the hot sets: hot lines, one large object, or a conflict. */
static void read_hot_sets(struct build *build, double bound, struct snapshot_sets *shown)
{
    double lines = lines_in_hot_sets(build, shown, bound);
    shown->fitting_share = share_held_by_ways(build, shown, bound);
    if (isnan(shown->fitting_share) || isnan(lines))
        shown->content = SETS_CONTENT_UNKNOWN;
    else if (shown->fitting_share > held_enough)
        shown->content = SETS_HOT_LINES;
    else if (lines > (double)shown->sets * shown->ways)
        shown->content = SETS_LARGE_OBJECT;
    else
        shown->content = SETS_MANY_LINES;
    shown->conflict = shown->content == SETS_MANY_LINES &&
                      measured_of(&build->snapshot->source) == MEASURED_MISSES;
}

static void build_sets(struct build *build)
{
    struct profile *profile = build->profile;
    const struct geometry *geometry = &profile->sets.geometry;
    struct snapshot_sets *shown = &build->snapshot->sets;
    struct sets_finding finding;
    shown->level = arena_string(build->arena, geometry->level);
    shown->index = "virtual";
    if (!geometry->virtual_exact)
        shown->doubt = SETS_WITHIN_PAGE;
    if (geometry->guessed)
        shown->doubt = SETS_GUESSED;
    shown->sets = geometry->sets;
    shown->ways = geometry->ways;
    shown->line = geometry->line_bytes;
    shown->counts = build_array(build, geometry->sets, sizeof *shown->counts);
    build->failed |= !shown->level;
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
    shown->samples = finding.samples;
    shown->excess = finding.excess;
    shown->hot_share = finding.hot_share;
    if (finding.verdict == SETS_CONCENTRATED)
        read_hot_sets(build, finding.bound, shown);
    list_parts(build, shown);
}

enum { RECURRENCES = 64, DOUBLES_MIN = 10 };

struct seen_lines {
    uint32_t lines;
    uint32_t singles;
    uint32_t doubles;
    uint64_t lowest;
    uint64_t highest;
};

static void seen_lines_add(struct seen_lines *seen, const struct window_entry *entry)
{
    seen->lowest = seen->lines && seen->lowest < entry->address ? seen->lowest : entry->address;
    seen->highest = seen->lines && seen->highest > entry->address ? seen->highest : entry->address;
    seen->lines++;
    seen->singles += entry->count == 1;
    seen->doubles += entry->count == 2;
}

/* Estimates the lines of an object, sampled or not: Chao's lower bound (A. Chao, 1984) if enough
 * lines were seen twice, limited by the object's memory. */
static double lines_of_object(const struct seen_lines *seen, uint64_t size, uint32_t line_bytes)
{
    double once = seen->singles;
    double lines = seen->lines;
    double most = (double)((seen->highest - seen->lowest) / line_bytes) + 1;
    if (seen->doubles < DOUBLES_MIN)
        return lines;
    if (size)
        most = fmin(most, (double)(size / line_bytes) + 1);
    return fmax(lines, fmin(lines + once * (once - 1) / (2.0 * (seen->doubles + 1.0)), most));
}

/* Returns the sum of the estimated lines over all objects in the window. */
static double lines_estimated(struct build *build)
{
    const struct window *window = &build->profile->window;
    struct hash *places = &build->profile->parts;
    uint32_t count = 0;
    double sum = 0;
    hash_clear(places);
    for (uint32_t i = 0; i < window->used; i++) {
        bool created = false;
        uint32_t *place = hash_insert(places, window_at(window, i)->object, &created);
        if (place && created)
            *place = count++;
    }
    struct seen_lines *seen = arena_array(build->arena, count, sizeof *seen);
    build->failed |= count && !seen;
    for (uint32_t i = 0; seen && i < window->used; i++) {
        const struct window_entry *entry = window_at(window, i);
        const uint32_t *place = hash_find(places, entry->object);
        if (entry->mapped && place)
            seen_lines_add(&seen[*place], entry);
    }
    const struct hash_slot *slot;
    for (size_t i = 0; seen && (slot = hash_next(places, &i));) {
        uint32_t object = build_object_index(build, (uint32_t)slot->key);
        sum += lines_of_object(
            &seen[slot->value],
            object < build->snapshot->object_count ? build->snapshot->objects[object].size : 0,
            build->profile->sets.geometry.line_bytes);
    }
    return sum;
}

static uint64_t window_entry_line(const struct window *window, const struct window_entry *entry)
{
    return entry->address >> window->key_shift << window->key_shift;
}

struct lines {
    struct hash index;     /* line to position in the list */
    struct hash functions; /* (place, function) seen */
    struct hash objects;   /* (place, object) to samples */
};

static const uint32_t *listed_line(const struct lines *lines, const struct window *window,
                                   const struct window_entry *entry)
{
    return hash_find(&lines->index, window_entry_line(window, entry));
}

static void count_listed_lines(struct lines *lines, const struct window *window,
                               struct snapshot_window *shown)
{
    for (uint32_t i = 0; i < window->used; i++) {
        const struct window_entry *entry = window_at(window, i);
        const uint32_t *place = listed_line(lines, window, entry);
        bool created = false;
        if (!place)
            continue;
        if (hash_insert(&lines->functions, (uint64_t)*place << 32 | entry->function, &created) &&
            created)
            shown->top[*place].functions++;
        hash_add(&lines->objects, (uint64_t)*place << 32 | entry->object, 1);
    }
}

/* Names each line after the variable with most misses on it. */
static void name_lines(struct build *build, const struct lines *lines,
                       struct snapshot_window *shown)
{
    const struct window *window = &build->profile->window;
    uint32_t most[RECURRENCES] = {0};
    uint32_t owner[RECURRENCES] = {0};
    const struct hash_slot *slot;
    for (size_t i = 0; (slot = hash_next(&lines->objects, &i));) {
        uint32_t place = (uint32_t)(slot->key >> 32);
        if (slot->value > most[place]) {
            most[place] = slot->value;
            owner[place] = (uint32_t)slot->key;
        }
    }
    for (uint32_t i = 0; i < window->used; i++) {
        const struct window_entry *entry = window_at(window, i);
        const uint32_t *place = listed_line(lines, window, entry);
        if (!place || entry->object != owner[*place])
            continue;
        uint64_t into_line = entry->address - window_entry_line(window, entry);
        shown->top[*place].object = build_object_index(build, entry->object);
        int64_t offset = (int64_t)(entry->offset - into_line);
        bool before = offset < 0 && (int64_t)entry->offset >= 0;
        shown->top[*place].offset = before ? 0 : offset;
    }
}

static void list_recurrences(struct build *build, struct snapshot_window *shown)
{
    const struct window *window = &build->profile->window;
    struct lines lines = {0};
    for (uint32_t i = 0; i < window->used; i++) {
        const struct window_entry *entry = window_at(window, i);
        struct snapshot_recurrence one = {.address = window_entry_line(window, entry),
                                          .count = entry->count,
                                          .set = entry->set,
                                          .object = UINT32_MAX};
        if (entry->mapped && entry->count > 1)
            KEEP(shown->top, &shown->top_count, RECURRENCES, &one,
                 LARGEST(struct snapshot_recurrence, count),
                 SMALLEST(struct snapshot_recurrence, address));
    }
    for (size_t i = 0; i < shown->top_count; i++)
        hash_put(&lines.index, shown->top[i].address, (uint32_t)i);
    count_listed_lines(&lines, window, shown);
    name_lines(build, &lines, shown);
    hash_fini(&lines.index);
    hash_fini(&lines.functions);
    hash_fini(&lines.objects);
}

static void list_pairs(struct build *build, struct snapshot_window *shown)
{
    struct comiss *comiss = &build->profile->comiss;
    const struct window *window = &build->profile->window;
    uint64_t *found_at = &build->profile->pairs_found_at;
    /* The most expensive pass, over a window that changes little per refresh. */
    if (window->added < *found_at || window->added - *found_at >= window->size / 8 || !*found_at) {
        comiss_find(comiss, window);
        *found_at = window->added;
    }
    for (size_t i = 0; i < comiss->found_count; i++) {
        const struct comiss_pair *pair = &comiss->found[i];
        struct snapshot_pair one = {.line_a = pair->line_a,
                                    .line_b = pair->line_b,
                                    .object_a = build_object_index(build, pair->object_a),
                                    .object_b = build_object_index(build, pair->object_b),
                                    .pair_count = pair->pair_count,
                                    .lift = pair->lift};
        if (pair->line_a || (one.object_a != UINT32_MAX && one.object_b != UINT32_MAX))
            shown->pairs[shown->pair_count++] = one;
    }
}

void build_window(struct build *build)
{
    struct window *window = &build->profile->window;
    const struct geometry *geometry = &build->profile->sets.geometry;
    struct snapshot_window *shown = &build->snapshot->window;
    struct window_counts counts;
    window_count(window, &counts);
    *shown = (struct snapshot_window){.entries = window->size,
                                      .used = window->used,
                                      .addresses = counts.addresses,
                                      .singletons = counts.singletons,
                                      .recurring = counts.recurring,
                                      .span_s = NAN};
    for (int i = 0; i < SNAPSHOT_RECURRENCE_BINS; i++)
        shown->histogram[i] = counts.histogram[i];
    if (window->used)
        shown->span_s =
            (double)(window_at(window, window->used - 1)->time_ns - window_at(window, 0)->time_ns) /
            1e9;
    shown->lines = window->used < SNAPSHOT_WINDOW_MIN ? NAN : lines_estimated(build);
    shown->cache_multiple = shown->lines * geometry->line_bytes / (double)geometry->size_bytes;
    shown->top = build_array(build, RECURRENCES, sizeof *shown->top);
    shown->pairs = build_array(build, COMISS_PAIRS_MAX, sizeof *shown->pairs);
    if (build->failed)
        return;
    list_recurrences(build, shown);
    list_pairs(build, shown);
    build_sets(build);
}
