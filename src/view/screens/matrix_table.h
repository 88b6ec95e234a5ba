/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The matrix of a snapshot under the names that the user gave: renamed and combined functions
 * and objects, most share first again; then the others; then what has no object, and what no
 * function has waited for. For the Matrix screen (matrix_*.c), batch
 * text and JSON. It points into the snapshot and the rules: made anew when either changes.
 */
#ifndef MISSTOP_VIEW_SCREENS_MATRIX_TABLE_H
#define MISSTOP_VIEW_SCREENS_MATRIX_TABLE_H

#include <stdbool.h>

#include "resolve/heap/bin_rules.h"
#include "snapshot.h"
#include "view/levels.h"
#include "view/display/canvas.h"
#include "view/display/keys.h"
#include "view/widget/table.h"

enum {
    MATRIX_ROWS = SNAPSHOT_MATRIX_ROWS + SNAPSHOT_MATRIX_REST,
    MATRIX_COLUMNS = SNAPSHOT_MATRIX_COLUMNS + SNAPSHOT_MATRIX_REST
};

enum matrix_axis { MATRIX_FUNCTIONS, MATRIX_OBJECTS, MATRIX_AXES };

/* The base of the shares of cells and totals. */
enum matrix_measure {
    MATRIX_WEIGHT, /* the weight of the source: misses, stalls, time */
    MATRIX_MISSES, /* by an event of their own, beside what ranks; the next two also */
    MATRIX_ACCESSES,
    MATRIX_STALLS,
    MATRIX_LATENCY, /* cycles waited, where the source reports them */
    MATRIX_LOADS,
    MATRIX_STORES,
    MATRIX_MEASURES
};

/* Lines that are no function and no object: those not listed, and samples without one. */
#define MATRIX_OTHERS UINT32_MAX
#define MATRIX_NOBODY (UINT32_MAX - 1)

/* A row or a column. */
struct matrix_line {
    const char *name;
    uint64_t identity; /* of its group: the same in the next snapshot */
    uint32_t index;   /* of its strongest member in code or objects; MATRIX_OTHERS, MATRIX_NOBODY */
    uint32_t members; /* functions or objects that it is made of; 0: of those two */
    bool renamed;
    uint32_t first; /* of its members in the snapshot's matrix */
    double amount;  /* that it ranks by */
    struct snapshot_matrix_cell total;
};

/* The rows, or the columns. */
struct matrix_lines {
    size_t count; /* with those two, where they have anything; 0: there is no matrix */
    struct matrix_line list[MATRIX_ROWS];
    uint8_t line_of[MATRIX_ROWS]; /* where each one of the snapshot's matrix went */
};

struct matrix_table {
    const struct snapshot *snapshot;
    enum matrix_measure measure; /* one that the snapshot knows */
    struct matrix_lines axis[MATRIX_AXES];
    struct snapshot_matrix_cell cells[MATRIX_ROWS][MATRIX_COLUMNS];
};

/* Lines are ranked by `measure`; where the snapshot does not know it, by the weight. */
void matrix_table_make(struct matrix_table *table, const struct snapshot *snapshot,
                       const struct bin_rules *rules, enum matrix_measure measure);

/* Of everything, by the measure; NAN where there is nothing of it. */
double matrix_table_share(const struct matrix_table *table,
                          const struct snapshot_matrix_cell *cell);
/* The base of the shares: "time at the access", "waiting", "stores". */
const char *matrix_table_measured(const struct matrix_table *table);
bool matrix_measure_known(const struct snapshot *snapshot, enum matrix_measure measure);

/* Which line of an axis has this identity; its count where none has. */
size_t matrix_table_find(const struct matrix_table *table, enum matrix_axis axis,
                         uint64_t identity);

/* Which line an object or function is part of, by its index in the snapshot: the others if it is
 * not listed, and the count if there are none. */
size_t matrix_table_line(const struct matrix_table *table, enum matrix_axis axis, uint32_t index);

/* The file of the names that the user gave, shared by all sessions (bin_rules_open()). */
#define MATRIX_RULES "matrix"

/* `name` "": its own again. 0 or a negative errno of bin_rules.h; -EINVAL for the others. */
int matrix_rules_rename(struct bin_rules *rules, const struct matrix_table *table,
                        enum matrix_axis axis, size_t line, const char *name);
/* `count` lines into another one, by their identities, as one request. -ENOENT: one is not listed
 * any more. */
int matrix_rules_combine(struct bin_rules *rules, const struct matrix_table *table,
                         enum matrix_axis axis, uint64_t into, const uint64_t *from,
                         uint32_t count);

/*
 * The parts of one cell of the matrix, or of a total: fields, lines, threads, blocks, levels,
 * causes, under the names that the user gave. For the screen, batch text, JSON and the page of
 * --html.
 */
enum { MATRIX_PARTS_MAX = 8, MATRIX_PART_BYTES = 160 };

/* A field, a line, a thread or a block. */
struct matrix_part {
    char name[MATRIX_PART_BYTES]; /* "particle.vy", "demo.c:74"; of threads "" where it is not
                                     known, "" of blocks */
    uint64_t key;                 /* thread id, address of the block */
    double samples;
    double loads; /* of fields and lines */
    double stores;
};

/* Most samples first. */
struct matrix_parts {
    struct matrix_part list[MATRIX_PARTS_MAX];
    size_t count;
    size_t distinct; /* those that are not listed too */
    double all;      /* samples they are parts of, those of no known part too */
};

struct matrix_cell {
    const struct matrix_line *row; /* NULL: all functions */
    const struct matrix_line *column;
    const struct snapshot_matrix_cell *figures;
    struct matrix_parts fields; /* of one object only: of several they say nothing */
    struct matrix_parts lines;
    struct matrix_parts threads; /* of the last `matrix.recent` samples, blocks too */
    struct matrix_parts blocks;
    bool has_levels;
    struct snapshot_levels levels;
    struct snapshot_causes_figures causes; /* misses 0: none are recorded */
    struct matrix_parts evictors;          /* "function on object"; samples: misses on lines it
                                            * had evicted; all: of all known evictors */
    struct matrix_parts evictor_threads;   /* the same by thread */
    const struct snapshot_rates *rates;    /* NULL: not known */
    struct snapshot_rates joined;          /* the base of that where lines were combined */
};

/* A place in the table: on each axis 0 for all of them, else a line + 1. */
struct matrix_place {
    size_t at[MATRIX_AXES];
};

/* Parts without memory for them are left out. */
void matrix_cell_gather(const struct matrix_table *table, struct matrix_place place,
                        struct matrix_cell *cell);

/* The strongest cell that is not marked in `listed` yet; it is marked. False: none is left that is
 * worth words, or rests on more than chance. */
bool matrix_cell_next(const struct matrix_table *table, bool listed[MATRIX_ROWS][MATRIX_COLUMNS],
                      struct matrix_place *place);

/* One cell of the matrix in words: for the screen (matrix.c), batch text and the page of
 * --html. */
/* The most useful comes first. */
enum matrix_word {
    MATRIX_WORD_TITLE,
    MATRIX_WORD_SHARES,
    MATRIX_WORD_REASON, /* why there is no object */
    MATRIX_WORD_LEVELS,
    MATRIX_WORD_RATES,
    MATRIX_WORD_CAUSES, /* causes and evictors: MemSpy's detail of a bin */
    MATRIX_WORD_FIELDS,
    MATRIX_WORD_LINES,
    MATRIX_WORD_RECENT, /* threads and blocks */
    MATRIX_WORDS
};
enum { MATRIX_WORD_BYTES = 768 };

/* One of them; "": nothing is known. */
void matrix_word(const struct matrix_table *table, const struct matrix_cell *cell,
                 enum matrix_word word, char out[MATRIX_WORD_BYTES]);

/* All of them in an area of the screen; rows used. */
int matrix_words_draw(const struct matrix_table *table, const struct matrix_cell *cell,
                      struct canvas *canvas, struct area area);

/*
 * The grid of the Matrix screen: functions down, objects across, totals first on both sides; its
 * cursor and scrolling. For matrix.c.
 */

struct matrix_grid {
    struct matrix_place cursor;
    bool moved;                /* the cursor was, by the user */
    size_t first[MATRIX_AXES]; /* line in sight */
    struct tags tagged;        /* identities of lines of one axis */
    enum matrix_axis tagged_axis;
    /* As drawn. */
    struct area names;         /* of functions, and totals of objects in its first row */
    int total_columns;         /* width of the totals of functions */
    int cell_columns;          /* width of a cell */
    size_t shown[MATRIX_AXES]; /* lines in sight */
    bool pinned;               /* the samples without an object are in the last column in sight */
};

/* The line at a place; NULL: all functions, all objects. */
const struct matrix_line *matrix_line_at(const struct matrix_table *table, enum matrix_axis axis,
                                         struct matrix_place place);

/* Scrolls the cursor into sight and draws. Rows used, all but the last few where there are many. */
int matrix_grid_draw(struct matrix_grid *grid, const struct matrix_table *table,
                     struct canvas *canvas, struct area area);

/* The state of the screen. */
struct matrix_view {
    struct matrix_table table;
    struct bin_rules rules;
    struct matrix_grid grid;
    enum matrix_measure measure; /* that was asked for */
};

#endif
