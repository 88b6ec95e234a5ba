/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The matrix in batch text: the first functions on the first objects; declared in text_writer.h. */
#include "view/text_writer.h"

#include "view/matrix_words.h"

enum {
    ROWS = 8,
    COLUMNS = 6,
    NAME_COLUMNS = 24,
    SHARE_COLUMNS = 8,
    CELL_COLUMNS = 11,
    CELLS_TOLD = 3
};

static void write_share(struct canvas *line, int *at, int columns, double share, enum paint paint)
{
    char text[16] = "";
    if (share > 0)
        format_percent(text, sizeof text, value_number(share));
    *at += canvas_format(line, 0, *at, columns, paint, "%*s", columns, text);
}

static void write_name(struct canvas *line, int at, int columns, enum paint paint, const char *name)
{
    char text[COLUMN_TEXT_BYTES];
    glyph_fit(text, sizeof text, name, columns, GLYPH_CUT_MIDDLE, line->ascii);
    canvas_text(line, 0, at, columns, paint, text);
}

/* What has no object stands last, whatever there is no room for. */
static size_t column_at(const struct matrix_table *table, size_t shown, size_t columns)
{
    size_t last = table->column_count - 1;
    bool nobody = table->columns[last].index == MATRIX_NOBODY;
    return nobody && shown + 1 == columns ? last : shown;
}

static void write_titles(struct text_writer *writer, const struct matrix_table *table,
                         size_t columns)
{
    struct canvas *line = &writer->line;
    canvas_format(line, 0, 0, line->columns, PAINT_HEADING, "%*s", line->columns, "");
    canvas_text(line, 0, 0, NAME_COLUMNS, PAINT_HEADING, "FUNCTION x OBJECT");
    canvas_format(line, 0, NAME_COLUMNS, SHARE_COLUMNS, PAINT_HEADING, "%*s", SHARE_COLUMNS, "ALL");
    for (size_t i = 0; i < columns; i++)
        write_name(line, NAME_COLUMNS + SHARE_COLUMNS + (int)i * CELL_COLUMNS + 1, CELL_COLUMNS - 1,
                   PAINT_HEADING, table->columns[column_at(table, i, columns)].name);
    text_canvas(writer);
}

/* Row NULL: the totals of the objects. */
static void write_row(struct text_writer *writer, const struct matrix_table *table,
                      const struct matrix_line *row, size_t columns)
{
    struct canvas *line = &writer->line;
    int at = NAME_COLUMNS;
    write_name(line, 0, NAME_COLUMNS - 1, PAINT_PLAIN, row ? row->name : "all functions");
    write_share(line, &at, SHARE_COLUMNS,
                row ? row->total.share : table->snapshot->matrix.all.share, PAINT_STRONG);
    for (size_t i = 0; i < columns; i++) {
        size_t k = column_at(table, i, columns);
        double share =
            row ? table->cells[row - table->rows][k].share : table->columns[k].total.share;
        write_share(line, &at, CELL_COLUMNS, share, row ? paint_heat(share) : PAINT_STRONG);
    }
    text_canvas(writer);
}

/* The strongest cells in words. */
static void write_cells(struct text_writer *writer, const struct matrix_table *table)
{
    bool told[MATRIX_ROWS][MATRIX_COLUMNS] = {{false}};
    char text[MATRIX_WORD_BYTES];
    struct matrix_cell cell;
    size_t row;
    size_t column;
    for (int i = 0; i < CELLS_TOLD && matrix_cell_next(table, told, &row, &column); i++) {
        matrix_cell_gather(table, row + 1, column + 1, &cell);
        for (enum matrix_word word = 0; word < MATRIX_WORDS; word++) {
            matrix_word(table, &cell, word, text);
            if (*text)
                text_say(writer, "%s%s", word == MATRIX_WORD_TITLE ? "" : "  ", text);
        }
    }
}

void matrix_text_print(struct text_writer *writer)
{
    struct matrix_rules rules;
    struct matrix_table table;
    int room = (writer->line.columns - NAME_COLUMNS - SHARE_COLUMNS) / CELL_COLUMNS;
    if (!writer->snapshot->matrix.row_count)
        return;
    matrix_rules_init(&rules);
    matrix_table_make(&table, writer->snapshot, &rules, MATRIX_WEIGHT);
    size_t columns = table.column_count < COLUMNS ? table.column_count : COLUMNS;
    if (room < (int)columns)
        columns = room > 0 ? (size_t)room : 0;
    fputc('\n', writer->out);
    write_titles(writer, &table, columns);
    write_row(writer, &table, NULL, columns);
    for (size_t i = 0; i < table.row_count && i < ROWS; i++)
        write_row(writer, &table, &table.rows[i], columns);
    if (table.row_count > ROWS || table.column_count > columns)
        text_say(writer, "(%zu functions and %zu objects in all; -j lists them)", table.row_count,
                 table.column_count);
    write_cells(writer, &table);
    matrix_rules_fini(&rules);
}
