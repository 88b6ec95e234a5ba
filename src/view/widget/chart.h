/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A run as a picture: time from left to right, in each column the parts that objects (or
 * functions, fields, threads) have of the misses, one above the other. For the Phases screen.
 */
#ifndef MISSTOP_VIEW_WIDGET_CHART_H
#define MISSTOP_VIEW_WIDGET_CHART_H

#include <stdbool.h>
#include <stddef.h>

#include "snapshot.h"
#include "snapshot_sharing.h"
#include "view/display/canvas.h"

enum { CHART_SERIES = 6 }; /* with a colour of their own */

/* Series one above the other, most first; the rest of `all` belongs to none. */
struct timeline_stack {
    const struct snapshot_stream *series[CHART_SERIES];
    size_t count;
    const double *all; /* [periods]; NULL: the measure is not sampled */
    double share;      /* of the run that all of it is */
    const char *title; /* "objects", ... */
    const char *of;    /* the object with these fields; NULL: the whole run */
};

/* All of one kind, and the fields of one object (NULL: of none). */
struct timeline_stack timeline_stack_of(const struct snapshot_measured *measured, const char *title,
                                        const struct snapshot_streams *streams);
struct timeline_stack timeline_stack_fields(const struct snapshot_measured *measured,
                                            const struct snapshot_stream *object);

/* The part of the run shown, and the periods per column or columns per period. */
struct timeline_chart {
    const struct snapshot_timeline *timeline;
    struct timeline_stack stack; /* the caller's */
    size_t first;                /* period */
    size_t end;
    int columns;
};

/* All of the run, or from one time to another; at least one period. */
struct timeline_chart timeline_chart(const struct snapshot_timeline *timeline, double from_s,
                                     double to_s, int columns);

/* The column in which a time falls, 0 to columns; before and after: the nearest. */
int timeline_chart_column(const struct timeline_chart *chart, double at_s);

/* When a column begins; 0 is the first, `columns` the end of the last. */
double timeline_chart_time(const struct timeline_chart *chart, int column);

/* Shares in all rows of the area but the last three: how many misses there were, the phases, and
 * the first and last time. */
void timeline_chart_draw(const struct timeline_chart *chart, struct canvas *canvas,
                         struct area area);

/* Of the periods from `first` to before `end`. */
double timeline_sum(const double *weight, size_t first, size_t end);

/* The series of an object with a colour; "a" and so on where there are no colours. */
enum paint timeline_chart_paint(size_t series);
const char *timeline_chart_mark(size_t series, bool ascii);

/* Room for the UTF-8 of a bar of `columns`. */
#define BAR_BYTES(columns) ((columns)*4 + 1)

/* A bar of 0..1 from the left, padded with blanks to `columns`. More than nothing shows. */
void bar_fill(char *out, size_t size, int columns, double fraction, bool ascii);

/*
 * The newest `columns` of `count` values, oldest left, on a scale from 0 to `top`; blank
 * where a value is NAN. top <= 0: the largest of them.
 */
void bar_spark(char *out, size_t size, int columns, const float *values, size_t count, double top,
               bool ascii);

/* One character for 0..1, lowest step for 0; blank for NAN. */
const char *bar_step(double fraction, bool ascii);

/* A map of the sets of a cache: its shape, as drawn. */
struct sets_map {
    int columns;
    int cell; /* columns of the canvas for one */
    int fold; /* sets in one cell */
    struct area area;
};

/* Sets a page or a half apart are below each other; a cell shows the fullest of its sets. `cursor`:
 * a set; -1: none. Rows used. */
int sets_map_draw(const struct snapshot_sets *sets, struct sets_map *map, long cursor,
                  struct canvas *canvas, struct area area);
/* The meaning of its steps and colours. */
void sets_map_legend(const struct snapshot_sets *sets, struct canvas *canvas, int row);
/* The set at a place; -1: none. */
long sets_map_at(const struct sets_map *map, int row, int column);
/* Samples of a set, all of them taken alike. */
double sets_map_mean(const struct snapshot_sets *sets);

/* The curve of `row`, filled, and that of all accesses as dots, with the caches marked. */
void reuse_curve_draw(const struct snapshot_reuse *reuse, const struct snapshot_reuse_row *row,
                      struct canvas *canvas, struct area area);

/* Draws a ruler, a row for each thread, and one for the bytes that are contended for, as far as
 * there is room; rows used. */
int sharing_picture(const struct snapshot_sharing_line *line, struct canvas *canvas,
                    struct area area);

/* Bytes that one thread writes and another reads or writes: bit i is byte i of the line. */
uint64_t sharing_contended(const struct snapshot_sharing_line *line);

#endif
