/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A sparse lower triangular matrix by rows, as in tri, and the order in which its rows can be
 * solved in parallel. Used by experiments/memspy/test_tri.c.
 *
 * MemSpy used BCSSTK15 (3948 rows, a structure of beams). This matrix is generated: 1316 joints on
 * a grid, each with three unknowns that depend on all unknowns of neighbouring joints; the number
 * of neighbours is chosen so that it fills as many lines as MemSpy counted.
 */
#ifndef MISSTOP_TESTS_MEMSPY_MATRIX_H
#define MISSTOP_TESTS_MEMSPY_MATRIX_H

#include <stdint.h>

enum { MATRIX_N = 3948, MATRIX_NONZEROS = 58400 };

struct matrix {
    int start[MATRIX_N + 1];
    int column[MATRIX_NONZEROS];
    int level[MATRIX_N]; /* a row only depends on rows of lower levels */
    int levels;
};

void matrix_make(struct matrix *matrix);

/*
 * Renumbers rows and columns: order[i] is the row that becomes the i-th. Levels move with their
 * rows. A row may then depend on rows with higher numbers.
 */
void matrix_renumber(const struct matrix *matrix, const int *order, struct matrix *out);

/* Lists all rows by level, and by number within a level. */
void matrix_by_level(const struct matrix *matrix, int *rows);

/*
 * Assign rows to processors: round robin within a level, or to the owner of most rows that a row
 * needs.
 */
void matrix_round_robin(const struct matrix *matrix, int processors, uint8_t *owner);
void matrix_by_need(const struct matrix *matrix, int processors, uint8_t *owner);

/* Lists rows by owner, and by level for each owner, for matrix_renumber(). */
void matrix_order_by_owner(const struct matrix *matrix, const uint8_t *owner, int processors,
                           int *order);

#endif
