/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Misses by cause, in rows that are made where a cause is told for the first time. Whose row it is
 * says a slot: a dense id, or the index of a pair (pairs.h), whose hash is then the key, for
 * another pair may have taken its place. Private to src/profile.
 */
#ifndef MISSTOP_PROFILE_CAUSES_TABLE_H
#define MISSTOP_PROFILE_CAUSES_TABLE_H

#include "place.h"
#include "profile/decay.h"

#include <stdbool.h>
#include <stddef.h>

/* All but samples: weights. */
struct causes_row {
    struct counted samples;
    struct counted weight[CAUSE_COUNT]; /* [CAUSE_NOT_TOLD] is unused */
    struct counted evicted;             /* whose evictor is known */
    struct counted by_itself;           /* ... and is whom this row is of */
    struct counted early_same;  /* thrown out to make room, by accesses to the same object */
    struct counted early_other; /* ... to another one */
};

struct causes_slot {
    uint64_t key;
    uint32_t row; /* index + 1; 0: none */
};

struct causes_table {
    struct causes_slot *slots;
    size_t slot_count;
    struct causes_row *rows;
    size_t row_count;
    size_t row_room;
};

void causes_table_fini(struct causes_table *table);
void causes_table_rescale(struct causes_table *table, double factor);

/* The row of a slot, empty if it was another key's; the caller bounds the slots. Valid until the
 * next one is asked for. NULL: no memory. */
struct causes_row *causes_table_row(struct causes_table *table, size_t slot, uint64_t key);

/* The same for reading; NULL: there is none. */
const struct causes_row *causes_table_find(const struct causes_table *table, size_t slot,
                                           uint64_t key);

/* One miss, of a row whose own accesses threw the line out or did not. */
void causes_row_add(struct causes_row *row, const struct place *place, bool by_itself,
                    double scale);

/* Whether anything is known of who threw the line out. */
static inline bool causes_evicted(const struct place *place)
{
    return place->evictor_function || place->evictor_object;
}

#endif
