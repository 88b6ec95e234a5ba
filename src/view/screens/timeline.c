/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screen 8. */

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "view/display/browser.h"
#include "view/widget/chart.h"
#include "view/widget/columns.h"
#include "view/words.h"

/* Kinds of series that the chart stacks. */
enum stack_kind { STACK_OBJECTS, STACK_FUNCTIONS, STACK_FIELDS, STACK_THREADS, STACK_KINDS };

struct timeline_view {
    struct table phases;
    double from_s; /* zoomed time range; to_s 0: the whole run */
    double to_s;
    bool pointed; /* the cursor has been placed */
    bool marked;
    double cursor_s;
    double mark_s;
    struct area map; /* the chart, as drawn */
    enum stack_kind stacked;
    bool chosen; /* draw `measure` instead of the ranking one */
    enum snapshot_measure measure;
};

static struct timeline_view *timeline_view(const struct browser *browser)
{
    return browser->states[SCREEN_TIMELINE];
}

static const struct snapshot_stream *stream_of(const struct snapshot_streams *objects,
                                               uint32_t object)
{
    for (size_t i = 0; i < objects->count; i++)
        if (objects->list[i].object == object && object != UINT32_MAX)
            return &objects->list[i];
    return NULL;
}

/* Returns the displayed measure: the chosen one, otherwise the ranking one. */
static enum snapshot_measure timeline_measure(const struct browser *browser)
{
    struct timeline_view *view = timeline_view(browser);
    return view->chosen ? view->measure : browser->snapshot->timeline.ranking_measure;
}

static const struct snapshot_measured *shown_measure(const struct browser *browser)
{
    return &browser->snapshot->timeline.by_measure[timeline_measure(browser)];
}

static bool timeline_is_sampled(const struct browser *browser)
{
    return shown_measure(browser)->all;
}

static const struct snapshot_stream *highlighted_object(const struct browser *browser,
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

/* Returns the object to show: the one opened last, otherwise the leader of the selected phase,
 * otherwise of the run. NULL if there is none with a stream. */
static const struct snapshot_stream *timeline_object(const struct browser *browser)
{
    return highlighted_object(browser,
                              &snapshot_timeline_ranking(&browser->snapshot->timeline)->objects);
}

/* Returns the displayed stack; `all` is NULL if it is not sampled. */
static struct timeline_stack timeline_stack(const struct browser *browser)
{
    const struct snapshot_measured *shown = shown_measure(browser);
    switch (timeline_view(browser)->stacked) {
    case STACK_FUNCTIONS:
        return timeline_stack_of(shown, "functions", &shown->functions);
    case STACK_FIELDS:
        return timeline_stack_fields(shown, highlighted_object(browser, &shown->objects));
    case STACK_THREADS:
        return timeline_stack_of(shown, "threads", &shown->threads);
    default:
        return timeline_stack_of(shown, "objects", &shown->objects);
    }
}

/* Draws that two objects alternate: one has its misses when the other has none. */
static void draw_turns(const struct snapshot_alternation *turns, struct canvas *canvas, int row,
                       int column, int columns)
{
    canvas_text(canvas, row, column, 1, timeline_chart_paint(turns->left),
                timeline_chart_mark(turns->left, canvas->ascii));
    canvas_text(canvas, row, column + 2, 1, timeline_chart_paint(turns->right),
                timeline_chart_mark(turns->right, canvas->ascii));
    canvas_text(canvas, row, column + 4, columns - 4, PAINT_DIM, "alternate");
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

/* Draws samples without an object below the legend of the series. */
static void draw_without_object(const struct browser *browser, struct canvas *canvas,
                                struct area area, int row)
{
    const struct snapshot_measured *shown = shown_measure(browser);
    size_t periods = browser->snapshot->timeline.periods;
    double no_object = shown->no_object ? timeline_sum(shown->no_object, 0, periods) : 0;
    double everything = no_object + timeline_sum(shown->all, 0, periods);
    if (no_object > 0)
        canvas_format(canvas, area.row + row, area.column + 2, area.columns - 2, PAINT_DIM,
                      "%5.1f%% of all samples: no object", no_object / everything * 100);
}

/* Draws names, shares and colours of the series, and the objects that alternate. */
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
                    "none is known");
    if (row < area.rows)
        draw_series(stack, CHART_SERIES, canvas, area, row++);
    if (row < area.rows && !stack->of)
        draw_without_object(browser, canvas, area, row++);
    if (view->stacked == STACK_FIELDS && stack->of && row < area.rows) {
        struct area words = area_below(area, row);
        canvas_wrap(
            canvas, words, PAINT_DIM,
            "Fields are recorded from the time the object leads; earlier samples are in the rest.");
    }
    if (view->stacked != STACK_OBJECTS || timeline_measure(browser) != timeline->ranking_measure)
        return;
    for (size_t i = 0; i < timeline->alternation_count && row + 1 < area.rows; i++) {
        const struct snapshot_alternation *turns = &timeline->alternations[i];
        if (turns->left < CHART_SERIES && turns->right < CHART_SERIES)
            draw_turns(turns, canvas, area.row + ++row, area.column, area.columns);
    }
}

/* ---- the cursor in the chart, and marking a time range ---- */

/* Returns the chart of the whole run, or of the zoomed time range (F5). */
static struct timeline_chart chart_of(const struct browser *browser, int columns)
{
    const struct timeline_view *view = timeline_view(browser);
    struct timeline_chart chart =
        timeline_chart(&browser->snapshot->timeline, view->from_s, view->to_s, columns);
    chart.stack = timeline_stack(browser);
    return chart;
}

static void flag_marked_range(const struct timeline_chart *chart, struct canvas *canvas, int row,
                              int column, double from_s, double to_s)
{
    int from = timeline_chart_column(chart, from_s);
    int to = timeline_chart_column(chart, to_s);
    canvas_flag(canvas, row, column + from, to > from ? to - from : 1, CELL_CURSOR);
}

/* Draws the cursor on the row of amounts, and its time on the axis below the phases. */
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
        flag_marked_range(chart, canvas, row, map->column, fmin(view->mark_s, view->cursor_s),
                          fmax(view->mark_s, view->cursor_s));
    canvas_flag(canvas, row, map->column + column, 1, CELL_CURSOR);
    snprintf(at, sizeof at, "%s%s", canvas->ascii ? "^" : "▲", text_time(time, view->cursor_s));
    int length = glyph_columns(at, canvas->ascii);
    int start = column + length <= map->columns ? column : map->columns - length;
    if (start >= 0)
        canvas_text(canvas, map->row + map->rows - 1, map->column + start, length, PAINT_STRONG,
                    at);
}

/* Moves the cursor by one column; beyond the zoomed range, the range by half its length. */
static void move_time_cursor(struct browser *browser, int direction)
{
    struct timeline_view *view = timeline_view(browser);
    const struct snapshot_phase *phase = table_selected(&view->phases);
    struct timeline_chart chart = chart_of(browser, timeline_view(browser)->map.columns);
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

/* Marks from the cursor, or without a cursor, the whole phase selected in the list. */
static void toggle_mark(struct browser *browser)
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
    browser_message(browser,
                    marked ? "marked: Left and Right extend it, Enter shows only that time range"
                           : "mark removed");
}

/* Shows a message if there is no room for the chart, because the key would seem to have no effect.
 * Returns true if the action is done. */
static bool report_no_room(struct browser *browser, enum action action)
{
    bool changes = action == ACTION_STACK || action == ACTION_FOLD;
    if (timeline_is_sampled(browser) && (action == ACTION_SPAN || changes))
        browser_message(browser, "no room for the picture: make the window taller");
    return action == ACTION_SPAN;
}

static bool timeline_cursor_act(struct browser *browser, enum action action)
{
    struct timeline_view *view = timeline_view(browser);
    if (!browser->snapshot->timeline.periods)
        return false;
    if (view->map.columns < 1)
        return report_no_room(browser, action);
    switch (action) {
    case ACTION_LEFT:
    case ACTION_RIGHT:
        move_time_cursor(browser, action == ACTION_LEFT ? -1 : 1);
        return true;
    case ACTION_SPAN:
        toggle_mark(browser);
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
    struct timeline_chart chart = chart_of(browser, timeline_view(browser)->map.columns);
    timeline_view(browser)->cursor_s = timeline_chart_time(&chart, column - map->column);
    timeline_view(browser)->pointed = true;
    return true;
}

/* Returns the time range that Enter would show; false if there is none. */
static bool timeline_chosen_range(struct browser *browser, struct request *request)
{
    const struct snapshot_phase *phase = table_selected(&timeline_view(browser)->phases);
    double mark_s = timeline_view(browser)->mark_s;
    double cursor_s = timeline_view(browser)->cursor_s;
    *request = (struct request){.kind = REQUEST_TIME_RANGE};
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

/* Returns true if the noise is damped at the displayed period. */
static bool timeline_is_damped(const struct snapshot_timeline *timeline)
{
    return timeline->period_s >= timeline->damping_period_s;
}

enum {
    LEGEND_COLUMNS = 34,
    CHART_MIN = 6,
    TABLE_MIN = 5,
    LEGEND_MIN_COLUMNS = 70,
    VOLATILITY_FROM_ROWS = 14
};

static void timeline_update(struct browser *browser)
{
    struct timeline_view *view = timeline_view(browser);
    const struct snapshot_timeline *timeline = &browser->snapshot->timeline;
    if (timeline->phase_count)
        table_prefer(&view->phases,
                     phase_columns.identity(browser->snapshot,
                                            &timeline->phases[timeline->phase_count - 1]));
}

/* Phases are based on the ranking measure, whichever measure is displayed. */
static void draw_title(const struct browser *browser, struct canvas *canvas, struct area area)
{
    const struct snapshot_timeline *timeline = &browser->snapshot->timeline;
    enum snapshot_measure drawn = timeline_measure(browser);
    const char *measure = measure_name(browser->snapshot, drawn);
    char period[TEXT_TIME_BYTES];
    text_time(period, timeline->period_s);
    struct pen pen = {canvas, area.row, 0, area.columns};
    pen_part(&pen, PAINT_PLAIN, " %c%s, %s, %zu periods of %s", toupper((unsigned char)*measure),
             *measure ? measure + 1 : "",
             timeline_view(browser)->to_s > 0 ? "zoomed in; F5: the whole run" : "the whole run",
             timeline->periods, period);
    if (drawn != timeline->ranking_measure)
        pen_part(&pen, PAINT_PLAIN, "; phases are of %s",
                 measure_name(browser->snapshot, timeline->ranking_measure));
    else
        pen_part(&pen, PAINT_PLAIN, "%s",
                 timeline_is_damped(timeline)                      ? ", which damps the noise"
                 : timeline->period_s < timeline->damping_period_s ? ", to show the shortest phase"
                                                                   : "");
}

/* Explains that a measure is not sampled, and how to sample it. */
static int draw_missing_measure(const struct browser *browser, struct canvas *canvas,
                                struct area area)
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
    struct area above = {area.row + 1, 1, 2, area.columns - 2};
    char text[PHASES_READING_BYTES];
    if (area.rows < 1)
        return 0;
    if (timeline->periods && !timeline_is_sampled(browser))
        return draw_missing_measure(browser, canvas, area);
    draw_title(browser, canvas, area);
    phases_reading(timeline, text, sizeof text);
    int used = 1 + (*text ? canvas_wrap(canvas, above, PAINT_STRONG, text) : 0);
    if (area.rows < VOLATILITY_FROM_ROWS)
        return used;
    volatility_words(timeline, timeline_object(browser), text, sizeof text);
    return used +
           (*text ? canvas_text(canvas, area.row + used, 1, area.columns - 2, PAINT_DIM, text) > 0
                  : 0);
}

static int draw_chart(struct browser *browser, struct canvas *canvas, struct area area)
{
    const struct snapshot_phase *phase = table_selected(&timeline_view(browser)->phases);
    bool legend = area.columns >= LEGEND_MIN_COLUMNS;
    int columns = area.columns - 2 - (legend ? LEGEND_COLUMNS + 2 : 0);
    struct timeline_chart chart = chart_of(browser, columns);
    struct area picture = {area.row, 1, area.rows, columns};
    timeline_chart_draw(&chart, canvas, picture);
    if (phase)
        flag_marked_range(&chart, canvas, area.row + area.rows - 2, 1, phase->start_s,
                          phase->end_s);
    timeline_view(browser)->map = (struct area){area.row, 1, area.rows, columns};
    timeline_cursor_draw(browser, &chart, canvas);
    if (legend) {
        struct area words = {area.row, columns + 3, area.rows, LEGEND_COLUMNS};
        timeline_legend(browser, &chart.stack, canvas, words);
    }
    return area.rows;
}

/* Reserves two fifths of the rows for the list, which the user selects from. */
static int chart_rows(int rows)
{
    int chart = rows * 3 / 5;
    return chart < CHART_MIN || rows - chart < TABLE_MIN ? 0 : chart;
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
    int rows = chart_rows(area.rows - used);
    if (rows && timeline_is_sampled(browser)) {
        struct area chart = {area.row + used, 0, rows, area.columns};
        used += draw_chart(browser, canvas, chart);
    }
    struct area list = {area.row + used, 0, area.rows - used, area.columns};
    pane_table(browser, canvas, list, &view->phases);
}

static void set_zoom(struct browser *browser, double from_s, double to_s)
{
    timeline_view(browser)->from_s = from_s;
    timeline_view(browser)->to_s = to_s;
}

/* Zooms to the time range that Enter would show, with a margin; or zooms out. */
static void toggle_zoom(struct browser *browser)
{
    struct request chosen;
    if (timeline_view(browser)->to_s > 0) {
        set_zoom(browser, 0, 0);
    } else if (timeline_chosen_range(browser, &chosen)) {
        double margin = (chosen.end_s - chosen.start_s) / 4;
        set_zoom(browser, fmax(chosen.start_s - margin, 0), chosen.end_s + margin);
    }
}

/* Shows the time range on the other screens: opens the first of them. Esc there returns to now. */
static void show_time_range_alone(struct browser *browser, struct request *request)
{
    if (!timeline_chosen_range(browser, request)) {
        *request = (struct request){.kind = REQUEST_NONE};
        return;
    }
    if (browser->frozen)
        browser_freeze(browser);
    timeline_view(browser)->marked = timeline_view(browser)->pointed = false;
    browser_go(browser, SCREEN_OBJECTS);
}

/* Changes to the next measure, sampled or not: the screen explains how to sample it. */
static void change_measure(struct browser *browser)
{
    struct timeline_view *view = timeline_view(browser);
    view->measure = (enum snapshot_measure)((timeline_measure(browser) + 1) % SNAPSHOT_MEASURES);
    view->chosen = view->measure != browser->snapshot->timeline.ranking_measure;
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
        show_time_range_alone(browser, request);
        return true;
    case ACTION_FOLD:
        toggle_zoom(browser);
        return true;
    case ACTION_BACK:
        set_zoom(browser, 0, 0);
        return zoomed;
    case ACTION_STACK:
        view->stacked = (view->stacked + 1) % STACK_KINDS;
        return true;
    case ACTION_MEASURE:
        change_measure(browser);
        return true;
    default:
        return false;
    }
}

static void timeline_hint(struct browser *browser, char *out, size_t size)
{
    struct timeline_view *view = timeline_view(browser);
    char marked[TEXT_TIME_BYTES];
    if (view->marked)
        snprintf(out, size, "%s marked; Enter: all screens show only that time range",
                 text_time(marked, fabs(view->cursor_s - view->mark_s)));
    else
        snprintf(out, size,
                 "Enter: all screens show only this phase.  Left, Right, v: any time range");
}

static const char *timeline_label(struct browser *browser, enum action action)
{
    struct request chosen;
    if (action == ACTION_FOLD)
        return timeline_view(browser)->to_s > 0 ? "Whole run" : "Zoom in";
    if (action != ACTION_ENTER)
        return NULL;
    if (!browser->snapshot || !timeline_chosen_range(browser, &chosen))
        return "";
    return timeline_view(browser)->marked ? "Only what is marked"
           : *chosen.name                 ? "Only this phase"
                                          : "Only this range";
}

const struct screen timeline_screen = {
    .name = "Phases",
    .description =
        "The run from left to right: the data with most samples, and when it changed. Below "
        "are the number of samples and the phases: time ranges in which the samples are on "
        "the same data. A returning phase keeps its letter.",
    .next_step =
        "ROSE and FELL show how phases differ. Enter on a phase restricts all screens to it; N "
        "returns to the present. b switches to functions, fields or threads.",
    .state_size = sizeof(struct timeline_view),
    .tables = {{.at = offsetof(struct timeline_view, phases), .columns = &phase_columns}},
    .update = timeline_update,
    .draw = timeline_draw,
    .act = timeline_act,
    .click = timeline_cursor_click,
    .hint = timeline_hint,
    .label = timeline_label,
    .bar = {ACTION_ENTER, ACTION_SPAN, ACTION_FOLD, ACTION_STACK, ACTION_MEASURE, ACTION_FREEZE,
            ACTION_WRITE},
};

/* ---- columns of the phases of a run ---- */

static struct value phase_length(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_phase);
    return value_number(row->end_s - row->start_s);
}

static struct value phase_decrease(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_phase);
    return value_number(-row->lost_share);
}

static struct value phase_column_note(const struct snapshot *snapshot, const void *pointer)
{
    const struct snapshot_phase *row = pointer;
    const struct snapshot_timeline *timeline = &snapshot->timeline;
    bool last = timeline->phase_count && row == &timeline->phases[timeline->phase_count - 1];
    bool returned = row > timeline->phases && *row->name && !strcmp(row->name, row[-1].name);
    /* The last phase resembles the previous one: they are merged when it ends. */
    if (last && returned)
        return value_text("now; as before");
    return value_text(last && row->leader_changed ? "now; new leader"
                      : last                      ? "now"
                      : row->leader_changed       ? "new leader"
                                                  : NULL);
}

static uint64_t phase_column_identity(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_phase);
    /* The start varies slightly between snapshots, because it is computed from the elapsed time. */
    return (uint64_t)llround(row->start_s * 20);
}

static const struct column phase_list[] = {
    COLUMN(.title = "PHASE", .key = "name",
           .help =
               "Time ranges with the same letter are similar: the samples are on the same objects.",
           .from = KNOWN(struct snapshot_phase, name), .width = 5, .paint = paint_strong),
    COLUMN(.title = "FROM", .key = "start", .help = "Start, from the beginning of the run.",
           .from = FIELD(struct snapshot_phase, start_s), .width = 8, .look = COLUMN_RIGHT,
           .format = format_time),
    COLUMN(.title = "LENGTH", .help = "Duration.", .value = phase_length, .width = 8,
           .look = COLUMN_RIGHT, .format = format_time),
    COLUMN(.title = "LEADS", .key = "leader", .help = "The object with most samples in it.",
           .from = FIELD(struct snapshot_phase, leader), .width = 12, .width_max = 30,
           .look = COLUMN_NAME, .paint = paint_strong),
    COLUMN(.title = "OF IT", .key = "leader_share",
           .help = "The leader's share of the samples in it.",
           .from = FIELD(struct snapshot_phase, leader_share), .width = 6, .rank = 1, UNIT_SHARE),
    COLUMN(.title = "ROSE", .key = "rose",
           .help = "The object with the largest increase of its share since the previous phase.",
           .from = FIELD(struct snapshot_phase, gained_object), .width = 12, .width_max = 30,
           .rank = 1, .look = COLUMN_NAME, .paint = paint_strong),
    COLUMN(.title = "BY", .key = "rose_by", .help = "Increase of its share in percentage points.",
           .from = FIELD(struct snapshot_phase, gained_share), .width = 6, .rank = 1,
           .look = COLUMN_RIGHT, .format = format_gained),
    COLUMN(.title = "FELL", .key = "fell",
           .help = "The object with the largest decrease of its share since the previous phase.",
           .from = FIELD(struct snapshot_phase, lost_object), .width = 12, .width_max = 30,
           .rank = 3, .look = COLUMN_NAME),
    COLUMN(.title = "BY", .help = "Decrease of its share in percentage points.",
           .value = phase_decrease, .width = 6, .rank = 3, .look = COLUMN_RIGHT,
           .format = format_gained),
    COLUMN(.title = "CHANGED", .key = "changed",
           .help = "Share of the samples that moved to other objects since the previous phase: the "
                   "sum of all increases.",
           .from = FIELD(struct snapshot_phase, distance), .width = 7, .rank = 2, UNIT_PERCENT),
    COLUMN(.title = "NO OBJ", .key = "unknown_share",
           .help = "Share of all samples in it without an object; the other columns refer to "
                   "samples with one.",
           .from = FIELD(struct snapshot_phase, no_object), .width = 6, .rank = 4, UNIT_PERCENT),
    COLUMN(.title = "SAMPLES", .key = "samples", .help = "Attributed samples in it.",
           .from = FIELD(struct snapshot_phase, samples), .width = 7, .rank = 5, UNIT_COUNT),
    COLUMN(.title = "", .value = phase_column_note, .width = 8, .width_max = 30, .rank = 4,
           .paint = paint_dim),
    COLUMN(.key = "shares", .json = json_phase_shares),
    MEMBER("end", struct snapshot_phase, end_s),
    MEMBER("told", struct snapshot_phase, detected_s),
    MEMBER("fell_by", struct snapshot_phase, lost_share),
    MEMBER("inversion", struct snapshot_phase, leader_changed),
};

const struct columns phase_columns = {
    .title = "Phases",
    TABLE(struct snapshot_phase, phase_list),
    ALL_OF(timeline.phases, timeline.phase_count),
    .sort = COLUMNS_AS_THEY_COME,
    .identity = phase_column_identity,
};
