/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/display/canvas.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 2048 };

struct area area_below(struct area area, int used)
{
    return (struct area){area.row + used, area.column, area.rows - used, area.columns};
}

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

static void blank_cell(struct cell *cell)
{
    *cell = (struct cell){.text = {L' '}, .columns = 1};
}

void canvas_clear(struct canvas *canvas)
{
    size_t count = (size_t)canvas->rows * (size_t)canvas->columns;
    for (size_t i = 0; i < count; i++)
        blank_cell(&canvas->cells[i]);
}

static void add_combining_glyph(struct cell *cell, wchar_t code)
{
    for (int i = 1; cell && i < CELL_GLYPHS; i++) {
        if (cell->text[i])
            continue;
        cell->text[i] = code;
        return;
    }
}

/* Blanks a cell, and the other half of a wide character, so that the row does not shift. */
static void blank_wide_cell(struct canvas *canvas, int row, int column)
{
    struct cell *cell = cell_at(canvas, row, column);
    if (!cell)
        return;
    struct cell *other = cell->columns == 0   ? cell_at(canvas, row, column - 1)
                         : cell->columns == 2 ? cell_at(canvas, row, column + 1)
                                              : NULL;
    if (other)
        blank_cell(other);
    blank_cell(cell);
}

static void canvas_put(struct canvas *canvas, int row, int column, const struct glyph *glyph,
                       enum paint paint)
{
    struct cell *cell = cell_at(canvas, row, column);
    struct cell *right = glyph->columns == 2 ? cell_at(canvas, row, column + 1) : NULL;
    if (!cell || (glyph->columns == 2 && !right))
        return;
    blank_wide_cell(canvas, row, column);
    if (right) {
        blank_wide_cell(canvas, row, column + 1);
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
            add_combining_glyph(drawn ? cell_at(canvas, row, column + drawn - 1) : NULL,
                                glyph.code);
        else
            canvas_put(canvas, row, column + drawn, &glyph, paint);
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

/* Returns the number of bytes of `text` that fit in one row, ending at a space if possible. */
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
        /* In the last row the remaining text is truncated with an ellipsis. */
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

enum { OWN = -1, RED = 1, GREEN, YELLOW, BLUE, MAGENTA, CYAN, WHITE };

/* For 256 colours, the colours of each scheme: dark, light, high contrast. */
#define INK(dark, light, contrast, color8)                                                         \
    {                                                                                              \
        {dark, light, contrast}, {OWN, OWN, OWN}, color8, OWN, 0, 0, 0                             \
    }
#define STRONG(dark, light, contrast, color8)                                                      \
    {                                                                                              \
        {dark, light, contrast}, {OWN, OWN, OWN}, color8, OWN, PAINT_BOLD, PAINT_BOLD, PAINT_BOLD  \
    }
#define BADGE(dark, light, contrast, color8)                                                       \
    {                                                                                              \
        {16, 231, 16}, {dark, light, contrast}, 0, color8, PAINT_BOLD, 0, PAINT_REVERSE            \
    }

static const struct {
    short text[SCHEME_MONO];
    short ground[SCHEME_MONO];
    short text_8;
    short ground_8;
    unsigned attributes_256;
    unsigned attributes_8;
    unsigned attributes_mono;
} looks[PAINT_COUNT] = {
    [PAINT_PLAIN] = INK(OWN, OWN, OWN, OWN),
    [PAINT_DIM] = {{245, 240, 252}, {OWN, OWN, OWN}, OWN, OWN, 0, PAINT_FAINT, PAINT_FAINT},
    [PAINT_STRONG] = STRONG(OWN, OWN, OWN, OWN),
    [PAINT_TITLE] = STRONG(75, 25, 15, CYAN),
    [PAINT_HEADING] = {{253, 231, 16}, {24, 25, 15}, 0, CYAN, 0, 0, PAINT_REVERSE},
    [PAINT_SORTED] =
        {{16, 231, 16}, {114, 28, 46}, 0, GREEN, PAINT_BOLD, 0, PAINT_REVERSE | PAINT_BOLD},
    [PAINT_PANE] = STRONG(75, 25, 51, CYAN),
    [PAINT_KEY] = STRONG(OWN, OWN, OWN, OWN),
    [PAINT_KEY_LABEL] = {{16, 231, 16}, {73, 31, 51}, 0, CYAN, 0, 0, PAINT_REVERSE},
    [PAINT_TAB] = INK(250, 238, 15, OWN),
    [PAINT_TAB_SHOWN] = BADGE(75, 25, 226, CYAN),
    [PAINT_LIVE] = BADGE(71, 28, 46, GREEN),
    [PAINT_FROZEN] = BADGE(75, 25, 51, CYAN),
    [PAINT_RECORDED] = BADGE(178, 130, 226, YELLOW),
    [PAINT_GOOD] = INK(71, 28, 46, GREEN),
    [PAINT_WARN] = STRONG(178, 130, 226, YELLOW),
    [PAINT_BAD] = STRONG(203, 160, 196, RED),
    [PAINT_LOAD] = INK(74, 31, 51, CYAN),
    [PAINT_STORE] = INK(176, 90, 201, MAGENTA),
    [PAINT_SELECTED] =
        {{OWN, OWN, OWN}, {238, 238, 238}, WHITE, BLUE, PAINT_BOLD, PAINT_BOLD, PAINT_REVERSE},
    [PAINT_CURSOR] =
        {{231, 231, 231}, {27, 27, 27}, WHITE, BLUE, PAINT_BOLD, PAINT_BOLD, PAINT_REVERSE},
    [PAINT_HEAT_0] = INK(244, 245, 250, BLUE),
    [PAINT_HEAT_1] = INK(73, 31, 51, CYAN),
    [PAINT_HEAT_2] = INK(113, 28, 46, GREEN),
    [PAINT_HEAT_3] = INK(184, 136, 226, YELLOW),
    [PAINT_HEAT_4] = {{208, 166, 214}, {OWN, OWN, OWN}, RED, OWN, 0, 0, PAINT_BOLD},
    [PAINT_HEAT_5] = STRONG(196, 160, 196, RED),
    [PAINT_SERIES_0] = INK(68, 25, 33, BLUE),
    [PAINT_SERIES_1] = INK(208, 166, 214, YELLOW),
    [PAINT_SERIES_2] = INK(71, 28, 46, GREEN),
    [PAINT_SERIES_3] = INK(167, 124, 196, RED),
    [PAINT_SERIES_4] = INK(140, 90, 201, MAGENTA),
    [PAINT_SERIES_5] = INK(80, 30, 51, CYAN),
};

struct paint_look paint_look(enum paint_scheme scheme, enum paint paint)
{
    unsigned of = scheme < SCHEME_MONO ? scheme : SCHEME_DEFAULT;
    struct paint_look look = {.text_256 = looks[paint].text[of],
                              .ground_256 = looks[paint].ground[of],
                              .text_8 = looks[paint].text_8,
                              .ground_8 = looks[paint].ground_8,
                              .attributes_256 = looks[paint].attributes_256,
                              .attributes_8 = looks[paint].attributes_8,
                              .attributes_mono = looks[paint].attributes_mono};
    if (scheme == SCHEME_CONTRAST) {
        look.attributes_256 = (look.attributes_256 | PAINT_BOLD) & ~(unsigned)PAINT_FAINT;
        look.attributes_8 = (look.attributes_8 | PAINT_BOLD) & ~(unsigned)PAINT_FAINT;
    }
    return look;
}

short paint_selected_ground(enum paint_scheme scheme)
{
    enum { GREY_ON_DARK = 238, GREY_ON_LIGHT = 252 };
    return scheme == SCHEME_LIGHT ? GREY_ON_LIGHT : GREY_ON_DARK;
}

enum paint paint_heat(double share)
{
    static const double steps[] = {0.01, 0.03, 0.08, 0.20, 0.40};
    unsigned level = 0;
    if (isnan(share))
        return PAINT_PLAIN;
    while (level < sizeof steps / sizeof *steps && share >= steps[level])
        level++;
    return (enum paint)(PAINT_HEAT_0 + level);
}

void pen_part(struct pen *pen, enum paint paint, const char *format, ...)
{
    char text[LINE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    pen->column +=
        canvas_text(pen->canvas, pen->row, pen->column, pen->end - pen->column, paint, text);
}

bool pen_whole(struct pen *pen, enum paint paint, const char *format, ...)
{
    char text[LINE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (pen->column + glyph_columns(text, pen->canvas->ascii) > pen->end)
        return false;
    pen_part(pen, paint, "%s", text);
    return true;
}

enum { NAME_BYTES = 1024 };

static const char ellipsis[] = "…";

/* RFC 3629; returns 0 for an invalid sequence. Overlong forms cannot occur in sanitised text. */
static unsigned decode_utf8(const unsigned char *in, wchar_t *code)
{
    unsigned length = in[0] < 0x80             ? 1
                      : (in[0] & 0xe0) == 0xc0 ? 2
                      : (in[0] & 0xf0) == 0xe0 ? 3
                      : (in[0] & 0xf8) == 0xf0 ? 4
                                               : 0;
    *code = length == 1 ? in[0] : in[0] & (0x7f >> length);
    for (unsigned i = 1; i < length; i++) {
        if ((in[i] & 0xc0) != 0x80)
            return 0;
        *code = *code << 6 | (in[i] & 0x3f);
    }
    return length;
}

struct glyph glyph_next(const char *text, bool ascii)
{
    struct glyph glyph = {0};
    if (!*text)
        return glyph;
    glyph.bytes = decode_utf8((const unsigned char *)text, &glyph.code);
    glyph.columns = glyph.bytes ? wcwidth(glyph.code) : -1;
    if (!glyph.bytes)
        glyph.bytes = 1;
    if (glyph.columns < 0 || (ascii && glyph.code >= 0x80)) {
        glyph.code = '?';
        glyph.columns = 1;
    }
    return glyph;
}

int glyph_columns(const char *text, bool ascii)
{
    int columns = 0;
    struct glyph glyph;
    for (; (glyph = glyph_next(text, ascii)).bytes; text += glyph.bytes)
        columns += glyph.columns;
    return columns;
}

unsigned glyph_encode(char out[5], wchar_t code)
{
    unsigned length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    out[length] = '\0';
    for (unsigned i = length - 1; i > 0; i--, code >>= 6)
        out[i] = (char)(0x80 | (code & 0x3f));
    out[0] = (char)(lead[length] | code);
    return length;
}

/* Appends the part of `text` that starts at column `from` and fits in `columns`. */
static int glyph_append(char *out, size_t size, const char *text, int from, int columns, bool ascii)
{
    size_t used = strlen(out);
    int at = 0;
    int taken = 0;
    struct glyph glyph;
    for (; (glyph = glyph_next(text, ascii)).bytes; text += glyph.bytes) {
        char bytes[5];
        unsigned length = glyph_encode(bytes, glyph.code);
        at += glyph.columns;
        if (at - glyph.columns < from || (at == from && !glyph.columns))
            continue;
        if (taken + glyph.columns > columns || used + length >= size)
            break;
        memcpy(out + used, bytes, length + 1);
        used += length;
        taken += glyph.columns;
    }
    return taken;
}

/* Returns the '>' of the template arguments that begin at `start`; NULL: none. */
static const char *find_arguments_end(const char *text, const char *start)
{
    enum { OPERATOR = 8 };
    const char *word = start;
    int depth = 0;
    while (word > text && (isalnum((unsigned char)word[-1]) || word[-1] == '_'))
        word--;
    if (word == start || (start - word == OPERATOR && !strncmp(word, "operator", OPERATOR)))
        return NULL;
    for (const char *at = start; *at; at++) {
        depth += *at == '<';
        depth -= *at == '>' && at[-1] != '-';
        if (!depth)
            return at > start + 1 ? at : NULL;
    }
    return NULL;
}

/* Shortens std::map<int, std::string>::find to std::map<...>::find, because C++ names differ more
 * often outside the brackets than inside. */
static const char *elide_arguments(char *out, size_t size, const char *text, bool ascii)
{
    size_t used = 0;
    for (const char *at = text; *at && used + 1 < size; at++) {
        const char *end = *at == '<' ? find_arguments_end(text, at) : NULL;
        if (!end) {
            out[used++] = *at;
            continue;
        }
        int length = snprintf(out + used, size - used, "<%s>", ascii ? "~" : ellipsis);
        used = used + (size_t)length < size ? used + (size_t)length : size - 1;
        at = end;
    }
    out[used] = '\0';
    return out;
}

int glyph_fit(char *out, size_t size, const char *text, int columns, enum glyph_cut cut, bool ascii)
{
    int all = glyph_columns(text, ascii);
    *out = '\0';
    if (columns <= 0)
        return 0;
    if (all <= columns)
        return glyph_append(out, size, text, 0, columns, ascii);
    char shorter[NAME_BYTES];
    if (cut == GLYPH_CUT_MIDDLE && strchr(text, '<')) {
        text = elide_arguments(shorter, sizeof shorter, text, ascii);
        all = glyph_columns(text, ascii);
        if (all <= columns)
            return glyph_append(out, size, text, 0, columns, ascii);
    }
    int tail = cut == GLYPH_CUT_MIDDLE && columns >= 5 ? (columns - 1) / 2 : 0;
    int taken = glyph_append(out, size, text, 0, columns - 1 - tail, ascii);
    taken += glyph_append(out, size, ascii ? "~" : ellipsis, 0, 1, ascii);
    return taken + glyph_append(out, size, text, all - tail, columns - taken, ascii);
}
