/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * glibc's arenas (struct malloc_state) found by what they must look like, since neither the
 * symbol nor the layout is to be had from outside:
 *
 *   flags, fast bins | top, last remainder | bins: pairs of fd and bk | bin map | next arena ...
 *
 * An empty bin points at itself (16 bytes before its pair), a filled one at
 * chunks, top at a chunk that ends on a page, and `next` closes a ring of arenas (glibc
 * malloc/malloc.c). Private to the walk.
 */
#ifndef MISSTOP_RESOLVE_WALK_ARENA_H
#define MISSTOP_RESOLVE_WALK_ARENA_H

#include "resolve/walk_memory.h"

enum { WALK_ARENAS_MAX = 4096 };
#define WALK_HEAP_MAX ((uint64_t)64 << 20) /* HEAP_MAX_SIZE: twice the largest mmap threshold */

struct walk_arenas {
    uint64_t *starts;     /* [0] is the main arena */
    size_t count;         /* 0: not found */
    uint64_t bins_offset; /* in an arena, of the first bin's pair */
    uint64_t next_offset;
};

/* What stands at the start of each 64 MiB heap of a thread arena: struct heap_info. */
struct walk_heap {
    uint64_t start;
    uint64_t previous; /* 0: the arena's first heap */
    uint64_t bytes;
    uint64_t first_chunk;
    uint32_t arena;
};

/* 0 or -ENOMEM. */
int walk_arenas_init(struct walk_arenas *arenas);
void walk_arenas_fini(struct walk_arenas *arenas);

/* Looks for the main arena in [start, end), initialised data of libc or of the program. */
bool walk_arenas_search(struct walk_arenas *arenas, struct walk_memory *memory, uint64_t start,
                        uint64_t end);

/* Follows the ring again: arenas are made while a process runs, and never unmade. */
void walk_arenas_follow(struct walk_arenas *arenas, struct walk_memory *memory);

/* The arena's index, or -1. */
int walk_arenas_index(const struct walk_arenas *arenas, uint64_t start);

/* The chunk that all new memory is cut from; 0: unreadable. */
uint64_t walk_arenas_top(const struct walk_arenas *arenas, struct walk_memory *memory,
                         uint32_t arena);

/* False: no heap of a known arena starts there. */
bool walk_heap_read(const struct walk_arenas *arenas, struct walk_memory *memory, uint64_t start,
                    struct walk_heap *heap);

#endif
