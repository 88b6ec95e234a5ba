/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/causes_words.h"

#include <math.h>
#include <stdio.h>

enum { SAMPLES_LEAST = 20 };
static const double itself_leads = 0.5;

const char *causes_name(enum miss_cause cause)
{
    static const char *const names[CAUSE_COUNT] = {
        [CAUSE_NOT_TOLD] = "not-told",
        [CAUSE_UNKNOWN] = "unknown",
        [CAUSE_FIRST] = "first",
        [CAUSE_FIRST_HERE] = "first-by-thread",
        [CAUSE_INVALIDATED_TRUE] = "true-sharing",
        [CAUSE_INVALIDATED_FALSE] = "false-sharing",
        [CAUSE_INCLUSION] = "inclusion",
        [CAUSE_CONFLICT] = "conflict",
        [CAUSE_CAPACITY] = "capacity",
    };
    return cause < CAUSE_COUNT ? names[cause] : "unknown";
}

double causes_first(const double share[CAUSE_COUNT])
{
    return share[CAUSE_FIRST] + share[CAUSE_FIRST_HERE];
}

double causes_invalidated(const double share[CAUSE_COUNT])
{
    return share[CAUSE_INVALIDATED_TRUE] + share[CAUSE_INVALIDATED_FALSE];
}

double causes_other(const double share[CAUSE_COUNT])
{
    return share[CAUSE_INCLUSION] + share[CAUSE_UNKNOWN];
}

void causes_summary(const struct snapshot *snapshot, char *out, size_t size)
{
    const double *share = snapshot->causes.share;
    const struct snapshot_source *source = &snapshot->source;
    const char *event = source->ranking < source->event_count && source->ranking < SAMPLE_EVENTS_MAX
                            ? source->events[source->ranking].name
                            : NULL;
    snprintf(out, size,
             "%s: %.1f%% first references, %.1f%% capacity, %.1f%% conflict, %.1f%% taken by "
             "another thread, %.1f%% other",
             event ? event : "misses", 100 * causes_first(share), 100 * share[CAUSE_CAPACITY],
             100 * share[CAUSE_CONFLICT], 100 * causes_invalidated(share),
             100 * causes_other(share));
}

/* ---- what to try ---- */

/* Whose accesses threw most of it out, of those that are no accesses to the object itself. */
static const char *rival(const struct snapshot_causes_object *object)
{
    for (size_t i = 0; i < object->evictor_count; i++)
        if (object->evictors[i].object && object->evictors[i].object_id != object->id)
            return object->evictors[i].object;
    return NULL;
}

static void advise_capacity(const struct snapshot_causes_object *object, char *out, size_t size)
{
    const char *other = rival(object);
    if (object->by_itself >= itself_leads)
        snprintf(out, size,
                 "It is larger than the cache, and mostly throws itself out before it is used "
                 "again. Work on it in blocks that fit, or make its elements smaller.");
    else if (other)
        snprintf(out, size,
                 "More passes through the cache than it holds before this is used again, of %s "
                 "most. Use this and that in smaller portions, or one after the other.",
                 other);
    else
        snprintf(out, size,
                 "More passes through the cache than it holds before this is used again. Work in "
                 "blocks that fit, or make the elements smaller.");
}

static void advise_conflict(const struct snapshot_causes_object *object, char *out, size_t size)
{
    const char *other = rival(object);
    if (object->by_itself >= itself_leads || !other)
        snprintf(out, size,
                 "The cache has room for it, but its lines crowd in few sets. Pad its rows or "
                 "change its stride, so that they spread over all sets: Sets (3) shows which.");
    else
        snprintf(out, size,
                 "The cache has room for it, but lines of %s fall into the same sets. Move one of "
                 "the two by some lines, or pad its rows: Sets (3) shows which.",
                 other);
}

static void advise_first(char *out, size_t size)
{
    snprintf(out, size,
             "Its lines are touched for the first time: no larger cache would help. Touch fewer "
             "lines, use memory again instead of fresh, or fetch ahead.");
}

static void advise_invalidated(const struct snapshot_causes_object *object, char *out, size_t size)
{
    bool apart = object->share[CAUSE_INVALIDATED_FALSE] > object->share[CAUSE_INVALIDATED_TRUE];
    snprintf(out, size, "%s",
             apart ? "Other threads write to other bytes of the same lines. Give each thread lines "
                     "of its own: Sharing (9) shows which."
                   : "Other threads write what is read here. Let them write less often, or each "
                     "keep a copy and join these later.");
}

void causes_advice(const struct snapshot_causes_object *object, char *out, size_t size)
{
    const double *share = object->share;
    double first = causes_first(share);
    double taken = causes_invalidated(share);
    double most = fmax(fmax(first, taken), fmax(share[CAUSE_CAPACITY], share[CAUSE_CONFLICT]));
    if (object->samples < SAMPLES_LEAST)
        snprintf(out, size, "Too few misses so far to say what to try.");
    else if (causes_other(share) > most)
        snprintf(out, size, "%s",
                 share[CAUSE_INCLUSION] > share[CAUSE_UNKNOWN]
                     ? "The larger cache below threw its lines out, and this one with it: look at "
                       "the event of that level (e)."
                     : "The tables of the simulation had no room to tell why.");
    else if (most == first)
        advise_first(out, size);
    else if (most == taken)
        advise_invalidated(object, out, size);
    else if (most == share[CAUSE_CAPACITY])
        advise_capacity(object, out, size);
    else
        advise_conflict(object, out, size);
}
