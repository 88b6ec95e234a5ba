/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines of batch text: sentences, and rows through the columns of the screen. For text.c,
 * diff_text.c. */
#ifndef MISSTOP_VIEW_TEXT_WRITER_H
#define MISSTOP_VIEW_TEXT_WRITER_H

#include "view/browser.h"

#include <stdio.h>

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

/* Prints the row drawn on `line`, and blanks it for the next. */
void text_canvas(struct text_writer *writer);

/* What was watched and how far to trust it. (text_head.c) */
void text_head_print(struct text_writer *writer);

/* Functions x objects, the first of both. (matrix_text.c) */
void matrix_text_print(struct text_writer *writer);

/* What watchpoints saw, and why each verdict; nothing without them. (watch_text.c) */
void watch_text_print(struct text_writer *writer);

/* Why lines were missed, and what had thrown them out; nothing unless told. (causes_text.c) */
void causes_text_print(struct text_writer *writer);

/* What caches of any size would miss; nothing unless told. (reuse_text.c) */
void reuse_text_print(struct text_writer *writer);
/* What was asked about another layout, and the answer; nothing where nothing was. (whatif_text.c)
 */
void whatif_text_print(struct text_writer *writer);

#endif
