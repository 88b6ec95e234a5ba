/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/screens/matrix_table.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/text.h"
#include "profile/tables/rates.h"
#include "resolve/heap/bin_rules.h"
#include "view/levels.h"
#include "view/screens/causes.h"
#include "view/screens/rows.h"

/* ---- the user's rules for lines of the matrix ---- */

static const char *const prefixes[] = {
    [MATRIX_FUNCTIONS] = "function ", [MATRIX_OBJECTS] = "object "};

/* Formats the name of a function or object in the rules, and returns its hash. */
static uint64_t matrix_full_name(const struct snapshot *snapshot, enum matrix_axis axis,
                                 uint32_t index, char out[BIN_RULES_NAME_BYTES])
{
    snprintf(out, BIN_RULES_NAME_BYTES, "%s%s", prefixes[axis],
             axis == MATRIX_FUNCTIONS ? snapshot->code[index].function
                                      : snapshot->objects[index].name);
    return hash_bytes(out, strlen(out));
}

/* Returns the name without the prefix. */
static const char *matrix_plain_name(enum matrix_axis axis, const char *full_name)
{
    size_t length = strlen(prefixes[axis]);
    return strncmp(full_name, prefixes[axis], length) ? full_name : full_name + length;
}

/* Formats the full name of a line's largest member; returns -EINVAL for the others, or if there is
 * no such line. */
static int matrix_rules_name_line(const struct matrix_table *table, enum matrix_axis axis,
                                  size_t at, char out[BIN_RULES_NAME_BYTES])
{
    const struct matrix_line *lines = axis == MATRIX_FUNCTIONS ? table->rows : table->columns;
    size_t count = axis == MATRIX_FUNCTIONS ? table->row_count : table->column_count;
    if (at >= count || !lines[at].members)
        return -EINVAL;
    matrix_full_name(table->snapshot, axis, lines[at].index, out);
    return 0;
}

int matrix_rules_rename(struct bin_rules *rules, const struct matrix_table *table,
                        enum matrix_axis axis, size_t line, const char *name)
{
    char full[BIN_RULES_NAME_BYTES];
    uint32_t first;
    int code = matrix_rules_name_line(table, axis, line, full);
    if (code)
        return code;
    const char *group = bin_rules_group(rules, full, hash_bytes(full, strlen(full)), &first);
    code = bin_rules_rename(rules, full, *name ? name : matrix_plain_name(axis, group));
    if (!code)
        bin_rules_keep(rules);
    return code;
}

int matrix_rules_combine(struct bin_rules *rules, const struct matrix_table *table,
                         enum matrix_axis axis, uint64_t into, const uint64_t *from, uint32_t count)
{
    char into_name[BIN_RULES_NAME_BYTES];
    char from_name[BIN_RULES_NAME_BYTES];
    int code = matrix_rules_name_line(table, axis, matrix_table_find(table, axis, into), into_name);
    bin_rules_begin_step(rules);
    for (uint32_t i = 0; i < count && !code; i++)
        if (from[i] != into) {
            size_t line = matrix_table_find(table, axis, from[i]);
            code = matrix_rules_name_line(table, axis, line, from_name)
                       ? -ENOENT
                       : bin_rules_combine(rules, into_name, from_name);
        }
    code = bin_rules_end_step(rules, code);
    if (!code)
        bin_rules_keep(rules);
    return code;
}

static uint32_t id_of(const struct snapshot *snapshot, enum matrix_axis axis, uint32_t index)
{
    return axis == MATRIX_FUNCTIONS ? snapshot->code[index].id : snapshot->objects[index].id;
}

/* Returns a line with one member, with the name and identity of its group. Members with the same
 * name are merged only if something was combined into that name. */
static struct matrix_line matrix_table_line_of(const struct snapshot *snapshot,
                                               const struct bin_rules *rules, enum matrix_axis axis,
                                               uint32_t index,
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

static void matrix_table_add(struct snapshot_matrix_cell *sum,
                             const struct snapshot_matrix_cell *cell)
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
    if (table->measure == MATRIX_STALLS && measured_of(&table->snapshot->source) == MEASURED_TIME)
        return "time (by its event)";
    return table->measure != MATRIX_WEIGHT ? words[table->measure]
           : weighs && *weighs             ? weighs
                                           : "weight";
}

static const char *rest_name(enum matrix_axis axis, uint32_t which)
{
    return which == MATRIX_OTHERS ? "others" : axis == MATRIX_OBJECTS ? "no object" : "no access";
}

/* An axis under construction: the data of the snapshot, and the resulting lines. */
struct joining {
    enum matrix_axis axis;
    const uint32_t *indices; /* [count]; then the unlisted ones, then those without a line */
    size_t count;
    const struct snapshot_matrix_cell *totals;
    struct matrix_line *lines;
    uint8_t *line_of;
    enum matrix_measure measure;
};

/* Merges the lines of a group into the first of them, which is the largest. */
static size_t matrix_table_join(const struct snapshot *snapshot, const struct bin_rules *rules,
                                const struct joining *joining)
{
    size_t used = 0;
    for (size_t i = 0; i < joining->count; i++) {
        struct matrix_line line = matrix_table_line_of(snapshot, rules, joining->axis,
                                                       joining->indices[i], &joining->totals[i]);
        size_t at = 0;
        while (at < used && joining->lines[at].identity != line.identity)
            at++;
        if (at == used)
            joining->lines[used++] = line;
        else {
            joining->lines[at].members++;
            matrix_table_add(&joining->lines[at].total, &line.total);
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

/* Insertion sort: the lines are few and nearly sorted. */
static void matrix_table_sort(const struct joining *joining, size_t used)
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

/* Arranges the listed lines, then the lines of the rest that have samples. Cells of a rest without
 * samples are mapped behind all lines. */
static size_t arrange(const struct snapshot *snapshot, const struct bin_rules *rules,
                      const struct joining *joining)
{
    static const uint32_t rest[SNAPSHOT_MATRIX_REST] = {MATRIX_OTHERS, MATRIX_NOBODY};
    size_t used = matrix_table_join(snapshot, rules, joining);
    matrix_table_sort(joining, used);
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
                       const struct bin_rules *rules, enum matrix_measure measure)
{
    const struct snapshot_matrix *matrix = &snapshot->matrix;
    if (!matrix_measure_known(snapshot, measure))
        measure = MATRIX_WEIGHT;
    *table = (struct matrix_table){.snapshot = snapshot, .measure = measure};
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
    table->row_count = arrange(snapshot, rules, &rows);
    table->column_count = arrange(snapshot, rules, &columns);
    for (size_t i = 0; i < matrix->row_count + SNAPSHOT_MATRIX_REST; i++)
        for (size_t k = 0; k < matrix->column_count + SNAPSHOT_MATRIX_REST; k++)
            matrix_table_add(&table->cells[table->row_of[i]][table->column_of[k]],
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

/* Sums the rates of the cells, or of the totals, that belong to a line or to a cell. Returns their
 * number. */
static size_t matrix_rates_sum(const struct matrix_table *table, size_t row, size_t column,
                               struct rates_sums *sums)
{
    const struct snapshot_matrix *matrix = &table->snapshot->matrix;
    size_t parts = 0;
    for (size_t i = 0; i < (row ? matrix->row_count : 1); i++)
        for (size_t k = 0; k < (column ? matrix->column_count : 1); k++) {
            const struct snapshot_matrix_cell *from = row && column
                                                          ? snapshot_matrix_at(matrix, i, k)
                                                      : row ? &matrix->row_totals[i]
                                                            : &matrix->column_totals[k];
            if (!from->rates || (row && table->row_of[i] + (size_t)1 != row) ||
                (column && table->column_of[k] + (size_t)1 != column))
                continue;
            rates_join(sums, from->rates);
            parts++;
        }
    return parts;
}

static const struct snapshot_rates *matrix_rates_join(const struct matrix_table *table, size_t row,
                                                      size_t column, struct snapshot_rates *joined)
{
    const struct snapshot_matrix *matrix = &table->snapshot->matrix;
    struct rates_sums sums = {0};
    bool known = matrix_rates_sum(table, row, column, &sums) && matrix->rates_plan &&
                 rates_make(matrix->rates_plan, &sums, matrix->rates_all, joined);
    return known ? joined : NULL;
}

/* Uses the rates of a single function or object, as its own screen does; joins those of combined
 * lines. */
static const struct snapshot_rates *matrix_rates(const struct matrix_table *table, size_t row,
                                                 size_t column, struct snapshot_rates *joined)
{
    const struct snapshot *snapshot = table->snapshot;
    const struct matrix_line *function = row ? &table->rows[row - 1] : NULL;
    const struct matrix_line *object = column ? &table->columns[column - 1] : NULL;
    if (!row && !column)
        return snapshot->rates;
    if ((row && !function->members) || (column && !object->members))
        return NULL;
    if (!column && function->members == 1)
        return snapshot->code[function->index].rates;
    if (!row && object->members == 1)
        return snapshot->objects[object->index].rates;
    return matrix_rates_join(table, row, column, joined);
}

/* Parts of one kind while they are counted, by the hash of their names. */
struct counting {
    struct hash known; /* index into list */
    struct matrix_part *list;
    size_t count;
    size_t room;
    double all;
};

/* The lines of the table that form a cell. */
struct chosen {
    const struct matrix_table *table;
    size_t row;
    size_t column;
};

static bool matrix_cell_belongs(const struct chosen *chosen, uint16_t row, uint16_t column)
{
    const struct matrix_table *table = chosen->table;
    return (!chosen->row || table->row_of[row] + (size_t)1 == chosen->row) &&
           (!chosen->column || table->column_of[column] + (size_t)1 == chosen->column);
}

static bool matrix_cell_begin(struct counting *counting, size_t room)
{
    *counting = (struct counting){.room = room};
    hash_init(&counting->known);
    counting->list = calloc(room + 1, sizeof *counting->list);
    return counting->list;
}

/* Returns the part with a key; creates it if it is new; NULL if out of memory. */
static struct matrix_part *matrix_cell_part_of(struct counting *counting, uint64_t key)
{
    bool created = false;
    uint32_t *at = hash_insert(&counting->known, key, &created);
    if (!at || (created && counting->count == counting->room))
        return NULL;
    if (created)
        *at = (uint32_t)counting->count++;
    struct matrix_part *part = &counting->list[*at];
    part->key = key;
    return part;
}

static void matrix_cell_end(struct counting *counting, struct matrix_parts *parts)
{
    if (counting->list)
        SORT(counting->list, counting->count, LARGEST(struct matrix_part, samples),
             SMALLEST(struct matrix_part, key));
    parts->all = counting->all;
    parts->distinct = counting->count;
    parts->count = counting->count < MATRIX_PARTS_MAX ? counting->count : MATRIX_PARTS_MAX;
    for (size_t i = 0; i < parts->count; i++)
        parts->list[i] = counting->list[i];
    hash_fini(&counting->known);
    free(counting->list);
}

/* ---- fields and lines ---- */

static void count_site(struct counting *counting, const struct snapshot_matrix_site *site,
                       const char *name)
{
    counting->all += site->samples;
    struct matrix_part *part =
        *name ? matrix_cell_part_of(counting, hash_bytes(name, strlen(name))) : NULL;
    if (!part)
        return;
    snprintf(part->name, sizeof part->name, "%s", name);
    part->samples += site->samples;
    part->loads += site->loads;
    part->stores += site->stores;
}

static void matrix_cell_name_line(const struct snapshot_matrix_site *site,
                                  char out[MATRIX_PART_BYTES])
{
    *out = '\0';
    if (site->file && site->line)
        snprintf(out, MATRIX_PART_BYTES, "%.*s:%" PRIu32, MATRIX_PART_BYTES - 16,
                 text_base_name(site->file), site->line);
}

static void gather_sites(const struct chosen *chosen, struct matrix_cell *cell)
{
    const struct snapshot_matrix *matrix = &chosen->table->snapshot->matrix;
    char name[MATRIX_PART_BYTES];
    struct counting fields;
    struct counting lines;
    bool room = matrix_cell_begin(&fields, matrix->site_count);
    room = matrix_cell_begin(&lines, matrix->site_count) && room;
    for (size_t i = 0; room && i < matrix->site_count; i++) {
        const struct snapshot_matrix_site *site = &matrix->sites[i];
        if (!matrix_cell_belongs(chosen, site->row, site->column))
            continue;
        matrix_cell_name_line(site, name);
        count_site(&lines, site, name);
        if (chosen->column)
            count_site(&fields, site, site->field ? site->field : "");
    }
    matrix_cell_end(&fields, &cell->fields);
    matrix_cell_end(&lines, &cell->lines);
}

/* ---- threads and blocks ---- */

static void count_key(struct counting *counting, uint64_t key, uint32_t samples)
{
    struct matrix_part *part = matrix_cell_part_of(counting, key);
    counting->all += samples;
    if (part)
        part->samples += samples;
}

static void name_threads(const struct snapshot_threads *known, struct matrix_parts *threads)
{
    for (size_t i = 0; i < threads->count; i++) {
        const struct snapshot_thread *thread =
            snapshot_thread(known, (uint32_t)threads->list[i].key);
        if (thread && thread->name)
            snprintf(threads->list[i].name, sizeof threads->list[i].name, "%s", thread->name);
    }
}

static void gather_blocks(const struct chosen *chosen, struct matrix_cell *cell)
{
    const struct snapshot_matrix *matrix = &chosen->table->snapshot->matrix;
    struct counting threads;
    struct counting blocks;
    bool room = matrix_cell_begin(&threads, matrix->block_count);
    room = matrix_cell_begin(&blocks, matrix->block_count) && room;
    for (size_t i = 0; room && i < matrix->block_count; i++) {
        const struct snapshot_matrix_block *block = &matrix->blocks[i];
        if (!matrix_cell_belongs(chosen, block->row, block->column))
            continue;
        count_key(&threads, block->tid, block->samples);
        if (chosen->column)
            count_key(&blocks, block->base, block->samples);
    }
    matrix_cell_end(&threads, &cell->threads);
    name_threads(&chosen->table->snapshot->threads, &cell->threads);
    matrix_cell_end(&blocks, &cell->blocks);
}

/* ---- causes ---- */

/* Converts shares back to amounts, so that they can be added. */
static void add_figures(struct snapshot_causes_figures *sum,
                        const struct snapshot_causes_figures *more)
{
    sum->samples += more->samples;
    sum->misses += more->misses;
    for (int i = 0; i < CAUSE_COUNT; i++)
        sum->share[i] += more->share[i] * more->misses;
    sum->early_same += more->early_same * more->misses;
    sum->early_other += more->early_other * more->misses;
    sum->evicted += more->evicted;
    sum->by_itself += more->evicted > 0 ? more->by_itself * more->evicted : 0;
}

static void end_figures(struct snapshot_causes_figures *sum)
{
    for (int i = 0; sum->misses > 0 && i < CAUSE_COUNT; i++)
        sum->share[i] /= sum->misses;
    sum->early_same = sum->misses > 0 ? sum->early_same / sum->misses : 0;
    sum->early_other = sum->misses > 0 ? sum->early_other / sum->misses : 0;
    sum->by_itself = sum->evicted > 0 ? sum->by_itself / sum->evicted : NAN;
}

static void count_evictor(struct counting *counting, const struct snapshot_matrix_evictor *evictor)
{
    struct snapshot_evictor who = {.function = evictor->name, .object = evictor->object};
    char name[MATRIX_PART_BYTES];
    causes_evictor(&who, name, sizeof name);
    struct matrix_part *part = matrix_cell_part_of(counting, hash_bytes(name, strlen(name)));
    if (!part)
        return;
    snprintf(part->name, sizeof part->name, "%s", name);
    part->samples += evictor->misses;
}

/* Shares are relative to `all`. */
static void gather_evictors(const struct chosen *chosen, const struct snapshot_matrix_evictor *list,
                            size_t count, double all, struct matrix_parts *parts)
{
    struct counting evictors;
    bool room = matrix_cell_begin(&evictors, count);
    for (size_t i = 0; room && i < count; i++)
        if (matrix_cell_belongs(chosen, list[i].row, list[i].column))
            count_evictor(&evictors, &list[i]);
    evictors.all = all;
    matrix_cell_end(&evictors, parts);
}

/* Sums the levels and causes of the snapshot's cells. */
static void gather_cells(const struct chosen *chosen, struct matrix_cell *cell)
{
    const struct snapshot_matrix *matrix = &chosen->table->snapshot->matrix;
    cell->has_levels = false;
    cell->causes = (struct snapshot_causes_figures){0};
    for (size_t i = 0; i < matrix->row_count + SNAPSHOT_MATRIX_REST; i++)
        for (size_t k = 0; k < matrix->column_count + SNAPSHOT_MATRIX_REST; k++) {
            const struct snapshot_matrix_cell *from = snapshot_matrix_at(matrix, i, k);
            if (!matrix_cell_belongs(chosen, (uint16_t)i, (uint16_t)k))
                continue;
            if (from->levels && cell->has_levels)
                levels_join(&cell->levels, from->levels);
            else if (from->levels)
                cell->levels = *from->levels;
            cell->has_levels |= from->levels != NULL;
            if (from->causes)
                add_figures(&cell->causes, from->causes);
        }
}

static void gather_causes(const struct chosen *chosen, struct matrix_cell *cell)
{
    const struct snapshot_matrix *matrix = &chosen->table->snapshot->matrix;
    end_figures(&cell->causes);
    gather_evictors(chosen, matrix->evictors, matrix->evictor_count, cell->causes.evicted,
                    &cell->evictors);
    gather_evictors(chosen, matrix->evictor_threads, matrix->evictor_thread_count,
                    cell->causes.evicted, &cell->evictor_threads);
}

void matrix_cell_gather(const struct matrix_table *table, size_t row, size_t column,
                        struct matrix_cell *cell)
{
    struct chosen chosen = {table, row, column};
    const struct snapshot_matrix *matrix = &table->snapshot->matrix;
    cell->row = row ? &table->rows[row - 1] : NULL;
    cell->column = column ? &table->columns[column - 1] : NULL;
    cell->figures = row && column ? &table->cells[row - 1][column - 1]
                    : row         ? &cell->row->total
                    : column      ? &cell->column->total
                                  : &matrix->all;
    gather_sites(&chosen, cell);
    gather_blocks(&chosen, cell);
    gather_cells(&chosen, cell);
    gather_causes(&chosen, cell);
    cell->rates = matrix_rates(table, row, column, &cell->joined);
}

bool matrix_cell_next(const struct matrix_table *table, bool listed[MATRIX_ROWS][MATRIX_COLUMNS],
                      size_t *row, size_t *column)
{
    const double least_share = 0.05;
    const double least_samples = 10;
    const struct snapshot_matrix_cell *most = NULL;
    for (size_t i = 0; i < table->row_count; i++)
        for (size_t k = 0; k < table->column_count; k++) {
            const struct snapshot_matrix_cell *cell = &table->cells[i][k];
            bool named = table->rows[i].members && table->columns[k].members;
            if (listed[i][k] || !named || !(cell->share >= least_share) ||
                cell->samples < least_samples || (most && cell->share <= most->share))
                continue;
            most = cell;
            *row = i;
            *column = k;
        }
    if (most)
        listed[*row][*column] = true;
    return most;
}

enum { PARTS_LISTED = 5, NAME_BYTES = 160 };
static const double least_listed = 0.005; /* fraction of its cell */
static const double mixed = 0.05;         /* smaller written parts are not mentioned */

static bool is_nobody(const struct matrix_line *line)
{
    return line && line->index == MATRIX_NOBODY;
}

static void say_title(const struct matrix_cell *cell, char out[MATRIX_WORD_BYTES])
{
    if (is_nobody(cell->row)) {
        text_append(out, MATRIX_WORD_BYTES, "no access to data");
        return;
    }
    text_append(out, MATRIX_WORD_BYTES, "%.*s on %.*s", NAME_BYTES,
                cell->row ? cell->row->name : "all functions", NAME_BYTES,
                cell->column ? cell->column->name : "all objects");
}

/* Formats ", 45% of NAME's"; nothing if there is no line. */
static void say_part_of(const struct matrix_table *table, const struct matrix_line *line,
                        const struct snapshot_matrix_cell *figures, char out[MATRIX_WORD_BYTES])
{
    double of_line = line ? matrix_table_share(table, &line->total) : NAN;
    if (of_line > 0 && !is_nobody(line))
        text_append(out, MATRIX_WORD_BYTES, ", %.1f%% of %s%.*s",
                    matrix_table_share(table, figures) / of_line * 100,
                    line->members ? "" : "that of ", NAME_BYTES, line->name);
    else if (of_line > 0)
        text_append(out, MATRIX_WORD_BYTES, ", %.1f%% of samples without an object",
                    matrix_table_share(table, figures) / of_line * 100);
}

static void say_shares(const struct matrix_table *table, const struct matrix_cell *cell,
                       char out[MATRIX_WORD_BYTES])
{
    const struct snapshot_matrix_cell *figures = cell->figures;
    char count[16];
    double share = matrix_table_share(table, figures);
    if (!(figures->samples > 0) && !(share > 0)) {
        text_append(out, MATRIX_WORD_BYTES, "no samples");
        return;
    }
    text_append(out, MATRIX_WORD_BYTES, "%.1f%% of all %s", share * 100,
                matrix_table_measured(table));
    say_part_of(table, cell->column ? cell->row : NULL, figures, out);
    say_part_of(table, cell->row ? cell->column : NULL, figures, out);
    if (!(figures->samples > 0))
        return;
    text_append(out, MATRIX_WORD_BYTES, "; %s sample%s: %.0f%% loads, %.0f%% stores",
                text_count(count, figures->samples), figures->samples < 1.5 ? "" : "s",
                figures->loads / figures->samples * 100, figures->stores / figures->samples * 100);
}

/* Quality and Code show the reasons together with the samples. */
static void say_reason(const struct snapshot *snapshot, const struct matrix_cell *cell,
                       char out[MATRIX_WORD_BYTES])
{
    if (is_nobody(cell->row))
        text_append(out, MATRIX_WORD_BYTES,
                    "no waiting access was found: computing, in the kernel, or in unknown code");
    else if (is_nobody(cell->column) && cell->row && cell->row->members == 1 &&
             snapshot->code[cell->row->index].unknown_reason)
        text_append(out, MATRIX_WORD_BYTES, "%s; Enter opens the function, which shows it by line",
                    access_reason_note(snapshot->code[cell->row->index].unknown_reason));
    else if (is_nobody(cell->column))
        text_append(
            out, MATRIX_WORD_BYTES,
            "the address, or the access itself, is not known; Code shows the reasons by function");
}

/* Formats the parts with their shares of the cell, and how much of each is written. */
static void say_named(const struct matrix_parts *parts, const char *label,
                      char out[MATRIX_WORD_BYTES])
{
    for (size_t i = 0; i < parts->count && i < PARTS_LISTED; i++) {
        const struct matrix_part *part = &parts->list[i];
        double kinds = part->loads + part->stores;
        double written = kinds > 0 ? part->stores / kinds : NAN;
        if (!(part->samples >= least_listed * parts->all))
            return;
        text_append(out, MATRIX_WORD_BYTES, "%s%s %.0f%%", i ? ", " : label, part->name,
                    part->samples / parts->all * 100);
        if (written > 1 - mixed)
            text_append(out, MATRIX_WORD_BYTES, " (written)");
        else if (written > mixed)
            text_append(out, MATRIX_WORD_BYTES, " (%.0f%% written)", written * 100);
    }
}

/* Formats "why: 92% capacity; evicted by visit on particles 61%, ..." */
static void say_evictors(const struct matrix_parts *by, const char *label,
                         char out[MATRIX_WORD_BYTES])
{
    for (size_t i = 0; i < by->count && i < PARTS_LISTED; i++) {
        if (!(by->list[i].samples >= least_listed * by->all))
            return;
        text_append(out, MATRIX_WORD_BYTES, "%s%s %.0f%%", i ? ", " : label, by->list[i].name,
                    by->list[i].samples / by->all * 100);
    }
}

static void say_causes(const struct matrix_cell *cell, char out[MATRIX_WORD_BYTES])
{
    char why[256];
    if (!(cell->causes.misses > 0))
        return;
    causes_why(&cell->causes, why, sizeof why);
    text_append(out, MATRIX_WORD_BYTES, "why: %s", why);
    say_evictors(&cell->evictors, "; evicted by ", out);
    if (cell->evictor_threads.count > 1 || cell->threads.distinct > 1)
        say_evictors(&cell->evictor_threads, "; by thread ", out);
}

static void say_threads(const struct matrix_parts *threads, char out[MATRIX_WORD_BYTES])
{
    text_append(out, MATRIX_WORD_BYTES, threads->distinct > 1 ? "%zu threads: " : "thread ",
                threads->distinct);
    for (size_t i = 0; i < threads->count && i < PARTS_LISTED; i++) {
        text_append(out, MATRIX_WORD_BYTES, "%s%s%s%" PRIu64 "%s", i ? ", " : "",
                    threads->list[i].name, *threads->list[i].name ? " (" : "", threads->list[i].key,
                    *threads->list[i].name ? ")" : "");
        if (threads->distinct > 1)
            text_append(out, MATRIX_WORD_BYTES, " %.0f%%",
                        threads->list[i].samples / threads->all * 100);
    }
}

/* Returns true if the samples of the block are not due to chance. */
static bool stands_out(const struct matrix_part *block, const struct matrix_parts *blocks)
{
    return block->samples >= 5 && block->samples >= 0.01 * blocks->all;
}

static void say_blocks(const struct matrix_parts *blocks, char out[MATRIX_WORD_BYTES])
{
    if (!blocks->count)
        return;
    if (blocks->distinct == 1) {
        text_append(out, MATRIX_WORD_BYTES, "; one block, at 0x%" PRIx64, blocks->list[0].key);
        return;
    }
    text_append(out, MATRIX_WORD_BYTES, "; %zu blocks", blocks->distinct);
    if ((double)blocks->distinct > 0.9 * blocks->all)
        text_append(out, MATRIX_WORD_BYTES, ", hardly any block twice: there are many more");
    else if (!stands_out(&blocks->list[0], blocks))
        text_append(out, MATRIX_WORD_BYTES, ", none stands out");
    for (size_t i = 0; i < blocks->count && i < PARTS_LISTED; i++)
        if (stands_out(&blocks->list[i], blocks))
            text_append(out, MATRIX_WORD_BYTES, "%s0x%" PRIx64 " %.1f%%", i ? ", " : ": ",
                        blocks->list[i].key, blocks->list[i].samples / blocks->all * 100);
}

static void say_recent(const struct matrix_cell *cell, char out[MATRIX_WORD_BYTES])
{
    char count[16];
    if (!cell->threads.count)
        return;
    if (cell->threads.all > 1)
        text_append(out, MATRIX_WORD_BYTES,
                    "its last %s samples: ", text_count(count, cell->threads.all));
    say_threads(&cell->threads, out);
    say_blocks(&cell->blocks, out);
}

void matrix_word(const struct matrix_table *table, const struct matrix_cell *cell,
                 enum matrix_word word, char out[MATRIX_WORD_BYTES])
{
    *out = '\0';
    if (word == MATRIX_WORD_TITLE)
        say_title(cell, out);
    else if (word == MATRIX_WORD_SHARES)
        say_shares(table, cell, out);
    else if (word == MATRIX_WORD_REASON)
        say_reason(table->snapshot, cell, out);
    else if (word == MATRIX_WORD_LEVELS && cell->has_levels)
        levels_sentence(table->snapshot, &cell->levels, out, MATRIX_WORD_BYTES);
    else if (word == MATRIX_WORD_RATES)
        rates_sentence(table->snapshot, cell->rates, out, MATRIX_WORD_BYTES);
    else if (word == MATRIX_WORD_CAUSES)
        say_causes(cell, out);
    else if (word == MATRIX_WORD_FIELDS)
        say_named(&cell->fields, "fields: ", out);
    else if (word == MATRIX_WORD_LINES)
        say_named(&cell->lines, "lines: ", out);
    else if (word == MATRIX_WORD_RECENT)
        say_recent(cell, out);
}

int matrix_words_draw(const struct matrix_table *table, const struct matrix_cell *cell,
                      struct canvas *canvas, struct area area)
{
    static const enum paint paints[MATRIX_WORDS] = {
        [MATRIX_WORD_TITLE] = PAINT_PANE,   [MATRIX_WORD_SHARES] = PAINT_STRONG,
        [MATRIX_WORD_REASON] = PAINT_PLAIN, [MATRIX_WORD_LEVELS] = PAINT_PLAIN,
        [MATRIX_WORD_RATES] = PAINT_PLAIN,  [MATRIX_WORD_CAUSES] = PAINT_PLAIN,
        [MATRIX_WORD_FIELDS] = PAINT_PLAIN, [MATRIX_WORD_LINES] = PAINT_PLAIN,
        [MATRIX_WORD_RECENT] = PAINT_DIM,
    };
    char text[MATRIX_WORD_BYTES];
    int used = 0;
    /* If there is only one row, the figures are more important than the names. */
    for (enum matrix_word word = area.rows > 1 ? MATRIX_WORD_TITLE : MATRIX_WORD_SHARES;
         word < MATRIX_WORDS && used < area.rows; word++) {
        struct area rest = {area.row + used, area.column + 1, area.rows - used, area.columns - 2};
        if (rest.rows > 2)
            rest.rows = 2;
        matrix_word(table, cell, word, text);
        if (*text)
            used += canvas_wrap(canvas, rest, paints[word], text);
    }
    return used;
}
