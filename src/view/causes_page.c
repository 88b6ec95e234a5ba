/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screen y: why lines were missed, and what had thrown them out (--sim). */
#include "view/browser.h"
#include "view/causes_words.h"

#include <stdio.h>

enum { LIST_LEAST = 3, TEXT_ROWS = 12, SUMMARY_ROWS = 2, TEXT_BYTES = 512 };

static const struct snapshot_causes_list *list_of(const struct browser *browser)
{
    return &browser->snapshot->causes.of[browser->causes.of];
}

static void causes_update(struct browser *browser)
{
    browser->causes.table.columns = &causes_columns[browser->causes.of];
    table_set(&browser->causes.table, browser->snapshot, list_of(browser)->rows,
              list_of(browser)->count);
}

static unsigned causes_panes(struct browser *browser, struct table *panes[PANES_MAX])
{
    panes[0] = &browser->causes.table;
    return 1;
}

/* ---- drawing ---- */

static int say(struct canvas *canvas, struct area *area, enum paint paint, const char *text)
{
    int used = *text && area->rows > 0 ? canvas_wrap(canvas, *area, paint, text) : 0;
    area->row += used;
    area->rows -= used;
    return used;
}

static void draw_selected(struct browser *browser, const struct snapshot_causes_row *row,
                          struct canvas *canvas, struct area area)
{
    char text[TEXT_BYTES];
    causes_advice(browser->causes.of, row, text, sizeof text);
    say(canvas, &area, PAINT_STRONG, text);
    causes_early(&row->figures, text, sizeof text);
    say(canvas, &area, PAINT_PLAIN, text);
    if (browser->causes.of == CAUSES_OBJECTS) {
        causes_fields(browser->snapshot, row, text, sizeof text);
        say(canvas, &area, PAINT_PLAIN, text);
    }
    if (area.rows > 0)
        causes_draw_evictors(browser->snapshot, row, canvas, area);
}

static void draw_nothing(const struct snapshot *snapshot, struct canvas *canvas, struct area area)
{
    canvas_wrap(
        canvas, area, PAINT_DIM,
        snapshot->simulation.level_count
            ? " No miss of this event was told with its cause: there was none yet, or the "
              "simulation was started without causes (--sim=SPEC:nocauses), or the event "
              "counts accesses (e: another event)."
            : " Only a simulation knows why a line is not in the cache: misstop --sim -- CMD runs "
              "a program under it, 50 to 200 times slower, and tells here for each "
              "object whether its lines were never there, did not fit, were in each "
              "other's way or were taken by another thread, and what threw them out.");
}

static void draw_list(struct browser *browser, struct canvas *canvas, struct area body)
{
    struct table *table = &browser->causes.table;
    int rows = (int)table->shown + 1;
    int most = body.rows - TEXT_ROWS - 1;
    rows = rows > most ? most : rows;
    rows = rows < LIST_LEAST ? LIST_LEAST : rows;
    struct area list = {body.row, body.column, rows < body.rows ? rows : body.rows, body.columns};
    pane_table(browser, canvas, list, table, "");
    const struct snapshot_causes_row *row = table_selected(table);
    int below = list.rows + (body.rows > TEXT_ROWS);
    struct area rest = {body.row + below, 1, body.rows - below, body.columns - 2};
    if (row && rest.rows > 0)
        draw_selected(browser, row, canvas, rest);
}

static void causes_draw(struct browser *browser, struct canvas *canvas, struct area area)
{
    char text[TEXT_BYTES];
    if (!list_of(browser)->count) {
        draw_nothing(browser->snapshot, canvas, area);
        return;
    }
    causes_summary(browser->snapshot, browser->causes.of, text, sizeof text);
    struct area top = {area.row, 1, area.rows > TEXT_ROWS ? SUMMARY_ROWS : 1, area.columns - 2};
    int used = canvas_wrap(canvas, top, PAINT_DIM, text);
    struct area body = {area.row + used, area.column, area.rows - used, area.columns};
    if (body.rows > 0)
        draw_list(browser, canvas, body);
}

/* ---- keys ---- */

void causes_open(struct browser *browser, uint32_t index)
{
    const struct snapshot *snapshot = browser->snapshot;
    if (browser->causes.of == CAUSES_OBJECTS)
        browser_open_listed(browser, index);
    else if (browser->causes.of == CAUSES_FUNCTIONS && index < snapshot->code_count)
        browser_open_function(browser, &snapshot->code[index]);
    else
        browser_message(browser, browser->causes.of == CAUSES_FUNCTIONS
                                     ? "it is not among the functions listed now"
                                     : "a thread has no screen of its own");
}

static void open_evictions(struct browser *browser, const struct snapshot_causes_row *row)
{
    browser_open_evictions(browser, row->id);
}

static void choose_next(struct browser *browser)
{
    browser->causes.of = (browser->causes.of + 1) % CAUSES_KINDS;
    browser->causes.table.pinned = false;
    causes_update(browser);
}

static bool causes_act(struct browser *browser, enum action action, struct request *request)
{
    const struct snapshot_causes_row *row = table_selected(&browser->causes.table);
    (void)request;
    if (action == ACTION_STACK && browser->snapshot && browser->snapshot->causes.told)
        choose_next(browser);
    else if (action == ACTION_ENTER && row)
        open_evictions(browser, row);
    else if (action == ACTION_FOLD && row)
        causes_open(browser, row->index);
    else
        return false;
    return true;
}

static const char *causes_enter(struct browser *browser)
{
    return table_selected(&browser->causes.table) ? "Who evicts whom" : "";
}

static void causes_hint(struct browser *browser, char *out, size_t size)
{
    static const char *const opens[CAUSES_KINDS] = {"  o: the object", "  o: the function", ""};
    if (!table_selected(&browser->causes.table))
        snprintf(out, size, "Esc: back");
    else
        snprintf(out, size,
                 "Enter: who evicts whom  b: by object, function, thread  e: another level%s",
                 opens[browser->causes.of]);
}

static const enum action causes_bar[] = {
    ACTION_ENTER,  ACTION_STACK,     ACTION_FOLD,       ACTION_BACK,   ACTION_FIND,
    ACTION_FILTER, ACTION_SORT_NEXT, ACTION_NEXT_EVENT, ACTION_FREEZE, ACTION_NONE};

const struct page causes_page = {
    .name = "Causes",
    .update = causes_update,
    .draw = causes_draw,
    .panes = causes_panes,
    .act = causes_act,
    .hint = causes_hint,
    .enter = causes_enter,
    .bar = causes_bar,
};
