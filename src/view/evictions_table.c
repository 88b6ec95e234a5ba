/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/evictions_table.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = 120 };

static const struct snapshot_evictions *evictions_of(const struct snapshot *snapshot,
                                                     enum causes_of kind)
{
    return &snapshot->causes.of[kind].evictions;
}

static struct snapshot_matrix_cell cell_of(const struct snapshot_evictions *from, double misses)
{
    return (struct snapshot_matrix_cell){.samples = misses, .share = misses / from->misses};
}

/* By its id, in what Enter opens. */
static uint32_t index_of(const struct snapshot *snapshot, enum causes_of kind, uint32_t id)
{
    if (kind == CAUSES_THREADS)
        return UINT32_MAX;
    size_t count = kind == CAUSES_OBJECTS ? snapshot->object_count : snapshot->code_count;
    for (size_t i = 0; i < count; i++)
        if ((kind == CAUSES_OBJECTS ? snapshot->objects[i].id : snapshot->code[i].id) == id)
            return (uint32_t)i;
    return UINT32_MAX;
}

/* Lines of one side; the others only where they have anything. Returns how many. */
static size_t fill_lines(const struct snapshot *snapshot, enum causes_of kind,
                         const struct snapshot_eviction_line *from, size_t count,
                         struct matrix_line *out)
{
    const struct snapshot_evictions *evictions = evictions_of(snapshot, kind);
    for (size_t i = 0; i < count; i++)
        out[i] = (struct matrix_line){.name = from[i].name,
                                      .identity = (uint64_t)from[i].id + 1,
                                      .index = index_of(snapshot, kind, from[i].id),
                                      .members = 1,
                                      .total = cell_of(evictions, from[i].misses)};
    out[count] = (struct matrix_line){.name = "others",
                                      .identity = UINT64_MAX,
                                      .index = UINT32_MAX,
                                      .total = cell_of(evictions, from[count].misses)};
    return count + (from[count].misses > 0);
}

void evictions_table_make(struct matrix_table *table, const struct snapshot *snapshot,
                          enum causes_of kind)
{
    const struct snapshot_evictions *from = evictions_of(snapshot, kind);
    *table = (struct matrix_table){.snapshot = snapshot, .title = "Thrown out", .all = "all"};
    if (!from->row_count)
        return;
    table->row_count = fill_lines(snapshot, kind, from->rows, from->row_count, table->rows);
    table->column_count =
        fill_lines(snapshot, kind, from->columns, from->column_count, table->columns);
    for (size_t i = 0; i <= from->row_count; i++)
        for (size_t k = 0; k <= from->column_count; k++)
            table->cells[i][k] = cell_of(from, from->cells[i][k]);
}

void evictions_title(const struct snapshot *snapshot, enum causes_of kind, char *out, size_t size)
{
    const struct snapshot_causes *causes = &snapshot->causes;
    const struct snapshot_evictions *from = evictions_of(snapshot, kind);
    char misses[16];
    snprintf(out, size, "Who evicts whom: %s. Of %s misses whose evictor is known (%.1f%% of all)",
             kind == CAUSES_OBJECTS ? "lines of the row, thrown out for the column"
                                    : "lines the row missed, thrown out by the column",
             text_count(misses, from->misses), 100 * from->misses / causes->all.misses);
}

static const char *name_of(const struct matrix_line *line, const char *all)
{
    return line ? line->name : all;
}

void evictions_words(const struct matrix_table *table, enum causes_of kind, size_t row,
                     size_t column, char *out, size_t size)
{
    static const char *const all[CAUSES_KINDS] = {"all objects", "all functions", "all threads"};
    static const char *const any[CAUSES_KINDS] = {"any object", "any function", "any thread"};
    const struct matrix_line *whose = row ? &table->rows[row - 1] : NULL;
    const struct matrix_line *by = column ? &table->columns[column - 1] : NULL;
    const struct snapshot_evictions *from = evictions_of(table->snapshot, kind);
    double misses = whose && by ? table->cells[row - 1][column - 1].samples
                    : whose     ? whose->total.samples
                    : by        ? by->total.samples
                                : from->misses;
    bool objects = kind == CAUSES_OBJECTS;
    bool itself = whose && by && whose->members && whose->identity == by->identity;
    bool alike = whose && by && !itself && by->members && !strcmp(whose->name, by->name);
    char count[16];
    int used = snprintf(out, size, "Lines %s %.*s, thrown out by %s%s%.*s%s: %s misses",
                        objects ? "of" : "missed by", NAME_BYTES, name_of(whose, all[kind]),
                        objects ? "accesses to " : "", alike ? "another " : "", NAME_BYTES,
                        itself ? "itself" : name_of(by, any[kind]),
                        by && !by->members ? ", or not known" : "", text_count(count, misses));
    if (whose && by && used > 0 && (size_t)used < size && whose->total.samples > 0)
        snprintf(out + used, size - (size_t)used, "; %.1f%% of the row, %.1f%% of the column",
                 100 * misses / whose->total.samples,
                 by->total.samples > 0 ? 100 * misses / by->total.samples : 0);
}
