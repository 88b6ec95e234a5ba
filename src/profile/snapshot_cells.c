/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the cells of the matrix are made of: instructions and fields from the pairs, threads and
 * blocks from the window, levels from what the source told of the pairs; declared in
 * matrix_axes.h. */
#include "profile/matrix_axes.h"

#include "resolve/members.h"

#include <stdlib.h>

enum { NAME_BYTES = 256 };

/* Of everything: what is less is no part of a cell that anyone looks into. At most 4000 are more.
 */
static const double least_site = 1.0 / 4000;

/* ---- instructions and fields ---- */

static int by_address(const void *key, const void *row)
{
    uint64_t address = *(const uint64_t *)key;
    const struct snapshot_instruction *instruction = row;
    return address < instruction->address ? -1 : address > instruction->address;
}

static void locate(const struct build *build, size_t row, struct snapshot_matrix_site *site)
{
    const struct snapshot *snapshot = build->snapshot;
    const struct snapshot_code *code = &snapshot->code[snapshot->matrix.rows[row]];
    const struct snapshot_instruction *instruction =
        code->instruction_count
            ? bsearch(&site->address, code->instructions, code->instruction_count,
                      sizeof *code->instructions, by_address)
            : NULL;
    if (!instruction)
        return;
    site->file = instruction->file;
    site->line = instruction->line;
}

/* Many sites are on few fields: `known` holds the first site of each, + 1. */
static const char *field_of(struct build *build, struct hash *known, uint64_t where, size_t site)
{
    const struct snapshot_matrix *matrix = &build->snapshot->matrix;
    struct type_desc type;
    char name[NAME_BYTES];
    if (!where)
        return NULL;
    uint32_t *first = hash_insert(known, where, NULL);
    build->failed |= !first;
    if (first && *first)
        return matrix->sites[*first - 1].field;
    if (!build_type(build, offset_key_type(where), &type))
        return NULL;
    type_bits_name(&type, (uint32_t)where, offset_key_unit(where), name, sizeof name);
    if (first)
        *first = (uint32_t)site + 1;
    return arena_string(build->arena, name);
}

/* Pairs of the ranking event with enough samples; `sites` NULL: they are counted only. */
static size_t list_sites(struct build *build, const struct matrix_axes *axes, struct hash *known,
                         struct snapshot_matrix_site *sites)
{
    const struct pairs *pairs = &build->profile->code;
    double least = least_site * build->snapshot->matrix.all.samples;
    size_t used = 0;
    for (size_t i = 0; i < build->code_count; i++) {
        const struct pair *pair = build->profile->sorted[i];
        double samples = build_samples(build, &pair->weight);
        if (!(samples >= least) || !(samples > 0) || used == pairs->count)
            continue;
        if (sites) {
            struct snapshot_matrix_site *site = &sites[used];
            site->row = (uint16_t)matrix_axes_row(axes, pair->extra);
            site->column = (uint16_t)matrix_axes_column(axes, PAIR_OBJECT(pair->owner));
            site->address = pair->key;
            site->samples = samples;
            site->loads = build_samples(build, &pair->loads);
            site->stores = build_samples(build, &pair->stores);
            if (site->row < axes->rows)
                locate(build, site->row, site);
            site->field = field_of(build, known, pair->size, used);
        }
        used++;
    }
    return used;
}

static void build_sites(struct build *build, const struct matrix_axes *axes)
{
    struct snapshot_matrix *matrix = &build->snapshot->matrix;
    struct hash known;
    hash_init(&known);
    size_t count = list_sites(build, axes, &known, NULL);
    matrix->sites = arena_array(build->arena, count, sizeof *matrix->sites);
    build->failed |= !matrix->sites;
    if (matrix->sites)
        matrix->site_count = list_sites(build, axes, &known, matrix->sites);
    hash_fini(&known);
}

/* ---- threads and blocks ---- */

/* One of many that share a thread and a block, in a hash of all of them. */
static struct snapshot_matrix_block *block_of(struct build *build, const struct matrix_axes *axes,
                                              struct hash *known, const struct window_entry *entry)
{
    struct snapshot_matrix *matrix = &build->snapshot->matrix;
    struct snapshot_matrix_block block = {.row = (uint16_t)matrix_axes_row(axes, entry->function),
                                          .column =
                                              (uint16_t)matrix_axes_column(axes, entry->object),
                                          .tid = entry->tid,
                                          .base = entry->address - entry->offset};
    uint64_t cell = (uint64_t)block.row << 48 | (uint64_t)block.column << 32 | block.tid;
    uint32_t *at = hash_insert(known, hash_mix(cell) ^ block.base, NULL);
    build->failed |= !at;
    if (!at)
        return NULL;
    if (!*at) {
        matrix->blocks[matrix->block_count++] = block;
        *at = (uint32_t)matrix->block_count;
    }
    return &matrix->blocks[*at - 1];
}

/* The newest are enough for shares, and the window may be larger than one wants to walk. */
static void build_blocks(struct build *build, const struct matrix_axes *axes)
{
    const struct window *window = &build->profile->window;
    struct snapshot_matrix *matrix = &build->snapshot->matrix;
    uint32_t recent = window->used < SNAPSHOT_MATRIX_RECENT ? window->used : SNAPSHOT_MATRIX_RECENT;
    struct hash known;
    hash_init(&known);
    double mean = window_mean_weight(window, recent);
    matrix->recent = recent;
    matrix->blocks = arena_array(build->arena, recent, sizeof *matrix->blocks);
    build->failed |= !matrix->blocks;
    for (uint32_t i = 0; i < recent && !build->failed; i++) {
        const struct window_entry *entry = window_at(window, window->used - recent + i);
        struct snapshot_matrix_block *block =
            block_of(build, axes, &known, entry);
        if (block)
            block->samples += window_weight(entry) / mean;
    }
    hash_fini(&known);
}

/* ---- levels and rates ---- */

/* Of each cell, by rows; NULL: not told. */
struct cell_sums {
    struct levels_sums *levels;
    struct rates_sums *rates;
};

/* Pairs of all events: those that do not rank tell of levels and rates too. */
static void sum_pairs(const struct build *build, const struct matrix_axes *axes,
                      const struct cell_sums *sums)
{
    const struct pairs *pairs = &build->profile->code;
    for (size_t i = 0; i < pairs->count; i++) {
        const struct pair *pair = &pairs->at[i];
        if (pair->owner == PAIR_EMPTY)
            continue;
        size_t row = matrix_axes_row(axes, pair->extra);
        size_t cell =
            row * matrix_axes_width(axes) + matrix_axes_column(axes, PAIR_OBJECT(pair->owner));
        if (sums->levels)
            build_sum_code(build, pair, &sums->levels[cell]);
        if (sums->rates)
            build_sum_code_rates(build, pair, &sums->rates[cell]);
    }
}

static void list_levels(struct build *build, const struct matrix_axes *axes, size_t cells,
                        const struct levels_sums *sums)
{
    struct snapshot_matrix *matrix = &build->snapshot->matrix;
    size_t width = matrix_axes_width(axes);
    matrix->found = arena_array(build->arena, cells, sizeof *matrix->found);
    build->failed |= !matrix->found;
    for (size_t i = 0; i < cells && !build->failed; i++) {
        const struct snapshot_levels *levels =
            matrix->cells[i].samples > 0 ? build_levels(build, &sums[i]) : NULL;
        if (levels)
            matrix->found[matrix->found_count++] = (struct snapshot_matrix_found){
                (uint16_t)(i / width), (uint16_t)(i % width), levels};
    }
}

static void rate(struct build *build, uint16_t row, uint16_t column, const struct rates_sums *sums)
{
    struct snapshot_matrix *matrix = &build->snapshot->matrix;
    struct rates_sums *kept = arena_array(build->arena, 1, sizeof *kept);
    build->failed |= !kept;
    if (!kept)
        return;
    *kept = *sums;
    matrix->rated[matrix->rated_count++] = (struct snapshot_matrix_rated){row, column, kept};
}

/* Of what rates are made, so that those of several lines together can be made too. */
static void list_rates(struct build *build, const struct matrix_axes *axes, size_t cells,
                       const struct rates_sums *sums)
{
    const struct snapshot *snapshot = build->snapshot;
    struct snapshot_matrix *matrix = &build->snapshot->matrix;
    size_t width = matrix_axes_width(axes);
    matrix->rated =
        arena_array(build->arena, cells + axes->rows + axes->columns, sizeof *matrix->rated);
    build->failed |= !matrix->rated;
    for (size_t i = 0; i < cells && !build->failed; i++)
        if (snapshot_matrix_any(&matrix->cells[i]) && i % width < axes->columns &&
            i / width < axes->rows)
            rate(build, (uint16_t)(i / width), (uint16_t)(i % width), &sums[i]);
    for (size_t i = 0; i < axes->rows && !build->failed; i++) {
        struct rates_sums all = {0};
        build_sum_function_rates(build, snapshot->code[matrix->rows[i]].id, &all);
        rate(build, (uint16_t)i, SNAPSHOT_MATRIX_ALL, &all);
    }
    for (size_t i = 0; i < axes->columns && !build->failed; i++) {
        struct rates_sums all = {0};
        build_sum_object_rates(build, snapshot->objects[matrix->columns[i]].id, &all);
        rate(build, SNAPSHOT_MATRIX_ALL, (uint16_t)i, &all);
    }
    struct rates_plan *plan = arena_array(build->arena, 1, sizeof *plan);
    struct rates_sums *all = arena_array(build->arena, 1, sizeof *all);
    build->failed |= !plan || !all;
    if (build->failed)
        return;
    *plan = build->rates;
    *all = build->rates_all;
    matrix->rates_plan = plan;
    matrix->rates_all = all;
}

static void build_told(struct build *build, const struct matrix_axes *axes)
{
    const struct snapshot *snapshot = build->snapshot;
    size_t cells = (axes->rows + SNAPSHOT_MATRIX_REST) * matrix_axes_width(axes);
    struct cell_sums sums = {0};
    if (snapshot->levels)
        build->failed |= !(sums.levels = calloc(cells, sizeof *sums.levels));
    if (snapshot->rates)
        build->failed |= !(sums.rates = calloc(cells, sizeof *sums.rates));
    if (!build->failed && (sums.levels || sums.rates))
        sum_pairs(build, axes, &sums);
    if (!build->failed && sums.levels)
        list_levels(build, axes, cells, sums.levels);
    if (!build->failed && sums.rates)
        list_rates(build, axes, cells, sums.rates);
    free(sums.levels);
    free(sums.rates);
}

void build_cells(struct build *build, const struct matrix_axes *axes)
{
    build_sites(build, axes);
    if (!build->failed)
        build_blocks(build, axes);
    if (!build->failed)
        build_told(build, axes);
    if (!build->failed)
        build_cell_causes(build, axes);
}
