/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/pairs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int pairs_init(struct pairs *pairs, size_t count)
{
    size_t buckets = count / PAIRS_BUCKET;
    *pairs = (struct pairs){
        .at = aligned_alloc(sizeof(struct pairs_bucket), count * sizeof(struct pair)),
        .buckets =
            aligned_alloc(sizeof(struct pairs_bucket), buckets * sizeof(struct pairs_bucket)),
        .count = count};
    if (!pairs->at || !pairs->buckets) {
        pairs_fini(pairs);
        return -ENOMEM;
    }
    pairs_clear(pairs);
    return 0;
}

void pairs_fini(struct pairs *pairs)
{
    free(pairs->at);
    free(pairs->buckets);
    *pairs = (struct pairs){0};
}

void pairs_clear(struct pairs *pairs)
{
    memset(pairs->buckets, 0, pairs->count / PAIRS_BUCKET * sizeof *pairs->buckets);
    for (size_t i = 0; i < pairs->count; i++)
        pairs->at[i] = (struct pair){.owner = PAIR_EMPTY};
}

void pairs_rescale(struct pairs *pairs, double factor)
{
    for (size_t i = 0; i < pairs->count; i++) {
        struct pair *pair = &pairs->at[i];
        pairs->buckets[i / PAIRS_BUCKET].credit[i % PAIRS_BUCKET] *= factor;
        pair->rival *= factor;
        pair->samples.at[BASIS_DECAYED] *= factor;
        pair->weight.at[BASIS_DECAYED] *= factor;
        pair->loads.at[BASIS_DECAYED] *= factor;
        pair->stores.at[BASIS_DECAYED] *= factor;
    }
}

/* The empty slot of a bucket, or the one with the least credit. */
static unsigned poorest_of(const struct pairs_bucket *bucket)
{
    unsigned poorest = 0;
    for (unsigned i = 0; i < PAIRS_BUCKET; i++) {
        if (!bucket->hash[i])
            return i;
        if (bucket->credit[i] < bucket->credit[poorest])
            poorest = i;
    }
    return poorest;
}

void pairs_prefetch_row(const struct pairs *pairs, uint64_t hash)
{
    size_t index = pairs_bucket_of(pairs, hash);
    const struct pairs_bucket *bucket = &pairs->buckets[index];
    unsigned i = 0;
    while (i < PAIRS_BUCKET && bucket->hash[i] != hash)
        i++;
    const struct pair *row =
        &pairs->at[index * PAIRS_BUCKET + (i < PAIRS_BUCKET ? i : poorest_of(bucket))];
    __builtin_prefetch(row, 1);
    __builtin_prefetch(&row->stores, 1);
}

struct pair *pairs_take(struct pairs *pairs, uint64_t hash, uint32_t owner, uint64_t key,
                        double credit)
{
    size_t index = pairs_bucket_of(pairs, hash);
    struct pairs_bucket *bucket = &pairs->buckets[index];
    struct pair *rows = &pairs->at[index * PAIRS_BUCKET];
    for (unsigned i = 0; i < PAIRS_BUCKET; i++)
        if (bucket->hash[i] == hash) {
            bucket->credit[i] += credit;
            return &rows[i];
        }
    unsigned poorest = poorest_of(bucket);
    if (bucket->hash[poorest]) {
        bucket->credit[poorest] -= credit;
        if (bucket->credit[poorest] > 0)
            return NULL;
    }
    bucket->hash[poorest] = hash;
    bucket->credit[poorest] = credit;
    rows[poorest] = (struct pair){.key = key, .owner = owner};
    return &rows[poorest];
}

const struct pair *pairs_find(const struct pairs *pairs, uint64_t hash)
{
    size_t index = pairs_bucket_of(pairs, hash);
    for (unsigned i = 0; i < PAIRS_BUCKET; i++)
        if (pairs->buckets[index].hash[i] == hash)
            return &pairs->at[index * PAIRS_BUCKET + i];
    return NULL;
}

static int pair_order(const void *left, const void *right)
{
    const struct pair *a = *(const struct pair *const *)left;
    const struct pair *b = *(const struct pair *const *)right;
    if (a->owner != b->owner)
        return a->owner < b->owner ? -1 : 1;
    if (a->extra != b->extra)
        return a->extra < b->extra ? -1 : 1;
    return a->key < b->key ? -1 : a->key > b->key;
}

size_t pairs_sorted(const struct pairs *pairs, uint16_t event, const struct pair **out)
{
    size_t count = 0;
    for (size_t i = 0; i < pairs->count; i++)
        if (pairs->at[i].owner != PAIR_EMPTY && PAIR_EVENT(pairs->at[i].owner) == event)
            out[count++] = &pairs->at[i];
    qsort(out, count, sizeof *out, pair_order);
    return count;
}

size_t pairs_of(const struct pair **sorted, size_t count, uint32_t owner, size_t *first)
{
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sorted[middle]->owner < owner)
            low = middle + 1;
        else
            high = middle;
    }
    *first = low;
    while (high < count && sorted[high]->owner == owner)
        high++;
    return high - low;
}
