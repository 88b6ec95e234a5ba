/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which function misses on which object, as a table with heat, and its strongest cells in words;
 * declared in html_part.h. */
#include "view/html_part.h"

#include "view/html_table.h"
#include "view/matrix_words.h"

#include <stdlib.h>

enum { CELLS_OPENED = 8 };
static const double least_line = 0.001; /* rows and columns below it are counted, not drawn */
static const double least_told = 0.0005;

static bool drawn(const struct matrix_line *line)
{
    return line->total.share >= least_line;
}

/* A line leads to the part of the page on what it is, if it is one thing, and listed. */
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

static void write_titles(struct html_writer *writer, const struct matrix_table *table,
                         enum matrix_axis columns)
{
    html_markup(writer,
                "<thead><tr><th scope=\"col\">%s</th>"
                "<th scope=\"col\" class=\"num\">all</th>",
                table->title);
    for (size_t i = 0; i < table->column_count; i++) {
        if (!drawn(&table->columns[i]))
            continue;
        html_markup(writer, "<th scope=\"col\">");
        write_name(writer, &table->columns[i], columns);
        html_markup(writer, "</th>");
    }
    html_markup(writer, "</tr></thead>\n");
}

static void write_share(struct html_writer *writer, double share, const char *heat)
{
    html_markup(writer, "<td class=\"num%s%s\">", *heat ? " on " : "", heat);
    if (html_known(share) && share >= least_told)
        html_markup(writer, "%.1f%%", share * 100);
    else if (share > 0)
        html_markup(writer, "·");
    html_markup(writer, "</td>");
}

/* Row NULL: the totals of the columns. */
static void write_row(struct html_writer *writer, const struct matrix_table *table,
                      enum matrix_axis rows, const struct matrix_line *row)
{
    html_markup(writer, "<tr%s><th scope=\"row\">", row ? "" : " class=\"strong\"");
    if (row)
        write_name(writer, row, rows);
    else
        html_markup(writer, "%s", table->all);
    html_markup(writer, "</th>");
    write_share(writer, row ? row->total.share : table->snapshot->matrix.all.share, "");
    for (size_t i = 0; i < table->column_count; i++) {
        double share =
            row ? table->cells[row - table->rows][i].share : table->columns[i].total.share;
        bool hot = row && html_known(share) && share >= least_told;
        if (drawn(&table->columns[i]))
            write_share(writer, share, hot ? html_class(paint_heat(share)) : "");
    }
    html_markup(writer, "</tr>\n");
}

void html_matrix_table(struct html_writer *writer, const struct matrix_table *table,
                       enum matrix_axis row_axis, enum matrix_axis column_axis)
{
    size_t rows = 0;
    size_t columns = 0;
    html_markup(writer, "<div class=\"wide\"><table class=\"matrix\">\n");
    write_titles(writer, table, column_axis);
    html_markup(writer, "<tbody>\n");
    write_row(writer, table, row_axis, NULL);
    for (size_t i = 0; i < table->row_count; i++) {
        if (drawn(&table->rows[i]))
            write_row(writer, table, row_axis, &table->rows[i]);
        rows += !drawn(&table->rows[i]);
    }
    html_markup(writer, "</tbody></table></div>\n");
    for (size_t i = 0; i < table->column_count; i++)
        columns += !drawn(&table->columns[i]);
    if (rows || columns)
        html_markup(writer,
                    "<p class=\"dim\">%zu rows and %zu columns of less than 0.1%% are left out; "
                    "the JSON report (-j) lists them.</p>\n",
                    rows, columns);
}

static void write_cell(struct html_writer *writer, const struct matrix_table *table,
                       const struct matrix_cell *cell, bool open)
{
    char text[MATRIX_WORD_BYTES];
    matrix_word(table, cell, MATRIX_WORD_TITLE, text);
    html_markup(writer, "<details%s><summary><b>%.1f%%</b> ", open ? " open=\"open\"" : "",
                cell->figures->share * 100);
    html_text(writer, text);
    html_markup(writer, "</summary>\n<ul class=\"notes says\">\n");
    for (enum matrix_word word = MATRIX_WORD_SHARES; word < MATRIX_WORDS; word++) {
        matrix_word(table, cell, word, text);
        html_element(writer, "li", "", text);
    }
    html_markup(writer, "</ul>\n</details>\n");
}

static void write_cells(struct html_writer *writer, const struct matrix_table *table)
{
    bool told[MATRIX_ROWS][MATRIX_COLUMNS] = {{false}};
    struct matrix_cell *cell = malloc(sizeof *cell);
    size_t row;
    size_t column;
    for (int i = 0; cell && i < CELLS_OPENED && matrix_cell_next(table, told, &row, &column); i++) {
        matrix_cell_gather(table, row + 1, column + 1, cell);
        write_cell(writer, table, cell, !i);
    }
    free(cell);
}

void html_matrix(struct html_writer *writer)
{
    struct matrix_rules rules;
    char lead[320];
    struct matrix_table *table = malloc(sizeof *table);
    if (!table || !writer->snapshot->matrix.row_count) {
        free(table);
        return;
    }
    matrix_rules_init(&rules);
    matrix_table_make(table, writer->snapshot, &rules, MATRIX_WEIGHT);
    snprintf(
        lead, sizeof lead,
        "Functions down, objects across: each cell is the part of all %.80s that this function "
        "has on this object. A row or a column adds up to its total.",
        matrix_table_measured(table));
    html_section(writer, "matrix", "Which code on which data", lead);
    html_matrix_table(writer, table, MATRIX_FUNCTIONS, MATRIX_OBJECTS);
    write_cells(writer, table);
    html_section_end(writer);
    matrix_rules_fini(&rules);
    free(table);
}
