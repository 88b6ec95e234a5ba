/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/widget/chart.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "view/words.h"

static void timeline_chart_add(struct timeline_stack *stack, const struct snapshot_stream *stream)
{
    if (stack->count < CHART_SERIES)
        stack->series[stack->count++] = stream;
}

struct timeline_stack timeline_stack_of(const struct snapshot_measured *measured, const char *title,
                                        const struct snapshot_streams *streams)
{
    struct timeline_stack stack = {.all = measured->all, .share = 1, .title = title};
    for (size_t i = 0; i < streams->count; i++)
        timeline_chart_add(&stack, &streams->list[i]);
    return stack;
}

struct timeline_stack timeline_stack_fields(const struct snapshot_measured *measured,
                                            const struct snapshot_stream *object)
{
    struct timeline_stack stack = {.all = measured->all, .share = 1, .title = "fields"};
    if (!object)
        return stack;
    stack.all = object->weight;
    stack.share = object->share;
    stack.of = object->name;
    for (size_t i = 0; i < measured->fields.count; i++)
        if (measured->fields.list[i].object == object->object)
            timeline_chart_add(&stack, &measured->fields.list[i]);
    return stack;
}

struct timeline_chart timeline_chart(const struct snapshot_timeline *timeline, double from_s,
                                     double to_s, int columns)
{
    struct timeline_chart chart = {
        .timeline = timeline, .end = timeline->periods, .columns = columns};
    if (!timeline->periods || columns < 1 || !(to_s > from_s))
        return chart;
    double first = floor((from_s - timeline->start_s) / timeline->period_s);
    double end = ceil((to_s - timeline->start_s) / timeline->period_s);
    chart.first = first > 0 ? (size_t)first : 0;
    chart.first = chart.first < timeline->periods ? chart.first : timeline->periods - 1;
    chart.end = end > 0 ? (size_t)end : 0;
    chart.end = chart.end < timeline->periods ? chart.end : timeline->periods;
    if (chart.end <= chart.first)
        chart.end = chart.first + 1;
    return chart;
}

/* Finds the periods [*first, *end) drawn in a column. */
static void periods_of(const struct timeline_chart *chart, int column, size_t *first, size_t *end)
{
    size_t count = chart->end - chart->first;
    *first = chart->first + (size_t)column * count / (size_t)chart->columns;
    *end = chart->first + ((size_t)column + 1) * count / (size_t)chart->columns;
    if (*end <= *first)
        *end = *first + 1;
}

int timeline_chart_column(const struct timeline_chart *chart, double at_s)
{
    const struct snapshot_timeline *timeline = chart->timeline;
    double period = (at_s - timeline->start_s) / timeline->period_s - (double)chart->first;
    double column = period * chart->columns / (double)(chart->end - chart->first);
    return !(column > 0) ? 0 : column > chart->columns ? chart->columns : (int)column;
}

double timeline_chart_time(const struct timeline_chart *chart, int column)
{
    const struct snapshot_timeline *timeline = chart->timeline;
    double periods = (double)(chart->end - chart->first) * column / chart->columns;
    return timeline->start_s + ((double)chart->first + periods) * timeline->period_s;
}

double timeline_sum(const double *weight, size_t first, size_t end)
{
    double total = 0;
    for (size_t i = first; i < end; i++)
        total += weight[i];
    return total;
}

enum paint timeline_chart_paint(size_t series)
{
    return series < CHART_SERIES ? (enum paint)(PAINT_SERIES_0 + series) : PAINT_DIM;
}

const char *timeline_chart_mark(size_t series, bool ascii)
{
    static const char *const letters[CHART_SERIES] = {"a", "b", "c", "d", "e", "f"};
    if (series >= CHART_SERIES)
        return ascii ? "." : "░";
    return ascii ? letters[series] : "█";
}

/* Draws a column from the bottom: the series by misses in the run, then the remainder. */
static void draw_column(const struct timeline_chart *chart, struct canvas *canvas, struct area area,
                        int column)
{
    const struct timeline_stack *stack = &chart->stack;
    size_t first;
    size_t end;
    periods_of(chart, column, &first, &end);
    double all = timeline_sum(stack->all, first, end);
    size_t series = 0;
    double filled = 0;
    for (int row = 0; all > 0 && row < area.rows; row++) {
        double middle = (row + 0.5) / area.rows;
        while (series < stack->count) {
            double part = timeline_sum(stack->series[series]->weight, first, end) / all;
            if (middle < filled + part)
                break;
            filled += part;
            series++;
        }
        size_t shown = series < stack->count ? series : (size_t)CHART_SERIES;
        canvas_text(canvas, area.row + area.rows - 1 - row, area.column + column, 1,
                    timeline_chart_paint(shown), timeline_chart_mark(shown, canvas->ascii));
    }
}

static void draw_amounts(const struct timeline_chart *chart, struct canvas *canvas, int row,
                         int start)
{
    double most = 0;
    size_t first;
    size_t end;
    for (int i = 0; i < chart->columns; i++) {
        periods_of(chart, i, &first, &end);
        most = fmax(most, timeline_sum(chart->stack.all, first, end) / (double)(end - first));
    }
    for (int i = 0; i < chart->columns; i++) {
        periods_of(chart, i, &first, &end);
        double mean = timeline_sum(chart->stack.all, first, end) / (double)(end - first);
        canvas_text(canvas, row, start + i, 1, PAINT_DIM,
                    bar_step(most > 0 ? mean / most : 0, canvas->ascii));
    }
}

/* Draws a bar at the start of each phase and its letter in the middle. */
static void draw_phases(const struct timeline_chart *chart, struct canvas *canvas, int row,
                        int start)
{
    const struct snapshot_timeline *timeline = chart->timeline;
    for (size_t i = 0; i < timeline->phase_count; i++) {
        const struct snapshot_phase *phase = &timeline->phases[i];
        int from = timeline_chart_column(chart, phase->start_s);
        int to = timeline_chart_column(chart, phase->end_s);
        if (from < chart->columns && i)
            canvas_text(canvas, row, start + from, 1, PAINT_WARN, canvas->ascii ? "|" : "▏");
        if (to > from && *phase->name)
            canvas_text(canvas, row, start + (from + to) / 2, 1, PAINT_STRONG, phase->name);
    }
}

static void draw_axis(const struct timeline_chart *chart, struct canvas *canvas, int row,
                      int column)
{
    char from[TEXT_TIME_BYTES];
    char to[TEXT_TIME_BYTES];
    text_time(from, timeline_chart_time(chart, 0));
    text_time(to, timeline_chart_time(chart, chart->columns));
    int length = glyph_columns(to, canvas->ascii);
    canvas_text(canvas, row, column, chart->columns, PAINT_DIM, from);
    if (chart->columns > length)
        canvas_text(canvas, row, column + chart->columns - length, length, PAINT_DIM, to);
}

void timeline_chart_draw(const struct timeline_chart *chart, struct canvas *canvas,
                         struct area area)
{
    struct area shares = {area.row, area.column, area.rows - 3, area.columns};
    int end = area.row + area.rows;
    if (!chart->timeline->periods || chart->columns < 1)
        return;
    for (int i = 0; i < chart->columns && shares.rows > 0; i++)
        draw_column(chart, canvas, shares, i);
    draw_amounts(chart, canvas, end - 3, area.column);
    draw_phases(chart, canvas, end - 2, area.column);
    draw_axis(chart, canvas, end - 1, area.column);
}

enum { STEPS = 8 };

static const char *const lying[STEPS + 1] = {" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
static const char *const standing[STEPS] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
static const char *const ascii_steps[STEPS] = {"_", ".", ":", "-", "=", "+", "*", "#"};

static size_t bar_append(char *out, size_t size, size_t used, const char *text)
{
    size_t length = strlen(text);
    if (used + length >= size)
        return used;
    memcpy(out + used, text, length + 1);
    return used + length;
}

void bar_fill(char *out, size_t size, int columns, double fraction, bool ascii)
{
    size_t used = 0;
    double filled = fraction > 0 ? fmin(fraction, 1) * columns * STEPS : 0;
    int eighths = filled > 0 && filled < 1 ? 1 : (int)lround(filled);
    *out = '\0';
    for (int i = 0; i < columns; i++) {
        int here = eighths - i * STEPS;
        here = here < 0 ? 0 : here > STEPS ? STEPS : here;
        /* In ASCII, a cell is drawn from half full on; the first unless the value is 0. */
        bool mark = here >= STEPS / 2 || (i == 0 && here > 0);
        used = bar_append(out, size, used, !ascii ? lying[here] : mark ? "#" : " ");
    }
}

const char *bar_step(double fraction, bool ascii)
{
    if (isnan(fraction))
        return " ";
    long step = lround(fmin(fmax(fraction, 0), 1) * (STEPS - 1));
    return ascii ? ascii_steps[step] : standing[step];
}

static double largest_value(const float *values, size_t count)
{
    double top = 0;
    for (size_t i = 0; i < count; i++)
        if (values[i] > top)
            top = values[i];
    return top;
}

void bar_spark(char *out, size_t size, int columns, const float *values, size_t count, double top,
               bool ascii)
{
    size_t used = 0;
    size_t shown = columns < 0 ? 0 : (size_t)columns;
    *out = '\0';
    for (; shown > count; shown--)
        used = bar_append(out, size, used, " ");
    if (!(top > 0))
        top = largest_value(values, count);
    for (size_t i = count - shown; i < count; i++)
        used = bar_append(out, size, used, bar_step(top > 0 ? values[i] / top : values[i], ascii));
}

enum { REUSE_CURVE_LABEL = 6, ROWS_MIN = 4, SIZE_COLUMNS = 6 };

struct plot {
    struct canvas *canvas;
    struct area area;
    double top;  /* fraction of accesses missed at the upper end */
    double last; /* point at the right end */
};

/* Returns the upper end of an axis. */
static double round_up(double part)
{
    static const double steps[] = {0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (part <= steps[i])
            return steps[i];
    return 1;
}

/* Returns the last point to draw: after the largest mark only where the curve changes. */
static double last_drawn_point(const struct snapshot_reuse *reuse,
                               const struct snapshot_reuse_row *row)
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

static double miss_ratio_at_column(const struct plot *plot, const struct snapshot_reuse_row *row,
                                   int column)
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

static void reuse_curve_fill(const struct plot *plot, const struct snapshot_reuse_row *row)
{
    for (int i = 0; i < plot->area.columns; i++) {
        double eighths = miss_ratio_at_column(plot, row, i) / plot->top * plot->area.rows;
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

static void draw_dots(const struct plot *plot, const struct snapshot_reuse_row *all)
{
    for (int i = 0; i < plot->area.columns; i++) {
        double part = fmin(miss_ratio_at_column(plot, all, i) / plot->top, 1);
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
    int left = plot->area.column - REUSE_CURVE_LABEL;
    canvas_format(plot->canvas, plot->area.row, left, REUSE_CURVE_LABEL, PAINT_DIM, "%4.0f%%",
                  plot->top * 100);
    canvas_text(plot->canvas, bottom - 1, left, REUSE_CURVE_LABEL, PAINT_DIM, "   0%");
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
    plot.area = (struct area){area.row + 1, area.column + REUSE_CURVE_LABEL, area.rows - 2,
                              area.columns - REUSE_CURVE_LABEL - 1};
    if (plot.area.rows < ROWS_MIN || plot.area.columns < SIZE_COLUMNS)
        return;
    plot.top = round_up(fmax(row->miss[0].value, reuse->all.miss[0].value));
    plot.last = last_drawn_point(reuse, row);
    reuse_curve_fill(&plot, row);
    draw_marks(&plot, reuse);
    if (row != &reuse->all)
        draw_dots(&plot, &reuse->all);
    draw_axes(&plot);
}

enum { BYTES = 64, SHARING_PICTURE_LABEL = 17, AFTER = 7, RULED = 8 };

struct frame {
    struct canvas *canvas;
    struct area area;
    int start;    /* column of the first byte */
    int per_cell; /* bytes */
};

static uint64_t cell_bits(const struct frame *frame, int cell)
{
    uint64_t bits = (UINT64_C(1) << frame->per_cell) - 1;
    return bits << cell * frame->per_cell;
}

static void draw_ruler(const struct frame *frame)
{
    canvas_text(frame->canvas, frame->area.row, frame->area.column, SHARING_PICTURE_LABEL - 1,
                PAINT_DIM, " byte of line");
    for (int byte = 0; byte < BYTES; byte += RULED)
        canvas_format(frame->canvas, frame->area.row, frame->start + byte / frame->per_cell,
                      RULED / frame->per_cell, PAINT_DIM, "%d", byte);
}

/* Bytes that are both read and written are drawn as written. */
static void draw_bytes(const struct frame *frame, int row, uint64_t read, uint64_t written)
{
    bool ascii = frame->canvas->ascii;
    for (int cell = 0; cell < BYTES / frame->per_cell; cell++) {
        uint64_t bits = cell_bits(frame, cell);
        bool writes = written & bits;
        bool reads = read & bits;
        const char *text = writes ? "W" : reads ? "r" : ascii ? "." : "·";
        canvas_text(frame->canvas, row, frame->start + cell, 1,
                    writes  ? PAINT_STORE
                    : reads ? PAINT_LOAD
                            : PAINT_DIM,
                    text);
    }
}

static void draw_sharing_side(const struct frame *frame, int row,
                              const struct snapshot_sharing_side *side)
{
    int after = frame->start + BYTES / frame->per_cell + 1;
    char hitm[24] = "";
    canvas_format(frame->canvas, row, frame->area.column, SHARING_PICTURE_LABEL - 1, PAINT_PLAIN,
                  " thread %-8u", side->tid);
    draw_bytes(frame, row, side->read, side->written);
    if (side->hitm >= 0.5)
        snprintf(hitm, sizeof hitm, "  HITM %.0f", side->hitm);
    canvas_format(frame->canvas, row, after, frame->area.column + frame->area.columns - after,
                  PAINT_PLAIN, "%5.1f%%%s", side->share * 100, hitm);
}

/* Returns the bytes that a thread writes and another accesses: bit i is byte i. */
static uint64_t sharing_contended(const struct snapshot_sharing_line *line)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < line->side_count; i++)
        for (size_t k = 0; k < line->side_count; k++)
            if (i != k)
                bytes |= line->sides[i].written & (line->sides[k].read | line->sides[k].written);
    return bytes;
}

static void draw_contended(const struct frame *frame, int row,
                           const struct snapshot_sharing_line *line)
{
    uint64_t bytes = sharing_contended(line);
    canvas_text(frame->canvas, row, frame->area.column, SHARING_PICTURE_LABEL - 1, PAINT_DIM,
                " same bytes");
    for (int cell = 0; cell < BYTES / frame->per_cell; cell++)
        if (bytes & cell_bits(frame, cell))
            canvas_text(frame->canvas, row, frame->start + cell, 1, PAINT_WARN, "^");
    if (!bytes)
        canvas_text(frame->canvas, row, frame->start, BYTES / frame->per_cell, PAINT_DIM,
                    "none: only the line is shared");
}

int sharing_picture(const struct snapshot_sharing_line *line, struct canvas *canvas,
                    struct area area)
{
    bool wide = area.columns >= SHARING_PICTURE_LABEL + BYTES + AFTER;
    struct frame frame = {canvas, area, area.column + SHARING_PICTURE_LABEL, wide ? 1 : 2};
    int used = 1;
    if (area.rows < 3 || area.columns < SHARING_PICTURE_LABEL + BYTES / 2)
        return 0;
    bool written = false;
    for (size_t i = 0; i < line->side_count; i++)
        written |= line->sides[i].written != 0;
    draw_ruler(&frame);
    for (size_t i = 0; i < line->side_count && used < area.rows - written; i++)
        draw_sharing_side(&frame, area.row + used++, &line->sides[i]);
    if (written)
        draw_contended(&frame, area.row + used++, line);
    return used;
}

enum { SETS_LABEL = 7 };

/* Deviations above the mean that occur by chance once in 1000; the same bound as for hot_sets. */
static const double hot_deviations = 3.09;

double sets_map_mean(const struct snapshot_sets *sets)
{
    return timeline_sum(sets->counts, 0, sets->sets) / sets->sets;
}

/* The number of cells in a row is a power of two. */
static void choose_map_shape(struct sets_map *map, uint32_t sets, struct area area)
{
    int columns = 1;
    map->fold = 1;
    while (columns * 2 <= area.columns - SETS_LABEL && (uint32_t)columns * 2 <= sets)
        columns *= 2;
    /* Widen the cells while the rows still fit. */
    int cell = 1;
    while (cell < 4 && columns >= 16 && sets / ((uint32_t)columns / 2) <= (uint32_t)area.rows) {
        columns /= 2;
        cell *= 2;
    }
    while (cell > 1 && cell < 7 && columns * (cell + 1) <= area.columns - SETS_LABEL)
        cell++;
    while ((sets + (uint32_t)(columns * map->fold) - 1) / (uint32_t)(columns * map->fold) >
           (uint32_t)area.rows)
        map->fold *= 2;
    map->columns = columns;
    map->cell = cell;
}

/* Uses red only if the test found a concentration: colours must not suggest more. */
static enum paint heat_of(const struct snapshot_sets *sets, double count, double mean)
{
    double deviations = mean > 0 ? (count - mean) / sqrt(mean) : 0;
    if (deviations >= hot_deviations && sets->verdict == SETS_CONCENTRATED)
        return PAINT_HEAT_5;
    if (deviations >= hot_deviations && sets->verdict == SETS_UNIFORM)
        return PAINT_HEAT_3;
    return count > 0.5 * mean ? PAINT_HEAT_1 : PAINT_HEAT_0;
}

/* Returns the maximum of the sets folded into a cell, because an average would hide a conflict. */
static double fullest_set(const struct snapshot_sets *sets, uint32_t first, uint32_t count)
{
    double most = 0;
    for (uint32_t i = first; i < first + count && i < sets->sets; i++)
        most = fmax(most, sets->counts[i]);
    return most;
}

int sets_map_draw(const struct snapshot_sets *sets, struct sets_map *map, long cursor,
                  struct canvas *canvas, struct area area)
{
    double mean = sets_map_mean(sets);
    double top = fullest_set(sets, 0, sets->sets);
    choose_map_shape(map, sets->sets, area);
    uint32_t fold = (uint32_t)map->fold;
    uint32_t cells = (sets->sets + fold - 1) / fold;
    int filled = map->cell > 1 ? map->cell - 1 : 1;
    int rows = (int)(cells + (uint32_t)map->columns - 1) / map->columns;
    map->area = (struct area){area.row, area.column + SETS_LABEL, rows, map->columns * map->cell};
    for (int i = 0; i < rows; i++)
        canvas_format(canvas, area.row + i, area.column, SETS_LABEL - 1, PAINT_DIM, "%6d",
                      i * map->columns * map->fold);
    for (uint32_t i = 0; i < cells; i++) {
        double count = fullest_set(sets, i * fold, fold);
        int row = map->area.row + (int)i / map->columns;
        int column = map->area.column + (int)i % map->columns * map->cell;
        for (int k = 0; k < filled; k++)
            canvas_text(canvas, row, column + k, 1, heat_of(sets, count, mean),
                        bar_step(top > 0 ? count / top : 0, canvas->ascii));
        if (cursor >= 0 && cursor / map->fold == (long)i)
            canvas_flag(canvas, row, column, filled, CELL_CURSOR);
    }
    return rows;
}

void sets_map_legend(const struct snapshot_sets *sets, struct canvas *canvas, int row)
{
    char text[16];
    struct pen pen = {canvas, row, SETS_LABEL, canvas->columns};
    pen_part(&pen, PAINT_DIM, "%s 0 to %s %s", bar_step(0, canvas->ascii),
             bar_step(1, canvas->ascii), text_count(text, fullest_set(sets, 0, sets->sets)));
    pen_part(&pen, PAINT_DIM, " samples, mean %s", text_count(text, sets_map_mean(sets)));
    if (sets->verdict == SETS_CONCENTRATED)
        pen_part(&pen, PAINT_HEAT_5, "%s", "   more than chance explains");
}

long sets_map_at(const struct sets_map *map, int row, int column)
{
    int down = row - map->area.row;
    int across = column - map->area.column;
    if (down < 0 || down >= map->area.rows || across < 0 || across >= map->area.columns)
        return -1;
    return (long)(down * map->columns + across / map->cell) * map->fold;
}
