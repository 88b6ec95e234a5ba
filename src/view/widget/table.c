/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/widget/table.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "view/display/canvas.h"

/* Number of snapshots before the layout is fixed, while the first names arrive. */
enum { FITS = 3 };

void table_init(struct table *table, const struct columns *columns)
{
    *table = (struct table){.columns = columns, .sort = columns->sort};
}

void table_fini(struct table *table)
{
    free(table->order);
    table->order = NULL;
    table->shown = table->capacity = 0;
}

void table_lay_out(struct table *table)
{
    table->laid_out = 0;
    table->layout_count = 0;
}

static const void *row_at(const struct table *table, uint32_t index)
{
    return table->rows + index * table->columns->row_size;
}

/* Returns the title of a separator row; NULL for other rows. */
static const char *table_parting(const struct table *table, const void *row)
{
    return table->columns->parting ? table->columns->parting(row) : NULL;
}

const void *table_selected(const struct table *table)
{
    if (table->selected >= table->shown)
        return NULL;
    const void *row = row_at(table, table->order[table->selected]);
    return table_parting(table, row) ? NULL : row;
}

static uint64_t identity_of(const struct table *table, const void *row)
{
    return columns_identity(table->columns, table->snapshot, row);
}

static int table_compare(const void *left, const void *right, void *context)
{
    const struct table *table = context;
    uint32_t a = *(const uint32_t *)left;
    uint32_t b = *(const uint32_t *)right;
    int order = 0;
    if (table->sort < table->columns->count)
        order = columns_compare(&table->columns->list[table->sort], table->snapshot,
                                row_at(table, a), row_at(table, b), table->invert);
    return order ? order : a < b ? -1 : a > b;
}

static void table_remember(struct table *table)
{
    const void *row = table_selected(table);
    if (row)
        table->identity = identity_of(table, row);
}

static bool select_identity(struct table *table, uint64_t identity)
{
    for (size_t i = 0; i < table->shown; i++) {
        if (identity_of(table, row_at(table, table->order[i])) != identity)
            continue;
        table->selected = i;
        return true;
    }
    return false;
}

static bool is_shown(const struct table *table, const void *row)
{
    bool as_they_come = table->sort >= table->columns->count && !*table->filter;
    if (table_parting(table, row))
        return as_they_come;
    return !*table->filter || columns_match(table->columns, table->snapshot, row, table->filter);
}

static bool is_parting_row(const struct table *table, size_t at)
{
    return at < table->shown && table_parting(table, row_at(table, table->order[at]));
}

size_t table_rows(const struct table *table)
{
    size_t rows = 0;
    for (size_t i = 0; i < table->shown; i++)
        rows += !is_parting_row(table, i);
    return rows;
}

/* Moves off a row that cannot be selected: forwards, or back if no row follows. */
static void skip_parting_rows(struct table *table, long step)
{
    for (int tries = 0; tries < 2; tries++, step = -step) {
        long at = (long)table->selected;
        while (at >= 0 && is_parting_row(table, (size_t)at))
            at += step;
        if (at < 0 || at >= (long)table->shown)
            continue;
        table->selected = (size_t)at;
        return;
    }
}

/* Filters, sorts, and finds the selected row again. */
static void arrange_rows(struct table *table)
{
    table->shown = 0;
    for (size_t i = 0; i < table->count; i++)
        if (is_shown(table, row_at(table, (uint32_t)i)))
            table->order[table->shown++] = (uint32_t)i;
    if (table->shown)
        qsort_r(table->order, table->shown, sizeof *table->order, table_compare, table);
    if (!table->selection_moved)
        table->selected = 0;
    else if (!select_identity(table, table->identity) && table->selected >= table->shown)
        table->selected = table->shown ? table->shown - 1 : 0;
    skip_parting_rows(table, 1);
}

void table_set(struct table *table, const struct snapshot *snapshot, const void *rows, size_t count)
{
    table->snapshot = snapshot;
    table->rows = rows;
    if (count && table->layout_count < FITS)
        table->laid_out = 0;
    /* Out of memory: show as many rows as fit. */
    table->count = array_reserve_exact(&table->order, &table->capacity, count, sizeof *table->order)
                       ? count
                       : table->capacity;
    arrange_rows(table);
}

void table_set_all(struct table *table, const struct snapshot *snapshot)
{
    const struct columns *columns = table->columns;
    table_set(table, snapshot, path_target(&columns->all, snapshot),
              path_value(&columns->all_count, snapshot).integer);
}

void table_select(struct table *table, uint64_t identity)
{
    if (!select_identity(table, identity))
        return;
    table->selection_moved = true;
    table->identity = identity;
}

void table_prefer(struct table *table, uint64_t identity)
{
    if (!table->selection_moved)
        select_identity(table, identity);
}

void table_move(struct table *table, long rows)
{
    long last = (long)table->shown - 1;
    long to = (long)table->selected + rows;
    table->selected = (size_t)(to > last ? (last < 0 ? 0 : last) : to < 0 ? 0 : to);
    skip_parting_rows(table, rows < 0 ? -1 : 1);
    table->selection_moved = true;
    table_remember(table);
}

void table_page(struct table *table, int pages)
{
    long rows = table->body.rows > 1 ? table->body.rows - 1 : 10;
    table_move(table, pages * rows);
}

void table_filter(struct table *table, const char *part)
{
    table_remember(table);
    snprintf(table->filter, sizeof table->filter, "%s", part);
    arrange_rows(table);
}

bool table_find(struct table *table, const char *part, bool here)
{
    if (part != table->find)
        snprintf(table->find, sizeof table->find, "%s", part);
    for (size_t i = 0; i < table->shown && *part; i++) {
        size_t at = (table->selected + i + !here) % table->shown;
        if (is_parting_row(table, at) ||
            !columns_match(table->columns, table->snapshot, row_at(table, table->order[at]), part))
            continue;
        table->selected = at;
        table->selection_moved = true;
        table_remember(table);
        return true;
    }
    return false;
}

static void sort_by_column(struct table *table, unsigned column)
{
    table_remember(table);
    table->sort = column;
    table->sort_chosen = true;
    table->invert = false;
    arrange_rows(table);
}

void table_suggest_sort(struct table *table, unsigned column)
{
    if (table->sort_chosen || table->sort == column)
        return;
    table->sort = column;
    arrange_rows(table);
}

/* If the rows have their own order, it is one of the steps, after the columns. */
void table_sort_step(struct table *table, int direction)
{
    int count = (int)table->layout.count;
    bool own = table->columns->sort >= table->columns->count;
    int steps = count + own;
    int at = own || direction < 0 ? count : -1;
    for (int i = 0; i < count; i++)
        if (table->layout.places[i].index == table->sort)
            at = i;
    for (int tried = 0; tried < steps; tried++) {
        at = (at + direction + steps) % steps;
        unsigned index = at == count ? table->columns->sort : table->layout.places[at].index;
        /* Skip bars: they show the value of the column next to them. */
        if (at < count && table->columns->list[index].look == COLUMN_BAR)
            continue;
        sort_by_column(table, index);
        return;
    }
}

void table_invert(struct table *table)
{
    table_remember(table);
    table->invert = !table->invert;
    arrange_rows(table);
}

bool tags_have(const struct tags *tags, uint64_t identity)
{
    for (uint32_t i = 0; i < tags->count; i++)
        if (tags->list[i] == identity)
            return true;
    return false;
}

const char *tags_toggle(struct tags *tags, uint64_t identity)
{
    for (uint32_t i = 0; i < tags->count; i++)
        if (tags->list[i] == identity) {
            tags->list[i] = tags->list[--tags->count];
            return "tag taken off";
        }
    if (tags->count == REQUEST_BINS_MAX - 1)
        return "at most 15 at a time: combine these first";
    tags->list[tags->count++] = identity;
    return NULL;
}

enum table_hit table_click(struct table *table, int row, int column)
{
    const struct area *body = &table->body;
    int x = column - body->column;
    int y = row - body->row;
    if (!body->rows || x < 0 || x >= body->columns || y < -1 || y >= body->rows)
        return TABLE_MISSED;
    if (y >= 0) {
        size_t at = table->top + (size_t)y;
        if (at >= table->shown || is_parting_row(table, at))
            return TABLE_MISSED;
        bool again = at == table->selected && table->selection_moved;
        table_move(table, (long)at - (long)table->selected);
        return again ? TABLE_AGAIN : TABLE_SELECTED;
    }
    for (unsigned i = 0; i < table->layout.count; i++) {
        unsigned index = table->layout.places[i].index;
        int start = table->layout.places[i].start;
        if (x < start || x >= start + table->layout.places[i].width ||
            table->columns->list[index].look == COLUMN_BAR)
            continue;
        if (index == table->sort)
            table_invert(table);
        else
            sort_by_column(table, index);
        return TABLE_TITLE;
    }
    return TABLE_MISSED;
}

/* ---- drawing ---- */

static void draw_cell(struct canvas *canvas, int row, int column, int width, enum column_look look,
                      enum paint paint, const char *text)
{
    int blanks = look == COLUMN_RIGHT ? width - glyph_columns(text, canvas->ascii) : 0;
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
    draw_cell(canvas, row, start, width, shown->look, PAINT_HEADING, text);
    if (!sorted)
        return;
    canvas_paint(canvas, row, start, width, PAINT_SORTED);
    /* Draw the arrow only if it does not cover the title. */
    if (glyph_columns(text, canvas->ascii) < width) {
        const char *arrow = canvas->ascii ? (table->invert ? "^" : "v") : table->invert ? "▲" : "▼";
        canvas_text(canvas, row, shown->look == COLUMN_RIGHT ? start : start + width - 1, 1,
                    PAINT_SORTED, arrow);
    }
}

static void draw_value(const struct table *table, const struct layout *layout, unsigned place,
                       struct canvas *canvas, int at_row, int at_column, const void *row)
{
    char text[COLUMN_TEXT_BYTES];
    const struct column *column = &table->columns->list[layout->places[place].index];
    struct value value = columns_value(column, table->snapshot, row);
    int width = layout->places[place].width;
    columns_text(column, table->snapshot, row, width, canvas->ascii, text, sizeof text);
    draw_cell(canvas, at_row, at_column + layout->places[place].start, width, column->look,
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

/* Keeps the selected row visible, and the separator above it; the last page is full. */
static void scroll_to_selected(struct table *table, size_t rows)
{
    size_t first = table->selected;
    while (first > 0 && is_parting_row(table, first - 1))
        first--;
    if (first < table->top)
        table->top = first;
    /* After one page down, the row is at the bottom; after a longer jump, in the middle. */
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
        const void *row = row_at(table, table->order[at]);
        const char *parting = table_parting(table, row);
        if (parting)
            draw_parting(table, canvas, body->row + i, parting);
        else
            table_draw_row(table, &table->layout, canvas, body->row + i, body->column, row);
        if (at == table->selected && focused)
            canvas_flag(canvas, body->row + i, body->column, body->columns, CELL_SELECTED);
    }
}

/* Columns that come and go are distracting: the layout is fixed once the names have been read. */
static void fit_columns(struct table *table, int width)
{
    bool loading = table->snapshot && table->snapshot->loading.pending_requests;
    if (table->laid_out == width)
        return;
    table->layout_count += table->count > 0 && !loading;
    table->laid_out = width;
    columns_layout(table->columns, &table->choice, table->snapshot, table->rows, table->count,
                   width, true, &table->layout);
}

void table_draw(struct table *table, struct canvas *canvas, struct area area, bool focused)
{
    table->body = (struct area){0};
    if (area.rows < 2 || area.columns < 4)
        return;
    bool overflows = table->shown > (size_t)area.rows - 1;
    int width = area.columns - 2; /* room for the scroll bar */
    table->body = (struct area){area.row + 1, area.column, area.rows - 1, width};
    fit_columns(table, width);
    canvas_paint(canvas, area.row, area.column, area.columns, PAINT_HEADING);
    table_draw_row(table, &table->layout, canvas, area.row, area.column, NULL);
    scroll_to_selected(table, (size_t)table->body.rows);
    draw_rows(table, canvas, focused);
    if (overflows)
        draw_scrollbar(table, canvas, area.column + area.columns - 1);
}
