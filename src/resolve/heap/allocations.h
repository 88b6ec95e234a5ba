/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The heap block at an address and its allocation site: the agent's records (feed) and the
 * allocator's headers read from outside (walk), joined in the index of blocks and counted in bins.
 * Owned by the resolver; it neither stops nor writes to the target.
 *
 * A block of the agent is reported on the clock of the samples: allocations_follow() brings the
 * index to the time of a sample before that is looked up, so a block that was freed and given out
 * again does not blame its successor. A walked block is looked at when a sample asks, and is
 * believed for a moment (walked_heap.h).
 */
#ifndef MISSTOP_RESOLVE_HEAP_ALLOCATIONS_H
#define MISSTOP_RESOLVE_HEAP_ALLOCATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "place.h"
#include "resolve/heap/feed.h"
#include "resolve/process/space.h"
#include "resolve/process/threads.h"
#include "resolve/resolver.h"

struct allocations;

/* How a return address of a call path is called; false: not known. As bins_namer in bins.h. */
typedef bool allocations_name(void *context, uint64_t address, const char **function,
                              const char **module, const char **file, uint32_t *line);

/* The variable that a call's result goes to, "type.variable"; -ENOENT: not known, -EAGAIN: not
 * yet. */
typedef int allocations_assigned(void *context, uint64_t return_address, char *out, size_t out_size,
                                 uint32_t *type);

struct allocations_options {
    struct feed *feed; /* NULL: no agent; not owned */
    bool walk;         /* read the heap from outside where there is no agent */
    const char *note;  /* why there is no agent; NULL */
    pid_t pid;
    allocations_name *name;
    allocations_assigned *assigned; /* NULL: not known */
    void *context;
};

/* Origin of the bounds around an address. */
enum allocation_kind {
    ALLOCATION_NONE,
    ALLOCATION_RECORDED, /* a block with a call path as its bin */
    ALLOCATION_WALKED,   /* a block; its bin is a size class */
    ALLOCATION_HEADER,   /* the allocator's data in front of a block */
    ALLOCATION_MAPPING,  /* memory that an allocator may deal out itself; its bin made it */
};

/* A block and its bin; bins have dense ids from 1. */
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

/* Takes the agent's events up to this time. Number of events. */
long allocations_follow(struct allocations *allocations, uint64_t until_ns);

/* Waits up to this time for a count of the walked blocks that is under way. */
void allocations_await(struct allocations *allocations, uint64_t patience_ns);

/* Between refreshes, where no sample waits: names of new bins. Cheap where there are none. */
void allocations_settle(struct allocations *allocations, uint64_t now_ns);

/* Some of what the callbacks did not know yet may be known now. */
void allocations_ask_again(struct allocations *allocations);

/* The process runs another program now: every block is gone. */
void allocations_forget(struct allocations *allocations);

/* The block around an address of the heap, as it was at `time_ns`. */
bool allocations_find(struct allocations *allocations, const struct space *space, uint64_t address,
                      uint64_t time_ns, struct allocation *found);

/* Whether a block of just these bounds, found by the walk, is in use still. */
bool allocations_holds(struct allocations *allocations, const struct space *space, uint64_t now_ns,
                       uint64_t start, uint64_t end);

/* The bin is a size class of walked blocks, and no call path. */
bool allocations_bin_walked(uint32_t bin);

/* Narrows [base, bound) around an address that no block covers to the gap between blocks; false:
 * blocks around it are not known. For the split points of the search. */
bool allocations_gap(const struct allocations *allocations, uint64_t address, uint64_t *base,
                     uint64_t *bound);

/* Once per refresh: rates, names of new bins, and a walk of the whole heap when that is due. */
void allocations_tick(struct allocations *allocations, const struct space *space,
                      const struct tcbs *tcbs, bool alive, uint64_t now_ns);

void allocations_mark(struct allocations *allocations, uint64_t now_ns);
int allocations_rename(struct allocations *allocations, uint32_t bin, const char *name);
int allocations_combine(struct allocations *allocations, const uint32_t *bins, uint32_t count);
/* Takes the last naming or combining back. */
int allocations_undo(struct allocations *allocations);

/* The short name of a bin; changes when it is renamed. Valid until the next tick. */
const char *allocations_bin_name(const struct allocations *allocations, uint32_t bin);
/* "new" for Go's, "malloc" for all others. */
const char *allocations_bin_maker(const struct allocations *allocations, uint32_t bin);

/* Id of the type of the variable that its blocks are assigned to; 0: not known, or not yet. */
uint32_t allocations_bin_type(const struct allocations *allocations, uint32_t bin);

/* The bin that a combined one is shown under; itself where it is not combined. Nothing is counted
 * there: combining can be taken back. */
uint32_t allocations_bin_lead(const struct allocations *allocations, uint32_t bin);

/* Live blocks and bytes of a bin. */
void allocations_bin_live(const struct allocations *allocations, uint32_t bin, uint64_t *blocks,
                          uint64_t *bytes);

/* Every block of a bin, with the bytes that were asked for. -ENOTSUP: it is a size class. */
typedef void allocations_block(void *context, uint64_t start, uint64_t bytes);
int allocations_blocks(const struct allocations *allocations, uint32_t bin,
                       allocations_block *block, void *context);
enum allocation_path allocations_path(const struct allocations *allocations, uint32_t bin,
                                      uint32_t path);

void allocations_summary(const struct allocations *allocations, struct heap_summary *summary);
/* By index from 0; false: no more. `object` is left for the resolver to set. */
bool allocations_bin(struct allocations *allocations, uint32_t index, struct heap_bin *bin);

#endif
