/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions and objects with the user's names, renamed and combined, largest share first; then the
 * others; then samples without an object, and without a function. It points into the snapshot and
 * the rules, and must be rebuilt when either changes.
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

/* Unit of the shares of cells and totals. */
enum matrix_measure {
    MATRIX_WEIGHT, /* the weight of the source: misses, stalls, time */
    MATRIX_MISSES, /* counted by an event of its own, as are the next two */
    MATRIX_ACCESSES,
    MATRIX_STALLS,
    MATRIX_LATENCY, /* cycles waited, if the source reports them */
    MATRIX_LOADS,
    MATRIX_STORES,
    MATRIX_MEASURES
};

/* Lines that are not a function or object: the unlisted ones, and samples without one. */
#define MATRIX_OTHERS UINT32_MAX
#define MATRIX_NONE   (UINT32_MAX - 1)

struct matrix_line {
    const char *name;
    uint64_t identity; /* identity of its group: the same in the next snapshot */
    /* Index of its largest member in code or objects; MATRIX_OTHERS, MATRIX_NONE. */
    uint32_t index;
    uint32_t members; /* number of functions or objects in it; 0: MATRIX_OTHERS or MATRIX_NONE */
    bool renamed;
    uint32_t first; /* of its members in the snapshot's matrix */
    double amount;  /* that it ranks by */
    struct snapshot_matrix_cell total;
};

struct matrix_lines {
    size_t count; /* with the two special lines if not empty; 0: there is no matrix */
    struct matrix_line list[MATRIX_ROWS];
    uint8_t line_of[MATRIX_ROWS]; /* where each one of the snapshot's matrix went */
};

struct matrix_table {
    const struct snapshot *snapshot;
    enum matrix_measure measure; /* a measure known in the snapshot */
    struct matrix_lines axis[MATRIX_AXES];
    struct snapshot_matrix_cell cells[MATRIX_ROWS][MATRIX_COLUMNS];
};

/* Makes the table, ranked by `measure`, or by the weight if the snapshot does not have it. */
void matrix_table_make(struct matrix_table *table, const struct snapshot *snapshot,
                       const struct bin_rules *rules, enum matrix_measure measure);

/* Returns the share of the total, by the measure; NAN if the total is 0. */
double matrix_table_share(const struct matrix_table *table,
                          const struct snapshot_matrix_cell *cell);
/* Returns the unit of the shares: "time at the access", "waiting", "stores". */
const char *matrix_table_measured(const struct matrix_table *table);
bool matrix_measure_known(const struct snapshot *snapshot, enum matrix_measure measure);

/* Returns the line of an axis with this identity; the number of lines if there is none. */
size_t matrix_table_find(const struct matrix_table *table, enum matrix_axis axis,
                         uint64_t identity);

/* Returns the line of an object or function by its index in the snapshot: the others if it is not
 * listed, the number of lines if there are no others. */
size_t matrix_table_line(const struct matrix_table *table, enum matrix_axis axis, uint32_t index);

/* File with the user's names, shared by all sessions (bin_rules_open()). */
#define MATRIX_RULES "matrix"

/* Renames a line; `name` "" restores its own name. Returns 0, a negative errno of bin_rules.h, or
 * -EINVAL for the others. */
int matrix_rules_rename(struct bin_rules *rules, const struct matrix_table *table,
                        enum matrix_axis axis, size_t line, const char *name);
/* Merges `count` lines, by their identities, in one request. -ENOENT: one is no longer listed. */
int matrix_rules_combine(struct bin_rules *rules, const struct matrix_table *table,
                         enum matrix_axis axis, uint64_t into, const uint64_t *from,
                         uint32_t count);

/* Parts of one cell of the matrix, or of a total, with the user's names: fields, lines, threads,
 * blocks, levels, causes. For the screen, batch text, JSON and the page of --html. */
enum { MATRIX_PARTS_MAX = 8, MATRIX_PART_BYTES = 160 };

struct matrix_part {
    char name[MATRIX_PART_BYTES]; /* "particle.vy", "demo.c:74"; "": a block, or no name known */
    uint64_t key;                 /* thread id, address of the block */
    double samples;
    double loads; /* parts of fields and lines only */
    double stores;
};

/* Most samples first. */
struct matrix_parts {
    struct matrix_part list[MATRIX_PARTS_MAX];
    size_t count;
    size_t distinct; /* number of parts, including those not listed */
    double all;      /* samples of all parts, including those of no known part */
};

struct matrix_cell {
    const struct matrix_line *row; /* NULL: all functions */
    const struct matrix_line *column;
    const struct snapshot_matrix_cell *figures;
    /* Only if the cell has one object: fields of several objects are not comparable. */
    struct matrix_parts fields;
    struct matrix_parts lines;
    struct matrix_parts threads; /* threads of the last `matrix.recent` samples, as are blocks */
    struct matrix_parts blocks;
    bool has_levels;
    struct snapshot_levels levels;
    struct snapshot_causes_figures causes; /* misses 0: none recorded */
    /* "function on object"; samples: misses on lines it evicted; all: with known evictor. */
    struct matrix_parts evictors;
    struct matrix_parts evictor_threads; /* as evictors, by thread */
    const struct snapshot_rates *rates;  /* NULL: not known */
    struct snapshot_rates joined;        /* storage for `rates` of combined lines */
};

/* A place in the table: on each axis 0 for the total, otherwise a line + 1. */
struct matrix_place {
    size_t at[MATRIX_AXES];
};

/* Gathers a cell. Parts are left out if memory runs out. */
void matrix_cell_gather(const struct matrix_table *table, struct matrix_place place,
                        struct matrix_cell *cell);

/* Returns the largest cell that is not marked in `listed` yet, and marks it. Returns false if none
 * is left that is large and significant enough. */
bool matrix_cell_next(const struct matrix_table *table, bool listed[MATRIX_ROWS][MATRIX_COLUMNS],
                      struct matrix_place *place);

/* Most useful first. */
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

/* Formats one of the words; "" if nothing is known. */
void matrix_word(const struct matrix_table *table, const struct matrix_cell *cell,
                 enum matrix_word word, char out[MATRIX_WORD_BYTES]);

/* Draws all words in an area of the screen. */
void matrix_words_draw(const struct matrix_table *table, const struct matrix_cell *cell,
                       struct canvas *canvas, struct area area);

/* Functions down, objects across, totals first in both directions. */

struct matrix_grid {
    struct matrix_place cursor;
    bool moved;                /* the user has moved the cursor */
    size_t first[MATRIX_AXES]; /* visible line */
    struct tags tagged;        /* identities of lines of one axis */
    enum matrix_axis tagged_axis;
    struct area names;         /* names of functions; the first row has the totals of objects */
    int total_columns;         /* width of the totals of functions */
    int cell_columns;          /* width of a cell */
    size_t shown[MATRIX_AXES]; /* visible lines */
    bool pinned;               /* the last visible column is the one of samples without an object */
};

/* Returns the line at a place; NULL for all functions or all objects. */
const struct matrix_line *matrix_line_at(const struct matrix_table *table, enum matrix_axis axis,
                                         struct matrix_place place);

/* Returns the rows used: all except the last few if there are many. */
int matrix_grid_draw(struct matrix_grid *grid, const struct matrix_table *table,
                     struct canvas *canvas, struct area area);

struct matrix_view {
    struct matrix_table table;
    struct bin_rules rules;
    struct matrix_grid grid;
    enum matrix_measure measure; /* requested by the user */
};

#endif
