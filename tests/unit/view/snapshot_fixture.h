/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Snapshots as the profile stage could make them, for the tests of the views. */
#ifndef MISSTOP_UNIT_VIEW_SNAPSHOT_FIXTURE_H
#define MISSTOP_UNIT_VIEW_SNAPSHOT_FIXTURE_H

#include <stdio.h>

#include "base/array.h"
#include "snapshot.h"
#include "view/widget/table.h"

enum fixture_kind {
    FIXTURE_USUAL,   /* a dozen objects, search settled, a conflicting set; no types */
    FIXTURE_EMPTY,   /* not one sample, nothing known */
    FIXTURE_ONE,     /* a single sample */
    FIXTURE_HOSTILE, /* long, wide, combining, control-like names; NANs everywhere */
    FIXTURE_HUGE,    /* 3,000 objects, 2,048 sets, counts near 2^63 */
    FIXTURE_TYPED,   /* the usual, with debugging information */
    FIXTURE_LEVELS,  /* ... and of a source that reports where accesses found their data */
    FIXTURE_RATES    /* typed, and accesses are counted beside misses */
};

/* `tick`: how far time has gone; shares wander with it. NULL: out of memory. */
const struct snapshot *fixture_new(enum fixture_kind kind, unsigned tick);

/* Also counts, so that a test sees what was released. */
void fixture_release(const struct snapshot *snapshot);
unsigned fixture_alive(void);

/* The title of the column sorted by. */
const char *table_sort_title(const struct table *table);

/* All that a writer prints of a snapshot, which is released: json_print() or one of these. */
char *fixture_printed(int (*print)(FILE *out, const struct snapshot *snapshot),
                      const struct snapshot *snapshot);
int fixture_text(FILE *out, const struct snapshot *snapshot);
int fixture_page(FILE *out, const struct snapshot *snapshot);

#endif
