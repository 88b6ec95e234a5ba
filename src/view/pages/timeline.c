/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screen 8: the run over time by object or another kind, its phases, who leads in them. */

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "view/screen/browser.h"
#include "view/widget/chart.h"
#include "view/widget/columns.h"
#include "view/words.h"

/* The chart of Phases is stacked of these. */
enum stack_kind { STACK_OBJECTS, STACK_FUNCTIONS, STACK_FIELDS, STACK_THREADS, STACK_KINDS };

struct timeline_view {
    struct table phases;
    double from_s; /* what the chart is zoomed in on; to_s 0: the whole run */
    double to_s;
    bool pointed; /* the cursor has been put somewhere */
    bool marked;
    double cursor_s;
    double mark_s;
    struct area map; /* the chart, as drawn */
    enum stack_kind stacked;
    bool chosen; /* to draw `measure` and not what ranks */
    enum snapshot_measure measure;
    bool volatility; /* its chart is open */
};

static struct timeline_view *timeline_view(const struct browser *browser)
{
    return page_state(browser, PAGE_TIMELINE);
}

/*
 * The volatility of the run by sampling period (DTrack, section 4.3), of everything and of the
 * object looked at, with the periods that were chosen and why. For the Phases page.
 */
enum { VOLATILITY_ROWS_LEAST = 9, VOLATILITY_ROWS_MOST = 12 };

static const struct snapshot_stream *stream_of(const struct snapshot_streams *objects,
                                               uint32_t object)
{
    for (size_t i = 0; i < objects->count; i++)
        if (objects->list[i].object == object && object != UINT32_MAX)
            return &objects->list[i];
    return NULL;
}

/* What is drawn: the one chosen, else what ranks. */
static enum snapshot_measure timeline_measure(const struct browser *browser)
{
    struct timeline_view *view = timeline_view(browser);
    return view->chosen ? view->measure : browser->snapshot->timeline.ranks;
}

static const struct snapshot_measured *measured(const struct browser *browser)
{
    return &browser->snapshot->timeline.by[timeline_measure(browser)];
}

static bool timeline_is_sampled(const struct browser *browser)
{
    return measured(browser)->all;
}

static const struct snapshot_stream *object_by(const struct browser *browser,
                                               const struct snapshot_streams *objects)
{
    const struct snapshot *snapshot = browser->snapshot;
    const struct snapshot_object *opened = browser->opened.chosen ? browser->opened.object : NULL;
    const struct snapshot_phase *phase = table_selected(&timeline_view(browser)->phases);
    const struct snapshot_stream *stream = NULL;
    if (opened)
        stream = stream_of(objects, (uint32_t)(opened - snapshot->objects));
    if (!stream && phase)
        stream = stream_of(objects, phase->object);
    return stream || !objects->count ? stream : &objects->list[0];
}

/* The object looked at: the one opened last, else the one that leads in the stretch selected, else
 * in the run. NULL: there is none with a stream. */
static const struct snapshot_stream *timeline_object(const struct browser *browser)
{
    return object_by(browser, &snapshot_timeline_ranking(&browser->snapshot->timeline)->objects);
}

/* The stack that is drawn; `all` NULL: that is not sampled. */
static struct timeline_stack timeline_stack(const struct browser *browser)
{
    const struct snapshot_measured *shown = measured(browser);
    switch (timeline_view(browser)->stacked) {
    case STACK_FUNCTIONS:
        return timeline_stack_of(shown, "functions", &shown->functions);
    case STACK_FIELDS:
        return timeline_stack_fields(shown, object_by(browser, &shown->objects));
    case STACK_THREADS:
        return timeline_stack_of(shown, "threads", &shown->threads);
    default:
        return timeline_stack_of(shown, "objects", &shown->objects);
    }
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

static void draw_series(const struct timeline_stack *stack, size_t series, struct canvas *canvas,
                        struct area area, int row)
{
    char name[128];
    bool rest = series == CHART_SERIES;
    glyph_fit(name, sizeof name, rest ? "the rest" : stack->series[series]->name, area.columns - 10,
              GLYPH_CUT_MIDDLE, canvas->ascii);
    canvas_text(canvas, area.row + row, area.column, 1, timeline_chart_paint(series),
                timeline_chart_mark(series, canvas->ascii));
    if (rest)
        canvas_format(canvas, area.row + row, area.column + 2, area.columns - 2, PAINT_DIM,
                      "       %s", name);
    else
        canvas_format(canvas, area.row + row, area.column + 2, area.columns - 2, PAINT_PLAIN,
                      "%5.1f%% %s", stack->series[series]->share / stack->share * 100, name);
}

/* Beside what is drawn. */
static void draw_nobody(const struct browser *browser, struct canvas *canvas, struct area area,
                        int row)
{
    const struct snapshot_measured *shown = measured(browser);
    size_t periods = browser->snapshot->timeline.periods;
    double nobody = shown->nobody ? timeline_sum(shown->nobody, 0, periods) : 0;
    double everything = nobody + timeline_sum(shown->all, 0, periods);
    if (nobody > 0)
        canvas_format(canvas, area.row + row, area.column + 2, area.columns - 2, PAINT_DIM,
                      "%5.1f%% of everything: no object", nobody / everything * 100);
}

/* Names, shares and colours of the series, and which objects take turns. */
static void timeline_legend(const struct browser *browser, const struct timeline_stack *stack,
                            struct canvas *canvas, struct area area)
{
    struct timeline_view *view = timeline_view(browser);
    const struct snapshot_timeline *timeline = &browser->snapshot->timeline;
    char title[160];
    int row = 1;
    snprintf(title, sizeof title, "by %s%s%s", stack->title, stack->of ? " of " : "",
             stack->of ? stack->of : "");
    canvas_text(canvas, area.row, area.column, area.columns, PAINT_DIM, title);
    for (size_t i = 0; i < stack->count && row < area.rows; i++)
        draw_series(stack, i, canvas, area, row++);
    if (!stack->count && row < area.rows)
        canvas_text(canvas, area.row + row++, area.column, area.columns, PAINT_DIM,
                    stack->of ? "none is known of it" : "none is known");
    if (row < area.rows)
        draw_series(stack, CHART_SERIES, canvas, area, row++);
    if (row < area.rows && !stack->of)
        draw_nobody(browser, canvas, area, row++);
    if (view->stacked == STACK_FIELDS && stack->of && row < area.rows) {
        struct area words = {area.row + row, area.column, area.rows - row, area.columns};
        canvas_wrap(canvas, words, PAINT_DIM,
                    "Fields are known from when the object leads; what was before is in the rest.");
    }
    if (view->stacked != STACK_OBJECTS || timeline_measure(browser) != timeline->ranks)
        return;
    for (size_t i = 0; i < timeline->turn_count && row + 1 < area.rows; i++) {
        const struct snapshot_turns *turns = &timeline->turns[i];
        if (turns->left < CHART_SERIES && turns->right < CHART_SERIES)
            draw_turns(turns, canvas, area.row + ++row, area.column, area.columns);
    }
}

/* The cursor in the chart, a time range marked with it, and the time range to be shown alone. */

static struct timeline_chart chart_shown(const struct browser *browser)
{
    return timeline_chart(&browser->snapshot->timeline, timeline_view(browser)->from_s,
                          timeline_view(browser)->to_s, timeline_view(browser)->map.columns);
}

static void draw_span(const struct browser *browser, const struct timeline_chart *chart,
                      struct canvas *canvas, int row)
{
    struct timeline_view *view = timeline_view(browser);
    const struct area *map = &view->map;
    double from_s = fmin(view->mark_s, view->cursor_s);
    double to_s = fmax(view->mark_s, view->cursor_s);
    int from = timeline_chart_column(chart, from_s);
    int to = timeline_chart_column(chart, to_s);
    canvas_flag(canvas, row, map->column + from, to > from ? to - from : 1, CELL_CURSOR);
}

/* Over the amounts, the row below the shares; its time on the axis, the row below the phases. */
static void timeline_cursor_draw(struct browser *browser, const struct timeline_chart *chart,
                                 struct canvas *canvas)
{
    struct timeline_view *view = timeline_view(browser);
    const struct area *map = &view->map;
    int row = map->row + map->rows - 3;
    char at[32];
    char time[TEXT_TIME_BYTES];
    if (!view->pointed)
        return;
    int column = timeline_chart_column(chart, view->cursor_s);
    column = column < map->columns ? column : map->columns - 1;
    if (view->marked)
        draw_span(browser, chart, canvas, row);
    canvas_flag(canvas, row, map->column + column, 1, CELL_CURSOR);
    snprintf(at, sizeof at, "%s%s", canvas->ascii ? "^" : "▲", text_time(time, view->cursor_s));
    int length = glyph_columns(at, canvas->ascii);
    int start = column + length <= map->columns ? column : map->columns - length;
    if (start >= 0)
        canvas_text(canvas, map->row + map->rows - 1, map->column + start, length, PAINT_STRONG,
                    at);
}

/* By one column; where it leaves what is zoomed in on, that goes with it by half. */
static void move(struct browser *browser, int direction)
{
    struct timeline_view *view = timeline_view(browser);
    const struct snapshot_phase *phase = table_selected(&view->phases);
    struct timeline_chart chart = chart_shown(browser);
    double step = timeline_chart_time(&chart, 1) - timeline_chart_time(&chart, 0);
    double end = timeline_chart_time(&chart, chart.columns);
    const struct snapshot_timeline *timeline = &browser->snapshot->timeline;
    double run_end = timeline->start_s + (double)timeline->periods * timeline->period_s;
    double *cursor = &view->cursor_s;
    if (!view->pointed)
        *cursor = phase ? phase->start_s : end;
    else
        *cursor = fmin(fmax(*cursor + direction * step, timeline->start_s), run_end);
    view->pointed = true;
    double half = (view->to_s - view->from_s) / 2;
    bool left = *cursor < view->from_s;
    if (view->to_s > 0 && (left || *cursor > view->to_s)) {
        double by = left ? fmax(-half, -view->from_s) : half;
        view->from_s += by;
        view->to_s += by;
    }
}

/* From the cursor on; where there is none, all of the stretch selected in the list. */
static void mark(struct browser *browser)
{
    struct timeline_view *view = timeline_view(browser);
    const struct snapshot_phase *phase = table_selected(&view->phases);
    bool marked = !view->marked;
    if (marked && !view->pointed && !phase)
        return;
    if (marked && view->pointed) {
        view->mark_s = view->cursor_s;
    } else if (marked) {
        view->mark_s = phase->start_s;
        view->cursor_s = phase->end_s;
    }
    view->pointed = true;
    view->marked = marked;
    browser_message(browser, marked ? "marked: Left and Right go on, Enter shows that stretch alone"
                                    : "the mark is gone");
}

/* Keys that change a picture which is not there would seem to do nothing; true: done. */
static bool tell_no_room(struct browser *browser, enum action action)
{
    bool changes = action == ACTION_STACK || action == ACTION_FOLD ||
                   (action == ACTION_VOLATILITY && !timeline_view(browser)->volatility);
    if (timeline_is_sampled(browser) && (action == ACTION_SPAN || changes))
        browser_message(browser, "no room for the picture: it needs a taller window");
    return action == ACTION_SPAN;
}

static bool timeline_cursor_act(struct browser *browser, enum action action)
{
    struct timeline_view *view = timeline_view(browser);
    if (!browser->snapshot->timeline.periods)
        return false;
    if (view->map.columns < 1)
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
        if (!view->pointed)
            return false;
        view->pointed = view->marked;
        view->marked = false;
        return true;
    default:
        return false;
    }
}

static bool timeline_cursor_click(struct browser *browser, int row, int column)
{
    const struct area *map = &timeline_view(browser)->map;
    if (row < map->row || row >= map->row + map->rows || column < map->column ||
        column >= map->column + map->columns)
        return false;
    struct timeline_chart chart = chart_shown(browser);
    timeline_view(browser)->cursor_s = timeline_chart_time(&chart, column - map->column);
    timeline_view(browser)->pointed = true;
    return true;
}

/* What Enter would show; false: nothing. */
static bool timeline_chosen(struct browser *browser, struct request *request)
{
    const struct snapshot_phase *phase = table_selected(&timeline_view(browser)->phases);
    double mark_s = timeline_view(browser)->mark_s;
    double cursor_s = timeline_view(browser)->cursor_s;
    *request = (struct request){.kind = REQUEST_STRETCH};
    if (timeline_view(browser)->marked) {
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

enum {
    PERIODS_LEAST = 4, /* that have a row, */
    PERIODS_MOST = 7,
    PERIOD_COLUMNS = 9,
    VALUE_COLUMNS = 6,
    BAR_LEAST = 8,
    BAR_MOST = 48,
    NOTE_COLUMNS = 12,
    WORD_ROWS = 3
};

struct picture {
    const struct snapshot_timeline *timeline;
    const struct snapshot_stream *object; /* NULL: none */
    struct canvas *canvas;
    struct area area;
    int bar; /* columns of a bar */
    size_t chosen;
};

static size_t chosen_of(const struct snapshot_timeline *timeline)
{
    size_t nearest = 0;
    for (size_t i = 1; i < timeline->profile_count; i++)
        if (fabs(timeline->profile[i].period_s - timeline->period_s) <
            fabs(timeline->profile[nearest].period_s - timeline->period_s))
            nearest = i;
    return nearest;
}

static int by_index(const void *left, const void *right)
{
    size_t a = *(const size_t *)left;
    size_t b = *(const size_t *)right;
    return a < b ? -1 : a > b;
}

static void timeline_volatility_choose(size_t list[PERIODS_MOST], size_t *count, size_t most,
                                       size_t index)
{
    for (size_t i = 0; i < *count; i++)
        if (list[i] == index)
            return;
    if (*count < most)
        list[(*count)++] = index;
}

/* The one that is drawn, then the shortest and each about twice as long; with room left the shorter
 * ones between. Shortest first. */
static size_t periods_shown(const struct picture *picture, size_t most, size_t list[PERIODS_MOST])
{
    size_t known = picture->timeline->profile_count;
    size_t count = 0;
    timeline_volatility_choose(list, &count, most, picture->chosen);
    for (size_t step = 1; step <= known; step *= 2)
        timeline_volatility_choose(list, &count, most, step - 1);
    for (size_t i = 0; i < known; i++)
        timeline_volatility_choose(list, &count, most, i);
    qsort(list, count, sizeof *list, by_index);
    return count;
}

/* Filled up to the value, with a mark where calm ends. */
static void draw_bar(const struct picture *picture, int row, double value)
{
    char bar[BAR_BYTES(BAR_MOST)];
    bool calm = value <= SNAPSHOT_VOLATILITY_DAMPED;
    int column = picture->area.column + PERIOD_COLUMNS;
    int limit = (int)(SNAPSHOT_VOLATILITY_DAMPED * picture->bar);
    bar_fill(bar, sizeof bar, picture->bar, fmin(value, 1), picture->canvas->ascii);
    canvas_text(picture->canvas, row, column, picture->bar, calm ? PAINT_GOOD : PAINT_DIM, bar);
    canvas_text(picture->canvas, row, column + limit, 1, calm ? PAINT_DIM : PAINT_WARN,
                picture->canvas->ascii ? "|" : "│");
}

static void draw_period(const struct picture *picture, int row, size_t index)
{
    const struct area *area = &picture->area;
    const struct snapshot_volatility *period = &picture->timeline->profile[index];
    double own = picture->object && picture->object->volatilities
                     ? picture->object->volatilities[index]
                     : NAN;
    char text[TEXT_TIME_BYTES];
    bool drawn = index == picture->chosen;
    int column = area->column;
    int end = area->column + area->columns;
    text_time(text, period->period_s);
    canvas_format(picture->canvas, row, column, PERIOD_COLUMNS - 1,
                  drawn ? PAINT_STRONG : PAINT_PLAIN, "%*s", PERIOD_COLUMNS - 1, text);
    column += PERIOD_COLUMNS + picture->bar;
    if (isnan(period->value))
        return;
    draw_bar(picture, row, period->value);
    canvas_format(picture->canvas, row, column, VALUE_COLUMNS,
                  period->value <= SNAPSHOT_VOLATILITY_DAMPED ? PAINT_GOOD : PAINT_PLAIN, "%4.0f%%",
                  period->value * 100);
    column += VALUE_COLUMNS;
    if (!isnan(own))
        canvas_format(picture->canvas, row, column, VALUE_COLUMNS,
                      timeline_chart_paint(
                          (size_t)(picture->object -
                                   snapshot_timeline_ranking(picture->timeline)->objects.list)),
                      "%4.0f%%", own * 100);
    column += VALUE_COLUMNS + 1;
    if (drawn)
        canvas_text(picture->canvas, row, column, end - column, PAINT_STRONG, "as drawn");
}

/* What the columns say; "own" is the object's, in its colour in the chart. */
static void draw_titles(const struct picture *picture, int row)
{
    const struct area *area = &picture->area;
    int column = area->column + PERIOD_COLUMNS;
    canvas_text(picture->canvas, row, area->column, PERIOD_COLUMNS, PAINT_DIM, "  period");
    canvas_format(picture->canvas, row, column, picture->bar, PAINT_DIM,
                  "changes by: %.0f%% or less is calm", SNAPSHOT_VOLATILITY_DAMPED * 100);
    column += picture->bar;
    canvas_text(picture->canvas, row, column, VALUE_COLUMNS, PAINT_DIM, "  all");
    column += VALUE_COLUMNS;
    if (picture->object)
        canvas_text(picture->canvas, row, column, area->column + area->columns - column, PAINT_DIM,
                    picture->object->name);
}

/* Rows used, without the titles. */
static int draw_picture(struct picture *picture)
{
    size_t list[PERIODS_MOST];
    size_t most =
        picture->area.rows - 1 < PERIODS_MOST ? (size_t)picture->area.rows - 1 : PERIODS_MOST;
    int bar = picture->area.columns - PERIOD_COLUMNS - 2 * VALUE_COLUMNS - NOTE_COLUMNS;
    picture->bar = bar < BAR_LEAST ? BAR_LEAST : bar > BAR_MOST ? BAR_MOST : bar;
    draw_titles(picture, picture->area.row);
    size_t count = periods_shown(picture, most, list);
    for (size_t i = 0; i < count; i++)
        draw_period(picture, picture->area.row + 1 + (int)i, list[i]);
    return (int)count;
}

/* Whether the noise is damped at the period that is drawn. */
static bool timeline_is_damped(const struct snapshot_timeline *timeline)
{
    return timeline->period_s >= timeline->damped_s;
}

static void why_this_period(const struct snapshot_timeline *timeline, char *out, size_t size)
{
    char period[TEXT_TIME_BYTES];
    char damped[TEXT_TIME_BYTES];
    text_time(period, timeline->period_s);
    text_time(damped, timeline->damped_s);
    if (timeline_is_damped(timeline))
        snprintf(out, size,
                 "Drawn in periods of %s: the shortest at which 9 in 10 steps from one to the next "
                 "are of %.0f%% or less.",
                 period, SNAPSHOT_VOLATILITY_DAMPED * 100);
    else if (timeline->period_s < timeline->damped_s)
        snprintf(out, size,
                 "Drawn in periods of %s: it takes %s for 9 in 10 steps to be of %.0f%% or less, "
                 "but that is more than half of the shortest phase.",
                 period, damped, SNAPSHOT_VOLATILITY_DAMPED * 100);
    else
        snprintf(out, size,
                 "Drawn in periods of %s: none is calm, with 9 in 10 steps from one to the next of "
                 "%.0f%% or less.",
                 period, SNAPSHOT_VOLATILITY_DAMPED * 100);
}

/* Why the chart has the period it has, and what the last two minutes ask for. */
static void write_reasons(const struct snapshot_timeline *timeline, char *out, size_t size)
{
    char recent[TEXT_TIME_BYTES];
    why_this_period(timeline, out, size);
    size_t used = strlen(out);
    if (isnan(timeline->recent_s))
        return;
    text_time(recent, timeline->recent_s);
    snprintf(
        out + used, size - used,
        timeline->recent_damped
            ? " In the last two minutes %s is enough: the screen keeps to that, and phases are "
              "looked for in windows of up to 16 times as long."
            : " In the last two minutes nothing damps it; %s is the calmest.",
        recent);
}

/* Rows used; 0: there is no room for it. */
static int timeline_volatility(const struct browser *browser, struct canvas *canvas,
                               struct area area)
{
    const struct snapshot_timeline *timeline = &browser->snapshot->timeline;
    char reasons[400];
    struct picture picture = {
        .timeline = timeline, .object = timeline_object(browser), .canvas = canvas};
    int rows = area.rows - 1 - WORD_ROWS;
    if (rows < 1 + PERIODS_LEAST)
        return 0;
    int used = pane_title(canvas, area, false,
                          "How restless: what changes from a period to the next, in 9 of 10 steps");
    if (!timeline->profile_count) {
        canvas_text(canvas, area.row + used, 1, area.columns - 2, PAINT_DIM,
                    "It takes eight periods to say anything.");
        return used + 1;
    }
    picture.area = (struct area){area.row + used, area.column, rows, area.columns};
    picture.chosen = chosen_of(timeline);
    used += 1 + draw_picture(&picture);
    write_reasons(timeline, reasons, sizeof reasons);
    struct area words = {area.row + used, 1, area.rows - used, area.columns - 2};
    return used + canvas_wrap(canvas, words, PAINT_PLAIN, reasons);
}

enum { LEGEND_COLUMNS = 34, CHART_LEAST = 6, TABLE_LEAST = 5, LEGEND_FROM = 70 };

static void timeline_update(struct browser *browser)
{
    struct timeline_view *view = timeline_view(browser);
    const struct snapshot_timeline *timeline = &browser->snapshot->timeline;
    table_set(&view->phases, browser->snapshot, timeline->phases, timeline->phase_count);
    if (timeline->phase_count)
        table_prefer(&view->phases,
                     phase_columns.identity(browser->snapshot,
                                            &timeline->phases[timeline->phase_count - 1]));
}

/* The whole run, or what Enter zoomed in on. */
static struct timeline_chart chart_of(const struct browser *browser, int columns)
{
    struct timeline_view *view = timeline_view(browser);
    struct timeline_chart chart =
        timeline_chart(&browser->snapshot->timeline, view->from_s, view->to_s, columns);
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
        timeline_view(browser)->to_s > 0 ? "zoomed in; F5: the whole run" : "the whole run",
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
    char text[PHASES_READING_BYTES];
    if (area.rows < 1)
        return 0;
    if (timeline->periods && !timeline_is_sampled(browser))
        return draw_wanting(browser, canvas, area);
    draw_title(browser, canvas, area);
    phases_reading(timeline, text, sizeof text);
    return 1 + (*text ? canvas_wrap(canvas, reading, PAINT_STRONG, text) : 0);
}

/* The stretch that is selected, under the chart. */
static void mark_selected(struct browser *browser, const struct timeline_chart *chart,
                          struct canvas *canvas, int row, int column)
{
    const struct snapshot_phase *phase = table_selected(&timeline_view(browser)->phases);
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
    timeline_view(browser)->map = (struct area){area.row, 1, area.rows, columns};
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
    if (timeline_view(browser)->volatility) {
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
    struct timeline_view *view = timeline_view(browser);
    const struct snapshot_timeline *timeline = &browser->snapshot->timeline;
    view->map = (struct area){0};
    int used = draw_facts(browser, canvas, area);
    if (!timeline->periods) {
        canvas_text(canvas, area.row + used, 1, area.columns - 2, PAINT_DIM,
                    "Nothing to show yet: the first period has not ended.");
        return;
    }
    struct heights heights = heights_of(browser, area.rows - used);
    if (heights.chart && timeline_is_sampled(browser)) {
        struct area chart = {area.row + used, 0, heights.chart, area.columns};
        used += draw_chart(browser, canvas, chart);
    }
    if (heights.volatility) {
        struct area below = {area.row + used, 0, heights.volatility, area.columns};
        used += timeline_volatility(browser, canvas, below);
    }
    struct area list = {area.row + used, 0, area.rows - used, area.columns};
    pane_table(browser, canvas, list, &view->phases, "No phase has been seen yet.");
}

static void zoom(struct browser *browser, double from_s, double to_s)
{
    timeline_view(browser)->from_s = from_s;
    timeline_view(browser)->to_s = to_s;
}

/* In on what Enter would show, with some of what is beside it; or out again. */
static void zoom_or_not(struct browser *browser)
{
    struct request chosen;
    if (timeline_view(browser)->to_s > 0) {
        zoom(browser, 0, 0);
    } else if (timeline_chosen(browser, &chosen)) {
        double margin = (chosen.end_s - chosen.start_s) / 4;
        zoom(browser, fmax(chosen.start_s - margin, 0), chosen.end_s + margin);
    }
}

/* The other screens show it: the first of them comes, and Esc there leads back to now. */
static void show_alone(struct browser *browser, struct request *request)
{
    if (!timeline_chosen(browser, request)) {
        *request = (struct request){.kind = REQUEST_NONE};
        return;
    }
    if (browser->frozen)
        browser_freeze(browser);
    timeline_view(browser)->marked = timeline_view(browser)->pointed = false;
    browser_go(browser, PAGE_OBJECTS);
}

/* The next one, sampled or not: that one is not is worth knowing, and how to have it. */
static void change_measure(struct browser *browser)
{
    struct timeline_view *view = timeline_view(browser);
    view->measure = (enum snapshot_measure)((timeline_measure(browser) + 1) % SNAPSHOT_MEASURES);
    view->chosen = view->measure != browser->snapshot->timeline.ranks;
}

static bool timeline_act(struct browser *browser, enum action action, struct request *request)
{
    struct timeline_view *view = timeline_view(browser);
    bool zoomed = view->to_s > 0;
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
        view->stacked = (view->stacked + 1) % STACK_KINDS;
        return true;
    case ACTION_MEASURE:
        change_measure(browser);
        return true;
    case ACTION_VOLATILITY:
        view->volatility = !view->volatility;
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
    return timeline_view(browser)->marked ? "Only what is marked"
           : *chosen.name                 ? "Only this phase"
                                          : "Only this stretch";
}

static void timeline_hint(struct browser *browser, char *out, size_t size)
{
    struct timeline_view *view = timeline_view(browser);
    char marked[TEXT_TIME_BYTES];
    if (view->marked)
        snprintf(out, size, "%s marked; Enter: all screens show that stretch alone",
                 text_time(marked, fabs(view->cursor_s - view->mark_s)));
    else
        snprintf(out, size,
                 "Enter: all screens show the phase selected alone; Left, Right and v: any "
                 "stretch");
}

static const char *timeline_label(struct browser *browser, enum action action)
{
    if (action != ACTION_FOLD)
        return NULL;
    return timeline_view(browser)->to_s > 0 ? "Whole run" : "Zoom in";
}

const struct page timeline_page = {
    .name = "Phases",
    .shows = "The run from left to right: in each column, the parts that the leading objects have "
             "of the samples. Below it the number of samples and the phases: time ranges in which "
             "the samples are on the same data. One that comes back has its old letter.",
    .next = "ROSE and FELL tell phases apart. Enter on one, and all screens show that phase alone; "
            "N is back to now. b stacks by function, fields or threads.",
    .state_size = sizeof(struct timeline_view),
    .tables = {{.at = offsetof(struct timeline_view, phases), .columns = &phase_columns}},
    .update = timeline_update,
    .draw = timeline_draw,
    .act = timeline_act,
    .click = timeline_cursor_click,
    .enter = timeline_enter,
    .hint = timeline_hint,
    .label = timeline_label,
    .bar = {ACTION_ENTER, ACTION_SPAN, ACTION_FOLD, ACTION_STACK, ACTION_MEASURE, ACTION_VOLATILITY,
            ACTION_FREEZE, ACTION_WRITE},
};

/* Columns of the stretches of a run. */

#define ROW                                                                                        \
    const struct snapshot_phase *row = pointer;                                                    \
    (void)snapshot

static struct value length(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_number(row->end_s - row->start_s);
}

static struct value fell_by(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_number(-row->fell_by);
}

static struct value phase_column_note(const struct snapshot *snapshot, const void *pointer)
{
    const struct snapshot_phase *row = pointer;
    const struct snapshot_timeline *timeline = &snapshot->timeline;
    bool last = timeline->phase_count && row == &timeline->phases[timeline->phase_count - 1];
    bool returned = row > timeline->phases && *row->name && !strcmp(row->name, row[-1].name);
    /* What had changed is going back to what it was: when it ends the two will be one. */
    if (last && returned)
        return value_text("now; as before");
    return value_text(last && row->inversion ? "now; new leader"
                      : last                 ? "now"
                      : row->inversion       ? "new leader"
                                             : NULL);
}

static uint64_t phase_column_identity(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    /* Its start is worked out anew each time, from the elapsed time. */
    return (uint64_t)llround(row->start_s * 20);
}

static const struct column phase_list[] = {
    COLUMN(.title = "PHASE", .key = "name", .after = "shares",
           .help = "Time ranges of one letter are alike: the samples are on the same objects.",
           .from = KNOWN(struct snapshot_phase, name), .width = 5, .paint = paint_strong),
    COLUMN(.title = "FROM", .key = "start", .after = "name",
           .help = "When it began, from the start of the run.",
           .from = FIELD(struct snapshot_phase, start_s), .width = 8, .look = COLUMN_RIGHT,
           .format = format_time),
    COLUMN(.title = "LENGTH", .help = "How long it lasted.", .value = length, .width = 8,
           .look = COLUMN_RIGHT, .format = format_time),
    COLUMN(.title = "LEADS", .key = "leader", .after = "changed",
           .help = "The object with most samples in it.",
           .from = FIELD(struct snapshot_phase, leader), .width = 12, .most = 30,
           .look = COLUMN_NAME, .paint = paint_strong),
    COLUMN(.title = "OF IT", .key = "leader_share", .after = "leader",
           .help = "The leader's part of the samples in it.",
           .from = FIELD(struct snapshot_phase, leader_share), .width = 6, .rank = 1, UNIT_SHARE),
    COLUMN(.title = "ROSE", .key = "rose", .after = "leader_share",
           .help = "The object whose share is higher than in the stretch before by most.",
           .from = FIELD(struct snapshot_phase, rose), .width = 12, .most = 30, .rank = 1,
           .look = COLUMN_NAME, .paint = paint_strong),
    COLUMN(.title = "BY", .key = "rose_by", .after = "rose",
           .help = "By how many points (hundredths of the samples) it rose.",
           .from = FIELD(struct snapshot_phase, rose_by), .width = 6, .rank = 1,
           .look = COLUMN_RIGHT, .format = format_gained),
    COLUMN(.title = "FELL", .key = "fell", .after = "rose_by",
           .help = "The object whose share is lower than in the stretch before by most.",
           .from = FIELD(struct snapshot_phase, fell), .width = 12, .most = 30, .rank = 3,
           .look = COLUMN_NAME),
    COLUMN(.title = "BY", .help = "By how many points it fell.", .value = fell_by, .width = 6,
           .rank = 3, .look = COLUMN_RIGHT, .format = format_gained),
    COLUMN(.title = "CHANGED", .key = "changed", .after = "samples",
           .help = "Part of the samples that is on other objects than in the stretch before: what "
                   "all that "
                   "rose "
                   "have more, ROSE the most of them.",
           .from = FIELD(struct snapshot_phase, distance), .width = 7, .rank = 2, UNIT_PERCENT),
    COLUMN(.title = "NO OBJ", .key = "unknown_share", .after = "inversion",
           .help = "Part of all that was sampled in it that has no object; the rest of the row is "
                   "of what has.",
           .from = FIELD(struct snapshot_phase, nobody), .width = 6, .rank = 4, UNIT_PERCENT),
    COLUMN(.title = "SAMPLES", .key = "samples", .after = "told",
           .help = "Attributed samples in it.", .from = FIELD(struct snapshot_phase, samples),
           .width = 7, .rank = 5, UNIT_COUNT),
    COLUMN(.title = "", .value = phase_column_note, .width = 8, .most = 30, .rank = 4,
           .paint = paint_dim),
    COLUMN(.key = "shares", .json = json_phase_shares),
    COLUMN(.key = "end", .from = FIELD(struct snapshot_phase, end_s)),
    COLUMN(.key = "told", .from = FIELD(struct snapshot_phase, told_s)),
    COLUMN(.key = "fell_by", .from = FIELD(struct snapshot_phase, fell_by)),
    COLUMN(.key = "inversion", .from = FIELD(struct snapshot_phase, inversion)),
};

const struct columns phase_columns = {
    .title = "Phases",
    TABLE(struct snapshot_phase, phase_list),
    .sort = COLUMNS_AS_THEY_COME,
    .identity = phase_column_identity,
};
