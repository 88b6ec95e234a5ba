/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What one cell of the matrix is made of, or a total of it: fields, lines, threads, blocks, levels,
 * causes, under the names that the user gave. For the screen, batch text, JSON and the page of
 * --html, which say the same of it.
 */
#ifndef MISSTOP_VIEW_MATRIX_CELL_H
#define MISSTOP_VIEW_MATRIX_CELL_H

#include "view/levels_sum.h"
#include "view/matrix_table.h"

enum { MATRIX_PARTS_MAX = 8, MATRIX_PART_BYTES = 160 };

/* A field, a line, a thread or a block. */
struct matrix_part {
    char name[MATRIX_PART_BYTES]; /* "particle.vy", "demo.c:74"; of threads "" where it is not
                                     known, "" of blocks */
    uint64_t key;                 /* thread id, address of the block */
    double samples;
    double loads; /* of fields and lines */
    double stores;
};

/* Most samples first. */
struct matrix_parts {
    struct matrix_part list[MATRIX_PARTS_MAX];
    size_t count;
    size_t distinct; /* those that are not listed too */
    double all;      /* samples they are parts of, those of no known part too */
};

struct matrix_cell {
    const struct matrix_line *row; /* NULL: all functions */
    const struct matrix_line *column;
    const struct snapshot_matrix_cell *figures;
    struct matrix_parts fields; /* of one object only: of several they say nothing */
    struct matrix_parts lines;
    struct matrix_parts threads; /* of the last `matrix.recent` samples, blocks too */
    struct matrix_parts blocks;
    struct levels_sum levels;
    struct snapshot_causes_figures causes; /* misses 0: none are told */
    struct matrix_parts evictors;          /* "function on object"; samples: misses of what it had
                                              thrown out; all: of all evictors that are known */
    struct matrix_parts evictor_threads;   /* the same by thread */
    const struct snapshot_rates *rates;    /* NULL: not known */
    struct snapshot_rates joined;          /* what that is where lines were combined */
};

/* `row` and `column` as in struct matrix_grid: 0 is all of them, else a line + 1. What there is no
 * memory for is left out. */
void matrix_cell_gather(const struct matrix_table *table, size_t row, size_t column,
                        struct matrix_cell *cell);

/* The strongest cell that is not marked in `told` yet, indices of lines; it is marked. False: none
 * is left that is worth words, or rests on more than chance. */
bool matrix_cell_next(const struct matrix_table *table, bool told[MATRIX_ROWS][MATRIX_COLUMNS],
                      size_t *row, size_t *column);

#endif
