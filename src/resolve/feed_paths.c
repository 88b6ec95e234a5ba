/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/feed_paths.h"

#include <errno.h>
#include <stdlib.h>

int feed_paths_init(struct feed_paths *paths, const char *memory, const struct agent_sizes *sizes)
{
    paths->shared = (const struct agent_path *)(memory + agent_paths_at(sizes));
    paths->shared_words = (const uint64_t *)(memory + agent_words_at(sizes));
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

bool feed_paths_learn(struct feed_paths *paths, uint32_t id)
{
    if (!id || id >= paths->sizes.path_count)
        return false;
    if (paths->known[id])
        return true;
    uint32_t first = __atomic_load_n(&paths->shared[id].first, __ATOMIC_RELAXED);
    uint32_t count = __atomic_load_n(&paths->shared[id].count, __ATOMIC_RELAXED);
    if (!count || count > AGENT_DEPTH_MAX || (uint64_t)first + count > paths->sizes.word_count)
        return false;
    uint64_t *copy = arena_array(&paths->arena, count + 1, sizeof *copy);
    if (!copy)
        return false;
    copy[0] = count;
    for (uint32_t i = 0; i < count; i++)
        copy[i + 1] = __atomic_load_n(&paths->shared_words[first + i], __ATOMIC_RELAXED);
    paths->known[id] = copy;
    return true;
}

uint32_t feed_paths_get(const struct feed_paths *paths, uint32_t id, const uint64_t **frames)
{
    if (!id || id >= paths->sizes.path_count || !paths->known[id])
        return 0;
    *frames = paths->known[id] + 1;
    return (uint32_t)paths->known[id][0];
}
