/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The matrix of a snapshot under the names that the user gave: renamed and combined functions
 * and objects, most share first again; then the others; then what has no object, and what no
 * function has waited for. For the Matrix screen (matrix_*.c), batch
 * text and JSON. It points into the snapshot and the rules: made anew when either changes.
 */
#ifndef MISSTOP_VIEW_MATRIX_TABLE_H
#define MISSTOP_VIEW_MATRIX_TABLE_H

#include "resolve/heap/bin_rules.h"
#include "snapshot.h"

#include <stdbool.h>

enum {
    MATRIX_ROWS = SNAPSHOT_MATRIX_ROWS + SNAPSHOT_MATRIX_REST,
    MATRIX_COLUMNS = SNAPSHOT_MATRIX_COLUMNS + SNAPSHOT_MATRIX_REST
};

enum matrix_axis { MATRIX_FUNCTIONS, MATRIX_OBJECTS };

/* What cells and totals are shares of. */
enum matrix_measure {
    MATRIX_WEIGHT, /* what the source weighs: misses, stalls, time */
    MATRIX_MISSES, /* by an event of their own, beside what ranks; the next two also */
    MATRIX_ACCESSES,
    MATRIX_STALLS,
    MATRIX_LATENCY, /* cycles waited, where the source tells them */
    MATRIX_LOADS,
    MATRIX_STORES,
    MATRIX_MEASURES
};

/* Lines that are no function and no object: those not listed, and what is of none. */
#define MATRIX_OTHERS UINT32_MAX
#define MATRIX_NOBODY (UINT32_MAX - 1)

/* A row or a column. */
struct matrix_line {
    const char *name;
    uint64_t identity; /* of its group: the same in the next snapshot */
    uint32_t index;   /* of its strongest member in code or objects; MATRIX_OTHERS, MATRIX_NOBODY */
    uint32_t members; /* functions or objects that it is made of; 0: of those two */
    bool renamed;
    struct snapshot_matrix_cell total;
};

struct matrix_table {
    const struct snapshot *snapshot;
    enum matrix_measure measure; /* one that the snapshot knows */
    const char *title;           /* of its rows: "Function", */
    const char *all;             /* and of all of them: "all functions" */
    size_t row_count; /* with those two, where they have anything; 0: there is no matrix */
    size_t column_count;
    struct matrix_line rows[MATRIX_ROWS];
    struct matrix_line columns[MATRIX_COLUMNS];
    struct snapshot_matrix_cell cells[MATRIX_ROWS][MATRIX_COLUMNS];
    /* Where each row and column of the snapshot's matrix went. */
    uint8_t row_of[MATRIX_ROWS];
    uint8_t column_of[MATRIX_COLUMNS];
};

/* The names that the user gave. The file of them is shared by all sessions. */
struct matrix_rules {
    struct bin_rules rules;
    bool kept; /* changes are written to the file: it could be read, or there was none */
};

/* Lines are ranked by `measure`; where the snapshot does not know it, by the weight. */
void matrix_table_make(struct matrix_table *table, const struct snapshot *snapshot,
                       const struct matrix_rules *rules, enum matrix_measure measure);

/* Of everything, by the measure; NAN where there is nothing of it. */
double matrix_table_share(const struct matrix_table *table,
                          const struct snapshot_matrix_cell *cell);
/* What that is a share of: "time at the access", "waiting", "stores". */
const char *matrix_table_measured(const struct matrix_table *table);
bool matrix_measure_known(const struct snapshot *snapshot, enum matrix_measure measure);

/* Which line of an axis has this identity; its count where none has. */
size_t matrix_table_find(const struct matrix_table *table, enum matrix_axis axis,
                         uint64_t identity);

/* Which line an object or function is part of, by its index in the snapshot: the others if it is
 * not listed, and the count if there are none. */
size_t matrix_table_line(const struct matrix_table *table, enum matrix_axis axis, uint32_t index);

/* What was said in earlier sessions; none where that cannot be read. */
void matrix_rules_init(struct matrix_rules *rules);
void matrix_rules_fini(struct matrix_rules *rules);

/* `name` "": its own again. 0 or a negative errno of bin_rules.h; -EINVAL for the others. */
int matrix_rules_rename(struct matrix_rules *rules, const struct matrix_table *table,
                        enum matrix_axis axis, size_t line, const char *name);
/* Identities of lines. -ENOENT: one is not listed any more. */
int matrix_rules_combine(struct matrix_rules *rules, const struct matrix_table *table,
                         enum matrix_axis axis, uint64_t into, uint64_t from);
/* Takes the last one back; false: there is none. */
bool matrix_rules_undo(struct matrix_rules *rules);

/* What a function or object is called in the rules, and the hash of that. */
uint64_t matrix_full_name(const struct snapshot *snapshot, enum matrix_axis axis, uint32_t index,
                          char out[BIN_RULES_NAME_BYTES]);
/* The name alone again. */
const char *matrix_plain_name(enum matrix_axis axis, const char *full_name);

#endif
