/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The heap of a program that misstop started: what the agent tells of each allocation, as an
 * index of live blocks and bins by call path. Mappings that the program makes itself (for an
 * allocator of its own, say) are told too; they are looked up where no block is known. For
 * allocations.c.
 */
#ifndef MISSTOP_RESOLVE_HEAP_RECORDED_HEAP_H
#define MISSTOP_RESOLVE_HEAP_RECORDED_HEAP_H

#include <limits.h>
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

enum { TOLD_DEPTH_SHOWN = 64 };

/* Innermost "return address" of a path that made a mapping. */
#define TOLD_MAPPING UINT64_C(2)

/* A return address in words. */
struct told_site {
    const char *words; /* "function (file:line)" */
    bool unsure;       /* file and line may still come */
};

struct told {
    struct feed *feed;       /* not owned */
    struct blocks *blocks;   /* of malloc and its kin */
    struct blocks *mappings; /* of mmap */
    struct bins *bins;
    struct bin_rules rules;
    struct wrappers wrappers;
    uint32_t *bin_of_path; /* [path_room] by the feed's path * 2, + 1 for mappings; 0: not yet */
    size_t path_room;
    uint32_t *leads; /* bins that stand for their group, as of the last tick */
    uint32_t lead_count;
    uint32_t lead_room;
    struct hash site_of; /* return address -> index into sites */
    struct told_site *sites;
    uint32_t site_count;
    uint32_t site_room;
    struct arena strings;
    const char *shown[TOLD_DEPTH_SHOWN]; /* the call path handed out last */
    char rules_path[PATH_MAX];           /* "": nowhere to keep them */
    bins_namer *namer;
    bins_assigned *assigned; /* NULL: not asked */
    void *context;
    bool *deals; /* [deals_room], by bin: told_stats() */
    size_t deals_room;
    uint64_t now_ns; /* of the newest event */
};

/* -ENOMEM. A file of rules that cannot be read is no error: said in *note, if at all. */
int told_init(struct told *told, struct feed *feed, bins_namer *namer, bins_assigned *assigned,
              void *context);
void told_fini(struct told *told);

/* Brings blocks and bins up to a time. Number of events. */
long told_follow(struct told *told, uint64_t until_ns);

/* Another program runs in the process: every block is gone. */
void told_forget(struct told *told);

/* The block around an address, else the mapping; false: neither. */
bool told_find(const struct told *told, uint64_t address, struct block *block, bool *mapping);

/* Narrows [base, bound) to the gap between blocks or mappings; false: there is none in it. */
bool told_gap(const struct told *told, uint64_t address, uint64_t *base, uint64_t *bound);

/* As in allocations.h. */
void told_blocks(const struct told *told, uint32_t bin,
                 void (*block)(void *context, uint64_t start, uint64_t bytes), void *context);
enum allocation_path told_path(const struct told *told, uint32_t bin, uint32_t path);

/* The bin that stands for a bin's group. */
uint32_t told_lead(const struct told *told, uint32_t bin);

/* Names for bins that have none. Now and then between refreshes: code that is gone (a library
 * unloaded, the program ended) cannot be named any more. */
void told_name_bins(struct told *told);

void told_tick(struct told *told, uint64_t now_ns);

/* 0; -ENOENT: no such bin, or nothing combined; else as bin_rules.h says. Kept in the file. */
int told_rename(struct told *told, uint32_t bin, const char *name);
int told_combine(struct told *told, const uint32_t *bins, uint32_t count);
int told_undo(struct told *told);

/* NULL: not named yet. */
const char *told_name(const struct told *told, uint32_t bin);

/* Sums of a bin's group. What an allocator mapped and deals out is counted by its blocks, and not
 * once more by the mapping. */
bool told_stats(const struct told *told, uint32_t lead, struct bin_stats *stats);

/* By index from 0; false: no more. */
bool told_bin(struct told *told, uint32_t index, struct heap_bin *bin);

#endif
