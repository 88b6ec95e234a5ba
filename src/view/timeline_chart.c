/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/timeline_chart.h"

#include "view/bar.h"

#include <math.h>

static void add(struct timeline_stack *stack, const struct snapshot_stream *stream)
{
    if (stack->count < CHART_SERIES)
        stack->series[stack->count++] = stream;
}

struct timeline_stack timeline_stack_of(const struct snapshot_measured *measured, const char *title,
                                        const struct snapshot_streams *streams)
{
    struct timeline_stack stack = {.all = measured->all, .share = 1, .title = title};
    for (size_t i = 0; i < streams->count; i++)
        add(&stack, &streams->list[i]);
    return stack;
}

struct timeline_stack timeline_stack_fields(const struct snapshot_measured *measured,
                                            const struct snapshot_stream *object)
{
    struct timeline_stack stack = {.all = measured->all, .share = 1, .title = "fields"};
    if (!object)
        return stack;
    stack.all = object->weight;
    stack.share = object->share;
    stack.of = object->name;
    for (size_t i = 0; i < measured->fields.count; i++)
        if (measured->fields.list[i].object == object->object)
            add(&stack, &measured->fields.list[i]);
    return stack;
}

struct timeline_chart timeline_chart(const struct snapshot_timeline *timeline, double from_s,
                                     double to_s, int columns)
{
    struct timeline_chart chart = {
        .timeline = timeline, .end = timeline->periods, .columns = columns};
    if (!timeline->periods || columns < 1 || !(to_s > from_s))
        return chart;
    double first = floor((from_s - timeline->start_s) / timeline->period_s);
    double end = ceil((to_s - timeline->start_s) / timeline->period_s);
    chart.first = first > 0 ? (size_t)first : 0;
    chart.first = chart.first < timeline->periods ? chart.first : timeline->periods - 1;
    chart.end = end > 0 ? (size_t)end : 0;
    chart.end = chart.end < timeline->periods ? chart.end : timeline->periods;
    if (chart.end <= chart.first)
        chart.end = chart.first + 1;
    return chart;
}

/* Periods [*first, *end) stand in a column. */
static void periods_of(const struct timeline_chart *chart, int column, size_t *first, size_t *end)
{
    size_t count = chart->end - chart->first;
    *first = chart->first + (size_t)column * count / (size_t)chart->columns;
    *end = chart->first + ((size_t)column + 1) * count / (size_t)chart->columns;
    if (*end <= *first)
        *end = *first + 1;
}

int timeline_chart_column(const struct timeline_chart *chart, double at_s)
{
    const struct snapshot_timeline *timeline = chart->timeline;
    double period = (at_s - timeline->start_s) / timeline->period_s - (double)chart->first;
    double column = period * chart->columns / (double)(chart->end - chart->first);
    return column < 0 ? 0 : column > chart->columns ? chart->columns : (int)column;
}

double timeline_chart_time(const struct timeline_chart *chart, int column)
{
    const struct snapshot_timeline *timeline = chart->timeline;
    double periods = (double)(chart->end - chart->first) * column / chart->columns;
    return timeline->start_s + ((double)chart->first + periods) * timeline->period_s;
}

double timeline_sum(const double *weight, size_t first, size_t end)
{
    double total = 0;
    for (size_t i = first; i < end; i++)
        total += weight[i];
    return total;
}

enum paint timeline_chart_paint(size_t series)
{
    return series < CHART_SERIES ? (enum paint)(PAINT_SERIES_0 + series) : PAINT_DIM;
}

const char *timeline_chart_mark(size_t series, bool ascii)
{
    static const char *const letters[CHART_SERIES] = {"a", "b", "c", "d", "e", "f"};
    if (series >= CHART_SERIES)
        return ascii ? "." : "░";
    return ascii ? letters[series] : "█";
}

/* From the bottom: what has most misses in the run, the next, and what is left. */
static void draw_column(const struct timeline_chart *chart, struct canvas *canvas, struct area area,
                        int column)
{
    const struct timeline_stack *stack = &chart->stack;
    size_t first;
    size_t end;
    periods_of(chart, column, &first, &end);
    double all = timeline_sum(stack->all, first, end);
    size_t series = 0;
    double filled = 0;
    for (int row = 0; all > 0 && row < area.rows; row++) {
        double middle = (row + 0.5) / area.rows;
        while (series < stack->count) {
            double part = timeline_sum(stack->series[series]->weight, first, end) / all;
            if (middle < filled + part)
                break;
            filled += part;
            series++;
        }
        size_t shown = series < stack->count ? series : (size_t)CHART_SERIES;
        canvas_text(canvas, area.row + area.rows - 1 - row, area.column + column, 1,
                    timeline_chart_paint(shown), timeline_chart_mark(shown, canvas->ascii));
    }
}

static void draw_amounts(const struct timeline_chart *chart, struct canvas *canvas, int row,
                         int start)
{
    double most = 0;
    size_t first;
    size_t end;
    for (int i = 0; i < chart->columns; i++) {
        periods_of(chart, i, &first, &end);
        most = fmax(most, timeline_sum(chart->stack.all, first, end) / (double)(end - first));
    }
    for (int i = 0; i < chart->columns; i++) {
        periods_of(chart, i, &first, &end);
        double mean = timeline_sum(chart->stack.all, first, end) / (double)(end - first);
        canvas_text(canvas, row, start + i, 1, PAINT_DIM,
                    bar_step(most > 0 ? mean / most : 0, canvas->ascii));
    }
}

/* The letter in the middle of each stretch, a bar where it begins. */
static void draw_phases(const struct timeline_chart *chart, struct canvas *canvas, int row,
                        int start)
{
    const struct snapshot_timeline *timeline = chart->timeline;
    for (size_t i = 0; i < timeline->phase_count; i++) {
        const struct snapshot_phase *phase = &timeline->phases[i];
        int from = timeline_chart_column(chart, phase->start_s);
        int to = timeline_chart_column(chart, phase->end_s);
        if (from < chart->columns && i)
            canvas_text(canvas, row, start + from, 1, PAINT_WARN, canvas->ascii ? "|" : "▏");
        if (to > from && *phase->name)
            canvas_text(canvas, row, start + (from + to) / 2, 1, PAINT_STRONG, phase->name);
    }
}

void timeline_chart_draw(const struct timeline_chart *chart, struct canvas *canvas,
                         struct area area)
{
    struct area shares = {area.row, area.column, area.rows - 2, area.columns};
    if (!chart->timeline->periods || chart->columns < 1)
        return;
    for (int i = 0; i < chart->columns && shares.rows > 0; i++)
        draw_column(chart, canvas, shares, i);
    draw_amounts(chart, canvas, area.row + area.rows - 2, area.column);
    draw_phases(chart, canvas, area.row + area.rows - 1, area.column);
}
