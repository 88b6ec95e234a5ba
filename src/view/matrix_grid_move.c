/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The cursor of a grid of functions and objects, by keys and from one snapshot to the next;
 * declared in matrix_grid.h. */
#include "view/matrix_grid.h"

static size_t moved(size_t at, long by, size_t most)
{
    long to = (long)at + by;
    return to < 0 ? 0 : to > (long)most ? most : (size_t)to;
}

void matrix_grid_move(struct matrix_grid *grid, const struct matrix_table *table, long down,
                      long across)
{
    grid->row = moved(grid->row, down, table->row_count);
    grid->column = moved(grid->column, across, table->column_count);
}

bool matrix_grid_act(struct matrix_grid *grid, const struct matrix_table *table, enum action action)
{
    long page = grid->rows_shown > 1 ? (long)grid->rows_shown : 1;
    long down = 0;
    long across = 0;
    switch (action) {
    case ACTION_UP:
        down = -1;
        break;
    case ACTION_DOWN:
        down = 1;
        break;
    case ACTION_LEFT:
        across = -1;
        break;
    case ACTION_RIGHT:
        across = 1;
        break;
    case ACTION_PAGE_UP:
        down = -page;
        break;
    case ACTION_PAGE_DOWN:
        down = page;
        break;
    case ACTION_END:
        down = MATRIX_ROWS;
        break;
    default:
        return false;
    }
    matrix_grid_move(grid, table, down, across);
    return true;
}

void matrix_grid_find(struct matrix_grid *grid, const struct matrix_table *table, uint64_t row,
                      uint64_t column)
{
    size_t at_row = matrix_table_find(table, MATRIX_FUNCTIONS, row);
    size_t at_column = matrix_table_find(table, MATRIX_OBJECTS, column);
    if (grid->row)
        grid->row = at_row < table->row_count ? at_row + 1 : table->row_count ? 1 : 0;
    if (grid->column)
        grid->column = at_column < table->column_count ? at_column + 1
                       : table->column_count           ? 1
                                                       : 0;
}
