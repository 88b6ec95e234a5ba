/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/reuse_curve.h"

#include "view/bar.h"
#include "view/reuse_words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LABEL = 6, ROWS_LEAST = 4, SIZE_COLUMNS = 6 };

/* Where things stand: the plot without its labels. */
struct plot {
    struct canvas *canvas;
    struct area area;
    double top;  /* part missed at the upper end */
    double last; /* point at the right end */
};

/* The upper end of an axis. */
static double round_up(double part)
{
    static const double steps[] = {0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (part <= steps[i])
            return steps[i];
    return 1;
}

/* Beyond the largest cache marked nobody looks, unless something changes there. */
static double last_point(const struct snapshot_reuse *reuse, const struct snapshot_reuse_row *row)
{
    double largest = 0;
    for (size_t i = 0; i < reuse->mark_count; i++)
        largest = fmax(largest, (double)reuse->marks[i].size_bytes);
    double point = 2 * log2(fmax(largest, 65536) / snapshot_reuse_size(0)) + 3;
    for (unsigned i = 0; i + 1 < REUSE_POINTS; i++)
        if (row->miss[i].value > row->miss[REUSE_POINTS - 1].value + 0.005)
            point = fmax(point, i + 2.0);
    return fmin(point, REUSE_POINTS - 1);
}

static double at_column(const struct plot *plot, const struct snapshot_reuse_row *row, int column)
{
    double point = plot->area.columns > 1 ? plot->last * column / (plot->area.columns - 1) : 0;
    unsigned below = (unsigned)point;
    below = below < REUSE_POINTS - 1 ? below : REUSE_POINTS - 2;
    double part = point - below;
    return row->miss[below].value * (1 - part) + row->miss[below + 1].value * part;
}

static int column_of(const struct plot *plot, double size_bytes)
{
    double point = 2 * log2(size_bytes / snapshot_reuse_size(0));
    return (int)lround(point / plot->last * (plot->area.columns - 1));
}

static void fill(const struct plot *plot, const struct snapshot_reuse_row *row)
{
    for (int i = 0; i < plot->area.columns; i++) {
        double eighths = at_column(plot, row, i) / plot->top * plot->area.rows;
        for (int k = 0; k < plot->area.rows && eighths > k; k++) {
            double part = eighths - k;
            canvas_text(plot->canvas, plot->area.row + plot->area.rows - 1 - k,
                        plot->area.column + i, 1, PAINT_SERIES_0,
                        part >= 1 ? (plot->canvas->ascii ? "#" : "█")
                                  : bar_step(part, plot->canvas->ascii));
        }
    }
}

static void draw_marks(const struct plot *plot, const struct snapshot_reuse *reuse)
{
    for (size_t i = 0; i < reuse->mark_count; i++) {
        const struct snapshot_reuse_mark *mark = &reuse->marks[i];
        int column = column_of(plot, (double)mark->size_bytes);
        enum paint paint = mark->simulated ? PAINT_WARN : PAINT_DIM;
        if (column < 0 || column >= plot->area.columns)
            continue;
        for (int k = 0; k < plot->area.rows; k++)
            canvas_text(plot->canvas, plot->area.row + k, plot->area.column + column, 1, paint,
                        plot->canvas->ascii ? "|" : "│");
        canvas_text(plot->canvas, plot->area.row - 1, plot->area.column + column,
                    plot->area.columns - column, paint, mark->name);
    }
}

static void dot(const struct plot *plot, const struct snapshot_reuse_row *all)
{
    for (int i = 0; i < plot->area.columns; i++) {
        double part = fmin(at_column(plot, all, i) / plot->top, 1);
        int row = (int)lround((1 - part) * (plot->area.rows - 1));
        if (i % 2 == 0 && !isnan(part))
            canvas_text(plot->canvas, plot->area.row + row, plot->area.column + i, 1, PAINT_STRONG,
                        plot->canvas->ascii ? "o" : "•");
    }
}

static void draw_axes(const struct plot *plot)
{
    char text[16];
    int bottom = plot->area.row + plot->area.rows;
    int left = plot->area.column - LABEL;
    canvas_format(plot->canvas, plot->area.row, left, LABEL, PAINT_DIM, "%4.0f%%", plot->top * 100);
    canvas_text(plot->canvas, bottom - 1, left, LABEL, PAINT_DIM, "   0%");
    int after = 0;
    for (unsigned point = 0; point <= plot->last; point += 2) {
        double size = snapshot_reuse_size(point);
        int column = column_of(plot, size);
        if (column < after || column + SIZE_COLUMNS / 2 > plot->area.columns)
            continue;
        int used = canvas_text(plot->canvas, bottom, plot->area.column + column, SIZE_COLUMNS,
                               PAINT_DIM, reuse_size_text(text, size));
        after = column + used + 2;
    }
}

void reuse_curve_draw(const struct snapshot_reuse *reuse, const struct snapshot_reuse_row *row,
                      struct canvas *canvas, struct area area)
{
    struct plot plot = {.canvas = canvas};
    plot.area =
        (struct area){area.row + 1, area.column + LABEL, area.rows - 2, area.columns - LABEL - 1};
    if (plot.area.rows < ROWS_LEAST || plot.area.columns < SIZE_COLUMNS)
        return;
    plot.top = round_up(fmax(row->miss[0].value, reuse->all.miss[0].value));
    plot.last = last_point(reuse, row);
    fill(&plot, row);
    draw_marks(&plot, reuse);
    if (row != &reuse->all)
        dot(&plot, &reuse->all);
    draw_axes(&plot);
}
