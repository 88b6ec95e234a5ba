/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A place as a row of numbers, and back; its time is told beside the row. For src/store only. */
#ifndef MISSTOP_STORE_PLACE_ROW_H
#define MISSTOP_STORE_PLACE_ROW_H

#include "place.h"
#include "store/form_items.h"

#include <stdbool.h>
#include <stdint.h>

void place_row_fill(uint64_t row[PLACE_ROW_FIELDS], const struct place *place);

/* Of a row that may come from anyone: enums are made to fit, the base lies at or below the
 * address. Time and event are left to be checked by the caller, who knows their bounds. */
void place_row_read(const uint64_t row[PLACE_ROW_FIELDS], struct place *place);

/* Accesses of one instruction are alike: it decides which earlier place one is told from. */
unsigned place_row_slot(const uint64_t row[PLACE_ROW_FIELDS]);

/* Whether there may be an object, function, type or instruction that `before` did not have. */
static inline bool place_row_new_ids(const uint64_t *now, const uint64_t *before)
{
    return now[PLACE_ROW_OBJECT] != before[PLACE_ROW_OBJECT] ||
           now[PLACE_ROW_IP] != before[PLACE_ROW_IP] ||
           now[PLACE_ROW_FUNCTION] != before[PLACE_ROW_FUNCTION] ||
           now[PLACE_ROW_HOLDER] != before[PLACE_ROW_HOLDER] ||
           now[PLACE_ROW_TYPE] != before[PLACE_ROW_TYPE] ||
           now[PLACE_ROW_EVICTOR_OBJECT] != before[PLACE_ROW_EVICTOR_OBJECT] ||
           now[PLACE_ROW_EVICTOR_FUNCTION] != before[PLACE_ROW_EVICTOR_FUNCTION];
}

#endif
