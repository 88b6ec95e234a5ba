/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One cache: its lines and its replacement. It is independent of the other levels. Private to
 * src/sim. Lines are identified by number (address / bytes of a line). */
#ifndef MISSTOP_SIM_MODEL_CACHE_H
#define MISSTOP_SIM_MODEL_CACHE_H

#include "sim/model/tables.h"

/*
 * A fully associative LRU cache of line numbers (the shadow), parallel to a real one of the same
 * size: a miss in the real cache that hits here is a conflict miss (Hill and Smith 1989). For a
 * line in both caches, the real one stores the time of the last use, so that a hit there has no
 * cost here; the order is only updated when a line has to be evicted. Private to src/sim.
 *
 * The nodes of lines are in a queue, sorted by the times they had when it was sorted, oldest first.
 * A line used since then moves to the unsorted nodes behind. Once the queue is empty, the nodes
 * behind are sorted and become the queue. Each of them was used or added since the last sort, so
 * the cost of a sort is amortised over as many uses.
 */
struct shadow_node {
    uint64_t tag;   /* line number + 1; 0: never used */
    uint64_t stamp; /* time of the last use, unique; stale while the real cache has the line */
    uint32_t next;  /* next node in its bucket */
    uint32_t index; /* index in the real cache, if it has the tag */
};

struct shadow_waiting {
    uint64_t stamp; /* stamp at the time of the sort; invalid for nodes behind */
    uint32_t node;
};

struct shadow_real {
    const uint64_t *tags;
    const uint64_t *stamps;
    uint32_t *nodes; /* by index: node; 0: not in the shadow */
    uint8_t *flags;
};

/* Flags of a line in a real cache. A hit reads one nearby byte and writes the line's time, which
 * nothing waits for. */
enum {
    CACHE_TRACKED = 1,  /* its use is counted */
    CACHE_FORGOTTEN = 2 /* evicted by the shadow */
};

struct shadow {
    struct shadow_real real;
    struct shadow_node *nodes; /* [0] terminates lists */
    uint32_t *buckets;
    /* Nodes behind: [0] .. [behind - 1]; queue: [head] .. [end - 1]. */
    struct shadow_waiting *waiting;
    struct shadow_waiting *spare; /* of the same length, for sorting */
    /* Real index of a line that the last touch evicted only from the shadow. */
    uint32_t evicted_index;
    uint32_t head;
    uint32_t end;
    uint32_t behind;
    uint32_t capacity;
    uint32_t count;
    uint32_t bucket_shift;
};

enum { SHADOW_NONE = UINT32_MAX };

/* Returns 0, or -1 if out of memory. `lines` must not be 0. */
int shadow_init(struct shadow *shadow, struct shadow_real real, uint32_t lines,
                struct memory *memory);

/* Records a use at `stamp`, which only increases, of a line that the real cache does not have or
 * the shadow has evicted. Returns true if the line was in the shadow. *node: its node. */
bool shadow_touch(struct shadow *shadow, uint64_t number, uint64_t stamp, uint32_t *node);

/* Records that the line of a node, not 0, is in the real cache. */
static inline void shadow_join(struct shadow *shadow, uint32_t node, uint32_t index)
{
    shadow->nodes[node].index = index;
    shadow->real.nodes[index] = node;
    shadow->real.flags[index] &= (uint8_t)~CACHE_FORGOTTEN;
}

static inline void shadow_part(struct shadow *shadow, uint32_t index)
{
    shadow->nodes[shadow->real.nodes[index]].stamp = shadow->real.stamps[index];
    shadow->real.nodes[index] = 0;
}

enum { CACHE_NONE = UINT32_MAX };

/* State of a line that the fast path does not read. Small, because each miss writes two of them. */
struct cache_slot {
    uint32_t below;  /* hint: index in the next level */
    uint32_t weight; /* number of lines it represents when reported on eviction; 0: not reported */
    uint16_t offset; /* offset in the line of the access that fetched it */
    uint8_t excluded_kinds;   /* as in struct model_fast */
    bool is_sampled;          /* its reuse distances or its users are sampled */
    bool is_in_other_threads; /* other threads have it too */
    bool instruction; /* fetched by the instruction side, so its use as data is not meaningful */
};

struct cache_evictor {
    uint64_t address;
    uint32_t ip;
    uint16_t by_thread; /* thread of the access (model_thread.running_thread) */
    uint8_t thread;     /* thread of the cache that lost the line */
    uint8_t reason;     /* enum model_reason + 1; 0: not known */
};

struct cache {
    uint64_t *tags;   /* line number + 1; 0: empty */
    uint64_t *stamps; /* time of the last use, by the model's clock */
    uint32_t *ips;    /* instruction that fetched the line */
    uint8_t *flags;   /* CACHE_TRACKED, CACHE_FORGOTTEN */
    struct cache_slot *slots;
    /* Use of tracked lines; zero for others. */
    union model_line *lines;
    struct model_use *reported; /* use as last reported to the level below */
    /* In a second level: the evictors of its lines from the first level; NULL: in model.evicted.
     * Faster, and most lines are still in this level when they miss again. */
    struct cache_evictor *evicted_above;
    uint64_t lines_brought_in;
    uint64_t *fetched;       /* for instructions: see struct model_thread; otherwise NULL */
    uint32_t *nodes;         /* by index: node in the shadow, unless CACHE_FORGOTTEN */
    struct shadow *shadow;   /* NULL: not requested */
    struct model_fast *fast; /* for a first level of data; otherwise NULL */
    uint64_t fast_mask;      /* number of slots - 1 */
    const uint64_t *now;     /* the model's clock; each reported use has a distinct time */
    uint64_t sets;
    uint64_t set_mask; /* sets - 1; invalid unless `masked` */
    uint32_t ways;
    uint32_t line_shift;
    uint32_t line_bytes;
    uint32_t grain_shift;
    uint32_t level;
    uint32_t thread; /* owner of the cache; 0 for shared ones */
    uint32_t id;     /* unique among all caches of the model */
    bool masked;     /* the number of sets is a power of two */
    bool shared;
    bool instruction; /* the instruction cache of the first level */
};

/* Returns 0, or -1 if out of memory. */
int cache_init(struct cache *cache, const struct model_level_spec *spec, struct memory *memory);

/* Returns the index of a line; CACHE_NONE: absent. */
uint32_t cache_find(const struct cache *cache, uint64_t number);

static inline void cache_touch(struct cache *cache, uint32_t index)
{
    cache->stamps[index] = *cache->now;
}

/* Returns the index for a new line: the first empty way, otherwise the least recently used one. */
uint32_t cache_victim(const struct cache *cache, uint64_t number);

/* Puts an absent line at the victim's index and touches it. */
void cache_put(struct cache *cache, uint32_t index, uint64_t number);

/* Empties a slot, which is then used first. */
static inline void cache_clear(struct cache *cache, uint32_t index)
{
    cache->tags[index] = cache->stamps[index] = 0;
}

static inline uint64_t cache_set(const struct cache *cache, uint64_t number)
{
    return cache->masked ? number & cache->set_mask : number % cache->sets;
}

/* Prefetches the entries that a search for the line reads. */
static inline void cache_prefetch(const struct cache *cache, uint64_t number)
{
    uint64_t first = cache_set(cache, number) * cache->ways;
    __builtin_prefetch(&cache->tags[first]);
    __builtin_prefetch(&cache->tags[first + cache->ways - 1]);
    __builtin_prefetch(&cache->stamps[first], 1);
    __builtin_prefetch(&cache->stamps[first + cache->ways - 1], 1);
}

static inline bool cache_tracks(const struct cache *cache, uint32_t index)
{
    return cache->flags[index] & CACHE_TRACKED;
}

/* Starts counting the use of a line. */
static inline void cache_track(struct cache *cache, uint32_t index)
{
    cache->flags[index] |= CACHE_TRACKED;
}

/* Returns true if the shadow needs the line's next use. */
static inline bool cache_forgot(const struct cache *cache, uint32_t index)
{
    return cache->flags[index] & CACHE_FORGOTTEN;
}

static inline bool cache_is_at(const struct cache *cache, uint32_t index, uint64_t number)
{
    return cache->tags[index] == number + 1;
}

/* Like cache_find(), with `hint`, its likely index. */
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

/* Lines that the fast path finds. A hit there only stores its time, which is sufficient for LRU and
 * the shadow. Only lines with hits that need no report; others cost an additional call. */
enum { FAST_MAX = 1 << 16 };

/* Returns 0, or -1 if out of memory. */
int fast_init(struct cache *cache, struct memory *memory);

/* Removes the line at `index` from the table, if it is there. */
void fast_forget(struct cache *cache, uint32_t index);

/* Does nothing if the shadow needs the line's next use. */
void fast_admit(struct cache *cache, uint32_t index);

#endif
