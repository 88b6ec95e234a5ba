/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/feed_paths.h"

#include <errno.h>
#include <stdlib.h>

int feed_paths_init(struct feed_paths *paths, char *memory, const struct agent_sizes *sizes)
{
    paths->header = (struct agent_header *)memory;
    paths->shared = (uint64_t *)(memory + agent_words_at(sizes));
    paths->sizes = *sizes;
    arena_init(&paths->arena);
    paths->known = calloc(sizes->path_count, sizeof *paths->known);
    return paths->known ? 0 : -ENOMEM;
}

void feed_paths_fini(struct feed_paths *paths)
{
    if (paths->known)
        arena_fini(&paths->arena);
    free(paths->known);
    paths->known = NULL;
}

static uint64_t *word_at(const struct feed_paths *paths, uint64_t at)
{
    return &paths->shared[at & (paths->sizes.word_count - 1)];
}

/* The word, with a zero in its place: an entry is there when its first word is. */
static uint64_t take_word(struct feed_paths *paths)
{
    uint64_t *word = word_at(paths, paths->read++);
    uint64_t value = __atomic_load_n(word, __ATOMIC_RELAXED);
    __atomic_store_n(word, 0, __ATOMIC_RELAXED);
    return value;
}

static void take_path(struct feed_paths *paths)
{
    uint64_t first = take_word(paths);
    uint64_t id = first >> 8;
    uint64_t count = first & 0xff;
    uint64_t *copy = NULL;
    if (!count || count > AGENT_DEPTH_MAX || !id || id >= paths->sizes.path_count) {
        paths->is_damaged = true;
        return;
    }
    if (!paths->known[id])
        copy = arena_array(&paths->arena, count + 1, sizeof *copy);
    if (copy)
        copy[0] = count;
    for (uint64_t i = 1; i <= count; i++) {
        uint64_t address = take_word(paths);
        if (copy)
            copy[i] = address;
    }
    if (copy)
        paths->known[id] = copy;
}

/* A thread that an exec ended in the middle of an entry never finishes it: the program that runs
 * now says where its own entries begin. */
void feed_paths_learn(struct feed_paths *paths)
{
    uint64_t end = paths->read + paths->sizes.word_count;
    while (!paths->is_damaged && paths->read < end &&
           __atomic_load_n(word_at(paths, paths->read), __ATOMIC_ACQUIRE))
        take_path(paths);
    uint64_t from = __atomic_load_n(&paths->header->words_from, __ATOMIC_ACQUIRE);
    while (paths->read < from && from < end)
        take_word(paths);
    __atomic_store_n(&paths->header->words_read, paths->read, __ATOMIC_RELEASE);
}

uint32_t feed_paths_get(const struct feed_paths *paths, uint32_t id, const uint64_t **frames)
{
    if (!id || id >= paths->sizes.path_count || !paths->known[id])
        return 0;
    *frames = paths->known[id] + 1;
    return (uint32_t)paths->known[id][0];
}
