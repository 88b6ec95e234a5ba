/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One cache: its lines, and which one has to go. It knows nothing of the other levels. Used inside
 * src/sim only. Lines are named by number (address / bytes of a line).
 */
#ifndef MISSTOP_SIM_MODEL_CACHE_H
#define MISSTOP_SIM_MODEL_CACHE_H

#include "sim/model/tables.h"

/*
 * A fully associative LRU cache of line numbers, beside a real one of the same size: a hit there
 * that misses here is a conflict miss (Hill and Smith 1989). Of a line that is in both the real one
 * keeps the time of its last use, so that a hit there costs nothing here; the order is only updated
 * when a line has to be evicted. Used inside src/sim only.
 *
 * Lines wait in a row, the oldest first by the times they had when it was sorted. A line that has
 * been used since goes behind; when the row is used up, those behind are sorted and become the row.
 * Each line in it was then used or came in since the last time, so a sort is paid by as many uses.
 */
struct shadow_node {
    uint64_t tag;   /* line number + 1; 0: never used */
    uint64_t stamp; /* when it was last used, no two are the same; not while the real one knows */
    uint32_t next;  /* in its bucket */
    uint32_t index; /* in the real one, if its tag is there */
};

struct shadow_waiting {
    uint64_t stamp; /* when it was sorted; of those behind: not valid */
    uint32_t node;
};

/* State of the real cache's lines, by index. */
struct shadow_real {
    const uint64_t *tags;
    const uint64_t *stamps;
    uint32_t *nodes; /* 0: the shadow has not the line */
    uint8_t *flags;
};

/* Of a line in a real cache. A hit reads one byte that is near, and writes its time, which nothing
 * waits for. */
enum { CACHE_TRACKED = 1 /* its use is counted */, CACHE_FORGOTTEN = 2 /* by the shadow */ };

struct shadow {
    struct shadow_real real;
    struct shadow_node *nodes; /* [0] ends lists */
    uint32_t *buckets;
    struct shadow_waiting *waiting; /* [0] .. [behind - 1] behind, [head] .. [end - 1] the row */
    struct shadow_waiting *spare;   /* as long, for sorting */
    uint32_t evicted_index;         /* of a line that the last touch evicted here alone */
    uint32_t head;
    uint32_t end;
    uint32_t behind;
    uint32_t capacity;
    uint32_t count;
    uint32_t bucket_shift;
};

enum { SHADOW_NONE = UINT32_MAX };

/* -1: no memory. `lines` is not 0. */
int shadow_init(struct shadow *shadow, struct shadow_real real, uint32_t lines,
                struct memory *memory);

/*
 * Whether a line was there that the real one has not, or the shadow had forgotten; it is used at
 * `stamp`, which only grows. *node: where it is then.
 */
bool shadow_touch(struct shadow *shadow, uint64_t number, uint64_t stamp, uint32_t *node);

/* The line of a node, not 0, is in the real cache from now on. */
static inline void shadow_join(struct shadow *shadow, uint32_t node, uint32_t index)
{
    shadow->nodes[node].index = index;
    shadow->real.nodes[index] = node;
    shadow->real.flags[index] &= (uint8_t)~CACHE_FORGOTTEN;
}

/* It is about to leave the real cache. */
static inline void shadow_part(struct shadow *shadow, uint32_t index)
{
    shadow->nodes[shadow->real.nodes[index]].stamp = shadow->real.stamps[index];
    shadow->real.nodes[index] = 0;
}

enum { CACHE_NONE = UINT32_MAX };

/* State of a line that the fast path does not read: small, for each miss writes two of them. */
struct cache_slot {
    uint32_t below;   /* index in the next level, a hint */
    uint32_t weight;  /* for so many lines it is reported when it leaves; 0: it is not */
    uint16_t offset;  /* in it, of the access that fetched it */
    uint8_t slow;     /* as in struct model_fast */
    bool watched;     /* its reuse or its users are sampled */
    bool others;      /* other threads have it too */
    bool instruction; /* fetched by the instruction side: its use as data says nothing */
};

/* The access that evicted a line from the first level. */
struct cache_evictor {
    uint64_t address;
    uint32_t ip;
    uint16_t by;    /* thread of the access (model_thread.runs) */
    uint8_t thread; /* of the cache it left */
    uint8_t reason; /* enum model_reason + 1; 0: not known */
};

struct cache {
    uint64_t *tags;   /* line number + 1; 0: empty */
    uint64_t *stamps; /* when last used, by the model's clock */
    uint32_t *ips;    /* instruction that fetched the line */
    uint8_t *flags;   /* CACHE_TRACKED, CACHE_FORGOTTEN */
    struct cache_slot *slots;
    /* Of lines that are tracked; of others all 0. */
    union model_line *lines;
    struct model_use *reported; /* use when it was last reported to the level below */
    /* Of a second level, by index; NULL: model.evicted knows. It is nearer than an entry there, and
     * most lines are still here when they are missed again. */
    struct cache_evictor *evicted_above;
    uint64_t put;            /* lines that came in */
    uint64_t *fetched;       /* of instructions: struct model_thread; else NULL */
    uint32_t *nodes;         /* by index: place in the shadow, unless CACHE_FORGOTTEN */
    struct shadow *shadow;   /* NULL: not asked for */
    struct model_fast *fast; /* of a first level of data; else NULL */
    uint64_t fast_mask;      /* places of it - 1 */
    const uint64_t *now; /* the model's clock; each use that is reported has a time of its own */
    uint64_t sets;
    uint64_t set_mask; /* sets - 1; not valid unless `masked` */
    uint32_t ways;
    uint32_t line_shift;
    uint32_t line_bytes;
    uint32_t grain_shift;
    uint32_t level;
    uint32_t thread; /* of its cache; 0 for shared ones */
    uint32_t id;     /* among all caches of the model */
    bool masked;     /* sets are a power of two */
    bool shared;
    bool instruction; /* beside the first level */
};

/* -1: no memory. */
int cache_init(struct cache *cache, const struct model_level_spec *spec, struct memory *memory);

/* Index of a line; CACHE_NONE: it is not there. */
uint32_t cache_find(const struct cache *cache, uint64_t number);

/* The line was used, now. */
static inline void cache_touch(struct cache *cache, uint32_t index)
{
    cache->stamps[index] = *cache->now;
}

/* Where a line is to go: an empty way, the first there is, else the one used longest ago. */
uint32_t cache_victim(const struct cache *cache, uint64_t number);

/* Puts a line, which is not there, into the place of the victim, and touches it. */
void cache_put(struct cache *cache, uint32_t index, uint64_t number);

/* The place has no line: it is the first that one goes to. */
static inline void cache_clear(struct cache *cache, uint32_t index)
{
    cache->tags[index] = cache->stamps[index] = 0;
}

static inline uint64_t cache_set(const struct cache *cache, uint64_t number)
{
    return cache->masked ? number & cache->set_mask : number % cache->sets;
}

/* Prefetches the entries that a search for the line will read. */
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

/* From now on the use of the line is counted. */
static inline void cache_track(struct cache *cache, uint32_t index)
{
    cache->flags[index] |= CACHE_TRACKED;
}

/* Whether the shadow has to hear of the line's next use. */
static inline bool cache_forgot(const struct cache *cache, uint32_t index)
{
    return cache->flags[index] & CACHE_FORGOTTEN;
}

static inline bool cache_is_at(const struct cache *cache, uint32_t index, uint64_t number)
{
    return cache->tags[index] == number + 1;
}

/* As cache_find(), with `hint`, its likely index. */
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

/*
 * Lines of a first level that the fast path finds by itself (struct model_fast): a hit only writes
 * down its time, which is enough for LRU and the shadow. A line is in the table if a hit on it
 * needs no report; for other lines there is one call more. Used inside src/sim only.
 */
enum { FAST_MAX = 1 << 16 };

/* -1: no memory. */
int fast_init(struct cache *cache, struct memory *memory);

/* The line at `index` is not to be found any more; nothing happens if it was not. */
void fast_forget(struct cache *cache, uint32_t index);

/* The line at `index` is found by the kinds of access that are not slow there; not if the shadow
 * beside has yet to hear of it. */
void fast_admit(struct cache *cache, uint32_t index);

#endif
