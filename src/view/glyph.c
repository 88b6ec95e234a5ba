/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/glyph.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = 1024 };

static const char ellipsis[] = "…";

/* RFC 3629; 0: not a valid sequence. Overlong forms cannot occur in sanitised text. */
static unsigned decode(const unsigned char *in, wchar_t *code)
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
    glyph.bytes = decode((const unsigned char *)text, &glyph.code);
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
static int append(char *out, size_t size, const char *text, int from, int columns, bool ascii)
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

/* The '>' that ends the template arguments from here on; NULL: these are none. */
static const char *arguments_end(const char *text, const char *start)
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

/* std::map<int, std::string>::find becomes std::map<...>::find: what tells names of C++ apart
 * stands outside the brackets more often than inside. */
static const char *without_arguments(char *out, size_t size, const char *text, bool ascii)
{
    size_t used = 0;
    for (const char *at = text; *at && used + 1 < size; at++) {
        const char *end = *at == '<' ? arguments_end(text, at) : NULL;
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
        return append(out, size, text, 0, columns, ascii);
    char shorter[NAME_BYTES];
    if (cut == GLYPH_CUT_MIDDLE && strchr(text, '<')) {
        text = without_arguments(shorter, sizeof shorter, text, ascii);
        all = glyph_columns(text, ascii);
        if (all <= columns)
            return append(out, size, text, 0, columns, ascii);
    }
    int tail = cut == GLYPH_CUT_MIDDLE && columns >= 5 ? (columns - 1) / 2 : 0;
    int taken = append(out, size, text, 0, columns - 1 - tail, ascii);
    taken += append(out, size, ascii ? "~" : ellipsis, 0, 1, ascii);
    return taken + append(out, size, text, all - tail, columns - taken, ascii);
}
