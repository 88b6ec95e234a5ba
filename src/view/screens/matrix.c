/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screen 3: functions by objects. */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "view/screens/matrix_table.h"
#include "view/display/browser.h"
#include "view/display/canvas.h"
#include "view/widget/columns.h"
#include "view/words.h"

enum { HEADING_NAME_BYTES = 256 };

/* Returns the bytes that fit; breaks after a word if the row is then more than half full. */
static int row_bytes(const char *text, int columns, bool words, bool ascii, int *used)
{
    struct glyph glyph;
    int at = 0;
    int word = 0;
    int word_columns = 0;
    *used = 0;
    while ((glyph = glyph_next(text + at, ascii)).bytes && *used + glyph.columns <= columns) {
        at += (int)glyph.bytes;
        *used += glyph.columns;
        if (words && strchr("_ .:([,>", text[at - 1]) && *used * 2 > columns) {
            word = at;
            word_columns = *used;
        }
    }
    if (!word || !glyph.bytes)
        return at;
    *used = word_columns;
    return word;
}

static int count_rows(const char *text, int columns, bool words, bool ascii)
{
    int rows = 0;
    int used;
    for (int bytes; *text && (bytes = row_bytes(text, columns, words, ascii, &used)); rows++)
        text += bytes;
    return rows ? rows : 1;
}

/* Returns the rows that a name needs with this width, at most `most`, for which it is truncated. */
static int matrix_heading_rows(const char *name, int columns, int most, bool ascii)
{
    char text[HEADING_NAME_BYTES];
    glyph_fit(text, sizeof text, name, columns * most, GLYPH_CUT_MIDDLE, ascii);
    int rows = count_rows(text, columns, false, ascii);
    return rows < most ? rows : most;
}

/* Draws a heading, aligned to the bottom of the box. */
static void matrix_heading_draw(struct canvas *canvas, struct area box, enum paint paint,
                                const char *name)
{
    char text[HEADING_NAME_BYTES];
    const char *at = text;
    glyph_fit(text, sizeof text, name, box.columns * box.rows, GLYPH_CUT_MIDDLE, canvas->ascii);
    int rows = count_rows(text, box.columns, false, canvas->ascii);
    bool words = count_rows(text, box.columns, true, canvas->ascii) == rows;
    for (int row = rows < box.rows ? box.rows - rows : 0; row < box.rows; row++) {
        int used;
        int bytes = row_bytes(at, box.columns, words, canvas->ascii, &used);
        canvas_format(canvas, box.row + row, box.column + box.columns - used, used, paint, "%.*s",
                      bytes, at);
        at += bytes;
    }
}

enum {
    NAME_COLUMNS_MIN = 12,
    NAME_COLUMNS_MAX = 34,
    TOTAL_COLUMNS = 7,
    CELL_MAX = 16,
    GRID_NAME_BYTES = 256,
    PINNED_FROM = 2
};

/* Smaller shares would print as 0.0 %. */
static const double min_shown = 0.0005;

static const struct matrix_lines *rows_of(const struct matrix_table *table)
{
    return &table->axis[MATRIX_FUNCTIONS];
}

static const struct matrix_lines *columns_of(const struct matrix_table *table)
{
    return &table->axis[MATRIX_OBJECTS];
}

static bool matrix_grid_tagged(const struct matrix_grid *grid, enum matrix_axis axis,
                               uint64_t identity)
{
    return grid->tagged_axis == axis && tags_have(&grid->tagged, identity);
}

static void matrix_grid_strongest(struct matrix_grid *grid, const struct matrix_table *table)
{
    double most = -1;
    for (size_t i = 0; i < rows_of(table)->count; i++)
        for (size_t k = 0; k < columns_of(table)->count; k++)
            if (rows_of(table)->list[i].members && columns_of(table)->list[k].members &&
                matrix_table_share(table, &table->cells[i][k]) > most) {
                most = matrix_table_share(table, &table->cells[i][k]);
                grid->cursor = (struct matrix_place){{i + 1, k + 1}};
            }
}

/* ---- positions ---- */

static void format_line_label(const struct matrix_line *line, bool tagged, char *out, size_t size)
{
    char more[16] = "";
    if (line->members > 1)
        snprintf(more, sizeof more, " +%u", line->members - 1);
    snprintf(out, size, "%s%s%s", tagged ? "*" : "", line->name, more);
}

static int name_columns(const struct matrix_table *table, int columns, bool ascii)
{
    char label[GRID_NAME_BYTES];
    int wanted = NAME_COLUMNS_MIN;
    int most = columns / 4 < NAME_COLUMNS_MAX ? columns / 4 : NAME_COLUMNS_MAX;
    for (size_t i = 0; i < rows_of(table)->count; i++) {
        format_line_label(&rows_of(table)->list[i], false, label, sizeof label);
        int own = glyph_columns(label, ascii) + 1;
        wanted = own > wanted ? own : wanted;
    }
    return wanted < most ? wanted : most > NAME_COLUMNS_MIN ? most : NAME_COLUMNS_MIN;
}

/* Fits as many cells as possible at a readable width, then widens them to use the room. */
static void choose_widths(struct matrix_grid *grid, const struct matrix_table *table, int columns)
{
    int left = columns - grid->names.columns - TOTAL_COLUMNS;
    int cell = columns < 60 ? 8 : columns < 120 ? 9 : 11;
    int fit = left / cell > 1 ? left / cell : 1;
    int count = (int)columns_of(table)->count;
    int wanted = count < fit ? count : fit;
    cell = left / wanted < CELL_MAX ? left / wanted : CELL_MAX;
    grid->total_columns = TOTAL_COLUMNS;
    grid->cell_columns = cell;
    grid->shown[MATRIX_OBJECTS] = (size_t)wanted;
}

static void scroll_grid(size_t cursor, size_t count, size_t shown, size_t *first)
{
    size_t at = cursor ? cursor - 1 : 0;
    if (at < *first)
        *first = at;
    if (shown && at >= *first + shown)
        *first = at - shown + 1;
    if (*first + shown > count)
        *first = count > shown ? count - shown : 0;
}

/* Computes the widths first, because the number of heading rows depends on them. */
static void place_columns(struct matrix_grid *grid, const struct matrix_table *table,
                          struct area area, bool ascii)
{
    size_t count = columns_of(table)->count;
    size_t *at = &grid->cursor.at[MATRIX_OBJECTS];
    *at = *at < count ? *at : count;
    grid->names.column = area.column;
    grid->names.columns = name_columns(table, area.columns, ascii);
    choose_widths(grid, table, area.columns);
    size_t shown = grid->shown[MATRIX_OBJECTS];
    grid->pinned = shown > PINNED_FROM && count > shown &&
                   columns_of(table)->list[count - 1].index == MATRIX_NONE;
    scroll_grid(*at - (grid->pinned && *at == count), count - grid->pinned, shown - grid->pinned,
                &grid->first[MATRIX_OBJECTS]);
}

static size_t column_at(const struct matrix_grid *grid, const struct matrix_table *table,
                        size_t shown)
{
    return grid->pinned && shown + 1 == grid->shown[MATRIX_OBJECTS]
               ? columns_of(table)->count - 1
               : grid->first[MATRIX_OBJECTS] + shown;
}

/* `area` is below the headings; its first row has the totals. */
static void place_rows(struct matrix_grid *grid, const struct matrix_table *table, struct area area)
{
    size_t rows = area.rows > 1 ? (size_t)area.rows - 1 : 0;
    size_t count = rows_of(table)->count;
    size_t *at = &grid->cursor.at[MATRIX_FUNCTIONS];
    *at = *at < count ? *at : count;
    grid->names.row = area.row;
    grid->names.rows = area.rows;
    grid->shown[MATRIX_FUNCTIONS] = rows < count ? rows : count;
    scroll_grid(*at, count, grid->shown[MATRIX_FUNCTIONS], &grid->first[MATRIX_FUNCTIONS]);
}

/* ---- drawing ---- */

static void draw_share(struct canvas *canvas, int row, int column, int width, double share,
                       enum paint paint)
{
    char text[16] = "";
    if (share >= min_shown)
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

static const char *heading_of(const struct matrix_grid *grid, const struct matrix_table *table,
                              size_t shown, char out[GRID_NAME_BYTES])
{
    const struct matrix_line *line = &columns_of(table)->list[column_at(grid, table, shown)];
    format_line_label(line, matrix_grid_tagged(grid, MATRIX_OBJECTS, line->identity), out,
                      GRID_NAME_BYTES);
    return out;
}

static void draw_headings(const struct matrix_grid *grid, const struct matrix_table *table,
                          struct canvas *canvas, struct area area)
{
    for (int i = 0; i < area.rows; i++)
        canvas_format(canvas, area.row + i, area.column, area.columns, PAINT_HEADING, "%*s",
                      area.columns, "");
    int foot = area.row + area.rows - 1;
    canvas_text(canvas, foot, area.column + 1, grid->names.columns - 1, PAINT_HEADING, "Function");
    canvas_format(canvas, foot, area.column + grid->names.columns, grid->total_columns,
                  PAINT_HEADING, "%*s", grid->total_columns - 1, "all");
    for (size_t i = 0; i < grid->shown[MATRIX_OBJECTS]; i++) {
        char label[GRID_NAME_BYTES];
        bool on = column_at(grid, table, i) + 1 == grid->cursor.at[MATRIX_OBJECTS];
        struct area box = {area.row, cell_column(grid, i), area.rows, grid->cell_columns - 1};
        matrix_heading_draw(canvas, box, on ? PAINT_SORTED : PAINT_HEADING,
                            heading_of(grid, table, i, label));
    }
}

/* Returns the number of heading rows: as many as the visible names need, limited by the height. */
static int heading_rows(const struct matrix_grid *grid, const struct matrix_table *table, int rows,
                        bool ascii)
{
    char label[GRID_NAME_BYTES];
    int most = rows >= 18 ? 3 : rows >= 10 ? 2 : 1;
    int wanted = 1;
    for (size_t i = 0; i < grid->shown[MATRIX_OBJECTS]; i++) {
        int own = matrix_heading_rows(heading_of(grid, table, i, label), grid->cell_columns - 1,
                                      most, ascii);
        wanted = own > wanted ? own : wanted;
    }
    return wanted;
}

static void draw_row(const struct matrix_grid *grid, const struct matrix_table *table,
                     struct canvas *canvas, int row, size_t at)
{
    char label[GRID_NAME_BYTES];
    char text[GRID_NAME_BYTES];
    bool on = at == grid->cursor.at[MATRIX_FUNCTIONS];
    size_t chosen = grid->cursor.at[MATRIX_OBJECTS];
    const struct matrix_line *line = at ? &rows_of(table)->list[at - 1] : NULL;
    if (line)
        format_line_label(line, matrix_grid_tagged(grid, MATRIX_FUNCTIONS, line->identity), label,
                          sizeof label);
    else
        snprintf(label, sizeof label, "all functions");
    glyph_fit(text, sizeof text, label, grid->names.columns - 2, GLYPH_CUT_MIDDLE, canvas->ascii);
    canvas_text(canvas, row, grid->names.column + 1, grid->names.columns - 1,
                on                      ? PAINT_STRONG
                : line && line->members ? PAINT_PLAIN
                                        : PAINT_DIM,
                text);
    double total = matrix_table_share(table, line ? &line->total : &table->snapshot->matrix.all);
    int column = grid->names.column + grid->names.columns;
    draw_share(canvas, row, column, grid->total_columns, total, line ? PAINT_STRONG : PAINT_DIM);
    if (on && !chosen)
        canvas_flag(canvas, row, column, grid->total_columns, CELL_CURSOR);
    for (size_t i = 0; i < grid->shown[MATRIX_OBJECTS]; i++) {
        size_t k = column_at(grid, table, i);
        double share = matrix_table_share(table, line ? &table->cells[at - 1][k]
                                                      : &columns_of(table)->list[k].total);
        draw_share(canvas, row, cell_column(grid, i), grid->cell_columns, share,
                   line ? paint_heat(share) : PAINT_STRONG);
        if (on && k + 1 == chosen)
            canvas_flag(canvas, row, cell_column(grid, i), grid->cell_columns, CELL_CURSOR);
    }
}

int matrix_grid_draw(struct matrix_grid *grid, const struct matrix_table *table,
                     struct canvas *canvas, struct area area)
{
    place_columns(grid, table, area, canvas->ascii);
    int headings = heading_rows(grid, table, area.rows, canvas->ascii);
    struct area head = {area.row, area.column, headings, area.columns};
    struct area body = area_below(area, headings);
    place_rows(grid, table, body);
    draw_headings(grid, table, canvas, head);
    if (body.rows > 0)
        draw_row(grid, table, canvas, body.row, 0);
    for (size_t i = 0; i < grid->shown[MATRIX_FUNCTIONS]; i++)
        draw_row(grid, table, canvas, body.row + 1 + (int)i, grid->first[MATRIX_FUNCTIONS] + i + 1);
    return headings + 1 + (int)grid->shown[MATRIX_FUNCTIONS];
}

static enum table_hit matrix_grid_click(struct matrix_grid *grid, const struct matrix_table *table,
                                        int row, int column)
{
    int down = row - grid->names.row;
    int across = column - cell_column(grid, 0);
    if (!grid->names.rows || down < 0 || down > (int)grid->shown[MATRIX_FUNCTIONS] ||
        across >= (int)grid->shown[MATRIX_OBJECTS] * grid->cell_columns ||
        column < grid->names.column)
        return TABLE_MISSED;
    size_t at_row = down ? grid->first[MATRIX_FUNCTIONS] + (size_t)down : 0;
    size_t at_column =
        across < 0 ? 0 : column_at(grid, table, (size_t)(across / grid->cell_columns)) + 1;
    bool again =
        at_row == grid->cursor.at[MATRIX_FUNCTIONS] && at_column == grid->cursor.at[MATRIX_OBJECTS];
    grid->cursor = (struct matrix_place){{at_row, at_column}};
    grid->moved = true;
    return again ? TABLE_AGAIN : TABLE_SELECTED;
}

/* ---- the cursor: keys, and new snapshots ---- */

static bool matrix_grid_act(struct matrix_grid *grid, const struct matrix_table *table,
                            enum action action)
{
    size_t shown = grid->shown[MATRIX_FUNCTIONS];
    long screen = shown > 1 ? (long)shown : 1;
    const long by[MATRIX_AXES] = {action == ACTION_UP          ? -1
                                  : action == ACTION_DOWN      ? 1
                                  : action == ACTION_PAGE_UP   ? -screen
                                  : action == ACTION_PAGE_DOWN ? screen
                                  : action == ACTION_END       ? MATRIX_ROWS
                                                               : 0,
                                  action == ACTION_LEFT    ? -1
                                  : action == ACTION_RIGHT ? 1
                                                           : 0};
    if (!by[MATRIX_FUNCTIONS] && !by[MATRIX_OBJECTS])
        return false;
    for (int axis = 0; axis < MATRIX_AXES; axis++) {
        long to = (long)grid->cursor.at[axis] + by[axis];
        long most = (long)table->axis[axis].count;
        grid->cursor.at[axis] = (size_t)(to < 0 ? 0 : to > most ? most : to);
    }
    grid->moved = true;
    return true;
}

/* ---- the screen ---- */

static struct matrix_view *matrix_view(const struct browser *browser)
{
    return browser->states[SCREEN_MATRIX];
}

/* ---- renaming and combining: objects in the first row, functions below ---- */

static enum matrix_axis axis_of(const struct browser *browser)
{
    return matrix_view(browser)->grid.cursor.at[MATRIX_FUNCTIONS] ? MATRIX_FUNCTIONS
                                                                  : MATRIX_OBJECTS;
}

static const struct matrix_line *line_under_cursor(const struct browser *browser,
                                                   enum matrix_axis axis)
{
    const struct matrix_view *view = matrix_view(browser);
    return matrix_line_at(&view->table, axis, view->grid.cursor);
}

static const char *combine_error_text(int code)
{
    return code == -EEXIST   ? "these are already combined"
           : code == -ENOENT ? "a tagged row is no longer listed"
           : code == -ENOSPC ? "too many names"
           : code == -ENOMEM ? "out of memory"
                             : "this name cannot be used";
}

static void tag_line(struct browser *browser, const struct matrix_line *line)
{
    struct matrix_grid *grid = &matrix_view(browser)->grid;
    enum matrix_axis axis = axis_of(browser);
    if (grid->tagged_axis != axis)
        grid->tagged.count = 0;
    grid->tagged_axis = axis;
    const char *done = tags_toggle(&grid->tagged, line->identity);
    browser_message(browser, done ? done
                             : axis == MATRIX_FUNCTIONS
                                 ? "tagged; C on another function combines them into that one"
                                 : "tagged; C on another object combines them into that one");
}

static void combine_lines(struct browser *browser, const struct matrix_line *line)
{
    struct matrix_view *view = matrix_view(browser);
    struct matrix_grid *grid = &view->grid;
    enum matrix_axis axis = axis_of(browser);
    const struct tags *tagged = &grid->tagged;
    bool any = grid->tagged_axis == axis &&
               tagged->count > (tagged->count == 1 && tagged->list[0] == line->identity);
    int code = any ? matrix_rules_combine(&view->rules, &view->table, axis, line->identity,
                                          tagged->list, tagged->count)
                   : 0;
    if (code)
        browser_message(browser, combine_error_text(code));
    else if (!any)
        browser_message(browser, axis == MATRIX_FUNCTIONS ? "first tag the functions to combine (t)"
                                                          : "first tag the objects to combine (t)");
    if (any)
        grid->tagged.count = 0;
}

static void undo_bin_rule(struct browser *browser)
{
    struct bin_rules *rules = &matrix_view(browser)->rules;
    bool undone = bin_rules_undo(rules);
    if (undone)
        bin_rules_keep(rules);
    browser_message(browser,
                    undone ? "the last renaming or combining is undone" : "nothing to undo");
}

/* Rebuilds the table, because names depend on the rules; the cursor follows its lines. */
static void rebuild_table(struct browser *browser)
{
    struct matrix_view *view = matrix_view(browser);
    uint32_t was[MATRIX_AXES];
    for (enum matrix_axis axis = 0; axis < MATRIX_AXES; axis++) {
        const struct matrix_line *line = line_under_cursor(browser, axis);
        was[axis] = line ? line->index : UINT32_MAX;
    }
    struct matrix_place before = view->grid.cursor;
    matrix_table_make(&view->table, browser->snapshot, &view->rules, view->measure);
    for (enum matrix_axis axis = 0; axis < MATRIX_AXES; axis++)
        if (before.at[axis])
            view->grid.cursor.at[axis] = matrix_table_line(&view->table, axis, was[axis]) + 1;
    view->grid.moved = true;
}

/* Handles tagging, combining and renaming; true: done. */
static bool matrix_name_act(struct browser *browser, enum action action)
{
    const struct matrix_line *line = line_under_cursor(browser, axis_of(browser));
    if (action == ACTION_UNDO) {
        undo_bin_rule(browser);
        rebuild_table(browser);
        return true;
    }
    if (action != ACTION_TAG && action != ACTION_COMBINE && action != ACTION_RENAME)
        return false;
    if (!line || !line->members) {
        browser_message(browser, "this is a group: move to one of its members first");
        return true;
    }
    if (action == ACTION_TAG)
        tag_line(browser, line);
    else if (action == ACTION_RENAME)
        prompt_ask(browser, PROMPT_RENAME, line->renamed ? line->name : "");
    else
        combine_lines(browser, line);
    if (action == ACTION_COMBINE)
        rebuild_table(browser);
    return true;
}

/* The lines are the same even if a new snapshot arrived since the prompt. */
static void matrix_answer(struct browser *browser, const char *text, struct request *request)
{
    struct matrix_view *view = matrix_view(browser);
    enum matrix_axis axis = axis_of(browser);
    size_t line = view->grid.cursor.at[axis];
    (void)request;
    int code =
        line ? matrix_rules_rename(&view->rules, &view->table, axis, line - 1, text) : -EINVAL;
    if (code)
        browser_message(browser, combine_error_text(code));
    else
        rebuild_table(browser);
}

enum { WORDS_ROWS = 11, SMALL_ROWS = 10 };

static struct matrix_grid *matrix_view_grid(struct browser *browser)
{
    return &matrix_view(browser)->grid;
}

/* The cursor stays on the same lines, or goes to the first ones; 0: the totals. */
static void matrix_update(struct browser *browser)
{
    struct matrix_view *view = matrix_view(browser);
    uint64_t identity[MATRIX_AXES];
    for (enum matrix_axis axis = 0; axis < MATRIX_AXES; axis++) {
        const struct matrix_line *line = line_under_cursor(browser, axis);
        identity[axis] = line ? line->identity : 0;
    }
    matrix_table_make(&view->table, browser->snapshot, &view->rules, view->measure);
    if (!view->grid.moved)
        matrix_grid_strongest(&view->grid, &view->table);
    for (enum matrix_axis axis = 0; axis < MATRIX_AXES && view->grid.moved; axis++) {
        size_t count = view->table.axis[axis].count;
        size_t at = matrix_table_find(&view->table, axis, identity[axis]);
        if (view->grid.cursor.at[axis])
            view->grid.cursor.at[axis] = at < count ? at + 1 : count ? 1 : 0;
    }
}

/* ---- drawing ---- */

/* Draws which part of the table is visible, and how much of the data is known. */
static void draw_summary(struct browser *browser, struct canvas *canvas, struct area area)
{
    const struct matrix_table *table = &matrix_view(browser)->table;
    const struct snapshot_matrix *matrix = &browser->snapshot->matrix;
    const struct matrix_grid *grid = matrix_view_grid(browser);
    struct pen pen = {canvas, area.row, 0, area.columns};
    pen_part(&pen, PAINT_STRONG, " Share of %s by function and object",
             matrix_table_measured(table));
    const struct snapshot_matrix_cell *no_object = &matrix->column_totals[matrix->column_count + 1];
    double without = matrix_table_share(table, no_object);
    if (without > 0)
        pen_part(&pen, PAINT_STRONG, "; %.1f%% of it has no object", without * 100);
    const size_t *first = grid->first;
    const size_t *shown = grid->shown;
    size_t rows = rows_of(table)->count;
    size_t columns = columns_of(table)->count;
    if (rows > shown[MATRIX_FUNCTIONS] || columns > shown[MATRIX_OBJECTS])
        pen_part(&pen, PAINT_DIM, "   functions %zu-%zu of %zu, objects %zu-%zu of %zu",
                 first[MATRIX_FUNCTIONS] + 1, first[MATRIX_FUNCTIONS] + shown[MATRIX_FUNCTIONS],
                 rows, first[MATRIX_OBJECTS] + 1,
                 first[MATRIX_OBJECTS] + shown[MATRIX_OBJECTS] - grid->pinned,
                 columns - grid->pinned);
    if (grid->tagged.count)
        pen_part(&pen, PAINT_KEY, "   %u tagged", grid->tagged.count);
    if (matrix->dropped_share >= 0.005)
        pen_part(&pen, PAINT_WARN, "   %.1f%% without a cell: %s", matrix->dropped_share * 100,
                 matrix->estimated >= 0.005 ? "counted in other cells, partly estimated"
                                            : "in others");
}

static void matrix_draw(struct browser *browser, struct canvas *canvas, struct area area)
{
    const struct matrix_table *table = &matrix_view(browser)->table;
    bool small = area.rows < SMALL_ROWS;
    matrix_view_grid(browser)->names = (struct area){0};
    if (!rows_of(table)->count) {
        canvas_wrap(canvas, area, PAINT_DIM, " No function has samples on an object yet.");
        return;
    }
    int words = small ? 1 : area.rows / 3 < WORDS_ROWS ? area.rows / 3 : WORDS_ROWS;
    int title = !small;
    struct area grid = {area.row + title, 0, area.rows - title - words - !small, area.columns};
    int used = matrix_grid_draw(matrix_view_grid(browser), table, canvas, grid);
    if (title)
        draw_summary(browser, canvas, area);
    /* A short table leaves more room for the words. */
    struct area below = {grid.row + used + !small, 0, 0, area.columns};
    below.rows = area.row + area.rows - below.row;
    below.rows = below.rows > WORDS_ROWS ? WORDS_ROWS : below.rows;
    struct matrix_cell cell;
    matrix_cell_gather(table, matrix_view_grid(browser)->cursor, &cell);
    matrix_words_draw(table, &cell, canvas, below);
}

/* ---- keys ---- */

static bool move_grid_cursor(struct browser *browser, enum action action)
{
    if (action != ACTION_HOME)
        return matrix_grid_act(matrix_view_grid(browser), &matrix_view(browser)->table, action);
    matrix_view_grid(browser)->moved = false;
    matrix_update(browser);
    return true;
}

/* Returns true if no event counts the measure, and a note explains how to count it. */
static bool is_measure_wanting(const struct snapshot *snapshot, enum matrix_measure measure)
{
    return measure == MATRIX_ACCESSES && snapshot->timeline.ranking_measure != MEASURE_ACCESSES &&
           !matrix_measure_known(snapshot, measure);
}

/* Changes to the next measure that this snapshot has. */
static void change_measure(struct browser *browser)
{
    char text[512];
    bool wanting = false;
    int measure = (int)matrix_view(browser)->table.measure;
    do {
        measure = (measure + 1) % MATRIX_MEASURES;
        wanting |= is_measure_wanting(browser->snapshot, (enum matrix_measure)measure);
    } while (!matrix_measure_known(browser->snapshot, (enum matrix_measure)measure));
    matrix_view(browser)->measure = (enum matrix_measure)measure;
    matrix_update(browser);
    snprintf(text, sizeof text, "share of %s%s%s",
             matrix_table_measured(&matrix_view(browser)->table), wanting ? "; accesses: " : "",
             wanting ? measure_wanting(browser->snapshot, MEASURE_ACCESSES) : "");
    browser_message(browser, text);
}

static void open_object(struct browser *browser)
{
    const struct matrix_line *line = line_under_cursor(browser, MATRIX_OBJECTS);
    if (!line || !line->members) {
        browser_message(browser, "not a single object: move to a column first");
        return;
    }
    const struct snapshot_object *object = &browser->snapshot->objects[line->index];
    browser_open_object(browser, object);
    /* Enter Layout directly, so that Esc returns here and not to Detail. */
    if (object->layout_count)
        browser_enter(browser, SCREEN_LAYOUT);
}

static void open_function(struct browser *browser)
{
    const struct matrix_line *line = line_under_cursor(browser, MATRIX_FUNCTIONS);
    if (!line && line_under_cursor(browser, MATRIX_OBJECTS))
        open_object(browser);
    else if (!line || !line->members)
        browser_message(browser, "not a single function: move to a row first");
    else
        browser_open_function(browser, &browser->snapshot->code[line->index]);
}

static bool matrix_act(struct browser *browser, enum action action, struct request *request)
{
    (void)request;
    if (!browser->snapshot || !rows_of(&matrix_view(browser)->table)->count)
        return false;
    if (move_grid_cursor(browser, action) || matrix_name_act(browser, action))
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
    if (!browser->snapshot)
        return false;
    enum table_hit hit =
        matrix_grid_click(matrix_view_grid(browser), &matrix_view(browser)->table, row, column);
    if (hit == TABLE_AGAIN)
        open_function(browser);
    return hit != TABLE_MISSED;
}

static void matrix_hint(struct browser *browser, char *out, size_t size)
{
    if (!rows_of(&matrix_view(browser)->table)->count)
        snprintf(out, size, "Samples of each function on each object");
    else if (axis_of(browser) == MATRIX_FUNCTIONS)
        snprintf(out, size, "Enter: lines of the function  F5: the object  t C R: combine, rename");
    else
        snprintf(out, size, "Enter: the object  t C R: combine, rename  Home: largest cell");
}

static const char *matrix_label(struct browser *browser, enum action action)
{
    const struct matrix_place *cursor = &matrix_view_grid(browser)->cursor;
    bool row = cursor->at[MATRIX_FUNCTIONS];
    bool anywhere =
        rows_of(&matrix_view(browser)->table)->count && (row || cursor->at[MATRIX_OBJECTS]);
    return action == ACTION_FOLD    ? "Object"
           : action == ACTION_HOME  ? "Strongest"
           : action != ACTION_ENTER ? NULL
           : !anywhere              ? ""
           : row                    ? "Function"
                                    : "Object";
}

static void matrix_init(void *state)
{
    bin_rules_open(&((struct matrix_view *)state)->rules, MATRIX_RULES);
}

static void matrix_fini(void *state)
{
    bin_rules_fini(&((struct matrix_view *)state)->rules);
}

const struct screen matrix_screen = {
    .name = "Matrix",
    .description =
        "A row per function and a column per object. Each cell is their share of all samples; "
        "totals are in the first row and column.",
    .next_step =
        "The lines below describe the selected cell, at first the largest one. Enter goes to "
        "the code, o to the data.",
    .key_help = "Matrix: samples of each function on each object",
    .state_size = sizeof(struct matrix_view),
    .init = matrix_init,
    .fini = matrix_fini,
    .update = matrix_update,
    .draw = matrix_draw,
    .act = matrix_act,
    .click = matrix_click,
    .answer = matrix_answer,
    .hint = matrix_hint,
    .label = matrix_label,
    .bar = {ACTION_ENTER, ACTION_FOLD, ACTION_MEASURE, ACTION_BACK, ACTION_HOME, ACTION_RENAME,
            ACTION_TAG, ACTION_COMBINE, ACTION_UNDO, ACTION_BASIS, ACTION_NEXT_EVENT, ACTION_FREEZE,
            ACTION_WRITE},
};
