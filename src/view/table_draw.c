/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a table looks; declared in table.h. */
#include "view/table.h"

#include "view/glyph.h"

#include <stdio.h>
#include <string.h>

static bool flushed_right(const struct column *column)
{
    return column->look == COLUMN_RIGHT;
}

static void draw_cell(struct canvas *canvas, int row, int column, int width, bool right,
                      enum paint paint, const char *text)
{
    int blanks = right ? width - glyph_columns(text, canvas->ascii) : 0;
    if (blanks < 0)
        blanks = 0;
    canvas_text(canvas, row, column + blanks, width - blanks, paint, text);
}

static void draw_title(const struct table *table, const struct layout *layout, unsigned place,
                       struct canvas *canvas, int row, int column)
{
    const struct column *shown = &table->columns->list[layout->places[place].index];
    int width = layout->places[place].width;
    int start = column + layout->places[place].start;
    bool sorted = layout->places[place].index == table->sort;
    const char *text = columns_title(shown, canvas->ascii);
    draw_cell(canvas, row, start, width, flushed_right(shown), PAINT_HEADING, text);
    if (!sorted)
        return;
    canvas_paint(canvas, row, start, width, PAINT_SORTED);
    /* The arrow only where it covers no letter of the title. */
    if (glyph_columns(text, canvas->ascii) < width) {
        const char *arrow = canvas->ascii ? (table->invert ? "^" : "v") : table->invert ? "▲" : "▼";
        canvas_text(canvas, row, flushed_right(shown) ? start : start + width - 1, 1, PAINT_SORTED,
                    arrow);
    }
}

static void draw_value(const struct table *table, const struct layout *layout, unsigned place,
                       struct canvas *canvas, int at_row, int at_column, const void *row)
{
    char text[COLUMN_TEXT_BYTES];
    const struct column *column = &table->columns->list[layout->places[place].index];
    struct value value = column->value(table->snapshot, row);
    int width = layout->places[place].width;
    columns_text(column, table->snapshot, row, width, canvas->ascii, text, sizeof text);
    draw_cell(canvas, at_row, at_column + layout->places[place].start, width, flushed_right(column),
              column->paint ? column->paint(value) : PAINT_PLAIN, text);
}

void table_draw_row(const struct table *table, const struct layout *layout, struct canvas *canvas,
                    int at_row, int at_column, const void *row)
{
    for (unsigned i = 0; i < layout->count; i++) {
        if (row)
            draw_value(table, layout, i, canvas, at_row, at_column, row);
        else
            draw_title(table, layout, i, canvas, at_row, at_column);
    }
}

static const void *row_at(const struct table *table, size_t at)
{
    return table->rows + table->order[at] * table->columns->row_size;
}

/* The selected row is always in sight, with what parts it from those above where there is room;
 * the last page is a full one. */
static void scroll(struct table *table, size_t rows)
{
    size_t first = table->selected;
    while (first > 0 && first <= table->shown && table_parting(table, row_at(table, first - 1)))
        first--;
    if (first < table->top)
        table->top = first;
    /* One page on comes to stand at the end; farther away, with its neighbours on both sides. */
    if (table->selected >= table->top + rows * 2)
        table->top = table->selected - rows / 2;
    if (table->selected >= table->top + rows)
        table->top = table->selected - rows + 1;
    if (table->top + rows > table->shown)
        table->top = table->shown > rows ? table->shown - rows : 0;
}

static void draw_scrollbar(const struct table *table, struct canvas *canvas, int column)
{
    int rows = table->body.rows;
    int thumb = (int)((size_t)rows * (size_t)rows / table->shown);
    thumb = thumb < 1 ? 1 : thumb;
    size_t hidden = table->shown - (size_t)rows;
    int start = (int)((size_t)(rows - thumb) * table->top / hidden);
    for (int i = 0; i < rows; i++) {
        bool on = i >= start && i < start + thumb;
        canvas_text(canvas, table->body.row + i, column, 1, PAINT_DIM,
                    canvas->ascii ? (on ? "#" : "|")
                    : on          ? "█"
                                  : "│");
    }
}

/* A rule across the table with the text in it. */
static void draw_parting(const struct table *table, struct canvas *canvas, int row,
                         const char *text)
{
    const struct area *body = &table->body;
    const char *rule = canvas->ascii ? "-" : "─";
    for (int i = 0; i < body->columns; i++)
        canvas_text(canvas, row, body->column + i, 1, PAINT_DIM, rule);
    if (*text)
        canvas_format(canvas, row, body->column + 2, body->columns - 2, PAINT_DIM, " %s ", text);
}

static void draw_rows(const struct table *table, struct canvas *canvas, bool focused)
{
    const struct area *body = &table->body;
    for (int i = 0; i < body->rows && table->top + (size_t)i < table->shown; i++) {
        size_t at = table->top + (size_t)i;
        const void *row = row_at(table, at);
        const char *parting = table_parting(table, row);
        if (parting)
            draw_parting(table, canvas, body->row + i, parting);
        else
            table_draw_row(table, &table->layout, canvas, body->row + i, body->column, row);
        if (at == table->selected && focused)
            canvas_flag(canvas, body->row + i, body->column, body->columns, CELL_SELECTED);
    }
}

void table_draw(struct table *table, struct canvas *canvas, struct area area, bool focused)
{
    table->body = (struct area){0};
    if (area.rows < 2 || area.columns < 4)
        return;
    bool overflows = table->shown > (size_t)area.rows - 1;
    int width = area.columns - (overflows ? 2 : 0);
    table->body = (struct area){area.row + 1, area.column, area.rows - 1, width};
    columns_layout(table->columns, table->snapshot, table->rows, table->count, width, true,
                   &table->layout);
    canvas_paint(canvas, area.row, area.column, area.columns, PAINT_HEADING);
    table_draw_row(table, &table->layout, canvas, area.row, area.column, NULL);
    scroll(table, (size_t)table->body.rows);
    draw_rows(table, canvas, focused);
    if (overflows)
        draw_scrollbar(table, canvas, area.column + area.columns - 1);
}
