/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A sparse lower triangular matrix as tri has it, by rows, and how its rows can be solved at the
 * same time. For experiments/memspy/test_tri.c.
 *
 * MemSpy took BCSSTK15 (3948 rows, a structure of beams). This one is made: 1316 joints on a grid,
 * each with three unknowns that depend on all of those of joints beside it, as many of them as fill
 * the lines that MemSpy counted.
 */
#ifndef MISSTOP_TESTS_MEMSPY_MATRIX_H
#define MISSTOP_TESTS_MEMSPY_MATRIX_H

#include <stdint.h>

enum { MATRIX_N = 3948, MATRIX_NONZEROS = 58400 };

struct matrix {
    int start[MATRIX_N + 1];
    int column[MATRIX_NONZEROS];
    int level[MATRIX_N]; /* a row depends on rows of lower levels only */
    int levels;
};

void matrix_make(struct matrix *matrix);

/* Rows and columns under new numbers: order[i] is the row that becomes the i-th. Levels go with
 * their rows. A row may then depend on rows of higher numbers. */
void matrix_renumber(const struct matrix *matrix, const int *order, struct matrix *out);

/* All rows by level, rows of a level as they stand. */
void matrix_by_level(const struct matrix *matrix, int *rows);

/* Who computes each row: by turns within a level; or who owns most of what the row needs. */
void matrix_round_robin(const struct matrix *matrix, int processors, uint8_t *owner);
void matrix_by_need(const struct matrix *matrix, int processors, uint8_t *owner);

/* Rows by owner, each owner's in the order of the levels: for matrix_renumber(). */
void matrix_order_by_owner(const struct matrix *matrix, const uint8_t *owner, int processors,
                           int *order);

#endif
