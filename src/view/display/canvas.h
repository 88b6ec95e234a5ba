/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A screen image in memory. Screens draw on it; display.c copies it to the terminal, text.c to a
 * file, and tests read it. Drawing outside is clipped and never an error. */
#ifndef MISSTOP_VIEW_DISPLAY_CANVAS_H
#define MISSTOP_VIEW_DISPLAY_CANVAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

/* The meanings of text, and their appearance with 256 colours, 8, and none. Views name a paint;
 * only display.c (curses) and text.c (escape sequences) translate it into a colour. */
enum paint {
    PAINT_PLAIN,
    PAINT_DIM,
    PAINT_STRONG,
    PAINT_TITLE,   /* the program's name */
    PAINT_HEADING, /* column titles */
    PAINT_SORTED,  /* title of the column sorted by */
    PAINT_PANE,    /* title of a pane */
    PAINT_KEY,
    PAINT_KEY_LABEL,
    PAINT_TAB,
    PAINT_TAB_SHOWN,
    PAINT_LIVE,
    PAINT_FROZEN,
    PAINT_RECORDED,
    PAINT_GOOD,
    PAINT_WARN,
    PAINT_BAD,
    PAINT_LOAD,
    PAINT_STORE,
    PAINT_SELECTED, /* a selected row that cannot keep its own colours */
    PAINT_CURSOR,   /* over the cell of a map */
    PAINT_HEAT_0,   /* cold */
    PAINT_HEAT_1,
    PAINT_HEAT_2,
    PAINT_HEAT_3,
    PAINT_HEAT_4,
    PAINT_HEAT_5,   /* hottest */
    PAINT_SERIES_0, /* colours that only distinguish series */
    PAINT_SERIES_1,
    PAINT_SERIES_2,
    PAINT_SERIES_3,
    PAINT_SERIES_4,
    PAINT_SERIES_5,
    PAINT_COUNT
};

enum paint_attribute { PAINT_BOLD = 1, PAINT_FAINT = 2, PAINT_REVERSE = 4, PAINT_UNDERLINE = 8 };

struct paint_look {
    short text_256; /* colour numbers; -1: the terminal's default */
    short ground_256;
    short text_8;
    short ground_8;
    unsigned attributes_256; /* enum paint_attribute */
    unsigned attributes_8;
    unsigned attributes_mono;
};

enum paint_scheme {
    SCHEME_DEFAULT,  /* for a dark background */
    SCHEME_LIGHT,    /* for a light background */
    SCHEME_CONTRAST, /* bright and bold */
    SCHEME_MONO
};

struct paint_look paint_look(enum paint_scheme scheme, enum paint paint);

/* Returns the background of the selected row, with 256 colours. */
short paint_selected_ground(enum paint_scheme scheme);

/* Returns the heat of a share, 0..1; PAINT_PLAIN if it is not known. */
enum paint paint_heat(double share);

/* Characters of UTF-8 text and the terminal columns they occupy. No other part of view may assume
 * that a byte or a character is one column wide. */
struct glyph {
    wchar_t code;
    unsigned bytes; /* 0 at the end of the text */
    int columns;    /* 0: combines with the previous character */
};

/* Where long text is truncated: at the end, or in the middle after shortening template arguments,
 * because C++ names differ at both ends. */
enum glyph_cut { GLYPH_CUT_END, GLYPH_CUT_MIDDLE };

/* Returns the first character; '?' if it is invalid, or not ASCII with `ascii`. */
struct glyph glyph_next(const char *text, bool ascii);

/* Returns the number of columns of a whole text. */
int glyph_columns(const char *text, bool ascii);

/* Copies `text`, cut to `columns` with an ellipsis ('~' in ASCII). Returns the columns used. */
int glyph_fit(char *out, size_t size, const char *text, int columns, enum glyph_cut cut,
              bool ascii);

/* Encodes one character as UTF-8; returns the number of bytes, at most 4. */
unsigned glyph_encode(char out[5], wchar_t code);

enum { CELL_GLYPHS = 4 }; /* a character and its combining characters */

enum cell_flag { CELL_SELECTED = 1, CELL_CURSOR = 2 };

struct cell {
    wchar_t text[CELL_GLYPHS]; /* terminated by 0 unless full */
    uint8_t columns;           /* 1 or 2; 0: right half of the previous character */
    uint8_t paint;             /* enum paint */
    uint8_t flags;             /* enum cell_flag */
};

struct canvas {
    int rows;
    int columns;
    bool ascii;
    struct cell *cells;
};

struct area {
    int row;
    int column;
    int rows;
    int columns;
};

/* Returns the part of the area below its first `used` rows. */
struct area area_below(struct area area, int used);

/* Returns 0, -ENOMEM, or -EINVAL for a size below 1. The canvas is blank at first. */
int canvas_init(struct canvas *canvas, int rows, int columns, bool ascii);
void canvas_fini(struct canvas *canvas);
void canvas_clear(struct canvas *canvas);

/* Draws text, truncated to `columns` with an ellipsis. Returns the columns drawn. */
int canvas_text(struct canvas *canvas, int row, int column, int columns, enum paint paint,
                const char *text);
int canvas_format(struct canvas *canvas, int row, int column, int columns, enum paint paint,
                  const char *format, ...) __attribute__((format(printf, 6, 7)));

/* Change the appearance of cells without changing their text. */
void canvas_flag(struct canvas *canvas, int row, int column, int columns, enum cell_flag flag);
void canvas_paint(struct canvas *canvas, int row, int column, int columns, enum paint paint);

/* Draws text over several rows, broken at spaces, indented as it begins. Returns the rows used. */
int canvas_wrap(struct canvas *canvas, struct area area, enum paint paint, const char *text);

/* Returns NULL for a cell outside. */
const struct cell *canvas_at(const struct canvas *canvas, int row, int column);

/* Formats one row as UTF-8, without trailing blanks. Returns the length. */
size_t canvas_row_text(const struct canvas *canvas, int row, char *out, size_t size);

/* Writes a row of a canvas part by part from the left, as far as it reaches, for lines that consist
 * of parts (header.c). */

/* The unwritten rest of a row. */
struct pen {
    struct canvas *canvas;
    int row;
    int column;
    int end;
};

/* Writes the text, truncated to the space left. */
__attribute__((format(printf, 3, 4))) void pen_part(struct pen *pen, enum paint paint,
                                                    const char *format, ...);

/* Writes the text only if it fits: a truncated figure misleads. Returns false if not. */
__attribute__((format(printf, 3, 4))) bool pen_whole(struct pen *pen, enum paint paint,
                                                     const char *format, ...);

#endif
