/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The walk's view of the process's memory: single words, windows for chains, mappings.
 * Private to the walk_*.c files. */
#ifndef MISSTOP_RESOLVE_WALK_MEMORY_H
#define MISSTOP_RESOLVE_WALK_MEMORY_H

#include "resolve/walk.h"

enum { WALK_WINDOW_BYTES = 1 << 20, WALK_PAGE_BYTES = 4096 };

/* A copy of a piece of the process's memory. Each fill in a row reads twice as much, so that
 * a lookup reads little and a long chain reads in large pieces. */
struct walk_window {
    uint64_t start; /* 16-aligned */
    size_t bytes;
    size_t ahead_bytes;
    uint64_t *words; /* WALK_WINDOW_BYTES */
};

struct walk_memory {
    struct walk_target target;
    struct walk_mapping *maps; /* sorted, paths dropped */
    uint64_t *searched; /* of each mapping: number of the find that went through it; 0: none did */
    size_t map_count;
    uint64_t reads;
    uint64_t bytes_read;
};

int walk_window_init(struct walk_window *window);
void walk_window_fini(struct walk_window *window);

/* Forgets what was read; the next fill reads ahead_bytes. */
void walk_window_reset(struct walk_window *window, size_t ahead_bytes);

/* Out of line part of walk_window_at(): reads anew. */
const uint64_t *walk_window_fill(struct walk_memory *memory, struct walk_window *window,
                                 uint64_t address, size_t bytes);

/* `bytes` at a 16-aligned address; NULL: cannot be read. Valid until the next call. */
static inline const uint64_t *walk_window_at(struct walk_memory *memory, struct walk_window *window,
                                             uint64_t address, size_t bytes)
{
    uint64_t offset = address - window->start;
    if (offset < window->bytes && window->bytes - offset >= bytes)
        return window->words + offset / 8;
    return walk_window_fill(memory, window, address, bytes);
}

bool walk_memory_read(struct walk_memory *memory, uint64_t address, void *out, size_t bytes);
size_t walk_memory_read_some(struct walk_memory *memory, uint64_t address, void *out, size_t bytes);

/* Copies the table, without paths; what is known of a mapping that stays is kept. 0 or -ENOMEM. */
int walk_memory_map(struct walk_memory *memory, const struct walk_mapping *mappings, size_t count);

/* The mapping that holds the address; NULL: none. */
const struct walk_mapping *walk_memory_mapping(const struct walk_memory *memory, uint64_t address);

void walk_memory_fini(struct walk_memory *memory);

#endif
