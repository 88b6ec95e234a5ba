/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One cache: its lines, and which one has to go. It knows nothing of the other levels. Used inside
 * src/sim only. Lines are named by number (address / bytes of a line).
 */
#ifndef MISSTOP_SIM_CACHE_H
#define MISSTOP_SIM_CACHE_H

#include "sim/memory.h"
#include "sim/shadow.h"

enum { CACHE_NONE = UINT32_MAX };

/* What the fast path need not see of a line. What is asked together stands apart: bytes written one
 * by one and then read as a word wait for memory. */
struct cache_slot {
    struct model_use told; /* its use up to when it was last told to the level below */
    uint32_t below;        /* index in the next level, a hint */
    uint16_t offset;       /* in it, of the access that fetched it; 0: it was fetched ahead */
    bool prefetched;       /* and not asked for yet */
    bool was_fetched_ahead;
    uint32_t bin;
    bool watched;     /* its reuse or its users are sampled */
    bool others;      /* other threads have it too */
    bool instruction; /* fetched by the instruction side: its use as data says nothing */
};

struct cache {
    uint64_t *tags;   /* line number + 1; 0: empty */
    uint64_t *stamps; /* when last used, by the model's clock: LRU, or there is a shadow */
    uint64_t *trees;  /* tree-PLRU: by set, node i (root 1): 1 if the right side goes next */
    uint32_t *recent; /* likewise: index of the way used last, by set */
    struct model_line *lines;
    struct cache_slot *slots;
    uint64_t *fetched;       /* of instructions: struct model_thread; else NULL */
    uint32_t *nodes;         /* by index: place in the shadow; 0: it has forgotten the line */
    struct shadow *shadow;   /* NULL: not asked for */
    struct model_fast *fast; /* of a first level of data; else NULL */
    uint64_t fast_mask;      /* places of it - 1 */
    struct model_unread *unread;
    const uint64_t *now; /* the model's clock; each use that is told has a time of its own */
    uint64_t sets;
    uint64_t set_mask; /* sets - 1; not valid unless `masked` */
    uint64_t random;
    uint32_t ways;
    uint32_t line_shift;
    uint32_t line_bytes;
    uint32_t grain_shift;
    uint32_t level;
    uint32_t thread; /* whose; 0 for shared ones */
    uint32_t id;     /* among all caches of the model */
    uint8_t policy;
    bool masked; /* sets are a power of two */
    bool shared;
    bool inclusive;
    bool instruction; /* beside the first level */
};

/* `timed`: when lines were used is asked for whatever the policy. -1: no memory. */
int cache_init(struct cache *cache, const struct model_level_spec *spec, uint64_t seed, bool timed,
               struct memory *memory);

/* Index of a line; CACHE_NONE: it is not there. */
uint32_t cache_find(const struct cache *cache, uint64_t number);

/* The line was used, now. */
void cache_touch(struct cache *cache, uint32_t index);

/* Where a line is to go: an empty way, the first there is, else by policy. */
uint32_t cache_victim(struct cache *cache, uint64_t number);

/* Puts a line, which is not there, into the place of the victim, and touches it. */
void cache_put(struct cache *cache, uint32_t index, uint64_t number);

static inline uint64_t cache_set(const struct cache *cache, uint64_t number)
{
    return cache->masked ? number & cache->set_mask : number % cache->sets;
}

/* Asks for what a search for the line will read: it is on its way while other things are done. */
static inline void cache_prefetch(const struct cache *cache, uint64_t number)
{
    uint64_t first = cache_set(cache, number) * cache->ways;
    __builtin_prefetch(&cache->tags[first]);
    __builtin_prefetch(&cache->tags[first + cache->ways - 1]);
    if (cache->stamps) {
        __builtin_prefetch(&cache->stamps[first], 1);
        __builtin_prefetch(&cache->stamps[first + cache->ways - 1], 1);
    }
    if (cache->nodes)
        __builtin_prefetch(&cache->nodes[first]);
}

static inline bool cache_is_at(const struct cache *cache, uint32_t index, uint64_t number)
{
    return cache->tags[index] == number + 1;
}

/* As cache_find(), where it is likely to stand at `hint`, an index. */
static inline uint32_t cache_find_near(const struct cache *cache, uint64_t number, uint32_t hint)
{
    return cache_is_at(cache, hint, number) ? hint : cache_find(cache, number);
}

static inline uint64_t cache_number(const struct cache *cache, uint32_t index)
{
    return cache->tags[index] - 1;
}

static inline uint32_t cache_lines(const struct cache *cache)
{
    return (uint32_t)cache->sets * cache->ways;
}

#endif
