/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One cell of the matrix in words: for the screen (matrix_page.c), batch text and the page of
 * --html. */
#ifndef MISSTOP_VIEW_MATRIX_WORDS_H
#define MISSTOP_VIEW_MATRIX_WORDS_H

#include "view/canvas.h"
#include "view/matrix_cell.h"

/* What is most wanted comes first. */
enum matrix_word {
    MATRIX_WORD_TITLE,
    MATRIX_WORD_SHARES,
    MATRIX_WORD_REASON, /* why there is no object */
    MATRIX_WORD_LEVELS,
    MATRIX_WORD_RATES,
    MATRIX_WORD_CAUSES, /* why, and by whom thrown out: MemSpy's detail of a bin */
    MATRIX_WORD_FIELDS,
    MATRIX_WORD_LINES,
    MATRIX_WORD_RECENT, /* threads and blocks */
    MATRIX_WORDS
};
enum { MATRIX_WORD_BYTES = 768 };

/* One of them; "": nothing is known. */
void matrix_word(const struct matrix_table *table, const struct matrix_cell *cell,
                 enum matrix_word word, char out[MATRIX_WORD_BYTES]);

/* All of them in an area of the screen; rows used. */
int matrix_words_draw(const struct matrix_table *table, const struct matrix_cell *cell,
                      struct canvas *canvas, struct area area);

#endif
