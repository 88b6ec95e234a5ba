/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How much the misses change from one period to the next, by how long a period is, and objects that
 * take turns: the end of the section on time; declared in html_part.h. */
#include "view/html_part.h"

#include "view/html_table.h"

#include <math.h>

enum {
    WIDTH = 640, /* units of the drawing, like the rest */
    LEFT = 44,
    TOP = 10,
    PLOT = 150,
    FOOT = 30,
    LINES = 4,
    TURNS = 5
};

static bool usable(const struct snapshot_volatility *point)
{
    return html_known(point->period_s) && point->period_s > 0 && html_known(point->value) &&
           point->value >= 0;
}

/* On a scale by ratio, for periods of interest lie between a base period and the whole run. */
static double x_of(const struct snapshot_timeline *timeline, double period_s)
{
    double first = log(timeline->profile[0].period_s);
    double last = log(timeline->profile[timeline->profile_count - 1].period_s);
    double part = last > first ? (log(period_s) - first) / (last - first) : 0.5;
    return LEFT + fmin(fmax(part, 0), 1) * (WIDTH - LEFT - TOP);
}

static double y_of(double value)
{
    return TOP + PLOT * (1 - fmin(fmax(value, 0), 1));
}

static void draw_scale(struct html_writer *writer, const struct snapshot_timeline *timeline)
{
    for (int i = 0; i <= LINES; i++) {
        double value = (double)i / LINES;
        html_markup(writer,
                    "<path class=\"frame\" d=\"M%d %.1fH%d\"/><text class=\"dim\" "
                    "text-anchor=\"end\" x=\"%d\" y=\"%.1f\">%.0f%%</text>\n",
                    LEFT, y_of(value), WIDTH - TOP, LEFT - 6, y_of(value) + 4, value * 100);
    }
    const double ends[] = {timeline->profile[0].period_s,
                           timeline->profile[timeline->profile_count - 1].period_s};
    for (int i = 0; i < 2; i++)
        html_markup(writer,
                    "<text class=\"dim\" text-anchor=\"%s\" x=\"%.1f\" y=\"%d\">%.3g s</text>\n",
                    i ? "end" : "start", x_of(timeline, ends[i]), TOP + PLOT + FOOT - 10, ends[i]);
}

static void draw_curve(struct html_writer *writer, const struct snapshot_timeline *timeline)
{
    html_markup(writer, "<path class=\"curve\" d=\"");
    for (size_t i = 0; i < timeline->profile_count; i++)
        html_markup(writer, "%c%.1f %.1f", i ? 'L' : 'M',
                    x_of(timeline, timeline->profile[i].period_s),
                    y_of(timeline->profile[i].value));
    html_markup(writer, "\"/>\n");
    if (html_known(timeline->period_s) && timeline->period_s > 0)
        html_markup(writer,
                    "<path class=\"cut\" d=\"M%.1f %dV%d\"><title>the period of the chart "
                    "above</title></path>\n",
                    x_of(timeline, timeline->period_s), TOP, TOP + PLOT);
}

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
        html_markup(writer, "<li><b>");
        html_text(writer, objects->list[turns->left].name);
        html_markup(writer, "</b> has samples when <b>");
        html_text(writer, objects->list[turns->right].name);
        html_markup(writer, "</b> has none, and the other way round");
        if (html_known(turns->correlation))
            html_markup(writer, " (correlation %.2f)", turns->correlation);
        html_markup(writer, ".</li>\n");
    }
    html_markup(writer, "</ul>\n");
}

void html_volatility(struct html_writer *writer)
{
    const struct snapshot_timeline *timeline = &writer->snapshot->timeline;
    bool known = timeline->profile_count > 1;
    for (size_t i = 0; i < timeline->profile_count; i++)
        known = known && usable(&timeline->profile[i]);
    if (known) {
        html_markup(writer,
                    "<h3>How much it changes</h3>\n<p class=\"lead\">From left to right the length "
                    "of a period, upwards how much an object's samples differ from one such period "
                    "to the next (nine times out of ten by less). High on the left and low on the "
                    "right is noise; a dip or a hill is a rhythm of the program. The dashed line "
                    "is the period of the chart above.</p>\n<div class=\"wide\"><svg "
                    "class=\"chart small\" viewBox=\"0 0 %d %d\" role=\"img\" "
                    "aria-label=\"volatility by period\">\n",
                    WIDTH, TOP + PLOT + FOOT);
        draw_scale(writer, timeline);
        draw_curve(writer, timeline);
        html_markup(writer, "</svg></div>\n");
    }
    write_turns(writer, timeline);
}
