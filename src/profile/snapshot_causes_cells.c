/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Why a function missed on an object, and what had thrown those lines out; declared in
 * matrix_axes.h. */
#include "profile/matrix_axes.h"
#include "profile/snapshot_causes.h"

#include <stdlib.h>

/* Of all misses whose evictor is known: what is less explains no cell. At most 2000 are more. */
static const double least_evictor = 1.0 / 2000;

static size_t cell_of(const struct matrix_axes *axes, uint32_t function, uint32_t object)
{
    return matrix_axes_row(axes, function) * matrix_axes_width(axes) +
           matrix_axes_column(axes, object);
}

/* Instructions on an object, of the ranking event. */
static void sum_code(const struct build *build, const struct matrix_axes *axes,
                     struct snapshot_causes_figures *sums)
{
    const struct pairs *pairs = &build->profile->code;
    const struct causes_table *table = &build->profile->causes.code;
    for (size_t i = 0; i < pairs->count && i < table->slot_count; i++) {
        const struct pair *pair = &pairs->at[i];
        if (pair->owner == PAIR_EMPTY || PAIR_EVENT(pair->owner) != build->event)
            continue;
        build_sum_causes(build, causes_table_find(table, i, pairs_hash(pair->owner, pair->key)),
                         &sums[cell_of(axes, pair->extra, PAIR_OBJECT(pair->owner))]);
    }
}

static void list_figures(struct build *build, const struct matrix_axes *axes, size_t cells,
                         const struct snapshot_causes_figures *sums)
{
    struct snapshot_matrix *matrix = &build->snapshot->matrix;
    matrix->caused = arena_array(build->arena, cells, sizeof *matrix->caused);
    build->failed |= !matrix->caused;
    for (size_t i = 0; i < cells && !build->failed; i++) {
        struct snapshot_causes_figures *figures = build_figures_of(build, &sums[i]);
        if (figures)
            matrix->caused[matrix->caused_count++] =
                (struct snapshot_matrix_caused){(uint16_t)(i / matrix_axes_width(axes)),
                                                (uint16_t)(i % matrix_axes_width(axes)), figures};
    }
}

/* `out` NULL: they are counted only. */
static size_t list_evictors(struct build *build, const struct matrix_axes *axes, double least,
                            struct snapshot_matrix_evictor *out)
{
    const struct pairs *pairs = &build->profile->causes.cell_evictors;
    size_t used = 0;
    for (size_t i = 0; i < pairs->count; i++) {
        const struct pair *pair = &pairs->at[i];
        double misses = build_read(build, &pair->weight);
        if (pair->owner == PAIR_EMPTY || PAIR_EVENT(pair->owner) != build->event ||
            !(misses >= least))
            continue;
        if (out)
            out[used] = (struct snapshot_matrix_evictor){
                .row = (uint16_t)matrix_axes_row(axes, pair->extra),
                .column = (uint16_t)matrix_axes_column(axes, PAIR_OBJECT(pair->owner)),
                .function = build_evictor_function(build, EVICTOR_FUNCTION(pair->key)),
                .object = build_evictor_object(build, EVICTOR_OBJECT(pair->key)),
                .misses = misses};
        used++;
    }
    return used;
}

void build_cell_causes(struct build *build, const struct matrix_axes *axes)
{
    struct snapshot_matrix *matrix = &build->snapshot->matrix;
    size_t cells = (axes->rows + SNAPSHOT_MATRIX_REST) * matrix_axes_width(axes);
    if (!causes_told(&build->profile->causes))
        return;
    struct snapshot_causes_figures *sums = calloc(cells, sizeof *sums);
    build->failed |= !sums;
    if (build->failed)
        return;
    sum_code(build, axes, sums);
    list_figures(build, axes, cells, sums);
    double evicted = 0;
    for (size_t i = 0; i < cells; i++)
        evicted += sums[i].evicted;
    free(sums);
    if (!(evicted > 0) || build->failed)
        return;
    size_t count = list_evictors(build, axes, least_evictor * evicted, NULL);
    matrix->evictors = arena_array(build->arena, count, sizeof *matrix->evictors);
    build->failed |= !matrix->evictors;
    if (matrix->evictors)
        matrix->evictor_count =
            list_evictors(build, axes, least_evictor * evicted, matrix->evictors);
    if (!build->failed)
        build_cell_evictor_threads(build, axes, least_evictor * evicted);
}
