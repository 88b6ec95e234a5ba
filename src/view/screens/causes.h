/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Causes of misses as sentences and rows; for the screens, batch text and --html. */
#ifndef MISSTOP_VIEW_SCREENS_CAUSES_H
#define MISSTOP_VIEW_SCREENS_CAUSES_H

#include <stddef.h>

#include "snapshot.h"
#include "view/widget/columns.h"

/* Returns the row of an object or function id; NULL if there is none. */
const struct snapshot_causes_row *causes_row_of(const struct snapshot_causes *causes,
                                                enum causes_of kind, uint32_t id);

const char *causes_of_name(enum causes_of kind);

/* Formats the causes, largest first: "61.0% conflict, 27.0% capacity, 12.0% first references". */
void causes_why(const struct snapshot_causes_figures *figures, char *out, size_t size);

/* Formats the causes of all misses: "Why l2-miss, by object: ...". */
void causes_summary(const struct snapshot *snapshot, enum causes_of kind, char *out, size_t size);

/* Formats "multiply on rival"; leaves out the object if it is not known. */
void causes_evictor(const struct snapshot_evictor *evictor, char *out, size_t size);

/* Misses on lines of one object (or function, or thread) that another one evicted. */
struct eviction_row {
    const char *missed; /* "others": not listed in the snapshot */
    const char *evictor;
    uint32_t missed_id; /* UINT32_MAX: others */
    uint32_t evictor_id;
    double misses;
    double share; /* fraction of all misses with a known evictor; then of those of each side */
    double of_missed;
    double of_evictor;
};
enum { EVICTION_ROWS_MAX = (SNAPSHOT_EVICTION_BINS + 1) * (SNAPSHOT_EVICTION_BINS + 1) };
extern const struct columns eviction_columns;

/* Fills in rows, most misses first. Returns 0 if no evictor is known. */
size_t eviction_rows(const struct snapshot *snapshot, enum causes_of kind,
                     struct eviction_row rows[EVICTION_ROWS_MAX]);

struct browser;

/* reuse_draw() draws the curve of a row with advice; reuse_open() opens its object or function. */
void reuse_draw(const struct snapshot_reuse *reuse, const struct snapshot_reuse_row *row,
                struct canvas *canvas, struct area area);
void reuse_open(struct browser *browser, const void *row);

#endif
