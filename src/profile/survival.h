/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Times until something happened, some of which were not waited for to the end (censored): the
 * product-limit estimate (Kaplan, Meier, JASA 53, 1958). Its interval is Wilson's on as many
 * observations as are still waited for, divided by the part they stand for (Peto et al., British
 * Journal of Cancer 35, 1977): wider than Greenwood's where many were censored, and there also
 * where nothing has happened yet. Pure; any unit of time.
 */
#ifndef MISSTOP_PROFILE_SURVIVAL_H
#define MISSTOP_PROFILE_SURVIVAL_H

#include "snapshot_share.h"

#include <stdbool.h>
#include <stddef.h>

struct survival_time {
    double time;   /* 0 or more */
    bool happened; /* else it was waited for until then, and no longer */
};

/* Sorts by time, what happened before what was censored at the same time. All of this expects it.
 */
void survival_sort(struct survival_time *times, size_t count);

/* Part for which it has happened by a time, with its 95 % interval. NAN where nobody waited. */
struct snapshot_share survival_happened(const struct survival_time *times, size_t count,
                                        double time);

/* The longest time up to which the estimate is as sure as `least` observations make it; 0: none. */
double survival_reach(const struct survival_time *times, size_t count, double least);

/* When it has happened for half of them; NAN: not within what was seen. `high` NAN: no bound. */
struct survival_median {
    double value;
    double low;
    double high;
};
/* The interval holds the times whose own interval holds one half (Brookmeyer, Crowley, Biometrics
 * 38, 1982). */
struct survival_median survival_median(const struct survival_time *times, size_t count);

#endif
