/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/matrix_table.h"

#include "base/hash.h"
#include "profile/tables/rates.h"

#include <math.h>
#include <string.h>

static uint32_t id_of(const struct snapshot *snapshot, enum matrix_axis axis, uint32_t index)
{
    return axis == MATRIX_FUNCTIONS ? snapshot->code[index].id : snapshot->objects[index].id;
}

/* A line of one member, under the name and identity of the group that it belongs to. Several of
 * one name are one only if something was combined into that name. */
static struct matrix_line line_of(const struct snapshot *snapshot, const struct bin_rules *rules,
                                  enum matrix_axis axis, uint32_t index,
                                  const struct snapshot_matrix_cell *total)
{
    char full[BIN_RULES_NAME_BYTES];
    uint32_t first;
    uint64_t hash = matrix_full_name(snapshot, axis, index, full);
    const char *group = bin_rules_group(rules, full, hash, &first);
    const char *given = bin_rules_name(rules, full, hash);
    const char *own = group != full              ? matrix_plain_name(axis, group)
                      : axis == MATRIX_FUNCTIONS ? snapshot->code[index].function
                                                 : snapshot->objects[index].name;
    return (struct matrix_line){.name = given ? given : own,
                                .identity = first != BIN_RULES_NONE
                                                ? hash_bytes(group, strlen(group))
                                                : hash_mix(hash ^ id_of(snapshot, axis, index)),
                                .index = index,
                                .members = 1,
                                .renamed = given && strcmp(given, own) != 0,
                                .total = *total};
}

static void add(struct snapshot_matrix_cell *sum, const struct snapshot_matrix_cell *cell)
{
    sum->samples += cell->samples;
    sum->share += cell->share;
    sum->loads += cell->loads;
    sum->stores += cell->stores;
    sum->cycles += cell->cycles;
    for (int i = 0; i < SNAPSHOT_MEASURES; i++)
        sum->by[i] += cell->by[i];
}

static double amount_of(const struct snapshot_matrix_cell *cell, enum matrix_measure measure)
{
    switch (measure) {
    case MATRIX_MISSES:
        return cell->by[MEASURE_MISSES];
    case MATRIX_ACCESSES:
        return cell->by[MEASURE_ACCESSES];
    case MATRIX_STALLS:
        return cell->by[MEASURE_WAITING];
    case MATRIX_LATENCY:
        return cell->cycles;
    case MATRIX_LOADS:
        return cell->loads;
    case MATRIX_STORES:
        return cell->stores;
    default:
        return cell->share;
    }
}

bool matrix_measure_known(const struct snapshot *snapshot, enum matrix_measure measure)
{
    return measure == MATRIX_WEIGHT || amount_of(&snapshot->matrix.all, measure) > 0;
}

double matrix_table_share(const struct matrix_table *table, const struct snapshot_matrix_cell *cell)
{
    double all = amount_of(&table->snapshot->matrix.all, table->measure);
    if (table->measure == MATRIX_WEIGHT)
        return cell->share;
    return all > 0 ? amount_of(cell, table->measure) / all : NAN;
}

const char *matrix_table_measured(const struct matrix_table *table)
{
    static const char *const words[MATRIX_MEASURES] = {
        [MATRIX_MISSES] = "misses (by their event)",
        [MATRIX_ACCESSES] = "accesses (by their event)",
        [MATRIX_STALLS] = "waiting (by its event)",
        [MATRIX_LATENCY] = "waiting (latency x accesses)",
        [MATRIX_LOADS] = "sampled loads",
        [MATRIX_STORES] = "sampled stores"};
    const char *weighs = table->snapshot->source.weighs;
    if (table->measure == MATRIX_STALLS && measured_of(&table->snapshot->source)->time)
        return "time (by its event)";
    return table->measure != MATRIX_WEIGHT ? words[table->measure]
           : weighs && *weighs             ? weighs
                                           : "weight";
}

static const char *rest_name(enum matrix_axis axis, uint32_t which)
{
    return which == MATRIX_OTHERS ? "others" : axis == MATRIX_OBJECTS ? "no object" : "no access";
}

/* An axis while it is put together: what the snapshot has of it, and the lines it becomes. */
struct joining {
    enum matrix_axis axis;
    const uint32_t *indices; /* [count]; the others come after, then nobody */
    size_t count;
    const struct snapshot_matrix_cell *totals;
    struct matrix_line *lines;
    uint8_t *line_of;
    enum matrix_measure measure;
};

/* Where lines are one by name, the first of them, which has most, stands for all. */
static size_t join(const struct snapshot *snapshot, const struct bin_rules *rules,
                   const struct joining *joining)
{
    size_t used = 0;
    for (size_t i = 0; i < joining->count; i++) {
        struct matrix_line line =
            line_of(snapshot, rules, joining->axis, joining->indices[i], &joining->totals[i]);
        size_t at = 0;
        while (at < used && joining->lines[at].identity != line.identity)
            at++;
        if (at == used)
            joining->lines[used++] = line;
        else {
            joining->lines[at].members++;
            add(&joining->lines[at].total, &line.total);
        }
        joining->line_of[i] = (uint8_t)at;
    }
    return used;
}

static bool less(const struct joining *joining, const struct matrix_line *a,
                 const struct matrix_line *b)
{
    return amount_of(&a->total, joining->measure) < amount_of(&b->total, joining->measure);
}

/* There are few, and they are nearly in order. */
static void sort(const struct joining *joining, size_t used)
{
    uint8_t now_at[MATRIX_ROWS];
    uint8_t was_at[MATRIX_ROWS];
    for (size_t i = 0; i < used; i++) {
        struct matrix_line line = joining->lines[i];
        size_t at = i;
        for (; at > 0 && less(joining, &joining->lines[at - 1], &line); at--) {
            joining->lines[at] = joining->lines[at - 1];
            was_at[at] = was_at[at - 1];
        }
        joining->lines[at] = line;
        was_at[at] = (uint8_t)i;
    }
    for (size_t i = 0; i < used; i++)
        now_at[was_at[i]] = (uint8_t)i;
    for (size_t i = 0; i < joining->count; i++)
        joining->line_of[i] = now_at[joining->line_of[i]];
}

/* Lines with those beside the listed ones, if they have anything; their place is told in any case.
 * Cells of what is not there go behind all lines. */
static size_t arrange(const struct snapshot *snapshot, const struct bin_rules *rules,
                      const struct joining *joining)
{
    static const uint32_t rest[SNAPSHOT_MATRIX_REST] = {MATRIX_OTHERS, MATRIX_NOBODY};
    size_t used = join(snapshot, rules, joining);
    sort(joining, used);
    for (size_t i = 0; i < SNAPSHOT_MATRIX_REST; i++) {
        const struct snapshot_matrix_cell *total = &joining->totals[joining->count + i];
        if (!snapshot_matrix_any(total))
            continue;
        joining->line_of[joining->count + i] = (uint8_t)used;
        joining->lines[used++] = (struct matrix_line){.name = rest_name(joining->axis, rest[i]),
                                                      .identity = i,
                                                      .index = rest[i],
                                                      .total = *total};
    }
    for (size_t i = 0; i < SNAPSHOT_MATRIX_REST; i++)
        if (!snapshot_matrix_any(&joining->totals[joining->count + i]))
            joining->line_of[joining->count + i] = (uint8_t)used;
    return used;
}

void matrix_table_make(struct matrix_table *table, const struct snapshot *snapshot,
                       const struct matrix_rules *rules, enum matrix_measure measure)
{
    const struct snapshot_matrix *matrix = &snapshot->matrix;
    if (!matrix_measure_known(snapshot, measure))
        measure = MATRIX_WEIGHT;
    *table = (struct matrix_table){
        .snapshot = snapshot, .measure = measure, .title = "Function", .all = "all functions"};
    if (!matrix->row_count || !matrix->column_count)
        return;
    struct joining rows = {
        MATRIX_FUNCTIONS, matrix->rows, matrix->row_count, matrix->row_totals, table->rows,
        table->row_of,    measure};
    struct joining columns = {MATRIX_OBJECTS,
                              matrix->columns,
                              matrix->column_count,
                              matrix->column_totals,
                              table->columns,
                              table->column_of,
                              measure};
    table->row_count = arrange(snapshot, &rules->rules, &rows);
    table->column_count = arrange(snapshot, &rules->rules, &columns);
    for (size_t i = 0; i < matrix->row_count + SNAPSHOT_MATRIX_REST; i++)
        for (size_t k = 0; k < matrix->column_count + SNAPSHOT_MATRIX_REST; k++)
            add(&table->cells[table->row_of[i]][table->column_of[k]],
                snapshot_matrix_at(matrix, i, k));
}

size_t matrix_table_find(const struct matrix_table *table, enum matrix_axis axis, uint64_t identity)
{
    const struct matrix_line *lines = axis == MATRIX_FUNCTIONS ? table->rows : table->columns;
    size_t count = axis == MATRIX_FUNCTIONS ? table->row_count : table->column_count;
    size_t at = 0;
    while (at < count && lines[at].identity != identity)
        at++;
    return at;
}

size_t matrix_table_line(const struct matrix_table *table, enum matrix_axis axis, uint32_t index)
{
    const struct snapshot_matrix *matrix = &table->snapshot->matrix;
    bool functions = axis == MATRIX_FUNCTIONS;
    const uint32_t *indices = functions ? matrix->rows : matrix->columns;
    size_t count = functions ? matrix->row_count : matrix->column_count;
    size_t i = 0;
    while (i < count && indices[i] != index)
        i++;
    i += index == MATRIX_NOBODY;
    return functions ? table->row_of[i] : table->column_of[i];
}
