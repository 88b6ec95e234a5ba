/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names over the columns of the Matrix screen, in as many rows as there are. For matrix_grid.c. */
#ifndef MISSTOP_VIEW_MATRIX_HEADING_H
#define MISSTOP_VIEW_MATRIX_HEADING_H

#include "view/canvas.h"

/* Rows that a name takes in so many columns: `most` at the most, where it is cut. */
int matrix_heading_rows(const char *name, int columns, int most, bool ascii);

/* Its last row stands at the foot of the box. */
void matrix_heading_draw(struct canvas *canvas, struct area box, enum paint paint,
                         const char *name);

#endif
