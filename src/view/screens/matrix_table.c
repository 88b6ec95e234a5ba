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

/* Formats the full name of a line's largest member; -EINVAL: the others, or no such line. */
static int matrix_rules_name_line(const struct matrix_table *table, enum matrix_axis axis,
                                  size_t at, char out[BIN_RULES_NAME_BYTES])
{
    const struct matrix_lines *lines = &table->axis[axis];
    if (at >= lines->count || !lines->list[at].members)
        return -EINVAL;
    matrix_full_name(table->snapshot, axis, lines->list[at].index, out);
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
        sum->by_measure[i] += cell->by_measure[i];
}

static double cell_amount(const struct snapshot_matrix_cell *cell, enum matrix_measure measure)
{
    switch (measure) {
    case MATRIX_MISSES:
        return cell->by_measure[MEASURE_MISSES];
    case MATRIX_ACCESSES:
        return cell->by_measure[MEASURE_ACCESSES];
    case MATRIX_STALLS:
        return cell->by_measure[MEASURE_WAITING];
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
    return measure == MATRIX_WEIGHT || cell_amount(&snapshot->matrix.all, measure) > 0;
}

double matrix_table_share(const struct matrix_table *table, const struct snapshot_matrix_cell *cell)
{
    double all = cell_amount(&table->snapshot->matrix.all, table->measure);
    if (table->measure == MATRIX_WEIGHT)
        return cell->share;
    return all > 0 ? cell_amount(cell, table->measure) / all : NAN;
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
    const char *weighs = table->snapshot->source.weight_unit;
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

struct listed {
    const uint32_t *indices; /* [count]; then the unlisted ones, then those without a line */
    size_t count;
    const struct snapshot_matrix_cell *totals;
};

static struct listed listed_of(const struct snapshot *snapshot, enum matrix_axis axis)
{
    const struct snapshot_matrix *matrix = &snapshot->matrix;
    return axis == MATRIX_FUNCTIONS
               ? (struct listed){matrix->rows, matrix->row_count, matrix->row_totals}
               : (struct listed){matrix->columns, matrix->column_count, matrix->column_totals};
}

/* Merges the lines of a group into the first of them, which is the largest. */
static void matrix_table_join(struct matrix_table *table, const struct bin_rules *rules,
                              enum matrix_axis axis, const struct listed *listed)
{
    struct matrix_lines *lines = &table->axis[axis];
    for (size_t i = 0; i < listed->count; i++) {
        struct matrix_line line = matrix_table_line_of(table->snapshot, rules, axis,
                                                       listed->indices[i], &listed->totals[i]);
        size_t at = matrix_table_find(table, axis, line.identity);
        line.first = (uint32_t)i;
        if (at == lines->count) {
            lines->list[lines->count++] = line;
        } else {
            lines->list[at].members++;
            matrix_table_add(&lines->list[at].total, &line.total);
        }
        lines->line_of[i] = (uint8_t)at;
    }
}

static void matrix_table_rank(struct matrix_table *table, struct matrix_lines *lines,
                              const struct listed *listed)
{
    uint8_t now_at[MATRIX_ROWS]; /* by the first member */
    uint32_t first[MATRIX_ROWS];
    for (size_t i = 0; i < lines->count; i++) {
        lines->list[i].amount = cell_amount(&lines->list[i].total, table->measure);
        first[i] = lines->list[i].first;
    }
    SORT(lines->list, lines->count, LARGEST(struct matrix_line, amount),
         SMALLEST(struct matrix_line, first));
    for (size_t i = 0; i < lines->count; i++)
        now_at[lines->list[i].first] = (uint8_t)i;
    for (size_t i = 0; i < listed->count; i++)
        lines->line_of[i] = now_at[first[lines->line_of[i]]];
}

/* Arranges the listed lines, then the lines of the rest that have samples. Cells of a rest without
 * samples are mapped behind all lines. */
static void arrange_lines(struct matrix_table *table, const struct bin_rules *rules,
                          enum matrix_axis axis)
{
    static const uint32_t rest[SNAPSHOT_MATRIX_REST] = {MATRIX_OTHERS, MATRIX_NONE};
    struct matrix_lines *lines = &table->axis[axis];
    const struct listed listed = listed_of(table->snapshot, axis);
    matrix_table_join(table, rules, axis, &listed);
    matrix_table_rank(table, lines, &listed);
    for (size_t i = 0; i < SNAPSHOT_MATRIX_REST; i++) {
        const struct snapshot_matrix_cell *total = &listed.totals[listed.count + i];
        if (!snapshot_matrix_any(total))
            continue;
        lines->line_of[listed.count + i] = (uint8_t)lines->count;
        lines->list[lines->count++] = (struct matrix_line){
            .name = rest_name(axis, rest[i]), .identity = i, .index = rest[i], .total = *total};
    }
    for (size_t i = 0; i < SNAPSHOT_MATRIX_REST; i++)
        if (!snapshot_matrix_any(&listed.totals[listed.count + i]))
            lines->line_of[listed.count + i] = (uint8_t)lines->count;
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
    arrange_lines(table, rules, MATRIX_FUNCTIONS);
    arrange_lines(table, rules, MATRIX_OBJECTS);
    const uint8_t *row_of = table->axis[MATRIX_FUNCTIONS].line_of;
    const uint8_t *column_of = table->axis[MATRIX_OBJECTS].line_of;
    for (size_t i = 0; i < matrix->row_count + SNAPSHOT_MATRIX_REST; i++)
        for (size_t k = 0; k < matrix->column_count + SNAPSHOT_MATRIX_REST; k++)
            matrix_table_add(&table->cells[row_of[i]][column_of[k]],
                             snapshot_matrix_at(matrix, i, k));
}

size_t matrix_table_find(const struct matrix_table *table, enum matrix_axis axis, uint64_t identity)
{
    const struct matrix_lines *lines = &table->axis[axis];
    size_t at = 0;
    while (at < lines->count && lines->list[at].identity != identity)
        at++;
    return at;
}

size_t matrix_table_line(const struct matrix_table *table, enum matrix_axis axis, uint32_t index)
{
    const struct listed listed = listed_of(table->snapshot, axis);
    size_t i = 0;
    while (i < listed.count && listed.indices[i] != index)
        i++;
    return table->axis[axis].line_of[i + (index == MATRIX_NONE)];
}

const struct matrix_line *matrix_line_at(const struct matrix_table *table, enum matrix_axis axis,
                                         struct matrix_place place)
{
    size_t at = place.at[axis];
    return at && at <= table->axis[axis].count ? &table->axis[axis].list[at - 1] : NULL;
}

/* Returns true if a row or column of the snapshot's matrix is part of the place. */
static bool matrix_place_contains(const struct matrix_table *table, struct matrix_place place,
                                  enum matrix_axis axis, size_t line)
{
    return !place.at[axis] || table->axis[axis].line_of[line] + (size_t)1 == place.at[axis];
}

static bool matrix_cell_belongs(const struct matrix_table *table, struct matrix_place place,
                                size_t row, size_t column)
{
    return matrix_place_contains(table, place, MATRIX_FUNCTIONS, row) &&
           matrix_place_contains(table, place, MATRIX_OBJECTS, column);
}

/* Sums the rates of the cells or totals of a line or cell. Returns their number. */
static size_t matrix_rates_sum(const struct matrix_table *table, struct matrix_place place,
                               struct rates_sums *sums)
{
    const struct snapshot_matrix *matrix = &table->snapshot->matrix;
    bool row = place.at[MATRIX_FUNCTIONS];
    bool column = place.at[MATRIX_OBJECTS];
    size_t parts = 0;
    for (size_t i = 0; i < (row ? matrix->row_count : 1); i++)
        for (size_t k = 0; k < (column ? matrix->column_count : 1); k++) {
            const struct snapshot_matrix_cell *from = row && column
                                                          ? snapshot_matrix_at(matrix, i, k)
                                                      : row ? &matrix->row_totals[i]
                                                            : &matrix->column_totals[k];
            if (!from->rates || !matrix_cell_belongs(table, place, i, k))
                continue;
            rates_join(sums, from->rates);
            parts++;
        }
    return parts;
}

/* Uses the rates of a single function or object; joins those of combined lines. */
static const struct snapshot_rates *matrix_rates(const struct matrix_table *table,
                                                 struct matrix_place place,
                                                 struct snapshot_rates *joined)
{
    const struct snapshot *snapshot = table->snapshot;
    const struct snapshot_matrix *matrix = &snapshot->matrix;
    const struct matrix_line *function = matrix_line_at(table, MATRIX_FUNCTIONS, place);
    const struct matrix_line *object = matrix_line_at(table, MATRIX_OBJECTS, place);
    struct rates_sums sums = {0};
    if (!function && !object)
        return snapshot->rates;
    if ((function && !function->members) || (object && !object->members))
        return NULL;
    if (!object && function->members == 1)
        return snapshot->code[function->index].rates;
    if (!function && object->members == 1)
        return snapshot->objects[object->index].rates;
    bool known = matrix_rates_sum(table, place, &sums) && matrix->rates_plan &&
                 rates_make(matrix->rates_plan, &sums, matrix->rates_all, joined);
    return known ? joined : NULL;
}

/* ---- parts of a cell ---- */

static void read_site(const struct snapshot_matrix_site *site, struct matrix_part *part)
{
    part->samples = site->samples;
    part->loads = site->loads;
    part->stores = site->stores;
}

static bool read_field(const void *one, struct matrix_part *part)
{
    const struct snapshot_matrix_site *site = one;
    read_site(site, part);
    snprintf(part->name, sizeof part->name, "%s", site->field ? site->field : "");
    return *part->name;
}

static bool read_line(const void *one, struct matrix_part *part)
{
    const struct snapshot_matrix_site *site = one;
    read_site(site, part);
    if (site->file && site->line)
        snprintf(part->name, sizeof part->name, "%.*s:%" PRIu32, MATRIX_PART_BYTES - 16,
                 text_base_name(site->file), site->line);
    return *part->name;
}

static bool read_thread(const void *one, struct matrix_part *part)
{
    const struct snapshot_matrix_block *block = one;
    part->key = block->tid;
    part->samples = block->samples;
    return true;
}

static bool read_block(const void *one, struct matrix_part *part)
{
    const struct snapshot_matrix_block *block = one;
    part->key = block->base;
    part->samples = block->samples;
    return true;
}

static bool read_evictor(const void *one, struct matrix_part *part)
{
    const struct snapshot_matrix_evictor *evictor = one;
    const struct snapshot_evictor who = {.function = evictor->name, .object = evictor->object};
    causes_evictor(&who, part->name, sizeof part->name);
    part->samples = evictor->misses;
    return true;
}

/* Elements of `each` bytes, which begin with their row and column, are summed by name, or else by
 * key. `read` fills a part from one; false: it is known only as a part of all. */
static struct matrix_parts gather_parts(const struct matrix_table *table, struct matrix_place place,
                                        const void *list, size_t count, size_t each,
                                        bool (*read)(const void *one, struct matrix_part *part))
{
    struct matrix_parts parts = {.count = 0};
    struct matrix_part *found = calloc(count + 1, sizeof *found);
    struct hash known; /* index into found + 1 */
    hash_init(&known);
    for (size_t i = 0; found && i < count; i++) {
        const void *one = (const char *)list + i * each;
        const uint16_t *at = one;
        struct matrix_part part = {.key = 0};
        if (!matrix_cell_belongs(table, place, at[0], at[1]))
            continue;
        bool is_known = read(one, &part);
        parts.all += part.samples;
        if (*part.name)
            part.key = hash_bytes(part.name, strlen(part.name));
        uint32_t *index = is_known ? hash_insert(&known, part.key, NULL) : NULL;
        if (!index)
            continue;
        if (!*index) {
            found[parts.distinct] = part;
            *index = (uint32_t)++parts.distinct;
            continue;
        }
        found[*index - 1].samples += part.samples;
        found[*index - 1].loads += part.loads;
        found[*index - 1].stores += part.stores;
    }
    if (found)
        SORT(found, parts.distinct, LARGEST(struct matrix_part, samples),
             SMALLEST(struct matrix_part, key));
    parts.count = parts.distinct < MATRIX_PARTS_MAX ? parts.distinct : MATRIX_PARTS_MAX;
    for (size_t i = 0; i < parts.count; i++)
        parts.list[i] = found[i];
    hash_fini(&known);
    free(found);
    return parts;
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
    sum->self_evicted += more->evicted > 0 ? more->self_evicted * more->evicted : 0;
}

static void finish_figures(struct snapshot_causes_figures *sum)
{
    for (int i = 0; sum->misses > 0 && i < CAUSE_COUNT; i++)
        sum->share[i] /= sum->misses;
    sum->early_same = sum->misses > 0 ? sum->early_same / sum->misses : 0;
    sum->early_other = sum->misses > 0 ? sum->early_other / sum->misses : 0;
    sum->self_evicted = sum->evicted > 0 ? sum->self_evicted / sum->evicted : NAN;
}

/* Sums the levels and causes of the snapshot's cells. */
static void gather_cells(const struct matrix_table *table, struct matrix_place place,
                         struct matrix_cell *cell)
{
    const struct snapshot_matrix *matrix = &table->snapshot->matrix;
    cell->has_levels = false;
    cell->causes = (struct snapshot_causes_figures){0};
    for (size_t i = 0; i < matrix->row_count + SNAPSHOT_MATRIX_REST; i++)
        for (size_t k = 0; k < matrix->column_count + SNAPSHOT_MATRIX_REST; k++) {
            const struct snapshot_matrix_cell *from = snapshot_matrix_at(matrix, i, k);
            if (!matrix_cell_belongs(table, place, i, k))
                continue;
            if (from->levels && cell->has_levels)
                levels_join(&cell->levels, from->levels);
            else if (from->levels)
                cell->levels = *from->levels;
            cell->has_levels |= from->levels != NULL;
            if (from->causes)
                add_figures(&cell->causes, from->causes);
        }
    finish_figures(&cell->causes);
}

#define GATHER(list, count, read) gather_parts(table, place, list, count, sizeof *(list), read)

void matrix_cell_gather(const struct matrix_table *table, struct matrix_place place,
                        struct matrix_cell *cell)
{
    const struct snapshot_matrix *matrix = &table->snapshot->matrix;
    size_t row = place.at[MATRIX_FUNCTIONS];
    size_t column = place.at[MATRIX_OBJECTS];
    const struct matrix_parts none = {.count = 0};
    cell->row = matrix_line_at(table, MATRIX_FUNCTIONS, place);
    cell->column = matrix_line_at(table, MATRIX_OBJECTS, place);
    cell->figures = row && column ? &table->cells[row - 1][column - 1]
                    : row         ? &cell->row->total
                    : column      ? &cell->column->total
                                  : &matrix->all;
    cell->lines = GATHER(matrix->sites, matrix->site_count, read_line);
    cell->fields = column ? GATHER(matrix->sites, matrix->site_count, read_field) : none;
    cell->threads = GATHER(matrix->blocks, matrix->block_count, read_thread);
    cell->blocks = column ? GATHER(matrix->blocks, matrix->block_count, read_block) : none;
    name_threads(&table->snapshot->threads, &cell->threads);
    gather_cells(table, place, cell);
    cell->evictors = GATHER(matrix->evictors, matrix->evictor_count, read_evictor);
    cell->evictor_threads =
        GATHER(matrix->evictor_threads, matrix->evictor_thread_count, read_evictor);
    cell->evictors.all = cell->evictor_threads.all = cell->causes.evicted;
    cell->rates = matrix_rates(table, place, &cell->joined);
}

bool matrix_cell_next(const struct matrix_table *table, bool listed[MATRIX_ROWS][MATRIX_COLUMNS],
                      struct matrix_place *place)
{
    const double min_share = 0.05;
    const double min_samples = 10;
    const struct matrix_lines *rows = &table->axis[MATRIX_FUNCTIONS];
    const struct matrix_lines *columns = &table->axis[MATRIX_OBJECTS];
    const struct snapshot_matrix_cell *most = NULL;
    for (size_t i = 0; i < rows->count; i++)
        for (size_t k = 0; k < columns->count; k++) {
            const struct snapshot_matrix_cell *cell = &table->cells[i][k];
            bool named = rows->list[i].members && columns->list[k].members;
            if (listed[i][k] || !named || !(cell->share >= min_share) ||
                cell->samples < min_samples || (most && cell->share <= most->share))
                continue;
            most = cell;
            *place = (struct matrix_place){{i + 1, k + 1}};
        }
    if (most)
        listed[place->at[0] - 1][place->at[1] - 1] = true;
    return most;
}

enum { PARTS_LISTED = 5, NAME_BYTES = 160 };
static const double min_listed = 0.005; /* fraction of its cell */
static const double mixed = 0.05;       /* smaller written parts are not mentioned */

static bool is_unplaced_line(const struct matrix_line *line)
{
    return line && line->index == MATRIX_NONE;
}

static void format_title(const struct matrix_cell *cell, char out[MATRIX_WORD_BYTES])
{
    if (is_unplaced_line(cell->row)) {
        text_append(out, MATRIX_WORD_BYTES, "no access to data");
        return;
    }
    text_append(out, MATRIX_WORD_BYTES, "%.*s on %.*s", NAME_BYTES,
                cell->row ? cell->row->name : "all functions", NAME_BYTES,
                cell->column ? cell->column->name : "all objects");
}

/* Formats ", 45% of NAME's"; nothing if there is no line. */
static void format_share_of(const struct matrix_table *table, const struct matrix_line *line,
                            const struct snapshot_matrix_cell *figures, char out[MATRIX_WORD_BYTES])
{
    double of_line = line ? matrix_table_share(table, &line->total) : NAN;
    if (of_line > 0 && !is_unplaced_line(line))
        text_append(out, MATRIX_WORD_BYTES, ", %.1f%% of %s%.*s",
                    matrix_table_share(table, figures) / of_line * 100,
                    line->members ? "" : "that of ", NAME_BYTES, line->name);
    else if (of_line > 0)
        text_append(out, MATRIX_WORD_BYTES, ", %.1f%% of samples without an object",
                    matrix_table_share(table, figures) / of_line * 100);
}

static void format_shares(const struct matrix_table *table, const struct matrix_cell *cell,
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
    format_share_of(table, cell->column ? cell->row : NULL, figures, out);
    format_share_of(table, cell->row ? cell->column : NULL, figures, out);
    if (!(figures->samples > 0))
        return;
    text_append(out, MATRIX_WORD_BYTES, "; %s sample%s: %.0f%% loads, %.0f%% stores",
                text_count(count, figures->samples), figures->samples < 1.5 ? "" : "s",
                figures->loads / figures->samples * 100, figures->stores / figures->samples * 100);
}

/* Quality and Code show the reasons together with the samples. */
static void format_reason(const struct snapshot *snapshot, const struct matrix_cell *cell,
                          char out[MATRIX_WORD_BYTES])
{
    if (is_unplaced_line(cell->row))
        text_append(out, MATRIX_WORD_BYTES,
                    "no waiting access was found: computing, in the kernel, or in unknown code");
    else if (is_unplaced_line(cell->column) && cell->row && cell->row->members == 1 &&
             snapshot->code[cell->row->index].unknown_reason)
        text_append(out, MATRIX_WORD_BYTES, "%s; Enter opens the function, which shows it by line",
                    access_reason_note(snapshot->code[cell->row->index].unknown_reason));
    else if (is_unplaced_line(cell->column))
        text_append(
            out, MATRIX_WORD_BYTES,
            "the address, or the access itself, is not known; Code shows the reasons by function");
}

/* Formats the parts with their shares of the cell, and how much of each is written. */
static void format_parts(const struct matrix_parts *parts, const char *label,
                         char out[MATRIX_WORD_BYTES])
{
    for (size_t i = 0; i < parts->count && i < PARTS_LISTED; i++) {
        const struct matrix_part *part = &parts->list[i];
        double kinds = part->loads + part->stores;
        double written = kinds > 0 ? part->stores / kinds : NAN;
        if (!(part->samples >= min_listed * parts->all))
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
static void format_evictors(const struct matrix_parts *by, const char *label,
                            char out[MATRIX_WORD_BYTES])
{
    for (size_t i = 0; i < by->count && i < PARTS_LISTED; i++) {
        if (!(by->list[i].samples >= min_listed * by->all))
            return;
        text_append(out, MATRIX_WORD_BYTES, "%s%s %.0f%%", i ? ", " : label, by->list[i].name,
                    by->list[i].samples / by->all * 100);
    }
}

static void format_causes(const struct matrix_cell *cell, char out[MATRIX_WORD_BYTES])
{
    char why[256];
    if (!(cell->causes.misses > 0))
        return;
    causes_why(&cell->causes, why, sizeof why);
    text_append(out, MATRIX_WORD_BYTES, "why: %s", why);
    format_evictors(&cell->evictors, "; evicted by ", out);
    if (cell->evictor_threads.count > 1 || cell->threads.distinct > 1)
        format_evictors(&cell->evictor_threads, "; by thread ", out);
}

static void format_threads(const struct matrix_parts *threads, char out[MATRIX_WORD_BYTES])
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
static bool is_outlier(const struct matrix_part *block, const struct matrix_parts *blocks)
{
    return block->samples >= 5 && block->samples >= 0.01 * blocks->all;
}

static void format_blocks(const struct matrix_parts *blocks, char out[MATRIX_WORD_BYTES])
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
    else if (!is_outlier(&blocks->list[0], blocks))
        text_append(out, MATRIX_WORD_BYTES, ", none stands out");
    for (size_t i = 0; i < blocks->count && i < PARTS_LISTED; i++)
        if (is_outlier(&blocks->list[i], blocks))
            text_append(out, MATRIX_WORD_BYTES, "%s0x%" PRIx64 " %.1f%%", i ? ", " : ": ",
                        blocks->list[i].key, blocks->list[i].samples / blocks->all * 100);
}

static void format_recent(const struct matrix_cell *cell, char out[MATRIX_WORD_BYTES])
{
    char count[16];
    if (!cell->threads.count)
        return;
    if (cell->threads.all > 1)
        text_append(out, MATRIX_WORD_BYTES,
                    "its last %s samples: ", text_count(count, cell->threads.all));
    format_threads(&cell->threads, out);
    format_blocks(&cell->blocks, out);
}

void matrix_word(const struct matrix_table *table, const struct matrix_cell *cell,
                 enum matrix_word word, char out[MATRIX_WORD_BYTES])
{
    *out = '\0';
    if (word == MATRIX_WORD_TITLE)
        format_title(cell, out);
    else if (word == MATRIX_WORD_SHARES)
        format_shares(table, cell, out);
    else if (word == MATRIX_WORD_REASON)
        format_reason(table->snapshot, cell, out);
    else if (word == MATRIX_WORD_LEVELS && cell->has_levels)
        levels_sentence(table->snapshot, &cell->levels, out, MATRIX_WORD_BYTES);
    else if (word == MATRIX_WORD_RATES)
        rates_sentence(table->snapshot, cell->rates, out, MATRIX_WORD_BYTES);
    else if (word == MATRIX_WORD_CAUSES)
        format_causes(cell, out);
    else if (word == MATRIX_WORD_FIELDS)
        format_parts(&cell->fields, "fields: ", out);
    else if (word == MATRIX_WORD_LINES)
        format_parts(&cell->lines, "lines: ", out);
    else if (word == MATRIX_WORD_RECENT)
        format_recent(cell, out);
}

void matrix_words_draw(const struct matrix_table *table, const struct matrix_cell *cell,
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
}
