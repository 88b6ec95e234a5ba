/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/measures.h"

#include "profile/rates.h"

static enum snapshot_measure measure_of(enum event_role role)
{
    return role == EVENT_ACCESS  ? MEASURE_ACCESSES
           : role == EVENT_STALL ? MEASURE_WAITING
           : role == EVENT_OTHER ? SNAPSHOT_MEASURES
                                 : MEASURE_MISSES;
}

/* Among several that count misses the deepest ones; roles stand in that order. */
static bool tells_more(const uint8_t *roles, int event, int than)
{
    return than < 0 || (measure_of((enum event_role)roles[event]) == MEASURE_MISSES &&
                        roles[event] > roles[than]);
}

void measures_plan(struct measures *measures, const uint8_t *roles, uint16_t events,
                   uint16_t ranking)
{
    enum snapshot_measure ranks = measure_of((enum event_role)roles[ranking]);
    *measures = (struct measures){.event = {-1, -1, -1}, .ranking = ranking};
    measures->ranks = ranks == SNAPSHOT_MEASURES ? MEASURE_MISSES : ranks;
    for (int i = 0; i < events; i++) {
        enum snapshot_measure measure = measure_of((enum event_role)roles[i]);
        if (measure != SNAPSHOT_MEASURES && tells_more(roles, i, measures->event[measure]))
            measures->event[measure] = i;
    }
    measures->event[measures->ranks] = ranking;
    for (int i = 0; i < SAMPLE_EVENTS_MAX; i++)
        measures->of_event[i] = SNAPSHOT_MEASURES;
    for (int i = 0; i < SNAPSHOT_MEASURES; i++)
        if (measures->event[i] >= 0)
            measures->of_event[measures->event[i]] = (uint8_t)i;
}

/* Only where hits are sampled too do data sources tell misses; L1 is the first that there are. */
static bool tells_misses(const struct measures *measures)
{
    return measures->event[MEASURE_MISSES] < 0 && measures->ranks == MEASURE_ACCESSES;
}

double measures_missed(const struct measures *measures, const struct access *access)
{
    if (!tells_misses(measures))
        return 0;
    enum data_level found = (enum data_level)data_source_decode(access->data_src).level;
    return rates_missed(found, RATE_L1) == ANSWER_YES ? tally_weight(access) : 0;
}

static double sum_levels(const struct measures *measures, enum snapshot_measure measure,
                         const struct levels *levels)
{
    double sum = 0;
    for (int i = 0; i < DATA_LEVEL_COUNT; i++)
        if (measure == MEASURE_WAITING)
            sum += levels->at[LEVELS_WAITED(i)].at[BASIS_RUN];
        else if (tells_misses(measures) && rates_missed((enum data_level)i, RATE_L1) == ANSWER_YES)
            sum += levels->at[LEVELS_FOUND(i)].at[BASIS_RUN];
    return sum;
}

double measures_total(const struct measures *measures, enum snapshot_measure measure,
                      const struct tally *tallies, const struct levels *levels)
{
    int event = measures->event[measure];
    if (event >= 0)
        return tallies[event].weight.at[BASIS_RUN];
    return levels ? sum_levels(measures, measure, levels) : 0;
}
