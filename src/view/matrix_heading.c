/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/matrix_heading.h"

#include <string.h>

enum { NAME_BYTES = 256 };

/* Bytes of `text` that one row takes: to the end of a word where that leaves it half full. */
static int row_bytes(const char *text, int columns, bool words, bool ascii, int *used)
{
    struct glyph glyph;
    int at = 0;
    int word = 0;
    int word_columns = 0;
    *used = 0;
    while ((glyph = glyph_next(text + at, ascii)).bytes && *used + glyph.columns <= columns) {
        at += (int)glyph.bytes;
        *used += glyph.columns;
        if (words && strchr("_ .:([,>", text[at - 1]) && *used * 2 > columns) {
            word = at;
            word_columns = *used;
        }
    }
    if (!word || !glyph.bytes)
        return at;
    *used = word_columns;
    return word;
}

static int count_rows(const char *text, int columns, bool words, bool ascii)
{
    int rows = 0;
    int used;
    for (int bytes; *text && (bytes = row_bytes(text, columns, words, ascii, &used)); rows++)
        text += bytes;
    return rows ? rows : 1;
}

int matrix_heading_rows(const char *name, int columns, int most, bool ascii)
{
    char text[NAME_BYTES];
    glyph_fit(text, sizeof text, name, columns * most, GLYPH_CUT_MIDDLE, ascii);
    int rows = count_rows(text, columns, false, ascii);
    return rows < most ? rows : most;
}

void matrix_heading_draw(struct canvas *canvas, struct area box, enum paint paint, const char *name)
{
    char text[NAME_BYTES];
    const char *at = text;
    glyph_fit(text, sizeof text, name, box.columns * box.rows, GLYPH_CUT_MIDDLE, canvas->ascii);
    int rows = count_rows(text, box.columns, false, canvas->ascii);
    bool words = count_rows(text, box.columns, true, canvas->ascii) == rows;
    for (int row = rows < box.rows ? box.rows - rows : 0; row < box.rows; row++) {
        int used;
        int bytes = row_bytes(at, box.columns, words, canvas->ascii, &used);
        canvas_format(canvas, box.row + row, box.column + box.columns - used, used, paint, "%.*s",
                      bytes, at);
        at += bytes;
    }
}
