/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Characters of UTF-8 text and the terminal columns they take. For all of view: nothing
 * else may assume that a byte or a character is one column wide.
 */
#ifndef MISSTOP_VIEW_GLYPH_H
#define MISSTOP_VIEW_GLYPH_H

#include <stdbool.h>
#include <stddef.h>
#include <wchar.h>

struct glyph {
    wchar_t code;
    unsigned bytes; /* 0 at the end of the text */
    int columns;    /* 0: combines with the character before */
};

/* Where text that is too long loses its characters: in the middle after the arguments of
 * templates, for names of C++ differ at both ends. */
enum glyph_cut { GLYPH_CUT_END, GLYPH_CUT_MIDDLE };

/* The first character; '?' for what is invalid, or not ASCII where `ascii` is asked for. */
struct glyph glyph_next(const char *text, bool ascii);

/* Columns of a whole text. */
int glyph_columns(const char *text, bool ascii);

/*
 * Copies `text`, cut to at most `columns` columns; an ellipsis ('~' in ASCII) stands for
 * what was left out. Returns the columns used.
 */
int glyph_fit(char *out, size_t size, const char *text, int columns, enum glyph_cut cut,
              bool ascii);

/* UTF-8 of one character; returns its bytes, at most 4. */
unsigned glyph_encode(char out[5], wchar_t code);

#endif
