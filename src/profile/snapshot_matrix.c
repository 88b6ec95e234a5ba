/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions x objects (snapshot_matrix.h): margins from the tallies, cells from the pairs. */
#include "profile/matrix_axes.h"

#include <math.h>
#include <stdlib.h>

enum quantity { SAMPLES, WEIGHT, LOADS, STORES, CYCLES, QUANTITIES };
enum { ROWS = SNAPSHOT_MATRIX_ROWS + 1, COLUMNS = SNAPSHOT_MATRIX_COLUMNS + 1 };

/* Less than this part of everything is what sums of decayed weights differ by. */
static const double rounding = 1e-9;

/* What is not in a cell yet, by row and column; the others come last. */
struct filling {
    size_t rows;
    size_t columns;
    bool timed; /* the source tells latencies */
    double all[QUANTITIES];
    double row_left[QUANTITIES][ROWS];
    double column_left[QUANTITIES][COLUMNS];
    double cells[QUANTITIES][ROWS * COLUMNS];
};

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
        ranked[i] = (struct ranked){(uint32_t)i, snapshot->code[i].share.value};
    if (ranked)
        matrix->row_count = list(ranked, snapshot->code_count, SNAPSHOT_MATRIX_ROWS, matrix->rows);
    for (size_t i = 0; ranked && i < snapshot->object_count; i++)
        ranked[i] = (struct ranked){(uint32_t)i, snapshot->objects[i].share.value};
    if (ranked)
        matrix->column_count =
            list(ranked, snapshot->object_count, SNAPSHOT_MATRIX_COLUMNS, matrix->columns);
    free(ranked);
}

/* `levels` NULL: nothing was told. */
static void read_amounts(const struct build *build, const struct tally *tally,
                         const struct levels *levels, double out[QUANTITIES])
{
    out[SAMPLES] = build_read(build, &tally->samples);
    out[WEIGHT] = build_read(build, &tally->weight);
    out[LOADS] = build_read(build, &tally->loads);
    out[STORES] = build_read(build, &tally->stores);
    out[CYCLES] = build_cycles(build, levels);
}

static void open_row(struct build *build, struct filling *filling, size_t row, uint32_t function)
{
    const struct profile *profile = build->profile;
    double amount[QUANTITIES];
    size_t slot = (size_t)function * profile->functions.events + build->event;
    read_amounts(build, tallies_at(&profile->functions, function, build->event),
                 levels_find(&profile->function_levels, slot, 1), amount);
    for (int i = 0; i < QUANTITIES; i++) {
        filling->row_left[i][row] = amount[i];
        filling->row_left[i][filling->rows] -= amount[i];
    }
}

static void open_column(struct build *build, struct filling *filling, size_t column,
                        uint32_t object)
{
    const struct profile *profile = build->profile;
    double amount[QUANTITIES];
    size_t slot = (size_t)object * profile->objects.events + build->event;
    read_amounts(build, tallies_at(&profile->objects, object, build->event),
                 levels_find(&profile->object_levels, slot, 1), amount);
    for (int i = 0; i < QUANTITIES; i++) {
        filling->column_left[i][column] = amount[i];
        filling->column_left[i][filling->columns] -= amount[i];
    }
}

/* The others have what the listed ones have not. */
static void open_margins(struct build *build, struct filling *filling,
                         const struct snapshot_matrix *matrix)
{
    const struct snapshot *snapshot = build->snapshot;
    filling->rows = matrix->row_count;
    filling->columns = matrix->column_count;
    read_amounts(build, &build->profile->all[build->event],
                 &build->profile->all_levels[build->event], filling->all);
    filling->timed = filling->all[CYCLES] > 0;
    for (int i = 0; i < QUANTITIES; i++)
        filling->row_left[i][filling->rows] = filling->column_left[i][filling->columns] =
            filling->all[i];
    for (size_t i = 0; i < filling->rows; i++)
        open_row(build, filling, i, snapshot->code[matrix->rows[i]].id);
    for (size_t i = 0; i < filling->columns; i++)
        open_column(build, filling, i, snapshot->objects[matrix->columns[i]].id);
    for (int i = 0; i < QUANTITIES; i++) {
        double *row = &filling->row_left[i][filling->rows];
        double *column = &filling->column_left[i][filling->columns];
        *row = *row > rounding * filling->all[i] ? *row : 0;
        *column = *column > rounding * filling->all[i] ? *column : 0;
    }
}

static struct snapshot_matrix_cell cell_of(const struct filling *filling,
                                           const double amount[QUANTITIES])
{
    double all = filling->all[WEIGHT];
    return (struct snapshot_matrix_cell){.samples = amount[SAMPLES],
                                         .share = all > 0 ? amount[WEIGHT] / all : NAN,
                                         .loads = amount[LOADS],
                                         .stores = amount[STORES],
                                         .cycles = filling->timed ? amount[CYCLES] : NAN};
}

static void write_margins(struct filling *filling, struct snapshot_matrix *matrix)
{
    double amount[QUANTITIES];
    matrix->all = cell_of(filling, filling->all);
    for (size_t row = 0; row <= filling->rows; row++) {
        for (int i = 0; i < QUANTITIES; i++)
            amount[i] = filling->row_left[i][row];
        matrix->row_totals[row] = cell_of(filling, amount);
    }
    for (size_t column = 0; column <= filling->columns; column++) {
        for (int i = 0; i < QUANTITIES; i++)
            amount[i] = filling->column_left[i][column];
        matrix->column_totals[column] = cell_of(filling, amount);
    }
}

/* An instruction counts under its last function, also what it did under an earlier one (code
 * that was replaced): no cell may hold more than its row and column do. */
static void put(struct filling *filling, enum quantity quantity, size_t row, size_t column,
                double amount)
{
    double *row_left = &filling->row_left[quantity][row];
    double *column_left = &filling->column_left[quantity][column];
    amount = fmin(amount, fmin(*row_left, *column_left));
    *row_left -= amount;
    *column_left -= amount;
    filling->cells[quantity][row * (filling->columns + 1) + column] += amount;
}

static void put_pairs(const struct build *build, const struct matrix_axes *axes,
                      struct filling *filling)
{
    const struct profile *profile = build->profile;
    const struct pairs *pairs = &profile->code;
    for (size_t i = 0; i < pairs->count; i++) {
        const struct pair *pair = &pairs->at[i];
        if (pair->owner == PAIR_EMPTY || PAIR_EVENT(pair->owner) != build->event)
            continue;
        size_t row = matrix_axes_row(axes, pair->extra);
        size_t column = matrix_axes_column(axes, PAIR_OBJECT(pair->owner));
        put(filling, SAMPLES, row, column, build_read(build, &pair->samples));
        put(filling, WEIGHT, row, column, build_read(build, &pair->weight));
        put(filling, LOADS, row, column, build_read(build, &pair->loads));
        put(filling, STORES, row, column, build_read(build, &pair->stores));
        if (filling->timed)
            put(filling, CYCLES, row, column,
                build_cycles(build, levels_find(&profile->code_levels, i,
                                                pairs_hash(pair->owner, pair->key))));
    }
}

/* Sum of what the listed ones lack; without what is only rounding. */
static double lacking(double *left, size_t count, double all)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        left[i] = left[i] > rounding * all ? left[i] : 0;
        sum += left[i];
    }
    return sum;
}

/* Listed rows and columns lack `rows` and `columns`, of which `inner` is both at once. */
static void spread(struct filling *filling, enum quantity quantity, double rows, double columns,
                   double inner)
{
    size_t width = filling->columns + 1;
    double *cells = filling->cells[quantity];
    const double *row_left = filling->row_left[quantity];
    const double *column_left = filling->column_left[quantity];
    for (size_t i = 0; i < filling->rows; i++) {
        double part = rows > 0 ? row_left[i] / rows : 0;
        for (size_t k = 0; k < filling->columns && inner > 0; k++)
            cells[i * width + k] += part * column_left[k] / columns * inner;
        cells[i * width + filling->columns] += part * (rows - inner);
    }
    for (size_t k = 0; k < filling->columns; k++)
        cells[filling->rows * width + k] +=
            columns > 0 ? column_left[k] / columns * (columns - inner) : 0;
    double corner = column_left[filling->columns] - (rows - inner);
    if (corner > 0)
        cells[filling->rows * width + filling->columns] += corner;
}

/*
 * What no pair told goes into the others, and between listed rows and columns only as much as
 * the others have no room for: the least that lets all sums come out. Returns that amount.
 */
static double fill_up(struct filling *filling, enum quantity quantity, double *forgotten)
{
    double all = filling->all[quantity];
    double rows = lacking(filling->row_left[quantity], filling->rows, all);
    double columns = lacking(filling->column_left[quantity], filling->columns, all);
    double others = filling->column_left[quantity][filling->columns];
    double inner = fmin(fmin(rows, columns), rows - others);
    inner = inner > rounding * all ? inner : 0;
    *forgotten = columns + others;
    spread(filling, quantity, rows, columns, inner);
    return inner;
}

static void write_cells(struct filling *filling, struct snapshot_matrix *matrix)
{
    size_t count = (filling->rows + 1) * (filling->columns + 1);
    double amount[QUANTITIES];
    for (size_t i = 0; i < count; i++) {
        for (int k = 0; k < QUANTITIES; k++)
            amount[k] = filling->cells[k][i];
        matrix->cells[i] = cell_of(filling, amount);
    }
}

static void fill(struct build *build, const struct matrix_axes *axes, struct filling *filling,
                 struct snapshot_matrix *matrix)
{
    double forgotten[QUANTITIES];
    double inner[QUANTITIES];
    open_margins(build, filling, matrix);
    write_margins(filling, matrix);
    put_pairs(build, axes, filling);
    for (int i = 0; i < QUANTITIES; i++)
        inner[i] = fill_up(filling, (enum quantity)i, &forgotten[i]);
    write_cells(filling, matrix);
    double all = filling->all[WEIGHT];
    matrix->forgotten = all > 0 ? forgotten[WEIGHT] / all : NAN;
    matrix->estimated = all > 0 ? inner[WEIGHT] / all : NAN;
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
    size_t cells = (matrix->row_count + 1) * (matrix->column_count + 1);
    matrix->row_totals = arena_array(build->arena, matrix->row_count + 1, sizeof(*matrix->cells));
    matrix->column_totals =
        arena_array(build->arena, matrix->column_count + 1, sizeof(*matrix->cells));
    matrix->cells = arena_array(build->arena, cells, sizeof(*matrix->cells));
    struct filling *filling = calloc(1, sizeof *filling);
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
