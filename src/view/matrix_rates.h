/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How often what a cell of the matrix stands for misses, or a total, also of lines that were
 * combined. For matrix_cell.c. */
#ifndef MISSTOP_VIEW_MATRIX_RATES_H
#define MISSTOP_VIEW_MATRIX_RATES_H

#include "view/matrix_table.h"

/* `row` and `column` as in struct matrix_grid; `joined` is room for what has to be made. NULL: not
 * known. */
const struct snapshot_rates *matrix_rates(const struct matrix_table *table, size_t row,
                                          size_t column, struct snapshot_rates *joined);

#endif
