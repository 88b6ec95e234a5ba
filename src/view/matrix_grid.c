/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/matrix_grid.h"

#include "view/columns.h"

#include <math.h>
#include <stdio.h>

enum { NAME_LEAST = 12, NAME_MOST = 34, TOTAL_COLUMNS = 7, CELL_MOST = 18, NAME_BYTES = 256 };

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
                table->cells[i][k].share > most) {
                most = table->cells[i][k].share;
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

static int heading_rows(int rows)
{
    return rows >= 18 ? 3 : rows >= 10 ? 2 : 1;
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

static void place(struct matrix_grid *grid, const struct matrix_table *table, struct area area,
                  bool ascii)
{
    int rows = area.rows - 1;
    if (grid->row > table->row_count)
        grid->row = table->row_count;
    if (grid->column > table->column_count)
        grid->column = table->column_count;
    grid->names =
        (struct area){area.row, area.column, rows, name_columns(table, area.columns, ascii)};
    choose_widths(grid, table, area.columns);
    grid->rows_shown = rows < 1                          ? 0
                       : (size_t)rows < table->row_count ? (size_t)rows
                                                         : table->row_count;
    scroll(grid->row, table->row_count, grid->rows_shown, &grid->top);
    scroll(grid->column, table->column_count, grid->columns_shown, &grid->left);
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

/* Names of objects over several rows, each column's at its foot. */
static void draw_headings(const struct matrix_grid *grid, const struct matrix_table *table,
                          struct canvas *canvas, struct area area)
{
    char label[NAME_BYTES];
    char text[NAME_BYTES];
    for (int i = 0; i < area.rows; i++)
        canvas_format(canvas, area.row + i, area.column, area.columns, PAINT_HEADING, "%*s",
                      area.columns, "");
    int foot = area.row + area.rows - 1;
    canvas_text(canvas, foot, area.column, grid->names.columns, PAINT_HEADING, " Function");
    canvas_format(canvas, foot, area.column + grid->names.columns, grid->total_columns,
                  PAINT_HEADING, "%*s", grid->total_columns - 1, "all");
    for (size_t i = 0; i < grid->columns_shown; i++) {
        const struct matrix_line *line = &table->columns[grid->left + i];
        bool on = grid->left + i + 1 == grid->column;
        int width = grid->cell_columns - 1;
        label_of(line, matrix_grid_tagged(grid, MATRIX_OBJECTS, line->identity), label,
                 sizeof label);
        glyph_fit(text, sizeof text, label, width * area.rows, GLYPH_CUT_MIDDLE, canvas->ascii);
        int lines = (glyph_columns(text, canvas->ascii) + width - 1) / width;
        int down = lines < area.rows ? area.rows - lines : 0;
        struct area box = {area.row + down, cell_column(grid, i) + 1, area.rows - down, width};
        canvas_wrap(canvas, box, on ? PAINT_SORTED : PAINT_HEADING, text);
    }
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
        snprintf(label, sizeof label, "all functions");
    glyph_fit(text, sizeof text, label, grid->names.columns - 2, GLYPH_CUT_MIDDLE, canvas->ascii);
    canvas_text(canvas, row, grid->names.column + 1, grid->names.columns - 1,
                on                      ? PAINT_STRONG
                : line && line->members ? PAINT_PLAIN
                                        : PAINT_DIM,
                text);
    double total = line ? line->total.share : table->snapshot->matrix.all.share;
    int column = grid->names.column + grid->names.columns;
    draw_share(canvas, row, column, grid->total_columns, total, line ? PAINT_STRONG : PAINT_DIM);
    if (on && !grid->column)
        canvas_flag(canvas, row, column, grid->total_columns, CELL_CURSOR);
    for (size_t i = 0; i < grid->columns_shown; i++) {
        size_t k = grid->left + i;
        double share = line ? table->cells[at - 1][k].share : table->columns[k].total.share;
        draw_share(canvas, row, cell_column(grid, i), grid->cell_columns, share,
                   line ? paint_heat(share) : PAINT_STRONG);
        if (on && k + 1 == grid->column)
            canvas_flag(canvas, row, cell_column(grid, i), grid->cell_columns, CELL_CURSOR);
    }
}

int matrix_grid_draw(struct matrix_grid *grid, const struct matrix_table *table,
                     struct canvas *canvas, struct area area)
{
    int headings = heading_rows(area.rows);
    struct area head = {area.row, area.column, headings, area.columns};
    struct area body = {area.row + headings, area.column, area.rows - headings, area.columns};
    place(grid, table, body, canvas->ascii);
    draw_headings(grid, table, canvas, head);
    if (body.rows > 0)
        draw_row(grid, table, canvas, body.row, 0);
    for (size_t i = 0; i < grid->rows_shown; i++)
        draw_row(grid, table, canvas, body.row + 1 + (int)i, grid->top + i + 1);
    return headings + 1 + (int)grid->rows_shown;
}

bool matrix_grid_at(const struct matrix_grid *grid, int row, int column, size_t *grid_row,
                    size_t *grid_column)
{
    int down = row - grid->names.row;
    int across = column - cell_column(grid, 0);
    if (!grid->names.rows || down < 0 || down > (int)grid->rows_shown ||
        across >= (int)grid->columns_shown * grid->cell_columns || column < grid->names.column)
        return false;
    *grid_row = down ? grid->top + (size_t)down : 0;
    *grid_column = across < 0 ? 0 : grid->left + (size_t)(across / grid->cell_columns) + 1;
    return true;
}
