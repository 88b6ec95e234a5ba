/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/matrix_axes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int matrix_axes_init(struct matrix_axes *axes, const struct build *build,
                     const struct snapshot_matrix *matrix)
{
    const struct snapshot *snapshot = build->snapshot;
    *axes = (struct matrix_axes){.rows = matrix->row_count,
                                 .columns = matrix->column_count,
                                 .functions = build->profile->functions.ids,
                                 .objects = build->profile->objects.ids};
    axes->row_of = malloc(axes->functions + 1);
    axes->column_of = malloc(axes->objects + 1);
    if (!axes->row_of || !axes->column_of)
        return -ENOMEM;
    memset(axes->row_of, (int)axes->rows, axes->functions + 1);
    memset(axes->column_of, (int)axes->columns, axes->objects + 1);
    for (size_t i = 0; i < axes->rows; i++)
        axes->row_of[snapshot->code[matrix->rows[i]].id] = (uint8_t)i;
    for (size_t i = 0; i < axes->columns; i++)
        axes->column_of[snapshot->objects[matrix->columns[i]].id] = (uint8_t)i;
    return 0;
}

void matrix_axes_fini(struct matrix_axes *axes)
{
    free(axes->row_of);
    free(axes->column_of);
}
