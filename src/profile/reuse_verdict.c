/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/reuse_verdict.h"

#include <math.h>

/* Watches that decide where the order is not known: it often is, a little later. */
enum { LEAST_UNORDERED = 32 };

static const double half = 0.5;
const double reuse_long_s = 0.05; /* any cache is filled meanwhile */
static const double some = 0.25;  /* of lines touched again: their times speak for the object */
static const double few = 0.02;   /* of lines touched again in reuse_long_s: they do not return */
static const double next_to_none = 0.002;
static const double no_cache_holds = 2; /* times its lines: read in order, none stays */

const char *watch_verdict_name(enum watch_verdict verdict)
{
    static const char *const names[] = {"too-few",  "streaming", "capacity",
                                        "conflict", "cached",    "reused"};
    return (unsigned)verdict < sizeof names / sizeof *names ? names[verdict] : "too-few";
}

/* Lines that were fetched at most from touch to touch, where misses are not counted. */
static double fetched_most(const struct snapshot_watch_object *object,
                           const struct reuse_question *question)
{
    double by_time = object->reuse_s.high * 1e9 / REUSE_FASTEST_NS;
    double by_object = question->object_lines + question->elsewhere * by_time;
    return isnan(by_object) ? by_time : fmin(by_time, by_object);
}

/* Whether the cache cannot have been filled in between; NAN compares as false. */
static bool too_soon(const struct snapshot_watch_object *object,
                     const struct reuse_question *question)
{
    double lines = (double)question->lines;
    /* Fewer than a sample stands for cannot be told from none. */
    return fetched_most(object, question) < lines ||
           (question->counts_misses && object->misses.high + question->period < lines);
}

static bool late(const struct snapshot_watch_object *object, const struct reuse_question *question)
{
    double lines = (double)question->lines;
    double filled = object->reuse_s.low * 1e9 / REUSE_SLOWEST_NS;
    return question->counts_misses ? object->misses.low >= lines : filled >= lines;
}

static bool is_in_order(enum spread_order order)
{
    return order == SPREAD_FORWARD || order == SPREAD_BACKWARD;
}

bool reuse_decided(struct snapshot_share again)
{
    return again.high < half || again.low >= some;
}

/* Most lines were not touched again while they were watched. */
static enum watch_verdict not_again(const struct snapshot_watch_object *object,
                                    const struct reuse_question *question)
{
    if (object->again_s < reuse_long_s)
        return WATCH_TOO_FEW;
    if (is_in_order(question->order) || object->returns.high < few)
        return WATCH_STREAMING;
    return object->returns.low > next_to_none ? WATCH_CAPACITY : WATCH_TOO_FEW;
}

enum watch_verdict reuse_verdict(const struct snapshot_watch_object *object,
                                 const struct reuse_question *question)
{
    const struct snapshot_share *again = &object->again;
    if (object->watched < REUSE_LEAST || isnan(again->value))
        return WATCH_TOO_FEW;
    if (is_in_order(question->order) && question->last_lines > 0 && !too_soon(object, question) &&
        question->object_lines > no_cache_holds * question->last_lines)
        return WATCH_STREAMING;
    if (!reuse_decided(*again) ||
        (question->order == SPREAD_UNKNOWN && object->watched < LEAST_UNORDERED))
        return WATCH_TOO_FEW;
    if (again->high < half)
        return not_again(object, question);
    if (!question->lines)
        return WATCH_REUSED;
    if (too_soon(object, question))
        return question->counts_misses || question->crowded_sets ? WATCH_CONFLICT : WATCH_CACHED;
    if (late(object, question))
        return WATCH_CAPACITY;
    return question->crowded_sets ? WATCH_CONFLICT : WATCH_REUSED;
}
