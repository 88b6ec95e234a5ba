/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The heap of a process that ran before misstop attached: the blocks that the walk finds, in bins
 * by size, because their call paths are not known. A block is read when a sample falls on it. The
 * result is cached briefly (WALKED_FRESH_NS), because blocks are allocated and freed unseen.
 *
 * A thread with a walk of its own periodically counts all blocks, at a cost of at most WALKED_COST
 * of one CPU (WALKED_COST_ASKED after the first count, and if lookups failed because too few
 * boundaries are known). That walk then knows the boundaries of all blocks and replaces the one
 * used for lookups.
 */
#ifndef MISSTOP_RESOLVE_HEAP_WALKED_HEAP_H
#define MISSTOP_RESOLVE_HEAP_WALKED_HEAP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/hash.h"
#include "place.h"
#include "resolve/heap/bins.h"
#include "resolve/heap/blocks.h"
#include "resolve/heap/walk.h"
#include "resolve/process/space.h"
#include "resolve/process/threads.h"

#define WALKED_FRESH_NS   UINT64_C(2000000)
#define WALKED_COST       0.002
#define WALKED_COST_ASKED 0.02

enum { WALKED_FOREIGN = 1024, WALKED_CLASSES_MAX = 512, WALKED_NAME_BYTES = 32 };

/* Memory that malloc holds but that is not allocated (free blocks, the heap's top), and malloc's
 * own data (headers in front of blocks, jemalloc's tree and extents). Neither counts as live. */
enum { WALKED_FREE, WALKED_HEADERS, WALKED_GO, WALKED_SIZES };

struct lane;

struct walked_class {
    char name[WALKED_NAME_BYTES];
    uint64_t size_class;
    struct bin_stats stats; /* bytes of live blocks */
};

struct walked_classes {
    struct walked_class list[WALKED_CLASSES_MAX];
    uint32_t count;
    struct hash index; /* size class -> index in the list */
    uint64_t live_blocks;
    uint64_t usable_bytes;
};

/* A region of memory that was found not to be malloc's; see walked_find(). */
struct walked_foreign {
    uint64_t region;
    uint64_t start; /* of its mapping at the time; a later mapping there may be malloc's */
    uint64_t end;
    uint64_t until_ns;
};

struct walked {
    pid_t pid;
    struct walk *walk;
    struct blocks *cache; /* born_ns: time of the read */
    struct walked_classes classes;
    struct walked_foreign foreign[WALKED_FOREIGN];
    uint64_t maps_version; /* version of the maps that the walk has */
    uint64_t maps_read_ns; /* time when the walk got them */
    uint64_t counted_ns;   /* last full count; 0: none yet */
    uint64_t next_ns;
    uint64_t last_count_cpu_ns; /* CPU time of the last count */
    bool marked;
    struct lane *counter;
    struct walked_count *count; /* owned by the counter while a count is running */
    bool is_counting;           /* a count is running */
    bool outdated;              /* the running count is of a program that is gone */
    atomic_bool stop_counting;  /* the running count must end */
};

int walked_init(struct walked *walked, pid_t pid);
void walked_fini(struct walked *walked);

/* Drops all state: the process has executed another program. */
void walked_forget(struct walked *walked);

/* Finds the block around an address, with its class in block->bin; returns false if not known. */
bool walked_find(struct walked *walked, const struct space *space, uint64_t address,
                 uint64_t now_ns, struct block *block);

void walked_tick(struct walked *walked, const struct space *space, const struct tcbs *tcbs,
                 uint64_t now_ns);

/* Waits at most this long for a running count, and takes its result. */
void walked_settle(struct walked *walked, uint64_t patience_ns);

/* Sets the mark: growth is counted from the last full count. */
void walked_mark(struct walked *walked);

#endif
