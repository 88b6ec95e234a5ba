/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the screens hold: the snapshot shown, and of each page its tables, what is open in it and
 * where its cursor is. browser.h owns it; each page changes its own part.
 */
#ifndef MISSTOP_VIEW_BROWSER_STATE_H
#define MISSTOP_VIEW_BROWSER_STATE_H

#include "view/canvas.h"
#include "view/columns.h"
#include "view/keys.h"
#include "view/layout_rows.h"
#include "view/levels_rows.h"
#include "view/matrix_grid.h"
#include "view/page.h"
#include "view/source_rows.h"
#include "view/table.h"
#include "view/view.h"
#include "view/whatif_choices.h"
#include "view/whatif_words.h"

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

/* What the chart of Phases is stacked of. (timeline_stack.h) */
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

#endif
