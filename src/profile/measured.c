/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/measured.h"

#include <math.h>
#include <string.h>

const struct measured *measured_of(const struct snapshot_source *source)
{
    static const struct measured misses = {.word = "misses", .misses = true};
    static const struct measured accesses = {.word = "accesses"};
    static const struct measured stalls = {.word = "stall time"};
    static const struct measured time = {.word = "time", .time = true};
    static const struct measured samples = {.word = "samples"};
    if (source->ranking >= source->event_count)
        return &samples;
    switch (source->events[source->ranking].role) {
    case EVENT_MISS_L1:
    case EVENT_MISS_L2:
    case EVENT_MEM_FILL:
        return &misses;
    case EVENT_ACCESS:
        return &accesses;
    case EVENT_STALL: /* a timer and a cycle counter run in the time between stalls too */
        return source->weighs && !strncmp(source->weighs, "stall", 5) ? &stalls : &time;
    case EVENT_OTHER: /* the third and fourth level of a simulated cache too */
        return source->weighs && !strncmp(source->weighs, "misses", 6) ? &misses : &samples;
    }
    return &samples;
}

static double part_of(double weight, double count, const struct snapshot_totals *totals)
{
    if (totals->everything > 0)
        return weight / totals->everything;
    return totals->samples ? count / (double)totals->samples : NAN;
}

double measured_attributed(const struct snapshot_totals *totals)
{
    return part_of(totals->weight, (double)totals->attributed, totals);
}

double measured_reason(const struct snapshot_totals *totals, enum reason reason)
{
    return part_of(totals->reason_weight[reason], (double)totals->reasons[reason], totals);
}
