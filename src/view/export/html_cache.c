/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Misses by cache set, as a heat strip with bars, and the recurrence in the window. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "view/export/writers.h"
#include "view/screens/causes.h"
#include "view/words.h"
#include "view/widget/chart.h"

enum {
    BARS = 256,
    HTML_SETS_WIDTH = 1000,
    HTML_SETS_HEIGHT = 120,
    BARS_BOTTOM = 84,
    STRIP = 12,
    LABELS = 116,
    PAIR_ROWS = 20,
    HTML_SETS_LINE_ROWS = 20
};

/* Sets per bar: a bar shows the fullest of them, so that a single hot set is visible. */
static uint32_t sets_a_bar(const struct snapshot_sets *sets)
{
    return (sets->sets + BARS - 1) / BARS;
}

static double fullest(const struct snapshot_sets *sets, uint32_t first, uint32_t count)
{
    double most = 0;
    for (uint32_t i = first; i < sets->sets && i < first + count; i++)
        if (html_known(sets->counts[i]))
            most = fmax(most, sets->counts[i]);
    return most;
}

static void draw_bar(struct html_writer *writer, const struct snapshot_sets *sets, uint32_t first,
                     double most)
{
    uint32_t step = sets_a_bar(sets);
    double samples = fullest(sets, first, step);
    double part = most > 0 ? samples / most : 0;
    double x = (double)first * HTML_SETS_WIDTH / sets->sets;
    double width = fmax((double)step * HTML_SETS_WIDTH / sets->sets - 0.5, 0.5);
    const char *class = samples > 0 ? html_class(paint_heat(part)) : "cold";
    html_markup(writer,
                "<g><title>set %" PRIu32 ": %.0f samples</title>"
                "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>"
                "<rect class=\"%s\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\"/></g>\n",
                first, samples, class, x, BARS_BOTTOM * (1 - part), width, BARS_BOTTOM * part,
                class, x, BARS_BOTTOM + 4, width, STRIP);
}

/* Marks the height of all bars if the misses were distributed evenly. */
static void draw_mean(struct html_writer *writer, const struct snapshot_sets *sets, double most)
{
    double sum = 0;
    for (uint32_t i = 0; i < sets->sets; i++)
        sum += html_known(sets->counts[i]) ? sets->counts[i] : 0;
    if (most > 0)
        html_markup(writer,
                    "<path class=\"cut\" d=\"M0 %.1fH%d\"><title>spread evenly: %.1f samples a "
                    "set</title></path>\n",
                    BARS_BOTTOM * (1 - sum / sets->sets / most), HTML_SETS_WIDTH, sum / sets->sets);
}

static void html_sets_draw(struct html_writer *writer, const struct snapshot_sets *sets)
{
    double most = fullest(sets, 0, sets->sets);
    uint32_t step = sets_a_bar(sets);
    html_markup(writer,
                "<svg class=\"chart\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"samples by "
                "cache set\">\n",
                HTML_SETS_WIDTH, HTML_SETS_HEIGHT);
    for (uint32_t first = 0; first < sets->sets; first += step)
        draw_bar(writer, sets, first, most);
    draw_mean(writer, sets, most);
    html_markup(writer,
                "<text class=\"dim\" x=\"0\" y=\"%d\">set 0</text><text class=\"dim\" "
                "text-anchor=\"end\" x=\"%d\" y=\"%d\">set %" PRIu32 "</text></svg>\n",
                LABELS, HTML_SETS_WIDTH, LABELS, sets->sets - 1);
    if (step > 1)
        html_markup(writer,
                    "<p class=\"dim\">One bar for %" PRIu32
                    " sets, as high as the fullest of them.</p>\n",
                    step);
}

void html_sets(struct html_writer *writer)
{
    const struct snapshot_sets *sets = &writer->snapshot->sets;
    char text[320];
    sets_summary(sets, text, sizeof text);
    html_element(writer, "p", "", text);
    html_element(writer, "p", sets->verdict == SETS_CONCENTRATED ? "bad" : "strong",
                 sets_verdict_name(sets->verdict));
    sets_reading(writer->snapshot, text, sizeof text);
    html_element(writer, "p", "says", text);
    html_element(writer, "p", "dim", sets_note(sets));
    html_sets_draw(writer, sets);
}

void html_window(struct html_writer *writer)
{
    const struct snapshot_window *window = &writer->snapshot->window;
    char text[320];
    window_summary(window, text, sizeof text);
    html_element(writer, "p", "", text);
    window_reading(writer->snapshot, text, sizeof text);
    html_element(writer, "p", "says", text);
    html_rows(writer, &line_columns, window->top, window->top_count, HTML_SETS_LINE_ROWS);
    if (window->pair_count)
        html_markup(writer, "<h3>Sampled together</h3>\n");
    html_rows(writer, &pair_columns, window->pairs, window->pair_count, PAIR_ROWS);
}

/* ---- results of the n-way search, and dropped regions ---- */

enum { REGION_ROWS = 40, DROPPED_ROWS = 8 };

static bool region_link(const struct snapshot *snapshot, const void *row, char *id, size_t size)
{
    const struct snapshot_object *object =
        columns_object_named(snapshot, ((const struct snapshot_region *)row)->object);
    return object && html_object_link(snapshot, object, id, size);
}

void html_search(struct html_writer *writer)
{
    const struct snapshot_search *search = &writer->snapshot->search;
    char text[320];
    search_summary(search, text, sizeof text);
    html_element(writer, "p", "", text);
    html_linked_rows(writer, &region_columns, search->regions, search->region_count, REGION_ROWS,
                     region_link);
    if (search->dropped_count) {
        html_markup(writer, "<h3>Measured and left, with the reason</h3>\n");
        html_linked_rows(writer, &dropped_columns, search->dropped, search->dropped_count,
                         DROPPED_ROWS, region_link);
    }
}

/* ---- why lines were missed, by object, function and thread, and who evicts whom ---- */

enum { HTML_CAUSES_ROWS = 30, EXPLAINED = 8, TEXT_BYTES = 512 };
static const double worth_listing = 0.01; /* fraction of all misses */

static bool link_function(const struct snapshot *snapshot, const void *row, char *id, size_t size)
{
    uint32_t index = ((const struct snapshot_causes_row *)row)->index;
    return index < snapshot->code_count &&
           html_function_link(snapshot, &snapshot->code[index], id, size);
}

static void write_evictors(struct html_writer *writer, const struct snapshot_causes_row *row)
{
    char text[2 * COLUMN_TEXT_BYTES];
    causes_threads(writer->snapshot, row, text, sizeof text);
    if (*text)
        html_say(writer, "<li>evicted by threads: %s</li>\n", text);
    for (size_t i = 0; i < row->evictor_count; i++) {
        if (row->evictors[i].share < worth_listing)
            return;
        causes_evictor(&row->evictors[i], text, sizeof text);
        html_say(writer, "<li>%.1f%% evicted by %s</li>\n", 100 * row->evictors[i].share, text);
    }
}

static void explain(struct html_writer *writer, enum causes_of kind,
                    const struct snapshot_causes_row *row, bool open)
{
    char text[TEXT_BYTES];
    html_details(writer, open);
    html_say(writer, "<summary><b>%.1f%%</b> %s</summary>\n",
             100 * row->figures.misses / writer->snapshot->causes.all.misses, row->name);
    causes_advice(kind, row, text, sizeof text);
    html_element(writer, "p", "says", text);
    html_markup(writer, "<ul class=\"notes says\">\n");
    causes_early(&row->figures, text, sizeof text);
    html_element(writer, "li", "", text);
    *text = '\0';
    if (kind == CAUSES_OBJECTS)
        causes_fields(writer->snapshot, row, text, sizeof text);
    html_element(writer, "li", "", text);
    write_evictors(writer, row);
    html_markup(writer, "</ul>\n</details>\n");
}

static void write_kind(struct html_writer *writer, enum causes_of kind)
{
    static bool (*const links[CAUSES_KINDS])(const struct snapshot *, const void *, char *,
                                             size_t) = {[CAUSES_FUNCTIONS] = link_function};
    const struct snapshot_causes *causes = &writer->snapshot->causes;
    const struct snapshot_causes_list *list = &causes->of[kind];
    if (kind == CAUSES_THREADS && list->count < 2)
        return;
    html_markup(writer, "<h3>By %s</h3>\n", causes_of_name(kind));
    html_linked_rows(writer, &causes_columns[kind], list->rows, list->count, HTML_CAUSES_ROWS,
                     links[kind]);
    for (size_t i = 0; i < list->count && i < EXPLAINED; i++)
        if (list->rows[i].figures.misses >= worth_listing * causes->all.misses)
            explain(writer, kind, &list->rows[i], !i);
}

static void write_evictions(struct html_writer *writer, enum causes_of kind)
{
    struct eviction_row rows[EVICTION_ROWS_MAX];
    if (kind == CAUSES_THREADS && writer->snapshot->causes.of[kind].count < 2)
        return;
    size_t count = eviction_rows(writer->snapshot, kind, rows);
    html_rows(writer, &eviction_columns, rows, count, HTML_CAUSES_ROWS);
}

void html_causes(struct html_writer *writer)
{
    char text[TEXT_BYTES];
    causes_summary(writer->snapshot, CAUSES_OBJECTS, text, sizeof text);
    html_element(writer, "p", "lead", text);
    for (enum causes_of kind = 0; kind < CAUSES_KINDS; kind++)
        write_kind(writer, kind);
    html_markup(writer, "<h3>Evictions</h3>\n");
    write_evictions(writer, CAUSES_OBJECTS);
    write_evictions(writer, CAUSES_FUNCTIONS);
    write_evictions(writer, CAUSES_THREADS);
}

/* ---- miss curves by cache size, as curves and tables ---- */

enum {
    HTML_REUSE_WIDTH = 640,
    HTML_REUSE_LEFT = 44,
    TOP = 22,
    PLOT = 130,
    FOOT = 24,
    HTML_REUSE_ROWS = 15,
    OPENED = 5
};

static double x_of(double size_bytes)
{
    double part = 2 * log2(size_bytes / snapshot_reuse_size(0)) / (REUSE_POINTS - 1);
    return HTML_REUSE_LEFT + fmin(fmax(part, 0), 1) * (HTML_REUSE_WIDTH - HTML_REUSE_LEFT - 10);
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
                    HTML_REUSE_LEFT, y_of(top * i / LINES, top), HTML_REUSE_WIDTH - 10,
                    HTML_REUSE_LEFT - 6, y_of(top * i / LINES, top) + 4, 100 * top * i / LINES);
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
        html_say(writer, "%s</text>\n", reuse->marks[i].name);
    }
}

static void html_reuse_draw(struct html_writer *writer, const struct snapshot_reuse *reuse,
                            const struct snapshot_reuse_row *row)
{
    double top = fmax(fmax(row->miss[0].value, reuse->all.miss[0].value), 0.01);
    html_markup(writer,
                "<div class=\"wide\"><svg class=\"chart small\" viewBox=\"0 0 %d %d\" "
                "role=\"img\" aria-label=\"miss rate by cache size\">\n",
                HTML_REUSE_WIDTH, TOP + PLOT + FOOT);
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
    html_details(writer, open);
    html_say(writer, "<summary><span class=\"strong\">%s</span></summary>\n", row->name);
    html_element(writer, "p", "says", text);
    html_reuse_draw(writer, reuse, row);
    html_markup(writer, "</details>\n");
}

void html_reuse(struct html_writer *writer)
{
    const struct snapshot_reuse *reuse = &writer->snapshot->reuse;
    html_rows(writer, &reuse_columns, reuse->objects, reuse->object_count, HTML_REUSE_ROWS);
    for (size_t i = 0; i < reuse->object_count && i < OPENED; i++)
        write_row(writer, &reuse->objects[i], i == 0);
    html_rows(writer, &reuse_line_columns, reuse->lines, reuse->line_count, HTML_REUSE_ROWS);
}

/* ---- cache lines that threads contend for, and the bytes that each thread uses ---- */

enum {
    GROUP_ROWS = 40,
    GROUPS_OPENED = 8,
    SIDES = 16,
    HTML_SHARING_LINE_ROWS = 20,
    ACCESSES = 64,
    BYTES = 64,
    BYTE = 12, /* in units of the drawing, like the other sizes */
    HTML_SHARING_LEFT = 130,
    RIGHT = 70,
    HTML_SHARING_HEIGHT = 16,
    STEP = 20,
    RULER = 16
};

/* Draws each run of consecutive set bits as one rectangle. */
static void draw_runs(struct html_writer *writer, uint64_t bits, const char *class, int y,
                      int height)
{
    for (int first = 0, end; first < BYTES; first = end + 1) {
        end = first;
        while (end < BYTES && bits >> end & 1)
            end++;
        if (end > first)
            html_markup(writer, "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>",
                        class, HTML_SHARING_LEFT + first * BYTE, y, (end - first) * BYTE - 1,
                        height);
    }
}

/* Draws reads above, writes below. */
static void draw_side(struct html_writer *writer, const struct snapshot_sharing_side *side, int y)
{
    html_markup(writer,
                "<text x=\"0\" y=\"%d\">thread %" PRIu32 "</text><rect class=\"frame\" x=\"%d\" "
                "y=\"%d\" width=\"%d\" height=\"%d\"/>",
                y + 12, side->tid, HTML_SHARING_LEFT, y, BYTES * BYTE, HTML_SHARING_HEIGHT);
    draw_runs(writer, side->read, "read", y, HTML_SHARING_HEIGHT / 2);
    draw_runs(writer, side->written, "write", y + HTML_SHARING_HEIGHT / 2, HTML_SHARING_HEIGHT / 2);
    if (html_known(side->share))
        html_markup(writer, "<text x=\"%d\" y=\"%d\">%.1f%%</text>",
                    HTML_SHARING_LEFT + BYTES * BYTE + 6, y + 12, side->share * 100);
    html_markup(writer, "\n");
}

static void draw_line(struct html_writer *writer, const struct snapshot_sharing_line *line)
{
    size_t sides = line->side_count < SIDES ? line->side_count : SIDES;
    uint64_t contended = sharing_contended(line);
    int y = RULER + (int)sides * STEP;
    html_markup(writer,
                "<div class=\"wide\"><svg class=\"chart\" viewBox=\"0 0 %d %d\" "
                "role=\"img\" aria-label=\"bytes that threads use\"><text class=\"dim\" x=\"0\" "
                "y=\"11\">byte of line</text>",
                HTML_SHARING_LEFT + BYTES * BYTE + RIGHT, y + STEP);
    for (int byte = 0; byte < BYTES; byte += 8)
        html_markup(writer, "<text class=\"dim\" x=\"%d\" y=\"11\">%d</text>",
                    HTML_SHARING_LEFT + byte * BYTE, byte);
    for (size_t i = 0; i < sides; i++)
        draw_side(writer, &line->sides[i], RULER + (int)i * STEP);
    html_markup(writer, "<text class=\"dim\" x=\"0\" y=\"%d\">same bytes</text>", y + 12);
    draw_runs(writer, contended, "same", y + 4, HTML_SHARING_HEIGHT / 2);
    if (!contended)
        html_markup(writer,
                    "<text class=\"dim\" x=\"%d\" y=\"%d\">none: only the line is shared</text>",
                    HTML_SHARING_LEFT, y + 12);
    html_markup(writer, "</svg></div>\n<ul class=\"keys\"><li><i class=\"key read\"></i>reads</li>"
                        "<li><i class=\"key write\"></i>writes</li></ul>\n");
}

static void write_accesses(struct html_writer *writer, const struct snapshot_sharing_line *line)
{
    struct sharing_access accesses[ACCESSES];
    size_t count = 0;
    for (size_t i = 0; i < line->side_count; i++)
        for (size_t k = 0; k < line->sides[i].code_count && count < ACCESSES; k++)
            accesses[count++] = (struct sharing_access){&line->sides[i], &line->sides[i].codes[k]};
    html_rows(writer, &sharing_access_columns, accesses, count, ACCESSES);
}

static void write_group(struct html_writer *writer, const struct snapshot_sharing_group *group,
                        bool open)
{
    char reading[SHARING_READING_BYTES];
    sharing_reading(group, reading, sizeof reading);
    html_details(writer, open);
    html_say(writer, "<summary><span class=\"strong\">%s</span> %s</summary>\n",
             group->name && *group->name ? group->name : "(no name)",
             sharing_verdict_name(group->verdict));
    html_element(writer, "p", "says", reading);
    if (group->line_count) {
        draw_line(writer, &group->lines[0]);
        write_accesses(writer, &group->lines[0]);
    }
    if (group->line_count > 1)
        html_rows(writer, &sharing_line_columns, group->lines, group->line_count,
                  HTML_SHARING_LINE_ROWS);
    html_markup(writer, "</details>\n");
}

void html_sharing(struct html_writer *writer)
{
    const struct snapshot_sharing *sharing = &writer->snapshot->sharing;
    html_element(writer, "p", "lead",
                 sharing->evidence == SHARING_HITM
                     ? "Lines that several threads access, at least one with stores; the hardware "
                       "reports when a load finds the line modified in another cache."
                     : "Lines that several threads access in turn, at least one with stores.");
    html_rows(writer, &sharing_columns, sharing->groups, sharing->group_count, GROUP_ROWS);
    for (size_t i = 0; i < sharing->group_count && i < GROUPS_OPENED; i++)
        write_group(writer, &sharing->groups[i], i == 0);
}

/* ---- exact totals of a run under simulated caches ---- */

void html_simulation(struct html_writer *writer)
{
    const struct snapshot_simulation *simulation = &writer->snapshot->simulation;
    char text[320];
    simulation_sentence(simulation, text, sizeof text);
    html_element(writer, "p", "says", text);
    html_rows(writer, &simulation_columns, simulation->level, simulation->level_count,
              SIMULATION_LEVELS_MAX);
}
