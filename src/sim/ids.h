/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Things by dense numbers, made when first asked for; a bounded array of arrays. Used inside
 * src/sim only. */
#ifndef MISSTOP_SIM_IDS_H
#define MISSTOP_SIM_IDS_H

#include "sim/memory.h"

enum { IDS_CHUNK = 64 };

struct ids {
    uint8_t **chunks;
    uint32_t max;
    uint32_t size_bytes; /* of a thing */
};

/* -1: no memory. */
static inline int ids_init(struct ids *ids, uint32_t max, uint32_t size_bytes,
                           struct memory *memory)
{
    ids->max = max;
    ids->size_bytes = size_bytes;
    ids->chunks = memory_new(memory, (uint64_t)max / IDS_CHUNK + 1, sizeof *ids->chunks);
    return ids->chunks ? 0 : -1;
}

/* NULL: never made, or beyond the bound. */
static inline void *ids_find(const struct ids *ids, uint32_t id)
{
    uint8_t *chunk = id < ids->max ? ids->chunks[id / IDS_CHUNK] : NULL;
    return chunk ? chunk + (size_t)(id % IDS_CHUNK) * ids->size_bytes : NULL;
}

/* Zeroed when new. NULL: beyond the bound, or no memory. */
static inline void *ids_make(struct ids *ids, uint32_t id, struct memory *memory)
{
    if (id >= ids->max)
        return NULL;
    uint8_t **chunk = &ids->chunks[id / IDS_CHUNK];
    if (!*chunk)
        *chunk = memory_new(memory, IDS_CHUNK, ids->size_bytes);
    return ids_find(ids, id);
}

#endif
