/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Part of struct snapshot (snapshot.h, where its rules stand): which code misses on which data. */
#ifndef MISSTOP_SNAPSHOT_MATRIX_H
#define MISSTOP_SNAPSHOT_MATRIX_H

#include <stddef.h>
#include <stdint.h>

enum { SNAPSHOT_MATRIX_ROWS = 40, SNAPSHOT_MATRIX_COLUMNS = 24 };

/* Of the ranking event, under the basis. */
struct snapshot_matrix_cell {
    double samples;
    double share; /* of all attributed weight */
    double loads; /* parts of samples; the rest is of unknown kind */
    double stores;
};

/*
 * Functions x objects, most weight first on both sides, "others" last on both. Cells add up to the
 * totals of their row and column, and those to everything.
 *
 * Rows and columns are counted of every sample, cells by instruction and object in tables of
 * bounded size, which forget what is rare. What they forgot stands in the others of its row and
 * column as far as there is room for it, and only the rest of it is estimated over the listed
 * cells, in proportion to what their rows and columns lack.
 */
struct snapshot_matrix {
    size_t row_count;                          /* without others; 0: nothing to show */
    size_t column_count;                       /* the same */
    uint32_t rows[SNAPSHOT_MATRIX_ROWS];       /* indices into code */
    uint32_t columns[SNAPSHOT_MATRIX_COLUMNS]; /* into objects */
    struct snapshot_matrix_cell all;
    struct snapshot_matrix_cell *row_totals;    /* [row_count + 1] */
    struct snapshot_matrix_cell *column_totals; /* [column_count + 1] */
    struct snapshot_matrix_cell *cells;         /* [(row_count + 1) * (column_count + 1)] by rows */
    double forgotten; /* share of all attributed weight whose cell is not known */
    double estimated; /* that part of it which is spread over listed cells */
};

/* Row row_count and column column_count are the others. */
static inline const struct snapshot_matrix_cell *
snapshot_matrix_at(const struct snapshot_matrix *matrix, size_t row, size_t column)
{
    return &matrix->cells[row * (matrix->column_count + 1) + column];
}

#endif
