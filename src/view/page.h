/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a screen is made of: the input it gets, the functions that answer, the places that act when
 * clicked, a line that is typed. Part of browser.h, where what owns them stands.
 */
#ifndef MISSTOP_VIEW_PAGE_H
#define MISSTOP_VIEW_PAGE_H

#include "view/canvas.h"
#include "view/keys.h"
#include "view/table.h"
#include "view/view.h"

enum { PANES_MAX = 4 };

enum input_kind { INPUT_KEY, INPUT_CLICK, INPUT_WHEEL_UP, INPUT_WHEEL_DOWN };

struct input {
    enum input_kind kind;
    uint32_t key; /* a character or enum key */
    int row;
    int column;
};

struct browser;

/* A screen, as a table of functions; NULL where it has nothing to say. */
struct page {
    const char *name;
    void (*update)(struct browser *browser); /* the snapshot shown has changed */
    void (*draw)(struct browser *browser, struct canvas *canvas, struct area area);
    unsigned (*panes)(struct browser *browser, struct table *panes[PANES_MAX]);
    /* Before the general meaning of an action; true: done. */
    bool (*act)(struct browser *browser, enum action action, struct request *request);
    bool (*click)(struct browser *browser, int row, int column);
    /* What was typed where prompt_ask() asked. */
    void (*answer)(struct browser *browser, const char *text, struct request *request);
    /* Where there is no table: goes to a word, from where it stands or behind it; false: it is not
     * here. */
    bool (*find)(struct browser *browser, const char *word, bool from_here);
    void (*hint)(struct browser *browser, char *out, size_t size);
    /* What Enter does now, for the key bar; "": nothing. */
    const char *(*enter)(struct browser *browser);
    const enum action *bar; /* keys that matter here, ended by ACTION_NONE */
};

/* A place that acts when clicked. */
struct zone {
    int row;
    int column;
    int columns;
    enum action action;
};

enum prompt_kind { PROMPT_NONE, PROMPT_FIND, PROMPT_FILTER, PROMPT_RENAME, PROMPT_TIME };

struct prompt {
    enum prompt_kind kind;
    char text[TABLE_WORD_BYTES];
    char before[TABLE_WORD_BYTES]; /* the filter to go back to */
    uint64_t identity;             /* the selection to go back to */
    bool missing;                  /* nothing found */
};

#endif
