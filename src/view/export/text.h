/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines of batch text: sentences, and rows through the columns of the screen. For text.c,
 * diff.c. */
#ifndef MISSTOP_VIEW_EXPORT_TEXT_H
#define MISSTOP_VIEW_EXPORT_TEXT_H

#include <stdio.h>

#include "view/screen/browser.h"

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
