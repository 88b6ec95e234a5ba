/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The agent's records (feed) and the allocator's headers read from outside (walk) are joined in the
 * block index and counted in bins. The target is neither stopped nor written to.
 *
 * The agent's events carry timestamps on the clock of the samples. allocations_follow() advances
 * the index to the time of a sample before the lookup, so that a sample of a freed block is not
 * attributed to the block that reuses its address. A walked block is read when a sample needs it,
 * and the result is cached briefly (walked_heap.h).
 */
#ifndef MISSTOP_RESOLVE_HEAP_ALLOCATIONS_H
#define MISSTOP_RESOLVE_HEAP_ALLOCATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "place.h"
#include "resolve/heap/bins.h"
#include "resolve/heap/feed.h"
#include "resolve/process/space.h"
#include "resolve/process/threads.h"
#include "resolve/resolver.h"

struct allocations;

struct allocations_options {
    struct feed *feed; /* NULL: no agent; not owned */
    bool walk;         /* read the heap from outside if there is no agent */
    const char *note;  /* why there is no agent; may be NULL */
    pid_t pid;
    bins_namer *name;
    bins_assigned *assigned; /* NULL: not known */
    void *context;
};

enum allocation_kind {
    ALLOCATION_NONE,
    ALLOCATION_RECORDED, /* a block with a call path as its bin */
    ALLOCATION_WALKED,   /* a block; its bin is a size class */
    ALLOCATION_HEADER,   /* the allocator's data in front of a block */
    ALLOCATION_MAPPING,  /* memory that an allocator may subdivide, with the bin that mapped it */
};

/* A block and its bin. Bins have dense ids from 1. */
struct allocation {
    uint64_t start;
    uint64_t end;
    uint32_t bin;
    enum allocation_kind kind;
    bool in_use; /* ALLOCATION_WALKED: the block is not free */
};

int allocations_new(struct allocations **allocations, const struct allocations_options *options,
                    struct error *error);
void allocations_free(struct allocations *allocations);

/* Applies the agent's events up to this time. Returns the number of events. */
long allocations_follow(struct allocations *allocations, uint64_t until_ns);

/* Waits at most this long for a running count of the walked blocks. */
void allocations_await(struct allocations *allocations, uint64_t patience_ns);

/* Names new bins. Called between refreshes while no sample waits; cheap if no bin is new. */
void allocations_settle(struct allocations *allocations, uint64_t now_ns);

/* Notes that callbacks without an answer so far may have one now. */
void allocations_retry_names(struct allocations *allocations);

/* Drops every block: the process has executed another program. */
void allocations_forget(struct allocations *allocations);

/* Finds the heap block around an address as it was at `time_ns`. */
bool allocations_find(struct allocations *allocations, const struct space *space, uint64_t address,
                      uint64_t time_ns, struct allocation *found);

/* Returns true if a block with exactly these bounds, found by the walk, is still in use. */
bool allocations_holds(struct allocations *allocations, const struct space *space, uint64_t now_ns,
                       uint64_t start, uint64_t end);

/* Returns true if the bin is a size class of walked blocks, not a call path. */
bool allocations_bin_walked(uint32_t bin);

/* Narrows [base, bound) around an address that no block covers to the gap between blocks. Returns
 * false if the blocks around it are not known. Used for the split points of the search. */
bool allocations_gap(const struct allocations *allocations, uint64_t address, uint64_t *base,
                     uint64_t *bound);

/* Updates rates, names new bins, and walks the heap if that is due. Called once per refresh. */
void allocations_tick(struct allocations *allocations, const struct space *space,
                      const struct tcbs *tcbs, bool alive, uint64_t now_ns);

void allocations_mark(struct allocations *allocations, uint64_t now_ns);
int allocations_rename(struct allocations *allocations, uint32_t bin, const char *name);
int allocations_combine(struct allocations *allocations, const uint32_t *bins, uint32_t count);
/* Undoes the last rename or combination. */
int allocations_undo(struct allocations *allocations);

/* Returns the short name of a bin, which a rename changes. Valid until the next tick. */
const char *allocations_bin_name(const struct allocations *allocations, uint32_t bin);
/* Returns "new" for Go's blocks, "malloc" for all others. */
const char *allocations_bin_maker(const struct allocations *allocations, uint32_t bin);

/* Returns the type id of the variable that the bin's blocks are assigned to; 0: not known. */
uint32_t allocations_bin_type(const struct allocations *allocations, uint32_t bin);

/* Returns the bin under which a combined bin is shown, or the bin itself if it is not combined.
 * Nothing is counted there, so that combining can be undone. */
uint32_t allocations_bin_lead(const struct allocations *allocations, uint32_t bin);

/* Returns the live blocks and bytes of a bin. */
void allocations_bin_live(const struct allocations *allocations, uint32_t bin, uint64_t *blocks,
                          uint64_t *bytes);

/* Calls back for every block of a bin with its requested bytes. -ENOTSUP: a size class. */
typedef void allocations_block(void *context, uint64_t start, uint64_t bytes);
int allocations_blocks(const struct allocations *allocations, uint32_t bin,
                       allocations_block *block, void *context);
enum allocation_path allocations_path(const struct allocations *allocations, uint32_t bin,
                                      uint32_t path);

void allocations_summary(const struct allocations *allocations, struct heap_summary *summary);
/* Describes the bin at an index from 0; returns false past the end. The resolver sets `object`. */
bool allocations_bin(struct allocations *allocations, uint32_t index, struct heap_bin *bin);

#endif
