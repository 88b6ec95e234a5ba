/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Separates markup from text: markup is our own and literal, text is untrusted and escaped. Errors
 * are those of the stream, checked once at its end (html.c). For html_*.c. */
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

/* Writes our own markup; the values of the format must be numbers or our own words. */
void html_markup(struct html_writer *writer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Writes text, escaped for text and for attributes in double quotes. Characters that XML forbids,
 * invalid UTF-8 and direction controls become '?'; long text is truncated. NULL: nothing. */
void html_text(struct html_writer *writer, const char *text);
void html_format(struct html_writer *writer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Writes a format that is markup; the text for its %s is escaped. */
void html_printf(struct html_writer *writer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Writes <tag class="class">text</tag>; nothing if the text is NULL or "". */
void html_element(struct html_writer *writer, const char *tag, const char *class, const char *text);

/* Begins an element that a click opens, before its <summary>. */
void html_details(struct html_writer *writer, bool open);
/* Writes the explanation of a row as items of a list of facts; or with its name, to be opened. */
void html_facts(struct html_writer *writer, const struct columns *columns, const void *row);
void html_explain(struct html_writer *writer, const struct columns *columns, const void *row,
                  bool open);

/* Returns the class of a colour; "" if there is none. */
const char *html_class(enum paint paint);

/* Writes the first rows of a canvas as a picture, and frees the canvas. */
enum { HTML_PICTURE_COLUMNS = 100 };
void html_picture(struct html_writer *writer, struct canvas *canvas, int rows, const char *label);

/* Returns true if a number can be drawn: neither NAN nor too large. */
bool html_known(double number);

/* Writes rows with the columns of the screen, as a table that can be sorted by its titles; nothing
 * if there are no rows. Leaves out columns that are blank in all rows. Writes at most `most` rows,
 * and the number of others. The name of a row links to its object, or to the id that `link` returns
 * ("o12"; false: none). */
void html_rows(struct html_writer *writer, const struct columns *columns, const void *rows,
               size_t count, size_t most);
void html_linked_rows(struct html_writer *writer, const struct columns *columns, const void *rows,
                      size_t count, size_t most,
                      bool (*link)(const struct snapshot *snapshot, const void *row, char *id,
                                   size_t size));

bool html_object_link(const struct snapshot *snapshot, const void *object, char *id, size_t size);
bool html_function_link(const struct snapshot *snapshot, const void *code, char *id, size_t size);

/* Number of objects and functions with a part of their own. */
enum { HTML_OBJECTS_OPENED = 20, HTML_FUNCTIONS_OPENED = 20 };

/* Parts of the page, each called if the snapshot has data for it (html.c). */
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

/* Lines of batch text: sentences, and rows with the columns of the screen. For text.c, diff.c. */
enum { TEXT_WIDTH_MAX = 2000 };

struct text_writer {
    FILE *out;
    const struct snapshot *snapshot;
    struct canvas line;
    bool color;
};

/* Allocates a line as wide as the options or the terminal require; free with
 * canvas_fini(&writer->line). Returns 0 or -ENOMEM. */
int text_writer_init(struct text_writer *writer, FILE *out, const struct snapshot *snapshot,
                     const struct view_options *options);

/* Sentences are for people and grep: never cut to the width of the tables. */
void text_printf(struct text_writer *writer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Prints a table with its titles, at most `most` rows; nothing if there are no rows. */
void text_rows(struct text_writer *writer, const struct columns *columns, const void *rows,
               size_t count, size_t most);

#endif
