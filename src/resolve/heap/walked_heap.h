/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The heap of a process that ran before misstop attached: its blocks as the walk finds them, in
 * bins by size, because their call paths are gone. A block is looked at when a sample falls on it;
 * the result is believed for a moment (WALKED_FRESH_NS), because blocks come and go unseen. A
 * thread counts all blocks now and then, with a walk of its own, at a cost of at most WALKED_COST
 * of one CPU (WALKED_COST_ASKED after the first count, and where lookups failed because too few
 * boundaries are known); that walk, which knows the boundaries of all blocks, then is the one that
 * answers.
 */
#ifndef MISSTOP_RESOLVE_HEAP_WALKED_HEAP_H
#define MISSTOP_RESOLVE_HEAP_WALKED_HEAP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/hash.h"
#include "place.h"
#include "resolve/heap/blocks.h"
#include "resolve/heap/walk.h"
#include "resolve/process/space.h"
#include "resolve/process/threads.h"

#define WALKED_FRESH_NS   UINT64_C(2000000)
#define WALKED_COST       0.002
#define WALKED_COST_ASKED 0.02

enum { WALKED_FOREIGN = 1024, WALKED_CLASSES_MAX = 512, WALKED_NAME_BYTES = 32 };

/* Memory that malloc holds and that is not requested (free blocks, the heap's top), and malloc's
 * headers in front of each block, jemalloc's tree and extents. Neither is counted as live. */
enum { WALKED_FREE, WALKED_HEADERS, WALKED_GO, WALKED_SIZES };

struct lane;

struct walked_class {
    char name[WALKED_NAME_BYTES];
    uint64_t size_class;
    uint64_t live_blocks;
    uint64_t usable_bytes;
    uint64_t marked_blocks; /* live at the mark */
    uint64_t marked_bytes;
    uint64_t sizes[HEAP_SIZES];
};

struct walked_classes {
    struct walked_class list[WALKED_CLASSES_MAX];
    uint32_t count;
    struct hash index; /* size class -> place in the list */
    uint64_t live_blocks;
    uint64_t usable_bytes;
};

/* A region of memory that was found to be none of malloc's; see walked_find(). */
struct walked_foreign {
    uint64_t region;
    uint64_t start; /* of the mapping that was found there: another one may be malloc's */
    uint64_t end;
    uint64_t until_ns;
};

struct walked {
    pid_t pid;
    struct walk *walk;
    struct blocks *cache; /* born_ns: when it was looked at */
    struct walked_classes classes;
    struct walked_foreign foreign[WALKED_FOREIGN];
    uint64_t seen_maps;  /* state of the maps that the walk knows */
    uint64_t looked_ns;  /* when it was shown them */
    uint64_t counted_ns; /* last count of all; 0: none yet */
    uint64_t next_ns;
    uint64_t took_ns; /* by the last count */
    bool marked;
    struct lane *counter;
    struct walked_count *count; /* the counter's, while one is under way */
    bool counts;                /* one is under way */
    bool outdated;              /* it is of a program that is gone */
    atomic_bool ends;           /* it is to end */
};

int walked_init(struct walked *walked, pid_t pid);
void walked_fini(struct walked *walked);

/* Another program runs: nothing known holds. */
void walked_forget(struct walked *walked);

/* The block around an address, its class in block->bin; false: not known. */
bool walked_find(struct walked *walked, const struct space *space, uint64_t address,
                 uint64_t now_ns, struct block *block);

void walked_tick(struct walked *walked, const struct space *space, const struct tcbs *tcbs,
                 uint64_t now_ns);

/* Waits up to this time for a count under way, and takes it. */
void walked_settle(struct walked *walked, uint64_t patience_ns);

/* Growth counts from the last count of all blocks. */
void walked_mark(struct walked *walked);

#endif
