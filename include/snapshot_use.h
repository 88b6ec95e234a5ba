/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of struct snapshot (snapshot.h, where its rules stand): how lines were used between being
 * fetched into a cache and leaving it; a simulation tells (--sim).
 */
#ifndef MISSTOP_SNAPSHOT_USE_H
#define MISSTOP_SNAPSHOT_USE_H

#include "line_told.h"

#include <math.h>
#include <stdbool.h>

/* Sums over the lines that something had fetched and that have left. */
struct snapshot_use {
    double lines;
    double fetched_bytes;
    double used_bytes;      /* different bytes of each line */
    double touched_bytes;   /* every touch counted */
    double uses[LINE_USES]; /* accesses */
};

/* Part of the fetched bytes that were used: SIP's spatial use. `use` NULL, or no line: NAN. */
static inline double snapshot_use_spatial(const struct snapshot_use *use)
{
    return use && use->fetched_bytes > 0 ? use->used_bytes / use->fetched_bytes : NAN;
}

/* How often a used byte was used again: SIP's temporal use. */
static inline double snapshot_use_temporal(const struct snapshot_use *use)
{
    return use && use->used_bytes > 0 ? use->touched_bytes / use->used_bytes - 1 : NAN;
}

static inline void snapshot_use_sum(struct snapshot_use *into, const struct snapshot_use *more)
{
    into->lines += more->lines;
    into->fetched_bytes += more->fetched_bytes;
    into->used_bytes += more->used_bytes;
    into->touched_bytes += more->touched_bytes;
    for (int i = 0; i < LINE_USES; i++)
        into->uses[i] += more->uses[i];
}

/* Which level the use of lines is told of: that of the ranking event, or the nearest above it that
 * lines have left. */
struct snapshot_uses {
    bool told;      /* else the rest is empty */
    uint8_t level;  /* index, 0: L1 */
    bool is_nearer; /* nothing has left the ranking event's level yet */
    struct snapshot_use all;
};

#endif
