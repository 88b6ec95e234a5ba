/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/timeline_stack.h"

#include <stdio.h>

static const struct snapshot_stream *stream_of(const struct snapshot_timeline *timeline,
                                               uint32_t object)
{
    for (size_t i = 0; i < timeline->stream_count; i++)
        if (timeline->streams[i].object == object && object != UINT32_MAX)
            return &timeline->streams[i];
    return NULL;
}

const struct snapshot_stream *timeline_object(const struct browser *browser)
{
    const struct snapshot *snapshot = browser->snapshot;
    const struct snapshot_timeline *timeline = &snapshot->timeline;
    const struct snapshot_object *opened = browser->detail.chosen ? browser->detail.object : NULL;
    const struct snapshot_phase *phase = table_selected(&browser->timeline.phases);
    const struct snapshot_stream *stream = NULL;
    if (opened)
        stream = stream_of(timeline, (uint32_t)(opened - snapshot->objects));
    if (!stream && phase)
        stream = stream_of(timeline, phase->object);
    return stream || !timeline->stream_count ? stream : &timeline->streams[0];
}

static void add(struct timeline_stack *stack, const struct snapshot_stream *stream)
{
    if (stack->count < CHART_SERIES)
        stack->series[stack->count++] = stream;
}

static struct timeline_stack stack_of(const struct snapshot_timeline *timeline, const char *title,
                                      const struct snapshot_stream *list, size_t count)
{
    struct timeline_stack stack = {.all = timeline->all, .share = 1, .title = title};
    for (size_t i = 0; i < count; i++)
        add(&stack, &list[i]);
    return stack;
}

static struct timeline_stack fields_of(const struct snapshot_timeline *timeline,
                                       const struct snapshot_stream *object)
{
    struct timeline_stack stack = {.all = timeline->all, .share = 1, .title = "fields"};
    if (!object)
        return stack;
    stack.all = object->weight;
    stack.share = object->share;
    stack.of = object->name;
    for (size_t i = 0; i < timeline->fields.count; i++)
        if (timeline->fields.list[i].object == object->object)
            add(&stack, &timeline->fields.list[i]);
    return stack;
}

struct timeline_stack timeline_stack(const struct browser *browser)
{
    const struct snapshot_timeline *timeline = &browser->snapshot->timeline;
    switch (browser->timeline.stacked) {
    case STACK_FUNCTIONS:
        return stack_of(timeline, "functions", timeline->functions.list, timeline->functions.count);
    case STACK_FIELDS:
        return fields_of(timeline, timeline_object(browser));
    case STACK_THREADS:
        return stack_of(timeline, "threads", timeline->threads.list, timeline->threads.count);
    default:
        return stack_of(timeline, "objects", timeline->streams, timeline->stream_count);
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
    if (browser->timeline.stacked == STACK_FIELDS && stack->of && row < area.rows) {
        struct area words = {area.row + row, area.column, area.rows - row, area.columns};
        canvas_wrap(canvas, words, PAINT_DIM,
                    "Fields are known from when the object leads; what was before is in the rest.");
    }
    if (browser->timeline.stacked != STACK_OBJECTS)
        return;
    for (size_t i = 0; i < timeline->turn_count && row + 1 < area.rows; i++) {
        const struct snapshot_turns *turns = &timeline->turns[i];
        if (turns->left < CHART_SERIES && turns->right < CHART_SERIES)
            draw_turns(turns, canvas, area.row + ++row, area.column, area.columns);
    }
}
