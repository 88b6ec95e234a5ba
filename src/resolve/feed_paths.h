/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Call paths copied out of the agent's memory, each once and checked. Used by feed.c only. */
#ifndef MISSTOP_RESOLVE_FEED_PATHS_H
#define MISSTOP_RESOLVE_FEED_PATHS_H

#include "agent_abi.h"
#include "base/array.h"

#include <stdbool.h>
#include <stdint.h>

struct feed_paths {
    struct agent_header *header;
    uint64_t *shared; /* the agent's words */
    struct agent_sizes sizes;
    struct arena arena;
    uint64_t read;          /* words */
    bool is_damaged;        /* an entry made no sense: what comes after it is not found */
    const uint64_t **known; /* by id: count, then the return addresses; NULL: not learnt */
};

/* `memory`: the shared memory. -ENOMEM. */
int feed_paths_init(struct feed_paths *paths, char *memory, const struct agent_sizes *sizes);
void feed_paths_fini(struct feed_paths *paths);

/* Copies what is new, and tells the agent how far. After looking how far the rings are written: the
 * path of an event is there before the event. */
void feed_paths_learn(struct feed_paths *paths);

/* Return addresses, innermost first; 0: never learnt. */
uint32_t feed_paths_get(const struct feed_paths *paths, uint32_t id, const uint64_t **frames);

#endif
