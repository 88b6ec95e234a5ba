/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which event's samples tell misses, accesses and waiting, for the run over time: each measure by
 * an event of its own where there is one; else, of the event that ranks, waiting by the latencies
 * of its samples, and misses by where these found their data. Private to src/profile.
 */
#ifndef MISSTOP_PROFILE_MEASURES_H
#define MISSTOP_PROFILE_MEASURES_H

#include "profile/levels.h"
#include "profile/tally.h"
#include "snapshot.h"

#include <stdbool.h>
#include <stdint.h>

struct measures {
    uint8_t of_event[SAMPLE_EVENTS_MAX]; /* enum snapshot_measure; SNAPSHOT_MEASURES: of none */
    int event[SNAPSHOT_MEASURES];        /* that counts it; -1: none */
    uint16_t ranking;                    /* event */
    enum snapshot_measure ranks;         /* what that counts */
};

/* `roles`: enum event_role of each of `events` events. An event of no role that ranks counts as
 * misses. */
void measures_plan(struct measures *measures, const uint8_t *roles, uint16_t events,
                   uint16_t ranking);

/* Of a sample of the event that ranks, beside its own measure: what it says of another; 0 where
 * that has an event of its own, or nothing is told. */
static inline double measures_waited(const struct measures *measures, const struct access *access)
{
    return measures->event[MEASURE_WAITING] < 0 ? (double)access->latency * tally_weight(access)
                                                : 0;
}
double measures_missed(const struct measures *measures, const struct access *access);

/* Of one object, function, or everything: what it has counted of a measure since the start.
 * `tallies`: [events]; `levels`: of its samples of the event that ranks, NULL: none told. */
double measures_total(const struct measures *measures, enum snapshot_measure measure,
                      const struct tally *tallies, const struct levels *levels);

#endif
