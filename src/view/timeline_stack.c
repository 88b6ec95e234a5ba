/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/timeline_stack.h"

#include <stdio.h>

static const struct snapshot_stream *stream_of(const struct snapshot_streams *objects,
                                               uint32_t object)
{
    for (size_t i = 0; i < objects->count; i++)
        if (objects->list[i].object == object && object != UINT32_MAX)
            return &objects->list[i];
    return NULL;
}

enum snapshot_measure timeline_measure(const struct browser *browser)
{
    return browser->timeline.chosen ? browser->timeline.measure : browser->snapshot->timeline.ranks;
}

static const struct snapshot_measured *measured(const struct browser *browser)
{
    return &browser->snapshot->timeline.by[timeline_measure(browser)];
}

bool timeline_is_sampled(const struct browser *browser)
{
    return measured(browser)->all;
}

static const struct snapshot_stream *object_by(const struct browser *browser,
                                               const struct snapshot_streams *objects)
{
    const struct snapshot *snapshot = browser->snapshot;
    const struct snapshot_object *opened = browser->detail.chosen ? browser->detail.object : NULL;
    const struct snapshot_phase *phase = table_selected(&browser->timeline.phases);
    const struct snapshot_stream *stream = NULL;
    if (opened)
        stream = stream_of(objects, (uint32_t)(opened - snapshot->objects));
    if (!stream && phase)
        stream = stream_of(objects, phase->object);
    return stream || !objects->count ? stream : &objects->list[0];
}

const struct snapshot_stream *timeline_object(const struct browser *browser)
{
    return object_by(browser, &snapshot_timeline_ranking(&browser->snapshot->timeline)->objects);
}

struct timeline_stack timeline_stack(const struct browser *browser)
{
    const struct snapshot_measured *shown = measured(browser);
    switch (browser->timeline.stacked) {
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

void timeline_legend(const struct browser *browser, const struct timeline_stack *stack,
                     struct canvas *canvas, struct area area)
{
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
    if (browser->timeline.stacked == STACK_FIELDS && stack->of && row < area.rows) {
        struct area words = {area.row + row, area.column, area.rows - row, area.columns};
        canvas_wrap(canvas, words, PAINT_DIM,
                    "Fields are known from when the object leads; what was before is in the rest.");
    }
    if (browser->timeline.stacked != STACK_OBJECTS || timeline_measure(browser) != timeline->ranks)
        return;
    for (size_t i = 0; i < timeline->turn_count && row + 1 < area.rows; i++) {
        const struct snapshot_turns *turns = &timeline->turns[i];
        if (turns->left < CHART_SERIES && turns->right < CHART_SERIES)
            draw_turns(turns, canvas, area.row + ++row, area.column, area.columns);
    }
}
