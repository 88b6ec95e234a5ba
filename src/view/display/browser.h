/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The screen contents, and how keys and clicks navigate them, without a terminal: takes input
 * events, draws on a canvas, and returns requests. display.c owns one; tests drive it directly.
 * While frozen it also holds the newest snapshot.
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

/* An area that triggers an action when clicked. */
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
    uint64_t identity; /* selection to return to */
    bool missing;      /* nothing found */
};

enum {
    BROWSER_ROWS_MIN = 10,
    BROWSER_COLUMNS_MIN = 40,
    LEVELS_MAX = 16,
    CRUMB_BYTES = 128,
    ZONES_MAX = 48
};

/* The screen on which a level was opened, and its open objects. */
struct level {
    enum screen_id screen;
    bool chosen; /* value of opened.chosen */
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
    const struct snapshot *snapshot; /* held.snapshot, the displayed one; NULL before the first */
    bool frozen;
    struct view_sources sources;
    enum screen_id screen;
    struct level level_stack[LEVELS_MAX]; /* screens above the current one, starting with the tab */
    unsigned level_count;
    unsigned pane[SCREEN_COUNT];
    bool drawn;                 /* the current screen has been drawn and takes clicks */
    void *states[SCREEN_COUNT]; /* of each screen, of a private type; NULL: none */
    struct prompt prompt;
    struct zone zones[ZONES_MAX];
    unsigned zone_count;
    char message[512];
    uint64_t message_until_ns;
    uint64_t now_ns;

    /* Object shown in Detail, Layout, Phases and What if. */
    struct {
        bool chosen; /* opened explicitly; false: the selected object of Objects */
        uint32_t id;
        char name[256];
        /* Object in the displayed snapshot; NULL: not listed. */
        const struct snapshot_object *object;
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

/* Returns 0 or -ENOMEM; call browser_fini() in either case. */
int browser_init(struct browser *browser, const struct view_sources *sources);
void browser_fini(struct browser *browser);

/* Like display_show(): takes ownership of the snapshot. */
void browser_show(struct browser *browser, const struct snapshot *snapshot,
                  void (*release)(const struct snapshot *));

/* Like picker_show() and picker_end(). */
void browser_pick(struct browser *browser, const struct picker_row *rows, size_t count,
                  bool recorded);
void browser_pick_end(struct browser *browser, bool picked);

/* Like display_play(). After the first call it is a replay. */
void browser_play(struct browser *browser, const struct view_play *play);

struct request browser_input(struct browser *browser, const struct input *input);
void browser_message(struct browser *browser, const char *text);

/* Draws the whole canvas; the time lets messages expire. */
void browser_draw(struct browser *browser, struct canvas *canvas, uint64_t now_ns);

/* ---- for the screens ---- */

static inline const struct screen *browser_screen(const struct browser *browser)
{
    return screens[browser->screen].screen;
}

void browser_go(struct browser *browser, enum screen_id screen);
/* The two halves of going one level down, for changes in between: Esc returns to this screen in its
 * current state; the other screen makes its rows only while it is shown. */
void browser_leave(struct browser *browser);
void browser_enter(struct browser *browser, enum screen_id screen);
/* Returns a table in the state of a screen. */
struct table *screen_table(const struct browser *browser, enum screen_id id,
                           const struct screen_table *listed);
/* Returns the table of any screen with these columns; NULL if there is none. */
struct table *browser_table_of(const struct browser *browser, const struct columns *columns);

/* Opens the object that is selected in Objects. */
void browser_open_selected(struct browser *browser);
/* Formats the object or function that the current screen shows. */
void screen_crumb(const struct browser *browser, char out[CRUMB_BYTES]);
/* Returns the tab of the current screen, or the tab it is a level of. */
enum screen_id browser_tab(const struct browser *browser);
/* Goes up one level; returns false on a tab. */
bool browser_return(struct browser *browser);
void browser_freeze(struct browser *browser);

/* Fill in the visible tables of a screen, or of the current screen. Return their number. */
unsigned screen_panes(struct browser *browser, enum screen_id id, struct table *panes[PANES_MAX]);
unsigned browser_panes(struct browser *browser, struct table *panes[PANES_MAX]);
/* Returns the table that has the keyboard focus; NULL if there is none. */
struct table *browser_table(struct browser *browser);
/* Returns its entry in the screen's tables; an entry without columns if there is none. */
const struct screen_table *browser_listed(struct browser *browser);
bool browser_focused(struct browser *browser, const struct table *table);
/* Moves the focus to the next (1) or previous (-1) visible table. */
void browser_pane_step(struct browser *browser, int direction);

void browser_zone(struct browser *browser, int row, int column, int columns, enum action action);

/* ---- parts of a screen ---- */

/* Handles the keys of a replay; if there is none, shows a message. */
struct request play_act(struct browser *browser, enum action action);
/* Returns the state of the replay in one word, for small screens without the line of the replay. */
const char *play_badge(const struct browser *browser);
void play_line_draw(const struct browser *browser, struct canvas *canvas, int row);

/* Draws the lines at the top; returns the number of rows used. */
int header_draw(struct browser *browser, struct canvas *canvas);
enum action tabs_next(const struct browser *browser, int direction);

void footer_draw(struct browser *browser, struct canvas *canvas, int status_row, int bar_row);

/* Draws the title above a pane; returns the number of rows used. */
int pane_title(struct canvas *canvas, struct area area, bool focused, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Draws a table, or a message if it has no rows. */
void pane_table(struct browser *browser, struct canvas *canvas, struct area area,
                struct table *table);
/* Draws the explanation of a row, each line in at most `most` rows. Returns the rows used. */
int explained_draw(const struct snapshot *snapshot, const struct columns *columns, const void *row,
                   int most, struct canvas *canvas, struct area area);
/* Draws a table, with the explanation of the selected row below it. */
void pane_explained(struct browser *browser, struct canvas *canvas, struct area area,
                    struct table *table);
/* Draws a table below its title and number of rows. */
void pane_titled(struct browser *browser, struct canvas *canvas, struct area area,
                 struct table *table);
/* Draws the names of the panes if only one has room; returns the number of rows used. */
int pane_tabs(struct browser *browser, struct canvas *canvas, struct area area,
              struct table *const panes[], unsigned count);
/* Draws the pane names and below them the focused table, or the first. */
void pane_tabbed(struct browser *browser, struct canvas *canvas, struct area area,
                 struct table *const panes[], unsigned count);

void prompt_open(struct browser *browser, enum prompt_kind kind);
/* prompt_ask() asks for one line, which the current screen's `answer` receives. */
void prompt_ask(struct browser *browser, enum prompt_kind kind, const char *text);
void prompt_key(struct browser *browser, uint32_t key, struct request *request);

#endif
