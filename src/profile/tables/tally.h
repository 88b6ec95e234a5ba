/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums per id (object or function) and event, in one array that grows with the dense ids up to a
 * limit; ids beyond it count under id 0. Used by the tables of objects and code. */
#ifndef MISSTOP_PROFILE_TABLES_TALLY_H
#define MISSTOP_PROFILE_TABLES_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "place.h"
#include "profile/time/decay.h"
#include "sample.h"

struct tally {
    struct counted samples;
    struct counted weight;
    struct counted squares; /* squared weights, stored with the square of the scale */
    struct counted loads;   /* weight; so are the next two */
    struct counted stores;
    struct counted inferred;
    struct counted stacks; /* weight of samples with known callers */
};

struct tallies {
    struct tally *at; /* [id * events + event] */
    size_t ids;
    uint16_t events;
};

enum { TALLY_IDS_MAX = 1 << 16 };

void tallies_init(struct tallies *tallies, uint16_t events);
void tallies_fini(struct tallies *tallies);
void tallies_clear(struct tallies *tallies);
void tallies_rescale(struct tallies *tallies, double factor);

/* Makes room for an id. Returns the id to count under: `id`, or 0 if there is no room;
 * TALLY_IDS_MAX: no room for id 0 either. */
uint32_t tallies_reserve(struct tallies *tallies, uint32_t id);

static inline struct tally *tallies_at(const struct tallies *tallies, uint32_t id, uint16_t event)
{
    return &tallies->at[(size_t)id * tallies->events + event];
}

/* Sums of samples of one kind of access and attribution, before they are added to rows. */
struct sums {
    struct counted samples;
    struct counted weight;
    struct counted squares; /* as in struct tally */
    uint8_t kind;           /* enum access_kind */
    uint8_t how;            /* enum access_how */
    bool stacks;            /* the samples have known callers */
};

static inline void sums_add(struct sums *sums, double weight, double scale)
{
    counted_add(&sums->samples, 1, scale);
    counted_add(&sums->weight, weight, scale);
    counted_add(&sums->squares, weight * weight, scale * scale);
}

static inline void sums_clear(struct sums *sums)
{
    sums->samples = sums->weight = sums->squares = (struct counted){{0, 0}};
}

void tally_add(struct tally *tally, const struct sums *sums);
void tally_rescale(struct tally *tally, double factor);

/* Returns the weight of an access: 1 if the source gave none. */
static inline double tally_weight(const struct access *access)
{
    return access->weight ? (double)access->weight : 1.0;
}

/* Ids counted since the last visit, so that a visit only costs as much as these. */
struct touched_ids {
    uint64_t bits[TALLY_IDS_MAX / 64];
};

/* Adds an id below TALLY_IDS_MAX. */
static inline void touched_add(struct touched_ids *touched, uint32_t id)
{
    touched->bits[id / 64] |= UINT64_C(1) << id % 64;
}

static inline bool touched_has(const struct touched_ids *touched, uint32_t id)
{
    return touched->bits[id / 64] >> id % 64 & 1;
}

/* Removes and returns the lowest id in or after word *word; TALLY_IDS_MAX: none. */
static inline uint32_t touched_take(struct touched_ids *touched, uint32_t *word)
{
    for (; *word < TALLY_IDS_MAX / 64; ++*word) {
        uint64_t *bits = &touched->bits[*word];
        if (!*bits)
            continue;
        uint32_t id = *word * 64 + (uint32_t)__builtin_ctzll(*bits);
        *bits &= *bits - 1;
        return id;
    }
    return TALLY_IDS_MAX;
}

/*
 * Keys that count accesses within an object: by the offset in a type with members; by the plain
 * offset; or, without a known type, by the offset in an inferred element. Private to src/profile.
 */
#define OFFSET_FOLDED  (UINT64_C(1) << 63)
#define OFFSET_TYPED   (UINT64_C(1) << 62)
#define OFFSET_SHIFT   32 /* position of the type or element size */
#define OFFSET_UNIT    58 /* position of log2(place.unit) + 1; 3 bits above the type */
#define OFFSET_IN_TYPE UINT64_C(0xffffffff)

/* Returns the key of an offset in a type, without OFFSET_TYPED. */
static inline uint64_t offset_in_type(const struct place *place)
{
    uint64_t unit = place->unit ? (uint64_t)__builtin_ctz(place->unit) + 1 : 0;
    return (unit & 7) << OFFSET_UNIT | (uint64_t)place->type << OFFSET_SHIFT | place->type_offset;
}

static inline uint64_t offset_key(const struct place *place, uint32_t element)
{
    uint64_t offset = place->access.address - place->base;
    if (place->by_member)
        return OFFSET_TYPED | offset_in_type(place);
    if (element > 8 && !place->type)
        return OFFSET_FOLDED | (uint64_t)element << OFFSET_SHIFT | offset % element;
    return offset & ~(OFFSET_FOLDED | OFFSET_TYPED);
}

/* Parts of a key with OFFSET_FOLDED or OFFSET_TYPED, or of offset_in_type(). */
static inline uint32_t offset_key_type(uint64_t key)
{
    return (uint32_t)((key & ((UINT64_C(1) << OFFSET_UNIT) - 1)) >> OFFSET_SHIFT);
}
static inline uint8_t offset_key_unit(uint64_t key)
{
    unsigned unit = (unsigned)(key >> OFFSET_UNIT & 7);
    return unit ? (uint8_t)(1u << (unit - 1)) : 0;
}
static inline uint32_t offset_key_offset(uint64_t key)
{
    return (uint32_t)(key & OFFSET_IN_TYPE);
}

/* Returns the offset of a key without flags. */
static inline int64_t offset_key_signed(uint64_t key)
{
    return (int64_t)(key << 2) >> 2;
}

/*
 * Rows that consist of counts only, by slot: a dense id, or the index of a pair. A row is made when
 * it is first written. The key identifies the owner; for a pair it is the hash, because another
 * pair may have taken over the slot. Slots are stored separately from rows, so that a lookup misses
 * only one cache line, in a table many times smaller.
 */
struct count_rows_slot {
    uint64_t key;
    uint32_t row; /* index + 1; 0: none */
};

struct count_rows {
    struct count_rows_slot *slots;
    size_t slot_count;
    void *at; /* [count] of row_bytes */
    size_t count;
    size_t room;
    size_t row_bytes; /* size of every row, set by the first */
};

void count_rows_fini(struct count_rows *rows);
void count_rows_clear(struct count_rows *rows);
void count_rows_rescale(struct count_rows *rows, double factor);

/* Returns the row of a slot, zeroed if it had another key; the caller limits the number of slots.
 * May move the other rows. NULL: no memory. */
void *count_rows_make(struct count_rows *rows, size_t row_bytes, size_t slot, uint64_t key);

/* Returns the row of a slot; NULL: none. */
void *count_rows_find(const struct count_rows *rows, size_t slot, uint64_t key);

/*
 * The hottest (owner, key) pairs in fixed memory: offsets of an object, instructions that access
 * it, its instances. A pair hashes to one bucket of four. In a full bucket a new pair reduces the
 * credit of the pair with the least, and replaces it once the credit is used up (the rule of Misra
 * and Gries, 1982, within a bucket). A hot pair therefore stays, however many millions of cold ones
 * pass, and no count is ever too high.
 */
struct pair {
    uint64_t key;
    uint32_t owner;     /* PAIR_OWNER(), PAIR_NO_OWNER */
    uint32_t extra;     /* function id for an instruction, thread for an instance */
    uint64_t size;      /* widest access, size of an instance, or member for an instruction */
    double vote_credit; /* credit of the majority vote: pair_vote(), pair_vote_member() */
    struct counted samples;
    struct counted weight;
    struct counted loads; /* weight; so is the next one */
    struct counted stores;
    /* value of pairs.generation when this row was made; detects that a row was evicted */
    uint64_t generation;
};

/* Updates `extra` by majority vote (Boyer and Moore). */
static inline void pair_vote(struct pair *pair, uint32_t candidate, double scale)
{
    if (pair->extra == candidate || pair->vote_credit <= 0) {
        pair->extra = candidate;
        pair->vote_credit = (pair->vote_credit > 0 ? pair->vote_credit : 0) + scale;
    } else {
        pair->vote_credit -= scale;
    }
}

/* Updates the member that most samples of an instruction access, by the same vote: a single sample
 * of another type, or of none, does not change it. */
static inline void pair_vote_member(struct pair *pair, uint64_t member, double scale)
{
    if (!member)
        return;
    if (pair->size == member || pair->vote_credit <= 0) {
        pair->size = member;
        pair->vote_credit = (pair->vote_credit > 0 ? pair->vote_credit : 0) + scale;
    } else {
        pair->vote_credit -= scale;
    }
}

enum { PAIRS_BUCKET = 4 };

/* The data for a lookup, in one cache line. For each pair of a bucket: the hash of (owner, key), 0
 * if the slot is empty, and the credit: decayed samples minus the reductions. */
struct pairs_bucket {
    uint64_t hash[PAIRS_BUCKET];
    double credit[PAIRS_BUCKET];
};

struct pairs {
    struct pairs_bucket *buckets; /* [count / PAIRS_BUCKET], aligned to cache lines */
    void *memory;                 /* allocation of the buckets */
    struct pair *at;     /* [count], in bucket order; use pairs_next() to skip empty slots */
    size_t count;        /* power of two, at least 4 */
    uint64_t generation; /* rows made so far */
};

/* Owner of an object's pairs for one event; SAMPLE_EVENTS_MAX is 8. */
#define PAIR_OWNER(object, event) ((uint32_t)(object) << 3 | (uint32_t)(event))
#define PAIR_OBJECT(owner)        ((owner) >> 3)
#define PAIR_EVENT(owner)         ((owner)&7u)
#define PAIR_NO_OWNER             UINT32_MAX

/* Returns 0 or -ENOMEM. */
int pairs_init(struct pairs *pairs, size_t count);
void pairs_fini(struct pairs *pairs);
void pairs_clear(struct pairs *pairs);
void pairs_rescale(struct pairs *pairs, double factor);

/* Returns the hash of a pair; never 0. Two pairs with the same hash would share a row, which
 * happens with a probability of 2^-64. */
static inline uint64_t pairs_hash(uint32_t owner, uint64_t key)
{
    return hash_mix(key ^ (uint64_t)owner << 40 ^ owner) | 1;
}

static inline size_t pairs_bucket_of(const struct pairs *pairs, uint64_t hash)
{
    return hash >> 1 & (pairs->count / PAIRS_BUCKET - 1);
}

/* Prefetches the bucket ahead of pairs_take(): a sample touches several tables. */
static inline void pairs_prefetch(const struct pairs *pairs, uint64_t hash)
{
    __builtin_prefetch(&pairs->buckets[pairs_bucket_of(pairs, hash)], 1);
}

/* Prefetches the row that pairs_take() will return, once the bucket is cached. */
void pairs_prefetch_row(const struct pairs *pairs, uint64_t hash);

/* Returns the row of a pair, made if the bucket admits it; NULL: not hot enough yet. `credit` is in
 * stored units (1 * scale for a sample); hash is pairs_hash(owner, key). */
struct pair *pairs_take(struct pairs *pairs, uint64_t hash, uint32_t owner, uint64_t key,
                        double credit);

void pair_add(struct pair *pair, const struct sums *sums);

/* Like pairs_take(), for a row that it returned and that was not evicted since. */
static inline void pairs_credit(struct pairs *pairs, const struct pair *row, double credit)
{
    size_t index = (size_t)(row - pairs->at);
    pairs->buckets[index / PAIRS_BUCKET].credit[index % PAIRS_BUCKET] += credit;
}

/* Returns the row of a pair; NULL: none. */
const struct pair *pairs_find(const struct pairs *pairs, uint64_t hash);

/* Returns the next pair from index *at on, and advances *at past it; NULL: no more. */
static inline struct pair *pairs_next(const struct pairs *pairs, size_t *at)
{
    for (; *at < pairs->count; ++*at)
        if (pairs->buckets[*at / PAIRS_BUCKET].hash[*at % PAIRS_BUCKET])
            return &pairs->at[(*at)++];
    return NULL;
}

/* Lists all pairs of one event, sorted by owner; returns their number. `out` holds pairs->count. */
size_t pairs_sorted(const struct pairs *pairs, uint16_t event, const struct pair **out);

/* Returns the number of `owner`'s pairs in the result of pairs_sorted(); *first: the first one. */
size_t pairs_of(const struct pair **sorted, size_t count, uint32_t owner, size_t *first);

/* Dense numbers of threads, in the order of their first sample; threads beyond the limit share the
 * number THREADS_MAX. Private to src/profile. */
enum { THREADS_MAX = 255 };

struct thread_numbers {
    struct hash number_of_tid;  /* tid to number */
    uint32_t tids[THREADS_MAX]; /* by number */
};

uint32_t thread_numbers_of(struct thread_numbers *numbers, uint32_t tid);

/* Samples without an object. Those that waited for data are also counted by function and
 * instruction: code that the decoder cannot follow must not appear to have no misses. */
struct unplaced {
    struct tallies functions;
    struct pairs code; /* owner: function; key: instruction; extra: enum reason */
    struct counted by_reason[SAMPLE_EVENTS_MAX][REASON_COUNT]; /* weight */
    struct tally all[SAMPLE_EVENTS_MAX]; /* without an object, including those without a function */
    struct tally waited[SAMPLE_EVENTS_MAX]; /* of these, samples that waited for data */
    const struct pair **sorted;             /* scratch memory of snapshots */
};

/* Returns 0 or -ENOMEM. */
int unplaced_init(struct unplaced *unplaced, uint16_t events);
void unplaced_fini(struct unplaced *unplaced);
void unplaced_clear(struct unplaced *unplaced);
void unplaced_rescale(struct unplaced *unplaced, double factor);

/* Adds samples of one event without an object. `function`: the row of their function; of id 0 if it
 * is not known. */
void unplaced_add(struct unplaced *unplaced, uint16_t event, enum reason reason,
                  struct tally *function, const struct sums *sums);

/* Returns the samples without an object of a function; NULL: none. */
const struct tally *unplaced_tally(const struct unplaced *unplaced, uint32_t function,
                                   uint16_t event);

#endif
