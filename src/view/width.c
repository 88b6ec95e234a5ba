/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/width.h"

#include <stdlib.h>
#include <string.h>
#include <wchar.h>

enum { WIDTH_MIDDLE_FROM = 24 };

/* Bytes of the next character and its cells; what the locale cannot read counts as one. */
static size_t next_character(const char *text, int *cells)
{
    wchar_t wide = 0;
    mbstate_t state = {0};
    size_t length = mbrtowc(&wide, text, MB_CUR_MAX + 1, &state);
    if (length == (size_t)-1 || length == (size_t)-2 || !length) {
        *cells = 1;
        return 1;
    }
    int width = wcwidth(wide);
    *cells = width < 0 ? 1 : width;
    return length;
}

int width_of_text(const char *text)
{
    int total = 0;
    while (*text) {
        int cells;
        text += next_character(text, &cells);
        total += cells;
    }
    return total;
}

static size_t put(char *out, size_t size, size_t used, const char *text, size_t length)
{
    if (used + length >= size)
        return used;
    memcpy(out + used, text, length);
    return used + length;
}

/* The start of a text, up to so many cells; bytes, and the cells really taken. */
static size_t head_bytes(const char *text, int cells, int *taken)
{
    size_t bytes = 0;
    *taken = 0;
    while (text[bytes]) {
        int width;
        size_t length = next_character(text + bytes, &width);
        if (*taken + width > cells)
            break;
        *taken += width;
        bytes += length;
    }
    return bytes;
}

static const char *tail_of(const char *text, int cells)
{
    int left = width_of_text(text);
    while (*text && left > cells) {
        int width;
        text += next_character(text, &width);
        left -= width;
    }
    return text;
}

static size_t cut(char *out, size_t out_size, const char *text, int cells, int *taken)
{
    const char *dots = MB_CUR_MAX > 1 ? "…" : "~";
    bool middle = cells > WIDTH_MIDDLE_FROM;
    int end = middle ? cells / 3 : 0;
    size_t bytes = head_bytes(text, cells - 1 - end, taken);
    size_t used = put(out, out_size, 0, text, bytes);
    used = put(out, out_size, used, dots, strlen(dots));
    *taken += 1;
    if (middle) {
        const char *tail = tail_of(text, end);
        used = put(out, out_size, used, tail, strlen(tail));
        *taken += width_of_text(tail);
    }
    return used;
}

void width_fit(char *out, size_t out_size, const char *text, int cells, bool right)
{
    int total = width_of_text(text);
    int taken = total;
    size_t used = 0;
    if (cells <= 0) {
        *out = '\0';
        return;
    }
    for (int i = total; right && i < cells; i++)
        used = put(out, out_size, used, " ", 1);
    if (total <= cells)
        used = put(out, out_size, used, text, strlen(text));
    else
        used = cut(out, out_size, text, cells, &taken);
    for (int i = taken; (!right || total > cells) && i < cells; i++)
        used = put(out, out_size, used, " ", 1);
    out[used] = '\0';
}
