/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screen 0: the run over time by object, its phases, who leads in them. */
#include "view/browser.h"

#include "view/timeline_chart.h"

#include <math.h>
#include <stdio.h>

enum { LEGEND_COLUMNS = 34, CHART_LEAST = 6, TABLE_LEAST = 5, LEGEND_FROM = 70 };

static void timeline_update(struct browser *browser)
{
    const struct snapshot_timeline *timeline = &browser->snapshot->timeline;
    table_set(&browser->timeline.phases, browser->snapshot, timeline->phases,
              timeline->phase_count);
}

/* The whole run, or what Enter zoomed in on. */
static struct timeline_chart chart_of(const struct browser *browser, int columns)
{
    return timeline_chart(&browser->snapshot->timeline, browser->timeline.from_s,
                          browser->timeline.to_s, columns);
}

static int draw_facts(const struct browser *browser, struct canvas *canvas, struct area area)
{
    const struct snapshot_timeline *timeline = &browser->snapshot->timeline;
    char period[32] = "";
    format_seconds(period, sizeof period, value_number(timeline->period_s));
    if (area.rows < 1)
        return 0;
    canvas_format(canvas, area.row, 0, area.columns, PAINT_PLAIN, " %s, %zu periods of %s%s",
                  browser->timeline.to_s > 0 ? "Zoomed in; o: the whole run" : "The whole run",
                  timeline->periods, period,
                  timeline->profile_count ? ", at which the noise is damped" : "");
    struct area reading = {area.row + 1, 1, 2, area.columns - 2};
    return 1 +
           (timeline->reading ? canvas_wrap(canvas, reading, PAINT_STRONG, timeline->reading) : 0);
}

/* One has its misses when the other has none. */
static void draw_turns(const struct snapshot_turns *turns, struct canvas *canvas, int row,
                       int column, int columns)
{
    canvas_text(canvas, row, column, 1, timeline_chart_paint(turns->left),
                timeline_chart_mark(turns->left, canvas->ascii));
    canvas_text(canvas, row, column + 2, 1, timeline_chart_paint(turns->right),
                timeline_chart_mark(turns->right, canvas->ascii));
    canvas_text(canvas, row, column + 4, columns - 4, PAINT_DIM, "take turns");
}

static void draw_legend(const struct snapshot_timeline *timeline, struct canvas *canvas,
                        struct area area)
{
    int row = 0;
    for (size_t i = 0; i < timeline->stream_count && i < CHART_SERIES && row < area.rows; i++) {
        const struct snapshot_stream *stream = &timeline->streams[i];
        char name[128];
        glyph_fit(name, sizeof name, stream->name, area.columns - 10, GLYPH_CUT_MIDDLE,
                  canvas->ascii);
        canvas_text(canvas, area.row + row, area.column, 1, timeline_chart_paint(i),
                    timeline_chart_mark(i, canvas->ascii));
        canvas_format(canvas, area.row + row++, area.column + 2, area.columns - 2, PAINT_PLAIN,
                      "%5.1f%% %s", stream->share * 100, name);
    }
    if (row < area.rows) {
        canvas_text(canvas, area.row + row, area.column, 1, PAINT_DIM,
                    timeline_chart_mark(CHART_SERIES, canvas->ascii));
        canvas_text(canvas, area.row + row++, area.column + 2, area.columns - 2, PAINT_DIM,
                    "       other objects");
    }
    for (size_t i = 0; i < timeline->turn_count && row + 1 < area.rows; i++) {
        const struct snapshot_turns *turns = &timeline->turns[i];
        if (turns->left < CHART_SERIES && turns->right < CHART_SERIES)
            draw_turns(turns, canvas, area.row + ++row, area.column, area.columns);
    }
}

/* The stretch that is selected, under the chart. */
static void mark_selected(struct browser *browser, const struct timeline_chart *chart,
                          struct canvas *canvas, int row, int column)
{
    const struct snapshot_phase *phase = table_selected(&browser->timeline.phases);
    if (!phase)
        return;
    int from = timeline_chart_column(chart, phase->start_s);
    int to = timeline_chart_column(chart, phase->end_s);
    canvas_flag(canvas, row, column + from, to > from ? to - from : 1, CELL_CURSOR);
}

static void draw_axis(const struct timeline_chart *chart, struct canvas *canvas, int row,
                      int column)
{
    const struct snapshot_timeline *timeline = chart->timeline;
    char from[32];
    char to[32];
    double start = timeline->start_s + (double)chart->first * timeline->period_s;
    double end = timeline->start_s + (double)chart->end * timeline->period_s;
    format_seconds(from, sizeof from, value_number(fmax(start, 0)));
    format_seconds(to, sizeof to, value_number(end));
    int length = glyph_columns(to, canvas->ascii);
    canvas_text(canvas, row, column, chart->columns, PAINT_DIM, from);
    if (chart->columns > length)
        canvas_text(canvas, row, column + chart->columns - length, length, PAINT_DIM, to);
}

static int draw_chart(struct browser *browser, struct canvas *canvas, struct area area)
{
    bool legend = area.columns >= LEGEND_FROM;
    int columns = area.columns - 2 - (legend ? LEGEND_COLUMNS + 2 : 0);
    struct timeline_chart chart = chart_of(browser, columns);
    struct area picture = {area.row, 1, area.rows - 1, columns};
    timeline_chart_draw(&chart, canvas, picture);
    mark_selected(browser, &chart, canvas, area.row + area.rows - 2, 1);
    draw_axis(&chart, canvas, area.row + area.rows - 1, 1);
    browser->timeline.map = (struct area){area.row, 1, area.rows, columns};
    timeline_cursor_draw(browser, &chart, canvas);
    if (legend) {
        struct area words = {area.row, columns + 3, area.rows, LEGEND_COLUMNS};
        draw_legend(&browser->snapshot->timeline, canvas, words);
    }
    return area.rows;
}

static void timeline_draw(struct browser *browser, struct canvas *canvas, struct area area)
{
    const struct snapshot_timeline *timeline = &browser->snapshot->timeline;
    int used = draw_facts(browser, canvas, area);
    if (!timeline->periods) {
        canvas_text(canvas, area.row + used, 1, area.columns - 2, PAINT_DIM,
                    "Nothing to show yet: the first period has not ended.");
        return;
    }
    int rows = (area.rows - used) * 3 / 5;
    if (rows >= CHART_LEAST && area.rows - used - rows >= TABLE_LEAST) {
        struct area chart = {area.row + used, 0, rows, area.columns};
        used += draw_chart(browser, canvas, chart);
    }
    struct area list = {area.row + used, 0, area.rows - used, area.columns};
    pane_table(browser, canvas, list, &browser->timeline.phases, "No phase has been seen yet.");
}

static unsigned timeline_panes(struct browser *browser, struct table *panes[PANES_MAX])
{
    panes[0] = &browser->timeline.phases;
    return 1;
}

static void zoom(struct browser *browser, double from_s, double to_s)
{
    browser->timeline.from_s = from_s;
    browser->timeline.to_s = to_s;
}

/* In on what Enter would show, with some of what is beside it; or out again. */
static void zoom_or_not(struct browser *browser)
{
    struct request chosen;
    if (browser->timeline.to_s > 0) {
        zoom(browser, 0, 0);
    } else if (timeline_chosen(browser, &chosen)) {
        double margin = (chosen.end_s - chosen.start_s) / 4;
        zoom(browser, fmax(chosen.start_s - margin, 0), chosen.end_s + margin);
    }
}

/* The other screens show it: the first of them comes, and Esc leads back here. */
static void show_alone(struct browser *browser, struct request *request)
{
    if (!timeline_chosen(browser, request)) {
        *request = (struct request){.kind = REQUEST_NONE};
        return;
    }
    if (browser->frozen)
        browser_freeze(browser);
    browser->timeline.marked = browser->timeline.pointed = false;
    browser_go(browser, PAGE_OBJECTS);
}

static bool timeline_act(struct browser *browser, enum action action, struct request *request)
{
    bool zoomed = browser->timeline.to_s > 0;
    if (!browser->snapshot)
        return false;
    if (timeline_cursor_act(browser, action))
        return true;
    switch (action) {
    case ACTION_ENTER:
        show_alone(browser, request);
        return true;
    case ACTION_FOLD:
        zoom_or_not(browser);
        return true;
    case ACTION_BACK:
        zoom(browser, 0, 0);
        return zoomed;
    default:
        return false;
    }
}

static const char *timeline_enter(struct browser *browser)
{
    struct request chosen;
    if (!browser->snapshot || !timeline_chosen(browser, &chosen))
        return "";
    return browser->timeline.marked ? "Only what is marked"
           : *chosen.name           ? "Only this phase"
                                    : "Only this stretch";
}

static void timeline_hint(struct browser *browser, char *out, size_t size)
{
    if (browser->timeline.marked)
        snprintf(out, size, "%.1f s marked; Enter: all screens show that stretch alone",
                 fabs(browser->timeline.cursor_s - browser->timeline.mark_s));
    else
        snprintf(out, size,
                 "Enter: all screens show the phase selected alone; Left, Right and v: any "
                 "stretch");
}

static const enum action timeline_bar[] = {ACTION_ENTER,  ACTION_SPAN,  ACTION_FOLD,
                                           ACTION_FREEZE, ACTION_WRITE, ACTION_NONE};

const struct page timeline_page = {
    .name = "Phases",
    .update = timeline_update,
    .draw = timeline_draw,
    .panes = timeline_panes,
    .act = timeline_act,
    .click = timeline_cursor_click,
    .enter = timeline_enter,
    .hint = timeline_hint,
    .bar = timeline_bar,
};
