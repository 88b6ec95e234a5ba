/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Part of struct snapshot (its rules are in snapshot.h): a share and how sure it is. */
#ifndef MISSTOP_SNAPSHOT_SHARE_H
#define MISSTOP_SNAPSHOT_SHARE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "access.h"
#include "simulated_line.h"

/* A share, or a rate or ratio, with its 95 % interval (src/profile/tables/statistics.h: how it is
 * got). */
struct snapshot_share {
    double value; /* 0..1, but for ratios */
    double low;
    double high;
};

/* Levels and the TLB, which an access can miss. Each rate is of all accesses, not of those that
 * reached the level. An access that waits for a line already on its way is no miss of its own. */
enum rate_level {
    RATE_L1,
    RATE_L2,
    RATE_MEMORY, /* everything but memory */
    RATE_LEVELS
};

/* How the accesses beside the misses are known. */
enum rates_from {
    RATES_RECORDED, /* the same samples are hits and misses, and record which */
    RATES_COUNTED   /* each by samples of its own event */
};

struct snapshot_rates {
    enum rates_from from;
    double accesses; /* estimated: the sum of periods; NAN: not known, like the rest */
    struct snapshot_share accessed;               /* its part of all accesses */
    struct snapshot_share miss_rate[RATE_LEVELS]; /* misses of accesses; value NAN with a low end:
                                                     misses were sampled, and no access */
    struct snapshot_share stall;                  /* its part of all stall time */
    struct snapshot_share missed;                 /* its part of all misses at `level` */
    struct snapshot_share critical; /* stall / missed, a ratio: 1 is like the others on average.
                                       Ends as above; high NAN: without end */
    enum rate_level level;
};

/* "L1", "L2", "memory": as in JSON. */
const char *rate_level_name(enum rate_level level);

/* Where the levels of struct snapshot_levels are from. */
enum levels_from {
    LEVELS_RECORDED, /* recorded by the hardware with each sample */
    LEVELS_COUNTED   /* worked out from how often each of several miss events was sampled */
};

#define SNAPSHOT_LATENCY_CLASSES 16 /* 1, 2-3, 4-7, ... cycles; the last: 32768 and more */

/*
 * Where accesses found their data and their latencies: of an object, of a field, of everything.
 * Counts are accesses estimated by the samples' periods, of the ranking event if it records
 * levels. NAN: the source cannot say.
 *
 * They are counts of what the source samples (struct snapshot_source, `weighs`): pebs counts loads
 * of more than so many cycles, evenly among those; ibs every op alike. So shares of a level of two
 * sources cannot be compared.
 */
struct snapshot_levels {
    enum levels_from from;
    double accesses;                /* sum of `level`, level[DATA_UNKNOWN] included */
    double level[DATA_LEVEL_COUNT]; /* data_level_name() names them */
    char found[48];                 /* the leading ones: "DRAM 61% L3 22%"; "": not known */
    double far; /* share beyond this core's own caches, of those with a known level */
    double snoop[SNOOP_COUNT]; /* accesses; data_snoop_name() names them */
    double tlb[TLB_COUNT];     /* accesses; data_tlb_name() names them */
    double hitm;               /* share of accesses that found the line modified in another cache */
    double tlb_miss;           /* share of those with a known TLB result: page walks, faults */
    double remote; /* share of those where it is known, like the next: of another node */
    double locked;
    double blocked;
    double latency;                             /* mean, cycles */
    double histogram[SNAPSHOT_LATENCY_CLASSES]; /* accesses by latency */
    double waited[DATA_LEVEL_COUNT];            /* latency x accesses, cycles, by level */
    double stall; /* share of latency x accesses of all attributed: an estimate of its part in
                     waiting, for waits overlap */
};

/* Figures that follow from the counts of others, and `found`. */
void snapshot_levels_derive(struct snapshot_levels *levels);

/*
 * The part of the time that waits for data which this core's nearer caches do not hold: of the
 * process' CPU time, of a function's, of the time at an object's accesses.
 */
enum wait_level { WAIT_BEYOND_L1, WAIT_BEYOND_L2, WAIT_BEYOND_L3, WAIT_LEVELS };

/* The measure that the bounds are computed from. */
enum wait_evidence {
    WAIT_UNKNOWN,
    WAIT_FROM_COUNTERS,   /* stall and cycle events */
    WAIT_FROM_LATENCIES,  /* of the samples */
    WAIT_FROM_RECURRENCE, /* which lines the samples come back to, and how many there are */
    WAIT_FROM_SIMULATION  /* every access was seen */
};

struct snapshot_wait {
    enum wait_evidence from; /* WAIT_UNKNOWN: the rest is empty */
    double low[WAIT_LEVELS]; /* bounds, 0..1; both NAN: the evidence says nothing of this level */
    double high[WAIT_LEVELS];
};

/* A time range: from start_ns on, before end_ns, by the clock of the samples. */
struct time_range {
    uint64_t start_ns;
    uint64_t end_ns;
};

/* Use of lines between fetch and eviction, simulation only: sums over the lines that something had
 * fetched and that have left. */
struct snapshot_use {
    double lines;
    double fetched_bytes;
    double used_bytes;      /* different bytes of each line */
    double touched_bytes;   /* every touch counted */
    double uses[LINE_USES]; /* accesses */
    double followed;        /* lines that were followed, for all of them */
    double squares;         /* of the used bytes of a line, in the sums above */
    double spatial_low; /* 95 % interval of the spatial use; the value itself: all were followed */
    double spatial_high;
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
    into->followed += more->followed;
    into->squares += more->squares;
    for (int i = 0; i < LINE_USES; i++)
        into->uses[i] += more->uses[i];
}

/* Level of the use of lines: that of the ranking event, or the nearest above it with evictions. */
struct snapshot_uses {
    bool known;     /* else the rest is empty */
    uint8_t level;  /* index, 0: L1 */
    bool is_nearer; /* nothing has left the ranking event's level yet */
    struct snapshot_use all;
};

#endif
