/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which row and column of a snapshot's matrix a sample counts in. For snapshot_matrix.c and
 * snapshot_cells.c, for one snapshot. */
#ifndef MISSTOP_PROFILE_MATRIX_AXES_H
#define MISSTOP_PROFILE_MATRIX_AXES_H

#include "profile/state.h"

struct matrix_axes {
    size_t rows; /* listed; the others come after these, and then nobody */
    size_t columns;
    uint8_t *row_of; /* [functions], by id */
    size_t functions;
    uint8_t *column_of; /* [objects], by id */
    size_t objects;
};

/* -ENOMEM; to be given back by matrix_axes_fini() in any case. */
int matrix_axes_init(struct matrix_axes *axes, const struct build *build,
                     const struct snapshot_matrix *matrix);
void matrix_axes_fini(struct matrix_axes *axes);

/* Cells in a row. */
static inline size_t matrix_axes_width(const struct matrix_axes *axes)
{
    return axes->columns + SNAPSHOT_MATRIX_REST;
}

/* Ids beyond the tallies count under 0 there. */
static inline size_t matrix_axes_row(const struct matrix_axes *axes, uint32_t function)
{
    return axes->row_of[function < axes->functions ? function : 0];
}

static inline size_t matrix_axes_column(const struct matrix_axes *axes, uint32_t object)
{
    return axes->column_of[object < axes->objects ? object : 0];
}

/* What the cells are made of: sites, blocks, levels. (snapshot_cells.c) */
void build_cells(struct build *build, const struct matrix_axes *axes);
/* Why they missed. (snapshot_causes_cells.c) */
void build_cell_causes(struct build *build, const struct matrix_axes *axes);
/* Whose accesses had thrown lines out; those of less misses than `least` are left out.
 * (snapshot_causes_threads.c) */
void build_cell_evictor_threads(struct build *build, const struct matrix_axes *axes, double least);

#endif
