/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/matrix_cell.h"

#include "base/hash.h"
#include "view/causes_words.h"
#include "view/matrix_rates.h"
#include "view/source_rows.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* All parts of one kind while they are counted, by the hash of what they are called. */
struct counting {
    struct hash known; /* index into list + 1 */
    struct matrix_part *list;
    size_t count;
    size_t room;
    double all;
};

/* Which lines of the table a cell is made of. */
struct chosen {
    const struct matrix_table *table;
    size_t row;
    size_t column;
};

static bool belongs(const struct chosen *chosen, uint16_t row, uint16_t column)
{
    const struct matrix_table *table = chosen->table;
    return (!chosen->row || table->row_of[row] + (size_t)1 == chosen->row) &&
           (!chosen->column || table->column_of[column] + (size_t)1 == chosen->column);
}

static bool begin(struct counting *counting, size_t room)
{
    *counting = (struct counting){.room = room};
    hash_init(&counting->known);
    counting->list = calloc(room + 1, sizeof *counting->list);
    return counting->list;
}

/* The part of a key, made if it is new; NULL: no memory. */
static struct matrix_part *part_of(struct counting *counting, uint64_t key)
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

static int most_samples(const void *left, const void *right)
{
    const struct matrix_part *a = left;
    const struct matrix_part *b = right;
    if (a->samples != b->samples)
        return a->samples > b->samples ? -1 : 1;
    return a->key < b->key ? -1 : a->key > b->key;
}

static void end(struct counting *counting, struct matrix_parts *parts)
{
    if (counting->list)
        qsort(counting->list, counting->count, sizeof *counting->list, most_samples);
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
    struct matrix_part *part = *name ? part_of(counting, hash_bytes(name, strlen(name))) : NULL;
    if (!part)
        return;
    snprintf(part->name, sizeof part->name, "%s", name);
    part->samples += site->samples;
    part->loads += site->loads;
    part->stores += site->stores;
}

static void name_line(const struct snapshot_matrix_site *site, char out[MATRIX_PART_BYTES])
{
    *out = '\0';
    if (site->file && site->line)
        snprintf(out, MATRIX_PART_BYTES, "%.*s:%" PRIu32, MATRIX_PART_BYTES - 16,
                 source_base_name(site->file), site->line);
}

static void gather_sites(const struct chosen *chosen, struct matrix_cell *cell)
{
    const struct snapshot_matrix *matrix = &chosen->table->snapshot->matrix;
    char name[MATRIX_PART_BYTES];
    struct counting fields;
    struct counting lines;
    bool room = begin(&fields, matrix->site_count);
    room = begin(&lines, matrix->site_count) && room;
    for (size_t i = 0; room && i < matrix->site_count; i++) {
        const struct snapshot_matrix_site *site = &matrix->sites[i];
        if (!belongs(chosen, site->row, site->column))
            continue;
        name_line(site, name);
        count_site(&lines, site, name);
        if (chosen->column)
            count_site(&fields, site, site->field ? site->field : "");
    }
    end(&fields, &cell->fields);
    end(&lines, &cell->lines);
}

/* ---- threads and blocks ---- */

static void count_key(struct counting *counting, uint64_t key, uint32_t samples)
{
    struct matrix_part *part = part_of(counting, key);
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
    bool room = begin(&threads, matrix->block_count);
    room = begin(&blocks, matrix->block_count) && room;
    for (size_t i = 0; room && i < matrix->block_count; i++) {
        const struct snapshot_matrix_block *block = &matrix->blocks[i];
        if (!belongs(chosen, block->row, block->column))
            continue;
        count_key(&threads, block->tid, block->samples);
        if (chosen->column)
            count_key(&blocks, block->base, block->samples);
    }
    end(&threads, &cell->threads);
    name_threads(&chosen->table->snapshot->threads, &cell->threads);
    end(&blocks, &cell->blocks);
}

static void gather_levels(const struct chosen *chosen, struct matrix_cell *cell)
{
    const struct snapshot_matrix *matrix = &chosen->table->snapshot->matrix;
    levels_sum_begin(&cell->levels);
    for (size_t i = 0; i < matrix->found_count; i++)
        if (belongs(chosen, matrix->found[i].row, matrix->found[i].column))
            levels_sum_add(&cell->levels, matrix->found[i].levels);
    levels_sum_end(&cell->levels);
}

/* ---- causes ---- */

/* Shares become amounts again, so that they can be added. */
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

static void count_name(struct counting *counting, const char *name, double misses)
{
    struct matrix_part *part = part_of(counting, hash_bytes(name, strlen(name)));
    if (!part)
        return;
    snprintf(part->name, sizeof part->name, "%s", name);
    part->samples += misses;
}

static void count_evictor(struct counting *counting, const struct snapshot_matrix_evictor *evictor)
{
    struct snapshot_evictor who = {.function = evictor->function, .object = evictor->object};
    char name[MATRIX_PART_BYTES];
    causes_evictor(&who, name, sizeof name);
    count_name(counting, name, evictor->misses);
}

static void gather_evictor_threads(const struct chosen *chosen, struct matrix_cell *cell)
{
    const struct snapshot_matrix *matrix = &chosen->table->snapshot->matrix;
    struct counting threads;
    bool room = begin(&threads, matrix->evictor_thread_count);
    for (size_t i = 0; room && i < matrix->evictor_thread_count; i++)
        if (belongs(chosen, matrix->evictor_threads[i].row, matrix->evictor_threads[i].column))
            count_name(&threads, matrix->evictor_threads[i].name,
                       matrix->evictor_threads[i].misses);
    threads.all = cell->causes.evicted;
    end(&threads, &cell->evictor_threads);
}

static void gather_causes(const struct chosen *chosen, struct matrix_cell *cell)
{
    const struct snapshot_matrix *matrix = &chosen->table->snapshot->matrix;
    struct counting evictors;
    cell->causes = (struct snapshot_causes_figures){0};
    for (size_t i = 0; i < matrix->caused_count; i++)
        if (belongs(chosen, matrix->caused[i].row, matrix->caused[i].column))
            add_figures(&cell->causes, matrix->caused[i].figures);
    bool room = begin(&evictors, matrix->evictor_count);
    for (size_t i = 0; room && i < matrix->evictor_count; i++)
        if (belongs(chosen, matrix->evictors[i].row, matrix->evictors[i].column))
            count_evictor(&evictors, &matrix->evictors[i]);
    evictors.all = cell->causes.evicted;
    end_figures(&cell->causes);
    end(&evictors, &cell->evictors);
    gather_evictor_threads(chosen, cell);
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
    gather_levels(&chosen, cell);
    gather_causes(&chosen, cell);
    cell->rates = matrix_rates(table, row, column, &cell->joined);
}

bool matrix_cell_next(const struct matrix_table *table, bool told[MATRIX_ROWS][MATRIX_COLUMNS],
                      size_t *row, size_t *column)
{
    const double least_share = 0.05;
    const double least_samples = 10;
    const struct snapshot_matrix_cell *most = NULL;
    for (size_t i = 0; i < table->row_count; i++)
        for (size_t k = 0; k < table->column_count; k++) {
            const struct snapshot_matrix_cell *cell = &table->cells[i][k];
            bool named = table->rows[i].members && table->columns[k].members;
            if (told[i][k] || !named || !(cell->share >= least_share) ||
                cell->samples < least_samples || (most && cell->share <= most->share))
                continue;
            most = cell;
            *row = i;
            *column = k;
        }
    if (most)
        told[*row][*column] = true;
    return most;
}
