/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A screen of headings and labelled entries that is scrolled and searched: Help and Quality. */
#ifndef MISSTOP_VIEW_WIDGET_PROSE_H
#define MISSTOP_VIEW_WIDGET_PROSE_H

#include "view/screen/browser.h"

/* Where the text goes: the canvas shows the lines in sight, the rest is only counted. */
struct prose_writer {
    struct canvas *canvas;
    struct area area;
    int line;         /* next line, from the top of the whole text */
    int top;          /* the first line in sight */
    const char *word; /* looked for; NULL: none */
    int from;         /* by its first line, from this one on */
    int found;        /* where it is; -1: nowhere */
};

/* With a blank line before it, but for the first. */
void prose_heading(struct prose_writer *writer, const char *text);
/* A label and its explanation, broken at spaces under itself. */
void prose_entry(struct prose_writer *writer, enum paint paint, const char *label,
                 const char *text);

/* The state of such a page, first in its own. */
struct prose {
    void (*write)(struct prose_writer *writer, struct browser *browser); /* all of the text */
    int top;
    int lines;
    struct area area; /* as drawn */
    bool ascii;
    char word[TABLE_WORD_BYTES]; /* found last */
    int found;                   /* its line; -1: none */
};

/* From the first line on. */
void prose_open(struct prose *prose);
void prose_draw(struct prose *prose, struct browser *browser, struct canvas *canvas,
                struct area area);
bool prose_act(struct prose *prose, struct browser *browser, enum action action);
bool prose_find(struct prose *prose, struct browser *browser, const char *word, bool from_here);
void prose_hint(const struct prose *prose, char *out, size_t size);

#endif
