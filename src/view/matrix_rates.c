/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/matrix_rates.h"

#include "profile/tables/rates.h"

/* Whether a part of the snapshot's matrix is one of those that the rates are made of. */
static bool belongs(const struct matrix_table *table, size_t row, size_t column,
                    const struct snapshot_matrix_rated *rated)
{
    bool all_rows = rated->row == SNAPSHOT_MATRIX_ALL;
    bool all_columns = rated->column == SNAPSHOT_MATRIX_ALL;
    return all_rows == !row && all_columns == !column &&
           (all_rows || table->row_of[rated->row] + (size_t)1 == row) &&
           (all_columns || table->column_of[rated->column] + (size_t)1 == column);
}

static const struct snapshot_rates *join(const struct matrix_table *table, size_t row,
                                         size_t column, struct snapshot_rates *joined)
{
    const struct snapshot_matrix *matrix = &table->snapshot->matrix;
    struct rates_sums sums = {0};
    size_t parts = 0;
    for (size_t i = 0; i < matrix->rated_count; i++)
        if (belongs(table, row, column, &matrix->rated[i])) {
            rates_join(&sums, matrix->rated[i].sums);
            parts++;
        }
    bool known = parts && matrix->rates_plan &&
                 rates_make(matrix->rates_plan, &sums, matrix->rates_all, joined);
    return known ? joined : NULL;
}

/* Of one line as its own screen has them, for they may be exact; never of the others, whose parts
 * are not all known. */
const struct snapshot_rates *matrix_rates(const struct matrix_table *table, size_t row,
                                          size_t column, struct snapshot_rates *joined)
{
    const struct snapshot *snapshot = table->snapshot;
    const struct matrix_line *function = row ? &table->rows[row - 1] : NULL;
    const struct matrix_line *object = column ? &table->columns[column - 1] : NULL;
    bool exact = snapshot->rates && snapshot->rates->from == RATES_EXACT;
    if (!row && !column)
        return snapshot->rates;
    if ((row && !function->members) || (column && !object->members))
        return NULL;
    if (!column && function->members == 1)
        return snapshot->code[function->index].rates;
    if (!row && object->members == 1)
        return snapshot->objects[object->index].rates;
    return exact && (!row || !column) ? NULL : join(table, row, column, joined);
}
