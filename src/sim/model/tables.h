/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef MISSTOP_SIM_MODEL_TABLES_H
#define MISSTOP_SIM_MODEL_TABLES_H

#include "sim/model/model.h"

struct memory {
    struct model_host host;
};

/* Returns zeroed memory for `count` elements; NULL: no memory, or the size overflows. */
static inline void *memory_new(struct memory *memory, uint64_t count, uint64_t size_bytes)
{
    uint64_t total_bytes;
    if (__builtin_mul_overflow(count, size_bytes, &total_bytes) || total_bytes > PTRDIFF_MAX)
        return NULL;
    return memory->host.allocate(memory->host.context, total_bytes);
}

/* Mixes the bits of a value, for hashes and for sampling by address (Fibonacci hashing, twice). */
static inline uint64_t memory_hash(uint64_t value)
{
    value *= UINT64_C(0x9e3779b97f4a7c15);
    value ^= value >> 32;
    value *= UINT64_C(0xd6e8feb86659fd93);
    return value ^ (value >> 32);
}

/* Counts the ones in a word; the builtin would call libgcc (Hacker's Delight 5-1). */
static inline uint32_t memory_ones(uint64_t word)
{
    word -= word >> 1 & UINT64_C(0x5555555555555555);
    word = (word & UINT64_C(0x3333333333333333)) + (word >> 2 & UINT64_C(0x3333333333333333));
    word = (word + (word >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (uint32_t)(word * UINT64_C(0x0101010101010101) >> 56);
}

static inline uint64_t memory_power_of_two(uint64_t at_least)
{
    return at_least <= 1 ? 1 : UINT64_C(1) << (64 - __builtin_clzll(at_least - 1));
}

/* Objects by dense number, made on the first request; a bounded array of arrays. */
enum { IDS_CHUNK = 64 };

struct ids {
    uint8_t **chunks;
    uint32_t max;
    uint32_t size_bytes; /* size of an object */
};

/* Returns 0, or -1 if out of memory. */
static inline int ids_init(struct ids *ids, uint32_t max, uint32_t size_bytes,
                           struct memory *memory)
{
    ids->max = max;
    ids->size_bytes = size_bytes;
    ids->chunks = memory_new(memory, (uint64_t)max / IDS_CHUNK + 1, sizeof *ids->chunks);
    return ids->chunks ? 0 : -1;
}

static inline void *ids_find(const struct ids *ids, uint32_t id)
{
    uint8_t *chunk = id < ids->max ? ids->chunks[id / IDS_CHUNK] : NULL;
    return chunk ? chunk + (size_t)(id % IDS_CHUNK) * ids->size_bytes : NULL;
}

/* Returns an object, zeroed when new. NULL: beyond the limit, or no memory. */
static inline void *ids_make(struct ids *ids, uint32_t id, struct memory *memory)
{
    if (id >= ids->max)
        return NULL;
    uint8_t **chunk = &ids->chunks[id / IDS_CHUNK];
    if (!*chunk)
        *chunk = memory_new(memory, IDS_CHUNK, ids->size_bytes);
    return ids_find(ids, id);
}

/* A byte or a bit for every line ever referenced: a radix tree with leaves that are allocated on
 * first use, up to a memory limit. Private to src/sim. */
enum {
    LINES_LEAF_BYTES = 4096,
    LINES_LEAF_SHIFT = 12,
    LINES_NODE_SHIFT = 10,
    LINES_DEPTH = 5, /* 12 + 5 * 10 bits: all line numbers, with lines of 4 bytes */
    LINES_RECENT = 64
};

struct lines_node {
    void *child[1 << LINES_NODE_SHIFT];
};

struct lines {
    struct memory *memory;
    struct lines_node *root;
    struct {
        uint64_t number; /* number of a leaf, + 1 */
        uint8_t *leaf;
    } recent[LINES_RECENT];
    uint64_t *left_bytes; /* left of the limit, which several tables can share */
};

void lines_init(struct lines *lines, struct memory *memory, uint64_t *left_bytes);

/* Returns the byte of a line, initially 0; NULL: no memory. */
uint8_t *lines_byte(struct lines *lines, uint64_t number);

/* The line has bit number % 8. A table has either bytes or bits. */
static inline uint8_t *lines_bits(struct lines *lines, uint64_t number)
{
    return lines_byte(lines, number / 8);
}

/* Evictors of a level's lines, for the next miss: a bounded table that replaces the oldest entry of
 * a bucket. For private levels, also the bytes that other threads wrote meanwhile. */
struct evicted_line {
    uint64_t tag; /* line number + 1; 0: empty */
    union {
        struct model_who evictor;
        uint64_t written; /* for lines that were taken: bytes written by others since */
    };
    uint16_t thread;    /* thread of the cache that lost it; 0 for shared ones */
    uint16_t by_thread; /* thread of the access (model_thread.running_thread) */
    uint8_t reason;     /* enum model_reason */
};

struct evicted {
    struct evicted_line *lines; /* NULL: not used */
    uint32_t group_mask;
};

/* Returns 0, or -1 if out of memory. */
int evicted_init(struct evicted *evicted, uint32_t lines, struct memory *memory);

/* Stores an entry; replaces an older one of the same line and thread. */
void evicted_put(struct evicted *evicted, uint64_t number, const struct evicted_line *line);

/* Prefetches the entries that evicted_put() and evicted_find() read. */
void evicted_prefetch(const struct evicted *evicted, uint64_t number, uint32_t thread);

/* Returns the entry of a line; NULL: not known. */
struct evicted_line *evicted_find(struct evicted *evicted, uint64_t number, uint32_t thread);

struct tally_pair {
    uint64_t count; /* 0: empty */
    uint32_t first;
    uint32_t second;
};

struct tally {
    /* NULL: not counted. A concurrent reader sees a valid pair if the count is not 0. */
    struct tally_pair *pairs;
    uint64_t mask;
    uint64_t used;
    uint64_t room;
};

/* Returns the number of slots for a table of at most `pairs_max` pairs. */
static inline uint64_t tally_places(uint32_t pairs_max)
{
    /* Probe sequences stay short while a quarter is free. */
    return memory_power_of_two((uint64_t)pairs_max + pairs_max / 3 + 1);
}

void tally_init(struct tally *tally, uint32_t pairs_max);

void tally_count(struct tally *tally, uint32_t first, uint32_t second, uint64_t count);

/* Statements that use lines fetched by other statements (SIP's future work): for lines sampled by
 * address, at every level that has them. Bounded. Private to src/sim. */
enum { USERS_OF_LINE = 8 };

struct users_line {
    uint64_t tag;   /* line number + 1; 0: empty */
    uint32_t cache; /* id of the cache */
    uint32_t fetched_by;
    uint32_t ips[USERS_OF_LINE];
    uint32_t uses[USERS_OF_LINE]; /* 0: empty */
};

struct users {
    struct users_line *lines; /* NULL: not requested */
    uint64_t mask;
    uint64_t count;
    uint32_t one_in;
    uint32_t region_shift; /* size of the regions sampled as a unit: the longest line */
};

/* `lines`: maximum watched at once. Returns 0, or -1 if out of memory. */
int users_init(struct users *users, uint64_t lines, uint32_t one_in, uint32_t region_shift,
               struct memory *memory);

static inline bool users_watch(const struct users *users, uint64_t address)
{
    return users->lines &&
           !(memory_hash(address >> users->region_shift) >> 20 & (users->one_in - 1));
}

/* Record that a watched line was fetched into a cache, used there, and evicted. */
void users_fetched(struct users *users, uint64_t number, uint32_t cache, uint32_t ip);
void users_used(struct users *users, uint64_t number, uint32_t cache, uint32_t ip);
void users_left(struct users *users, uint64_t number, uint32_t cache, struct tally *tally);

/* Online reuse distances. Watched lines are in a hash table; a Fenwick tree over the order of their
 * last uses counts the lines used since. Private to src/sim. */
enum { SAMPLING_HASH_BITS = 24 };

struct sampling_line {
    uint64_t tag;   /* line number + 1; 0: empty */
    uint32_t stamp; /* stamp of its last use */
};

struct sampling {
    struct sampling_line *table; /* NULL: not requested */
    uint64_t mask;
    uint32_t *heap;      /* hashes of the watched lines: a max-heap from [1] */
    uint64_t *heap_tags; /* the lines of the heap */
    uint32_t *tree;      /* Fenwick tree: number of lines by stamp */
    uint32_t *order;     /* while renumbering: slot + 1 by stamp */
    uint32_t stamps;     /* stamps available before renumbering */
    uint32_t now;
    uint32_t count;
    uint32_t max;
    uint32_t threshold; /* lines with a smaller hash are watched */
    struct memory *memory;
};

/* Returns 0, or -1 if out of memory. */
int sampling_init(struct sampling *sampling, const struct model_spec *spec, struct memory *memory);

static inline uint32_t sampling_hash(uint64_t number)
{
    return (uint32_t)(memory_hash(number) >> (64 - SAMPLING_HASH_BITS));
}

static inline bool sampling_watches(const struct sampling *sampling, uint64_t number)
{
    return sampling->table && sampling_hash(number) < sampling->threshold;
}

/* Records a use of a line for which sampling_watches() is true. */
void sampling_use(struct sampling *sampling, uint64_t number, struct model_who who);

#endif
