/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/pairs.h"

#include "base/hash.h"

#include <errno.h>
#include <stdlib.h>

enum { BUCKET = 4 };

int pairs_init(struct pairs *pairs, size_t count)
{
    *pairs = (struct pairs){.at = malloc(count * sizeof(struct pair)), .count = count};
    if (!pairs->at)
        return -ENOMEM;
    pairs_clear(pairs);
    return 0;
}

void pairs_fini(struct pairs *pairs)
{
    free(pairs->at);
    *pairs = (struct pairs){0};
}

void pairs_clear(struct pairs *pairs)
{
    for (size_t i = 0; i < pairs->count; i++)
        pairs->at[i] = (struct pair){.owner = PAIR_EMPTY};
}

void pairs_rescale(struct pairs *pairs, double factor)
{
    for (size_t i = 0; i < pairs->count; i++) {
        struct pair *pair = &pairs->at[i];
        pair->credit *= factor;
        pair->rival *= factor;
        pair->samples.at[BASIS_DECAYED] *= factor;
        pair->loads.at[BASIS_DECAYED] *= factor;
        pair->stores.at[BASIS_DECAYED] *= factor;
    }
}

struct pair *pairs_take(struct pairs *pairs, uint32_t owner, uint64_t key, double credit)
{
    uint64_t hash = hash_mix(key ^ (uint64_t)owner << 40 ^ owner);
    struct pair *bucket = &pairs->at[hash & (pairs->count / BUCKET - 1) * BUCKET];
    struct pair *poorest = bucket;
    for (struct pair *pair = bucket; pair < bucket + BUCKET; pair++) {
        if (pair->key == key && pair->owner == owner) {
            pair->credit += credit;
            return pair;
        }
        if (poorest->owner != PAIR_EMPTY &&
            (pair->owner == PAIR_EMPTY || pair->credit < poorest->credit))
            poorest = pair;
    }
    poorest->credit -= credit;
    if (poorest->owner != PAIR_EMPTY && poorest->credit > 0)
        return NULL;
    *poorest = (struct pair){.key = key, .owner = owner, .credit = credit};
    return poorest;
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
