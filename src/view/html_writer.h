/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Markup and text, kept apart: markup is ours and literal, text may be anybody's and is escaped.
 * Errors are those of the stream, looked at once at its end (html.c). For html_*.c.
 */
#ifndef MISSTOP_VIEW_HTML_WRITER_H
#define MISSTOP_VIEW_HTML_WRITER_H

#include "view/columns.h"
#include "view/html.h"

struct html_writer {
    FILE *out;
    const struct snapshot *snapshot;
    const struct screen_sources *sources;
    const struct html_run *run;
};

/* Our own markup; the values of the format may be numbers and our own words only. */
void html_markup(struct html_writer *writer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Escaped for text and for attributes in double quotes. What XML forbids, invalid UTF-8 and what
 * steers the direction of text becomes '?'; long text is cut. NULL: nothing. */
void html_text(struct html_writer *writer, const char *text);
void html_format(struct html_writer *writer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* <tag class="class">text</tag>; nothing where the text is NULL or "". */
void html_element(struct html_writer *writer, const char *tag, const char *class, const char *text);

/* A part of the page under its title, which `id` leads to, and a sentence on what it is. */
void html_section(struct html_writer *writer, const char *id, const char *title, const char *lead);
void html_section_end(struct html_writer *writer);

/* The class of a colour; "" where there is none. */
const char *html_class(enum paint paint);

/* Whether a number can be drawn: neither NAN nor beyond all measure. */
bool html_known(double number);

#endif
