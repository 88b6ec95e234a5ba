/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "matrix.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

enum { WIDE = 7, DEEP = 4, UNKNOWNS = 3, JOINTS = MATRIX_N / UNKNOWNS, BESIDE = 8 };

/*
 * Lists the neighbours of a joint with lower numbers: always those along an edge of the grid, and
 * at random those across its faces.
 */
static int beside(int joint, struct prng *prng, int out[BESIDE])
{
    static const int steps[][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0},
                                   {0, 1, 1}, {1, 0, 1}, {1, 1, 1}};
    int x = joint % WIDE;
    int y = joint / WIDE % DEEP;
    int z = joint / WIDE / DEEP;
    int count = 0;
    for (int i = 6; i >= 0; i--) {
        const int *step = steps[i];
        if (x < step[0] || y < step[1] || z < step[2])
            continue;
        if (i >= 3 && prng_next(prng) % 8 < 1)
            continue;
        out[count++] = joint - step[0] - step[1] * WIDE - step[2] * WIDE * DEEP;
    }
    return count;
}

static int in_order(const void *left, const void *right)
{
    return *(const int *)left - *(const int *)right;
}

static int add_row(struct matrix *matrix, int row, const int *joints, int count, int used)
{
    int first = used;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < UNKNOWNS && used < MATRIX_NONZEROS; k++)
            matrix->column[used++] = joints[i] * UNKNOWNS + k;
    for (int k = row / UNKNOWNS * UNKNOWNS; k < row && used < MATRIX_NONZEROS; k++)
        matrix->column[used++] = k;
    qsort(&matrix->column[first], (size_t)(used - first), sizeof *matrix->column, in_order);
    matrix->start[row + 1] = used;
    return used;
}

static void find_levels(struct matrix *matrix)
{
    matrix->levels = 0;
    for (int row = 0; row < MATRIX_N; row++) {
        int level = 0;
        for (int j = matrix->start[row]; j < matrix->start[row + 1]; j++)
            if (matrix->level[matrix->column[j]] >= level)
                level = matrix->level[matrix->column[j]] + 1;
        matrix->level[row] = level;
        matrix->levels = level >= matrix->levels ? level + 1 : matrix->levels;
    }
}

void matrix_make(struct matrix *matrix)
{
    struct prng prng = {1992};
    int used = 0;
    *matrix = (struct matrix){.levels = 0};
    for (int joint = 0; joint < JOINTS; joint++) {
        int joints[BESIDE];
        int count = beside(joint, &prng, joints);
        for (int k = 0; k < UNKNOWNS; k++)
            used = add_row(matrix, joint * UNKNOWNS + k, joints, count, used);
    }
    find_levels(matrix);
}

void matrix_renumber(const struct matrix *matrix, const int *order, struct matrix *out)
{
    static int number[MATRIX_N]; /* new number by old number */
    int used = 0;
    for (int i = 0; i < MATRIX_N; i++)
        number[order[i]] = i;
    out->levels = matrix->levels;
    out->start[0] = 0;
    for (int i = 0; i < MATRIX_N; i++) {
        int first = used;
        for (int j = matrix->start[order[i]]; j < matrix->start[order[i] + 1]; j++)
            out->column[used++] = number[matrix->column[j]];
        qsort(&out->column[first], (size_t)(used - first), sizeof *out->column, in_order);
        out->start[i + 1] = used;
        out->level[i] = matrix->level[order[i]];
    }
}

void matrix_by_level(const struct matrix *matrix, int *rows)
{
    int used = 0;
    for (int level = 0; level < matrix->levels; level++)
        for (int row = 0; row < MATRIX_N; row++)
            if (matrix->level[row] == level)
                rows[used++] = row;
}

void matrix_round_robin(const struct matrix *matrix, int processors, uint8_t *owner)
{
    static int rows[MATRIX_N];
    matrix_by_level(matrix, rows);
    for (int i = 0; i < MATRIX_N; i++)
        owner[rows[i]] = (uint8_t)(i % processors);
}

/*
 * Returns the processor that owns most of the needed rows; among equals, the one with the fewest
 * rows.
 */
static uint8_t needed_most(const int *needs, const int *rows, int processors)
{
    int best = 0;
    for (int p = 1; p < processors; p++)
        if (needs[p] > needs[best] || (needs[p] == needs[best] && rows[p] < rows[best]))
            best = p;
    return (uint8_t)best;
}

/* No processor gets more than an equal share of the rows so far, plus a few. */
void matrix_by_need(const struct matrix *matrix, int processors, uint8_t *owner)
{
    static int rows[MATRIX_N];
    int owned[16] = {0};
    matrix_by_level(matrix, rows);
    for (int i = 0; i < MATRIX_N; i++) {
        int needs[16] = {0};
        for (int j = matrix->start[rows[i]]; j < matrix->start[rows[i] + 1]; j++)
            needs[owner[matrix->column[j]]]++;
        for (int p = 0; p < processors; p++)
            if (owned[p] > i / processors + UNKNOWNS)
                needs[p] = -1;
        owner[rows[i]] = needed_most(needs, owned, processors);
        owned[owner[rows[i]]]++;
    }
}

void matrix_order_by_owner(const struct matrix *matrix, const uint8_t *owner, int processors,
                           int *order)
{
    static int rows[MATRIX_N];
    int used = 0;
    matrix_by_level(matrix, rows);
    for (int p = 0; p < processors; p++)
        for (int i = 0; i < MATRIX_N; i++)
            if (owner[rows[i]] == p)
                order[used++] = rows[i];
}
