/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of struct snapshot (snapshot.h, where its rules stand): how often accesses miss, and how
 * much of the waiting that makes (DTrack, Figure 4 and section 3.4). Of an object, a field, a
 * function, everything.
 */
#ifndef MISSTOP_SNAPSHOT_RATES_H
#define MISSTOP_SNAPSHOT_RATES_H

#include "snapshot_share.h"

#include <stdint.h>

/* What an access can miss; of each the rate is one of all accesses, not of those that came there.
 * An access that waits for a line which is on its way already is no miss of its own. */
enum rate_level {
    RATE_L1,
    RATE_L2,
    RATE_MEMORY, /* everything but memory */
    RATE_LEVELS
};

/* How the accesses beside the misses are known. */
enum rates_from {
    RATES_RECORDED, /* the same samples are hits and misses, and tell which */
    RATES_COUNTED,  /* each by samples of its own event */
    RATES_EXACT     /* every access was seen: intervals have no width */
};

struct snapshot_rates {
    enum rates_from from;
    double accesses; /* estimated: a sample stands for its period; NAN: not known, as the rest */
    struct snapshot_share accessed;               /* its part of all accesses */
    struct snapshot_share miss_rate[RATE_LEVELS]; /* misses of accesses; value NAN with a low end:
                                                     misses were sampled, and no access */
    struct snapshot_share stall;                  /* its part of all stall time */
    struct snapshot_share missed;                 /* its part of all misses at `level` */
    struct snapshot_share critical; /* stall / missed, a ratio: 1 is like the others on average.
                                       Ends as above; high NAN: without end */
    enum rate_level level;
};

/* Counts of one thing that were not sampled but seen one by one, from the start of the run; a
 * simulator can give them (struct place_names). NAN: not known. */
enum exact_of { EXACT_ALL, EXACT_OBJECT, EXACT_FUNCTION };
struct exact_counts {
    double accesses;
    double misses[RATE_LEVELS];
    double stall_cycles;
};

/* "L1", "L2", "memory": as in JSON. */
const char *rate_level_name(enum rate_level level);

#endif
