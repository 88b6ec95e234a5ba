/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The table of screens. A screen is one file in src/view/screens, which defines a struct screen,
 * and one row here. Its key, its tab, its part of the help, its part of the key bar, clicks and Esc
 * follow.
 */
#ifndef MISSTOP_VIEW_DISPLAY_SCREENS_H
#define MISSTOP_VIEW_DISPLAY_SCREENS_H

#include <stdbool.h>
#include <stddef.h>

#include "snapshot.h"
#include "view/display/canvas.h"
#include "view/display/keys.h"
#include "view/view.h"
#include "view/widget/columns.h"
#include "view/widget/table.h"

/*
 * In the order of the tabs, and of the updates after each snapshot: Detail follows the selection in
 * Objects, later rows follow Detail. SCREEN(id, struct screen, keys, place): the first key is
 * shown.
 */
#define SCREENS(SCREEN)                                                                            \
    SCREEN(OBJECTS, objects_screen, "1", TAB)                                                      \
    SCREEN(DETAIL, detail_screen, "", LEVEL)                                                       \
    SCREEN(CODE, code_screen, "2", TAB)                                                            \
    SCREEN(FUNCTION, function_screen, "", LEVEL)                                                   \
    SCREEN(LAYOUT, layout_screen, "", LEVEL)                                                       \
    SCREEN(MATRIX, matrix_screen, "3m", TAB)                                                       \
    SCREEN(HEAP, heap_screen, "4", TAB)                                                            \
    SCREEN(CACHE, cache_screen, "5", TAB)                                                          \
    SCREEN(SEARCH, search_screen, "6", TAB)                                                        \
    SCREEN(SHARING, sharing_screen, "7", TAB)                                                      \
    SCREEN(TIMELINE, timeline_screen, "8", TAB)                                                    \
    SCREEN(FINDINGS, findings_screen, "9f", TAB)                                                   \
    SCREEN(WATCH, watch_screen, "w", TAB)                                                          \
    SCREEN(CAUSES, causes_screen, "y", TAB)                                                        \
    SCREEN(REUSE, reuse_screen, "r", LEVEL)                                                        \
    SCREEN(WHATIF, whatif_screen, "x", TAB)                                                        \
    SCREEN(QUALITY, quality_screen, "i", LEVEL)                                                    \
    SCREEN(SETUP, setup_screen, "", LEVEL)                                                         \
    SCREEN(HELP, help_screen, "", LEVEL)                                                           \
    SCREEN(PICKER, picker_screen, "", LEVEL)

/* Esc leaves a level to the screen that it was opened on; a tab is left by another tab's key. */
enum screen_place { SCREEN_IS_LEVEL, SCREEN_IS_TAB };

#define SCREEN_ID(id, it, keys, place) SCREEN_##id,
enum screen_id { SCREENS(SCREEN_ID) SCREEN_COUNT };
#undef SCREEN_ID

/* The action of the key that shows a screen; to be used as SCREEN_ACTION(MATRIX). */
#define SCREEN_ACTION(id) ((enum action)((int)ACTION_SHOW + (int)SCREEN_##id))

enum { PANES_MAX = 5, SCREEN_TABLES_MAX = 6, SCREEN_BAR_MAX = 16 };

struct browser;
struct prose_writer;

/* A table in the state of a screen. */
struct screen_table {
    size_t at; /* offset in the state */
    const struct columns *columns;
    bool chosen_from; /* a list to choose from, which the help does not explain */
    bool filled;      /* in sight only while it has rows */
    /* Enter on a row; NULL: opens its object, where its columns have one. */
    void (*open)(struct browser *browser, const void *row);
    /* With a row selected: the label of Enter in the key bar, and a hint. NULL: the general label;
     * none. */
    const char *enter;
    const char *hint;
};

/* A screen; functions and texts are NULL where it needs none. */
struct screen {
    const char *name;
    const char *shows;    /* the help: a few sentences on the screen, */
    const char *next;     /* its use, and the next step */
    const char *key_help; /* of its key, in the list of all keys; for a number it is the name */
    size_t state_size;    /* of its state in the browser; zero at first */
    void (*init)(void *state);
    void (*fini)(void *state);
    struct screen_table tables[SCREEN_TABLES_MAX]; /* in the state, ended by one without columns */
    /* Whether the tab is there: by this member of the snapshot, and by a function; else always. */
    struct path filled_by;
    bool (*filled)(const struct snapshot *snapshot);
    bool (*calls)(const struct snapshot *snapshot); /* its tab asks for a look */
    /* The open object or function, for the line of the levels; NULL: the name of the screen. */
    void (*crumb)(const struct browser *browser, char *out, size_t size);
    /* The first line in the place of the process; such a screen has no tabs and no totals. */
    void (*title)(const struct browser *browser, char *out, size_t size);
    void (*open)(struct browser *browser);   /* by its key; NULL: browser_go() */
    void (*update)(struct browser *browser); /* the snapshot shown has changed */
    void (*draw)(struct browser *browser, struct canvas *canvas, struct area area);
    void (*write)(struct prose_writer *writer, struct browser *browser); /* all of a text */
    /* The tables in sight that keys and clicks are for; NULL: those of `tables`, in their order. */
    unsigned (*panes)(struct browser *browser, struct table *panes[PANES_MAX]);
    /* Before the general meaning of an action; true: done. */
    bool (*act)(struct browser *browser, enum action action, struct request *request);
    bool (*click)(struct browser *browser, int row, int column);
    /* The text typed where prompt_ask() asked. */
    void (*answer)(struct browser *browser, const char *text, struct request *request);
    /* Where there is no table: goes to a word, from the present position or behind it; false: it is
     * not here. */
    bool (*find)(struct browser *browser, const char *word, bool from_here);
    void (*hint)(struct browser *browser, char *out, size_t size); /* "", NULL: of the table */
    /* The label of an action in the key bar; "": it does nothing now; NULL: its general label, of
     * Enter that of the table. */
    const char *(*label)(struct browser *browser, enum action action);
    enum action bar[SCREEN_BAR_MAX]; /* keys that matter here, ended by ACTION_NONE */
};

struct screen_row {
    const struct screen *screen;
    const char *keys; /* a character each */
    char key[2];      /* the first of them, as it is shown; "": none */
    enum screen_place place;
};

extern const struct screen_row screens[SCREEN_COUNT];

/* Whether a screen has anything to show; without a snapshot only those that always have. */
bool screen_filled(enum screen_id id, const struct snapshot *snapshot);

/* ---- how one screen opens another; each is defined by the screen that is opened ---- */

/* Settings take effect: the scheme of colours, columns of tables. */
void setup_apply(struct browser *browser);
/* NULL: none. */
const struct snapshot_object *objects_selected(const struct browser *browser);
void browser_open_object(struct browser *browser, const struct snapshot_object *object);
/* By its index; an object that is not listed now gives a message. */
void browser_open_listed(struct browser *browser, uint32_t object);
/* The screen that shows a finding (a row of their table), and its name as a hint on Enter. */
void findings_open(struct browser *browser, const void *finding);
void findings_open_hint(const struct snapshot_finding *finding, char *out, size_t size);
/* A search in an object, in sight on the Search screen; false: it has no range. */
bool search_open_object(struct browser *browser, struct request *request,
                        const struct snapshot_object *object);
/* The same in a range. */
void search_open(struct browser *browser, struct request *request, uint64_t base, uint64_t bound,
                 const char *name);
void browser_open_function(struct browser *browser, const struct snapshot_code *code);
/* By its id; a message where it is not listed. */
void browser_open_function_id(struct browser *browser, uint32_t id, const char *not_listed);
/* The same of rows of tables: struct snapshot_object, struct snapshot_code. */
void browser_open_object_row(struct browser *browser, const void *object);
void browser_open_function_row(struct browser *browser, const void *code);
/* The function at the source line of an instruction. */
void browser_open_instruction(struct browser *browser, const struct snapshot_code *code,
                              const struct snapshot_instruction *instruction);
/* The layout of the object in Detail, at one of its fields: a row of its table. */
void browser_open_layout(struct browser *browser, const void *field);
/* The code that misses most on a member of the object in Detail. */
void browser_open_member(struct browser *browser, const struct snapshot_layout *layout,
                         const struct snapshot_layout_row *row);

/* ---- the two that the first screen shows below the objects, where there is room ---- */

void cache_glance(struct browser *browser, struct canvas *canvas, struct area area);
void search_glance(struct browser *browser, struct canvas *canvas, struct area area);

/* A screen of headings and labelled entries that is scrolled and searched: Help and Quality. */

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

/* The state of such a screen, first in its own; the functions are those of the screen shown. */
struct prose {
    int top;
    int lines;
    struct area area; /* as drawn */
    bool ascii;
    char word[TABLE_WORD_BYTES]; /* found last */
    int found;                   /* its line, from 1; 0: none */
};

void prose_draw(struct browser *browser, struct canvas *canvas, struct area area);
bool prose_act(struct browser *browser, enum action action, struct request *request);
bool prose_find(struct browser *browser, const char *word, bool from_here);
void prose_hint(struct browser *browser, char *out, size_t size);

#endif
