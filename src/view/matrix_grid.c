/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/matrix_grid.h"

#include "view/columns.h"
#include "view/matrix_heading.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    NAME_LEAST = 12,
    NAME_MOST = 34,
    TOTAL_COLUMNS = 7,
    CELL_MOST = 16,
    NAME_BYTES = 256,
    PINNED_FROM = 2
};

/* Less would be told as 0.0 %. */
static const double told_share = 0.0005;

const struct matrix_line *matrix_grid_row(const struct matrix_grid *grid,
                                          const struct matrix_table *table)
{
    return grid->row && grid->row <= table->row_count ? &table->rows[grid->row - 1] : NULL;
}

const struct matrix_line *matrix_grid_column(const struct matrix_grid *grid,
                                             const struct matrix_table *table)
{
    return grid->column && grid->column <= table->column_count ? &table->columns[grid->column - 1]
                                                               : NULL;
}

bool matrix_grid_tagged(const struct matrix_grid *grid, enum matrix_axis axis, uint64_t identity)
{
    for (uint32_t i = 0; i < grid->tagged_count; i++)
        if (grid->tagged_axis == axis && grid->tagged[i] == identity)
            return true;
    return false;
}

void matrix_grid_strongest(struct matrix_grid *grid, const struct matrix_table *table)
{
    double most = -1;
    for (size_t i = 0; i < table->row_count; i++)
        for (size_t k = 0; k < table->column_count; k++)
            if (table->rows[i].members && table->columns[k].members &&
                matrix_table_share(table, &table->cells[i][k]) > most) {
                most = matrix_table_share(table, &table->cells[i][k]);
                grid->row = i + 1;
                grid->column = k + 1;
            }
}

/* ---- where everything goes ---- */

static void label_of(const struct matrix_line *line, bool tagged, char *out, size_t size)
{
    char more[16] = "";
    if (line->members > 1)
        snprintf(more, sizeof more, " +%u", line->members - 1);
    snprintf(out, size, "%s%s%s", tagged ? "*" : "", line->name, more);
}

static int name_columns(const struct matrix_table *table, int columns, bool ascii)
{
    char label[NAME_BYTES];
    int wanted = NAME_LEAST;
    int most = columns / 4 < NAME_MOST ? columns / 4 : NAME_MOST;
    for (size_t i = 0; i < table->row_count; i++) {
        label_of(&table->rows[i], false, label, sizeof label);
        int own = glyph_columns(label, ascii) + 1;
        wanted = own > wanted ? own : wanted;
    }
    return wanted < most ? wanted : most > NAME_LEAST ? most : NAME_LEAST;
}

/* As many cells as fit at a readable width, then as wide as they are few. */
static void choose_widths(struct matrix_grid *grid, const struct matrix_table *table, int columns)
{
    int left = columns - grid->names.columns - TOTAL_COLUMNS;
    int cell = columns < 60 ? 8 : columns < 120 ? 9 : 11;
    int fit = left / cell > 1 ? left / cell : 1;
    int wanted = (int)table->column_count < fit ? (int)table->column_count : fit;
    cell = left / wanted < CELL_MOST ? left / wanted : CELL_MOST;
    grid->total_columns = TOTAL_COLUMNS;
    grid->cell_columns = cell;
    grid->columns_shown = (size_t)wanted;
}

static void scroll(size_t cursor, size_t count, size_t shown, size_t *first)
{
    size_t at = cursor ? cursor - 1 : 0;
    if (at < *first)
        *first = at;
    if (shown && at >= *first + shown)
        *first = at - shown + 1;
    if (*first + shown > count)
        *first = count > shown ? count - shown : 0;
}

/* Widths come first, for the headings need as many rows as those ask for. */
static void place_columns(struct matrix_grid *grid, const struct matrix_table *table,
                          struct area area, bool ascii)
{
    if (grid->column > table->column_count)
        grid->column = table->column_count;
    grid->names.column = area.column;
    grid->names.columns = name_columns(table, area.columns, ascii);
    choose_widths(grid, table, area.columns);
    size_t count = table->column_count;
    grid->pinned = grid->columns_shown > PINNED_FROM && count > grid->columns_shown &&
                   table->columns[count - 1].index == MATRIX_NOBODY;
    size_t at = grid->pinned && grid->column == count ? count - 1 : grid->column;
    scroll(at, count - grid->pinned, grid->columns_shown - grid->pinned, &grid->left);
}

/* The column of the table that stands at a place in sight. */
static size_t column_at(const struct matrix_grid *grid, const struct matrix_table *table,
                        size_t shown)
{
    return grid->pinned && shown + 1 == grid->columns_shown ? table->column_count - 1
                                                            : grid->left + shown;
}

/* `area`: below the headings; the totals stand in its first row. */
static void place_rows(struct matrix_grid *grid, const struct matrix_table *table, struct area area)
{
    size_t rows = area.rows > 1 ? (size_t)area.rows - 1 : 0;
    if (grid->row > table->row_count)
        grid->row = table->row_count;
    grid->names.row = area.row;
    grid->names.rows = area.rows;
    grid->rows_shown = rows < table->row_count ? rows : table->row_count;
    scroll(grid->row, table->row_count, grid->rows_shown, &grid->top);
}

/* ---- drawing ---- */

/* Blank where there is nothing. */
static void draw_share(struct canvas *canvas, int row, int column, int width, double share,
                       enum paint paint)
{
    char text[16] = "";
    if (share >= told_share)
        format_percent(text, sizeof text, value_number(share));
    else if (share > 0)
        snprintf(text, sizeof text, "%s", canvas->ascii ? "." : "·");
    canvas_format(canvas, row, column, width, paint, "%*s%s",
                  width - 1 - glyph_columns(text, canvas->ascii), "", text);
}

static int cell_column(const struct matrix_grid *grid, size_t shown)
{
    return grid->names.column + grid->names.columns + grid->total_columns +
           (int)shown * grid->cell_columns;
}

/* Of the column at a place in sight. */
static const char *heading_of(const struct matrix_grid *grid, const struct matrix_table *table,
                              size_t shown, char out[NAME_BYTES])
{
    const struct matrix_line *line = &table->columns[column_at(grid, table, shown)];
    label_of(line, matrix_grid_tagged(grid, MATRIX_OBJECTS, line->identity), out, NAME_BYTES);
    return out;
}

static void draw_headings(const struct matrix_grid *grid, const struct matrix_table *table,
                          struct canvas *canvas, struct area area)
{
    for (int i = 0; i < area.rows; i++)
        canvas_format(canvas, area.row + i, area.column, area.columns, PAINT_HEADING, "%*s",
                      area.columns, "");
    int foot = area.row + area.rows - 1;
    canvas_text(canvas, foot, area.column + 1, grid->names.columns - 1, PAINT_HEADING,
                table->title);
    canvas_format(canvas, foot, area.column + grid->names.columns, grid->total_columns,
                  PAINT_HEADING, "%*s", grid->total_columns - 1, "all");
    for (size_t i = 0; i < grid->columns_shown; i++) {
        char label[NAME_BYTES];
        bool on = column_at(grid, table, i) + 1 == grid->column;
        struct area box = {area.row, cell_column(grid, i), area.rows, grid->cell_columns - 1};
        matrix_heading_draw(canvas, box, on ? PAINT_SORTED : PAINT_HEADING,
                            heading_of(grid, table, i, label));
    }
}

/* As many as the names in sight need, of those that can be spared. */
static int heading_rows(const struct matrix_grid *grid, const struct matrix_table *table, int rows,
                        bool ascii)
{
    char label[NAME_BYTES];
    int most = rows >= 18 ? 3 : rows >= 10 ? 2 : 1;
    int wanted = 1;
    for (size_t i = 0; i < grid->columns_shown; i++) {
        int own = matrix_heading_rows(heading_of(grid, table, i, label), grid->cell_columns - 1,
                                      most, ascii);
        wanted = own > wanted ? own : wanted;
    }
    return wanted;
}

static void draw_row(const struct matrix_grid *grid, const struct matrix_table *table,
                     struct canvas *canvas, int row, size_t at)
{
    char label[NAME_BYTES];
    char text[NAME_BYTES];
    bool on = at == grid->row;
    const struct matrix_line *line = at ? &table->rows[at - 1] : NULL;
    if (line)
        label_of(line, matrix_grid_tagged(grid, MATRIX_FUNCTIONS, line->identity), label,
                 sizeof label);
    else
        snprintf(label, sizeof label, "%s", table->all);
    glyph_fit(text, sizeof text, label, grid->names.columns - 2, GLYPH_CUT_MIDDLE, canvas->ascii);
    canvas_text(canvas, row, grid->names.column + 1, grid->names.columns - 1,
                on                      ? PAINT_STRONG
                : line && line->members ? PAINT_PLAIN
                                        : PAINT_DIM,
                text);
    double total = matrix_table_share(table, line ? &line->total : &table->snapshot->matrix.all);
    int column = grid->names.column + grid->names.columns;
    draw_share(canvas, row, column, grid->total_columns, total, line ? PAINT_STRONG : PAINT_DIM);
    if (on && !grid->column)
        canvas_flag(canvas, row, column, grid->total_columns, CELL_CURSOR);
    for (size_t i = 0; i < grid->columns_shown; i++) {
        size_t k = column_at(grid, table, i);
        double share =
            matrix_table_share(table, line ? &table->cells[at - 1][k] : &table->columns[k].total);
        draw_share(canvas, row, cell_column(grid, i), grid->cell_columns, share,
                   line ? paint_heat(share) : PAINT_STRONG);
        if (on && k + 1 == grid->column)
            canvas_flag(canvas, row, cell_column(grid, i), grid->cell_columns, CELL_CURSOR);
    }
}

int matrix_grid_draw(struct matrix_grid *grid, const struct matrix_table *table,
                     struct canvas *canvas, struct area area)
{
    place_columns(grid, table, area, canvas->ascii);
    int headings = heading_rows(grid, table, area.rows, canvas->ascii);
    struct area head = {area.row, area.column, headings, area.columns};
    struct area body = {area.row + headings, area.column, area.rows - headings, area.columns};
    place_rows(grid, table, body);
    draw_headings(grid, table, canvas, head);
    if (body.rows > 0)
        draw_row(grid, table, canvas, body.row, 0);
    for (size_t i = 0; i < grid->rows_shown; i++)
        draw_row(grid, table, canvas, body.row + 1 + (int)i, grid->top + i + 1);
    return headings + 1 + (int)grid->rows_shown;
}

bool matrix_grid_at(const struct matrix_grid *grid, const struct matrix_table *table, int row,
                    int column, size_t *grid_row, size_t *grid_column)
{
    int down = row - grid->names.row;
    int across = column - cell_column(grid, 0);
    if (!grid->names.rows || down < 0 || down > (int)grid->rows_shown ||
        across >= (int)grid->columns_shown * grid->cell_columns || column < grid->names.column)
        return false;
    *grid_row = down ? grid->top + (size_t)down : 0;
    *grid_column =
        across < 0 ? 0 : column_at(grid, table, (size_t)(across / grid->cell_columns)) + 1;
    return true;
}
