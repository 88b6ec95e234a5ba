/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The run over time: by object, and below that, collapsed, by function, thread and field, and for
 * the other sampled measures. */
#include <math.h>

#include "view/export/writers.h"
#include "view/widget/chart.h"
#include "view/words.h"

enum {
    CHART_WIDTH = 1000, /* in units of the drawing, like the other sizes */
    SHARES = 220,
    AMOUNTS_TOP = 228,
    AMOUNTS = 40,
    LETTERS = 284,
    HEIGHT = 306,
    PHASES_DRAWN = 60,
    TICKS = 5
};

/* Returns the total share of the first series in a period; 0 if there are no samples. The remaining
 * share is drawn above. */
static double html_timeline_chart_part(const struct timeline_stack *stack, size_t series,
                                       size_t period)
{
    double sum = 0;
    for (size_t i = 0; i < series; i++)
        sum += stack->series[i]->weight[period];
    double of = sum / stack->all[period];
    return stack->all[period] > 0 && html_known(of) ? fmin(fmax(of, 0), 1) : 0;
}

static double html_timeline_chart_x_of(const struct snapshot_timeline *timeline, size_t period)
{
    return (double)period * CHART_WIDTH / (double)timeline->periods;
}

/* Draws steps, because there is one figure per period: the upper edge forwards and the lower edge
 * backwards. */
static void draw_series(struct html_writer *writer, const struct timeline_stack *stack,
                        size_t series)
{
    const struct snapshot_timeline *timeline = &writer->snapshot->timeline;
    bool rest = series == stack->count;
    html_markup(writer, "<path class=\"%s\" d=\"M0 %d",
                rest ? "rest" : html_class(timeline_chart_paint(series)), SHARES);
    for (size_t i = 0; i < timeline->periods; i++) {
        double top = !rest               ? html_timeline_chart_part(stack, series + 1, i)
                     : stack->all[i] > 0 ? 1
                                         : 0;
        html_markup(writer, "L%.1f %.1fH%.1f", html_timeline_chart_x_of(timeline, i),
                    SHARES * (1 - top), html_timeline_chart_x_of(timeline, i + 1));
    }
    for (size_t i = timeline->periods; i-- > 0;)
        html_markup(writer, "V%.1fH%.1f", SHARES * (1 - html_timeline_chart_part(stack, series, i)),
                    html_timeline_chart_x_of(timeline, i));
    html_say(writer, "Z\"><title>%s</title></path>\n",
             rest ? "the rest" : stack->series[series]->name);
}

static void draw_amounts(struct html_writer *writer, const double *all, const char *measure)
{
    const struct snapshot_timeline *timeline = &writer->snapshot->timeline;
    double most = 0;
    for (size_t i = 0; i < timeline->periods; i++)
        if (html_known(all[i]))
            most = fmax(most, all[i]);
    html_markup(writer, "<path class=\"rest\" d=\"M0 %d", AMOUNTS_TOP + AMOUNTS);
    for (size_t i = 0; i < timeline->periods; i++) {
        bool known = most > 0 && html_known(all[i]);
        html_markup(writer, "L%.1f %.1fH%.1f", html_timeline_chart_x_of(timeline, i),
                    AMOUNTS_TOP + AMOUNTS * (1 - (known ? all[i] / most : 0)),
                    html_timeline_chart_x_of(timeline, i + 1));
    }
    html_say(writer, "V%dZ\"><title>amount: %s</title></path>\n", AMOUNTS_TOP + AMOUNTS, measure);
}

static double x_at(const struct snapshot_timeline *timeline, double at_s)
{
    double of = (at_s - timeline->start_s) / (timeline->period_s * (double)timeline->periods);
    return html_known(of) ? fmin(fmax(of, 0), 1) * CHART_WIDTH : 0;
}

static void draw_phases(struct html_writer *writer, const struct snapshot_timeline *timeline)
{
    for (size_t i = 0; i < timeline->phase_count && i < PHASES_DRAWN; i++) {
        const struct snapshot_phase *phase = &timeline->phases[i];
        double from = x_at(timeline, phase->start_s);
        double to = x_at(timeline, phase->end_s);
        if (i)
            html_markup(writer, "<path class=\"cut\" d=\"M%.1f 0V%d\"/>", from, LETTERS);
        html_say(writer, "<text text-anchor=\"middle\" x=\"%.1f\" y=\"%d\">%s</text>\n",
                 (from + to) / 2, LETTERS, phase->name);
    }
}

static void draw_times(struct html_writer *writer, const struct snapshot_timeline *timeline)
{
    char text[32];
    double length = timeline->period_s * (double)timeline->periods;
    for (int i = 0; i <= TICKS; i++) {
        html_say(writer, "<text class=\"dim\" text-anchor=\"%s\" x=\"%d\" y=\"%d\">%s</text>",
                 i == 0       ? "start"
                 : i == TICKS ? "end"
                              : "middle",
                 CHART_WIDTH * i / TICKS, HEIGHT - 6,
                 play_time_text(text, timeline->start_s + length * i / TICKS,
                                timeline->start_s + length));
    }
}

/* Writes the key. Shares are of the run, or of the object with these fields. */
static void write_keys(struct html_writer *writer, const struct timeline_stack *stack)
{
    html_markup(writer, "<ul class=\"keys\">");
    for (size_t i = 0; i < stack->count; i++) {
        double share = stack->series[i]->share / stack->share;
        html_say(writer, "<li><i class=\"key %s\"></i>%s", html_class(timeline_chart_paint(i)),
                 stack->series[i]->name);
        if (html_known(share))
            html_markup(writer, " %.1f%%", share * 100);
        html_markup(writer, "</li>\n");
    }
    html_markup(writer, "<li><i class=\"key rest\"></i>the rest; below: the amount</li></ul>\n");
}

/* Draws a chart with its key below. `label` describes the chart; `measure` names the counted
 * amounts. */
static void html_timeline_chart(struct html_writer *writer, const struct timeline_stack *stack,
                                const char *measure, const char *label)
{
    const struct snapshot_timeline *timeline = &writer->snapshot->timeline;
    html_markup(writer,
                "<div class=\"wide\"><svg class=\"chart\" viewBox=\"0 0 %d %d\" role=\"img\" "
                "aria-label=\"",
                CHART_WIDTH, HEIGHT);
    html_say(writer, "%s\">\n", label);
    for (size_t i = 0; i <= stack->count; i++)
        draw_series(writer, stack, i);
    draw_amounts(writer, stack->all, measure);
    draw_phases(writer, timeline);
    draw_times(writer, timeline);
    html_markup(writer, "</svg></div>\n");
    write_keys(writer, stack);
}

enum { TURNS = 5 };

static void write_turns(struct html_writer *writer, const struct snapshot_timeline *timeline)
{
    const struct snapshot_streams *objects = &snapshot_timeline_ranking(timeline)->objects;
    if (!timeline->turn_count)
        return;
    html_markup(writer, "<h3>Objects that take turns</h3>\n<ul class=\"notes\">\n");
    for (size_t i = 0; i < timeline->turn_count && i < TURNS; i++) {
        const struct snapshot_turns *turns = &timeline->turns[i];
        if (turns->left >= objects->count || turns->right >= objects->count)
            continue;
        html_say(writer, "<li><b>%s</b> has samples when <b>%s</b> has none, and vice versa",
                 objects->list[turns->left].name, objects->list[turns->right].name);
        if (html_known(turns->correlation))
            html_markup(writer, " (correlation %.2f)", turns->correlation);
        html_markup(writer, ".</li>\n");
    }
    html_markup(writer, "</ul>\n");
}

enum { PHASE_ROWS = 60, OBJECTS_OPENED = 3, LABEL_BYTES = 320 };

/* Writes one more chart, collapsed; skips a single series, which equals the total. */
static void write_more(struct html_writer *writer, enum snapshot_measure measure,
                       const struct timeline_stack *stack)
{
    const char *name = measure_name(writer->snapshot, measure);
    char label[LABEL_BYTES];
    if (stack->count < 2 || !stack->all)
        return;
    snprintf(label, sizeof label, "%s by %s%s%.200s", name, stack->title, stack->of ? " of " : "",
             stack->of ? stack->of : "");
    html_say(writer, "<details><summary>%s</summary>\n", label);
    html_timeline_chart(writer, stack, name, label);
    html_markup(writer, "</details>\n");
}

static void write_fields(struct html_writer *writer, enum snapshot_measure measure)
{
    const struct snapshot_measured *measured = &writer->snapshot->timeline.by[measure];
    for (size_t i = 0; i < measured->objects.count && i < OBJECTS_OPENED; i++) {
        struct timeline_stack stack = timeline_stack_fields(measured, &measured->objects.list[i]);
        write_more(writer, measure, &stack);
    }
}

/* Writes all charts except the ranking measure by object, which is shown above. */
static void write_others(struct html_writer *writer)
{
    const struct snapshot_timeline *timeline = &writer->snapshot->timeline;
    for (int i = 0; i < SNAPSHOT_MEASURES; i++) {
        enum snapshot_measure measure =
            (enum snapshot_measure)(((int)timeline->ranks + i) % SNAPSHOT_MEASURES);
        const struct snapshot_measured *measured = &timeline->by[measure];
        struct timeline_stack objects = timeline_stack_of(measured, "object", &measured->objects);
        struct timeline_stack functions =
            timeline_stack_of(measured, "function", &measured->functions);
        struct timeline_stack threads = timeline_stack_of(measured, "thread", &measured->threads);
        if (i)
            write_more(writer, measure, &objects);
        write_more(writer, measure, &functions);
        write_more(writer, measure, &threads);
        write_fields(writer, measure);
    }
}

void html_timeline(struct html_writer *writer)
{
    const struct snapshot_timeline *timeline = &writer->snapshot->timeline;
    const struct snapshot_measured *ranking = snapshot_timeline_ranking(timeline);
    const char *name = measure_name(writer->snapshot, timeline->ranks);
    char reading[PHASES_READING_BYTES];
    char lead[LABEL_BYTES];
    snprintf(lead, sizeof lead,
             "From left to right, the share of each object in the %.100s. A letter names a phase; "
             "similar phases have the same letter.",
             name);
    html_element(writer, "p", "lead", lead);
    struct timeline_stack objects = timeline_stack_of(ranking, "object", &ranking->objects);
    html_timeline_chart(writer, &objects, name, "shares of objects over time");
    phases_reading(timeline, reading, sizeof reading);
    html_element(writer, "p", "says", reading);
    html_rows(writer, &phase_columns, timeline->phases, timeline->phase_count, PHASE_ROWS);
    write_others(writer);
    volatility_words(timeline, NULL, reading, sizeof reading);
    html_element(writer, "p", "says", reading);
    write_turns(writer, timeline);
}
