/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "matrix_fixture.h"

#include <math.h>

enum { LATENCY = 100, THREADS = 3 };

static void add(struct snapshot_matrix_cell *sum, const struct snapshot_matrix_cell *cell)
{
    sum->samples += cell->samples;
    sum->share += cell->share;
    sum->loads += cell->loads;
    sum->stores += cell->stores;
    sum->cycles += cell->cycles;
    for (int i = 0; i < SNAPSHOT_MEASURES; i++)
        sum->by[i] += cell->by[i];
}

/* Whole samples of 10,000, fewer the further down and right; totals follow from them. */
static void fill_cells(struct snapshot_matrix *matrix, bool timed)
{
    for (size_t i = 0; i <= matrix->row_count; i++)
        for (size_t k = 0; k <= matrix->column_count; k++) {
            struct snapshot_matrix_cell *cell =
                &matrix->cells[i * (matrix->column_count + SNAPSHOT_MATRIX_REST) + k];
            cell->samples = i == k + 1 ? 0 : (double)(2000 / ((i + 1) * (k + 1)));
            cell->share = cell->samples / 10000;
            cell->loads = cell->samples / 4;
            cell->stores = cell->samples - cell->loads;
            cell->cycles = timed ? cell->samples * LATENCY * (double)(k + 1) : NAN;
            for (int m = 0; m < SNAPSHOT_MEASURES; m++)
                cell->by[m] = NAN;
            add(&matrix->row_totals[i], cell);
            add(&matrix->column_totals[k], cell);
            add(&matrix->all, cell);
        }
}

/* Each cell has two sites, a block for each of three threads, and the levels of its object. */
static void fill_parts(struct arena *arena, struct snapshot *snapshot)
{
    struct snapshot_matrix *matrix = &snapshot->matrix;
    size_t width = matrix->column_count + SNAPSHOT_MATRIX_REST;
    size_t cells = (matrix->row_count + SNAPSHOT_MATRIX_REST) * width;
    matrix->sites = arena_array(arena, 2 * cells, sizeof *matrix->sites);
    matrix->blocks = arena_array(arena, THREADS * cells, sizeof *matrix->blocks);
    matrix->found = arena_array(arena, cells, sizeof *matrix->found);
    for (size_t at = 0; at < cells; at++) {
        uint16_t row = (uint16_t)(at / width);
        uint16_t column = (uint16_t)(at % width);
        double samples = matrix->cells[at].samples;
        const struct snapshot_object *object =
            column < matrix->column_count ? &snapshot->objects[column] : NULL;
        for (uint32_t i = 0; samples > 0 && i < 2; i++)
            matrix->sites[matrix->site_count++] =
                (struct snapshot_matrix_site){.row = row,
                                              .column = column,
                                              .file = "/src/loop.c",
                                              .line = row * 10u + i,
                                              .field = !i                     ? NULL
                                                       : object && column % 2 ? object->name
                                                                              : "thing.key",
                                              .address = 0x1000 + at * 8 + i,
                                              .samples = i ? samples / 4 : samples * 3 / 4,
                                              .loads = i ? 0 : samples / 4,
                                              .stores = i ? samples / 4 : samples / 2};
        for (uint32_t i = 0; samples > 0 && i < THREADS; i++)
            matrix->blocks[matrix->block_count++] = (struct snapshot_matrix_block){
                row, column, 7000 + i, 0x7000 + column * 0x100u, (uint32_t)samples / (i + 1) + 1};
        if (samples > 0 && object && object->levels)
            matrix->found[matrix->found_count++] =
                (struct snapshot_matrix_found){row, column, object->levels};
    }
    matrix->recent = 4096;
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
    size_t all_rows = matrix->row_count + SNAPSHOT_MATRIX_REST;
    size_t all_columns = matrix->column_count + SNAPSHOT_MATRIX_REST;
    matrix->row_totals = arena_array(arena, all_rows, sizeof *matrix->cells);
    matrix->column_totals = arena_array(arena, all_columns, sizeof *matrix->cells);
    matrix->cells = arena_array(arena, all_rows * all_columns, sizeof *matrix->cells);
    matrix->attributed = 1;
    fill_cells(matrix, snapshot->levels);
    fill_parts(arena, snapshot);
}
