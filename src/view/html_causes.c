/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Why lines were missed, by object, function and thread, and who evicts whom; declared in
 * html_part.h. */
#include "view/html_part.h"

#include "view/causes_words.h"
#include "view/evictions_table.h"
#include "view/html_table.h"

#include <stdlib.h>

enum { ROWS = 30, EXPLAINED = 8, TEXT_BYTES = 512 };
static const double worth_telling = 0.01; /* of all misses */

static bool link_object(const struct snapshot *snapshot, const void *row, char *id, size_t size)
{
    const struct snapshot_object *object =
        columns_object(snapshot, ((const struct snapshot_causes_row *)row)->index);
    return object && html_object_link(snapshot, object, id, size);
}

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
    if (*text) {
        html_markup(writer, "<li>thrown out by threads: ");
        html_text(writer, text);
        html_markup(writer, "</li>\n");
    }
    for (size_t i = 0; i < row->evictor_count; i++) {
        if (row->evictors[i].share < worth_telling)
            return;
        causes_evictor(&row->evictors[i], text, sizeof text);
        html_markup(writer, "<li>%.1f%% thrown out by ", 100 * row->evictors[i].share);
        html_text(writer, text);
        html_markup(writer, "</li>\n");
    }
}

static void explain(struct html_writer *writer, enum causes_of kind,
                    const struct snapshot_causes_row *row, bool open)
{
    char text[TEXT_BYTES];
    html_markup(writer, "<details%s><summary><b>%.1f%%</b> ", open ? " open=\"open\"" : "",
                100 * row->figures.misses / writer->snapshot->causes.all.misses);
    html_text(writer, row->name);
    html_markup(writer, "</summary>\n");
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
                                             size_t) = {link_object, link_function, NULL};
    const struct snapshot_causes *causes = &writer->snapshot->causes;
    const struct snapshot_causes_list *list = &causes->of[kind];
    if (kind == CAUSES_THREADS && list->count < 2)
        return;
    html_markup(writer, "<h3>By %s</h3>\n", causes_of_name(kind));
    html_table(writer, &(struct html_table){.columns = &causes_columns[kind],
                                            .rows = list->rows,
                                            .count = list->count,
                                            .most = ROWS,
                                            .link = links[kind]});
    for (size_t i = 0; i < list->count && i < EXPLAINED; i++)
        if (list->rows[i].figures.misses >= worth_telling * causes->all.misses)
            explain(writer, kind, &list->rows[i], !i);
}

static void write_evictions(struct html_writer *writer, enum causes_of kind)
{
    enum matrix_axis axis = kind == CAUSES_OBJECTS ? MATRIX_OBJECTS : MATRIX_FUNCTIONS;
    if (kind == CAUSES_THREADS && writer->snapshot->causes.of[kind].count < 2)
        return;
    struct matrix_table *table = malloc(sizeof *table);
    char text[TEXT_BYTES];
    if (!table)
        return;
    evictions_table_make(table, writer->snapshot, kind);
    if (table->row_count) {
        evictions_title(writer->snapshot, kind, text, sizeof text);
        html_element(writer, "p", "says", text);
        html_matrix_table(writer, table, axis, axis);
    }
    free(table);
}

void html_causes(struct html_writer *writer)
{
    char text[TEXT_BYTES];
    if (!writer->snapshot->causes.told)
        return;
    causes_summary(writer->snapshot, CAUSES_OBJECTS, text, sizeof text);
    html_section(writer, "causes", "Why lines were missed", text);
    for (enum causes_of kind = 0; kind < CAUSES_KINDS; kind++)
        write_kind(writer, kind);
    html_markup(writer, "<h3>Who evicts whom</h3>\n");
    write_evictions(writer, CAUSES_OBJECTS);
    write_evictions(writer, CAUSES_FUNCTIONS);
    write_evictions(writer, CAUSES_THREADS);
    html_section_end(writer);
}
