/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Misses by cache set, as a strip of heat with bars, and what recurs in the window; declared in
 * html_part.h. */
#include "view/html_part.h"

#include "view/html_table.h"

#include <inttypes.h>
#include <math.h>

enum {
    BARS = 256,
    WIDTH = 1000,
    HEIGHT = 120,
    BARS_BOTTOM = 84,
    STRIP = 12,
    LABELS = 116,
    PAIR_ROWS = 20,
    LINE_ROWS = 20
};

/* Sets that one bar stands for: the fullest of them is shown, or a single hot one would drown. */
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
    double x = (double)first * WIDTH / sets->sets;
    double width = fmax((double)step * WIDTH / sets->sets - 0.5, 0.5);
    const char *class = samples > 0 ? html_class(paint_heat(part)) : "cold";
    html_markup(writer,
                "<g><title>set %" PRIu32 ": %.0f samples</title>"
                "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>"
                "<rect class=\"%s\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\"/></g>\n",
                first, samples, class, x, BARS_BOTTOM * (1 - part), width, BARS_BOTTOM * part,
                class, x, BARS_BOTTOM + 4, width, STRIP);
}

/* Where all bars would end if the misses were spread evenly. */
static void draw_mean(struct html_writer *writer, const struct snapshot_sets *sets, double most)
{
    double sum = 0;
    for (uint32_t i = 0; i < sets->sets; i++)
        sum += html_known(sets->counts[i]) ? sets->counts[i] : 0;
    if (most > 0)
        html_markup(writer,
                    "<path class=\"cut\" d=\"M0 %.1fH%d\"><title>spread evenly: %.1f samples a "
                    "set</title></path>\n",
                    BARS_BOTTOM * (1 - sum / sets->sets / most), WIDTH, sum / sets->sets);
}

static void draw(struct html_writer *writer, const struct snapshot_sets *sets)
{
    double most = fullest(sets, 0, sets->sets);
    uint32_t step = sets_a_bar(sets);
    html_markup(writer,
                "<svg class=\"chart\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"samples by "
                "cache set\">\n",
                WIDTH, HEIGHT);
    for (uint32_t first = 0; first < sets->sets; first += step)
        draw_bar(writer, sets, first, most);
    draw_mean(writer, sets, most);
    html_markup(writer,
                "<text class=\"dim\" x=\"0\" y=\"%d\">set 0</text><text class=\"dim\" "
                "text-anchor=\"end\" x=\"%d\" y=\"%d\">set %" PRIu32 "</text></svg>\n",
                LABELS, WIDTH, LABELS, sets->sets - 1);
    if (step > 1)
        html_markup(writer,
                    "<p class=\"dim\">One bar for %" PRIu32
                    " sets, as high as the fullest of them.</p>\n",
                    step);
}

void html_sets(struct html_writer *writer)
{
    const struct snapshot_sets *sets = &writer->snapshot->sets;
    if (!sets->sets || !sets->counts)
        return;
    html_section(writer, "sets", "Cache sets",
                 "Samples by the set of the cache that the line belongs to. A few bars above all "
                 "others: hot lines, or lines that compete for the same set.");
    html_markup(writer, "<p>");
    html_format(writer,
                "%s: %" PRIu32 " sets of %" PRIu32 " lines of %" PRIu32 " bytes, by %s address. ",
                sets->level ? sets->level : "?", sets->sets, sets->ways, sets->line,
                sets->index ? sets->index : "?");
    html_markup(writer, "<span class=\"%s\">%s</span>",
                sets->verdict == SETS_CONCENTRATED ? "bad" : "strong",
                sets_verdict_name(sets->verdict));
    if (html_known(sets->p_value))
        html_markup(writer, " (p %.2g, %" PRIu32 " hot)", sets->p_value, sets->hot_sets);
    html_markup(writer, "</p>\n");
    html_element(writer, "p", "says", sets->reading);
    html_element(writer, "p", "dim", sets->note);
    draw(writer, sets);
    html_section_end(writer);
}

void html_window(struct html_writer *writer)
{
    const struct snapshot_window *window = &writer->snapshot->window;
    if (!window->used)
        return;
    html_section(writer, "again", "Lines sampled again",
                 "Of the last samples: the lines that came more than once.");
    html_markup(writer,
                "<p>%" PRIu64 " samples on %" PRIu64 " lines: %" PRIu64 " seen once, %" PRIu64
                " again.</p>\n",
                window->used, window->addresses, window->singletons, window->recurring);
    html_element(writer, "p", "says", window->reading);
    html_table(writer, &(struct html_table){.columns = &line_columns,
                                            .rows = window->top,
                                            .count = window->top_count,
                                            .most = LINE_ROWS});
    if (window->pair_count)
        html_markup(writer, "<h3>Sampled together</h3>\n");
    html_table(writer, &(struct html_table){.columns = &pair_columns,
                                            .rows = window->pairs,
                                            .count = window->pair_count,
                                            .most = PAIR_ROWS});
    html_section_end(writer);
}
