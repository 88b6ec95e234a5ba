/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/cache/causes.h"

#include <stdlib.h>

#include "base/array.h"
#include "profile/tables/tally.h"
#include "snapshot_causes.h"

/* Counts a premature eviction. A line that another thread's write invalidated is not premature. */
static void add_early_eviction(struct causes_row *row, const struct place *place, double weight,
                               double scale)
{
    if (place->access.cause < CAUSE_INCLUSION || !place->evictor_object)
        return;
    bool same = place->evictor_object == place->object;
    counted_add(same ? &row->early_same : &row->early_other, weight, scale);
}

/* Adds one miss. `by_itself`: the row's own accesses evicted the line. */
static void causes_row_add(struct causes_row *row, const struct place *place, bool by_itself,
                           double scale)
{
    double weight = tally_weight(&place->access);
    counted_add(&row->samples, 1, scale);
    counted_add(&row->weight[place->access.cause], weight, scale);
    if (!causes_evicted(place))
        return;
    counted_add(&row->evicted, weight, scale);
    if (by_itself)
        counted_add(&row->self_evicted, weight, scale);
    add_early_eviction(row, place, weight, scale);
}

void causes_fini(struct causes *causes)
{
    count_rows_fini(&causes->objects);
    count_rows_fini(&causes->functions);
    count_rows_fini(&causes->threads);
    count_rows_fini(&causes->offsets);
    count_rows_fini(&causes->code);
    pairs_fini(&causes->evictors);
    pairs_fini(&causes->cell_evictors);
    pairs_fini(&causes->thread_evictors);
}

void causes_rescale(struct causes *causes, double factor)
{
    count_rows_rescale(&causes->objects, factor);
    count_rows_rescale(&causes->functions, factor);
    count_rows_rescale(&causes->threads, factor);
    count_rows_rescale(&causes->offsets, factor);
    count_rows_rescale(&causes->code, factor);
    if (!causes->evictors.at)
        return;
    pairs_rescale(&causes->evictors, factor);
    pairs_rescale(&causes->cell_evictors, factor);
    pairs_rescale(&causes->thread_evictors, factor);
}

static bool has_pairs(struct causes *causes)
{
    if (causes->evictors.at)
        return true;
    if (pairs_init(&causes->evictors, EVICTOR_PAIRS))
        return false;
    if (!pairs_init(&causes->cell_evictors, EVICTOR_PAIRS) &&
        !pairs_init(&causes->thread_evictors, EVICTOR_THREADS))
        return true;
    pairs_fini(&causes->cell_evictors);
    pairs_fini(&causes->evictors);
    return false;
}

static void add_pair(struct pairs *pairs, uint64_t hash, uint32_t owner, uint64_t key,
                     uint32_t function, double weight, double scale)
{
    struct pair *pair = pairs_take(pairs, hash, owner, key, scale);
    if (!pair)
        return;
    pair->extra = function;
    counted_add(&pair->samples, 1, scale);
    counted_add(&pair->weight, weight, scale);
}

static void add_thread(struct causes *causes, unsigned of, uint32_t id, uint32_t function,
                       const struct causes_bins *bins, const struct place *place, double scale)
{
    uint32_t owner = PAIR_OWNER(id, place->access.event);
    uint64_t key = EVICTOR_THREAD_KEY(of, function, bins->evictor_thread);
    add_pair(&causes->thread_evictors, pairs_hash(owner, key), owner, key, 0,
             tally_weight(&place->access), scale);
}

static void add_threads(struct causes *causes, const struct causes_bins *bins,
                        const struct place *place, double scale)
{
    if (bins->evictor_thread == UINT32_MAX)
        return;
    add_thread(causes, CAUSES_OBJECTS, bins->object, 0, bins, place, scale);
    add_thread(causes, CAUSES_FUNCTIONS, bins->function, 0, bins, place, scale);
    add_thread(causes, CAUSES_THREADS, bins->thread, 0, bins, place, scale);
    add_thread(causes, CAUSES_KINDS, bins->object, bins->function, bins, place, scale);
}

static void add_evictor(struct causes *causes, const struct causes_bins *bins,
                        const struct place *place, double scale)
{
    uint32_t owner = PAIR_OWNER(bins->object, place->access.event);
    uint64_t key = EVICTOR_KEY(place->evictor_object, place->evictor_function);
    uint64_t hash = pairs_hash(owner, key);
    double weight = tally_weight(&place->access);
    add_pair(&causes->evictors, hash, owner, key, 0, weight, scale);
    add_pair(&causes->cell_evictors, hash_mix(hash ^ bins->function) | 1, owner, key,
             bins->function, weight, scale);
    add_threads(causes, bins, place, scale);
}

static void add_to_row(struct count_rows *rows, size_t slot, uint64_t key,
                       const struct place *place, bool by_itself, double scale)
{
    struct causes_row *row = count_rows_make(rows, sizeof *row, slot, key);
    if (row)
        causes_row_add(row, place, by_itself, scale);
}

void causes_add(struct causes *causes, const struct causes_bins *bins, const struct place *place,
                double scale)
{
    const struct access *access = &place->access;
    if (access->cause == CAUSE_NOT_KNOWN || access->cause >= CAUSE_COUNT ||
        access->event >= SAMPLE_EVENTS_MAX || !has_pairs(causes))
        return;
    bool by_object = place->evictor_object && place->evictor_object == place->object;
    bool by_function = place->evictor_function && place->evictor_function == place->function;
    add_to_row(&causes->objects, CAUSES_SLOT(bins->object, access->event), 0, place, by_object,
               scale);
    add_to_row(&causes->functions, CAUSES_SLOT(bins->function, access->event), 0, place,
               by_function, scale);
    add_to_row(&causes->threads, CAUSES_SLOT(bins->thread, access->event), 0, place,
               access->evictor_tid == access->tid, scale);
    if (bins->offset != CAUSES_NO_PAIR)
        add_to_row(&causes->offsets, bins->offset, bins->offset_hash, place, by_object, scale);
    if (bins->code != CAUSES_NO_PAIR)
        add_to_row(&causes->code, bins->code, bins->code_hash, place, by_object && by_function,
                   scale);
    if (causes_evicted(place))
        add_evictor(causes, bins, place, scale);
}
