/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Markup and text, kept apart: markup is ours and literal, text may be anybody's and is escaped.
 * Errors are those of the stream, looked at once at its end (html.c). For html_*.c.
 */
#ifndef MISSTOP_VIEW_EXPORT_WRITERS_H
#define MISSTOP_VIEW_EXPORT_WRITERS_H

#include "view/export/files.h"
#include "view/display/browser.h"
#include "view/widget/columns.h"

struct html_writer {
    FILE *out;
    const struct snapshot *snapshot;
    const struct view_sources *sources;
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

/* Markup and text in one: the format is markup, and text for its %s is escaped. */
void html_say(struct html_writer *writer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* <tag class="class">text</tag>; nothing where the text is NULL or "". */
void html_element(struct html_writer *writer, const char *tag, const char *class, const char *text);

/* The beginning of what opens by a click, before its <summary>. */
void html_details(struct html_writer *writer, bool open);

/* The class of a colour; "" where there is none. */
const char *html_class(enum paint paint);

/* A picture of the screen: the first rows of a canvas, which is given back. */
enum { HTML_PICTURE_COLUMNS = 100 };
void html_picture(struct html_writer *writer, struct canvas *canvas, int rows, const char *label);

/* Whether a number can be drawn: neither NAN nor beyond all measure. */
bool html_known(double number);

/* Rows through the columns of the screen, as a table that can be sorted by its titles; nothing
 * where there is no row. Columns that say nothing of any of the rows are left out; at most `most`
 * rows, and the number of others. The name of a row leads to its object, or where `link` says
 * ("o12"; false: nowhere). */
void html_rows(struct html_writer *writer, const struct columns *columns, const void *rows,
               size_t count, size_t most);
void html_linked_rows(struct html_writer *writer, const struct columns *columns, const void *rows,
                      size_t count, size_t most,
                      bool (*link)(const struct snapshot *snapshot, const void *row, char *id,
                                   size_t size));

/* The ids that the sections give. */
bool html_object_link(const struct snapshot *snapshot, const void *object, char *id, size_t size);
bool html_function_link(const struct snapshot *snapshot, const void *code, char *id, size_t size);

/* How many objects and functions have a part of their own. */
enum { HTML_OBJECTS_OPENED = 20, HTML_FUNCTIONS_OPENED = 20 };

/* The parts of the page, each called where the snapshot has something of it (html.c). */
void html_matrix(struct html_writer *writer);
void html_objects(struct html_writer *writer);
void html_opened_objects(struct html_writer *writer);
void html_whatif(struct html_writer *writer);
void html_code(struct html_writer *writer);
void html_reuse(struct html_writer *writer); /* miss curves by cache size */
void html_simulation(struct html_writer *writer);
void html_watch(struct html_writer *writer);
void html_sets(struct html_writer *writer);
void html_causes(struct html_writer *writer); /* why lines were missed, who evicts whom */
void html_sharing(struct html_writer *writer);
void html_timeline(struct html_writer *writer);
void html_heap(struct html_writer *writer);
void html_search(struct html_writer *writer);
void html_window(struct html_writer *writer);

/* Lines of batch text: sentences, and rows through the columns of the screen. For text.c,
 * diff.c. */
enum { TEXT_WIDTH_MOST = 2000 };

struct text_writer {
    FILE *out;
    const struct snapshot *snapshot;
    struct canvas line;
    bool color;
};

/* A line as wide as the options or the terminal say: canvas_fini(&writer->line) gives it back.
 * 0 or -ENOMEM. */
int text_writer_init(struct text_writer *writer, FILE *out, const struct snapshot *snapshot,
                     const struct view_options *options);

/* Sentences are for people and grep: they are never cut to the width of the tables. */
void text_say(struct text_writer *writer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A table under its titles, at most `most` rows of it; nothing where there is no row. */
void text_rows(struct text_writer *writer, const struct columns *columns, const void *rows,
               size_t count, size_t most);

#endif
