/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Part of struct snapshot (snapshot.h, where its rules stand): the window of recent misses: what
 * recurs, what misses together. */
#ifndef MISSTOP_SNAPSHOT_WINDOW_H
#define MISSTOP_SNAPSHOT_WINDOW_H

#include <stddef.h>
#include <stdint.h>

/* An address (line) that recurs in the window. */
struct snapshot_recurrence {
    uint64_t address; /* of the cache line */
    uint32_t count;
    uint32_t set;
    uint32_t object; /* index into objects, UINT32_MAX: none */
    uint64_t offset;
    uint32_t functions; /* distinct functions that missed on it */
};

/* Two objects or lines whose misses come close together more often than by chance. */
struct snapshot_pair {
    uint64_t line_a; /* 0 when the pair is of objects */
    uint64_t line_b;
    uint32_t object_a; /* index into objects */
    uint32_t object_b;
    uint32_t together; /* times seen within the neighbourhood */
    double lift;       /* seen / expected if independent */
};

#define SNAPSHOT_RECURRENCE_BINS 8 /* lines seen 1, 2, 3-4, 5-8, ... 65+ times */

struct snapshot_window {
    uint64_t entries;   /* size of the table */
    uint64_t used;      /* active entries */
    uint64_t addresses; /* distinct */
    uint64_t singletons;
    uint64_t recurring;
    double span_s; /* time between oldest and newest entry */
    uint64_t histogram[SNAPSHOT_RECURRENCE_BINS];
    const char *reading; /* one sentence: capacity or conflict */
    struct snapshot_recurrence *top;
    size_t top_count;
    struct snapshot_pair *pairs;
    size_t pair_count;
};

#endif
