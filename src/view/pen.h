/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes a row of a canvas part by part from the left, as far as it reaches. For whoever draws
 * lines made of parts (header*.c).
 */
#ifndef MISSTOP_VIEW_PEN_H
#define MISSTOP_VIEW_PEN_H

#include "view/canvas.h"

#include <stdbool.h>

/* What is left of a row. */
struct pen {
    struct canvas *canvas;
    int row;
    int column;
    int end;
};

/* As much as there is room for. */
__attribute__((format(printf, 3, 4))) void pen_part(struct pen *pen, enum paint paint,
                                                    const char *format, ...);

/* Only as a whole, for half a figure misleads; false: there was no room. */
__attribute__((format(printf, 3, 4))) bool pen_whole(struct pen *pen, enum paint paint,
                                                     const char *format, ...);

#endif
