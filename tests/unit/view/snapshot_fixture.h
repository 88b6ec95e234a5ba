/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Snapshots like those of the profile stage, for the tests of the views. */
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
    FIXTURE_LEVELS,  /* ... and a source that reports where accesses found their data */
    FIXTURE_RATES    /* typed, with counted accesses in addition to misses */
};

/* Makes a snapshot. `tick`: elapsed time; shares vary with it. NULL: out of memory. */
const struct snapshot *fixture_new(enum fixture_kind kind, unsigned tick);

/* Releases a snapshot, and counts, so that a test can check that all were released. */
void fixture_release(const struct snapshot *snapshot);
unsigned fixture_alive(void);

/* Returns the title of the sort column. */
const char *table_sort_title(const struct table *table);

/* Returns the output of a writer for a snapshot, and releases the snapshot: json_print() or one of
 * these. */
char *fixture_printed(int (*print)(FILE *out, const struct snapshot *snapshot),
                      const struct snapshot *snapshot);
int fixture_text(FILE *out, const struct snapshot *snapshot);
int fixture_page(FILE *out, const struct snapshot *snapshot);

#endif
