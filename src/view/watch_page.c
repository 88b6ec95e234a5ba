/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screen w: what hardware watchpoints saw of each object (--watch). */
#include "view/browser.h"
#include "view/watch_words.h"

#include <stdio.h>

enum { LIST_LEAST = 3, TEXT_ROWS = 9, LABEL_COLUMNS = 12 };

static void watch_update(struct browser *browser)
{
    const struct snapshot_watch *watch = &browser->snapshot->watch;
    table_set(&browser->watch, browser->snapshot, watch->objects, watch->count);
}

static unsigned watch_panes(struct browser *browser, struct table *panes[PANES_MAX])
{
    panes[0] = &browser->watch;
    return 1;
}

/* ---- drawing ---- */

static void draw_selected(const struct snapshot_watch_object *object, struct canvas *canvas,
                          struct area area)
{
    char share[16];
    area.row += canvas_wrap(canvas, area, PAINT_STRONG, object->reading);
    for (size_t i = 0; i < object->code_count && area.row < canvas->rows - 2; i++, area.row++) {
        canvas_text(canvas, area.row, area.column, LABEL_COLUMNS, PAINT_DIM, i ? "" : "Touched by");
        format_percent(share, sizeof share, value_number(object->codes[i].share));
        canvas_format(canvas, area.row, area.column + LABEL_COLUMNS, area.columns - LABEL_COLUMNS,
                      PAINT_PLAIN, "%6s  %s", share, object->codes[i].text);
    }
}

static void draw_nothing(const struct snapshot_watch *watch, struct canvas *canvas,
                         struct area area)
{
    canvas_wrap(canvas, area, PAINT_DIM,
                watch->on
                    ? " No watched line has been touched, nor waited for long enough, yet."
                    : " Watchpoints are off. Started with --watch, misstop sets the CPU's debug "
                      "registers on lines that were sampled, and tells here whether they are "
                      "touched again, how soon, by which code, and how much of a line is used. "
                      "It costs the process 1% of its time at "
                      "most, or as much as --watch=PERCENT says.");
}

/* What it costs and, until all is told, how long that takes. Returns the rows. */
static int draw_state(const struct snapshot_watch *watch, struct canvas *canvas, struct area area)
{
    char text[512];
    struct area rest = {area.row, area.column + 1, area.rows, area.columns - 1};
    if (!watch->on)
        return 0;
    watch_summary(watch, text, sizeof text);
    int rows = canvas_wrap(canvas, rest, watch->trouble ? PAINT_WARN : PAINT_DIM, text);
    rest.row += rows;
    rest.rows -= rows;
    if (watch_pace(watch, text, sizeof text))
        rows += canvas_wrap(canvas, rest, watch->budget_limits ? PAINT_WARN : PAINT_DIM, text);
    return rows;
}

static void watch_draw(struct browser *browser, struct canvas *canvas, struct area area)
{
    const struct snapshot_watch *watch = &browser->snapshot->watch;
    int head = draw_state(watch, canvas, area);
    struct area body = {area.row + head, area.column, area.rows - head, area.columns};
    if (!watch->count) {
        draw_nothing(watch, canvas, body);
        return;
    }
    int rows = (int)browser->watch.shown + 1;
    int most = body.rows - TEXT_ROWS - 1;
    rows = rows > most ? most : rows;
    rows = rows < LIST_LEAST ? LIST_LEAST : rows;
    struct area list = {body.row, body.column, rows < body.rows ? rows : body.rows, body.columns};
    pane_table(browser, canvas, list, &browser->watch, "");
    const struct snapshot_watch_object *object = table_selected(&browser->watch);
    int below = list.rows + (body.rows > TEXT_ROWS);
    struct area rest = {body.row + below, 1, body.rows - below, body.columns - 2};
    if (object && rest.rows > 0)
        draw_selected(object, canvas, rest);
}

/* ---- keys ---- */

static bool watch_act(struct browser *browser, enum action action, struct request *request)
{
    const struct snapshot_watch_object *row = table_selected(&browser->watch);
    (void)request;
    if (action != ACTION_ENTER || !row)
        return false;
    browser_open_listed(browser, row->object);
    return true;
}

static const char *watch_enter(struct browser *browser)
{
    return table_selected(&browser->watch) ? "Detail" : "";
}

static void watch_hint(struct browser *browser, char *out, size_t size)
{
    if (table_selected(&browser->watch))
        snprintf(out, size, "Enter: Detail. ?: what the columns mean. Esc: back");
    else
        snprintf(out, size, "Esc: back");
}

static const enum action watch_bar[] = {ACTION_BACK,      ACTION_ENTER,  ACTION_FIND, ACTION_FILTER,
                                        ACTION_SORT_NEXT, ACTION_FREEZE, ACTION_ZERO, ACTION_NONE};

const struct page watch_page = {
    .name = "Watch",
    .update = watch_update,
    .draw = watch_draw,
    .panes = watch_panes,
    .act = watch_act,
    .hint = watch_hint,
    .enter = watch_enter,
    .bar = watch_bar,
};
