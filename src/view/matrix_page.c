/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screen m: which code misses on which data. */
#include "view/browser.h"

#include "view/matrix_words.h"
#include "view/measure_words.h"

#include <errno.h>
#include <stdio.h>

enum { WORDS_ROWS = 11, SMALL_ROWS = 10 };

static struct matrix_grid *grid_of(struct browser *browser)
{
    return &browser->matrix.grid;
}

static void remember(struct browser *browser)
{
    const struct matrix_line *row = matrix_grid_row(grid_of(browser), &browser->matrix.table);
    const struct matrix_line *column = matrix_grid_column(grid_of(browser), &browser->matrix.table);
    browser->matrix.row = row ? row->identity : 0;
    browser->matrix.column = column ? column->identity : 0;
}

void matrix_cursor_moved(struct browser *browser)
{
    browser->matrix.moved = true;
    remember(browser);
}

static void matrix_update(struct browser *browser)
{
    matrix_table_make(&browser->matrix.table, browser->snapshot, &browser->matrix.rules,
                      browser->matrix.measure);
    if (browser->matrix.moved)
        matrix_grid_find(grid_of(browser), &browser->matrix.table, browser->matrix.row,
                         browser->matrix.column);
    else
        matrix_grid_strongest(grid_of(browser), &browser->matrix.table);
    remember(browser);
}

/* ---- drawing ---- */

/* What part of the table is in sight, and how much of it is known. */
static void draw_summary(struct browser *browser, struct canvas *canvas, struct area area)
{
    const struct matrix_table *table = &browser->matrix.table;
    const struct snapshot_matrix *matrix = &browser->snapshot->matrix;
    const struct matrix_grid *grid = grid_of(browser);
    int used = canvas_format(canvas, area.row, 0, area.columns, PAINT_STRONG,
                             " Functions x objects: share of %s", matrix_table_measured(table));
    const struct snapshot_matrix_cell *nobody = &matrix->column_totals[matrix->column_count + 1];
    double without = matrix_table_share(table, nobody);
    if (without > 0)
        used += canvas_format(canvas, area.row, used, area.columns - used, PAINT_STRONG,
                              "; %.1f%% of it has no object", without * 100);
    if (table->row_count > grid->rows_shown || table->column_count > grid->columns_shown)
        used += canvas_format(canvas, area.row, used, area.columns - used, PAINT_DIM,
                              "   functions %zu-%zu of %zu, objects %zu-%zu of %zu", grid->top + 1,
                              grid->top + grid->rows_shown, table->row_count, grid->left + 1,
                              grid->left + grid->columns_shown - grid->pinned,
                              table->column_count - grid->pinned);
    if (grid->tagged_count)
        used += canvas_format(canvas, area.row, used, area.columns - used, PAINT_KEY,
                              "   %u tagged", grid->tagged_count);
    if (matrix->forgotten >= 0.005)
        canvas_format(canvas, area.row, used, area.columns - used, PAINT_WARN,
                      "   %.1f%% without a cell: %s", matrix->forgotten * 100,
                      matrix->estimated >= 0.005 ? "in others, and estimated" : "in others");
}

static void matrix_draw(struct browser *browser, struct canvas *canvas, struct area area)
{
    const struct matrix_table *table = &browser->matrix.table;
    bool small = area.rows < SMALL_ROWS;
    if (!table->row_count) {
        canvas_wrap(canvas, area, PAINT_DIM, " No function has samples on an object yet.");
        return;
    }
    int words = small ? 1 : area.rows / 3 < WORDS_ROWS ? area.rows / 3 : WORDS_ROWS;
    int title = !small;
    struct area grid = {area.row + title, 0, area.rows - title - words - !small, area.columns};
    int used = matrix_grid_draw(grid_of(browser), table, canvas, grid);
    if (title)
        draw_summary(browser, canvas, area);
    /* A short table leaves them more room. */
    struct area below = {grid.row + used + !small, 0, 0, area.columns};
    below.rows = area.row + area.rows - below.row;
    below.rows = below.rows > WORDS_ROWS ? WORDS_ROWS : below.rows;
    struct matrix_cell cell;
    matrix_cell_gather(table, grid_of(browser)->row, grid_of(browser)->column, &cell);
    matrix_words_draw(table, &cell, canvas, below);
}

/* ---- keys ---- */

static bool move_by(struct browser *browser, enum action action)
{
    if (action == ACTION_HOME) {
        browser->matrix.moved = false;
        matrix_update(browser);
        return true;
    }
    if (!matrix_grid_act(grid_of(browser), &browser->matrix.table, action))
        return false;
    matrix_cursor_moved(browser);
    return true;
}

/* What of misses, accesses and waiting no event counts is passed over, and how to have it told. */
static bool is_wanting(const struct snapshot *snapshot, enum matrix_measure measure)
{
    return measure == MATRIX_ACCESSES && snapshot->timeline.ranks != MEASURE_ACCESSES &&
           !matrix_measure_known(snapshot, measure);
}

/* The next one that this snapshot knows. */
static void change_measure(struct browser *browser)
{
    char text[512];
    bool wanting = false;
    int measure = (int)browser->matrix.table.measure;
    do {
        measure = (measure + 1) % MATRIX_MEASURES;
        wanting |= is_wanting(browser->snapshot, (enum matrix_measure)measure);
    } while (!matrix_measure_known(browser->snapshot, (enum matrix_measure)measure));
    browser->matrix.measure = (enum matrix_measure)measure;
    matrix_update(browser);
    snprintf(text, sizeof text, "share of %s%s%s", matrix_table_measured(&browser->matrix.table),
             wanting ? "; accesses: " : "",
             wanting ? measure_wanting(browser->snapshot, MEASURE_ACCESSES) : "");
    browser_message(browser, text);
}

static void open_object(struct browser *browser)
{
    const struct matrix_line *line = matrix_grid_column(grid_of(browser), &browser->matrix.table);
    if (!line || !line->members) {
        browser_message(browser, "no one object: move to its column first");
        return;
    }
    const struct snapshot_object *object = &browser->snapshot->objects[line->index];
    browser_open_object(browser, object);
    /* Esc comes back here, not to Detail, where nothing was asked. */
    if (object->layout_count)
        browser_enter(browser, PAGE_LAYOUT);
}

static void open_function(struct browser *browser)
{
    const struct matrix_line *line = matrix_grid_row(grid_of(browser), &browser->matrix.table);
    if (!line && matrix_grid_column(grid_of(browser), &browser->matrix.table))
        open_object(browser);
    else if (!line || !line->members)
        browser_message(browser, "no one function: move to its row first");
    else
        browser_open_function(browser, &browser->snapshot->code[line->index]);
}

static bool matrix_act(struct browser *browser, enum action action, struct request *request)
{
    (void)request;
    if (!browser->snapshot || !browser->matrix.table.row_count)
        return false;
    if (move_by(browser, action) || matrix_name_act(browser, action))
        return true;
    if (action == ACTION_ENTER)
        open_function(browser);
    else if (action == ACTION_FOLD)
        open_object(browser);
    else if (action == ACTION_MEASURE)
        change_measure(browser);
    return action == ACTION_ENTER || action == ACTION_FOLD || action == ACTION_MEASURE;
}

static bool matrix_click(struct browser *browser, int row, int column)
{
    struct matrix_grid *grid = grid_of(browser);
    size_t at_row;
    size_t at_column;
    if (!browser->snapshot ||
        !matrix_grid_at(grid, &browser->matrix.table, row, column, &at_row, &at_column))
        return false;
    bool again = at_row == grid->row && at_column == grid->column;
    grid->row = at_row;
    grid->column = at_column;
    matrix_cursor_moved(browser);
    if (again)
        open_function(browser);
    return true;
}

static void matrix_hint(struct browser *browser, char *out, size_t size)
{
    const struct matrix_grid *grid = grid_of(browser);
    if (!browser->matrix.table.row_count)
        snprintf(out, size, "Samples of each function on each object");
    else if (grid->row)
        snprintf(out, size,
                 "Enter: lines of the function  o: the object  t C R: join, rename (objects: "
                 "first row)");
    else
        snprintf(out, size,
                 "Enter: the object  t C R: join, rename (functions: below)  Home: strongest cell");
}

static const char *matrix_enter(struct browser *browser)
{
    const struct matrix_grid *grid = grid_of(browser);
    if (!browser->matrix.table.row_count || (!grid->row && !grid->column))
        return "";
    return grid->row ? "Function" : "Object";
}

static const enum action matrix_bar[] = {
    ACTION_ENTER,      ACTION_FOLD,   ACTION_MEASURE, ACTION_BACK, ACTION_HOME,
    ACTION_RENAME,     ACTION_TAG,    ACTION_COMBINE, ACTION_UNDO, ACTION_BASIS,
    ACTION_NEXT_EVENT, ACTION_FREEZE, ACTION_WRITE,   ACTION_NONE};

const struct page matrix_page = {
    .name = "Matrix",
    .update = matrix_update,
    .draw = matrix_draw,
    .act = matrix_act,
    .click = matrix_click,
    .answer = matrix_answer,
    .hint = matrix_hint,
    .enter = matrix_enter,
    .bar = matrix_bar,
};
