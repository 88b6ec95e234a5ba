/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sums per id (object or function) and event, in one array that grows with the dense ids up to a
 * bound; ids beyond it are counted under id 0. Owned by objects and code.
 */
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
    struct counted squares; /* of weight: stored with the scale squared */
    struct counted loads;   /* weight, as the next two */
    struct counted stores;
    struct counted inferred;
    struct counted stacks; /* weight of those with known callers */
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

/* Makes room; returns the id to count under: `id`, or 0 if there is no room for it.
 * TALLY_IDS_MAX: not even for id 0. */
uint32_t tallies_reserve(struct tallies *tallies, uint32_t id);

static inline struct tally *tallies_at(const struct tallies *tallies, uint32_t id, uint16_t event)
{
    return &tallies->at[(size_t)id * tallies->events + event];
}

/* Samples of one kind of access, found in one way, on their way into the rows that count them. */
struct sums {
    struct counted samples;
    struct counted weight;
    struct counted squares; /* as in struct tally */
    uint8_t kind;           /* enum access_kind */
    uint8_t how;            /* enum access_how */
    bool stacks;            /* their callers are known */
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

/* Weight of an access: 1 where the source gave none. */
static inline double tally_weight(const struct access *access)
{
    return access->weight ? (double)access->weight : 1.0;
}

/*
 * The ids counted since the last look, so that a look costs no more than these. Private to
 * src/profile.
 */
struct touched {
    uint64_t bits[TALLY_IDS_MAX / 64];
};

/* `id` is below TALLY_IDS_MAX. */
static inline void touched_add(struct touched *touched, uint32_t id)
{
    touched->bits[id / 64] |= UINT64_C(1) << id % 64;
}

static inline bool touched_has(const struct touched *touched, uint32_t id)
{
    return touched->bits[id / 64] >> id % 64 & 1;
}

/* The least id touched in or after word *word, which is forgotten; TALLY_IDS_MAX: no more. */
static inline uint32_t touched_take(struct touched *touched, uint32_t *word)
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
 * Where in an object an access counts: by its place in a type with members; by its offset, where it
 * is a number; of no known type, by its place in an inferred element. Private to src/profile.
 */
#define OFFSET_FOLDED  (UINT64_C(1) << 63)
#define OFFSET_TYPED   (UINT64_C(1) << 62)
#define OFFSET_SHIFT   32 /* of the type or the size of the element */
#define OFFSET_UNIT    58 /* of the binary logarithm of place.unit, plus 1; 3 bits above the type */
#define OFFSET_IN_TYPE UINT64_C(0xffffffff)

/* Place in a type, without OFFSET_TYPED. */
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

/* Of a place in a type; of a key with either flag. */
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

/* Of a key without a flag. */
static inline int64_t offset_key_signed(uint64_t key)
{
    return (int64_t)(key << 2) >> 2;
}

/*
 * Rows that are counts and nothing else, by slot: a dense id, or the index of a pair. A row is made
 * when it is first written to. The key names the owner: of a pair its hash, because another pair
 * may have taken its place. Slots are apart from the rows: a lookup waits for one cache line only,
 * and that is in a table many times smaller.
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
    size_t row_bytes; /* as the first was made with, which all are */
};

void count_rows_fini(struct count_rows *rows);
void count_rows_clear(struct count_rows *rows);
void count_rows_rescale(struct count_rows *rows, double factor);

/* The row of a slot, zeros if it was another key's; the caller bounds the slots. Moves the others.
 * NULL: no memory. */
void *count_rows_make(struct count_rows *rows, size_t row_bytes, size_t slot, uint64_t key);

/* NULL: there is none. */
void *count_rows_find(const struct count_rows *rows, size_t slot, uint64_t key);

/*
 * The hottest (owner, key) pairs in fixed memory: offsets of an object, instructions that
 * touch it, its instances. A pair hashes to one bucket of four. When a bucket is full, a new
 * pair wears down the credit of its poorest one and takes its place once that is used up
 * (the rule of Misra and Gries, 1982, inside a bucket). So a pair that is really hot stays,
 * however many millions of cold ones pass by, and no count is ever too high.
 */
struct pair {
    uint64_t key;
    uint32_t owner; /* PAIR_OWNER(), PAIR_NO_OWNER */
    uint32_t extra; /* function id of an instruction, thread of an instance */
    uint64_t size;  /* widest access, size of an instance, or member of an instruction */
    double rival;   /* where one of these is voted for: pair_vote(), pair_vote_member() */
    struct counted samples;
    struct counted weight;
    struct counted loads; /* weight, as the next one */
    struct counted stores;
    uint64_t made; /* pairs.made of then: a row that was displaced and made again is another */
};

/* `extra` is what most have (majority vote, Boyer and Moore). */
static inline void pair_vote(struct pair *pair, uint32_t candidate, double scale)
{
    if (pair->extra == candidate || pair->rival <= 0) {
        pair->extra = candidate;
        pair->rival = (pair->rival > 0 ? pair->rival : 0) + scale;
    } else {
        pair->rival -= scale;
    }
}

/* Of an instruction, the member that most of its samples are on, likewise: one sample of another
 * type, or of none, is no reason to call it otherwise. */
static inline void pair_vote_member(struct pair *pair, uint64_t member, double scale)
{
    if (!member)
        return;
    if (pair->size == member || pair->rival <= 0) {
        pair->size = member;
        pair->rival = (pair->rival > 0 ? pair->rival : 0) + scale;
    } else {
        pair->rival -= scale;
    }
}

enum { PAIRS_BUCKET = 4 };

/* The data of a lookup, in one cache line: of each pair of a bucket the hash of (owner, key), which
 * is 0 for an empty one, and its credit: decayed samples, less those worn down. */
struct pairs_bucket {
    uint64_t hash[PAIRS_BUCKET];
    double credit[PAIRS_BUCKET];
};

struct pairs {
    struct pairs_bucket *buckets; /* [count / PAIRS_BUCKET], on cache lines of their own */
    void *memory;                 /* of the buckets */
    struct pair *at;              /* [count], in the order of the buckets; empty: pairs_next() */
    size_t count;                 /* power of two, at least 4 */
    uint64_t made;                /* rows, ever */
};

/* Owner of an object's pairs for one event; SAMPLE_EVENTS_MAX is 8. */
#define PAIR_OWNER(object, event) ((uint32_t)(object) << 3 | (uint32_t)(event))
#define PAIR_OBJECT(owner)        ((owner) >> 3)
#define PAIR_EVENT(owner)         ((owner)&7u)
#define PAIR_NO_OWNER             UINT32_MAX

/* -ENOMEM. */
int pairs_init(struct pairs *pairs, size_t count);
void pairs_fini(struct pairs *pairs);
void pairs_clear(struct pairs *pairs);
void pairs_rescale(struct pairs *pairs, double factor);

/* Never 0. Two pairs of one hash would share a row: once in 2^64 pairs of pairs. */
static inline uint64_t pairs_hash(uint32_t owner, uint64_t key)
{
    return hash_mix(key ^ (uint64_t)owner << 40 ^ owner) | 1;
}

static inline size_t pairs_bucket_of(const struct pairs *pairs, uint64_t hash)
{
    return hash >> 1 & (pairs->count / PAIRS_BUCKET - 1);
}

/* Asks for the bucket's line ahead of pairs_take: a sample touches several tables at once. */
static inline void pairs_prefetch(const struct pairs *pairs, uint64_t hash)
{
    __builtin_prefetch(&pairs->buckets[pairs_bucket_of(pairs, hash)], 1);
}

/* Asks for the row that pairs_take will give, once the bucket's line is there. */
void pairs_prefetch_row(const struct pairs *pairs, uint64_t hash);

/* The pair, made if its bucket lets it in; NULL: not hot enough yet. `credit` is in
 * stored units (1 * scale for a sample); hash is pairs_hash(owner, key). */
struct pair *pairs_take(struct pairs *pairs, uint64_t hash, uint32_t owner, uint64_t key,
                        double credit);

void pair_add(struct pair *pair, const struct sums *sums);

/* As pairs_take(), of a row that it gave and that was not displaced since. */
static inline void pairs_credit(struct pairs *pairs, const struct pair *row, double credit)
{
    size_t index = (size_t)(row - pairs->at);
    pairs->buckets[index / PAIRS_BUCKET].credit[index % PAIRS_BUCKET] += credit;
}

/* The pair if there is one; NULL. */
const struct pair *pairs_find(const struct pairs *pairs, uint64_t hash);

/* The next pair from index *at on, which is stepped over; NULL: no more. */
static inline struct pair *pairs_next(const struct pairs *pairs, size_t *at)
{
    for (; *at < pairs->count; ++*at)
        if (pairs->buckets[*at / PAIRS_BUCKET].hash[*at % PAIRS_BUCKET])
            return &pairs->at[(*at)++];
    return NULL;
}

/* Pointers to all pairs of one event, by owner; returns how many. `out` holds pairs->count. */
size_t pairs_sorted(const struct pairs *pairs, uint16_t event, const struct pair **out);

/* First of `owner` in what pairs_sorted gave, and how many it has. */
size_t pairs_of(const struct pair **sorted, size_t count, uint32_t owner, size_t *first);

/* Threads under dense numbers, in the order in which they are first seen; those beyond a bound
 * share the number THREADS_MAX. Private to src/profile. */
enum { THREADS_MAX = 255 };

struct thread_numbers {
    struct hash known;          /* tid -> number */
    uint32_t tids[THREADS_MAX]; /* by number */
};

void thread_numbers_fini(struct thread_numbers *numbers);
void thread_numbers_clear(struct thread_numbers *numbers);

uint32_t thread_numbers_of(struct thread_numbers *numbers, uint32_t tid);

/*
 * Samples that waited for data of no known object, by the function and the instruction that
 * waited: code that the decoder cannot follow must not look as if it had no misses. And all
 * samples without an object, whatever the reason. Owned by struct profile, filled by profile.c,
 * read by the snapshot files.
 */
struct unplaced {
    struct tallies functions;
    struct pairs code; /* owner: of the function; key: instruction; extra: enum reason */
    struct counted by_reason[SAMPLE_EVENTS_MAX][REASON_COUNT]; /* weight */
    struct tally all[SAMPLE_EVENTS_MAX];    /* without an object, those in no function too */
    struct tally waited[SAMPLE_EVENTS_MAX]; /* of these, those that waited for data */
    const struct pair **sorted;             /* scratch of snapshots */
};

/* -ENOMEM. */
int unplaced_init(struct unplaced *unplaced, uint16_t events);
void unplaced_fini(struct unplaced *unplaced);
void unplaced_clear(struct unplaced *unplaced);
void unplaced_rescale(struct unplaced *unplaced, double factor);

/* Samples without an object, of an event below those of unplaced_init(). `function`: the row of
 * their function; of id 0: it is not known. */
void unplaced_add(struct unplaced *unplaced, uint16_t event, enum reason reason,
                  struct tally *function, const struct sums *sums);

/* NULL: the function has none. */
const struct tally *unplaced_tally(const struct unplaced *unplaced, uint32_t function,
                                   uint16_t event);

#endif
