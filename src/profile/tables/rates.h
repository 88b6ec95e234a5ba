/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Miss rates and criticality from sums (include/snapshot_share.h): the events that measure them,
 * and the figures with their intervals. Where one event's samples are hits and misses and record
 * which (IBS, load latency with a threshold that all loads pass), the misses are a part of the
 * accesses; elsewhere accesses and misses are two counts. Private to src/profile.
 */
#ifndef MISSTOP_PROFILE_TABLES_RATES_H
#define MISSTOP_PROFILE_TABLES_RATES_H

#include <stdbool.h>

#include "access.h"
#include "profile/tables/statistics.h"
#include "snapshot.h"
#include "snapshot_share.h"

/* Whether an access that found its data there missed that level. */
enum data_answer rates_missed(enum data_level found, enum rate_level level);

/* Events by index, -1: none. */
struct rates_plan {
    int access;            /* counts accesses */
    int miss[RATE_LEVELS]; /* count misses of these */
    int stall;             /* counts stalled cycles; where no event does, all cycles */
    int cycles;            /* beside `stall`, counts all cycles */
    int timed; /* its samples have latencies, which say what stalled before `stall` does */
    enum rate_level level;             /* of the misses that stalls are compared with */
    bool recorded;                     /* samples of `access` say where the data was */
    double counted[SAMPLE_EVENTS_MAX]; /* part of the time that the event was counted; 0..1 */
};

/* The source's event for each measure; `access` is known by levels if `recorded`, latencies by
 * `timed` (an event, -1: by none). */
struct rates_plan rates_plan(const struct snapshot_source *source, bool recorded, int timed);

/* Of one thing, under the basis shown. */
struct rates_sums {
    struct amount events[SAMPLE_EVENTS_MAX];
    double found[DATA_LEVEL_COUNT];     /* weight of the samples of `access`, or of `timed` */
    struct amount waited;               /* latency x weight of the samples of `timed` */
    double waited_at[DATA_LEVEL_COUNT]; /* the same by level, weight only */
};

/* Sums of several things are those of all together. */
void rates_join(struct rates_sums *into, const struct rates_sums *more);

/* Fills in the rates of `own`, a part of `all`; false: not known. */
bool rates_make(const struct rates_plan *plan, const struct rates_sums *own,
                const struct rates_sums *all, struct snapshot_rates *rates);
/* The stalled part of all cycles; `all` is with the samples without an object. Unknown where the
 * plan lacks one of the two events. */
struct snapshot_share rates_stalled(const struct rates_plan *plan, const struct rates_sums *all);

/* The quantity that the event that ranks measures. */
enum measured {
    MEASURED_SAMPLES, /* of any other event */
    MEASURED_MISSES,  /* cache misses: only then a cause of misses may be named */
    MEASURED_ACCESSES,
    MEASURED_STALLS,
    MEASURED_TIME /* time, whatever the process did in it */
};

enum measured measured_of(const struct snapshot_source *source);

/* Parts of all samples, by weight as all tables have them: what has an object, and what has none
 * for a reason. By number where weights are not known; NAN: there are no samples. */
double measured_attributed(const struct snapshot_totals *totals);
double measured_reason(const struct snapshot_totals *totals, enum reason reason);

#endif
