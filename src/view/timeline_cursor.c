/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screen 0: the cursor in the chart, a stretch marked with it, and what is to be shown alone;
 * declared in browser.h. */
#include "view/browser.h"

#include "base/text.h"
#include "view/timeline_stack.h"

#include <math.h>
#include <stdio.h>

static struct timeline_chart chart_shown(const struct browser *browser)
{
    return timeline_chart(&browser->snapshot->timeline, browser->timeline.from_s,
                          browser->timeline.to_s, browser->timeline.map.columns);
}

static void draw_span(const struct browser *browser, const struct timeline_chart *chart,
                      struct canvas *canvas, int row)
{
    const struct area *map = &browser->timeline.map;
    double from_s = fmin(browser->timeline.mark_s, browser->timeline.cursor_s);
    double to_s = fmax(browser->timeline.mark_s, browser->timeline.cursor_s);
    int from = timeline_chart_column(chart, from_s);
    int to = timeline_chart_column(chart, to_s);
    canvas_flag(canvas, row, map->column + from, to > from ? to - from : 1, CELL_CURSOR);
}

/* Over the amounts, the row below the shares; its time on the axis, the row below the phases. */
void timeline_cursor_draw(struct browser *browser, const struct timeline_chart *chart,
                          struct canvas *canvas)
{
    const struct area *map = &browser->timeline.map;
    int row = map->row + map->rows - 3;
    char at[32];
    char time[TEXT_TIME_BYTES];
    if (!browser->timeline.pointed)
        return;
    int column = timeline_chart_column(chart, browser->timeline.cursor_s);
    column = column < map->columns ? column : map->columns - 1;
    if (browser->timeline.marked)
        draw_span(browser, chart, canvas, row);
    canvas_flag(canvas, row, map->column + column, 1, CELL_CURSOR);
    snprintf(at, sizeof at, "%s%s", canvas->ascii ? "^" : "▲",
             text_time(time, browser->timeline.cursor_s));
    int length = glyph_columns(at, canvas->ascii);
    int start = column + length <= map->columns ? column : map->columns - length;
    if (start >= 0)
        canvas_text(canvas, map->row + map->rows - 1, map->column + start, length, PAINT_STRONG,
                    at);
}

/* By one column; where it leaves what is zoomed in on, that goes with it by half. */
static void move(struct browser *browser, int direction)
{
    const struct snapshot_phase *phase = table_selected(&browser->timeline.phases);
    struct timeline_chart chart = chart_shown(browser);
    double step = timeline_chart_time(&chart, 1) - timeline_chart_time(&chart, 0);
    double end = timeline_chart_time(&chart, chart.columns);
    const struct snapshot_timeline *timeline = &browser->snapshot->timeline;
    double run_end = timeline->start_s + (double)timeline->periods * timeline->period_s;
    double *cursor = &browser->timeline.cursor_s;
    if (!browser->timeline.pointed)
        *cursor = phase ? phase->start_s : end;
    else
        *cursor = fmin(fmax(*cursor + direction * step, timeline->start_s), run_end);
    browser->timeline.pointed = true;
    double half = (browser->timeline.to_s - browser->timeline.from_s) / 2;
    bool left = *cursor < browser->timeline.from_s;
    if (browser->timeline.to_s > 0 && (left || *cursor > browser->timeline.to_s)) {
        double by = left ? fmax(-half, -browser->timeline.from_s) : half;
        browser->timeline.from_s += by;
        browser->timeline.to_s += by;
    }
}

/* From the cursor on; where there is none, all of the stretch selected in the list. */
static void mark(struct browser *browser)
{
    const struct snapshot_phase *phase = table_selected(&browser->timeline.phases);
    bool marked = !browser->timeline.marked;
    if (marked && !browser->timeline.pointed && !phase)
        return;
    if (marked && browser->timeline.pointed) {
        browser->timeline.mark_s = browser->timeline.cursor_s;
    } else if (marked) {
        browser->timeline.mark_s = phase->start_s;
        browser->timeline.cursor_s = phase->end_s;
    }
    browser->timeline.pointed = true;
    browser->timeline.marked = marked;
    browser_message(browser, marked ? "marked: Left and Right go on, Enter shows that stretch alone"
                                    : "the mark is gone");
}

/* Keys that change a picture which is not there would seem to do nothing; true: done. */
static bool tell_no_room(struct browser *browser, enum action action)
{
    bool changes = action == ACTION_STACK || action == ACTION_FOLD ||
                   (action == ACTION_VOLATILITY && !browser->timeline.volatility);
    if (timeline_is_sampled(browser) && (action == ACTION_SPAN || changes))
        browser_message(browser, "no room for the picture: it needs a taller window");
    return action == ACTION_SPAN;
}

bool timeline_cursor_act(struct browser *browser, enum action action)
{
    if (!browser->snapshot->timeline.periods)
        return false;
    if (browser->timeline.map.columns < 1)
        return tell_no_room(browser, action);
    switch (action) {
    case ACTION_LEFT:
    case ACTION_RIGHT:
        move(browser, action == ACTION_LEFT ? -1 : 1);
        return true;
    case ACTION_SPAN:
        mark(browser);
        return true;
    case ACTION_BACK:
        if (!browser->timeline.pointed)
            return false;
        browser->timeline.pointed = browser->timeline.marked;
        browser->timeline.marked = false;
        return true;
    default:
        return false;
    }
}

bool timeline_cursor_click(struct browser *browser, int row, int column)
{
    const struct area *map = &browser->timeline.map;
    if (row < map->row || row >= map->row + map->rows || column < map->column ||
        column >= map->column + map->columns)
        return false;
    struct timeline_chart chart = chart_shown(browser);
    browser->timeline.cursor_s = timeline_chart_time(&chart, column - map->column);
    browser->timeline.pointed = true;
    return true;
}

bool timeline_chosen(struct browser *browser, struct request *request)
{
    const struct snapshot_phase *phase = table_selected(&browser->timeline.phases);
    double mark_s = browser->timeline.mark_s;
    double cursor_s = browser->timeline.cursor_s;
    *request = (struct request){.kind = REQUEST_STRETCH};
    if (browser->timeline.marked) {
        request->start_s = fmin(mark_s, cursor_s);
        request->end_s = fmax(mark_s, cursor_s);
        return request->start_s < request->end_s;
    }
    if (!phase)
        return false;
    request->start_s = phase->start_s;
    request->end_s = phase->end_s;
    snprintf(request->name, sizeof request->name, "%s", phase->name);
    return true;
}
