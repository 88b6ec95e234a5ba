/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Headings and labelled entries one below the other, of which the canvas shows those in sight and
 * the rest is only counted. For the help page and its parts.
 */
#ifndef MISSTOP_VIEW_HELP_WRITER_H
#define MISSTOP_VIEW_HELP_WRITER_H

#include "view/canvas.h"

struct help_writer {
    struct canvas *canvas;
    struct area area;
    int line;         /* next line, from the top of the whole text */
    int top;          /* the first line in sight */
    const char *word; /* looked for; NULL: none */
    int from;         /* by its first line, from this one on */
    int found;        /* where it is; -1: nowhere */
};

/* With a blank line before it, but for the first. */
void help_heading(struct help_writer *writer, const char *text);

/* A label and its explanation, broken at spaces beside it; without a label, over the whole width.
 */
void help_entry(struct help_writer *writer, enum paint paint, const char *label, const char *text);

#endif
