/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a simulation tells of lines as rows of numbers, and back: lines one by one, and pairs of
 * instructions, which writer and reader keep. For src/store only. */
#ifndef MISSTOP_STORE_LINE_ROW_H
#define MISSTOP_STORE_LINE_ROW_H

#include "place.h"
#include "store/form_items.h"
#include "store/rows.h"

#include <stdbool.h>

/* `since_ns`: since the line before. Who ran, and on which CPU, is not kept: no table asks. */
void line_row_fill(uint64_t row[LINE_ROW_FIELDS], const struct line_place *line, uint64_t since_ns);

/* false: no simulation tells such a line. Its time is left to the caller. */
bool line_row_read(const uint64_t row[LINE_ROW_FIELDS], struct line_place *line);

/* What one instruction is told of is alike: it decides which earlier line one is told from. */
unsigned line_row_slot(const uint64_t row[LINE_ROW_FIELDS]);

/* Whether there may be an object, function, type or instruction that `before` did not have. */
bool line_row_new_ids(const uint64_t *now, const uint64_t *before);

/* `place`: where a simulation keeps the pair, for good. */
uint64_t pair_row_id(enum line_pairs kind, uint8_t level, uint32_t place);

/* As sampler_pair(), of rows under such ids. */
bool pair_row_next(const struct rows *rows, enum line_pairs kind, uint8_t level, uint32_t *at,
                   struct line_pair *out);

#endif
