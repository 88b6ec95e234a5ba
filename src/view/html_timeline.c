/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The run over time: each object's part, one area above the other, how many misses there were, and
 * the phases; declared in html_part.h. */
#include "view/html_part.h"

#include "view/html_table.h"
#include "view/timeline_chart.h"

#include <math.h>

enum {
    WIDTH = 1000, /* units of the drawing, like the rest */
    SHARES = 220,
    AMOUNTS_TOP = 228,
    AMOUNTS = 40,
    LETTERS = 284,
    HEIGHT = 306,
    PHASES_DRAWN = 60,
    PHASE_ROWS = 60,
    TICKS = 5
};

/* Objects with a colour; what stands above them is the rest. */
static size_t series_of(const struct snapshot_timeline *timeline)
{
    return timeline->stream_count < CHART_SERIES ? timeline->stream_count : CHART_SERIES;
}

/* Parts of the first series in a period, together; 0 where nothing missed. */
static double part(const struct snapshot_timeline *timeline, size_t series, size_t period)
{
    double sum = 0;
    for (size_t i = 0; i < series; i++)
        sum += timeline->streams[i].weight[period];
    double of = sum / timeline->all[period];
    return timeline->all[period] > 0 && html_known(of) ? fmin(fmax(of, 0), 1) : 0;
}

static double x_of(const struct snapshot_timeline *timeline, size_t period)
{
    return (double)period * WIDTH / (double)timeline->periods;
}

/* Steps, for what is known is one figure for each period: its upper edge there and its lower edge
 * back. */
static void draw_series(struct html_writer *writer, const struct snapshot_timeline *timeline,
                        size_t series)
{
    bool rest = series == series_of(timeline);
    html_markup(writer, "<path class=\"%s\" d=\"M0 %d",
                rest ? "rest" : html_class(timeline_chart_paint(series)), SHARES);
    for (size_t i = 0; i < timeline->periods; i++) {
        double top = !rest ? part(timeline, series + 1, i) : timeline->all[i] > 0 ? 1 : 0;
        html_markup(writer, "L%.1f %.1fH%.1f", x_of(timeline, i), SHARES * (1 - top),
                    x_of(timeline, i + 1));
    }
    for (size_t i = timeline->periods; i-- > 0;)
        html_markup(writer, "V%.1fH%.1f", SHARES * (1 - part(timeline, series, i)),
                    x_of(timeline, i));
    html_markup(writer, "Z\"><title>");
    html_text(writer, rest ? "the rest" : timeline->streams[series].name);
    html_markup(writer, "</title></path>\n");
}

static void draw_amounts(struct html_writer *writer, const struct snapshot_timeline *timeline)
{
    double most = 0;
    for (size_t i = 0; i < timeline->periods; i++)
        if (html_known(timeline->all[i]))
            most = fmax(most, timeline->all[i]);
    html_markup(writer, "<path class=\"rest\" d=\"M0 %d", AMOUNTS_TOP + AMOUNTS);
    for (size_t i = 0; i < timeline->periods; i++) {
        bool known = most > 0 && html_known(timeline->all[i]);
        html_markup(writer, "L%.1f %.1fH%.1f", x_of(timeline, i),
                    AMOUNTS_TOP + AMOUNTS * (1 - (known ? timeline->all[i] / most : 0)),
                    x_of(timeline, i + 1));
    }
    html_markup(writer, "V%dZ\"><title>how many misses there were</title></path>\n",
                AMOUNTS_TOP + AMOUNTS);
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

static void write_keys(struct html_writer *writer, const struct snapshot_timeline *timeline)
{
    html_markup(writer, "<ul class=\"keys\">");
    for (size_t i = 0; i < series_of(timeline); i++) {
        html_markup(writer, "<li><i class=\"key %s\"></i>", html_class(timeline_chart_paint(i)));
        html_text(writer, timeline->streams[i].name);
        if (html_known(timeline->streams[i].share))
            html_markup(writer, " %.1f%%", timeline->streams[i].share * 100);
        html_markup(writer, "</li>\n");
    }
    html_markup(writer, "<li><i class=\"key rest\"></i>the rest; below: how many misses</li>"
                        "</ul>\n");
}

void html_timeline(struct html_writer *writer)
{
    const struct snapshot_timeline *timeline = &writer->snapshot->timeline;
    if (timeline->periods < 2 || !html_known(timeline->start_s) ||
        !html_known(timeline->period_s) || !(timeline->period_s > 0))
        return;
    html_section(writer, "time", "The run over time",
                 "From left to right, the part of the misses that fell on each object. A letter "
                 "names a phase: phases of one letter are alike.");
    html_markup(writer,
                "<div class=\"wide\"><svg class=\"chart\" viewBox=\"0 0 %d %d\" role=\"img\" "
                "aria-label=\"parts of the misses over time\">\n",
                WIDTH, HEIGHT);
    for (size_t i = 0; i <= series_of(timeline); i++)
        draw_series(writer, timeline, i);
    draw_amounts(writer, timeline);
    draw_phases(writer, timeline);
    draw_times(writer, timeline);
    html_markup(writer, "</svg></div>\n");
    write_keys(writer, timeline);
    html_element(writer, "p", "says", timeline->reading);
    html_table(writer, &(struct html_table){.columns = &phase_columns,
                                            .rows = timeline->phases,
                                            .count = timeline->phase_count,
                                            .most = PHASE_ROWS});
    html_volatility(writer);
    html_section_end(writer);
}
