/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Renaming and combining on the Matrix screen: objects on its first row, functions below;
 * declared in browser.h. */
#include "view/browser.h"

#include <errno.h>
#include <stdio.h>

static enum matrix_axis axis_of(const struct browser *browser)
{
    return browser->matrix.grid.row ? MATRIX_FUNCTIONS : MATRIX_OBJECTS;
}

static const struct matrix_line *line_of(const struct browser *browser)
{
    const struct matrix_grid *grid = &browser->matrix.grid;
    const struct matrix_table *table = &browser->matrix.table;
    return grid->row ? matrix_grid_row(grid, table) : matrix_grid_column(grid, table);
}

static const char *trouble(int code)
{
    return code == -EEXIST   ? "these are one already"
           : code == -ENOENT ? "one that was tagged is not listed any more"
           : code == -ENOSPC ? "no more names can be kept"
           : code == -ENOMEM ? "out of memory"
                             : "that name cannot be given";
}

static void tag(struct browser *browser, const struct matrix_line *line)
{
    struct matrix_grid *grid = &browser->matrix.grid;
    enum matrix_axis axis = axis_of(browser);
    if (grid->tagged_axis != axis)
        grid->tagged_count = 0;
    grid->tagged_axis = axis;
    for (uint32_t i = 0; i < grid->tagged_count; i++)
        if (grid->tagged[i] == line->identity) {
            grid->tagged[i] = grid->tagged[--grid->tagged_count];
            browser_message(browser, "tag taken off");
            return;
        }
    if (grid->tagged_count == MATRIX_TAGS_MAX) {
        browser_message(browser, "no more than 15 at once: combine these first");
        return;
    }
    grid->tagged[grid->tagged_count++] = line->identity;
    browser_message(browser, axis == MATRIX_FUNCTIONS
                                 ? "tagged; C on another function combines them into that one"
                                 : "tagged; C on another object combines them into that one");
}

static void combine(struct browser *browser, const struct matrix_line *line)
{
    struct matrix_grid *grid = &browser->matrix.grid;
    enum matrix_axis axis = axis_of(browser);
    uint64_t into = line->identity;
    unsigned done = 0;
    int code = 0;
    for (uint32_t i = 0; i < grid->tagged_count && grid->tagged_axis == axis && !code; i++) {
        if (grid->tagged[i] == into)
            continue;
        code = matrix_rules_combine(&browser->matrix.rules, &browser->matrix.table, axis, into,
                                    grid->tagged[i]);
        done += !code;
    }
    if (code)
        browser_message(browser, trouble(code));
    else if (!done)
        browser_message(browser, axis == MATRIX_FUNCTIONS
                                     ? "tag the functions (t) that shall go into this one first"
                                     : "tag the objects (t) that shall go into this one first");
    if (done || code)
        grid->tagged_count = 0;
}

static void undo(struct browser *browser)
{
    browser_message(browser, matrix_rules_undo(&browser->matrix.rules)
                                 ? "the last naming or combining is taken back"
                                 : "nothing was named or combined");
}

/* Names are made of the rules, which have changed; the cursor goes with what it was on. */
static void make_again(struct browser *browser)
{
    const struct matrix_table *table = &browser->matrix.table;
    struct matrix_grid *grid = &browser->matrix.grid;
    const struct matrix_line *row = matrix_grid_row(grid, table);
    const struct matrix_line *column = matrix_grid_column(grid, table);
    uint32_t function = row ? row->index : UINT32_MAX;
    uint32_t object = column ? column->index : UINT32_MAX;
    matrix_table_make(&browser->matrix.table, browser->snapshot, &browser->matrix.rules,
                      browser->matrix.measure);
    if (row)
        grid->row = matrix_table_line(table, MATRIX_FUNCTIONS, function) + 1;
    if (column)
        grid->column = matrix_table_line(table, MATRIX_OBJECTS, object) + 1;
    matrix_cursor_moved(browser);
}

bool matrix_name_act(struct browser *browser, enum action action)
{
    const struct matrix_line *line = line_of(browser);
    if (action == ACTION_UNDO) {
        undo(browser);
        make_again(browser);
        return true;
    }
    if (action != ACTION_TAG && action != ACTION_COMBINE && action != ACTION_RENAME)
        return false;
    if (!line || !line->members) {
        browser_message(browser, "these are many: move to one of them first");
        return true;
    }
    if (action == ACTION_TAG)
        tag(browser, line);
    else if (action == ACTION_RENAME)
        prompt_ask(browser, PROMPT_RENAME, line->renamed ? line->name : "");
    else
        combine(browser, line);
    if (action == ACTION_COMBINE)
        make_again(browser);
    return true;
}

/* The cursor may have been moved on by a new snapshot: it is on the same names still. */
void matrix_answer(struct browser *browser, const char *text, struct request *request)
{
    const struct matrix_grid *grid = &browser->matrix.grid;
    enum matrix_axis axis = axis_of(browser);
    size_t line = axis == MATRIX_FUNCTIONS ? grid->row : grid->column;
    (void)request;
    int code = line ? matrix_rules_rename(&browser->matrix.rules, &browser->matrix.table, axis,
                                          line - 1, text)
                    : -EINVAL;
    if (code)
        browser_message(browser, trouble(code));
    else
        make_again(browser);
}
