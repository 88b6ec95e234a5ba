/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The window, as a snapshot shows it. */
#include "profile/measured.h"
#include "profile/state.h"

#include <math.h>
#include <stdlib.h>

enum { RECURRENCES = 64, READING_MIN = 200, DOUBLES_MIN = 10 };

/* Of one object, the lines seen in the window. */
struct seen_lines {
    uint32_t lines;
    uint32_t singles;
    uint32_t doubles;
    uint64_t lowest;
    uint64_t highest;
};

static void see_line(struct seen_lines *seen, const struct window_entry *entry)
{
    seen->lowest = seen->lines && seen->lowest < entry->address ? seen->lowest : entry->address;
    seen->highest = seen->lines && seen->highest > entry->address ? seen->highest : entry->address;
    seen->lines++;
    seen->singles += entry->count == 1;
    seen->doubles += entry->count == 2;
}

/*
 * Lines that an object has, seen or not: Chao's lower bound (A. Chao, 1984), where enough lines
 * came twice for it to mean anything, and never more than its memory has.
 */
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

/* The sum over the objects of the window. */
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
            see_line(&seen[*place], entry);
    }
    for (size_t i = 0; seen && places->slots && i <= places->mask; i++) {
        const struct hash_slot *slot = &places->slots[i];
        uint32_t object = slot->used ? build_object_index(build, (uint32_t)slot->key) : UINT32_MAX;
        if (slot->used)
            sum += lines_of_object(
                &seen[slot->value],
                object < build->snapshot->object_count ? build->snapshot->objects[object].size : 0,
                build->profile->sets.geometry.line_bytes);
    }
    return sum;
}

static const char *window_reading(struct build *build, const struct window_counts *counts)
{
    const struct geometry *geometry = &build->profile->sets.geometry;
    bool misses = measured_of(&build->snapshot->source)->misses;
    uint32_t used = build->profile->window.used;
    double lines = lines_estimated(build);
    double caches = lines * geometry->line_bytes / (double)geometry->size_bytes;
    if (used < READING_MIN)
        return arena_printf(build->arena, "too few samples to tell: %u of the %d needed", used,
                            READING_MIN);
    if (caches >= 1)
        return arena_printf(build->arena,
                            "%s%.0f %% of %u samples are on lines seen once; at least %.0f lines, "
                            "%.1f times what %s holds",
                            misses ? "capacity: " : "", 100.0 * (double)counts->singletons / used,
                            used, lines, caches, geometry->level);
    return arena_printf(
        build->arena,
        "%s%u samples are on %llu lines, %llu of them again and again; about %.0f "
        "lines, %.0f %% of what %s holds",
        misses ? "conflict or sharing: " : "", used, (unsigned long long)counts->addresses,
        (unsigned long long)counts->recurring, lines, 100 * caches, geometry->level);
}

static int most_recurring(const void *left, const void *right)
{
    const struct snapshot_recurrence *a = left;
    const struct snapshot_recurrence *b = right;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return a->address < b->address ? -1 : a->address > b->address;
}

static void keep_recurrence(struct snapshot_window *shown, const struct snapshot_recurrence *one)
{
    size_t i = shown->top_count;
    if (i == RECURRENCES && most_recurring(one, &shown->top[i - 1]) > 0)
        return;
    if (i == RECURRENCES)
        i--;
    else
        shown->top_count++;
    for (; i > 0 && most_recurring(one, &shown->top[i - 1]) < 0; i--)
        shown->top[i] = shown->top[i - 1];
    shown->top[i] = *one;
}

static uint64_t line_of(const struct window *window, const struct window_entry *entry)
{
    return entry->address >> window->key_shift << window->key_shift;
}

/* The listed lines while they are looked at more closely. */
struct lines {
    struct hash index;     /* line -> place in the list */
    struct hash functions; /* (place, function) seen */
    struct hash objects;   /* (place, object) -> samples */
};

static const uint32_t *listed_line(const struct lines *lines, const struct window *window,
                                   const struct window_entry *entry)
{
    return hash_find(&lines->index, line_of(window, entry));
}

static void count_on_lines(struct lines *lines, const struct window *window,
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
        uint32_t *count =
            hash_insert(&lines->objects, (uint64_t)*place << 32 | entry->object, NULL);
        if (count)
            ++*count;
    }
}

/* Several variables may share a line: it goes by the one that was missed on most. */
static void name_lines(struct build *build, const struct lines *lines,
                       struct snapshot_window *shown)
{
    const struct window *window = &build->profile->window;
    uint32_t most[RECURRENCES] = {0};
    uint32_t owner[RECURRENCES] = {0};
    for (size_t i = 0; lines->objects.slots && i <= lines->objects.mask; i++) {
        const struct hash_slot *slot = &lines->objects.slots[i];
        uint32_t place = (uint32_t)(slot->key >> 32);
        if (slot->used && slot->value > most[place]) {
            most[place] = slot->value;
            owner[place] = (uint32_t)slot->key;
        }
    }
    for (uint32_t i = 0; i < window->used; i++) {
        const struct window_entry *entry = window_at(window, i);
        const uint32_t *place = listed_line(lines, window, entry);
        if (!place || entry->object != owner[*place])
            continue;
        uint64_t into_line = entry->address - line_of(window, entry);
        shown->top[*place].object = build_object_index(build, entry->object);
        shown->top[*place].offset =
            entry->offset - (into_line < entry->offset ? into_line : entry->offset);
    }
}

static void list_recurrences(struct build *build, struct snapshot_window *shown)
{
    const struct window *window = &build->profile->window;
    struct lines lines = {0};
    for (uint32_t i = 0; i < window->used; i++) {
        const struct window_entry *entry = window_at(window, i);
        struct snapshot_recurrence one = {.address = line_of(window, entry),
                                          .count = entry->count,
                                          .set = entry->set,
                                          .object = UINT32_MAX};
        if (entry->mapped && entry->count > 1)
            keep_recurrence(shown, &one);
    }
    for (size_t i = 0; i < shown->top_count; i++) {
        uint32_t *place = hash_insert(&lines.index, shown->top[i].address, NULL);
        if (place)
            *place = (uint32_t)i;
    }
    count_on_lines(&lines, window, shown);
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
    /* The costliest walk of all, over a window that a refresh changes little. */
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
                                    .together = pair->together,
                                    .lift = pair->lift};
        if (pair->line_a || (one.object_a != UINT32_MAX && one.object_b != UINT32_MAX))
            shown->pairs[shown->pair_count++] = one;
    }
}

void build_window(struct build *build)
{
    struct window *window = &build->profile->window;
    struct snapshot_window *shown = &build->snapshot->window;
    struct window_counts counts;
    window_count(window, &counts, NULL, 0);
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
    shown->reading = window_reading(build, &counts);
    shown->top = arena_array(build->arena, RECURRENCES, sizeof *shown->top);
    shown->pairs = arena_array(build->arena, COMISS_PAIRS_MAX, sizeof *shown->pairs);
    build->failed |= !shown->top || !shown->pairs || !shown->reading;
    if (build->failed)
        return;
    list_recurrences(build, shown);
    list_pairs(build, shown);
    build_sets(build);
}
