/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The caches of free blocks that each thread has (tcache_perthread_struct), found as blocks of
 * their size that hold what a cache holds. Private to the walk.
 */
#ifndef MISSTOP_RESOLVE_WALK_CACHE_H
#define MISSTOP_RESOLVE_WALK_CACHE_H

#include "resolve/walk_state.h"

enum { WALK_CACHE_BINS_MAX = 76 };

struct walk_cache {
    size_t bin_count;
    uint16_t counts[WALK_CACHE_BINS_MAX]; /* of entries; since 2.42 of room left */
    uint64_t entries[WALK_CACHE_BINS_MAX];
};

/* Whether a thread's cache could be in a chunk of that size. */
bool walk_cache_size(uint64_t chunk_bytes);

/* Reads what may be a cache. False: it is none, or no more. */
bool walk_cache_read(struct walk *walk, uint64_t start, struct walk_cache *cache);

/* Size of the chunks in a bin; 0: several. */
uint64_t walk_cache_bin_bytes(size_t bin);

/*
 * Whether a block is a thread's cache; it is remembered. One without entries looks like any
 * zeroed block of that size and counts only where `sure` says what it is.
 */
bool walk_cache_consider(struct walk *walk, uint64_t start, bool sure);

/* Looks for caches: the first chunk of each heap, and what each thread's static storage points
 * at. Learns the key that cached blocks hold. */
void walk_cache_search(struct walk *walk);

#endif
