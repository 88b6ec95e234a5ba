/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "view/export/json.h"
#include "view/screens/matrix_table.h"
#include "view/words.h"

static json_t *json_partners(const struct snapshot_partners *from)
{
    json_t *out = json_array();
    for (uint32_t i = 0; i < from->count; i++) {
        json_t *one = json_object();
        json_set(one, "function", json_text(from->list[i].function));
        json_set(one, "address", json_address(from->list[i].address));
        json_set(one, "file", json_text_or_null(from->list[i].file));
        json_set(one, "line", json_known(from->list[i].line));
        json_set(one, "share", json_share(from->list[i].count / from->all));
        json_array_append_new(out, one);
    }
    return out;
}

static json_t *json_used_by(const struct snapshot *snapshot, const void *partner_lists)
{
    (void)snapshot;
    return json_partners(&((const struct snapshot_partners *)partner_lists)[LINE_USED_BY]);
}

static json_t *json_evicted_by(const struct snapshot *snapshot, const void *partner_lists)
{
    (void)snapshot;
    return json_partners(&((const struct snapshot_partners *)partner_lists)[LINE_EVICTED_BY]);
}

const struct columns instruction_members = MEMBERS(
    struct snapshot_instruction,
    COLUMN(.key = "address", .from = FIELD(struct snapshot_instruction, address),
           .format = format_address),
    MEMBER_KNOWN("file", struct snapshot_instruction, file),
    MEMBER_KNOWN("line", struct snapshot_instruction, line),
    MEMBER("inlined", struct snapshot_instruction, inlined),
    MEMBER("field", struct snapshot_instruction, field),
    COLUMN(.key = "object", OBJECT_NAME(struct snapshot_instruction, object)),
    MEMBER("object_share", struct snapshot_instruction, object_share),
    MEMBER_KNOWN("objects", struct snapshot_instruction, objects),
    COLUMN(.key = "samples", .from = SUM(struct snapshot_instruction, samples, count_excess),
           .form = JSON_COUNT),
    COLUMN(.key = "unknown_samples",
           .from = SUM(struct snapshot_instruction, unknown_samples, unknown_excess),
           .form = JSON_COUNT),
    COLUMN(.key = "unknown", .from = FIELD(struct snapshot_instruction, unknown_reason),
           .name = access_reason_note),
    MEMBER("share", struct snapshot_instruction, share),
    COLUMN(.key = "loads", .form = JSON_COUNT, .from = COUNTED(struct snapshot_instruction, loads)),
    COLUMN(.key = "stores", .form = JSON_COUNT,
           .from = COUNTED(struct snapshot_instruction, stores)),
    COLUMN(.from = ROW_OF(struct snapshot_instruction, use), .members = &use_members),
    COLUMN(.key = "used_by", .from = ROW_OF(struct snapshot_instruction, partners),
           .json = json_used_by, .json_if = ROW_OF(struct snapshot_instruction, partners)),
    COLUMN(.key = "thrown_out_by", .from = ROW_OF(struct snapshot_instruction, partners),
           .json = json_evicted_by, .json_if = ROW_OF(struct snapshot_instruction, partners)));

const struct columns threads_members =
    MEMBERS(
    struct snapshot_threads,
    MEMBER("recent", struct snapshot_threads, recent),
    MEMBER_ROWS("list", struct snapshot_threads, list, count, &thread_columns),
    MEMBER("left_out", struct snapshot_threads, left_out));

/* ---- the matrix of functions and objects ---- */

static const double min_listed = 0.001;

/* Returns the weights of the events of the other measures. */
static json_t *json_matrix_measures(const struct snapshot *snapshot,
                                    const struct snapshot_matrix_cell *cell,
                                    const struct snapshot_matrix_cell *without)
{
    json_t *out = json_object();
    for (int i = 0; i < SNAPSHOT_MEASURES; i++)
        if (!isnan(cell->by_measure[i]))
            json_set(out, measure_key(snapshot, (enum snapshot_measure)i),
                     json_count(cell->by_measure[i] - without->by_measure[i]));
    return out;
}

/* Adds the figures of samples with an object. `without` has those without one; NULL: none. `share`
 * is of samples with an object, `all_share` of all samples. */
static void set_figures(json_t *out, const struct snapshot *snapshot,
                        const struct snapshot_matrix_cell *cell,
                        const struct snapshot_matrix_cell *without)
{
    static const struct snapshot_matrix_cell none = {0};
    without = without ? without : &none;
    json_set(out, "samples", json_count(cell->samples - without->samples));
    json_set(out, "share",
             json_share((cell->share - without->share) / snapshot->matrix.attributed));
    json_set(out, "loads", json_count(cell->loads - without->loads));
    json_set(out, "stores", json_count(cell->stores - without->stores));
    json_set(out, "cycles", json_count(cell->cycles));
    json_set(out, "all_share", json_share(cell->share));
    json_set(out, "measures", json_matrix_measures(snapshot, cell, without));
}

/* Returns the index of the line for samples without an object or function; the number of lines if
 * there is none. */
static size_t line_without_name_index(const struct matrix_table *table, enum matrix_axis axis)
{
    const struct matrix_lines *lines = &table->axis[axis];
    size_t count = lines->count;
    return count && lines->list[count - 1].index == MATRIX_NONE ? count - 1 : count;
}

/* Returns the lines of an axis. The line of all others has no name: null. */
static json_t *json_matrix_lines(const struct matrix_table *table, enum matrix_axis axis)
{
    const struct snapshot *snapshot = table->snapshot;
    bool functions = axis == MATRIX_FUNCTIONS;
    size_t no_object = line_without_name_index(table, MATRIX_OBJECTS);
    json_t *out = json_array();
    for (size_t i = 0; i < line_without_name_index(table, axis); i++) {
        const struct matrix_line *line = &table->axis[axis].list[i];
        const char *module = !line->members ? NULL
                             : functions    ? snapshot->code[line->index].module
                                            : snapshot->objects[line->index].module;
        json_t *one = json_object();
        json_set(one, functions ? "function" : "object",
                 json_text(line->members ? line->name : NULL));
        json_set(one, "module", json_text_or_null(module));
        json_set(one, "members", json_known(line->members));
        const struct snapshot_matrix_cell *without =
            functions && no_object < table->axis[MATRIX_OBJECTS].count ? &table->cells[i][no_object]
                                                                       : NULL;
        set_figures(one, snapshot, &line->total, without);
        if (without) {
            json_set(one, "unknown_samples", json_count(without->samples));
            json_set(one, "unknown_share", json_share(without->share));
        }
        json_array_append_new(out, one);
    }
    return out;
}

#define MATRIX_PART_MEMBERS(key)                                                                   \
    MEMBERS(struct matrix_part, MEMBER(key, struct matrix_part, name),                             \
            MEMBER_COUNT("samples", struct matrix_part, samples),                                  \
            MEMBER_COUNT("loads", struct matrix_part, loads),                                      \
            MEMBER_COUNT("stores", struct matrix_part, stores))
static const struct columns matrix_field_members = MATRIX_PART_MEMBERS("field");
static const struct columns matrix_line_members = MATRIX_PART_MEMBERS("line");

/* "function on object", and the misses on lines that it evicted. */
static const struct columns matrix_evictor_members =
    MEMBERS(struct matrix_part, MEMBER("name", struct matrix_part, name),
            MEMBER_COUNT("misses", struct matrix_part, samples));

static json_t *json_matrix_parts(const struct columns *members, const struct matrix_parts *from)
{
    return json_rows(members, NULL, from->list, from->count);
}

/* Returns the number of items in the recent past, and the first of them. */
static json_t *json_recent(const struct matrix_parts *from, const char *name,
                           json_t *key(uint64_t value))
{
    json_t *out = json_object();
    json_t *list = json_array();
    for (size_t i = 0; i < from->count; i++) {
        json_t *one = json_object();
        json_set(one, name, key(from->list[i].key));
        json_set(one, "samples", json_count(from->list[i].samples));
        json_array_append_new(list, one);
    }
    json_set(out, "samples", json_count(from->all));
    json_set(out, "count", json_whole(from->distinct));
    json_set(out, "most", list);
    return out;
}

static void set_detail(json_t *out, const struct matrix_table *table, size_t row, size_t column)
{
    struct matrix_cell cell;
    matrix_cell_gather(table, (struct matrix_place){{row + 1, column + 1}}, &cell);
    json_set_row(out, &levels_members, table->snapshot, cell.has_levels ? &cell.levels : NULL);
    json_set_row(out, &rates_members, table->snapshot, cell.rates);
    if (cell.causes.misses > 0) {
        json_t *causes = json_row(&causes_figures_members, table->snapshot, &cell.causes);
        json_set(causes, "evictors", json_matrix_parts(&matrix_evictor_members, &cell.evictors));
        json_set(causes, "evictor_threads",
                 json_matrix_parts(&matrix_evictor_members, &cell.evictor_threads));
        json_set(out, "causes", causes);
    }
    json_set(out, "fields", json_matrix_parts(&matrix_field_members, &cell.fields));
    json_set(out, "lines", json_matrix_parts(&matrix_line_members, &cell.lines));
    json_set(out, "threads", json_recent(&cell.threads, "tid", json_whole));
    json_set(out, "blocks", json_recent(&cell.blocks, "address", json_address));
}

/* Details are included from a share of 0.001 on, as for objects. */
static json_t *json_matrix_cells(const struct matrix_table *table)
{
    json_t *out = json_array();
    size_t rows = line_without_name_index(table, MATRIX_FUNCTIONS);
    size_t columns = line_without_name_index(table, MATRIX_OBJECTS);
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < columns; k++) {
            if (!snapshot_matrix_any(&table->cells[i][k]))
                continue;
            json_t *one = json_object();
            json_set(one, "row", json_whole(i));
            json_set(one, "column", json_whole(k));
            set_figures(one, table->snapshot, &table->cells[i][k], NULL);
            if (table->cells[i][k].share >= min_listed)
                set_detail(one, table, i, k);
            json_array_append_new(out, one);
        }
    return out;
}

/* Returns the samples without an object, and those also without a function. */
static json_t *json_unknown(const struct snapshot *snapshot)
{
    const struct snapshot_matrix *matrix = &snapshot->matrix;
    const struct snapshot_matrix_cell *no_object = &matrix->column_totals[matrix->column_count + 1];
    const struct snapshot_matrix_cell *nowhere = &matrix->row_totals[matrix->row_count + 1];
    json_t *out = json_object();
    json_set(out, "samples", json_count(no_object->samples));
    json_set(out, "share", json_share(no_object->share));
    json_set(out, "no_access_samples", json_count(nowhere->samples));
    json_set(out, "no_access_share", json_share(nowhere->share));
    return out;
}

json_t *json_matrix(const struct snapshot *snapshot, const void *row)
{
    struct bin_rules rules;
    struct matrix_table table;
    (void)row;
    if (!snapshot->matrix.row_count)
        return json_null();
    bin_rules_open(&rules, MATRIX_RULES);
    matrix_table_make(&table, snapshot, &rules, MATRIX_WEIGHT);
    json_t *out = json_object();
    json_set(out, "rows", json_matrix_lines(&table, MATRIX_FUNCTIONS));
    json_set(out, "columns", json_matrix_lines(&table, MATRIX_OBJECTS));
    json_set(out, "cells", json_matrix_cells(&table));
    json_set(out, "unknown", json_unknown(snapshot));
    json_set(out, "forgotten", json_share(snapshot->matrix.dropped_share));
    json_set(out, "estimated", json_share(snapshot->matrix.estimated));
    bin_rules_fini(&rules);
    return out;
}
