/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Columns as data, in one table for screen, batch text, HTML and the JSON members of a row;
 * finding, filtering, sorting and the help need nothing else. */
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

/* Content of one cell; unknown values are blank and sorted last. */
struct value {
    enum value_kind kind;
    double number;
    uint64_t integer; /* VALUE_SIGNED in two's complement */
    const char *text;
    double low;  /* interval of a number: sorted by `low`, */
    double high; /* which is then also the number; otherwise both are 0 */
};

enum column_look {
    COLUMN_TEXT,
    COLUMN_NAME,  /* text truncated in the middle, because C++ names differ at both ends */
    COLUMN_CODE,  /* text that is read as a whole: gets more room than a name */
    COLUMN_RIGHT, /* numbers */
    COLUMN_BAR,   /* a number from 0 to 1 */
    COLUMN_SPARK  /* `series` */
};

/* Kind of the member that a path leads to. */
enum path_kind {
    PATH_NONE,
    PATH_DOUBLE,
    PATH_FLOAT,
    PATH_BOOL,
    PATH_U8,
    PATH_U16,
    PATH_U32,
    PATH_U64,
    PATH_INT, /* signed: negative means unknown */
    PATH_I64,
    PATH_TEXT,      /* const char * */
    PATH_TEXT_HERE, /* char[] */
    PATH_HALF,      /* half the width of a struct snapshot_share */
    PATH_SUM,       /* sum of two doubles */
    PATH_CHANGE,    /* change from one double to another, relative to the first */
    PATH_PART,      /* fraction of the samples with the property */
    PATH_COUNTED,   /* PATH_PART as a number of samples */
    PATH_ROW,       /* pointer to another row */
    PATH_ROW_HERE   /* another row embedded in this one */
};

/* A member of a row, or of the row that a pointer in it leads to. */
struct path {
    enum path_kind kind;
    bool known;           /* 0 and "" are unknown, and a double below 0 */
    uint32_t via_pointer; /* offset of the pointer plus 1; 0: the member is in the row itself */
    uint32_t offset;
    uint32_t operands[3]; /* offsets of the other operands of a sum or part */
};

/* An array of characters in the row is recognised because its address is not a char **. */
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

/* Initialisers of a path. FIELD: a member. KNOWN: a member with 0 and "" treated as unknown. VIA
 * and VIA_KNOWN: a member of the row that a pointer leads to; unknown if the pointer is NULL. */
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
        .kind = PATH_KIND(((type *)0)->pointer->member),                                           \
        .via_pointer = offsetof(type, pointer) + 1,                                                \
        .offset = offsetof(PATH_TARGET(type, pointer), member)                                     \
    }
#define VIA_KNOWN(type, pointer, member)                                                           \
    {                                                                                              \
        .kind = PATH_KIND(((type *)0)->pointer->member), .known = true,                            \
        .via_pointer = offsetof(type, pointer) + 1,                                                \
        .offset = offsetof(PATH_TARGET(type, pointer), member)                                     \
    }
/* First element of an array that a pointer leads to. */
#define FIRST_OF(type, pointer)                                                                    \
    {                                                                                              \
        .kind = PATH_KIND(*((type *)0)->pointer), .via_pointer = offsetof(type, pointer) + 1       \
    }
#define HALF(type, share)                                                                          \
    {                                                                                              \
        .kind = PATH_HALF, .offset = offsetof(type, share)                                         \
    }
#define SUM(type, member, more)                                                                    \
    {                                                                                              \
        .kind = PATH_SUM, .offset = offsetof(type, member), .operands = { offsetof(type, more) }   \
    }
#define CHANGE(type, before, after)                                                                \
    {                                                                                              \
        .kind = PATH_CHANGE, .offset = offsetof(type, before), .operands = {                       \
            offsetof(type, after)                                                                  \
        }                                                                                          \
    }
/* PART: loads or stores as a fraction of the samples; unknown without samples or if the kind is
 * never known. COUNTED: a weighted fraction of the samples, as a number of samples. */
#define PART(type, member)                                                                         \
    {                                                                                              \
        .kind = PATH_PART, .offset = offsetof(type, member), .operands = {                         \
            offsetof(type, samples),                                                               \
            offsetof(type, loads),                                                                 \
            offsetof(type, stores)                                                                 \
        }                                                                                          \
    }
#define COUNTED(type, member)                                                                      \
    {                                                                                              \
        .kind = PATH_COUNTED, .offset = offsetof(type, member), .operands = {                      \
            offsetof(type, samples),                                                               \
            offsetof(type, count_excess)                                                           \
        }                                                                                          \
    }
/* Behind a pointer in this row, or in the row that a pointer leads to, or embedded. */
#define ROW_OF(type, pointer)                                                                      \
    {                                                                                              \
        .kind = PATH_ROW, .offset = offsetof(type, pointer)                                        \
    }
#define ROW_VIA(type, first, pointer)                                                              \
    {                                                                                              \
        .kind = PATH_ROW, .via_pointer = offsetof(type, first) + 1,                                \
        .offset = offsetof(PATH_TARGET(type, first), pointer)                                      \
    }
#define ROW_IN(type, member)                                                                       \
    {                                                                                              \
        .kind = PATH_ROW_HERE, .offset = offsetof(type, member)                                    \
    }

/* How a number is formatted in JSON. */
enum json_form {
    JSON_AS_FORMAT, /* like `format` */
    JSON_SHARE,     /* six decimals */
    JSON_COUNT,     /* two decimals */
    JSON_EXACT      /* full precision */
};

struct json_t;

struct column {
    const char *title; /* NULL: only a JSON member */
    const char *help;  /* one sentence; NULL: not in the help */
    const char *key;   /* JSON member; NULL: none */
    /* Row that contains the value, if it is not this one: found by a path, then by a function. */
    struct path in;
    const void *(*target)(const struct snapshot *snapshot, const void *row);
    struct path from;                    /* value in that row */
    const char *(*name)(unsigned value); /* formats an enum at `from` */
    /* Computes the value from the row that the paths lead to. */
    struct value (*value)(const struct snapshot *snapshot, const void *row);
    const char *unknown_text; /* text if the value is not known; JSON has null */
    /* JSON only: the rows that `in` and `from` lead to, as an array with `count`; without `count`,
     * one row as an object, or null. `members`: the row's members are added instead of a single
     * member. */
    const struct columns *rows;
    const struct columns *members;
    struct path count; /* without `rows`: number of values, the first of them at `from` */
    unsigned elements; /* a fixed number of values */
    /* The elements become members of an object with these names; elements without a name are left
     * out. `sparse`: only elements that are not 0; null if none is known. */
    const char *(*element_name)(unsigned index);
    bool sparse;
    struct json_t *(*json)(const struct snapshot *snapshot, const void *row);
    /* Formats a sentence about the row. */
    void (*format_sentence)(const struct snapshot *snapshot, const void *row, char *out,
                            size_t size);
    enum json_form form;

    /* A path counts as given if its member is neither 0 (for a double: NAN) nor NULL. */
    struct path known_if;   /* member of the row: the value is known only if this is given */
    struct path unknown_if; /* ... and only if this is not given */
    struct path json_if;    /* member of the row: the JSON member exists only if this is given */
    /* member of the snapshot: the JSON member exists only if this is given */
    struct path json_if_snapshot;
    /* The JSON member exists only if this returns true; NULL: always. */
    bool (*present)(const struct snapshot *snapshot, const void *row);
    struct path shown_if; /* member of the snapshot: the column is shown only if this is given */
    /* The column is shown only if this returns true; NULL: always. */
    bool (*shown)(const struct snapshot *snapshot);
    /* Shown only if a row of the snapshot (struct columns: all) has a value. */
    bool needs_any_value;

    uint8_t width;     /* minimum width */
    uint8_t width_max; /* maximum width, if there is room; 0: fixed */
    uint8_t rank;      /* columns with a higher rank are dropped first */
    enum column_look look;
    void (*format)(char *out, size_t size, struct value value); /* NULL: text is used unchanged */
    enum paint (*paint)(struct value value);                    /* NULL: plain */
    const float *(*series)(const void *row);                    /* SNAPSHOT_HISTORY values */
};

/* An entry of a column list: COLUMN(.title = "SIZE", .from = KNOWN(struct x, size), .width = 6). */
#define COLUMN(...)                                                                                \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

/* Name of the object with the index in this row. */
#define OBJECT_NAME(type, index)                                                                   \
    .in = ROW_IN(type, index), .target = columns_object_at,                                        \
    .from = FIELD(struct snapshot_object, name)

/* First statement of a column's value function: declares its row. */
#define ROW(type)                                                                                  \
    const struct type *row = pointer;                                                              \
    (void)snapshot

/* An entry that is only a JSON member. */
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
/* Rows of the type `as`: one embedded, or `counted` of them behind a pointer. */
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

/* Columns for parts that were loads and stores, for rows of the type at the path. */
#define LOADS_COLUMNS(order, type, ...)                                                            \
    COLUMN(.title = "LD", .help = "Share of its samples that were loads.", .in = __VA_ARGS__,      \
           .from = PART(type, loads), .width = 5, .rank = order, UNIT_PERCENT,                     \
           .paint = paint_load),                                                                   \
        COLUMN(.title = "ST", .help = "Share of its samples that were stores.", .in = __VA_ARGS__, \
               .from = PART(type, stores), .width = 5, .rank = order, UNIT_PERCENT,                \
               .paint = paint_store)

/* A line below a table about one of its rows: "Evidence", and sentences; "" is left out. Lines with
 * the same label follow each other. */
struct explained {
    const char *label;
    enum paint paint;
    char text[2048];
};

/* Columns of one kind of row. */
struct columns {
    const char *title; /* title of the list, for panes and the help */
    const char *empty; /* shown if there is no row; NULL: a general text */
    const struct column *list;
    unsigned count;
    unsigned sort; /* initial sort column; COLUMNS_AS_THEY_COME */
    size_t row_size;
    /* Identifies the same thing in the next snapshot: an integer, or a function. */
    struct path key;
    /* Where a snapshot lists these rows, and how many: ALL_OF(list, count). Tables of screens with
     * these columns are filled from it automatically. */
    struct path all;
    struct path all_count;
    uint64_t (*identity)(const struct snapshot *snapshot, const void *row);
    struct path object;   /* index of a row's object: Enter opens it, HTML links its name */
    struct path interval; /* interval of a row's share: HTML draws it on the bar */
    bool code;            /* text is source or instructions: HTML does not wrap it */
    /* Returns the text of a separator row, NULL for other rows. Separators cannot be selected, and
     * are left out if the rows are sorted or filtered. No function: there are no separators. */
    const char *(*parting)(const void *row);
    /* Explains a row, line by line; returns false after the last line. NULL: nothing is said. */
    bool (*explain)(const struct snapshot *snapshot, const void *row, unsigned line,
                    struct explained *out);
};

#define ALL_OF(rows, number)                                                                       \
    .all = ROW_OF(struct snapshot, rows), .all_count = FIELD(struct snapshot, number)

/* Members of struct columns that follow from the list and its row type. */
#define TABLE(type, columns)                                                                       \
    .list = columns, .count = sizeof(columns) / sizeof *(columns), .row_size = sizeof(type)

/* All members, for rows that no screen shows: MEMBERS(struct x, COLUMN(.key = ...), ...). */
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
        unsigned index; /* index into columns->list */
        int start;
        int width;
    } places[COLUMNS_MAX];
};

/* Columns chosen by the user, in this order; none: as many as fit, by rank. */
struct column_choice {
    uint8_t count;
    uint8_t index[COLUMNS_MAX]; /* indices into columns->list */
};

/* Returns a column's name in settings: its title, "bar" without one; the second "NAME#2". */
void columns_setting_name(const struct columns *columns, unsigned index, char *out, size_t size);
/* Convert from and to "SHARE,NAME,TYPE". Unknown names are ignored. */
void column_choice_parse(const struct columns *columns, const char *text,
                         struct column_choice *choice);
void column_choice_text(const struct columns *columns, const struct column_choice *choice,
                        char *out, size_t size);

/* Chooses the columns that fit in `width`, and widens those that can grow to the content of the
 * first rows. `pictures`: include bars and sparklines. choice NULL: none. */
void columns_layout(const struct columns *columns, const struct column_choice *choice,
                    const struct snapshot *snapshot, const void *rows, size_t count, int width,
                    bool pictures, struct layout *layout);

struct value columns_value(const struct column *column, const struct snapshot *snapshot,
                           const void *row);

uint64_t columns_identity(const struct columns *columns, const struct snapshot *snapshot,
                          const void *row);

/* Return an element of an array; the row that a column leads to; whether it is shown. */
struct value columns_element(const struct column *column, const struct snapshot *snapshot,
                             const void *row, unsigned index);
const void *columns_target(const struct column *column, const struct snapshot *snapshot,
                           const void *row);
bool columns_shown(const struct columns *columns, unsigned index, const struct snapshot *snapshot);
/* Return the row and the value at a path; NULL and unknown if there is none. */
const void *path_target(const struct path *path, const void *row);
struct value path_value(const struct path *path, const void *row);
/* Returns true if a path is given, as defined in struct column; also for no path. */
bool path_given(const struct path *path, const void *row);
bool columns_given(const struct column *column, const struct snapshot *snapshot, const void *row);

/* Formats a cell; names are limited to `width`, "" if not known. */
void columns_text(const struct column *column, const struct snapshot *snapshot, const void *row,
                  int width, bool ascii, char *out, size_t size);

/* Formats the subject of a row from its strong cells: "pointer chasing, particles". */
void columns_caption(const struct columns *columns, const struct snapshot *snapshot,
                     const void *row, char *out, size_t size);

/* Formats a line of a list of shares: "  71.0%  multiply on rival". */
void columns_share(struct explained *out, const char *label, double share, const char *text);

/* Returns the title in the available character set. */
const char *columns_title(const struct column *column, bool ascii);

/* Compares two rows by a column: largest number first, text alphabetically (reversed if inverted),
 * unknown always last. Returns 0 if equal. */
int columns_compare(const struct column *column, const struct snapshot *snapshot, const void *left,
                    const void *right, bool invert);

/* Returns true if any text of the row contains `part`, ignoring case. */
bool columns_match(const struct columns *columns, const struct snapshot *snapshot, const void *row,
                   const char *part);

/* Constructors and formatters of values, for the tables. */
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

/* Returns the function with more than half of these samples; NULL if there is none. */
const struct snapshot_code *columns_unknown_leader(const struct snapshot *snapshot);

double columns_half(const struct snapshot_share *share);
/* Returns the distance of the farther end from the value. */
double columns_reach(const struct snapshot_share *share);

/* `target` of a column: returns the object with an index; NULL if it is not listed. */
const void *columns_object_at(const struct snapshot *snapshot, const void *index);

/* Return an object by index, id or name, and a function by its id. NULL: not listed. */
const struct snapshot_object *columns_object(const struct snapshot *snapshot, uint32_t index);
const struct snapshot_object *columns_object_of(const struct snapshot *snapshot, uint32_t id);
const struct snapshot_object *columns_object_named(const struct snapshot *snapshot,
                                                   const char *name);
const struct snapshot_code *columns_code(const struct snapshot *snapshot, uint32_t id);

/* Formats the text for no findings: the problems that were checked. */
enum { FINDINGS_NONE_BYTES = 640 };
void findings_none(const struct snapshot *snapshot, char *out, size_t size);

extern const struct columns object_columns;
bool object_explain(const struct snapshot *snapshot, const void *object, unsigned line,
                    struct explained *out);
extern const struct columns field_columns;
extern const struct columns instance_columns;
extern const struct columns toucher_columns; /* code that accesses one object */
extern const struct columns function_columns;
extern const struct columns site_columns;        /* rows: struct site */
extern const struct columns source_columns;      /* rows: struct source_row */
extern const struct columns instruction_columns; /* rows: struct instruction_row */
extern const struct columns caller_columns;      /* rows: struct caller_row (rows.h) */
extern const struct columns layout_columns;      /* rows: struct layout_row (rows.h) */
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
extern const struct columns reuse_line_columns; /* rows: struct snapshot_reuse_row */
extern const struct columns simulation_columns; /* rows: struct simulation_level, in the snapshot */
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

/* JSON members only: tables of json*.c that several rows share. Their rows can be NULL. */
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

struct site {
    const struct snapshot_code *code;
    const struct snapshot_object *object;
    double share;  /* fraction of the function's listed samples */
    char text[96]; /* the instruction; "": not known */
};

struct source_row {
    const char *file;
    uint32_t line;          /* 0: a separator, with `text` as its title */
    uint32_t sites;         /* number of instructions; 0: only context */
    double samples;         /* NAN: only context */
    double unknown_samples; /* samples on unknown objects */
    double share;           /* fraction of the function's samples */
    double loads;
    double stores;
    const char *inlined;                        /* NULL: not inlined */
    const struct snapshot_instruction *hottest; /* NULL: only context */
    struct snapshot_use use;                    /* use of the lines fetched by the source line */
    char text[256];
};

struct instruction_row {
    const struct snapshot_instruction *instruction;
    char text[96]; /* "": not known */
};

/* An instruction with its thread, on a shared line. */
struct sharing_access {
    const struct snapshot_sharing_side *side;
    const struct snapshot_sharing_code *code;
};

/* An offset with its object, for lists over several objects. */
struct hot_offset {
    const struct snapshot_object *object;
    const struct snapshot_field *field;
};

#endif
