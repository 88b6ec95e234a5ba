/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/causes_table.h"

#include "base/array.h"
#include "profile/tally.h"

#include <stdlib.h>

enum { FIRST_SLOTS = 1024 };

void causes_table_fini(struct causes_table *table)
{
    free(table->slots);
    free(table->rows);
    *table = (struct causes_table){0};
}

static void rescale(struct counted *counted, double factor)
{
    counted->at[BASIS_DECAYED] *= factor;
}

void causes_table_rescale(struct causes_table *table, double factor)
{
    for (size_t i = 0; i < table->row_count; i++) {
        struct causes_row *row = &table->rows[i];
        rescale(&row->samples, factor);
        rescale(&row->evicted, factor);
        rescale(&row->by_itself, factor);
        rescale(&row->early_same, factor);
        rescale(&row->early_other, factor);
        for (int cause = 0; cause < CAUSE_COUNT; cause++)
            rescale(&row->weight[cause], factor);
    }
}

struct causes_row *causes_table_row(struct causes_table *table, size_t slot, uint64_t key)
{
    struct causes_slot *slots =
        array_reach(table->slots, &table->slot_count, slot, sizeof *slots, FIRST_SLOTS);
    if (!slots)
        return NULL;
    table->slots = slots;
    struct causes_slot *at = &table->slots[slot];
    if (!at->row) {
        struct causes_row *rows = array_more(table->rows, &table->row_room, table->row_count,
                                             sizeof *rows, ARRAY_UNBOUNDED);
        if (!rows)
            return NULL;
        table->rows = rows;
        at->row = (uint32_t)++table->row_count;
        at->key = ~key;
    }
    struct causes_row *row = &table->rows[at->row - 1];
    if (at->key != key) {
        at->key = key;
        *row = (struct causes_row){0};
    }
    return row;
}

const struct causes_row *causes_table_find(const struct causes_table *table, size_t slot,
                                           uint64_t key)
{
    const struct causes_slot *at = slot < table->slot_count ? &table->slots[slot] : NULL;
    return at && at->row && at->key == key ? &table->rows[at->row - 1] : NULL;
}

/* Only what had to make room: a line that another thread's write took away was not too early. */
static void add_early(struct causes_row *row, const struct place *place, double weight,
                      double scale)
{
    if (place->access.cause < CAUSE_INCLUSION || !place->evictor_object)
        return;
    bool same = place->evictor_object == place->object;
    counted_add(same ? &row->early_same : &row->early_other, weight, scale);
}

void causes_row_add(struct causes_row *row, const struct place *place, bool by_itself, double scale)
{
    double weight = tally_weight(&place->access);
    counted_add(&row->samples, 1, scale);
    counted_add(&row->weight[place->access.cause], weight, scale);
    if (!causes_evicted(place))
        return;
    counted_add(&row->evicted, weight, scale);
    if (by_itself)
        counted_add(&row->by_itself, weight, scale);
    add_early(row, place, weight, scale);
}
