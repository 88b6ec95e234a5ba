/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/html_timeline_chart.h"

#include "view/html_table.h"

#include <math.h>

enum {
    WIDTH = 1000, /* units of the drawing, like the rest */
    SHARES = 220,
    AMOUNTS_TOP = 228,
    AMOUNTS = 40,
    LETTERS = 284,
    HEIGHT = 306,
    PHASES_DRAWN = 60,
    TICKS = 5
};

/* Parts of the first series in a period, together; 0 where there is nothing. What stands above them
 * is the rest. */
static double part(const struct timeline_stack *stack, size_t series, size_t period)
{
    double sum = 0;
    for (size_t i = 0; i < series; i++)
        sum += stack->series[i]->weight[period];
    double of = sum / stack->all[period];
    return stack->all[period] > 0 && html_known(of) ? fmin(fmax(of, 0), 1) : 0;
}

static double x_of(const struct snapshot_timeline *timeline, size_t period)
{
    return (double)period * WIDTH / (double)timeline->periods;
}

/* Steps, for what is known is one figure for each period: its upper edge there and its lower edge
 * back. */
static void draw_series(struct html_writer *writer, const struct timeline_stack *stack,
                        size_t series)
{
    const struct snapshot_timeline *timeline = &writer->snapshot->timeline;
    bool rest = series == stack->count;
    html_markup(writer, "<path class=\"%s\" d=\"M0 %d",
                rest ? "rest" : html_class(timeline_chart_paint(series)), SHARES);
    for (size_t i = 0; i < timeline->periods; i++) {
        double top = !rest ? part(stack, series + 1, i) : stack->all[i] > 0 ? 1 : 0;
        html_markup(writer, "L%.1f %.1fH%.1f", x_of(timeline, i), SHARES * (1 - top),
                    x_of(timeline, i + 1));
    }
    for (size_t i = timeline->periods; i-- > 0;)
        html_markup(writer, "V%.1fH%.1f", SHARES * (1 - part(stack, series, i)), x_of(timeline, i));
    html_markup(writer, "Z\"><title>");
    html_text(writer, rest ? "the rest" : stack->series[series]->name);
    html_markup(writer, "</title></path>\n");
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
        html_markup(writer, "L%.1f %.1fH%.1f", x_of(timeline, i),
                    AMOUNTS_TOP + AMOUNTS * (1 - (known ? all[i] / most : 0)),
                    x_of(timeline, i + 1));
    }
    html_markup(writer, "V%dZ\"><title>how much there was: ", AMOUNTS_TOP + AMOUNTS);
    html_text(writer, measure);
    html_markup(writer, "</title></path>\n");
}

static double x_at(const struct snapshot_timeline *timeline, double at_s)
{
    double of = (at_s - timeline->start_s) / (timeline->period_s * (double)timeline->periods);
    return html_known(of) ? fmin(fmax(of, 0), 1) * WIDTH : 0;
}

static void draw_phases(struct html_writer *writer, const struct snapshot_timeline *timeline)
{
    for (size_t i = 0; i < timeline->phase_count && i < PHASES_DRAWN; i++) {
        const struct snapshot_phase *phase = &timeline->phases[i];
        double from = x_at(timeline, phase->start_s);
        double to = x_at(timeline, phase->end_s);
        if (i)
            html_markup(writer, "<path class=\"cut\" d=\"M%.1f 0V%d\"/>", from, LETTERS);
        html_markup(writer, "<text text-anchor=\"middle\" x=\"%.1f\" y=\"%d\">", (from + to) / 2,
                    LETTERS);
        html_text(writer, phase->name);
        html_markup(writer, "</text>\n");
    }
}

static void draw_times(struct html_writer *writer, const struct snapshot_timeline *timeline)
{
    char text[32];
    double length = timeline->period_s * (double)timeline->periods;
    for (int i = 0; i <= TICKS; i++) {
        html_markup(writer, "<text class=\"dim\" text-anchor=\"%s\" x=\"%d\" y=\"%d\">",
                    i == 0       ? "start"
                    : i == TICKS ? "end"
                                 : "middle",
                    WIDTH * i / TICKS, HEIGHT - 6);
        html_text(writer, play_time_text(text, timeline->start_s + length * i / TICKS,
                                         timeline->start_s + length));
        html_markup(writer, "</text>");
    }
}

/* Their parts are of the run, or of the object whose fields they are. */
static void write_keys(struct html_writer *writer, const struct timeline_stack *stack)
{
    html_markup(writer, "<ul class=\"keys\">");
    for (size_t i = 0; i < stack->count; i++) {
        double share = stack->series[i]->share / stack->share;
        html_markup(writer, "<li><i class=\"key %s\"></i>", html_class(timeline_chart_paint(i)));
        html_text(writer, stack->series[i]->name);
        if (html_known(share))
            html_markup(writer, " %.1f%%", share * 100);
        html_markup(writer, "</li>\n");
    }
    html_markup(writer, "<li><i class=\"key rest\"></i>the rest; below: how much there was</li>"
                        "</ul>\n");
}

void html_timeline_chart(struct html_writer *writer, const struct timeline_stack *stack,
                         const char *measure, const char *label)
{
    const struct snapshot_timeline *timeline = &writer->snapshot->timeline;
    html_markup(writer,
                "<div class=\"wide\"><svg class=\"chart\" viewBox=\"0 0 %d %d\" role=\"img\" "
                "aria-label=\"",
                WIDTH, HEIGHT);
    html_text(writer, label);
    html_markup(writer, "\">\n");
    for (size_t i = 0; i <= stack->count; i++)
        draw_series(writer, stack, i);
    draw_amounts(writer, stack->all, measure);
    draw_phases(writer, timeline);
    draw_times(writer, timeline);
    html_markup(writer, "</svg></div>\n");
    write_keys(writer, stack);
}
