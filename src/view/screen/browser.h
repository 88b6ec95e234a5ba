/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is on the screen and how keys and clicks move through it, without a terminal:
 * input events in, a canvas and requests out. screen.c owns one; tests drive it directly.
 * It holds the snapshot shown, and while frozen the newest one too.
 */
#ifndef MISSTOP_VIEW_SCREEN_BROWSER_H
#define MISSTOP_VIEW_SCREEN_BROWSER_H

#include "view/levels.h"
#include "view/pages/function.h"
#include "view/pages/layout.h"
#include "view/pages/matrix.h"
#include "view/pages/whatif.h"
#include "view/screen/canvas.h"
#include "view/screen/keys.h"
#include "view/view.h"
#include "view/widget/columns.h"
#include "view/widget/table.h"

/*
 * What a screen is made of: the input it gets, the functions that answer, the places that act when
 * clicked, a line that is typed. Part of browser.h, where what owns them stands.
 */
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

/*
 * What the screens hold: the snapshot shown, and of each page its tables, what is open in it and
 * where its cursor is. browser.h owns it; each page changes its own part.
 */
enum { BROWSER_ROWS_MIN = 10, BROWSER_COLUMNS_MIN = 40 };

enum page_id {
    PAGE_OBJECTS,
    PAGE_DETAIL,
    PAGE_SETS,
    PAGE_SEARCH,
    PAGE_CODE,
    PAGE_WINDOW,
    PAGE_HEAP,
    PAGE_LAYOUT,
    PAGE_SHARING,
    PAGE_TIMELINE, /* key 0 */
    PAGE_NUMBERED,
    PAGE_HELP = PAGE_NUMBERED,
    PAGE_FUNCTION,  /* one function, opened */
    PAGE_MATRIX,    /* key m */
    PAGE_FINDINGS,  /* key f */
    PAGE_WATCH,     /* key w */
    PAGE_CAUSES,    /* key y */
    PAGE_WHATIF,    /* key x */
    PAGE_EVICTIONS, /* from Causes: who evicts whom */
    PAGE_REUSE,     /* key r */
    PAGE_PICKER,
    PAGE_COUNT
};

/* What the chart of Phases is stacked of. (timeline.h) */
enum stack_kind { STACK_OBJECTS, STACK_FUNCTIONS, STACK_FIELDS, STACK_THREADS, STACK_KINDS };

enum { BACK_MAX = 16, ZONES_MAX = 48, SHARING_ACCESSES_MAX = 32 };

/* A page that was left, and what it showed. */
struct way_back {
    enum page_id page;
    bool chosen; /* as detail.chosen */
    uint32_t object;
    uint32_t function;
};

struct held_snapshot {
    const struct snapshot *snapshot;
    void (*release)(const struct snapshot *snapshot);
};

struct browser {
    struct held_snapshot held;
    struct held_snapshot newest;     /* only while frozen */
    const struct snapshot *snapshot; /* held.snapshot: what is shown; NULL before the first */
    bool frozen;
    struct screen_sources sources;
    enum page_id page;
    struct way_back back[BACK_MAX];
    unsigned back_count;
    unsigned pane[PAGE_COUNT];
    struct prompt prompt;
    struct zone zones[ZONES_MAX];
    unsigned zone_count;
    char message[512];
    uint64_t message_until_ns;
    uint64_t now_ns;

    struct table objects;
    struct table findings;
    struct table watch;
    struct {
        struct table table;
        enum causes_of of;             /* whose causes are listed, and who evicts whom */
        struct matrix_table evictions; /* made while they are shown */
        struct matrix_grid grid;
        uint64_t row; /* identities of what its cursor is on; 0: the totals */
        uint64_t column;
        bool moved; /* by the user */
    } causes;
    struct {
        uint32_t type;   /* of the layout that is meant; 0: the one with most samples */
        bool at_member;  /* one was selected on Layout, */
        uint64_t member; /* of this identity */
        struct whatif_choice choices[WHATIF_CHOICES_MAX];
        size_t choice_count;
        struct whatif_row rows[WHATIF_ROWS_MAX];
        size_t row_count;
        struct table questions;
        struct table asked;
        struct table answer; /* to the one selected among those asked */
    } whatif;
    struct {
        struct table objects;
        struct table lines;
    } reuse;
    struct {
        bool chosen; /* drilled into; else what is selected in Objects */
        uint32_t id;
        char name[256];
        const struct snapshot_object *object; /* in the snapshot shown; NULL: not listed */
        struct table fields;
        struct table code;
        struct table instances;
        struct levels_rows answers; /* of the hardware; none where it tells nothing */
        struct table levels;
    } detail;
    struct {
        uint32_t cursor;
        bool moved;  /* by the user; else it stays on the hottest set */
        int columns; /* of the map, as drawn */
        int cell;    /* width of one */
        int fold;    /* sets in one cell */
        struct area map;
        struct table parts;
    } sets;
    struct {
        struct table regions;
        struct table dropped;
        struct area map;
        unsigned inside; /* searches begun from a region of another, which Esc goes back to */
    } search;
    struct {
        struct table functions;
        struct table threads;
        uint32_t id; /* the function opened */
        char name[256];
        const struct snapshot_code *function;
        struct source_rows lines;
        struct table source;
        struct instruction_rows instructions; /* of the line selected */
        bool gathered;                        /* they are those of this snapshot */
        uint64_t gathered_line;               /* identity of the line they are of */
        struct table accesses;
        struct site *sites;
        size_t site_count;
        size_t site_capacity;
        struct table table;
    } code;
    struct {
        const struct snapshot_layout *shown; /* NULL: none is known */
        uint32_t object;                     /* id; what was folded and chosen is of it */
        uint32_t type;
        bool chosen; /* stepped to, or drilled into; else the one with most samples */
        struct layout_rows rows;
        struct layout_folds folds;
        struct table table;
    } layout;
    struct {
        struct table lines;
        struct table pairs;
    } window;
    struct {
        struct table bins;
        uint32_t tagged[REQUEST_BINS_MAX]; /* ids */
        uint32_t tagged_count;
        uint32_t renamed; /* the id that a new name is asked for */
    } heap;
    struct {
        struct table groups;
        struct table lines;
        struct table accesses;
        const struct snapshot_sharing_group *group; /* whose lines are listed; NULL: none */
        const struct snapshot_sharing_line *line;   /* whose accesses are */
        struct sharing_access list[SHARING_ACCESSES_MAX];
    } sharing;
    struct {
        struct table phases;
        double from_s; /* what the chart is zoomed in on; to_s 0: the whole run */
        double to_s;
        bool pointed; /* the cursor has been put somewhere */
        bool marked;
        double cursor_s;
        double mark_s;
        struct area map; /* the chart, as drawn */
        enum stack_kind stacked;
        bool chosen; /* to draw `measure` and not what ranks */
        enum snapshot_measure measure;
        bool volatility; /* its chart is open */
    } timeline;
    struct {
        struct matrix_table table;
        struct matrix_rules rules;
        struct matrix_grid grid;
        enum matrix_measure measure; /* that was asked for */
        uint64_t row;                /* identities of what the cursor is on; 0: the totals */
        uint64_t column;
        bool moved; /* by the user; else it stays on the strongest cell */
    } matrix;
    struct {
        enum page_id about; /* the screen it was asked on */
        int top;
        int lines;
        struct area area; /* as drawn */
        bool ascii;
        char word[TABLE_WORD_BYTES]; /* found last */
        int found;                   /* its line; -1: none */
    } help;
    struct {
        bool recorded;     /* those of a recording are listed */
        enum page_id from; /* to go back to */
        struct table processes;
        struct table of_recording;
    } picker;
    bool replays;
    struct view_play play; /* where the replay stands */
};

void browser_init(struct browser *browser, const struct screen_sources *sources);
void browser_fini(struct browser *browser);

/* As screen_show(): takes the snapshot over. */
void browser_show(struct browser *browser, const struct snapshot *snapshot,
                  void (*release)(const struct snapshot *));

/* As picker_show(). (picker.c) */
void browser_pick(struct browser *browser, const struct picker_row *rows, size_t count);
void browser_pick_recorded(struct browser *browser, const struct picker_row *rows, size_t count);

/* As picker_end(). */
void browser_pick_end(struct browser *browser, bool picked);

/* As screen_play(); from the first on it is a replay. */
void browser_play(struct browser *browser, const struct view_play *play);

struct request browser_input(struct browser *browser, const struct input *input);
void browser_message(struct browser *browser, const char *text);

/* Draws all of the canvas; the time makes messages fade. */
void browser_draw(struct browser *browser, struct canvas *canvas, uint64_t now_ns);

/* ---- for the pages ---- */

extern const struct page *const browser_pages[PAGE_COUNT];
extern const struct page objects_page, detail_page, sets_page, search_page, code_page, window_page,
    heap_page, layout_page, sharing_page, timeline_page, help_page, function_page, matrix_page,
    findings_page, watch_page, causes_page, whatif_page, evictions_page, reuse_page, picker_page;

/* Another page; Esc comes back. */
void browser_go(struct browser *browser, enum page_id page);
/* The two halves of it, for those who change what is shown in between: Esc will come back to
 * this page as it is; and on to another, whose rows are made only while it is shown. */
void browser_leave(struct browser *browser);
void browser_enter(struct browser *browser, enum page_id page);
/* Every table of the screens, and the columns it begins with; NULL past the last. */
const struct columns *browser_listed_columns(unsigned index);

/* To the page left last; false: there is none. */
bool browser_return(struct browser *browser);
void browser_open_object(struct browser *browser, const struct snapshot_object *object);
/* By its index; one that is not listed now is said so. */
void browser_open_listed(struct browser *browser, uint32_t object);
void browser_open_function(struct browser *browser, const struct snapshot_code *code);
/* Who evicts whom, at the object or function of this id. (evictions.c) */
void browser_open_evictions(struct browser *browser, uint32_t id);
/* The object or function, as Causes lists them now, of this index. (causes.c) */
void causes_open(struct browser *browser, uint32_t index);
/* The function at the source line of an instruction. */
void browser_open_instruction(struct browser *browser, const struct snapshot_code *code,
                              const struct snapshot_instruction *instruction);
/* What if the object selected in Objects, or the one in Detail, lay otherwise. (whatif.c) */
void browser_open_whatif(struct browser *browser);
/* The layout of the object in Detail, at one of its fields. */
void browser_open_layout(struct browser *browser, const struct snapshot_field *field);
/* The code that misses most on a member of the object in Detail. (detail.c) */
void browser_open_member(struct browser *browser, const struct snapshot_layout *layout,
                         const struct snapshot_layout_row *row);

/* The help, from the screen shown on; back from there where it is open. (help.c) */
void help_open(struct browser *browser);

void browser_freeze(struct browser *browser);

/* The table that keys move in; NULL: none. */
struct table *browser_table(struct browser *browser);
bool browser_focused(struct browser *browser, const struct table *table);

void browser_zone(struct browser *browser, int row, int column, int columns, enum action action);

/* Blocks of a bin have no range in common; says so. */
bool browser_lies_apart(struct browser *browser, const struct snapshot_object *object);

/* A request to search in a range. */
void browser_search_in(struct request *request, uint64_t base, uint64_t bound, const char *name);

/* Parts of the picture, each in its own file: the lines on top and below, panes, the line that is
 * typed, heads of pages. */
/* The line of a replay; what its keys do, which elsewhere say what they are for. (play_*.c) */
struct request play_act(struct browser *browser, enum action action);
/* Its state in a word, which on a small screen stands for the line. */
const char *play_badge(const struct browser *browser);
void play_line_draw(const struct browser *browser, struct canvas *canvas, int row);

/* Title and tabs; rows used. */
int header_draw(struct browser *browser, struct canvas *canvas);
/* The cursor of the chart, the stretch marked, what is asked of it. (timeline.c) */
struct timeline_chart;
/* The row of tabs; columns used. What shows the next one in a direction. (header.c) */
enum action tabs_next(const struct browser *browser, int direction);
/* Totals and reasons; rows used, at most `rows`. (header.c) */
int header_totals(struct browser *browser, struct canvas *canvas, int row, int rows);
/* The line that says how far to trust the figures; "" when they are fine. */
void header_trust(const struct snapshot *snapshot, char *out, size_t size);

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

bool prompt_open(struct browser *browser, enum prompt_kind kind);
/* Asks for one line; page->answer of the page shown gets it. */
void prompt_ask(struct browser *browser, enum prompt_kind kind, const char *text);
void prompt_key(struct browser *browser, uint32_t key, struct request *request);

#endif
