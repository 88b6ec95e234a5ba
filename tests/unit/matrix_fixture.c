/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "matrix_fixture.h"

static void add(struct snapshot_matrix_cell *sum, const struct snapshot_matrix_cell *cell)
{
    sum->samples += cell->samples;
    sum->share += cell->share;
    sum->loads += cell->loads;
    sum->stores += cell->stores;
}

/* Whole samples of 10,000, fewer the further down and right; totals follow from them. */
static void fill_cells(struct snapshot_matrix *matrix)
{
    for (size_t i = 0; i <= matrix->row_count; i++)
        for (size_t k = 0; k <= matrix->column_count; k++) {
            struct snapshot_matrix_cell *cell = &matrix->cells[i * (matrix->column_count + 1) + k];
            cell->samples = i == k + 1 ? 0 : (double)(2000 / ((i + 1) * (k + 1)));
            cell->share = cell->samples / 10000;
            cell->loads = cell->samples / 4;
            cell->stores = cell->samples - cell->loads;
            add(&matrix->row_totals[i], cell);
            add(&matrix->column_totals[k], cell);
            add(&matrix->all, cell);
        }
}

void matrix_fixture_fill(struct arena *arena, struct snapshot *snapshot)
{
    struct snapshot_matrix *matrix = &snapshot->matrix;
    size_t rows = snapshot->code_count;
    size_t columns = snapshot->object_count;
    matrix->row_count = rows < SNAPSHOT_MATRIX_ROWS ? rows : SNAPSHOT_MATRIX_ROWS;
    matrix->column_count = columns < SNAPSHOT_MATRIX_COLUMNS ? columns : SNAPSHOT_MATRIX_COLUMNS;
    for (size_t i = 0; i < matrix->row_count; i++)
        matrix->rows[i] = (uint32_t)i;
    for (size_t k = 0; k < matrix->column_count; k++)
        matrix->columns[k] = (uint32_t)k;
    matrix->row_totals = arena_array(arena, matrix->row_count + 1, sizeof *matrix->cells);
    matrix->column_totals = arena_array(arena, matrix->column_count + 1, sizeof *matrix->cells);
    matrix->cells = arena_array(arena, (matrix->row_count + 1) * (matrix->column_count + 1),
                                sizeof *matrix->cells);
    fill_cells(matrix);
}
