/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads, as a snapshot shows them: counted from the window, so that a sample pays nothing. */
#include "profile/interval.h"
#include "profile/state.h"

#include <math.h>
#include <stdlib.h>

enum { THREADS_LISTED = 256, RECENT = 16384, NAME_BYTES = 64 };

/* Samples of a thread, on an object, in a function, in window_parts(): keys of three tables. */
struct counts {
    struct hash threads;   /* tid */
    struct hash objects;   /* tid, object */
    struct hash functions; /* tid, function */
};

/* What a thread has most of. */
struct most {
    uint32_t id;
    uint32_t parts; /* window_parts() */
};

static void add(struct build *build, struct hash *hash, uint32_t tid, uint32_t id, uint32_t parts)
{
    uint32_t *count = hash_insert(hash, (uint64_t)tid << 32 | id, NULL);
    build->failed |= !count;
    if (count)
        *count += parts;
}

static void count_recent(struct build *build, struct counts *counts, uint32_t recent)
{
    const struct window *window = &build->profile->window;
    double mean = window_mean_weight(window, recent);
    for (uint32_t i = 0; i < recent && !build->failed; i++) {
        const struct window_entry *entry = window_at(window, window->used - recent + i);
        uint32_t parts = window_parts(entry, mean);
        add(build, &counts->threads, entry->tid, 0, parts);
        add(build, &counts->objects, entry->tid, entry->object, parts);
        add(build, &counts->functions, entry->tid, entry->function, parts);
    }
}

static int most_samples(const void *left, const void *right)
{
    const struct snapshot_thread *a = left;
    const struct snapshot_thread *b = right;
    if (a->samples != b->samples)
        return a->samples > b->samples ? -1 : 1;
    return a->tid < b->tid ? -1 : a->tid > b->tid;
}

/* All of them, to choose those that are listed. */
static void list(struct build *build, const struct counts *counts)
{
    struct snapshot_threads *threads = &build->snapshot->threads;
    const struct hash *hash = &counts->threads;
    struct snapshot_thread *all = calloc(hash->count + 1, sizeof *all);
    size_t count = 0;
    build->failed |= !all;
    for (size_t i = 0; all && hash->slots && i <= hash->mask; i++)
        if (hash->slots[i].used)
            all[count++] = (struct snapshot_thread){.tid = (uint32_t)(hash->slots[i].key >> 32),
                                                    .samples = (double)hash->slots[i].value /
                                                               WINDOW_PARTS};
    if (all)
        qsort(all, count, sizeof *all, most_samples);
    threads->count = count < THREADS_LISTED ? count : THREADS_LISTED;
    threads->left_out = count - threads->count;
    threads->list = arena_array(build->arena, threads->count, sizeof *threads->list);
    build->failed |= !threads->list;
    for (size_t i = 0; !build->failed && i < threads->count; i++)
        threads->list[i] = all[i];
    free(all);
}

/* Of each listed thread; the values of its own table are then places in the list, from 1. */
static void find_most(const struct counts *counts, const struct hash *hash,
                      struct most most[THREADS_LISTED])
{
    for (size_t i = 0; hash->slots && i <= hash->mask; i++) {
        const struct hash_slot *slot = &hash->slots[i];
        uint64_t thread = slot->key >> 32 << 32;
        const uint32_t *place = slot->used ? hash_find(&counts->threads, thread) : NULL;
        if (place && *place && slot->value > most[*place - 1].parts)
            most[*place - 1] = (struct most){(uint32_t)slot->key, slot->value};
    }
}

static void number_listed(const struct snapshot_threads *threads, struct counts *counts)
{
    for (size_t i = 0; counts->threads.slots && i <= counts->threads.mask; i++)
        counts->threads.slots[i].value = 0;
    for (size_t i = 0; i < threads->count; i++)
        *hash_find(&counts->threads, (uint64_t)threads->list[i].tid << 32) = (uint32_t)i + 1;
}

static void name(struct build *build, struct snapshot_thread *thread, uint32_t object,
                 uint32_t function)
{
    const struct place_names *names = &build->profile->options.names;
    struct object_desc object_desc = {0};
    struct function_desc function_desc = {0};
    char text[NAME_BYTES];
    if (names->thread && names->thread(names->context, thread->tid, text, sizeof text))
        thread->name = arena_string(build->arena, text);
    thread->object = build_object_index(build, object);
    if (names->object && names->object(names->context, object, &object_desc))
        thread->object_name = arena_string(build->arena, object_desc.name);
    if (names->function && names->function(names->context, function, &function_desc))
        thread->function_name = arena_string(build->arena, function_desc.name);
}

static void describe(struct build *build, struct counts *counts)
{
    struct snapshot_threads *threads = &build->snapshot->threads;
    struct most objects[THREADS_LISTED] = {0};
    struct most functions[THREADS_LISTED] = {0};
    double recent = (double)threads->recent;
    number_listed(threads, counts);
    find_most(counts, &counts->objects, objects);
    find_most(counts, &counts->functions, functions);
    for (size_t i = 0; i < threads->count; i++) {
        struct snapshot_thread *thread = &threads->list[i];
        thread->share = interval_share(thread->samples / recent, recent);
        thread->object_share = objects[i].parts / (thread->samples * WINDOW_PARTS);
        thread->function_share = functions[i].parts / (thread->samples * WINDOW_PARTS);
        name(build, thread, objects[i].id, functions[i].id);
    }
}

void build_threads(struct build *build)
{
    struct snapshot_threads *threads = &build->snapshot->threads;
    uint32_t used = build->profile->window.used;
    struct counts counts = {0};
    threads->recent = used < RECENT ? used : RECENT;
    count_recent(build, &counts, (uint32_t)threads->recent);
    if (!build->failed)
        list(build, &counts);
    if (!build->failed)
        describe(build, &counts);
    hash_fini(&counts.threads);
    hash_fini(&counts.objects);
    hash_fini(&counts.functions);
}

const struct snapshot_thread *snapshot_thread(const struct snapshot_threads *threads, uint32_t tid)
{
    for (size_t i = 0; i < threads->count; i++)
        if (threads->list[i].tid == tid)
            return &threads->list[i];
    return NULL;
}
