/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The hottest (owner, key) pairs in fixed memory: offsets of an object, instructions that
 * touch it, its instances. A pair hashes to one bucket of four. When a bucket is full, a new
 * pair wears down the credit of its poorest one and takes its place once that is used up
 * (the rule of Misra and Gries, 1982, inside a bucket). So a pair that is really hot stays,
 * however many millions of cold ones pass by, and no count is ever too high.
 */
#ifndef MISSTOP_PROFILE_PAIRS_H
#define MISSTOP_PROFILE_PAIRS_H

#include "base/hash.h"
#include "profile/decay.h"

#include <stddef.h>
#include <stdint.h>

struct pair {
    uint64_t key;
    uint32_t owner; /* PAIR_OWNER(); UINT32_MAX: empty */
    uint32_t extra; /* function id of an instruction, thread of an instance */
    uint64_t size;  /* widest access, size of an instance, or member of an instruction */
    double rival;   /* where one of these is voted for: pair_vote(), pair_vote_member() */
    struct counted samples;
    struct counted weight;
    struct counted loads; /* weight, as the next one */
    struct counted stores;
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

/* What a lookup reads, in one cache line: of each pair of a bucket the hash of (owner, key),
 * which is 0 where there is none, and its credit: decayed samples, less what was worn down. */
struct pairs_bucket {
    uint64_t hash[PAIRS_BUCKET];
    double credit[PAIRS_BUCKET];
};

struct pairs {
    struct pairs_bucket *buckets; /* [count / PAIRS_BUCKET], on cache lines of their own */
    struct pair *at;              /* [count], in the order of the buckets */
    size_t count;                 /* power of two, at least 4 */
};

/* Owner of an object's pairs for one event; SAMPLE_EVENTS_MAX is 8. */
#define PAIR_OWNER(object, event) ((uint32_t)(object) << 3 | (uint32_t)(event))
#define PAIR_OBJECT(owner)        ((owner) >> 3)
#define PAIR_EVENT(owner)         ((owner)&7u)
#define PAIR_EMPTY                UINT32_MAX

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

/* The pair if there is one; NULL. */
const struct pair *pairs_find(const struct pairs *pairs, uint64_t hash);

/* Pointers to all pairs of one event, by owner; returns how many. `out` holds pairs->count. */
size_t pairs_sorted(const struct pairs *pairs, uint16_t event, const struct pair **out);

/* First of `owner` in what pairs_sorted gave, and how many it has. */
size_t pairs_of(const struct pair **sorted, size_t count, uint32_t owner, size_t *first);

#endif
