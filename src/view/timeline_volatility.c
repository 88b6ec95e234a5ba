/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/timeline_volatility.h"

#include "base/text.h"
#include "view/bar.h"
#include "view/timeline_stack.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static void choose(size_t list[PERIODS_MOST], size_t *count, size_t most, size_t index)
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
    choose(list, &count, most, picture->chosen);
    for (size_t step = 1; step <= known; step *= 2)
        choose(list, &count, most, step - 1);
    for (size_t i = 0; i < known; i++)
        choose(list, &count, most, i);
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
