/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Miss rates and criticality from sums (include/snapshot_share.h): the events that measure them,
 * and the figures with their intervals. If the samples of one event are hits and misses and record
 * which (IBS, or load latency with a threshold that all loads exceed), the misses are a part of the
 * accesses; otherwise accesses and misses are counted separately. Private to src/profile.
 */
#ifndef MISSTOP_PROFILE_TABLES_RATES_H
#define MISSTOP_PROFILE_TABLES_RATES_H

#include <stdbool.h>

#include "access.h"
#include "profile/tables/statistics.h"
#include "snapshot.h"
#include "snapshot_share.h"

/* Returns the answer to whether an access that found its data at `found` missed `level`. */
enum data_answer rates_missed(enum data_level found, enum rate_level level);

/* Events by index, -1: none. */
struct rates_plan {
    int access;            /* counts accesses */
    int miss[RATE_LEVELS]; /* count misses of each level */
    int stall;             /* counts stalled cycles; if no event does, all cycles */
    int cycles;            /* counts all cycles if `stall` counts stalls */
    int timed;             /* its samples have latencies, which are preferred over `stall` */
    enum rate_level level; /* level of the misses to compare with stalls */
    bool has_data_source;  /* samples of `access` record the data source */
    double running_share[SAMPLE_EVENTS_MAX]; /* fraction of the time the event was counted; 0..1 */
};

/* Chooses the source's event for each measure. `recorded`: samples of the access event have levels;
 * `timed`: event with latencies, -1: none. */
struct rates_plan rates_plan(const struct snapshot_source *source, bool recorded, int timed);

/* Sums of one object, field or function in the shown basis. */
struct rates_sums {
    struct amount events[SAMPLE_EVENTS_MAX];
    double found[DATA_LEVEL_COUNT];     /* weight of the samples of `access`, or of `timed` */
    struct amount waited;               /* latency x weight of the samples of `timed` */
    double waited_at[DATA_LEVEL_COUNT]; /* the same by level; weight only */
};

void rates_join(struct rates_sums *into, const struct rates_sums *more);

/* Fills in the rates of `own`, a part of `all`. Returns false if none is known. */
bool rates_make(const struct rates_plan *plan, const struct rates_sums *own,
                const struct rates_sums *all, struct snapshot_rates *rates);
/* Returns the stalled part of all cycles; `all` includes the samples without an object. Unknown if
 * the plan lacks one of the two events. */
struct snapshot_share rates_stalled(const struct rates_plan *plan, const struct rates_sums *all);

/* The quantity that the ranking event measures. */
enum measured {
    MEASURED_SAMPLES, /* samples of any other event */
    MEASURED_MISSES,  /* cache misses: only these have a cause of misses */
    MEASURED_ACCESSES,
    MEASURED_STALLS,
    MEASURED_TIME /* time, including execution */
};

enum measured measured_of(const struct snapshot_source *source);

/* Return the share of samples with an object, and without one for a reason, by weight as in all
 * tables. By number if weights are not known; NAN: no samples. */
double measured_attributed(const struct snapshot_totals *totals);
double measured_reason(const struct snapshot_totals *totals, enum reason reason);

#endif
