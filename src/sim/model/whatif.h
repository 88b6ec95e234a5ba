/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * "What if": every access also goes to a second model, at its address in another layout of one
 * object (include/new_layout.h). The second model starts with the contents of the first model's
 * caches, moved. Once its last level has fetched as many lines as it holds, it has settled, and
 * both counts restart. Nothing else moves: the object's old addresses stay empty. Freestanding;
 * driven by src/sim/tool/whatif.c and by tests.
 */
#ifndef MISSTOP_SIM_MODEL_WHATIF_H
#define MISSTOP_SIM_MODEL_WHATIF_H

#include "new_layout.h"
#include "sim/model/model.h"
#include "sim/model/tables.h"

/* Checks of a layout (include/new_layout.h), and the mapping of an element's bytes. Used by
 * src/sim/model/whatif.c and for planning a layout. */

/* Returns NULL if the layout is valid, otherwise the reason. */
const char *relayout_refuse(const struct relayout *relayout);

/*
 * The blocks of one object, and the addresses of their bytes in another layout. Elements go into
 * arrays, block by block in the order of allocation; the place of a freed block is reused for the
 * next block of its size, as in a pool. Freestanding, used by sim/model/whatif.c; memory comes from
 * the host and is not freed.
 */
enum { MOVED_CLASSES = 512, MOVED_BLOCKS_MAX = 1 << 23 };

struct moved_block {
    uint64_t start;
    uint64_t bytes; /* 0: freed, its place is available */
    uint64_t first; /* index of its first element in the arrays */
    uint32_t count; /* elements */
    uint32_t next;  /* free list of its class: index + 1 */
};

/* Blocks in 64 KiB of the program's memory: either one block in all of it, or one per 16 bytes;
 * index + 1. */
struct moved_chunk {
    uint64_t number; /* number + 1; 0: empty */
    uint32_t *granules;
    uint32_t whole;
};

struct moved_class {
    uint32_t count;     /* elements; 0: unused */
    uint32_t free_list; /* free list: index + 1 */
};

struct moved {
    struct relayout relayout;
    struct memory *memory;
    struct ids blocks; /* struct moved_block */
    struct moved_chunk *chunks;
    uint64_t chunk_mask;
    uint64_t chunks_used;
    const struct moved_chunk *last;
    uint64_t low, high; /* all blocks are in [low, high) */
    uint64_t next_element;
    uint32_t step; /* blocks start at a multiple of this many elements */
    uint32_t used; /* blocks made so far */
    uint32_t live;
    uint64_t refused;        /* blocks without room */
    uint64_t unmoved_blocks; /* blocks smaller than an element, which do not move */
    struct moved_class classes[MOVED_CLASSES];
};

/* Returns 0, or -1 if out of memory. relayout_refuse() must accept the layout. */
int moved_init(struct moved *moved, const struct relayout *relayout, struct memory *memory);

/* Adds a block of the object; replaces an existing one. Returns false if there is no room. */
bool moved_add(struct moved *moved, uint64_t start, uint64_t bytes);
/* Removes a block; returns false if none starts there. */
bool moved_remove(struct moved *moved, uint64_t start);

/* Returns the block around an address in [low, high); NULL: none. */
const struct moved_block *moved_find_slow(struct moved *moved, uint64_t address);

static inline const struct moved_block *moved_find(struct moved *moved, uint64_t address)
{
    return address - moved->low < moved->high - moved->low ? moved_find_slow(moved, address) : NULL;
}

/* Returns the new address of an address in a block. *bytes: at most those contiguous there. */
uint64_t moved_map(const struct moved *moved, const struct moved_block *block, uint64_t address,
                   uint32_t *bytes);

struct whatif {
    struct memory memory;
    struct moved moved;
    struct model *model;         /* NULL: nothing is moved, the object's misses are only counted */
    struct model_thread *thread; /* the running thread in the second model */
    struct lines touched;        /* bits: lines of the new layout that were fetched */
    uint64_t touched_left_bytes;
    uint32_t line_shift;
    uint64_t settles_after; /* misses of the second model's last level; 0: it has settled */
    struct whatif_counts counts;
};

/* -1 after host->fail(): no memory, or the layout is invalid. `spec`: of the first model; the
 * second does not compute causes and use. */
int whatif_init(struct whatif *whatif, const struct relayout *relayout,
                const struct model_spec *spec, const struct model_host *host);

/* Starts after the current blocks were added (whatif->moved): copies the contents of the first
 * model's caches, and counts from 0. -1 after host->fail(). */
int whatif_begin(struct whatif *whatif, const struct model *first);

/* Selects the running thread; -1 after host->fail(). */
int whatif_runs(struct whatif *whatif, uint32_t thread);

/* Level `served` of the first model had the access; other arguments as in model_access(). */
void whatif_access(struct whatif *whatif, uint64_t address, uint32_t size_bytes, uint32_t kind,
                   uint32_t ip, uint32_t served);

#endif
