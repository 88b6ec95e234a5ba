/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The amounts of a matrix while they are put together: margins from the tallies, cells from the
 * pairs, and what these forgot spread so that all sums come out. For snapshot_matrix.c.
 */
#ifndef MISSTOP_PROFILE_MATRIX_FILLING_H
#define MISSTOP_PROFILE_MATRIX_FILLING_H

#include "profile/matrix_axes.h"

/* The last ones: weight of the events that count another measure than what ranks. */
enum matrix_quantity {
    SAMPLES,
    WEIGHT,
    LOADS,
    STORES,
    CYCLES,
    OTHERS,
    QUANTITIES = OTHERS + SNAPSHOT_MEASURES
};
enum {
    FILLING_ROWS = SNAPSHOT_MATRIX_ROWS + SNAPSHOT_MATRIX_REST,
    FILLING_COLUMNS = SNAPSHOT_MATRIX_COLUMNS + SNAPSHOT_MATRIX_REST
};

/* What is attributed and not in a cell yet, by row and column, the others after the listed ones;
 * and what has no object, by row. */
struct matrix_filling {
    size_t rows;
    size_t columns;
    bool timed;                    /* the source tells latencies */
    int others[SNAPSHOT_MEASURES]; /* events; -1: none */
    double all[QUANTITIES];
    double nobody[QUANTITIES][FILLING_ROWS];
    double unplaced[QUANTITIES]; /* in all rows */
    double row_left[QUANTITIES][FILLING_ROWS];
    double column_left[QUANTITIES][FILLING_COLUMNS];
    double cells[QUANTITIES][FILLING_ROWS * FILLING_COLUMNS];
};

/* Margins; `filling` is zeros. */
void matrix_filling_open(const struct build *build, const struct matrix_axes *axes,
                         const struct snapshot_matrix *matrix, struct matrix_filling *filling);

/* Cells, out of what the margins have left. `forgotten`: what no pair told; `inner`: what of it had
 * to go between listed lines. */
void matrix_filling_put(const struct build *build, const struct matrix_axes *axes,
                        struct matrix_filling *filling, double forgotten[QUANTITIES],
                        double inner[QUANTITIES]);

#endif
