/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * "What if": from now on every access goes to a second model too, at its address in another layout
 * of one object (include/new_layout.h). The second begins with the contents of the first's caches,
 * moved; once its last level has fetched as many lines as it holds, it has settled, and both count
 * anew. Nothing else moves: the object's old addresses stay empty. Freestanding; driven by
 * src/sim/tool/whatif.c and by tests.
 */
#ifndef MISSTOP_SIM_MODEL_WHATIF_H
#define MISSTOP_SIM_MODEL_WHATIF_H

#include "new_layout.h"
#include "sim/model/model.h"
#include "sim/model/tables.h"

/*
 * Whether a layout (include/new_layout.h) is possible, and where in it a byte of an element is. For
 * src/sim/model/whatif.c, and for planning one.
 */
/* NULL: it is as it has to be. Else why not. */
const char *relayout_refuse(const struct relayout *relayout);

/*
 * The blocks of one object, and the addresses of their bytes under another layout: elements go into
 * arrays, block after block in the order of allocation, and a freed block's room goes to the next
 * of its size, as in a pool. Freestanding, for sim/model/whatif.c; memory is the host's and is not
 * given back.
 */
enum { MOVED_CLASSES = 512, MOVED_BLOCKS_MAX = 1 << 23 };

struct moved_block {
    uint64_t start;
    uint64_t bytes; /* 0: it is gone, its place is free */
    uint64_t first; /* its first element's number in the arrays */
    uint32_t count; /* elements */
    uint32_t next;  /* gone ones of as many elements: index + 1 */
};

/* Blocks in 64 KiB of the program's memory: one block in all of it, or by 16 bytes; index + 1. */
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
    uint64_t low, high; /* every block is in [low, high) */
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

/* The block around an address that is in [low, high); NULL: there is none. */
const struct moved_block *moved_find_slow(struct moved *moved, uint64_t address);

static inline const struct moved_block *moved_find(struct moved *moved, uint64_t address)
{
    return address - moved->low < moved->high - moved->low ? moved_find_slow(moved, address) : NULL;
}

/* New address of an address of a block. *bytes: reduced to those that follow it there. */
uint64_t moved_map(const struct moved *moved, const struct moved_block *block, uint64_t address,
                   uint32_t *bytes);

struct whatif {
    struct memory memory;
    struct moved moved;
    struct model *model;         /* NULL: nothing is moved, the object's misses are counted only */
    struct model_thread *thread; /* the running thread, in it */
    struct lines touched;        /* bits: lines of the new layout that were fetched */
    uint64_t touched_left_bytes;
    uint32_t line_shift;
    uint64_t settles_after; /* misses of the second's last level; 0: it has settled */
    struct whatif_counts counts;
};

/* -1 after host->fail(): no memory, or the layout cannot be. `spec`: the first model's; causes and
 * use are not asked of the second. */
int whatif_init(struct whatif *whatif, const struct relayout *relayout,
                const struct model_spec *spec, const struct model_host *host);

/* After the present blocks have been added (whatif->moved): takes over the contents of the first
 * model's caches, and counts from 0. -1 after host->fail(). */
int whatif_begin(struct whatif *whatif, const struct model *first);

/* -1 after host->fail(). */
int whatif_runs(struct whatif *whatif, uint32_t thread);

/* An access that level `served` of the first model had. The rest as model_access(). */
void whatif_access(struct whatif *whatif, uint64_t address, uint32_t size_bytes, uint32_t kind,
                   uint32_t ip, uint32_t served);

/* The lines that are in a model's caches now. */
typedef void (*resident_sink)(void *context, uint64_t address, uint32_t line_bytes);

#endif
