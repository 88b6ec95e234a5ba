/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screen r: what caches of any size would miss (--sim). */
#include "view/browser.h"
#include "view/reuse_curve.h"
#include "view/reuse_words.h"

#include <stdio.h>

enum { LIST_LEAST = 4, LIST_MOST = 12, CURVE_LEAST = 7, TEXT_ROWS = 2 };

static void reuse_update(struct browser *browser)
{
    const struct snapshot_reuse *reuse = &browser->snapshot->reuse;
    table_set(&browser->reuse.objects, browser->snapshot, reuse->objects, reuse->object_count);
    table_set(&browser->reuse.lines, browser->snapshot, reuse->lines, reuse->line_count);
}

static unsigned reuse_panes(struct browser *browser, struct table *panes[PANES_MAX])
{
    panes[0] = &browser->reuse.objects;
    panes[1] = &browser->reuse.lines;
    return 2;
}

static void draw_nothing(const struct snapshot *snapshot, struct canvas *canvas, struct area area)
{
    canvas_wrap(canvas, area, PAINT_DIM,
                snapshot->simulation.level_count
                    ? " No use of a sampled line has been told yet, or the simulation was started "
                      "without them (--sim=SPEC:nouse)."
                    : " Only a simulation sees every access: misstop --sim -- CMD runs a program "
                      "under it, some tens of times slower, and tells here, for each object and "
                      "source line, how much of its accesses a cache of any size would serve: what "
                      "a larger cache, or smaller data, would gain.");
}

/* Which curve is drawn, in one line: what it is of. */
static int draw_title(const struct snapshot_reuse_row *row, struct canvas *canvas, struct area area)
{
    int used = canvas_text(canvas, area.row, area.column, area.columns, PAINT_SERIES_0,
                           canvas->ascii ? " # " : " █ ");
    char name[160];
    glyph_fit(name, sizeof name, row->name, area.columns / 2, GLYPH_CUT_MIDDLE, canvas->ascii);
    used +=
        canvas_text(canvas, area.row, area.column + used, area.columns - used, PAINT_STRONG, name);
    used += canvas_format(canvas, area.row, area.column + used, area.columns - used, PAINT_DIM,
                          "   %s all accesses: part missed, by size of the cache",
                          canvas->ascii ? "o" : "•");
    return used;
}

static void draw_selected(const struct snapshot_reuse *reuse, const struct snapshot_reuse_row *row,
                          struct canvas *canvas, struct area area)
{
    char text[512];
    int end = area.row + area.rows;
    reuse_advice(reuse, row, text, sizeof text);
    int rows = area.rows < TEXT_ROWS ? area.rows : TEXT_ROWS;
    struct area words = {area.row, 1, rows, area.columns - 2};
    area.row += canvas_wrap(canvas, words, PAINT_WARN, text);
    if (area.row >= end)
        return;
    draw_title(row, canvas, area);
    area.row++;
    area.rows = end - area.row;
    reuse_curve_draw(reuse, row, canvas, area);
}

static void draw_list(struct browser *browser, struct canvas *canvas, struct area body)
{
    struct table *panes[PANES_MAX];
    unsigned count = reuse_panes(browser, panes);
    struct table *table = browser_table(browser);
    body.row += pane_tabs(browser, canvas, body, panes, count);
    body.rows--;
    int rows = (int)table->shown + 1;
    int most = body.rows - CURVE_LEAST - TEXT_ROWS - 2;
    most = most < LIST_MOST ? most : LIST_MOST;
    rows = rows > most ? most : rows;
    rows = rows < LIST_LEAST ? LIST_LEAST : rows;
    struct area list = {body.row, body.column, rows < body.rows ? rows : body.rows, body.columns};
    pane_table(browser, canvas, list, table, "");
    const struct snapshot_reuse_row *row = table_selected(table);
    struct area rest = {body.row + list.rows, body.column, body.rows - list.rows, body.columns};
    if (row && rest.rows > 0)
        draw_selected(&browser->snapshot->reuse, row, canvas, rest);
}

static void reuse_draw(struct browser *browser, struct canvas *canvas, struct area area)
{
    char text[512];
    if (!browser->snapshot->reuse.told) {
        draw_nothing(browser->snapshot, canvas, area);
        return;
    }
    reuse_summary(browser->snapshot, text, sizeof text);
    canvas_format(canvas, area.row, area.column, area.columns, PAINT_DIM, " %s", text);
    struct area body = {area.row + 1, area.column, area.rows - 1, area.columns};
    if (body.rows > 1)
        draw_list(browser, canvas, body);
}

static bool reuse_act(struct browser *browser, enum action action, struct request *request)
{
    const struct snapshot_reuse_row *row = table_selected(browser_table(browser));
    (void)request;
    if (action != ACTION_ENTER || !row)
        return false;
    if (!row->function)
        browser_open_listed(browser, row->object);
    else if (row->code < browser->snapshot->code_count)
        browser_open_function(browser, &browser->snapshot->code[row->code]);
    else
        browser_message(browser, "that function does not miss: it is not listed");
    return true;
}

static const char *reuse_enter(struct browser *browser)
{
    const struct snapshot_reuse_row *row = table_selected(browser_table(browser));
    return !row ? "" : row->function ? "Function" : "Detail";
}

static void reuse_hint(struct browser *browser, char *out, size_t size)
{
    bool lines = browser_focused(browser, &browser->reuse.lines);
    snprintf(out, size, "%s",
             browser->snapshot->reuse.told
                 ? (lines
                        ? "Enter: the function. Left: objects. ?: what the columns mean. Esc: back"
                        : "Enter: Detail. Right: by code. ?: what the columns mean. Esc: back")
                 : "Esc: back");
}

static const enum action reuse_bar[] = {ACTION_BACK,  ACTION_ENTER,  ACTION_RIGHT,
                                        ACTION_FIND,  ACTION_FILTER, ACTION_SORT_NEXT,
                                        ACTION_BASIS, ACTION_FREEZE, ACTION_NONE};

const struct page reuse_page = {
    .name = "Reuse",
    .update = reuse_update,
    .draw = reuse_draw,
    .panes = reuse_panes,
    .act = reuse_act,
    .hint = reuse_hint,
    .enter = reuse_enter,
    .bar = reuse_bar,
};
