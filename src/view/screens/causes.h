/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Causes of misses in words and rows; for the Causes screen, the matrix, batch text and the page of
 * --html. */
#ifndef MISSTOP_VIEW_SCREENS_CAUSES_H
#define MISSTOP_VIEW_SCREENS_CAUSES_H

#include <stddef.h>

#include "snapshot.h"
#include "view/widget/columns.h"

/* The row of an object or function by its id; NULL: none. */
const struct snapshot_causes_row *causes_row_of(const struct snapshot_causes *causes,
                                                enum causes_of kind, uint32_t id);

/* "object", "function", "thread". */
const char *causes_of_name(enum causes_of kind);

/* "61.0% conflict, 27.0% capacity, 12.0% first references": the causes present, most first. */
void causes_why(const struct snapshot_causes_figures *figures, char *out, size_t size);

/* "Why l2-miss, by object: ...", of everything. */
void causes_summary(const struct snapshot *snapshot, enum causes_of kind, char *out, size_t size);

/* Early evictions, by itself and by others (DTrack 3.5); "": not known. */
void causes_early(const struct snapshot_causes_figures *figures, char *out, size_t size);

/* The fields of an object that miss most, each with what leads; "": none are known. */
void causes_fields(const struct snapshot *snapshot, const struct snapshot_causes_row *object,
                   char *out, size_t size);

/* "multiply on rival"; says so where one is not known. */
void causes_evictor(const struct snapshot_evictor *evictor, char *out, size_t size);

/* "worker-1 (12) 60.2%, worker-2 (13) 39.8%": the threads that evicted lines of a row; "": not
 * known, or the program has one thread only. */
void causes_threads(const struct snapshot *snapshot, const struct snapshot_causes_row *row,
                    char *out, size_t size);

/* The main cause and the remedy: a sentence or two. */
void causes_advice(enum causes_of kind, const struct snapshot_causes_row *row, char *out,
                   size_t size);

/* Misses on lines of one object (or function, or thread) that another one had evicted. */
struct eviction_row {
    const char *missed; /* "others": those that the snapshot does not list */
    const char *evictor;
    uint32_t missed_id; /* UINT32_MAX: the others */
    uint32_t evictor_id;
    double misses;
    double share; /* of all misses with a known evictor; then of those of each of the two */
    double of_missed;
    double of_evictor;
};
enum { EVICTION_ROWS_MAX = (SNAPSHOT_EVICTION_BINS + 1) * (SNAPSHOT_EVICTION_BINS + 1) };
extern const struct columns eviction_columns;

/* Most misses first; 0: no evictor is known. */
size_t eviction_rows(const struct snapshot *snapshot, enum causes_of kind,
                     struct eviction_row rows[EVICTION_ROWS_MAX]);

struct browser;

/* Draws the curve of a row, and advice; opens its object or function. */
void reuse_draw(const struct snapshot_reuse *reuse, const struct snapshot_reuse_row *row,
                struct canvas *canvas, struct area area);
void reuse_open(struct browser *browser, const void *row);

#endif
