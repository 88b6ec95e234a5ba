/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Call paths copied out of the agent's memory, each once and checked. Used by feed.c only. */
#ifndef MISSTOP_RESOLVE_FEED_PATHS_H
#define MISSTOP_RESOLVE_FEED_PATHS_H

#include "agent_abi.h"
#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

struct feed_paths {
    const struct agent_path *shared; /* the agent's */
    const uint64_t *shared_words;
    struct agent_sizes sizes;
    struct arena arena;
    const uint64_t **known; /* by id: count, then the return addresses; NULL: not learnt */
};

/* `memory`: the shared memory. -ENOMEM. */
int feed_paths_init(struct feed_paths *paths, const char *memory, const struct agent_sizes *sizes);
void feed_paths_fini(struct feed_paths *paths);

/* Copies a path at its first event; false: no such path, or it makes no sense. */
bool feed_paths_learn(struct feed_paths *paths, uint32_t id);

/* Return addresses, innermost first; 0: never learnt. */
uint32_t feed_paths_get(const struct feed_paths *paths, uint32_t id, const uint64_t **frames);

#endif
