/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screen 0: the run over time by object or another kind, its phases, who leads in them. */
#include "view/browser.h"

#include "base/text.h"
#include "view/measure_words.h"
#include "view/timeline_stack.h"
#include "view/timeline_volatility.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>

enum { LEGEND_COLUMNS = 34, CHART_LEAST = 6, TABLE_LEAST = 5, LEGEND_FROM = 70 };

static void timeline_update(struct browser *browser)
{
    const struct snapshot_timeline *timeline = &browser->snapshot->timeline;
    table_set(&browser->timeline.phases, browser->snapshot, timeline->phases,
              timeline->phase_count);
    if (timeline->phase_count)
        table_prefer(&browser->timeline.phases,
                     phase_columns.identity(browser->snapshot,
                                            &timeline->phases[timeline->phase_count - 1]));
}

/* The whole run, or what Enter zoomed in on. */
static struct timeline_chart chart_of(const struct browser *browser, int columns)
{
    struct timeline_chart chart = timeline_chart(
        &browser->snapshot->timeline, browser->timeline.from_s, browser->timeline.to_s, columns);
    chart.stack = timeline_stack(browser);
    return chart;
}

/* Phases go by what ranks, whatever is drawn. */
static void draw_title(const struct browser *browser, struct canvas *canvas, struct area area)
{
    const struct snapshot_timeline *timeline = &browser->snapshot->timeline;
    enum snapshot_measure drawn = timeline_measure(browser);
    const char *measure = measure_name(browser->snapshot, drawn);
    char period[TEXT_TIME_BYTES];
    text_time(period, timeline->period_s);
    int used = canvas_format(
        canvas, area.row, 0, area.columns, PAINT_PLAIN, " %c%s, %s, %zu periods of %s",
        toupper((unsigned char)*measure), *measure ? measure + 1 : "",
        browser->timeline.to_s > 0 ? "zoomed in; o: the whole run" : "the whole run",
        timeline->periods, period);
    if (drawn != timeline->ranks)
        canvas_format(canvas, area.row, used, area.columns - used, PAINT_PLAIN,
                      "; phases are of %s", measure_name(browser->snapshot, timeline->ranks));
    else
        canvas_text(canvas, area.row, used, area.columns - used, PAINT_PLAIN,
                    timeline_is_damped(timeline)              ? ", at which the noise is damped"
                    : timeline->period_s < timeline->damped_s ? ", to keep the shortest phase"
                                                              : "");
}

/* What there is none of, and how to have it. */
static int draw_wanting(const struct browser *browser, struct canvas *canvas, struct area area)
{
    enum snapshot_measure measure = timeline_measure(browser);
    struct area words = {area.row + 1, 1, area.rows < 5 ? area.rows - 1 : 4, area.columns - 2};
    canvas_format(canvas, area.row, 0, area.columns, PAINT_STRONG,
                  " No %s sampled here; a: the next amount",
                  measure_name(browser->snapshot, measure));
    return 1 + canvas_wrap(canvas, words, PAINT_PLAIN, measure_wanting(browser->snapshot, measure));
}

static int draw_facts(const struct browser *browser, struct canvas *canvas, struct area area)
{
    const struct snapshot_timeline *timeline = &browser->snapshot->timeline;
    struct area reading = {area.row + 1, 1, 2, area.columns - 2};
    if (area.rows < 1)
        return 0;
    if (timeline->periods && !timeline_is_sampled(browser))
        return draw_wanting(browser, canvas, area);
    draw_title(browser, canvas, area);
    return 1 +
           (timeline->reading ? canvas_wrap(canvas, reading, PAINT_STRONG, timeline->reading) : 0);
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
    char from[TEXT_TIME_BYTES];
    char to[TEXT_TIME_BYTES];
    double start = timeline->start_s + (double)chart->first * timeline->period_s;
    double end = timeline->start_s + (double)chart->end * timeline->period_s;
    text_time(from, start);
    text_time(to, end);
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
        timeline_legend(browser, &chart.stack, canvas, words);
    }
    return area.rows;
}

struct heights {
    int chart;
    int volatility;
};

/* The list is what one selects from: a third is its own. Where there is no room for both pictures
 * the volatility, which was asked for, takes the place of the chart. */
static struct heights heights_of(const struct browser *browser, int rows)
{
    struct heights heights = {rows * 3 / 5, 0};
    int table = rows / 3 > TABLE_LEAST ? rows / 3 : TABLE_LEAST;
    if (browser->timeline.volatility) {
        int room = rows - table;
        heights.volatility =
            room - CHART_LEAST < VOLATILITY_ROWS_MOST ? room - CHART_LEAST : VOLATILITY_ROWS_MOST;
        if (heights.volatility < VOLATILITY_ROWS_LEAST)
            heights.volatility = room < VOLATILITY_ROWS_MOST ? room : VOLATILITY_ROWS_MOST;
        if (heights.volatility < VOLATILITY_ROWS_LEAST)
            heights.volatility = 0;
        heights.chart = heights.volatility ? room - heights.volatility : heights.chart;
    }
    if (heights.chart < CHART_LEAST || rows - heights.chart - heights.volatility < TABLE_LEAST)
        heights.chart = 0;
    return heights;
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
    struct heights heights = heights_of(browser, area.rows - used);
    browser->timeline.map = (struct area){0, 0, 0, 0};
    if (heights.chart && timeline_is_sampled(browser)) {
        struct area chart = {area.row + used, 0, heights.chart, area.columns};
        used += draw_chart(browser, canvas, chart);
    }
    if (heights.volatility) {
        struct area below = {area.row + used, 0, heights.volatility, area.columns};
        used += timeline_volatility(browser, canvas, below);
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

/* The next one, sampled or not: that one is not is worth knowing, and how to have it. */
static void change_measure(struct browser *browser)
{
    browser->timeline.measure =
        (enum snapshot_measure)((timeline_measure(browser) + 1) % SNAPSHOT_MEASURES);
    browser->timeline.chosen = browser->timeline.measure != browser->snapshot->timeline.ranks;
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
    case ACTION_STACK:
        browser->timeline.stacked = (browser->timeline.stacked + 1) % STACK_KINDS;
        return true;
    case ACTION_MEASURE:
        change_measure(browser);
        return true;
    case ACTION_VOLATILITY:
        browser->timeline.volatility = !browser->timeline.volatility;
        return true;
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
    char marked[TEXT_TIME_BYTES];
    if (browser->timeline.marked)
        snprintf(out, size, "%s marked; Enter: all screens show that stretch alone",
                 text_time(marked, fabs(browser->timeline.cursor_s - browser->timeline.mark_s)));
    else
        snprintf(out, size,
                 "Enter: all screens show the phase selected alone; Left, Right and v: any "
                 "stretch");
}

static const enum action timeline_bar[] = {ACTION_ENTER,  ACTION_SPAN,    ACTION_FOLD,
                                           ACTION_STACK,  ACTION_MEASURE, ACTION_VOLATILITY,
                                           ACTION_FREEZE, ACTION_WRITE,   ACTION_NONE};

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
