/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screen y: why lines were missed, and what had thrown them out (--sim). */
#include "view/browser.h"
#include "view/causes_words.h"

#include <stdio.h>

enum { LIST_LEAST = 3, TEXT_ROWS = 10, LABEL_COLUMNS = 12 };
static const double worth_a_row = 0.001;

static void causes_update(struct browser *browser)
{
    const struct snapshot_causes *causes = &browser->snapshot->causes;
    table_set(&browser->causes, browser->snapshot, causes->objects, causes->count);
}

static unsigned causes_panes(struct browser *browser, struct table *panes[PANES_MAX])
{
    panes[0] = &browser->causes;
    return 1;
}

/* ---- drawing ---- */

static void draw_evictor(const struct snapshot_evictor *evictor, bool first, struct canvas *canvas,
                         struct area area)
{
    char share[16];
    format_percent(share, sizeof share, value_number(evictor->share));
    canvas_text(canvas, area.row, area.column, LABEL_COLUMNS, PAINT_DIM, first ? "Evicted by" : "");
    canvas_format(canvas, area.row, area.column + LABEL_COLUMNS, area.columns - LABEL_COLUMNS,
                  PAINT_PLAIN, "%6s  %s%s%s", share, evictor->function,
                  evictor->object ? " on " : "", evictor->object ? evictor->object : "");
}

static void draw_selected(const struct snapshot_causes_object *object, struct canvas *canvas,
                          struct area area)
{
    char text[512];
    int end = area.row + area.rows;
    causes_advice(object, text, sizeof text);
    area.row += canvas_wrap(canvas, area, PAINT_STRONG, text);
    for (size_t i = 0; i < object->evictor_count && area.row < end; i++, area.row++) {
        if (object->evictors[i].share < worth_a_row)
            break;
        draw_evictor(&object->evictors[i], !i, canvas, area);
    }
    if (object->unlisted >= 0.01 && area.row < end)
        canvas_format(canvas, area.row, area.column + LABEL_COLUMNS, area.columns - LABEL_COLUMNS,
                      PAINT_DIM, "%5.1f%%  others, that found no room in the table",
                      100 * object->unlisted);
    else if (!object->evictor_count && area.row < end)
        canvas_wrap(canvas, (struct area){area.row, area.column, end - area.row, area.columns},
                    PAINT_DIM,
                    "Who threw its lines out is told of the event that ranks at first; none is "
                    "known here.");
}

static void draw_nothing(const struct snapshot *snapshot, struct canvas *canvas, struct area area)
{
    canvas_wrap(canvas, area, PAINT_DIM,
                snapshot->simulation.level_count
                    ? " No miss of this event was told with its cause: there was none yet, or the "
                      "simulation was started without causes (--sim=SPEC:nocauses), or the event "
                      "counts accesses (e: another event)."
                    : " Only a simulation knows why a line was missed: misstop --sim -- CMD runs "
                      "a program under it, 50 to 200 times slower, and tells here for each "
                      "object whether its lines were never there, did not fit, were in each "
                      "other's way or were taken by another thread, and what threw them out.");
}

static void draw_list(struct browser *browser, struct canvas *canvas, struct area body)
{
    int rows = (int)browser->causes.shown + 1;
    int most = body.rows - TEXT_ROWS - 1;
    rows = rows > most ? most : rows;
    rows = rows < LIST_LEAST ? LIST_LEAST : rows;
    struct area list = {body.row, body.column, rows < body.rows ? rows : body.rows, body.columns};
    pane_table(browser, canvas, list, &browser->causes, "");
    const struct snapshot_causes_object *object = table_selected(&browser->causes);
    int below = list.rows + (body.rows > TEXT_ROWS);
    struct area rest = {body.row + below, 1, body.rows - below, body.columns - 2};
    if (object && rest.rows > 0)
        draw_selected(object, canvas, rest);
}

static void causes_draw(struct browser *browser, struct canvas *canvas, struct area area)
{
    char text[512];
    if (!browser->snapshot->causes.count) {
        draw_nothing(browser->snapshot, canvas, area);
        return;
    }
    causes_summary(browser->snapshot, text, sizeof text);
    canvas_format(canvas, area.row, area.column, area.columns, PAINT_DIM, " %s", text);
    struct area body = {area.row + 1, area.column, area.rows - 1, area.columns};
    if (body.rows > 0)
        draw_list(browser, canvas, body);
}

/* ---- keys ---- */

static bool causes_act(struct browser *browser, enum action action, struct request *request)
{
    const struct snapshot_causes_object *row = table_selected(&browser->causes);
    (void)request;
    if (action != ACTION_ENTER || !row)
        return false;
    browser_open_listed(browser, row->object);
    return true;
}

static const char *causes_enter(struct browser *browser)
{
    return table_selected(&browser->causes) ? "Detail" : "";
}

static void causes_hint(struct browser *browser, char *out, size_t size)
{
    snprintf(out, size, "%s",
             table_selected(&browser->causes)
                 ? "Enter: Detail. e: another cache level. ?: what the columns mean. Esc: back"
                 : "Esc: back");
}

static const enum action causes_bar[] = {ACTION_BACK,   ACTION_ENTER,     ACTION_FIND,
                                         ACTION_FILTER, ACTION_SORT_NEXT, ACTION_NEXT_EVENT,
                                         ACTION_FREEZE, ACTION_NONE};

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
