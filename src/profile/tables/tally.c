/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/tables/tally.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum { FIRST_IDS = 256, FIRST_SLOTS = 1024 };

void tallies_init(struct tallies *tallies, uint16_t events)
{
    *tallies = (struct tallies){.events = events ? events : 1};
}

void tallies_fini(struct tallies *tallies)
{
    free(tallies->at);
    *tallies = (struct tallies){0};
}

void tallies_clear(struct tallies *tallies)
{
    if (tallies->at)
        memset(tallies->at, 0, tallies->ids * tallies->events * sizeof *tallies->at);
}

static bool tallies_grow(struct tallies *tallies, uint32_t id)
{
    return array_reserve_index(&tallies->at, &tallies->ids, id,
                               tallies->events * sizeof *tallies->at, FIRST_IDS);
}

uint32_t tallies_reserve(struct tallies *tallies, uint32_t id)
{
    if (id < tallies->ids)
        return id;
    if (id < TALLY_IDS_MAX && tallies_grow(tallies, id))
        return id;
    return tallies->ids || tallies_grow(tallies, 0) ? 0 : TALLY_IDS_MAX;
}

static bool sums_have_loads(const struct sums *sums)
{
    return sums->kind == ACCESS_LOAD || sums->kind == ACCESS_LOAD_STORE;
}

static bool sums_have_stores(const struct sums *sums)
{
    return sums->kind == ACCESS_STORE || sums->kind == ACCESS_LOAD_STORE;
}

void tally_add(struct tally *tally, const struct sums *sums)
{
    counted_join(&tally->samples, &sums->samples);
    counted_join(&tally->weight, &sums->weight);
    counted_join(&tally->squares, &sums->squares);
    if (sums_have_loads(sums))
        counted_join(&tally->loads, &sums->weight);
    if (sums_have_stores(sums))
        counted_join(&tally->stores, &sums->weight);
    if (sums->how >= ACCESS_INFERRED)
        counted_join(&tally->inferred, &sums->weight);
    if (sums->stacks)
        counted_join(&tally->stacks, &sums->weight);
}

void pair_add(struct pair *pair, const struct sums *sums)
{
    counted_join(&pair->samples, &sums->samples);
    counted_join(&pair->weight, &sums->weight);
    if (sums_have_loads(sums))
        counted_join(&pair->loads, &sums->weight);
    if (sums_have_stores(sums))
        counted_join(&pair->stores, &sums->weight);
}

void tally_rescale(struct tally *tally, double factor)
{
    counted_rescale(tally, sizeof *tally, factor);
    tally->squares.at[BASIS_DECAYED] *= factor;
}

void tallies_rescale(struct tallies *tallies, double factor)
{
    for (size_t i = 0; i < tallies->ids * tallies->events; i++)
        tally_rescale(&tallies->at[i], factor);
}

void count_rows_fini(struct count_rows *rows)
{
    free(rows->slots);
    free(rows->at);
    *rows = (struct count_rows){0};
}

void count_rows_clear(struct count_rows *rows)
{
    rows->count = 0;
    if (rows->slots)
        memset(rows->slots, 0, rows->slot_count * sizeof *rows->slots);
}

void count_rows_rescale(struct count_rows *rows, double factor)
{
    counted_rescale(rows->at, rows->count * rows->row_bytes, factor);
}

static void *count_rows_row(const struct count_rows *rows, const struct count_rows_slot *slot)
{
    return (char *)rows->at + (slot->row - 1) * rows->row_bytes;
}

void *count_rows_make(struct count_rows *rows, size_t row_bytes, size_t slot, uint64_t key)
{
    if (!array_reserve_index(&rows->slots, &rows->slot_count, slot, sizeof *rows->slots,
                             FIRST_SLOTS))
        return NULL;
    struct count_rows_slot *at = &rows->slots[slot];
    bool restarts = !at->row || at->key != key;
    if (!at->row) {
        if (!array_reserve_next(&rows->at, &rows->room, rows->count, row_bytes, ARRAY_UNBOUNDED))
            return NULL;
        rows->row_bytes = row_bytes;
        at->row = (uint32_t)++rows->count;
    }
    at->key = key;
    return restarts ? memset(count_rows_row(rows, at), 0, row_bytes) : count_rows_row(rows, at);
}

void *count_rows_find(const struct count_rows *rows, size_t slot, uint64_t key)
{
    const struct count_rows_slot *at = slot < rows->slot_count ? &rows->slots[slot] : NULL;
    return at && at->row && at->key == key ? count_rows_row(rows, at) : NULL;
}

int pairs_init(struct pairs *pairs, size_t count)
{
    size_t buckets = count / PAIRS_BUCKET;
    *pairs = (struct pairs){.at = calloc(count, sizeof(struct pair)), .count = count};
    pairs->buckets = array_alloc_in_lines(&pairs->memory, buckets, sizeof *pairs->buckets);
    if (pairs->at && pairs->buckets)
        return 0;
    pairs_fini(pairs);
    return -ENOMEM;
}

void pairs_fini(struct pairs *pairs)
{
    free(pairs->at);
    free(pairs->memory);
    *pairs = (struct pairs){0};
}

void pairs_clear(struct pairs *pairs)
{
    memset(pairs->buckets, 0, pairs->count / PAIRS_BUCKET * sizeof *pairs->buckets);
}

void pairs_rescale(struct pairs *pairs, double factor)
{
    struct pair *pair;
    for (size_t i = 0; (pair = pairs_next(pairs, &i));) {
        size_t index = (size_t)(pair - pairs->at);
        pairs->buckets[index / PAIRS_BUCKET].credit[index % PAIRS_BUCKET] *= factor;
        pair->vote_credit *= factor;
        pair->samples.at[BASIS_DECAYED] *= factor;
        pair->weight.at[BASIS_DECAYED] *= factor;
        pair->loads.at[BASIS_DECAYED] *= factor;
        pair->stores.at[BASIS_DECAYED] *= factor;
    }
}

/* Returns the empty slot of a bucket, or the one with the least credit. */
static unsigned bucket_poorest_slot(const struct pairs_bucket *bucket)
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
        &pairs->at[index * PAIRS_BUCKET + (i < PAIRS_BUCKET ? i : bucket_poorest_slot(bucket))];
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
    unsigned poorest = bucket_poorest_slot(bucket);
    if (bucket->hash[poorest]) {
        bucket->credit[poorest] -= credit;
        if (bucket->credit[poorest] > 0)
            return NULL;
    }
    bucket->hash[poorest] = hash;
    bucket->credit[poorest] = credit;
    rows[poorest] = (struct pair){.key = key, .owner = owner, .generation = ++pairs->generation};
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
    const struct pair *pair;
    for (size_t i = 0; (pair = pairs_next(pairs, &i));)
        if (PAIR_EVENT(pair->owner) == event)
            out[count++] = pair;
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

uint32_t thread_numbers_of(struct thread_numbers *numbers, uint32_t tid)
{
    uint32_t *number = hash_find(&numbers->number_of_tid, tid);
    if (!number && numbers->number_of_tid.count < THREADS_MAX) {
        number = hash_insert(&numbers->number_of_tid, tid, NULL);
        if (number) {
            *number = (uint32_t)numbers->number_of_tid.count - 1;
            numbers->tids[*number] = tid;
        }
    }
    return number ? *number : THREADS_MAX;
}

enum { UNPLACED_PAIRS = 1 << 12 };

int unplaced_init(struct unplaced *unplaced, uint16_t events)
{
    *unplaced = (struct unplaced){0};
    tallies_init(&unplaced->functions, events);
    unplaced->sorted = malloc(UNPLACED_PAIRS * sizeof *unplaced->sorted);
    return unplaced->sorted ? pairs_init(&unplaced->code, UNPLACED_PAIRS) : -ENOMEM;
}

void unplaced_fini(struct unplaced *unplaced)
{
    tallies_fini(&unplaced->functions);
    pairs_fini(&unplaced->code);
    free(unplaced->sorted);
    unplaced->sorted = NULL;
}

void unplaced_clear(struct unplaced *unplaced)
{
    tallies_clear(&unplaced->functions);
    pairs_clear(&unplaced->code);
    memset(unplaced->all, 0, sizeof unplaced->all);
    memset(unplaced->waited, 0, sizeof unplaced->waited);
    memset(unplaced->by_reason, 0, sizeof unplaced->by_reason);
}

void unplaced_rescale(struct unplaced *unplaced, double factor)
{
    tallies_rescale(&unplaced->functions, factor);
    pairs_rescale(&unplaced->code, factor);
    for (int i = 0; i < SAMPLE_EVENTS_MAX; i++) {
        tally_rescale(&unplaced->all[i], factor);
        tally_rescale(&unplaced->waited[i], factor);
        for (int k = 0; k < REASON_COUNT; k++)
            unplaced->by_reason[i][k].at[BASIS_DECAYED] *= factor;
    }
}

void unplaced_add(struct unplaced *unplaced, uint16_t event, enum reason reason,
                  struct tally *function, const struct sums *sums)
{
    reason = reason < REASON_COUNT ? reason : REASON_BAD_ADDRESS;
    tally_add(&unplaced->all[event], sums);
    counted_join(&unplaced->by_reason[event][reason], &sums->weight);
    if (!access_is_for_data(reason))
        return;
    tally_add(&unplaced->waited[event], sums);
    if (function)
        tally_add(function, sums);
}

const struct tally *unplaced_tally(const struct unplaced *unplaced, uint32_t function,
                                   uint16_t event)
{
    return function < unplaced->functions.ids ? tallies_at(&unplaced->functions, function, event)
                                              : NULL;
}
