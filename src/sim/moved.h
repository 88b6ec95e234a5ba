/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The blocks of one object, and where their bytes would lie under another layout: elements go into
 * arrays, block after block in the order in which they come, and the place of one that went is
 * taken by the next of its size, as a pool would. Freestanding, for sim/whatif.c; memory is the
 * host's and is not given back.
 */
#ifndef MISSTOP_SIM_MOVED_H
#define MISSTOP_SIM_MOVED_H

#include "sim/ids.h"
#include "sim/memory.h"
#include "sim/relayout.h"

enum { MOVED_CLASSES = 512, MOVED_BLOCKS_MAX = 1 << 23 };

struct moved_block {
    uint64_t start;
    uint64_t bytes; /* 0: it is gone, its place is free */
    uint64_t first; /* its first element's number in the arrays */
    uint32_t count; /* elements */
    uint32_t next;  /* gone ones of as many elements: index + 1 */
};

/* Who lies in 64 KiB of the program's memory: one block in all of it, or by 16 bytes; index + 1. */
struct moved_chunk {
    uint64_t number; /* + 1; 0: none */
    uint32_t *granules;
    uint32_t whole;
};

struct moved_class {
    uint32_t count; /* elements; 0: none yet */
    uint32_t gone;  /* index + 1 */
};

struct moved {
    struct relayout relayout;
    struct memory *memory;
    struct ids blocks; /* struct moved_block */
    struct moved_chunk *chunks;
    uint64_t chunk_mask;
    uint64_t chunks_used;
    const struct moved_chunk *last;
    uint64_t low, high; /* every block lies in [low, high) */
    uint64_t next_element;
    uint32_t step; /* blocks begin at a multiple of so many elements */
    uint32_t used; /* blocks ever made */
    uint32_t live;
    uint64_t refused; /* blocks that found no room */
    uint64_t small;   /* blocks shorter than an element: they stay where they are */
    struct moved_class classes[MOVED_CLASSES];
};

/* -1: no memory. The layout is one that relayout_refuse() accepts. */
int moved_init(struct moved *moved, const struct relayout *relayout, struct memory *memory);

/* A block of the object; one that is there already is replaced. false: there is no room. */
bool moved_add(struct moved *moved, uint64_t start, uint64_t bytes);
/* false: none starts there. */
bool moved_remove(struct moved *moved, uint64_t start);

/* The block around an address that lies in [low, high); NULL: there is none. */
const struct moved_block *moved_find_slow(struct moved *moved, uint64_t address);

static inline const struct moved_block *moved_find(struct moved *moved, uint64_t address)
{
    return address - moved->low < moved->high - moved->low ? moved_find_slow(moved, address) : NULL;
}

/* Where an address of a block lies then. Of *bytes from there on, as many as lie there together. */
uint64_t moved_map(const struct moved *moved, const struct moved_block *block, uint64_t address,
                   uint32_t *bytes);

#endif
