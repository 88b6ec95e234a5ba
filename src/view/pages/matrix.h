/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The grid of the Matrix screen: functions down, objects across, totals first on both sides; its
 * cursor and what is scrolled into sight. For matrix.c and matrix.c, and for
 * causes.c, whose lines are of one kind.
 */
#ifndef MISSTOP_VIEW_PAGES_MATRIX_H
#define MISSTOP_VIEW_PAGES_MATRIX_H

#include "view/pages/matrix_table.h"
#include "view/screen/canvas.h"
#include "view/screen/keys.h"

enum { MATRIX_TAGS_MAX = 15 };

struct matrix_grid {
    size_t row; /* of the cursor; 0: the totals, else a line + 1 */
    size_t column;
    size_t top; /* first line in sight */
    size_t left;
    uint64_t tagged[MATRIX_TAGS_MAX]; /* identities of lines of one axis */
    uint32_t tagged_count;
    enum matrix_axis tagged_axis;
    /* As drawn. */
    struct area names; /* of functions, and totals of objects in its first row */
    int total_columns; /* width of the totals of functions */
    int cell_columns;  /* width of a cell */
    size_t rows_shown;
    size_t columns_shown;
    bool pinned; /* what has no object stands in the last column in sight, wherever that is */
};

/* What the cursor is on; NULL: all functions, all objects. */
const struct matrix_line *matrix_grid_row(const struct matrix_grid *grid,
                                          const struct matrix_table *table);
const struct matrix_line *matrix_grid_column(const struct matrix_grid *grid,
                                             const struct matrix_table *table);

/* Puts the cursor on the cell with the largest share, the others left aside. */
void matrix_grid_strongest(struct matrix_grid *grid, const struct matrix_table *table);

/* Scrolls the cursor into sight and draws. Rows used, all but the last few where there are many. */
int matrix_grid_draw(struct matrix_grid *grid, const struct matrix_table *table,
                     struct canvas *canvas, struct area area);

/* Keys that move the cursor, and stay inside; false: another one. (matrix.c) */
bool matrix_grid_act(struct matrix_grid *grid, const struct matrix_table *table,
                     enum action action);
/* In a new table the cursor goes to the lines of these identities, or to the first. */
void matrix_grid_find(struct matrix_grid *grid, const struct matrix_table *table, uint64_t row,
                      uint64_t column);

/* The cell at a place as drawn, in terms of `row` and `column`; false: there is none. */
bool matrix_grid_at(const struct matrix_grid *grid, const struct matrix_table *table, int row,
                    int column, size_t *grid_row, size_t *grid_column);

/* The state of the page. */
struct matrix_view {
    struct matrix_table table;
    struct matrix_rules rules;
    struct matrix_grid grid;
    enum matrix_measure measure; /* that was asked for */
    uint64_t row;                /* identities of what the cursor is on; 0: the totals */
    uint64_t column;
    bool moved; /* by the user; else it stays on the strongest cell */
};

#endif
