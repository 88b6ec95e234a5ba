/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/causes.h"

#include "profile/tally.h"

void causes_fini(struct causes *causes)
{
    causes_table_fini(&causes->objects);
    causes_table_fini(&causes->functions);
    causes_table_fini(&causes->threads);
    causes_table_fini(&causes->offsets);
    causes_table_fini(&causes->code);
    pairs_fini(&causes->evictors);
    pairs_fini(&causes->cell_evictors);
}

void causes_clear(struct causes *causes)
{
    causes_fini(causes);
}

void causes_rescale(struct causes *causes, double factor)
{
    causes_table_rescale(&causes->objects, factor);
    causes_table_rescale(&causes->functions, factor);
    causes_table_rescale(&causes->threads, factor);
    causes_table_rescale(&causes->offsets, factor);
    causes_table_rescale(&causes->code, factor);
    if (!causes->evictors.at)
        return;
    pairs_rescale(&causes->evictors, factor);
    pairs_rescale(&causes->cell_evictors, factor);
}

static bool has_pairs(struct causes *causes)
{
    if (causes->evictors.at)
        return true;
    if (pairs_init(&causes->evictors, EVICTOR_PAIRS))
        return false;
    if (!pairs_init(&causes->cell_evictors, EVICTOR_PAIRS))
        return true;
    pairs_fini(&causes->evictors);
    return false;
}

static void add_pair(struct pairs *pairs, uint64_t hash, uint32_t function,
                     const struct place *place, uint32_t owner, double scale)
{
    uint64_t key = EVICTOR_KEY(place->evictor_object, place->evictor_function);
    struct pair *pair = pairs_take(pairs, hash, owner, key, scale);
    if (!pair)
        return;
    pair->extra = function;
    counted_add(&pair->samples, 1, scale);
    counted_add(&pair->weight, tally_weight(&place->access), scale);
}

static void add_evictor(struct causes *causes, const struct causes_bins *bins,
                        const struct place *place, double scale)
{
    uint32_t owner = PAIR_OWNER(bins->object, place->access.event);
    uint64_t hash = pairs_hash(owner, EVICTOR_KEY(place->evictor_object, place->evictor_function));
    add_pair(&causes->evictors, hash, 0, place, owner, scale);
    add_pair(&causes->cell_evictors, hash_mix(hash ^ bins->function) | 1, bins->function, place,
             owner, scale);
}

static void add_to(struct causes_table *table, size_t slot, uint64_t key, const struct place *place,
                   bool by_itself, double scale)
{
    struct causes_row *row = causes_table_row(table, slot, key);
    if (row)
        causes_row_add(row, place, by_itself, scale);
}

void causes_add(struct causes *causes, const struct causes_bins *bins, const struct place *place,
                double scale)
{
    const struct access *access = &place->access;
    if (access->cause == CAUSE_NOT_TOLD || access->cause >= CAUSE_COUNT ||
        access->event >= SAMPLE_EVENTS_MAX || !has_pairs(causes))
        return;
    bool by_object = place->evictor_object && place->evictor_object == place->object;
    bool by_function = place->evictor_function && place->evictor_function == place->function;
    add_to(&causes->objects, CAUSES_SLOT(bins->object, access->event), 0, place, by_object, scale);
    add_to(&causes->functions, CAUSES_SLOT(bins->function, access->event), 0, place, by_function,
           scale);
    add_to(&causes->threads, CAUSES_SLOT(bins->thread, access->event), 0, place, false, scale);
    if (bins->offset != CAUSES_NO_PAIR)
        add_to(&causes->offsets, bins->offset, bins->offset_hash, place, by_object, scale);
    if (bins->code != CAUSES_NO_PAIR)
        add_to(&causes->code, bins->code, bins->code_hash, place, by_object && by_function, scale);
    if (causes_evicted(place))
        add_evictor(causes, bins, place, scale);
}
