/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The word for what the event that ranks measures. Sentences of profile and view take it from here.
 */
#ifndef MISSTOP_PROFILE_MEASURED_H
#define MISSTOP_PROFILE_MEASURED_H

#include "snapshot.h"

struct measured {
    const char *word; /* "misses", "accesses", "stall time", "time"; "samples" of any other event */
    bool misses;      /* cache misses: only then a cause of misses may be named */
    bool time;        /* time, whatever the process did in it */
};

const struct measured *measured_of(const struct snapshot_source *source);

/* Parts of all samples, by weight as all tables have them: what has an object, and what has none
 * for a reason. By number where weights are not known; NAN: there are no samples. */
double measured_attributed(const struct snapshot_totals *totals);
double measured_reason(const struct snapshot_totals *totals, enum reason reason);

#endif
