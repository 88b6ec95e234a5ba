/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/canvas.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 2048 };

int canvas_init(struct canvas *canvas, int rows, int columns, bool ascii)
{
    *canvas = (struct canvas){.rows = rows, .columns = columns, .ascii = ascii};
    if (rows < 1 || columns < 1)
        return -EINVAL;
    canvas->cells = calloc((size_t)rows * (size_t)columns, sizeof *canvas->cells);
    if (!canvas->cells)
        return -ENOMEM;
    canvas_clear(canvas);
    return 0;
}

void canvas_fini(struct canvas *canvas)
{
    free(canvas->cells);
    *canvas = (struct canvas){0};
}

static struct cell *cell_at(const struct canvas *canvas, int row, int column)
{
    bool inside = row >= 0 && row < canvas->rows && column >= 0 && column < canvas->columns;
    return inside ? &canvas->cells[(size_t)row * (size_t)canvas->columns + (size_t)column] : NULL;
}

const struct cell *canvas_at(const struct canvas *canvas, int row, int column)
{
    return cell_at(canvas, row, column);
}

static void blank(struct cell *cell)
{
    *cell = (struct cell){.text = {L' '}, .columns = 1};
}

void canvas_clear(struct canvas *canvas)
{
    size_t count = (size_t)canvas->rows * (size_t)canvas->columns;
    for (size_t i = 0; i < count; i++)
        blank(&canvas->cells[i]);
}

static void combine(struct cell *cell, wchar_t code)
{
    for (int i = 1; cell && i < CELL_GLYPHS; i++) {
        if (cell->text[i])
            continue;
        cell->text[i] = code;
        return;
    }
}

/* A wide character that is half overwritten would shift the rest of the row. */
static void release(struct canvas *canvas, int row, int column)
{
    struct cell *cell = cell_at(canvas, row, column);
    if (!cell)
        return;
    struct cell *other = cell->columns == 0   ? cell_at(canvas, row, column - 1)
                         : cell->columns == 2 ? cell_at(canvas, row, column + 1)
                                              : NULL;
    if (other)
        blank(other);
    blank(cell);
}

static void put(struct canvas *canvas, int row, int column, const struct glyph *glyph,
                enum paint paint)
{
    struct cell *cell = cell_at(canvas, row, column);
    struct cell *right = glyph->columns == 2 ? cell_at(canvas, row, column + 1) : NULL;
    if (!cell || (glyph->columns == 2 && !right))
        return;
    release(canvas, row, column);
    if (right) {
        release(canvas, row, column + 1);
        *right = (struct cell){.columns = 0, .paint = (uint8_t)paint};
    }
    *cell = (struct cell){
        .text = {glyph->code}, .columns = (uint8_t)glyph->columns, .paint = (uint8_t)paint};
}

int canvas_text(struct canvas *canvas, int row, int column, int columns, enum paint paint,
                const char *text)
{
    char fitted[LINE_BYTES];
    int drawn = 0;
    struct glyph glyph;
    if (columns > canvas->columns - column)
        columns = canvas->columns - column;
    if (!text || row < 0 || row >= canvas->rows || columns <= 0)
        return 0;
    glyph_fit(fitted, sizeof fitted, text, columns, GLYPH_CUT_END, canvas->ascii);
    for (const char *at = fitted; (glyph = glyph_next(at, false)).bytes; at += glyph.bytes) {
        if (!glyph.columns)
            combine(drawn ? cell_at(canvas, row, column + drawn - 1) : NULL, glyph.code);
        else
            put(canvas, row, column + drawn, &glyph, paint);
        drawn += glyph.columns;
    }
    return drawn;
}

int canvas_format(struct canvas *canvas, int row, int column, int columns, enum paint paint,
                  const char *format, ...)
{
    char line[LINE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    return canvas_text(canvas, row, column, columns, paint, line);
}

void canvas_flag(struct canvas *canvas, int row, int column, int columns, enum cell_flag flag)
{
    for (int i = 0; i < columns; i++) {
        struct cell *cell = cell_at(canvas, row, column + i);
        if (cell)
            cell->flags |= (uint8_t)flag;
    }
}

void canvas_paint(struct canvas *canvas, int row, int column, int columns, enum paint paint)
{
    for (int i = 0; i < columns; i++) {
        struct cell *cell = cell_at(canvas, row, column + i);
        if (cell)
            cell->paint = (uint8_t)paint;
    }
}

/* Bytes of `text` that fit in one row, ending at a space where there is one. */
static size_t row_bytes(const char *text, int columns, bool ascii)
{
    size_t space = 0;
    size_t at = 0;
    struct glyph glyph;
    for (int used = 0; (glyph = glyph_next(text + at, ascii)).bytes; at += glyph.bytes) {
        used += glyph.columns;
        if (text[at] == ' ')
            space = at;
        if (used > columns)
            return space ? space : at ? at : glyph.bytes;
    }
    return at;
}

int canvas_wrap(struct canvas *canvas, struct area area, enum paint paint, const char *text)
{
    int row = 0;
    int indent = text ? (int)strspn(text, " ") : 0;
    area.column += indent;
    area.columns -= indent;
    text = text ? text + indent : NULL;
    while (text && *text && row < area.rows && area.columns > 0) {
        size_t bytes = row_bytes(text, area.columns, canvas->ascii);
        /* In the last row what is left is cut, and the ellipsis says so. */
        bool last = row + 1 == area.rows;
        canvas_format(canvas, area.row + row, area.column, area.columns, paint, "%.*s",
                      last ? LINE_BYTES : (int)bytes, text);
        text += bytes;
        text += strspn(text, " ");
        row++;
    }
    return row;
}

size_t canvas_row_text(const struct canvas *canvas, int row, char *out, size_t size)
{
    size_t used = 0;
    size_t end = 0;
    for (int column = 0; column < canvas->columns; column++) {
        const struct cell *cell = cell_at(canvas, row, column);
        for (int i = 0; cell && cell->columns && i < CELL_GLYPHS && cell->text[i]; i++) {
            char bytes[5];
            unsigned length = glyph_encode(bytes, cell->text[i]);
            if (used + length >= size)
                goto out;
            memcpy(out + used, bytes, length);
            used += length;
            if (cell->text[i] != L' ')
                end = used;
        }
    }
out:
    out[end] = '\0';
    return end;
}
