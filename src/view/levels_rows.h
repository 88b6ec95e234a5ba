/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The rows of the Levels pane: where the accesses to one object found their data, how long they
 * took, what other caches and the TLB answered; a rule with a title before each part. For
 * detail_page.c.
 */
#ifndef MISSTOP_VIEW_LEVELS_ROWS_H
#define MISSTOP_VIEW_LEVELS_ROWS_H

#include "snapshot.h"

enum {
    LEVELS_ROWS_MAX =
        DATA_LEVEL_COUNT + SNAPSHOT_LATENCY_CLASSES + SNOOP_COUNT + TLB_COUNT + 3 + 4 /* rules */
};

struct levels_row {
    const char *parting; /* a rule that says this; NULL: a common row */
    uint32_t identity;
    char name[24];
    const char *meaning; /* NULL: none */
    double share;        /* of the part: of the accesses it tells of */
    double accesses;     /* NAN: not known */
    double waited;       /* share of the cycles the object waited; NAN */
};

struct levels_rows {
    struct levels_row list[LEVELS_ROWS_MAX];
    size_t count;
    char latency[64]; /* text of a rule */
};

/* Levels NULL: no rows. */
void levels_rows_make(struct levels_rows *rows, const struct snapshot_levels *levels);

#endif
