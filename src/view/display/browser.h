/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The picture, and how keys and clicks move through it, without a terminal: input events in, a
 * canvas and requests out. display.c owns one; tests drive it directly. It holds the snapshot
 * shown, and while frozen the newest one too. Each screen (screens.h) holds its own state.
 */
#ifndef MISSTOP_VIEW_DISPLAY_BROWSER_H
#define MISSTOP_VIEW_DISPLAY_BROWSER_H

#include "base/settings.h"
#include "view/display/canvas.h"
#include "view/display/keys.h"
#include "view/display/screens.h"
#include "view/view.h"
#include "view/widget/table.h"

enum input_kind { INPUT_KEY, INPUT_CLICK, INPUT_WHEEL_UP, INPUT_WHEEL_DOWN };

struct input {
    enum input_kind kind;
    uint32_t key; /* a character or enum key */
    int row;
    int column;
};

/* A place that acts when clicked. */
struct zone {
    int row;
    int column;
    int columns;
    enum action action;
};

enum prompt_kind {
    PROMPT_NONE,
    PROMPT_FIND,
    PROMPT_FILTER,
    PROMPT_RENAME,
    PROMPT_TIME,
    PROMPT_WRITE
};

struct prompt {
    enum prompt_kind kind;
    char text[TABLE_WORD_BYTES];
    uint64_t identity; /* the selection to go back to */
    bool missing;      /* nothing found */
};

enum {
    BROWSER_ROWS_MIN = 10,
    BROWSER_COLUMNS_MIN = 40,
    LEVELS_MAX = 16,
    CRUMB_BYTES = 128,
    ZONES_MAX = 48
};

/* A screen on which a level was opened, and what it showed. */
struct level {
    enum screen_id screen;
    bool chosen; /* as opened.chosen */
    uint32_t object;
    uint32_t function;
    char crumb[CRUMB_BYTES];
};

struct held_snapshot {
    const struct snapshot *snapshot;
    void (*release)(const struct snapshot *snapshot);
};

struct browser {
    struct held_snapshot held;
    struct held_snapshot newest;     /* only while frozen */
    const struct snapshot *snapshot; /* held.snapshot, the one shown; NULL before the first */
    bool frozen;
    struct view_sources sources;
    enum screen_id screen;
    struct level above[LEVELS_MAX]; /* the screen shown, from the tab down */
    unsigned level_count;
    unsigned pane[SCREEN_COUNT];
    bool drawn;                 /* the screen shown has been drawn and takes clicks */
    void *states[SCREEN_COUNT]; /* of each screen, which alone knows its type; NULL: it has none */
    struct prompt prompt;
    struct zone zones[ZONES_MAX];
    unsigned zone_count;
    char message[512];
    uint64_t message_until_ns;
    uint64_t now_ns;

    /* The object that Detail, Layout, Phases and What if are of. */
    struct {
        bool chosen; /* drilled into; else the one selected in Objects */
        uint32_t id;
        char name[256];
        const struct snapshot_object *object; /* in the snapshot shown; NULL: not listed */
    } opened;
    struct {
        uint32_t id;
        char name[256];
    } opened_function;
    bool replays;
    struct view_play play;
    struct settings settings;
    enum paint_scheme scheme;
};

/* -ENOMEM; browser_fini() all the same. */
int browser_init(struct browser *browser, const struct view_sources *sources);
void browser_fini(struct browser *browser);

/* As display_show(): takes the snapshot over. */
void browser_show(struct browser *browser, const struct snapshot *snapshot,
                  void (*release)(const struct snapshot *));

/* As picker_show() and picker_end(). */
void browser_pick(struct browser *browser, const struct picker_row *rows, size_t count,
                  bool recorded);
void browser_pick_end(struct browser *browser, bool picked);

/* As display_play(); from the first on it is a replay. */
void browser_play(struct browser *browser, const struct view_play *play);

struct request browser_input(struct browser *browser, const struct input *input);
void browser_message(struct browser *browser, const char *text);

/* Draws all of the canvas; the time makes messages fade. */
void browser_draw(struct browser *browser, struct canvas *canvas, uint64_t now_ns);

/* ---- for the screens ---- */

static inline const struct screen *browser_screen(const struct browser *browser)
{
    return screens[browser->screen].screen;
}

/* To a tab, or one level down. */
void browser_go(struct browser *browser, enum screen_id screen);
/* The two halves of going a level down, for changes in between: Esc comes back to this screen as
 * it is now; the other screen makes its rows only while it is shown. */
void browser_leave(struct browser *browser);
void browser_enter(struct browser *browser, enum screen_id screen);
/* A table of a screen, in its state. */
struct table *screen_table(const struct browser *browser, enum screen_id id,
                           const struct screen_table *listed);
/* The table of the screens that began with these columns; NULL: none did. */
struct table *browser_table_of(const struct browser *browser, const struct columns *columns);

/* The object selected in Objects becomes the object opened. */
void browser_open_selected(struct browser *browser);
/* The object or function that the screen shown has open. */
void screen_crumb(const struct browser *browser, char out[CRUMB_BYTES]);
/* The tab that the screen shown is, or is a level of. */
enum screen_id browser_tab(const struct browser *browser);
/* Up a level; false: a tab is shown. */
bool browser_return(struct browser *browser);
void browser_freeze(struct browser *browser);

/* The tables in sight, of a screen and of the screen shown. Returns how many. */
unsigned screen_panes(struct browser *browser, enum screen_id id, struct table *panes[PANES_MAX]);
unsigned browser_panes(struct browser *browser, struct table *panes[PANES_MAX]);
/* The table that keys move in; NULL: none. */
struct table *browser_table(struct browser *browser);
/* Its row in the table of its screen; zeros: none. */
const struct screen_table *browser_listed(struct browser *browser);
bool browser_focused(struct browser *browser, const struct table *table);
/* The next (1) or previous (-1) table in sight gets the keys. */
void browser_pane_step(struct browser *browser, int direction);

void browser_zone(struct browser *browser, int row, int column, int columns, enum action action);

/* ---- parts of the picture ---- */

/* Keys of a replay; without one they give a message. */
struct request play_act(struct browser *browser, enum action action);
/* The state of the replay in a word, on a small screen instead of the line. */
const char *play_badge(const struct browser *browser);
void play_line_draw(const struct browser *browser, struct canvas *canvas, int row);

/* The lines on top; rows used. */
int header_draw(struct browser *browser, struct canvas *canvas);
/* The action that shows the next screen in a direction. */
enum action tabs_next(const struct browser *browser, int direction);

void footer_draw(struct browser *browser, struct canvas *canvas, int status_row, int bar_row);

/* A title above a pane; rows used. */
int pane_title(struct canvas *canvas, struct area area, bool focused, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* A table under its title with the number of rows; says `empty` where there are none. */
void pane_table(struct browser *browser, struct canvas *canvas, struct area area,
                struct table *table, const char *empty);
/* Names of the panes, for screens that have room for one only. */
int pane_tabs(struct browser *browser, struct canvas *canvas, struct area area,
              struct table *const panes[], unsigned count);

void prompt_open(struct browser *browser, enum prompt_kind kind);
/* Asks for one line; screen->answer of the screen shown gets it. */
void prompt_ask(struct browser *browser, enum prompt_kind kind, const char *text);
void prompt_key(struct browser *browser, uint32_t key, struct request *request);

#endif
