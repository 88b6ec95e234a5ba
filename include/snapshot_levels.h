/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Part of struct snapshot (snapshot.h, where its rules stand): where accesses found their data, and
 * how long it took. */
#ifndef MISSTOP_SNAPSHOT_LEVELS_H
#define MISSTOP_SNAPSHOT_LEVELS_H

#include "data_source.h"

/* Where the levels of struct snapshot_levels are from. */
enum levels_from {
    LEVELS_RECORDED, /* the hardware told it of each sample */
    LEVELS_COUNTED   /* worked out from how often each of several miss events was sampled */
};

#define SNAPSHOT_LATENCY_CLASSES 16 /* 1, 2-3, 4-7, ... cycles; the last: 32768 and more */

/*
 * Where accesses found their data and how long that took: of an object, of a field, of
 * everything. Counts are accesses estimated (weights: a sample stands for its period), of the
 * event that ranks if recorded. NAN: the source cannot say.
 *
 * What they are counts of is what the source samples (struct snapshot_source, `weighs`): pebs
 * counts loads of more than so many cycles, evenly among those; ibs every op alike. A level's
 * share of one is not its share of the other.
 */
struct snapshot_levels {
    enum levels_from from;
    double accesses;                /* sum of `level`, level[DATA_UNKNOWN] included */
    double level[DATA_LEVEL_COUNT]; /* data_level_name() names them */
    const char *found;              /* the leading ones: "DRAM 61% L3 22%"; NULL: not known */
    double far;                     /* share beyond this core's own caches, of those told */
    double snoop[SNOOP_COUNT];      /* accesses; data_snoop_name() names them */
    double tlb[TLB_COUNT];          /* accesses; data_tlb_name() names them */
    double hitm;     /* share of accesses that found the line modified in another cache */
    double tlb_miss; /* share of those whose TLB is known: page walks, faults */
    double remote;   /* share of those of which it is known, like the next: of another node */
    double locked;
    double blocked;
    double latency;                             /* mean, cycles */
    double histogram[SNAPSHOT_LATENCY_CLASSES]; /* accesses by latency */
    double waited[DATA_LEVEL_COUNT];            /* latency x accesses, cycles, by level */
    double stall; /* share of latency x accesses of all attributed: an estimate of its part in
                     waiting, for waits overlap */
};

#endif
