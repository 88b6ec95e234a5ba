/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The run over time: by object, and below that, collapsed, by function, thread and field, and for
 * the other sampled measures. */
#include <math.h>

#include "view/export/writers.h"
#include "view/widget/chart.h"
#include "view/words.h"

enum { CHART_ROWS = 16 };

/* Writes the key. Shares are of the run, or of the object with these fields. */
static void write_keys(struct html_writer *writer, const struct timeline_stack *stack)
{
    html_markup(writer, "<ul class=\"keys\">");
    for (size_t i = 0; i < stack->count; i++) {
        double share = stack->series[i]->share / stack->share;
        html_printf(writer, "<li><i class=\"key %s\"></i>%s", html_class(timeline_chart_paint(i)),
                    stack->series[i]->name);
        if (html_known(share))
            html_markup(writer, " %.1f%%", share * 100);
        html_markup(writer, "</li>\n");
    }
    html_markup(writer, "<li><i class=\"key rest\"></i>the rest; below: the amount</li></ul>\n");
}

/* Draws a chart with its key below. `label` describes the chart. */
static void html_timeline_chart(struct html_writer *writer, const struct timeline_stack *stack,
                                const char *label)
{
    struct canvas canvas;
    struct timeline_chart chart =
        timeline_chart(&writer->snapshot->timeline, 0, 0, HTML_PICTURE_COLUMNS);
    chart.stack = *stack;
    if (canvas_init(&canvas, CHART_ROWS, HTML_PICTURE_COLUMNS, false))
        return;
    timeline_chart_draw(&chart, &canvas, (struct area){0, 0, CHART_ROWS, HTML_PICTURE_COLUMNS});
    html_picture(writer, &canvas, CHART_ROWS, label);
    write_keys(writer, stack);
}

enum { TURNS = 5 };

static void write_turns(struct html_writer *writer, const struct snapshot_timeline *timeline)
{
    const struct snapshot_streams *objects = &snapshot_timeline_ranking(timeline)->objects;
    if (!timeline->alternation_count)
        return;
    html_markup(writer, "<h3>Objects that take turns</h3>\n<ul class=\"notes\">\n");
    for (size_t i = 0; i < timeline->alternation_count && i < TURNS; i++) {
        const struct snapshot_alternation *turns = &timeline->alternations[i];
        if (turns->left >= objects->count || turns->right >= objects->count)
            continue;
        html_printf(writer, "<li><b>%s</b> has samples when <b>%s</b> has none, and vice versa",
                    objects->list[turns->left].name, objects->list[turns->right].name);
        if (html_known(turns->correlation))
            html_markup(writer, " (correlation %.2f)", turns->correlation);
        html_markup(writer, ".</li>\n");
    }
    html_markup(writer, "</ul>\n");
}

enum { PHASE_ROWS = 60, OBJECTS_OPENED = 3, LABEL_BYTES = 320 };

/* Writes one more chart, collapsed; skips a single series, which equals the total. */
static void write_collapsed_chart(struct html_writer *writer, enum snapshot_measure measure,
                                  const struct timeline_stack *stack)
{
    const char *name = measure_name(writer->snapshot, measure);
    char label[LABEL_BYTES];
    if (stack->count < 2 || !stack->all)
        return;
    snprintf(label, sizeof label, "%s by %s%s%.200s", name, stack->title, stack->of ? " of " : "",
             stack->of ? stack->of : "");
    html_printf(writer, "<details><summary>%s</summary>\n", label);
    html_timeline_chart(writer, stack, label);
    html_markup(writer, "</details>\n");
}

static void write_fields(struct html_writer *writer, enum snapshot_measure measure)
{
    const struct snapshot_measured *measured = &writer->snapshot->timeline.by_measure[measure];
    for (size_t i = 0; i < measured->objects.count && i < OBJECTS_OPENED; i++) {
        struct timeline_stack stack = timeline_stack_fields(measured, &measured->objects.list[i]);
        write_collapsed_chart(writer, measure, &stack);
    }
}

/* Writes all charts except the ranking measure by object, which is shown above. */
static void write_collapsed_charts(struct html_writer *writer)
{
    const struct snapshot_timeline *timeline = &writer->snapshot->timeline;
    for (int i = 0; i < SNAPSHOT_MEASURES; i++) {
        enum snapshot_measure measure =
            (enum snapshot_measure)(((int)timeline->ranking_measure + i) % SNAPSHOT_MEASURES);
        const struct snapshot_measured *measured = &timeline->by_measure[measure];
        struct timeline_stack objects = timeline_stack_of(measured, "object", &measured->objects);
        struct timeline_stack functions =
            timeline_stack_of(measured, "function", &measured->functions);
        struct timeline_stack threads = timeline_stack_of(measured, "thread", &measured->threads);
        if (i)
            write_collapsed_chart(writer, measure, &objects);
        write_collapsed_chart(writer, measure, &functions);
        write_collapsed_chart(writer, measure, &threads);
        write_fields(writer, measure);
    }
}

void html_timeline(struct html_writer *writer)
{
    const struct snapshot_timeline *timeline = &writer->snapshot->timeline;
    const struct snapshot_measured *ranking = snapshot_timeline_ranking(timeline);
    const char *name = measure_name(writer->snapshot, timeline->ranking_measure);
    char reading[PHASES_READING_BYTES];
    char lead[LABEL_BYTES];
    snprintf(lead, sizeof lead,
             "From left to right, the share of each object in the %.100s. A letter names a phase; "
             "similar phases have the same letter.",
             name);
    html_element(writer, "p", "lead", lead);
    struct timeline_stack objects = timeline_stack_of(ranking, "object", &ranking->objects);
    html_timeline_chart(writer, &objects, "shares of objects over time");
    phases_reading(timeline, reading, sizeof reading);
    html_element(writer, "p", "says", reading);
    html_rows(writer, &phase_columns, timeline->phases, timeline->phase_count, PHASE_ROWS);
    write_collapsed_charts(writer);
    volatility_words(timeline, NULL, reading, sizeof reading);
    html_element(writer, "p", "says", reading);
    write_turns(writer, timeline);
}
