/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The rings in the agent's memory, read and merged by stamp. Units are copied before they are
 * checked; a ring that makes no sense is skipped up to where its writer says it is, and counted.
 * Chunks that were read go back to the pool at the next look, rings when their threads have ended.
 * Used by feed.c only.
 */
#ifndef MISSTOP_RESOLVE_FEED_RINGS_H
#define MISSTOP_RESOLVE_FEED_RINGS_H

#include "agent_abi.h"
#include "resolve/feed.h"

/* How far a ring is read, and its next event. */
struct feed_cursor {
    uint64_t tail; /* of units not read or copied; ours, never the shared one */
    uint64_t head; /* as last looked at */
    uint64_t stamp;
    struct feed_event event; /* all but the time */
    bool has_event;
    bool is_open; /* a thread owns it: it holds the chunk of tail */
    uint32_t tid;
};

struct feed_rings {
    struct agent_sizes sizes;
    struct agent_header *header;
    struct agent_ring *shared;
    uint32_t *ring_links;
    uint32_t *chunk_links;
    struct agent_unit *units;
    struct feed_cursor *cursors;
    uint32_t *heap; /* rings with an event, earliest on top */
    uint32_t heap_count;
    uint32_t *passed; /* chunks that were read */
    uint32_t passed_count;
    uint8_t *idle;    /* [chunk_count], while chunks are given back */
    uint64_t damaged; /* times a ring was skipped */
};

/* -ENOMEM; feed_rings_fini() in any case. */
int feed_rings_init(struct feed_rings *rings, char *memory, const struct agent_sizes *sizes);
void feed_rings_fini(struct feed_rings *rings);

/* Looks how far the first `used` rings are written; any number will do. */
void feed_rings_look(struct feed_rings *rings, uint32_t used);

/* The earliest event; NULL: none. */
static inline const struct feed_cursor *feed_rings_first(const struct feed_rings *rings)
{
    return rings->heap_count ? &rings->cursors[rings->heap[0]] : NULL;
}

/* The earliest is done with: on to the next of its ring. There must be one. */
void feed_rings_next(struct feed_rings *rings);

/*
 * Gives the memory of chunks that are not in use back, all but a few. `fd`: the shared memory. What
 * is there instead is charged to misstop, and is no part of the program's resident set.
 */
void feed_rings_trim(struct feed_rings *rings, int fd);

/* Events that found no chunk free. */
uint64_t feed_rings_lost(const struct feed_rings *rings);

#endif
