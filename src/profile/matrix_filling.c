/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/matrix_filling.h"

#include <math.h>

/* Less than this part of everything is what sums of decayed weights differ by. */
static const double rounding = 1e-9;

/* `tallies`: of each event, NULL: nothing was counted; `levels` NULL: nothing was told. */
static void read_amounts(const struct build *build, const struct matrix_filling *filling,
                         const struct tally *tallies, const struct levels *levels,
                         double out[QUANTITIES])
{
    const struct tally *tally = tallies ? &tallies[build->event] : NULL;
    out[SAMPLES] = tally ? build_samples(build, &tally->weight) : 0;
    out[WEIGHT] = tally ? build_read(build, &tally->weight) : 0;
    out[LOADS] = tally ? build_samples(build, &tally->loads) : 0;
    out[STORES] = tally ? build_samples(build, &tally->stores) : 0;
    out[CYCLES] = build_cycles(build, levels);
    for (int i = 0; i < SNAPSHOT_MEASURES; i++)
        out[OTHERS + i] = tally && filling->others[i] >= 0
                              ? build_read(build, &tallies[filling->others[i]].weight)
                              : 0;
}

static void open_row(const struct build *build, struct matrix_filling *filling, size_t row,
                     uint32_t function)
{
    const struct profile *profile = build->profile;
    double amount[QUANTITIES];
    size_t slot = (size_t)function * profile->functions.events + build->event;
    read_amounts(build, filling, tallies_at(&profile->functions, function, 0),
                 levels_find(&profile->function_levels, slot, 1), amount);
    for (int i = 0; i < QUANTITIES; i++) {
        filling->row_left[i][row] = amount[i];
        filling->row_left[i][filling->rows] -= amount[i];
    }
}

static void open_column(const struct build *build, struct matrix_filling *filling, size_t column,
                        uint32_t object)
{
    const struct profile *profile = build->profile;
    double amount[QUANTITIES];
    size_t slot = (size_t)object * profile->objects.events + build->event;
    read_amounts(build, filling, tallies_at(&profile->objects, object, 0),
                 levels_find(&profile->object_levels, slot, 1), amount);
    for (int i = 0; i < QUANTITIES; i++) {
        filling->column_left[i][column] = amount[i];
        filling->column_left[i][filling->columns] -= amount[i];
    }
}

/* The others have what the listed ones have not. */
static void open_margins(const struct build *build, struct matrix_filling *filling,
                         const struct snapshot_matrix *matrix)
{
    const struct snapshot *snapshot = build->snapshot;
    read_amounts(build, filling, build->profile->all, &build->profile->all_levels[build->event],
                 filling->all);
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

/* What no function has waited for is left for the last row. */
static void open_nobody(const struct build *build, const struct matrix_axes *axes,
                        struct matrix_filling *filling)
{
    const struct unplaced *unplaced = &build->profile->unplaced;
    size_t last = filling->rows + 1;
    double amount[QUANTITIES];
    read_amounts(build, filling, unplaced->all, NULL, filling->unplaced);
    for (int i = 0; i < QUANTITIES; i++)
        filling->nobody[i][last] = filling->unplaced[i];
    for (uint32_t id = 0; id < unplaced->functions.ids; id++) {
        size_t row = matrix_axes_row(axes, id);
        read_amounts(build, filling, unplaced_tally(unplaced, id, 0), NULL, amount);
        for (int i = 0; i < QUANTITIES; i++) {
            filling->nobody[i][row] += amount[i];
            filling->nobody[i][last] -= amount[i];
        }
    }
    for (int i = 0; i < QUANTITIES; i++)
        if (filling->nobody[i][last] <= rounding * filling->unplaced[i])
            filling->nobody[i][last] = 0;
}

/* An instruction counts under its last function, also what it did under an earlier one (code
 * that was replaced): no cell may hold more than its row and column do. */
static void put(struct matrix_filling *filling, enum matrix_quantity quantity, size_t row,
                size_t column, double amount)
{
    double *row_left = &filling->row_left[quantity][row];
    double *column_left = &filling->column_left[quantity][column];
    amount = fmin(amount, fmin(*row_left, *column_left));
    *row_left -= amount;
    *column_left -= amount;
    filling->cells[quantity][row * (filling->columns + SNAPSHOT_MATRIX_REST) + column] += amount;
}

static void put_pair(const struct build *build, const struct pair *pair,
                     struct matrix_filling *filling, size_t row, size_t column)
{
    const struct profile *profile = build->profile;
    uint32_t event = PAIR_EVENT(pair->owner);
    for (int i = 0; i < SNAPSHOT_MEASURES; i++)
        if (filling->others[i] == (int)event)
            put(filling, (enum matrix_quantity)(OTHERS + i), row, column,
                build_read(build, &pair->weight));
    if (event != build->event)
        return;
    put(filling, SAMPLES, row, column, build_samples(build, &pair->weight));
    put(filling, WEIGHT, row, column, build_read(build, &pair->weight));
    put(filling, LOADS, row, column, build_samples(build, &pair->loads));
    put(filling, STORES, row, column, build_samples(build, &pair->stores));
    if (filling->timed)
        put(filling, CYCLES, row, column,
            build_cycles(build,
                         levels_find(&profile->code_levels, (size_t)(pair - profile->code.at),
                                     pairs_hash(pair->owner, pair->key))));
}

static void put_pairs(const struct build *build, const struct matrix_axes *axes,
                      struct matrix_filling *filling)
{
    const struct pairs *pairs = &build->profile->code;
    for (size_t i = 0; i < pairs->count; i++) {
        const struct pair *pair = &pairs->at[i];
        if (pair->owner != PAIR_EMPTY)
            put_pair(build, pair, filling, matrix_axes_row(axes, pair->extra),
                     matrix_axes_column(axes, PAIR_OBJECT(pair->owner)));
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
static void spread(struct matrix_filling *filling, enum matrix_quantity quantity, double rows,
                   double columns, double inner)
{
    size_t width = filling->columns + SNAPSHOT_MATRIX_REST;
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
static double fill_up(struct matrix_filling *filling, enum matrix_quantity quantity,
                      double *forgotten)
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

void matrix_filling_open(const struct build *build, const struct matrix_axes *axes,
                         const struct snapshot_matrix *matrix, struct matrix_filling *filling)
{
    const struct measures *measures = &build->profile->measures;
    filling->rows = matrix->row_count;
    filling->columns = matrix->column_count;
    for (int i = 0; i < SNAPSHOT_MEASURES; i++)
        filling->others[i] = i == (int)measures->ranks ? -1 : measures->event[i];
    open_margins(build, filling, matrix);
    open_nobody(build, axes, filling);
}

void matrix_filling_put(const struct build *build, const struct matrix_axes *axes,
                        struct matrix_filling *filling, double forgotten[QUANTITIES],
                        double inner[QUANTITIES])
{
    put_pairs(build, axes, filling);
    for (int i = 0; i < QUANTITIES; i++)
        inner[i] = fill_up(filling, (enum matrix_quantity)i, &forgotten[i]);
}
