/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run as a chart: time from left to right; in each column the shares that objects (or functions,
 * fields, threads) have of the misses, stacked. For the Phases screen. */
#ifndef MISSTOP_VIEW_WIDGET_CHART_H
#define MISSTOP_VIEW_WIDGET_CHART_H

#include <stdbool.h>
#include <stddef.h>

#include "snapshot.h"
#include "snapshot_sharing.h"
#include "view/display/canvas.h"

enum { CHART_SERIES = 6 }; /* number of series with their own colour */

/* Stacked series, largest first; the remainder of `all` belongs to no series. */
struct timeline_stack {
    const struct snapshot_stream *series[CHART_SERIES];
    size_t count;
    const double *all; /* [periods]; NULL: the measure is not sampled */
    double share;      /* share of the run that `all` represents */
    const char *title; /* "objects", ... */
    const char *of;    /* object of the fields; NULL: the whole run */
};

/* Return a stack of all streams of one kind, or of the fields of one object (NULL: empty). */
struct timeline_stack timeline_stack_of(const struct snapshot_measured *measured, const char *title,
                                        const struct snapshot_streams *streams);
struct timeline_stack timeline_stack_fields(const struct snapshot_measured *measured,
                                            const struct snapshot_stream *object);

/* The displayed part of the run, with several periods per column or several columns per period. */
struct timeline_chart {
    const struct snapshot_timeline *timeline;
    struct timeline_stack stack; /* filled in by the caller */
    size_t first;                /* first period */
    size_t end;
    int columns;
};

/* Returns a chart of the whole run or of a time range; it has at least one period. */
struct timeline_chart timeline_chart(const struct snapshot_timeline *timeline, double from_s,
                                     double to_s, int columns);

/* Returns the column of a time, 0 to columns, clamped. */
int timeline_chart_column(const struct timeline_chart *chart, double at_s);

/* Returns the time at which a column begins; `columns`: the end of the last. */
double timeline_chart_time(const struct timeline_chart *chart, int column);

/* The area's last three rows show the number of misses, the phases, and the first and last time. */
void timeline_chart_draw(const struct timeline_chart *chart, struct canvas *canvas,
                         struct area area);

double timeline_sum(const double *weight, size_t first, size_t end);

/* Return the colour of a series, and its mark: "a" etc. without colours. */
enum paint timeline_chart_paint(size_t series);
const char *timeline_chart_mark(size_t series, bool ascii);

/* Buffer size for a bar of `columns` in UTF-8. */
#define BAR_BYTES(columns) ((columns)*4 + 1)

/* Formats a bar for 0..1, padded with blanks. Any value above 0 is visible. */
void bar_fill(char *out, size_t size, int columns, double fraction, bool ascii);

/* Formats the newest `columns` of `count` values, oldest left, on a scale from 0 to `top`; NAN
 * values are blank. top <= 0: use the largest value. */
void bar_spark(char *out, size_t size, int columns, const float *values, size_t count, double top,
               bool ascii);

/* Returns one character for 0..1, the lowest step for 0, blank for NAN. */
const char *bar_step(double fraction, bool ascii);

struct sets_map {
    int columns;
    int cell; /* width of a cell */
    int fold; /* sets per cell */
    struct area area;
};

/* Draws the map of all sets. Sets a page or half a page apart are in one column; a cell shows the
 * fullest of its sets. `cursor` is a set; -1: none. Returns the rows used. */
int sets_map_draw(const struct snapshot_sets *sets, struct sets_map *map, long cursor,
                  struct canvas *canvas, struct area area);
/* Draws the meaning of its steps and colours. */
void sets_map_legend(const struct snapshot_sets *sets, struct canvas *canvas, int row);
/* Returns the set at a position; -1 if there is none. */
long sets_map_at(const struct sets_map *map, int row, int column);
/* Returns the mean number of samples per set. */
double sets_map_mean(const struct snapshot_sets *sets);

/* The curve of `row` is filled, that of all accesses dotted, with the caches marked. */
void reuse_curve_draw(const struct snapshot_reuse *reuse, const struct snapshot_reuse_row *row,
                      struct canvas *canvas, struct area area);

/* Draws a ruler, a row per thread, and the contended bytes. Returns the rows used. */
int sharing_picture(const struct snapshot_sharing_line *line, struct canvas *canvas,
                    struct area area);

#endif
