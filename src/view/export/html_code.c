/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "view/export/writers.h"
#include "view/screens/rows.h"
#include "view/screens/matrix_table.h"

enum {
    FUNCTION_ROWS = 60,
    SOURCE_ROWS = 150,
    INSTRUCTION_ROWS = 40,
    CALLER_ROWS = 100,
    ALWAYS_OPENED = 3
};

static const double worth_opening = 0.005;

/* A function with few misses is only a row of the table. */
static bool is_listed_function(const struct snapshot_code *code, size_t index)
{
    return index < HTML_FUNCTIONS_OPENED && code->instruction_count &&
           (index < ALWAYS_OPENED || code->share.value >= worth_opening);
}

/* Finds the function's row in `code`, because it is also a row of each object that it misses on. */
bool html_function_link(const struct snapshot *snapshot, const void *pointer, char *id, size_t size)
{
    const struct snapshot_code *code =
        columns_code(snapshot, ((const struct snapshot_code *)pointer)->id);
    size_t index = code ? (size_t)(code - snapshot->code) : 0;
    snprintf(id, size, "f%zu", index + 1);
    return code && is_listed_function(code, index);
}

/* Explains why lines have no text, for the first file without text. */
static void write_unreadable(struct html_writer *writer, const struct source_rows *lines)
{
    const struct view_sources *sources = writer->sources;
    const char *note = NULL;
    for (size_t i = 0; i < lines->count && !note && sources->source_note; i++)
        if (lines->list[i].file && !lines->list[i].text[0])
            note = sources->source_note(sources->context, lines->list[i].file);
    html_printf(writer,
                "<p class=\"dim\">A source file could not be read: --symfs DIR sets its "
                "directory.%s%s</p>\n",
                note ? " " : "", note);
}

/* Writes the lines as on the screen; instructions if no line is known. */
static void write_lines(struct html_writer *writer, const struct snapshot_code *code)
{
    struct source_rows lines = {.list = NULL};
    struct instruction_rows instructions = {.list = NULL};
    source_rows_make(&lines, code, writer->sources);
    html_rows(writer, &source_columns, lines.list, lines.count, SOURCE_ROWS);
    if (lines.unreadable)
        write_unreadable(writer, &lines);
    instruction_rows_make(&instructions, code, NULL, writer->sources);
    if (lines.count)
        html_markup(writer, "<details><summary>Instructions</summary>\n");
    html_rows(writer, &instruction_columns, instructions.list, instructions.count,
              INSTRUCTION_ROWS);
    if (lines.count)
        html_markup(writer, "</details>\n");
    free(instructions.list);
    free(lines.list);
}

static void write_callers(struct html_writer *writer, const struct snapshot_code *code)
{
    struct caller_rows rows = {0};
    char known[96];
    if (!code->callers)
        return;
    caller_rows_make(&rows, code->callers);
    callers_known(code->callers, code->samples + code->unknown_samples, known, sizeof known);
    html_printf(writer, "<details><summary>Callers: %s</summary>\n", known);
    html_rows(writer, &caller_columns, rows.list, rows.count, CALLER_ROWS);
    html_markup(writer, "</details>\n");
    free(rows.list);
}

static void write_function(struct html_writer *writer, const struct snapshot_code *code,
                           size_t number, bool open)
{
    char text[32] = "";
    if (html_known(code->share.value))
        format_percent(text, sizeof text, value_number(code->share.value));
    html_details(writer, open);
    html_printf(writer,
                "<summary><span class=\"strong\">%s</span> %s</summary>\n<div id=\"f%zu\">\n",
                code->function && *code->function ? code->function : "(no name)", text, number);
    if (code->file && code->line)
        html_printf(writer, "<p class=\"dim\">%s:%u</p>\n", code->file, code->line);
    write_lines(writer, code);
    write_callers(writer, code);
    html_markup(writer, "</div></details>\n");
}

void html_code(struct html_writer *writer)
{
    const struct snapshot *snapshot = writer->snapshot;
    html_linked_rows(writer, &function_columns, snapshot->code, snapshot->code_count, FUNCTION_ROWS,
                     html_function_link);
    for (size_t i = 0; i < snapshot->code_count; i++)
        if (is_listed_function(&snapshot->code[i], i))
            write_function(writer, &snapshot->code[i], i + 1, i == 0);
}

/* ---- the matrix of functions and objects as a heat table, and its largest cells in words ---- */

enum { CELLS_OPENED = 8 };
static const double min_line = 0.001; /* smaller rows and columns are counted but not drawn */
static const double min_listed = 0.0005;

static bool is_drawn_line(const struct matrix_line *line)
{
    return line->total.share >= min_line;
}

/* Writes a name, as a link to its part of the page if there is one. */
static void write_name(struct html_writer *writer, const struct matrix_line *line,
                       enum matrix_axis axis)
{
    const struct snapshot *snapshot = writer->snapshot;
    char id[32];
    bool leads = line->members == 1 && line->index != UINT32_MAX &&
                 (axis == MATRIX_FUNCTIONS
                      ? html_function_link(snapshot, &snapshot->code[line->index], id, sizeof id)
                      : html_object_link(snapshot, &snapshot->objects[line->index], id, sizeof id));
    if (leads)
        html_markup(writer, "<a href=\"#%s\">", id);
    html_text(writer, line->name);
    if (line->members > 1)
        html_markup(writer, " +%u", line->members - 1);
    if (leads)
        html_markup(writer, "</a>");
}

static void write_titles(struct html_writer *writer, const struct matrix_table *table)
{
    html_markup(writer, "<thead><tr><th scope=\"col\">Function</th>"
                        "<th scope=\"col\" class=\"num\">all</th>");
    const struct matrix_lines *columns = &table->axis[MATRIX_OBJECTS];
    for (size_t i = 0; i < columns->count; i++) {
        if (!is_drawn_line(&columns->list[i]))
            continue;
        html_markup(writer, "<th scope=\"col\">");
        write_name(writer, &columns->list[i], MATRIX_OBJECTS);
        html_markup(writer, "</th>");
    }
    html_markup(writer, "</tr></thead>\n");
}

static void write_share(struct html_writer *writer, double share, const char *heat)
{
    html_markup(writer, "<td class=\"num%s%s\">", *heat ? " on " : "", heat);
    if (html_known(share) && share >= min_listed)
        html_markup(writer, "%.1f%%", share * 100);
    else if (share > 0)
        html_markup(writer, "·");
    html_markup(writer, "</td>");
}

/* Writes a row of cells; with `row` NULL, the totals of the columns. */
static void write_row(struct html_writer *writer, const struct matrix_table *table,
                      const struct matrix_line *row)
{
    html_markup(writer, "<tr%s><th scope=\"row\">", row ? "" : " class=\"strong\"");
    if (row)
        write_name(writer, row, MATRIX_FUNCTIONS);
    else
        html_markup(writer, "all functions");
    html_markup(writer, "</th>");
    write_share(writer, row ? row->total.share : table->snapshot->matrix.all.share, "");
    const struct matrix_line *rows = table->axis[MATRIX_FUNCTIONS].list;
    const struct matrix_lines *columns = &table->axis[MATRIX_OBJECTS];
    for (size_t i = 0; i < columns->count; i++) {
        double share = row ? table->cells[row - rows][i].share : columns->list[i].total.share;
        bool hot = row && html_known(share) && share >= min_listed;
        if (is_drawn_line(&columns->list[i]))
            write_share(writer, share, hot ? html_class(paint_heat(share)) : "");
    }
    html_markup(writer, "</tr>\n");
}

static void write_table(struct html_writer *writer, const struct matrix_table *table)
{
    size_t left[MATRIX_AXES] = {0};
    const struct matrix_lines *rows = &table->axis[MATRIX_FUNCTIONS];
    html_markup(writer, "<div class=\"wide\"><table class=\"matrix\">\n");
    write_titles(writer, table);
    html_markup(writer, "<tbody>\n");
    write_row(writer, table, NULL);
    for (size_t i = 0; i < rows->count; i++)
        if (is_drawn_line(&rows->list[i]))
            write_row(writer, table, &rows->list[i]);
    html_markup(writer, "</tbody></table></div>\n");
    for (int axis = 0; axis < MATRIX_AXES; axis++)
        for (size_t i = 0; i < table->axis[axis].count; i++)
            left[axis] += !is_drawn_line(&table->axis[axis].list[i]);
    if (left[MATRIX_FUNCTIONS] || left[MATRIX_OBJECTS])
        html_markup(writer,
                    "<p class=\"dim\">%zu rows and %zu columns of less than 0.1%% are left out; "
                    "the JSON report (-j) lists them.</p>\n",
                    left[MATRIX_FUNCTIONS], left[MATRIX_OBJECTS]);
}

static void write_cell(struct html_writer *writer, const struct matrix_table *table,
                       const struct matrix_cell *cell, bool open)
{
    char text[MATRIX_WORD_BYTES];
    matrix_word(table, cell, MATRIX_WORD_TITLE, text);
    html_details(writer, open);
    html_printf(writer, "<summary><b>%.1f%%</b> %s</summary>\n<ul class=\"notes says\">\n",
                cell->figures->share * 100, text);
    for (enum matrix_word word = MATRIX_WORD_SHARES; word < MATRIX_WORDS; word++) {
        matrix_word(table, cell, word, text);
        html_element(writer, "li", "", text);
    }
    html_markup(writer, "</ul>\n</details>\n");
}

static void write_cells(struct html_writer *writer, const struct matrix_table *table)
{
    bool listed[MATRIX_ROWS][MATRIX_COLUMNS] = {{false}};
    struct matrix_cell *cell = malloc(sizeof *cell);
    struct matrix_place place;
    for (int i = 0; cell && i < CELLS_OPENED && matrix_cell_next(table, listed, &place); i++) {
        matrix_cell_gather(table, place, cell);
        write_cell(writer, table, cell, !i);
    }
    free(cell);
}

void html_matrix(struct html_writer *writer)
{
    struct bin_rules rules;
    char lead[320];
    struct matrix_table *table = malloc(sizeof *table);
    if (!table)
        return;
    bin_rules_open(&rules, MATRIX_RULES);
    matrix_table_make(table, writer->snapshot, &rules, MATRIX_WEIGHT);
    snprintf(lead, sizeof lead,
             "A row per function and a column per object. Each cell is the share of all %.80s of "
             "one function on one object. Rows and columns add up to their totals.",
             matrix_table_measured(table));
    html_element(writer, "p", "lead", lead);
    write_table(writer, table);
    write_cells(writer, table);
    bin_rules_fini(&rules);
    free(table);
}
