/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Part of struct snapshot (see snapshot.h for its rules): a share and its confidence interval. */
#ifndef MISSTOP_SNAPSHOT_SHARE_H
#define MISSTOP_SNAPSHOT_SHARE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "access.h"
#include "simulated_line.h"

/* A share, rate or ratio with its 95 % interval (src/profile/tables/statistics.h). */
struct snapshot_share {
    double value; /* 0..1, except for ratios */
    double low;
    double high;
};

/* Each rate is a fraction of all accesses, not only of those that reached the level. An access that
 * waits for a line already on its way does not count as a miss. */
enum rate_level {
    RATE_L1,
    RATE_L2,
    RATE_MEMORY, /* all cache levels: misses go to memory */
    RATE_LEVELS
};

/* How the number of accesses is known, in addition to the misses. */
enum rates_evidence {
    RATES_RECORDED, /* the same samples are hits and misses, and record which they are */
    RATES_COUNTED   /* accesses and misses are sampled by separate events */
};

struct snapshot_rates {
    enum rates_evidence evidence;
    double accesses; /* estimate: the sum of periods; NAN: not known, as for the members below */
    struct snapshot_share access_share; /* its fraction of all accesses */
    /* Misses per access. If value is NAN and low is not: misses were sampled, but no access. */
    struct snapshot_share miss_rate[RATE_LEVELS];
    struct snapshot_share stall_share; /* its fraction of all stall time */
    struct snapshot_share miss_share;  /* its fraction of all misses at `level` */
    /* Ratio stall / missed; 1: like the average. Interval as above; high NAN: no upper bound. */
    struct snapshot_share stall_ratio;
    enum rate_level level;
};

/* Returns the name as in JSON: "L1", "L2", "memory". */
const char *rate_level_name(enum rate_level level);

enum levels_evidence {
    LEVELS_RECORDED, /* recorded by the hardware with each sample */
    LEVELS_COUNTED   /* calculated from the sample counts of several miss events */
};

#define SNAPSHOT_LATENCY_CLASSES 16 /* 1, 2-3, 4-7, ... cycles; the last: 32768 and more */

/*
 * Where accesses found their data, and their latencies. Counts are accesses estimated from the
 * samples' periods, for the ranking event if it records levels. NAN: the source does not report it.
 *
 * The shares of a level from two sources cannot be compared (`weighs` in struct snapshot_source):
 * pebs samples loads above a latency threshold, evenly among those; ibs samples all ops alike.
 */
struct snapshot_levels {
    enum levels_evidence evidence;
    double accesses;                /* sum of `level`, including level[DATA_UNKNOWN] */
    double level[DATA_LEVEL_COUNT]; /* names: data_level_name() */
    char summary[48];               /* leading levels: "DRAM 61% L3 22%"; "": not known */
    double far_share; /* share found beyond this core's caches, of those with a known level */
    double snoop[SNOOP_COUNT]; /* accesses; names: data_snoop_name() */
    double tlb[TLB_COUNT];     /* accesses; names: data_tlb_name() */
    double hitm;               /* share of accesses that found the line modified in another cache */
    double tlb_miss; /* share of page walks and faults, of those with a known TLB result */
    /* Share from another node, of those where it is known; the same for the next two. */
    double remote;
    double locked;
    double blocked;
    double latency;                             /* mean, cycles */
    double histogram[SNAPSHOT_LATENCY_CLASSES]; /* accesses by latency */
    double waited[DATA_LEVEL_COUNT];            /* latency x accesses, cycles, by level */
    /* Fraction of latency x accesses of all attributed samples. Only an estimate of its fraction of
     * the waiting time, because waits overlap. */
    double stall;
};

/* Computes the members that follow from the counts, and `summary`. */
void snapshot_levels_derive(struct snapshot_levels *levels);

/* Fraction of the time spent waiting for data that is not in this core's nearer caches: of the
 * process's CPU time, a function's time, or the time at an object's accesses. */
enum wait_level { WAIT_BEYOND_L1, WAIT_BEYOND_L2, WAIT_BEYOND_L3, WAIT_LEVELS };

enum wait_evidence {
    WAIT_UNKNOWN,
    WAIT_FROM_COUNTERS,   /* stall and cycle events */
    WAIT_FROM_LATENCIES,  /* latencies of the samples */
    WAIT_FROM_RECURRENCE, /* which lines recur in the samples, and how many lines there are */
    WAIT_FROM_SIMULATION  /* every access was seen */
};

struct snapshot_wait {
    enum wait_evidence evidence; /* WAIT_UNKNOWN: the rest is empty */
    double low[WAIT_LEVELS];     /* bounds, 0..1; both NAN: no evidence for this level */
    double high[WAIT_LEVELS];
};

/* A time range [start_ns, end_ns), by the clock of the samples. */
struct time_range {
    uint64_t start_ns;
    uint64_t end_ns;
};

/* Use of lines between fetch and eviction: sums over the lines that an instruction fetched. */
struct snapshot_use {
    double lines;
    double fetched_bytes;
    double used_bytes;      /* distinct bytes of each line */
    double touched_bytes;   /* every access counted */
    double uses[LINE_USES]; /* accesses */
    double followed_lines;  /* lines actually followed; they represent all lines */
    double squares;         /* sum of squares of the used bytes per line */
    double spatial_low;     /* 95 % interval of the spatial use; exact if all lines were followed */
    double spatial_high;
};

/* SIP's spatial use: fraction of the fetched bytes used. NAN if `use` is NULL or has no line. */
static inline double snapshot_use_spatial(const struct snapshot_use *use)
{
    return use && use->fetched_bytes > 0 ? use->used_bytes / use->fetched_bytes : NAN;
}

/* Returns how often a used byte was reused on average: SIP's temporal use. NAN if not known. */
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
    into->followed_lines += more->followed_lines;
    into->squares += more->squares;
    for (int i = 0; i < LINE_USES; i++)
        into->uses[i] += more->uses[i];
}

/* The level of the ranking event, or the closest nearer level that has evictions. */
struct snapshot_uses {
    bool known;     /* otherwise the other members are empty */
    uint8_t level;  /* index, 0: L1 */
    bool is_nearer; /* nothing has been evicted from the ranking event's level yet */
    struct snapshot_use all;
};

#endif
