/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/measure_words.h"

#include "profile/tables/rates.h"

#include <string.h>

static const struct snapshot_event *ranking(const struct snapshot_source *source)
{
    return source->ranking < source->event_count ? &source->events[source->ranking] : NULL;
}

const char *measure_key(const struct snapshot *snapshot, enum snapshot_measure measure)
{
    static const char *const names[SNAPSHOT_MEASURES] = {"misses", "accesses", "waiting"};
    const struct snapshot_event *event = ranking(&snapshot->source);
    if (measure == snapshot->timeline.ranks && event && event->role == EVENT_OTHER && event->name)
        return event->name;
    return names[measure];
}

const char *measure_name(const struct snapshot *snapshot, enum snapshot_measure measure)
{
    const struct measured *measured = measured_of(&snapshot->source);
    bool ranks = measure == snapshot->timeline.ranks;
    return ranks && measure == MEASURE_WAITING ? measured->word : measure_key(snapshot, measure);
}

static bool is(const struct snapshot *snapshot, const char *source)
{
    return snapshot->source.name && !strcmp(snapshot->source.name, source);
}

static const char *want_misses(const struct snapshot *snapshot)
{
    if (is(snapshot, "clock"))
        return "A timer knows how long, not how often. -s counter -e mem-fill,access,stall samples "
               "all three where there are hardware counters (misstop doctor tells); --sim counts "
               "them in a program that it starts.";
    return "No event that counts misses is sampled: -e mem-fill adds one to those of -e.";
}

static const char *want_accesses(const struct snapshot *snapshot)
{
    if (is(snapshot, "clock"))
        return "A timer counts no accesses. -s counter -e mem-fill,access,stall samples all three "
               "where there are hardware counters (misstop doctor tells); --sim -e mem-fill,access "
               "counts them in a program that it starts.";
    if (is(snapshot, "pebs"))
        return "Only slow loads are sampled: -e ldlat=3 samples all loads.";
    if (is(snapshot, "ibs"))
        return "A filter leaves the hits out: without -e ldlat and l3missonly all accesses are "
               "sampled.";
    return "No event that counts accesses is sampled: -e mem-fill,access samples both.";
}

static const char *want_waiting(const struct snapshot *snapshot)
{
    if (is(snapshot, "sim"))
        return "A simulated cache counts misses and has no time: attach to the running program for "
               "that.";
    if (is(snapshot, "counter"))
        return "No event that counts stalls is sampled: -e mem-fill,stall samples both.";
    return "This source tells neither stalls nor latencies: -s clock weighs the time spent at "
           "accesses.";
}

const char *measure_wanting(const struct snapshot *snapshot, enum snapshot_measure measure)
{
    if (!snapshot->source.live)
        return "The recording holds no event that tells it; misstop -o records all events of -e.";
    return measure == MEASURE_ACCESSES  ? want_accesses(snapshot)
           : measure == MEASURE_WAITING ? want_waiting(snapshot)
                                        : want_misses(snapshot);
}
