/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Columns as data: what a row says under a title, how that is written, sorted and painted,
 * and which columns go first when there is little room. Screen and batch text share them,
 * and finding, filtering, sorting and the help page need nothing else.
 */
#ifndef MISSTOP_VIEW_WIDGET_COLUMNS_H
#define MISSTOP_VIEW_WIDGET_COLUMNS_H

#include "snapshot.h"
#include "view/screen/canvas.h"
#include "view/view.h"

enum { COLUMNS_MAX = 40, COLUMNS_AS_THEY_COME = COLUMNS_MAX, COLUMN_TEXT_BYTES = 1024 };

enum value_kind { VALUE_UNKNOWN, VALUE_NUMBER, VALUE_INTEGER, VALUE_TEXT };

/* What one cell says; unknown prints as blank and sorts last. */
struct value {
    enum value_kind kind;
    double number;
    uint64_t integer;
    const char *text;
    double low;  /* of a number that is only known to lie between: sorted by `low`, */
    double high; /* which then is the number too; else both 0 */
};

enum column_look {
    COLUMN_TEXT,
    COLUMN_NAME,  /* text that loses its middle, as C++ names differ at both ends */
    COLUMN_CODE,  /* text that is read as a whole: gets more room than a name */
    COLUMN_RIGHT, /* numbers */
    COLUMN_BAR,   /* a number from 0 to 1 */
    COLUMN_SPARK  /* `series` */
};

struct column {
    const char *title;
    const char *help; /* one sentence; NULL: not on the help page */
    uint8_t width;    /* least columns */
    uint8_t most;     /* takes more when there is room; 0: fixed */
    uint8_t rank;     /* higher ones are the first to go */
    enum column_look look;
    bool (*shown)(const struct snapshot *snapshot); /* NULL: always */
    struct value (*value)(const struct snapshot *snapshot, const void *row);
    void (*format)(char *out, size_t size, struct value value); /* NULL: text as it is */
    enum paint (*paint)(struct value value);                    /* NULL: plain */
    const float *(*series)(const void *row);                    /* SNAPSHOT_HISTORY values */
};

/* The columns of one kind of row. */
struct columns {
    const char *title; /* of the list, for panes and the help page */
    const struct column *list;
    unsigned count;
    unsigned sort; /* column sorted by at first; COLUMNS_AS_THEY_COME */
    size_t row_size;
    /* Stays the same for the same thing in the next snapshot. */
    uint64_t (*identity)(const struct snapshot *snapshot, const void *row);
    /* Text of a row that only parts others: it cannot be selected and is left out where the
     * rows are sorted or filtered. NULL for other rows; no function: there are none. */
    const char *(*parting)(const void *row);
};

/* Where each shown column stands, left to right. */
struct layout {
    unsigned count;
    struct {
        unsigned index; /* into columns->list */
        int start;
        int width;
    } places[COLUMNS_MAX];
};

/*
 * Chooses the columns that fit in `width`, and makes those that may grow as wide as what
 * the first rows say. `pictures`: bars and sparklines too.
 */
void columns_layout(const struct columns *columns, const struct snapshot *snapshot,
                    const void *rows, size_t count, int width, bool pictures,
                    struct layout *layout);

/* The text of a cell, at most `width` wide for names, "" for unknown. */
void columns_text(const struct column *column, const struct snapshot *snapshot, const void *row,
                  int width, bool ascii, char *out, size_t size);

/* The title as it can be shown. */
const char *columns_title(const struct column *column, bool ascii);

/* Order under a column: numbers from the largest, text from A (the other way
 * round if inverted), unknown always last; 0: equal. */
int columns_compare(const struct column *column, const struct snapshot *snapshot, const void *left,
                    const void *right, bool invert);

/* Whether any text of the row contains `part`, whatever the case. */
bool columns_match(const struct columns *columns, const struct snapshot *snapshot, const void *row,
                   const char *part);

/* Makers and writers of values, for the tables. */
struct value value_number(double number); /* NAN: unknown */
struct value value_integer(uint64_t integer);
struct value value_known(uint64_t integer); /* 0: unknown */
struct value value_text(const char *text);  /* NULL or "": unknown */

/* "1m20s", as finely as the length it is of asks for. (play_line.c) */
const char *play_time_text(char out[32], double seconds, double of);
void format_percent(char *out, size_t size, struct value value); /* 12.3% */
void format_points(char *out, size_t size, struct value value);  /* ±1.2 */
void format_count(char *out, size_t size, struct value value);   /* 12.3k */
void format_bytes(char *out, size_t size, struct value value);   /* 4.0K */
void format_integer(char *out, size_t size, struct value value); /* 12 */
void format_address(char *out, size_t size, struct value value); /* 0x12 */
void format_offset(char *out, size_t size, struct value value);  /* +12 */
void format_seconds(char *out, size_t size, struct value value); /* 1.5s, 20us, 3h */
void format_time(char *out, size_t size, struct value value);    /* 3m45.4s, of the run */
void format_gained(char *out, size_t size, struct value value);  /* +12.3, points */
void format_times(char *out, size_t size, struct value value);   /* 3.2x */

enum paint paint_share(struct value value);
enum paint paint_dim(struct value value);
enum paint paint_strong(struct value value);
enum paint paint_load(struct value value);
enum paint paint_store(struct value value);

/* The function that has more than half of such samples; NULL: none has. */
const struct snapshot_code *columns_unknown_leader(const struct snapshot *snapshot);

/* Half the width of the interval. */
double columns_half(const struct snapshot_share *share);
/* The farther end's distance from the value. */
double columns_reach(const struct snapshot_share *share);

/* An object by its index in the snapshot; NULL: not listed. */
const struct snapshot_object *columns_object(const struct snapshot *snapshot, uint32_t index);

/* Why a region of the search is kept or dropped; NULL: no reason. (search.c) */
const char *region_reason_words(enum region_reason reason);

/* What is said where there is no finding: what was looked for. */
enum { FINDINGS_NONE_BYTES = 640 };
/* "12 to 31%", "at most 31%"; without a gain "not known; 62% of the samples are there". */
void findings_gain(const struct snapshot_finding *finding, char *out, size_t size);
void findings_none(const struct snapshot *snapshot, char *out, size_t size);

extern const struct columns object_columns;
extern const struct columns field_columns;
extern const struct columns instance_columns;
extern const struct columns toucher_columns; /* code that touches one object */
extern const struct columns function_columns;
extern const struct columns site_columns;        /* rows: struct site */
extern const struct columns source_columns;      /* rows: struct source_row */
extern const struct columns instruction_columns; /* rows: struct instruction_row */
extern const struct columns layout_columns;      /* rows: struct layout_row (layout.h) */
extern const struct columns levels_columns;      /* rows: struct levels_row (levels.h) */
extern const struct columns part_columns;
extern const struct columns region_columns;
extern const struct columns dropped_columns;
extern const struct columns line_columns;
extern const struct columns pair_columns;
extern const struct columns bin_columns;
extern const struct columns finding_columns;
extern const struct columns watch_columns;
extern const struct columns reuse_columns;      /* rows: struct snapshot_reuse_row */
extern const struct columns reuse_line_columns; /* the same, of source lines */
extern const struct columns simulation_columns; /* of struct simulation_level, in the snapshot */
extern const struct columns offset_columns;     /* rows: struct hot_offset */
extern const struct columns whatif_columns;
extern const struct columns whatif_choice_columns;
extern const struct columns whatif_asked_columns; /* rows: struct snapshot_whatif */
extern const struct columns causes_columns[CAUSES_KINDS];
extern const struct columns phase_columns;
extern const struct columns thread_columns;
extern const struct columns sharing_columns;
extern const struct columns sharing_line_columns;
extern const struct columns sharing_access_columns; /* rows: struct sharing_access */
extern const struct columns process_columns;        /* rows: struct picker_row */
extern const struct columns recorded_columns;       /* the same, of a recording */

/* A function's accesses to one object. */
struct site {
    const struct snapshot_code *code;
    const struct snapshot_object *object;
    double share;  /* of the function's samples that are listed here */
    char text[96]; /* the instruction; "": not known */
};

/* A line of source with the samples of its instructions. */
struct source_row {
    const char *file;
    uint32_t line;          /* 0: between the lines, and `text` says what */
    uint32_t sites;         /* instructions; 0: only context */
    double samples;         /* NAN: only context */
    double unknown_samples; /* of objects not known */
    double share;           /* of the function's */
    double loads;
    double stores;
    const char *inlined;                        /* NULL: of the function itself */
    const struct snapshot_instruction *hottest; /* NULL: only context */
    struct snapshot_use use;                    /* of the lines that it fetched */
    char text[256];
};

/* An instruction of one function. */
struct instruction_row {
    const struct snapshot_instruction *instruction;
    char text[96]; /* "": not known */
};

/* An instruction beside its thread, on a shared line. */
struct sharing_access {
    const struct snapshot_sharing_side *side;
    const struct snapshot_sharing_code *code;
};

/* An offset beside its object, for lists over several objects. */
struct hot_offset {
    const struct snapshot_object *object;
    const struct snapshot_field *field;
};

#endif
