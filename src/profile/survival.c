/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/survival.h"

#include "profile/interval.h"

#include <math.h>
#include <stdlib.h>

/* The estimate on its way through the times. */
struct walk {
    double surviving;
    double effective; /* observations that the estimate is as sure as */
    size_t next;
};

static int by_time(const void *left, const void *right)
{
    const struct survival_time *a = left;
    const struct survival_time *b = right;
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    return (int)b->happened - (int)a->happened;
}

void survival_sort(struct survival_time *times, size_t count)
{
    qsort(times, count, sizeof *times, by_time);
}

/* Over all that ended at the next time. */
static void step(struct walk *walk, const struct survival_time *times, size_t count)
{
    double waiting = (double)(count - walk->next);
    double time = times[walk->next].time;
    double happened = 0;
    for (; walk->next < count && times[walk->next].time == time; walk->next++)
        happened += times[walk->next].happened;
    walk->surviving *= 1 - happened / waiting;
    /* Those censored just now have been waited for until now. Where all have come to their end the
     * estimate is as sure as the one before. */
    if (walk->surviving > 0)
        walk->effective = (waiting - happened) / walk->surviving;
}

struct snapshot_share survival_happened(const struct survival_time *times, size_t count,
                                        double time)
{
    struct walk walk = {1, (double)count, 0};
    while (walk.next < count && times[walk.next].time <= time)
        step(&walk, times, count);
    bool nobody = walk.surviving > 0 && walk.next == count && count && times[count - 1].time < time;
    return interval_share(1 - walk.surviving, nobody ? 0 : walk.effective);
}

double survival_reach(const struct survival_time *times, size_t count, double least)
{
    struct walk walk = {1, (double)count, 0};
    double reach = 0;
    while (walk.next < count) {
        double time = times[walk.next].time;
        step(&walk, times, count);
        if (walk.effective < least)
            break;
        reach = time;
    }
    return reach;
}

struct survival_median survival_median(const struct survival_time *times, size_t count)
{
    struct survival_median median = {NAN, NAN, NAN};
    struct walk walk = {1, (double)count, 0};
    while (walk.next < count && isnan(median.high)) {
        double time = times[walk.next].time;
        step(&walk, times, count);
        struct snapshot_share happened = interval_share(1 - walk.surviving, walk.effective);
        if (isnan(median.low) && happened.high >= 0.5)
            median.low = time;
        if (isnan(median.value) && happened.value >= 0.5)
            median.value = time;
        if (happened.low > 0.5)
            median.high = time;
    }
    return median;
}
