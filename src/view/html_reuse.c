/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What caches of any size would miss, as curves and tables; declared in html_part.h. */
#include "view/html_part.h"

#include "view/html_table.h"
#include "view/reuse_words.h"

#include <math.h>

enum { WIDTH = 640, LEFT = 44, TOP = 22, PLOT = 130, FOOT = 24, ROWS = 15, OPENED = 5 };

static double x_of(double size_bytes)
{
    double part = 2 * log2(size_bytes / snapshot_reuse_size(0)) / (REUSE_POINTS - 1);
    return LEFT + fmin(fmax(part, 0), 1) * (WIDTH - LEFT - 10);
}

static double y_of(double part, double top)
{
    return TOP + PLOT * (1 - fmin(fmax(part / top, 0), 1));
}

static void draw_curve(struct html_writer *writer, const struct snapshot_reuse_row *row, double top,
                       const char *class)
{
    html_markup(writer, "<path class=\"%s\" d=\"", class);
    for (unsigned i = 0; i < REUSE_POINTS; i++)
        html_markup(writer, "%c%.1f %.1f", i ? 'L' : 'M', x_of(snapshot_reuse_size(i)),
                    y_of(html_known(row->miss[i].value) ? row->miss[i].value : 0, top));
    html_markup(writer, "\"/>\n");
}

static void draw_axes(struct html_writer *writer, const struct snapshot_reuse *reuse, double top)
{
    enum { LINES = 2, EVERY = 4 };
    char text[16];
    for (int i = 0; i <= LINES; i++)
        html_markup(writer,
                    "<path class=\"frame\" d=\"M%d %.1fH%d\"/><text class=\"dim\" "
                    "text-anchor=\"end\" x=\"%d\" y=\"%.1f\">%.3g%%</text>\n",
                    LEFT, y_of(top * i / LINES, top), WIDTH - 10, LEFT - 6,
                    y_of(top * i / LINES, top) + 4, 100 * top * i / LINES);
    for (unsigned i = 0; i < REUSE_POINTS; i += EVERY)
        html_markup(writer,
                    "<text class=\"dim\" text-anchor=\"middle\" x=\"%.1f\" y=\"%d\">%s</text>\n",
                    x_of(snapshot_reuse_size(i)), TOP + PLOT + FOOT - 8,
                    reuse_size_text(text, snapshot_reuse_size(i)));
    for (size_t i = 0; i < reuse->mark_count; i++) {
        double x = x_of((double)reuse->marks[i].size_bytes);
        html_markup(writer,
                    "<path class=\"cut\" d=\"M%.1f %dV%d\"/><text class=\"dim\" x=\"%.1f\" "
                    "y=\"%d\">",
                    x, TOP, TOP + PLOT, x + 3, TOP - 6);
        html_text(writer, reuse->marks[i].name);
        html_markup(writer, "</text>\n");
    }
}

static void draw(struct html_writer *writer, const struct snapshot_reuse *reuse,
                 const struct snapshot_reuse_row *row)
{
    double top = fmax(fmax(row->miss[0].value, reuse->all.miss[0].value), 0.01);
    html_markup(writer,
                "<div class=\"wide\"><svg class=\"chart small\" viewBox=\"0 0 %d %d\" "
                "role=\"img\" aria-label=\"part missed, by size of the cache\">\n",
                WIDTH, TOP + PLOT + FOOT);
    draw_axes(writer, reuse, top);
    draw_curve(writer, &reuse->all, top, "other");
    draw_curve(writer, row, top, "curve");
    html_markup(writer, "</svg></div>\n");
}

static void write_row(struct html_writer *writer, const struct snapshot_reuse_row *row, bool open)
{
    const struct snapshot_reuse *reuse = &writer->snapshot->reuse;
    char text[512];
    reuse_advice(reuse, row, text, sizeof text);
    html_markup(writer, "<details%s><summary><span class=\"strong\">",
                open ? " open=\"open\"" : "");
    html_text(writer, row->name);
    html_markup(writer, "</span></summary>\n");
    html_element(writer, "p", "says", text);
    draw(writer, reuse, row);
    html_markup(writer, "</details>\n");
}

void html_reuse(struct html_writer *writer)
{
    const struct snapshot_reuse *reuse = &writer->snapshot->reuse;
    if (!reuse->told)
        return;
    html_section(writer, "reuse", "What other caches would miss",
                 "How many other lines are used before a line is used again tells what a cache of "
                 "any size misses, if any line can go anywhere in it. The dashed curve is that of "
                 "all accesses.");
    html_table(writer, &(struct html_table){.columns = &reuse_columns,
                                            .rows = reuse->objects,
                                            .count = reuse->object_count,
                                            .most = ROWS});
    for (size_t i = 0; i < reuse->object_count && i < OPENED; i++)
        write_row(writer, &reuse->objects[i], i == 0);
    html_table(writer, &(struct html_table){.columns = &reuse_line_columns,
                                            .rows = reuse->lines,
                                            .count = reuse->line_count,
                                            .most = ROWS});
    html_section_end(writer);
}
