/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of screens. A screen is one file in src/view/screens, which defines a struct screen,
 * and one row here. Its key, tab, help, part of the key bar, clicks and Esc follow from that. */
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

/* In the order of the tabs, and of the updates after each snapshot: Detail follows the selection in
 * Objects. SCREEN(id, struct screen, keys, place): the first key is the one shown. */
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

/* Esc leaves a level for the screen that opened it; a tab is left with another tab's key. */
enum screen_place { SCREEN_IS_LEVEL, SCREEN_IS_TAB };

#define SCREEN_ID(id, it, keys, place) SCREEN_##id,
enum screen_id { SCREENS(SCREEN_ID) SCREEN_COUNT };
#undef SCREEN_ID

/* Action of the key that shows a screen; use as SCREEN_ACTION(MATRIX). */
#define SCREEN_ACTION(id) ((enum action)((int)ACTION_SHOW + (int)SCREEN_##id))

enum { PANES_MAX = 5, SCREEN_TABLES_MAX = 6, SCREEN_BAR_MAX = 16 };

struct browser;
struct prose_writer;

struct screen_table {
    size_t at; /* offset in the state */
    const struct columns *columns;
    bool is_picker;    /* a list to choose from; not explained in the help */
    unsigned rows_min; /* minimum number of rows; with fewer it has no pane, keys or clicks */
    /* Handles Enter on a row; NULL: opens its object, if its columns have one. */
    void (*open)(struct browser *browser, const void *row);
    /* Label of Enter on a selected row, and a hint. NULL: the general label; no hint. */
    const char *enter;
    const char *hint;
};

/* A screen; functions and texts are NULL if it does not need them. */
struct screen {
    const char *name;
    const char *description; /* sentences on the screen, for the help */
    const char *next_step;   /* its use, and the next step */
    /* Explanation of its key in the list of all keys; for number keys, the name. */
    const char *key_help;
    size_t state_size; /* size of its state in the browser; initially zeroed */
    void (*init)(void *state);
    void (*fini)(void *state);
    /* In the state; terminated by an entry without columns. */
    struct screen_table tables[SCREEN_TABLES_MAX];
    /* Members of the snapshot and a function that decide if the tab exists; none: it does. */
    struct path has_data_path;
    bool (*has_data)(const struct snapshot *snapshot);
    bool (*needs_attention)(const struct snapshot *snapshot); /* the tab calls for attention */
    /* Formats the open object or function for the line of the levels; NULL: the screen's name. */
    void (*crumb)(const struct browser *browser, char *out, size_t size);
    /* Formats the first line instead of the process; such a screen has no tabs and no totals. */
    void (*title)(const struct browser *browser, char *out, size_t size);
    void (*open)(struct browser *browser);   /* opened with its key; NULL: browser_go() */
    void (*update)(struct browser *browser); /* called after the displayed snapshot has changed */
    void (*draw)(struct browser *browser, struct canvas *canvas, struct area area);
    void (*write)(struct prose_writer *writer, struct browser *browser); /* writes all of a text */
    /* Fills in the visible tables that take keys and clicks; NULL: `tables`, in their order. */
    unsigned (*panes)(struct browser *browser, struct table *panes[PANES_MAX]);
    /* Handles an action before its general meaning; true: done. */
    bool (*act)(struct browser *browser, enum action action, struct request *request);
    bool (*click)(struct browser *browser, int row, int column);
    /* Receives the text typed after prompt_ask(). */
    void (*answer)(struct browser *browser, const char *text, struct request *request);
    /* Without a table: goes to a word at or after the current position; false: not found. */
    bool (*find)(struct browser *browser, const char *word, bool from_here);
    /* "" or NULL: the table's hint. */
    void (*hint)(struct browser *browser, char *out, size_t size);
    /* Returns the label of an action in the key bar; "": no effect now; NULL: its general label,
     * for Enter the table's. */
    const char *(*label)(struct browser *browser, enum action action);
    enum action bar[SCREEN_BAR_MAX]; /* keys shown in the bar, terminated by ACTION_NONE */
};

struct screen_row {
    const struct screen *screen;
    const char *keys; /* one character per key */
    char key[2];      /* the first key, as displayed; "": none */
    enum screen_place place;
};

extern const struct screen_row screens[SCREEN_COUNT];

/* Without a snapshot, only screens that always have something to show. */
bool screen_filled(enum screen_id id, const struct snapshot *snapshot);

/* ---- opening one screen from another; defined by the opened screen ---- */

/* Applies the settings: colour scheme, columns of tables. */
void setup_apply(struct browser *browser);
/* Returns NULL if none is selected. */
const struct snapshot_object *objects_selected(const struct browser *browser);
void browser_open_object(struct browser *browser, const struct snapshot_object *object);
/* Opens an object by index; shows a message if it is not listed now. */
void browser_open_listed(struct browser *browser, uint32_t object);
/* Opens a finding's screen (a row of their table), and formats the hint on Enter. */
void findings_open(struct browser *browser, const void *finding);
void findings_open_hint(const struct snapshot_finding *finding, char *out, size_t size);
/* Shows the Search screen; returns false if the object has no range. */
bool search_open_object(struct browser *browser, struct request *request,
                        const struct snapshot_object *object);
/* Starts a search in a range and shows the Search screen. */
void search_open(struct browser *browser, struct request *request, uint64_t base, uint64_t bound,
                 const char *name);
void browser_open_function(struct browser *browser, const struct snapshot_code *code);
/* Opens a function by id; shows `not_listed` if it is not listed. */
void browser_open_function_id(struct browser *browser, uint32_t id, const char *not_listed);
/* Open the object or function of a table row: struct snapshot_object, struct snapshot_code. */
void browser_open_object_row(struct browser *browser, const void *object);
void browser_open_function_row(struct browser *browser, const void *code);
/* Opens the function at the source line of an instruction. */
void browser_open_instruction(struct browser *browser, const struct snapshot_code *code,
                              const struct snapshot_instruction *instruction);
/* Opens the layout of the object in Detail at one of its fields, a row of its table. */
void browser_open_layout(struct browser *browser, const void *field);
/* Opens the code with most misses on a member of the object in Detail. */
void browser_open_member(struct browser *browser, const struct snapshot_layout *layout,
                         const struct snapshot_layout_row *row);

/* ---- summaries that the first screen shows below the objects, if there is room ---- */

void cache_glance(struct browser *browser, struct canvas *canvas, struct area area);
void search_glance(struct browser *browser, struct canvas *canvas, struct area area);

/* A scrollable and searchable screen of headings and labelled entries: Help and Quality. */

/* Destination of the text: visible lines are drawn on the canvas, others are only counted. */
struct prose_writer {
    void (*say)(void *to, enum paint paint, const char *label, const char *text);
    void *to;
    struct canvas *canvas;
    struct area area;
    int line;         /* next line, from the top of the whole text */
    int top;          /* the first visible line */
    const char *word; /* word to find; NULL: none */
    int from;         /* first line to search from */
    int found;        /* line where it was found; -1: not found */
};

/* Writes a heading, after a blank line unless it is the first. */
void prose_heading(struct prose_writer *writer, const char *text);
/* Writes a label and its explanation, wrapped and indented. */
void prose_entry(struct prose_writer *writer, enum paint paint, const char *label,
                 const char *text);

/* Writes the text of the Quality screen. */
void quality_prose(struct prose_writer *writer, const struct snapshot *snapshot);

/* The first member of the screen's own state; the functions use the current screen's. */
struct prose {
    int top;
    int lines;
    struct area area; /* as drawn */
    bool ascii;
    char word[TABLE_WORD_BYTES]; /* last word found */
    int found;                   /* line where it was found, from 1; 0: none */
};

void prose_draw(struct browser *browser, struct canvas *canvas, struct area area);
bool prose_act(struct browser *browser, enum action action, struct request *request);
bool prose_find(struct browser *browser, const char *word, bool from_here);
void prose_hint(struct browser *browser, char *out, size_t size);

#endif
