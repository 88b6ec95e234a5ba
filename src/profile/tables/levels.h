/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sums of what precise sources record in addition to addresses: the data source, the latency, and
 * the results of the TLB and of other caches. Only objects and fields with such samples have rows,
 * so other sources have no cost. Private to src/profile.
 *
 * Sums are of weights instead of samples: while sampling periods are being adjusted, samples of one
 * program represent different numbers of accesses.
 */
#ifndef MISSTOP_PROFILE_TABLES_LEVELS_H
#define MISSTOP_PROFILE_TABLES_LEVELS_H

#include <stddef.h>

#include "access.h"
#include "profile/tables/tally.h"
#include "profile/time/decay.h"

/* The counts that every sample touches come first. */
enum levels_count {
    LEVELS_LOCK_KNOWN,
    LEVELS_LOCKED,
    LEVELS_REMOTE_KNOWN,
    LEVELS_REMOTE,
    LEVELS_BLOCK_KNOWN,
    LEVELS_BLOCKED,
    LEVELS_WAITED_SQUARES, /* (latency x weight) squared: stored with the square of the scale */
    LEVELS_SNOOP,          /* the first of SNOOP_COUNT */
    LEVELS_TLB = LEVELS_SNOOP + SNOOP_COUNT,
    LEVELS_LEVEL = LEVELS_TLB + TLB_COUNT, /* pairs of accesses and cycles, one per level */
    /* The first of the latency classes; their sum: accesses with a latency. */
    LEVELS_LATENCY = LEVELS_LEVEL + 2 * DATA_LEVEL_COUNT,
    LEVELS_COUNTS = LEVELS_LATENCY + SNAPSHOT_LATENCY_CLASSES
};

/*
 * Accesses found at a level; their sum: accesses with a data source. The next count is latency
 * times weight, adjacent because one sample writes both; its sum: all cycles waited, including
 * DATA_UNKNOWN.
 */
#define LEVELS_FOUND(level)  (LEVELS_LEVEL + 2 * (int)(level))
#define LEVELS_WAITED(level) (LEVELS_FOUND(level) + 1)

/* A row of struct count_rows (tally.h). */
struct levels {
    struct counted at[LEVELS_COUNTS];
};

void levels_rows_rescale(struct count_rows *rows, double factor);

static inline bool levels_apply(const struct access *access)
{
    return access->data_src || access->latency;
}

/* Class i: 2^i to 2^(i+1) - 1 cycles; the last class has no upper limit. */
static inline unsigned levels_latency_class(uint64_t cycles)
{
    unsigned class = cycles ? 63 - (unsigned)__builtin_clzll(cycles) : 0;
    return class < SNAPSHOT_LATENCY_CLASSES ? class : SNAPSHOT_LATENCY_CLASSES - 1;
}

/* The data source of an access and the rows that count it; NULL: none. */
enum { LEVELS_ROWS = 5 };
struct levels_touched {
    struct data_source source; /* decoded once for all rows */
    struct levels *at[LEVELS_ROWS];
};

/* Prefetches the rows that levels_add() writes: a full table is larger than the caches. */
void levels_prefetch(const struct levels_touched *rows, const struct access *access);
void levels_add(const struct levels_touched *rows, const struct access *access, double scale);
void levels_rescale(struct levels *levels, double factor);

#endif
