/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One cell of the matrix in words; declared in matrix_grid.h. */
#include "view/matrix_grid.h"

#include "base/text.h"
#include "view/columns.h"
#include "view/levels_words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PARTS_MAX = 24, PARTS_TOLD = 5, NAME_BYTES = 160, LINE_BYTES = 1024 };

/* Part of a cell: a field or a source line. */
struct part {
    char name[NAME_BYTES];
    double samples;
};

struct parts {
    struct part list[PARTS_MAX];
    size_t count;
    double all;
};

static void count_part(struct parts *parts, const char *name, double samples)
{
    size_t i = 0;
    parts->all += samples;
    if (!name)
        return;
    while (i < parts->count && strcmp(parts->list[i].name, name) != 0)
        i++;
    if (i == PARTS_MAX)
        return;
    if (i == parts->count)
        snprintf(parts->list[parts->count++].name, NAME_BYTES, "%s", name);
    parts->list[i].samples += samples;
}

/* "label a 60%, b 30%", most first; "" where no part is known. */
static void tell_parts(struct parts *parts, const char *label, char *out, size_t size)
{
    size_t used = 0;
    *out = '\0';
    for (int told = 0; told < PARTS_TOLD && used < size; told++) {
        struct part *most = NULL;
        for (size_t i = 0; i < parts->count; i++)
            if (!most || parts->list[i].samples > most->samples)
                most = &parts->list[i];
        if (!most || !(most->samples >= 0.005 * parts->all) || !(parts->all > 0))
            return;
        used += (size_t)snprintf(out + used, size - used, "%s%s %.0f%%", told ? ", " : label,
                                 most->name, most->samples / parts->all * 100);
        most->samples = 0;
    }
}

/* An instruction counts for the object that it misses on most, and with its part for that. */
static void count_instruction(const struct matrix_table *table, size_t column,
                              const struct snapshot_instruction *instruction, struct parts *fields,
                              struct parts *lines)
{
    char place[NAME_BYTES];
    double samples = instruction->samples;
    if (column && matrix_table_line(table, MATRIX_OBJECTS, instruction->object) + 1 != column)
        return;
    if (column && !isnan(instruction->object_share))
        samples *= instruction->object_share;
    count_part(fields, column ? instruction->field : NULL, samples);
    const char *slash = instruction->file ? strrchr(instruction->file, '/') : NULL;
    snprintf(place, sizeof place, "%s:%u",
             slash               ? slash + 1
             : instruction->file ? instruction->file
                                 : "",
             instruction->line);
    count_part(lines, instruction->file && instruction->line ? place : NULL, samples);
}

static void gather(const struct matrix_grid *grid, const struct matrix_table *table,
                   struct parts *fields, struct parts *lines)
{
    const struct snapshot *snapshot = table->snapshot;
    const struct snapshot_matrix *matrix = &snapshot->matrix;
    for (size_t i = 0; i < matrix->row_count; i++) {
        const struct snapshot_code *code = &snapshot->code[matrix->rows[i]];
        if (grid->row && table->row_of[i] + (size_t)1 != grid->row)
            continue;
        for (size_t k = 0; k < code->instruction_count; k++)
            count_instruction(table, grid->column, &code->instructions[k], fields, lines);
    }
}

static const struct snapshot_matrix_cell *cell_under(const struct matrix_grid *grid,
                                                     const struct matrix_table *table)
{
    const struct matrix_line *row = matrix_grid_row(grid, table);
    const struct matrix_line *column = matrix_grid_column(grid, table);
    return row && column ? &table->cells[grid->row - 1][grid->column - 1]
           : row         ? &row->total
           : column      ? &column->total
                         : &table->snapshot->matrix.all;
}

/* ", 45% of NAME's" of a line; "" for what is no line, or all of it in any case. */
static void tell_part_of(const struct matrix_line *line, const struct snapshot_matrix_cell *cell,
                         char *out, size_t size)
{
    *out = '\0';
    if (line && line->total.share > 0)
        snprintf(out, size, ", %.1f%% of %s%s", cell->share / line->total.share * 100,
                 line->members ? "" : "that of ", line->name);
}

static void tell_shares(const struct matrix_line *row, const struct matrix_line *column,
                        const struct matrix_table *table, const struct snapshot_matrix_cell *cell,
                        char *out, size_t size)
{
    char of_row[NAME_BYTES];
    char of_column[NAME_BYTES];
    char kinds[64] = "";
    char count[16];
    const char *weighs = table->snapshot->source.weighs;
    tell_part_of(column ? row : NULL, cell, of_row, sizeof of_row);
    tell_part_of(row ? column : NULL, cell, of_column, sizeof of_column);
    if (cell->samples > 0)
        snprintf(kinds, sizeof kinds, ": %.0f%% loads, %.0f%% stores",
                 cell->loads / cell->samples * 100, cell->stores / cell->samples * 100);
    if (!(cell->samples > 0))
        snprintf(out, size, "nothing: no sample of it fell there");
    else
        snprintf(out, size, "%.1f%% of all %s%s%s; %s samples%s", cell->share * 100,
                 weighs && *weighs ? weighs : "weight", of_row, of_column,
                 text_count(count, cell->samples), kinds);
}

/* What the hardware told of the object as a whole: it is not kept by function. */
static void tell_levels(const struct matrix_line *column, const struct matrix_table *table,
                        char *out, size_t size)
{
    char text[LINE_BYTES / 2];
    const struct snapshot *snapshot = table->snapshot;
    *out = '\0';
    if (column && column->members != 1)
        return;
    const struct snapshot_levels *levels =
        column ? snapshot->objects[column->index].levels : snapshot->levels;
    levels_sentence(snapshot, levels, text, sizeof text);
    if (*text)
        snprintf(out, size, "%.*s, by all code, %s", NAME_BYTES,
                 column ? column->name : "everything", text);
}

/* Rows that are wanted least are the last ones. */
static int say(struct canvas *canvas, struct area area, int used, enum paint paint,
               const char *text)
{
    struct area rest = {area.row + used, area.column + 1, area.rows - used, area.columns - 2};
    if (!*text || rest.rows < 1)
        return 0;
    if (rest.rows > 2)
        rest.rows = 2;
    return canvas_wrap(canvas, rest, paint, text);
}

int matrix_words_draw(const struct matrix_grid *grid, const struct matrix_table *table,
                      struct canvas *canvas, struct area area)
{
    const struct matrix_line *row = matrix_grid_row(grid, table);
    const struct matrix_line *column = matrix_grid_column(grid, table);
    struct parts fields = {.count = 0};
    struct parts lines = {.count = 0};
    char text[LINE_BYTES];
    int used = 0;
    snprintf(text, sizeof text, "%s on %s", row ? row->name : "all functions",
             column ? column->name : "all objects");
    if (area.rows > 1)
        used += say(canvas, area, used, PAINT_PANE, text);
    tell_shares(row, column, table, cell_under(grid, table), text, sizeof text);
    used += say(canvas, area, used, PAINT_STRONG, text);
    gather(grid, table, &fields, &lines);
    tell_parts(&fields, "fields: ", text, sizeof text);
    used += say(canvas, area, used, PAINT_PLAIN, text);
    tell_parts(&lines, "lines: ", text, sizeof text);
    used += say(canvas, area, used, PAINT_PLAIN, text);
    tell_levels(column, table, text, sizeof text);
    return used + say(canvas, area, used, PAINT_DIM, text);
}
