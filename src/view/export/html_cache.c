/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "view/export/writers.h"
#include "view/screens/causes.h"
#include "view/words.h"
#include "view/widget/chart.h"

enum { SETS_ROWS = 16, PAIR_ROWS = 20, HTML_SETS_LINE_ROWS = 20 };

static void draw_sets(struct html_writer *writer, const struct snapshot_sets *sets)
{
    struct sets_map map;
    struct canvas canvas;
    if (canvas_init(&canvas, SETS_ROWS + 1, HTML_PICTURE_COLUMNS, false))
        return;
    int rows = sets_map_draw(sets, &map, -1, &canvas,
                             (struct area){0, 0, SETS_ROWS, HTML_PICTURE_COLUMNS});
    sets_map_legend(sets, &canvas, rows);
    html_picture(writer, &canvas, rows + 1, "samples by cache set");
    if (map.fold > 1)
        html_markup(writer, "<p class=\"dim\">A cell shows the fullest of its %d sets.</p>\n",
                    map.fold);
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
    draw_sets(writer, sets);
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

static void write_kind(struct html_writer *writer, enum causes_of kind)
{
    static bool (*const links[CAUSES_KINDS])(const struct snapshot *, const void *, char *,
                                             size_t) = {[CAUSES_FUNCTIONS] = link_function};
    const struct snapshot_causes *causes = &writer->snapshot->causes;
    const struct snapshot_causes_list *list = &causes->by_kind[kind];
    if (kind == CAUSES_THREADS && list->count < 2)
        return;
    html_markup(writer, "<h3>By %s</h3>\n", causes_of_name(kind));
    html_linked_rows(writer, &causes_columns[kind], list->rows, list->count, HTML_CAUSES_ROWS,
                     links[kind]);
    for (size_t i = 0; i < list->count && i < EXPLAINED; i++)
        if (list->rows[i].figures.misses >= worth_listing * causes->all.misses)
            html_explain(writer, &causes_columns[kind], &list->rows[i], !i);
}

static void write_evictions(struct html_writer *writer, enum causes_of kind)
{
    struct eviction_row rows[EVICTION_ROWS_MAX];
    if (kind == CAUSES_THREADS && writer->snapshot->causes.by_kind[kind].count < 2)
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

enum { CURVE_ROWS = 14, HTML_REUSE_ROWS = 15, OPENED = 5 };

static void write_row(struct html_writer *writer, const struct snapshot_reuse_row *row, bool open)
{
    const struct snapshot_reuse *reuse = &writer->snapshot->reuse;
    struct canvas canvas;
    char text[512];
    reuse_advice(reuse, row, text, sizeof text);
    html_details(writer, open);
    html_printf(writer, "<summary><span class=\"strong\">%s</span></summary>\n", row->name);
    html_element(writer, "p", "says", text);
    if (!canvas_init(&canvas, CURVE_ROWS, HTML_PICTURE_COLUMNS, false)) {
        reuse_curve_draw(reuse, row, &canvas,
                         (struct area){0, 0, CURVE_ROWS, HTML_PICTURE_COLUMNS});
        html_picture(writer, &canvas, CURVE_ROWS, "miss rate by cache size");
    }
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

enum { GROUP_ROWS = 40, GROUPS_OPENED = 8, SIDES = 16, HTML_SHARING_LINE_ROWS = 20, ACCESSES = 64 };

static void draw_line(struct html_writer *writer, const struct snapshot_sharing_line *line)
{
    struct canvas canvas;
    struct area area = {0, 0, SIDES + 2, HTML_PICTURE_COLUMNS};
    if (canvas_init(&canvas, area.rows, area.columns, false))
        return;
    int rows = sharing_picture(line, &canvas, area);
    html_picture(writer, &canvas, rows, "bytes that threads use");
    html_markup(writer, "<p class=\"dim\">r: read, W: written.</p>\n");
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
    html_printf(writer, "<summary><span class=\"strong\">%s</span> %s</summary>\n",
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
