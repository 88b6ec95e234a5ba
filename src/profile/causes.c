/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/causes.h"

#include "profile/tally.h"

#include <stdlib.h>
#include <string.h>

void causes_fini(struct causes *causes)
{
    free(causes->rows);
    pairs_fini(&causes->evictors);
    *causes = (struct causes){0};
}

void causes_clear(struct causes *causes)
{
    causes_fini(causes);
}

static void rescale(struct counted *counted, double factor)
{
    counted->at[BASIS_DECAYED] *= factor;
}

void causes_rescale(struct causes *causes, double factor)
{
    for (size_t i = 0; i < causes->objects * SAMPLE_EVENTS_MAX; i++) {
        struct causes_row *row = &causes->rows[i];
        rescale(&row->samples, factor);
        rescale(&row->evicted, factor);
        for (int cause = 0; cause < CAUSE_COUNT; cause++)
            rescale(&row->weight[cause], factor);
    }
    if (causes->evictors.at)
        pairs_rescale(&causes->evictors, factor);
}

/* Object ids are dense and bounded (tallies_reserve). */
static bool grow(struct causes *causes, uint32_t object)
{
    enum { STEP = 64 };
    if (object < causes->objects)
        return true;
    if (!causes->evictors.at && pairs_init(&causes->evictors, EVICTOR_PAIRS))
        return false;
    size_t count = ((size_t)object / STEP + 1) * STEP;
    count = count < 2 * causes->objects ? 2 * causes->objects : count;
    struct causes_row *rows =
        realloc(causes->rows, count * SAMPLE_EVENTS_MAX * sizeof *causes->rows);
    if (!rows)
        return false;
    memset(rows + causes->objects * SAMPLE_EVENTS_MAX, 0,
           (count - causes->objects) * SAMPLE_EVENTS_MAX * sizeof *rows);
    causes->rows = rows;
    causes->objects = count;
    return true;
}

static void add_evictor(struct causes *causes, uint32_t object, const struct place *place,
                        double scale)
{
    uint32_t owner = PAIR_OWNER(object, place->access.event);
    uint64_t key = EVICTOR_KEY(place->evictor_object, place->evictor_function);
    struct pair *pair = pairs_take(&causes->evictors, pairs_hash(owner, key), owner, key, scale);
    if (!pair)
        return;
    counted_add(&pair->samples, 1, scale);
    counted_add(&pair->weight, tally_weight(&place->access), scale);
}

void causes_add(struct causes *causes, uint32_t object, const struct place *place, double scale)
{
    const struct access *access = &place->access;
    if (access->cause == CAUSE_NOT_TOLD || access->cause >= CAUSE_COUNT ||
        access->event >= SAMPLE_EVENTS_MAX || !grow(causes, object))
        return;
    struct causes_row *row = &causes->rows[(size_t)object * SAMPLE_EVENTS_MAX + access->event];
    counted_add(&row->samples, 1, scale);
    counted_add(&row->weight[access->cause], tally_weight(access), scale);
    if (!place->evictor_function)
        return;
    counted_add(&row->evicted, tally_weight(access), scale);
    add_evictor(causes, object, place, scale);
}

const struct causes_row *causes_row(const struct causes *causes, uint32_t object, uint16_t event)
{
    if (object >= causes->objects || event >= SAMPLE_EVENTS_MAX)
        return NULL;
    const struct causes_row *row = &causes->rows[(size_t)object * SAMPLE_EVENTS_MAX + event];
    return row->samples.at[BASIS_RUN] > 0 ? row : NULL;
}
