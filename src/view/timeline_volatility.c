/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/timeline_volatility.h"

#include "base/text.h"
#include "view/bar.h"
#include "view/timeline_stack.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    CHART_ROWS = 6,
    CHART_ROWS_LEAST = 3,
    SCALE_COLUMNS = 6, /* "100% " before the bars */
    BAR_COLUMNS = 3,   /* for each period, at the most */
    WORD_ROWS = 3
};

struct picture {
    const struct snapshot_timeline *timeline;
    const struct snapshot_stream *object; /* NULL: none */
    struct canvas *canvas;
    struct area bars;
    int each; /* columns of a period */
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

/* The row of a value, from the bottom. */
static int row_of(const struct picture *picture, double value)
{
    int row = (int)floor(value * picture->bars.rows);
    return row < picture->bars.rows ? row : picture->bars.rows - 1;
}

static void draw_bar(const struct picture *picture, size_t index)
{
    const struct area *bars = &picture->bars;
    double value = picture->timeline->profile[index].value;
    int column = bars->column + (int)index * picture->each;
    enum paint paint = index == picture->chosen ? PAINT_WARN : PAINT_DIM;
    if (isnan(value))
        return;
    for (int row = 0; row < bars->rows; row++) {
        double part = value * bars->rows - row;
        const char *step = part > 0 || !row ? bar_step(fmin(part, 1), picture->canvas->ascii) : " ";
        for (int i = 0; i < (picture->each > 1 ? picture->each - 1 : 1); i++)
            canvas_text(picture->canvas, bars->row + bars->rows - 1 - row, column + i, 1, paint,
                        step);
    }
}

static void draw_object(const struct picture *picture, size_t index, size_t series)
{
    const struct area *bars = &picture->bars;
    double value = picture->object->volatilities[index];
    if (isnan(value))
        return;
    canvas_text(picture->canvas, bars->row + bars->rows - 1 - row_of(picture, value),
                bars->column + (int)index * picture->each, 1, timeline_chart_paint(series),
                picture->canvas->ascii ? "o" : "●");
}

static void draw_scale(const struct picture *picture)
{
    const struct area *bars = &picture->bars;
    const struct snapshot_timeline *timeline = picture->timeline;
    char text[TEXT_TIME_BYTES];
    int used = 0;
    canvas_text(picture->canvas, bars->row, 1, SCALE_COLUMNS - 1, PAINT_DIM, "100%");
    canvas_format(picture->canvas,
                  bars->row + bars->rows - 1 - row_of(picture, SNAPSHOT_VOLATILITY_DAMPED), 1,
                  SCALE_COLUMNS - 1, PAINT_DIM, " %.0f%%", SNAPSHOT_VOLATILITY_DAMPED * 100);
    for (size_t i = 0; i < timeline->profile_count; i++) {
        int column = (int)i * picture->each;
        bool marked = i == picture->chosen;
        text_time(text, timeline->profile[i].period_s);
        int length = glyph_columns(text, picture->canvas->ascii);
        /* The chosen one always; others where they have room on both sides. */
        bool near = !marked && i < picture->chosen &&
                    column + length + 1 > (int)picture->chosen * picture->each;
        if ((column < used && !marked) || near || column + length > bars->columns)
            continue;
        canvas_text(picture->canvas, bars->row + bars->rows, bars->column + column, length,
                    marked ? PAINT_WARN : PAINT_DIM, text);
        used = column + length + 2;
    }
}

static void draw_picture(struct picture *picture)
{
    const struct snapshot_timeline *timeline = picture->timeline;
    size_t room = (size_t)(picture->bars.columns > 0 ? picture->bars.columns : 0);
    size_t count = timeline->profile_count < room ? timeline->profile_count : room;
    picture->each = count && room / count < BAR_COLUMNS ? (int)(room / count) : BAR_COLUMNS;
    for (size_t i = 0; i < count; i++)
        draw_bar(picture, i);
    const struct snapshot_stream *object = picture->object;
    size_t series =
        object ? (size_t)(object - snapshot_timeline_ranking(timeline)->objects.list) : 0;
    for (size_t i = 0; i < count && object && object->volatilities; i++)
        draw_object(picture, i, series);
    draw_scale(picture);
}

bool timeline_is_damped(const struct snapshot_timeline *timeline)
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

int timeline_volatility(const struct browser *browser, struct canvas *canvas, struct area area)
{
    const struct snapshot_timeline *timeline = &browser->snapshot->timeline;
    char reasons[400];
    struct picture picture = {
        .timeline = timeline, .object = timeline_object(browser), .canvas = canvas};
    int rows = area.rows - 2 - WORD_ROWS;
    if (rows < CHART_ROWS_LEAST)
        return 0;
    int used = pane_title(canvas, area, false, "Volatility by period%s%s",
                          picture.object ? canvas->ascii ? "; o " : "; ● " : "",
                          picture.object ? picture.object->name : "");
    if (!timeline->profile_count) {
        canvas_text(canvas, area.row + used, 1, area.columns - 2, PAINT_DIM,
                    "It takes eight periods to say anything.");
        return used + 1;
    }
    rows = rows < CHART_ROWS ? rows : CHART_ROWS;
    picture.bars =
        (struct area){area.row + used, SCALE_COLUMNS, rows, area.columns - SCALE_COLUMNS - 1};
    picture.chosen = chosen_of(timeline);
    draw_picture(&picture);
    used += rows + 1;
    write_reasons(timeline, reasons, sizeof reasons);
    struct area words = {area.row + used, 1, WORD_ROWS, area.columns - 2};
    return used + canvas_wrap(canvas, words, PAINT_PLAIN, reasons);
}
