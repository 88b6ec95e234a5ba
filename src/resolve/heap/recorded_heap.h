/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The heap of a program that misstop started: the agent's records of allocations as an index of
 * live blocks, and bins by call path. Mappings that the program makes itself (for an allocator of
 * its own, for example) are recorded too; they are used for addresses without a known block.
 */
#ifndef MISSTOP_RESOLVE_HEAP_RECORDED_HEAP_H
#define MISSTOP_RESOLVE_HEAP_RECORDED_HEAP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/hash.h"
#include "place.h"
#include "resolve/heap/bin_rules.h"
#include "resolve/heap/bins.h"
#include "resolve/heap/blocks.h"
#include "resolve/heap/feed.h"
#include "resolve/resolver.h"

enum { RECORDED_DEPTH_SHOWN = 64, RECORDED_EVENTS = 128, RECORDED_PAIR_BITS = 9 };

/* A return address as text. */
struct recorded_site {
    const char *words; /* "function (file:line)" */
    bool unsure;       /* file and line may still become known */
};

struct recorded_heap {
    struct feed *feed;       /* not owned */
    struct blocks *blocks;   /* of malloc and related functions */
    struct blocks *mappings; /* of mmap */
    struct bins *bins;
    struct bin_rules rules;
    struct wrappers wrappers;
    uint32_t *bin_of_path; /* [path_room], by path * 2, + 1 for mappings; 0: none yet */
    size_t path_room;
    uint32_t *leads; /* bins that represented their groups at the last tick */
    uint32_t lead_count;
    size_t lead_room;
    struct hash site_of; /* return address -> index into sites */
    struct recorded_site *sites;
    uint32_t site_count;
    size_t site_room;
    struct arena strings;
    const char *shown[RECORDED_DEPTH_SHOWN]; /* the call path returned last */
    bins_namer *namer;
    bins_assigned *assigned; /* NULL: not available */
    void *context;
    bool *deals; /* [deals_room], by bin: maps memory for blocks; see recorded_heap_stats() */
    size_t deals_room;
    uint64_t now_ns;    /* of the newest event */
    uint64_t unseen;    /* events lost and blocks displaced, at the last check */
    uint64_t unseen_ns; /* time of the last event when `unseen` grew */
    unsigned event_count;
    struct feed_event events[RECORDED_EVENTS]; /* read but not yet in the index */
};

/* Initialises the heap. -ENOMEM. An unreadable file of rules is not an error. */
int recorded_heap_init(struct recorded_heap *recorded, struct feed *feed, bins_namer *namer,
                       bins_assigned *assigned, void *context);
void recorded_heap_fini(struct recorded_heap *recorded);

/* Updates blocks and bins to a time. Returns the number of events. */
long recorded_heap_follow(struct recorded_heap *recorded, uint64_t until_ns);

/* Drops every block: the process has executed another program. */
void recorded_heap_forget(struct recorded_heap *recorded);

/* Finds the block around an address, otherwise the mapping. Returns false if there is neither. */
bool recorded_heap_find(const struct recorded_heap *recorded, uint64_t address, struct block *block,
                        bool *mapping);

/* Narrows [base, bound) to the gap between blocks or mappings. Returns false if there is none. */
bool recorded_heap_gap(const struct recorded_heap *recorded, uint64_t address, uint64_t *base,
                       uint64_t *bound);

/* Same as in allocations.h. */
void recorded_heap_blocks(const struct recorded_heap *recorded, uint32_t bin,
                          void (*block)(void *context, uint64_t start, uint64_t bytes),
                          void *context);
enum allocation_path recorded_heap_path(const struct recorded_heap *recorded, uint32_t bin,
                                        uint32_t path);

/* Returns the bin that represents a bin's group. */
uint32_t recorded_heap_lead(const struct recorded_heap *recorded, uint32_t bin);

/* Names the bins without a name. Called periodically between refreshes: code that is gone (an
 * unloaded library, an ended program) can no longer be named. */
void recorded_heap_name_bins(struct recorded_heap *recorded);

void recorded_heap_tick(struct recorded_heap *recorded, uint64_t now_ns);

/* Returns 0; -ENOENT: no such bin, or nothing combined; otherwise an error of bin_rules.h. The
 * change is saved in the file. */
int recorded_heap_rename(struct recorded_heap *recorded, uint32_t bin, const char *name);
int recorded_heap_combine(struct recorded_heap *recorded, const uint32_t *bins, uint32_t count);
int recorded_heap_undo(struct recorded_heap *recorded);

/* Sums over a bin's group. A mapping that an allocator cuts into blocks is counted by its blocks,
 * not a second time by the mapping. */
bool recorded_heap_stats(const struct recorded_heap *recorded, uint32_t lead,
                         struct bin_stats *stats);

/* Describes the bin at an index from 0; returns false if there are no more. */
bool recorded_heap_bin(struct recorded_heap *recorded, uint32_t index, struct heap_bin *bin);

#endif
