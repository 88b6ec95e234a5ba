/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Columns as data: title, the path to the value in a row, JSON key, how it is written, sorted
 * and painted, and which columns go first when there is little room. Screen, batch text, HTML and
 * the JSON members of a row come from the same table; finding, filtering, sorting and the help
 * need nothing else.
 */
#ifndef MISSTOP_VIEW_WIDGET_COLUMNS_H
#define MISSTOP_VIEW_WIDGET_COLUMNS_H

#include <stddef.h>
#include <stdint.h>

#include "snapshot.h"
#include "view/display/canvas.h"
#include "view/view.h"

enum {
    COLUMNS_MAX = 80,
    COLUMNS_AS_THEY_COME = COLUMNS_MAX,
    COLUMN_TEXT_BYTES = 1024,
    COLUMN_WORDS_BYTES = 2048
};

enum value_kind {
    VALUE_UNKNOWN,
    VALUE_NUMBER,
    VALUE_INTEGER,
    VALUE_SIGNED,
    VALUE_TEXT,
    VALUE_YES_NO
};

/* The content of one cell; unknown prints as blank and sorts last. */
struct value {
    enum value_kind kind;
    double number;
    uint64_t integer; /* of VALUE_SIGNED in two's complement */
    const char *text;
    double low;  /* of a number known to be between two: sorted by `low`, */
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

/* The kind of the member that a path leads to. */
enum path_kind {
    PATH_NONE,
    PATH_DOUBLE,
    PATH_FLOAT,
    PATH_BOOL,
    PATH_U8,
    PATH_U16,
    PATH_U32,
    PATH_U64,
    PATH_INT, /* signed: below 0 is unknown */
    PATH_I64,
    PATH_TEXT,      /* const char * */
    PATH_TEXT_HERE, /* char[] */
    PATH_HALF,      /* half the width of a struct snapshot_share */
    PATH_SUM,       /* of two doubles */
    PATH_CHANGE,    /* from one to another, as a part of the first */
    PATH_PART,      /* of the samples that have the property */
    PATH_COUNTED,   /* the same as a number of samples */
    PATH_ROW,       /* a pointer to another row */
    PATH_ROW_HERE   /* another row inside this one */
};

/* A member of a row, or of the row that a pointer in it leads to. */
struct path {
    enum path_kind kind;
    bool known;       /* 0 and "" are unknown, and a double below 0 */
    uint32_t through; /* offset of the pointer, plus 1; 0: the member is in the row */
    uint32_t offset;
    uint32_t with[3]; /* offsets of the other operands of a sum or a part */
};

/* Text in the row has the type of its address, not of a pointer. */
#define PATH_TEXT_KIND(member)                                                                     \
    _Generic(&(member),                                                                            \
        char **: PATH_TEXT,                                                                        \
        char *const *: PATH_TEXT,                                                                  \
        const char **: PATH_TEXT,                                                                  \
        const char *const *: PATH_TEXT,                                                            \
        default: PATH_TEXT_HERE)
#define PATH_KIND(member)                                                                          \
    _Generic((member),                                                                             \
        double: PATH_DOUBLE,                                                                       \
        float: PATH_FLOAT,                                                                         \
        bool: PATH_BOOL,                                                                           \
        uint8_t: PATH_U8,                                                                          \
        uint16_t: PATH_U16,                                                                        \
        uint32_t: PATH_U32,                                                                        \
        uint64_t: PATH_U64,                                                                        \
        int: PATH_INT,                                                                             \
        int64_t: PATH_I64,                                                                         \
        char *: PATH_TEXT_KIND(member),                                                            \
        const char *: PATH_TEXT_KIND(member))
#define PATH_AT(type, member)      PATH_KIND(((type *)0)->member)
#define PATH_TARGET(type, pointer) __typeof__(*((type *)0)->pointer)

/* Initialisers of a path. FIELD: a member. KNOWN: the same, where 0 and "" are unknown. VIA and
 * VIA_KNOWN: a member of the row that a pointer leads to; unknown where it is NULL. */
#define FIELD(type, member)                                                                        \
    {                                                                                              \
        .kind = PATH_AT(type, member), .offset = offsetof(type, member)                            \
    }
#define KNOWN(type, member)                                                                        \
    {                                                                                              \
        .kind = PATH_AT(type, member), .known = true, .offset = offsetof(type, member)             \
    }
#define VIA(type, pointer, member)                                                                 \
    {                                                                                              \
        .kind = PATH_KIND(((type *)0)->pointer->member), .through = offsetof(type, pointer) + 1,   \
        .offset = offsetof(PATH_TARGET(type, pointer), member)                                     \
    }
#define VIA_KNOWN(type, pointer, member)                                                           \
    {                                                                                              \
        .kind = PATH_KIND(((type *)0)->pointer->member), .known = true,                            \
        .through = offsetof(type, pointer) + 1,                                                    \
        .offset = offsetof(PATH_TARGET(type, pointer), member)                                     \
    }
/* The first of an array that a pointer leads to. */
#define FIRST_OF(type, pointer)                                                                    \
    {                                                                                              \
        .kind = PATH_KIND(*((type *)0)->pointer), .through = offsetof(type, pointer) + 1           \
    }
#define HALF(type, share)                                                                          \
    {                                                                                              \
        .kind = PATH_HALF, .offset = offsetof(type, share)                                         \
    }
#define SUM(type, member, more)                                                                    \
    {                                                                                              \
        .kind = PATH_SUM, .offset = offsetof(type, member), .with = { offsetof(type, more) }       \
    }
#define CHANGE(type, before, after)                                                                \
    {                                                                                              \
        .kind = PATH_CHANGE, .offset = offsetof(type, before), .with = { offsetof(type, after) }   \
    }
/* PART: loads or stores of the samples; unknown where nothing was sampled or the kind is never
 * known. COUNTED: a part of the samples by weight, as a number of them. */
#define PART(type, member)                                                                         \
    {                                                                                              \
        .kind = PATH_PART, .offset = offsetof(type, member), .with = {                             \
            offsetof(type, samples),                                                               \
            offsetof(type, loads),                                                                 \
            offsetof(type, stores)                                                                 \
        }                                                                                          \
    }
#define COUNTED(type, member)                                                                      \
    {                                                                                              \
        .kind = PATH_COUNTED, .offset = offsetof(type, member), .with = {                          \
            offsetof(type, samples),                                                               \
            offsetof(type, count_over)                                                             \
        }                                                                                          \
    }
/* Another row: by a pointer in this one, by one in the row that a pointer leads to, inside. */
#define ROW_OF(type, pointer)                                                                      \
    {                                                                                              \
        .kind = PATH_ROW, .offset = offsetof(type, pointer)                                        \
    }
#define ROW_VIA(type, first, pointer)                                                              \
    {                                                                                              \
        .kind = PATH_ROW, .through = offsetof(type, first) + 1,                                    \
        .offset = offsetof(PATH_TARGET(type, first), pointer)                                      \
    }
#define ROW_IN(type, member)                                                                       \
    {                                                                                              \
        .kind = PATH_ROW_HERE, .offset = offsetof(type, member)                                    \
    }

/* How a number is written in JSON. */
enum json_form {
    JSON_AS_FORMAT, /* as `format` asks for */
    JSON_SHARE,     /* six decimals */
    JSON_COUNT,     /* two decimals */
    JSON_EXACT      /* all of them */
};

struct json_t;

/* A column, a JSON member, or both. */
struct column {
    const char *title; /* NULL: only a JSON member */
    const char *help;  /* one sentence; NULL: not in the help */
    const char *key;   /* JSON member; NULL: none */
    /* The row that the value is of, where it is not this one: by a path, then by a function. */
    struct path in;
    const void *(*target)(const struct snapshot *snapshot, const void *row);
    struct path from;                    /* the value in it */
    const char *(*name)(unsigned value); /* the text of an enum at `from` */
    /* The value, where it is computed, of the row that these lead to. */
    struct value (*value)(const struct snapshot *snapshot, const void *row);
    const char *otherwise; /* the text where it is not known; JSON has null */
    /* JSON alone: the rows that `in` and `from` lead to, `count` of them as an array, without a
     * count one as an object, or null. `members`: those of the row in place of a member. */
    const struct columns *rows;
    const struct columns *members;
    struct path count; /* without rows: of values, the first of them at `from` */
    unsigned elements; /* the same, where their number is fixed */
    /* An object instead, with these names; an element without one is left out. `sparse`: those
     * that are not 0, or null where none is known. */
    const char *(*each)(unsigned index);
    bool sparse;
    struct json_t *(*json)(const struct snapshot *snapshot, const void *row);
    /* A sentence that is composed of the row. */
    void (*words)(const struct snapshot *snapshot, const void *row, char *out, size_t size);
    enum json_form form;

    /* Conditions. A path is given where its member is neither 0 (a double: not known) nor NULL. */
    struct path where;  /* of the row: its value is known only where this is given */
    struct path unless; /* ... and only where this is not */
    struct path given;  /* of the row: the member of JSON is there only where this is given */
    struct path with;   /* the same, of the snapshot */
    bool (*present)(const struct snapshot *snapshot, const void *row); /* the same; NULL: always */
    struct path only; /* of the snapshot: the column is shown only where this is given */
    bool (*shown)(const struct snapshot *snapshot); /* the same; NULL: always */
    bool some; /* shown only where some row of the snapshot (struct columns: all) has a value */

    uint8_t width; /* least columns */
    uint8_t most;  /* takes more when there is room; 0: fixed */
    uint8_t rank;  /* higher ones are the first to go */
    enum column_look look;
    void (*format)(char *out, size_t size, struct value value); /* NULL: text as it is */
    enum paint (*paint)(struct value value);                    /* NULL: plain */
    const float *(*series)(const void *row);                    /* SNAPSHOT_HISTORY values */
};

/* A row of a table: COLUMN(.title = "SIZE", .from = KNOWN(struct x, size), .width = 6). */
#define COLUMN(...)                                                                                \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

/* The name of the object that an index in the row is of. */
#define OBJECT_NAME(type, index)                                                                   \
    .in = ROW_IN(type, index), .target = columns_object_at,                                        \
    .from = FIELD(struct snapshot_object, name)

/* The first line of a function of a column: its row. */
#define ROW(type)                                                                                  \
    const struct type *row = pointer;                                                              \
    (void)snapshot

/* The same of a member of JSON alone. */
#define MEMBER(json_key, ...)                                                                      \
    {                                                                                              \
        .key = json_key, .from = FIELD(__VA_ARGS__)                                                \
    }
#define MEMBER_KNOWN(json_key, ...)                                                                \
    {                                                                                              \
        .key = json_key, .from = KNOWN(__VA_ARGS__)                                                \
    }
#define MEMBER_EXACT(json_key, ...)                                                                \
    {                                                                                              \
        .key = json_key, .from = FIELD(__VA_ARGS__), .form = JSON_EXACT                            \
    }
#define MEMBER_COUNT(json_key, ...)                                                                \
    {                                                                                              \
        .key = json_key, .from = FIELD(__VA_ARGS__), .form = JSON_COUNT                            \
    }
/* Rows of the type `as`: one inside, and `counted` of them behind a pointer. */
#define MEMBER_ROW(json_key, type, member, as)                                                     \
    {                                                                                              \
        .key = json_key, .from = ROW_IN(type, member), .rows = as                                  \
    }
#define MEMBER_ROWS(json_key, type, member, counted, as)                                           \
    {                                                                                              \
        .key = json_key, .from = ROW_OF(type, member), .count = FIELD(type, counted), .rows = as   \
    }

/* Units of numbers in a column. */
#define UNIT_SHARE   UNIT_PERCENT, .paint = paint_share
#define UNIT_PERCENT .look = COLUMN_RIGHT, .format = format_percent
#define UNIT_POINTS  .look = COLUMN_RIGHT, .format = format_points, .paint = paint_dim
#define UNIT_COUNT   .look = COLUMN_RIGHT, .format = format_count
#define UNIT_INTEGER .look = COLUMN_RIGHT, .format = format_integer
#define UNIT_BYTES   .look = COLUMN_RIGHT, .format = format_bytes
#define UNIT_SECONDS .look = COLUMN_RIGHT, .format = format_seconds

/* Parts that were loads and stores, of rows of the type at the path, {0}: the row itself. */
#define LOADS_COLUMNS(order, type, ...)                                                            \
    COLUMN(.title = "LD", .help = "Part of its samples that were loads.", .in = __VA_ARGS__,       \
           .from = PART(type, loads), .width = 5, .rank = order, UNIT_PERCENT,                     \
           .paint = paint_load),                                                                   \
        COLUMN(.title = "ST", .help = "Part of its samples that were stores.", .in = __VA_ARGS__,  \
               .from = PART(type, stores), .width = 5, .rank = order, UNIT_PERCENT,                \
               .paint = paint_store)

/* The columns of one kind of row. */
struct columns {
    const char *title; /* of the list, for panes and the help */
    const char *empty; /* said on the screen where there is no row; NULL: that none is known */
    const struct column *list;
    unsigned count;
    unsigned sort; /* column sorted by at first; COLUMNS_AS_THEY_COME */
    size_t row_size;
    /* A whole number that stays the same for the same thing in the next snapshot; or a function of
     * the row. */
    struct path key;
    /* Where a snapshot lists these rows, and how many: ALL_OF(list, count). A table of a screen
     * with these columns has them without its doing. */
    struct path all;
    struct path all_count;
    uint64_t (*identity)(const struct snapshot *snapshot, const void *row);
    struct path object;   /* index of the object of a row: Enter opens it, HTML links its name */
    struct path interval; /* of its share: HTML draws it on the bar */
    bool code;            /* text is source or instructions: HTML wraps nothing */
    /* Text of a row that only parts others: it cannot be selected and is left out where the
     * rows are sorted or filtered. NULL for other rows; no function: there are none. */
    const char *(*parting)(const void *row);
};

#define ALL_OF(rows, number)                                                                       \
    .all = ROW_OF(struct snapshot, rows), .all_count = FIELD(struct snapshot, number)

/* The members of struct columns that follow from the list and its type of row. */
#define TABLE(type, columns)                                                                       \
    .list = columns, .count = sizeof(columns) / sizeof *(columns), .row_size = sizeof(type)

/* All of it where no screen shows the rows: MEMBERS(struct x, COLUMN(.key = ...), ...). */
#define MEMBERS(type, ...)                                                                         \
    {                                                                                              \
        .list = (const struct column[]){__VA_ARGS__},                                              \
        .count = sizeof((const struct column[]){__VA_ARGS__}) / sizeof(struct column),             \
        .row_size = sizeof(type)                                                                   \
    }

/* Position of each shown column, left to right. */
struct layout {
    unsigned count;
    struct {
        unsigned index; /* into columns->list */
        int start;
        int width;
    } places[COLUMNS_MAX];
};

/* The columns that the user chose, in this order; none: as many as fit, by their rank. */
struct column_choice {
    uint8_t count;
    uint8_t index[COLUMNS_MAX]; /* into columns->list */
};

/* The name of a column in settings: its title, "bar" without one; the second of a name "NAME#2". */
void columns_setting_name(const struct columns *columns, unsigned index, char *out, size_t size);
/* From and to "SHARE,NAME,TYPE". Names that no column has are left out. */
void column_choice_parse(const struct columns *columns, const char *text,
                         struct column_choice *choice);
void column_choice_text(const struct columns *columns, const struct column_choice *choice,
                        char *out, size_t size);

/*
 * Chooses the columns that fit in `width`, and makes those that may grow as wide as what
 * the first rows say. `pictures`: bars and sparklines too. choice NULL: none.
 */
void columns_layout(const struct columns *columns, const struct column_choice *choice,
                    const struct snapshot *snapshot, const void *rows, size_t count, int width,
                    bool pictures, struct layout *layout);

/* The value of a cell. */
struct value columns_value(const struct column *column, const struct snapshot *snapshot,
                           const void *row);

uint64_t columns_identity(const struct columns *columns, const struct snapshot *snapshot,
                          const void *row);

/* Element of an array of values; the row that a column leads to; whether it is shown. */
struct value columns_element(const struct column *column, const struct snapshot *snapshot,
                             const void *row, unsigned index);
const void *columns_target(const struct column *column, const struct snapshot *snapshot,
                           const void *row);
bool columns_shown(const struct columns *columns, unsigned index, const struct snapshot *snapshot);
/* The row and the value at a path; NULL, unknown: there is none. */
const void *path_target(const struct path *path, const void *row);
struct value path_value(const struct path *path, const void *row);
/* Whether a path is given, as in struct column; true for no path. */
bool path_given(const struct path *path, const void *row);
/* Whether a member of JSON is there. */
bool columns_given(const struct column *column, const struct snapshot *snapshot, const void *row);

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
struct value value_signed(int64_t integer);
struct value value_known(uint64_t integer); /* 0: unknown */
struct value value_yes_no(bool yes);
struct value value_text(const char *text); /* NULL or "": unknown */

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

/* `target` of a column: the object that an index in the row is of; NULL: not listed. */
const void *columns_object_at(const struct snapshot *snapshot, const void *index);

/* An object by its index in the snapshot, by its id and by its name, a function by its id. NULL: it
 * is not listed. */
const struct snapshot_object *columns_object(const struct snapshot *snapshot, uint32_t index);
const struct snapshot_object *columns_object_of(const struct snapshot *snapshot, uint32_t id);
const struct snapshot_object *columns_object_named(const struct snapshot *snapshot,
                                                   const char *name);
const struct snapshot_code *columns_code(const struct snapshot *snapshot, uint32_t id);

/* The text where there is no finding: the problems looked for. */
enum { FINDINGS_NONE_BYTES = 640 };
void findings_none(const struct snapshot *snapshot, char *out, size_t size);

extern const struct columns object_columns;
extern const struct columns field_columns;
extern const struct columns instance_columns;
extern const struct columns toucher_columns; /* code that touches one object */
extern const struct columns function_columns;
extern const struct columns site_columns;        /* rows: struct site */
extern const struct columns source_columns;      /* rows: struct source_row */
extern const struct columns instruction_columns; /* rows: struct instruction_row */
extern const struct columns caller_columns;      /* rows: struct caller_row (function.h) */
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

/* Members alone: tables of json*.c that several rows share. Their rows may be NULL. */
extern const struct columns levels_members;  /* struct snapshot_levels */
extern const struct columns rates_members;   /* struct snapshot_rates */
extern const struct columns use_members;     /* struct snapshot_use */
extern const struct columns callers_members; /* struct snapshot_callers */
extern const struct columns heap_members;    /* struct heap_bin */
extern const struct columns layout_members;  /* struct snapshot_layout */
extern const struct columns layout_summary_members;
extern const struct columns causes_members; /* struct snapshot_causes_row */
extern const struct columns instruction_members;
extern const struct columns region_phase_members;
extern const struct columns sharing_side_members;
extern const struct columns watch_code_members;
extern const struct columns causes_figures_members;

const char *typed_key(unsigned typed); /* NULL: not typed */
struct json_t *json_phase_shares(const struct snapshot *snapshot, const void *phase);
struct json_t *json_signed(int64_t value);
struct json_t *json_event_shares(const struct snapshot *snapshot, const void *object);

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
