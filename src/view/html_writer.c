/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/html_writer.h"

#include "base/text.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

/* Beyond it a figure is damage, and as percent it might overflow. */
static const double drawn_most = 1e100;

enum { PIECE = 256, TEXT_MOST = 4000, FORMAT_MOST = 4096 };

void html_markup(struct html_writer *writer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(writer->out, format, arguments);
    va_end(arguments);
}

static const char *escape_of(char byte)
{
    switch (byte) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

/* Printable UTF-8. U+FFFE and U+FFFF are characters to us, but not to XML. */
static void put(FILE *out, const char *text)
{
    for (; *text; text++) {
        const char *escape = escape_of(*text);
        if (escape) {
            fputs(escape, out);
        } else if (!strncmp(text, "\xef\xbf\xbe", 3) || !strncmp(text, "\xef\xbf\xbf", 3)) {
            fputc('?', out);
            text += 2;
        } else {
            fputc(*text, out);
        }
    }
}

/* Bytes of a piece that ends between characters. */
static size_t piece_of(const char *text, size_t left)
{
    if (left <= PIECE)
        return left;
    size_t size = PIECE;
    while (size > PIECE - 4 && ((unsigned char)text[size] & 0xc0) == 0x80)
        size--;
    return size;
}

void html_text(struct html_writer *writer, const char *text)
{
    char piece[PIECE + 1];
    size_t size = text ? strnlen(text, TEXT_MOST + 1) : 0;
    bool cut = size > TEXT_MOST;
    for (size_t at = 0, step; at < size && (!cut || at + PIECE <= TEXT_MOST); at += step) {
        step = piece_of(text + at, size - at);
        text_sanitise(piece, sizeof piece, text + at, step);
        put(writer->out, piece);
    }
    if (cut)
        fputs("…", writer->out);
}

void html_format(struct html_writer *writer, const char *format, ...)
{
    char text[FORMAT_MOST];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    html_text(writer, text);
}

void html_element(struct html_writer *writer, const char *tag, const char *class, const char *text)
{
    if (!text || !*text)
        return;
    html_markup(writer, "<%s%s%s%s>", tag, *class ? " class=\"" : "", class, *class ? "\"" : "");
    html_text(writer, text);
    html_markup(writer, "</%s>\n", tag);
}

void html_section(struct html_writer *writer, const char *id, const char *title, const char *lead)
{
    html_markup(writer, "<section id=\"%s\">\n", id);
    html_element(writer, "h2", "", title);
    html_element(writer, "p", "lead", lead);
}

void html_section_end(struct html_writer *writer)
{
    html_markup(writer, "</section>\n");
}

const char *html_class(enum paint paint)
{
    static const char *const classes[PAINT_COUNT] = {
        [PAINT_DIM] = "dim",     [PAINT_STRONG] = "strong", [PAINT_GOOD] = "good",
        [PAINT_WARN] = "warn",   [PAINT_BAD] = "bad",       [PAINT_LOAD] = "load",
        [PAINT_STORE] = "store", [PAINT_HEAT_0] = "h0",     [PAINT_HEAT_1] = "h1",
        [PAINT_HEAT_2] = "h2",   [PAINT_HEAT_3] = "h3",     [PAINT_HEAT_4] = "h4",
        [PAINT_HEAT_5] = "h5",   [PAINT_SERIES_0] = "s0",   [PAINT_SERIES_1] = "s1",
        [PAINT_SERIES_2] = "s2", [PAINT_SERIES_3] = "s3",   [PAINT_SERIES_4] = "s4",
        [PAINT_SERIES_5] = "s5",
    };
    return classes[paint] ? classes[paint] : "";
}

bool html_known(double number)
{
    return fabs(number) < drawn_most;
}
