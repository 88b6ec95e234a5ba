/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions x objects (snapshot_code.h): margins from the tallies, cells from the pairs. */
#include "profile/matrix_filling.h"

#include <math.h>
#include <stdlib.h>

struct ranked {
    uint32_t index;
    double share;
};

static int most_share(const void *left, const void *right)
{
    const struct ranked *a = left;
    const struct ranked *b = right;
    if (a->share != b->share)
        return a->share > b->share ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

static size_t list(struct ranked *ranked, size_t count, size_t most, uint32_t *indices)
{
    size_t used = 0;
    qsort(ranked, count, sizeof *ranked, most_share);
    while (used < count && used < most && ranked[used].share > 0) {
        indices[used] = ranked[used].index;
        used++;
    }
    return used;
}

static void rank(struct build *build, struct snapshot_matrix *matrix)
{
    const struct snapshot *snapshot = build->snapshot;
    struct ranked *ranked =
        calloc(snapshot->code_count + snapshot->object_count + 1, sizeof *ranked);
    build->failed |= !ranked;
    for (size_t i = 0; ranked && i < snapshot->code_count; i++)
        ranked[i] = (struct ranked){(uint32_t)i, snapshot->code[i].all_share};
    if (ranked)
        matrix->row_count = list(ranked, snapshot->code_count, SNAPSHOT_MATRIX_ROWS, matrix->rows);
    for (size_t i = 0; ranked && i < snapshot->object_count; i++)
        ranked[i] = (struct ranked){(uint32_t)i, snapshot->objects[i].share.value};
    if (ranked)
        matrix->column_count =
            list(ranked, snapshot->object_count, SNAPSHOT_MATRIX_COLUMNS, matrix->columns);
    free(ranked);
}

static struct snapshot_matrix_cell cell_of(const struct matrix_filling *filling,
                                           const double amount[QUANTITIES])
{
    double all = filling->all[WEIGHT] + filling->unplaced[WEIGHT];
    struct snapshot_matrix_cell cell = {.samples = amount[SAMPLES],
                                        .share = all > 0 ? amount[WEIGHT] / all : NAN,
                                        .loads = amount[LOADS],
                                        .stores = amount[STORES],
                                        .cycles = filling->timed ? amount[CYCLES] : NAN};
    for (int i = 0; i < SNAPSHOT_MEASURES; i++)
        cell.by[i] = filling->others[i] >= 0 ? amount[OTHERS + i] : NAN;
    return cell;
}

/* Latencies are told of what has an object only. */
static struct snapshot_matrix_cell nobody_of(const struct matrix_filling *filling,
                                             const double amount[QUANTITIES])
{
    struct snapshot_matrix_cell cell = cell_of(filling, amount);
    cell.cycles = NAN;
    return cell;
}

static void write_margins(struct matrix_filling *filling, struct snapshot_matrix *matrix)
{
    double amount[QUANTITIES];
    for (int i = 0; i < QUANTITIES; i++)
        amount[i] = filling->all[i] + filling->unplaced[i];
    matrix->all = cell_of(filling, amount);
    for (size_t row = 0; row < filling->rows + SNAPSHOT_MATRIX_REST; row++) {
        for (int i = 0; i < QUANTITIES; i++)
            amount[i] = filling->row_left[i][row] + filling->nobody[i][row];
        matrix->row_totals[row] = cell_of(filling, amount);
    }
    for (size_t column = 0; column <= filling->columns; column++) {
        for (int i = 0; i < QUANTITIES; i++)
            amount[i] = filling->column_left[i][column];
        matrix->column_totals[column] = cell_of(filling, amount);
    }
    matrix->column_totals[filling->columns + 1] = nobody_of(filling, filling->unplaced);
    matrix->row_totals[filling->rows + 1].cycles = NAN;
}

static void write_cells(const struct matrix_filling *filling, struct snapshot_matrix *matrix)
{
    size_t width = filling->columns + SNAPSHOT_MATRIX_REST;
    double amount[QUANTITIES];
    for (size_t row = 0; row < filling->rows + SNAPSHOT_MATRIX_REST; row++) {
        for (size_t column = 0; column < width; column++) {
            for (int i = 0; i < QUANTITIES; i++)
                amount[i] = filling->cells[i][row * width + column];
            matrix->cells[row * width + column] = cell_of(filling, amount);
        }
        for (int i = 0; i < QUANTITIES; i++)
            amount[i] = filling->nobody[i][row];
        matrix->cells[row * width + width - 1] = nobody_of(filling, amount);
    }
}

static void fill(struct build *build, const struct matrix_axes *axes,
                 struct matrix_filling *filling, struct snapshot_matrix *matrix)
{
    double forgotten[QUANTITIES];
    double inner[QUANTITIES];
    matrix_filling_open(build, axes, matrix, filling);
    write_margins(filling, matrix);
    matrix_filling_put(build, axes, filling, forgotten, inner);
    write_cells(filling, matrix);
    double all = filling->all[WEIGHT];
    matrix->forgotten = all > 0 ? forgotten[WEIGHT] / all : NAN;
    matrix->estimated = all > 0 ? inner[WEIGHT] / all : NAN;
    matrix->attributed = all > 0 ? all / (all + filling->unplaced[WEIGHT]) : NAN;
}

void build_matrix(struct build *build)
{
    struct snapshot_matrix *matrix = &build->snapshot->matrix;
    *matrix = (struct snapshot_matrix){0};
    rank(build, matrix);
    if (build->failed || !matrix->row_count || !matrix->column_count) {
        matrix->row_count = matrix->column_count = 0;
        return;
    }
    size_t rows = matrix->row_count + SNAPSHOT_MATRIX_REST;
    size_t columns = matrix->column_count + SNAPSHOT_MATRIX_REST;
    matrix->row_totals = arena_array(build->arena, rows, sizeof(*matrix->cells));
    matrix->column_totals = arena_array(build->arena, columns, sizeof(*matrix->cells));
    matrix->cells = arena_array(build->arena, rows * columns, sizeof(*matrix->cells));
    struct matrix_filling *filling = calloc(1, sizeof *filling);
    struct matrix_axes axes;
    build->failed |= matrix_axes_init(&axes, build, matrix) || !matrix->row_totals ||
                     !matrix->column_totals || !matrix->cells || !filling;
    if (!build->failed) {
        fill(build, &axes, filling, matrix);
        build_cells(build, &axes);
    }
    matrix_axes_fini(&axes);
    free(filling);
}
