/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Why lines were missed, in batch text; declared in text_writer.h. */
#include "view/causes_words.h"
#include "view/evictions_table.h"
#include "view/text_writer.h"

#include <stdlib.h>

enum { CAUSES_ROWS = 15, EXPLAINED = 3, EVICTORS = 3, TEXT_BYTES = 512, CELLS_TOLD = 5 };
static const double least_cell = 0.02; /* of all misses whose evictor is known */

static void say_row(struct text_writer *writer, enum causes_of kind,
                    const struct snapshot_causes_row *row)
{
    char text[TEXT_BYTES];
    causes_advice(kind, row, text, sizeof text);
    text_say(writer, "%s: %s", row->name, text);
    causes_early(&row->figures, text, sizeof text);
    if (*text)
        text_say(writer, "  %s", text);
    if (kind == CAUSES_OBJECTS)
        causes_fields(writer->snapshot, row, text, sizeof text);
    if (kind == CAUSES_OBJECTS && *text)
        text_say(writer, "  %s", text);
    causes_threads(writer->snapshot, row, text, sizeof text);
    if (*text)
        text_say(writer, "  thrown out by threads: %s", text);
    for (size_t i = 0; i < row->evictor_count && i < EVICTORS; i++) {
        causes_evictor(&row->evictors[i], text, sizeof text);
        text_say(writer, "  %5.1f%% thrown out by %s", 100 * row->evictors[i].share, text);
    }
}

static void print_kind(struct text_writer *writer, enum causes_of kind)
{
    const struct snapshot_causes_list *list = &writer->snapshot->causes.of[kind];
    char text[TEXT_BYTES];
    if (kind == CAUSES_THREADS && list->count < 2)
        return;
    causes_summary(writer->snapshot, kind, text, sizeof text);
    text_say(writer, "\n%s", text);
    text_rows(writer, &causes_columns[kind], list->rows, list->count, CAUSES_ROWS);
    for (size_t i = 0; i < list->count && i < EXPLAINED; i++)
        say_row(writer, kind, &list->rows[i]);
}

/* The strongest cell that was not told yet. False: none is worth a line. */
static bool next_cell(const struct matrix_table *table, bool told[MATRIX_ROWS][MATRIX_COLUMNS],
                      size_t *row, size_t *column)
{
    double most = least_cell;
    bool found = false;
    for (size_t i = 0; i < table->row_count; i++)
        for (size_t k = 0; k < table->column_count; k++) {
            if (told[i][k] || !(table->cells[i][k].share >= most))
                continue;
            most = table->cells[i][k].share;
            *row = i;
            *column = k;
            found = true;
        }
    if (found)
        told[*row][*column] = true;
    return found;
}

static void print_evictions(struct text_writer *writer)
{
    bool told[MATRIX_ROWS][MATRIX_COLUMNS] = {{false}};
    struct matrix_table *table = malloc(sizeof *table);
    char text[TEXT_BYTES];
    size_t row;
    size_t column;
    if (!table)
        return;
    evictions_table_make(table, writer->snapshot, CAUSES_OBJECTS);
    if (table->row_count) {
        evictions_title(writer->snapshot, CAUSES_OBJECTS, text, sizeof text);
        text_say(writer, "\n%s", text);
    }
    for (int i = 0; i < CELLS_TOLD && next_cell(table, told, &row, &column); i++) {
        evictions_words(table, CAUSES_OBJECTS, row + 1, column + 1, text, sizeof text);
        text_say(writer, "  %5.1f%% %s", 100 * table->cells[row][column].share, text);
    }
    free(table);
}

void causes_text_print(struct text_writer *writer)
{
    if (!writer->snapshot->causes.told)
        return;
    for (enum causes_of kind = 0; kind < CAUSES_KINDS; kind++)
        print_kind(writer, kind);
    print_evictions(writer);
}
