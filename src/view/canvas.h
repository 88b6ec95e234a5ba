/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A picture of the screen in memory. Pages draw here; screen.c copies it to the terminal,
 * text.c to a file, tests read it. Drawing outside is cut off, never an error.
 */
#ifndef MISSTOP_VIEW_CANVAS_H
#define MISSTOP_VIEW_CANVAS_H

#include "view/glyph.h"
#include "view/paint.h"

#include <stdbool.h>
#include <stdint.h>

enum { CELL_GLYPHS = 4 }; /* a character and what combines with it */

enum cell_flag { CELL_SELECTED = 1, CELL_CURSOR = 2 };

struct cell {
    wchar_t text[CELL_GLYPHS]; /* ended by 0 unless full */
    uint8_t columns;           /* 1 or 2; 0: right half of the character before */
    uint8_t paint;             /* enum paint */
    uint8_t flags;             /* enum cell_flag */
};

struct canvas {
    int rows;
    int columns;
    bool ascii;
    struct cell *cells;
};

/* A rectangle of a canvas. */
struct area {
    int row;
    int column;
    int rows;
    int columns;
};

/* -ENOMEM; -EINVAL for a size below 1. Blank at first. */
int canvas_init(struct canvas *canvas, int rows, int columns, bool ascii);
void canvas_fini(struct canvas *canvas);
void canvas_clear(struct canvas *canvas);

/* Text in at most `columns` columns, cut with an ellipsis. Returns the columns drawn. */
int canvas_text(struct canvas *canvas, int row, int column, int columns, enum paint paint,
                const char *text);
int canvas_format(struct canvas *canvas, int row, int column, int columns, enum paint paint,
                  const char *format, ...) __attribute__((format(printf, 6, 7)));

/* Changes how cells look and not what they say. */
void canvas_flag(struct canvas *canvas, int row, int column, int columns, enum cell_flag flag);
void canvas_paint(struct canvas *canvas, int row, int column, int columns, enum paint paint);

/* Text over several rows, broken at spaces, each behind the blanks it begins with. Returns the rows
 * used. */
int canvas_wrap(struct canvas *canvas, struct area area, enum paint paint, const char *text);

/* NULL outside. */
const struct cell *canvas_at(const struct canvas *canvas, int row, int column);

/* One row as UTF-8, without blanks at its end. Returns the length. */
size_t canvas_row_text(const struct canvas *canvas, int row, char *out, size_t size);

#endif
