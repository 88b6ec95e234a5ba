/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/reuse_verdict.h"

#include <math.h>

static const double half = 0.5;
const double reuse_long_s = 0.05; /* any cache is filled meanwhile */
static const double some = 0.25;  /* of lines touched again: their times speak for the object */

const char *watch_verdict_name(enum watch_verdict verdict)
{
    static const char *const names[] = {"too-few",  "streaming", "capacity",
                                        "conflict", "cached",    "reused"};
    return (unsigned)verdict < sizeof names / sizeof *names ? names[verdict] : "too-few";
}

/* Whether the cache cannot have been filled in between; NAN compares as false. */
static bool too_soon(const struct snapshot_watch_object *object,
                     const struct reuse_question *question)
{
    double lines = (double)question->lines;
    double fetched = object->reuse_s.high * 1e9 / REUSE_FASTEST_NS;
    /* Fewer than a sample stands for cannot be told from none. */
    return fetched < lines ||
           (question->counts_misses && object->misses.high + question->period < lines);
}

static bool late(const struct snapshot_watch_object *object, const struct reuse_question *question)
{
    double lines = (double)question->lines;
    double filled = object->reuse_s.low * 1e9 / REUSE_SLOWEST_NS;
    return question->counts_misses ? object->misses.low >= lines : filled >= lines;
}

bool reuse_decided(struct snapshot_share again)
{
    return again.high < half || again.low >= some;
}

enum watch_verdict reuse_verdict(const struct snapshot_watch_object *object,
                                 const struct reuse_question *question)
{
    const struct snapshot_share *again = &object->again;
    if (object->watched < REUSE_LEAST || isnan(again->value))
        return WATCH_TOO_FEW;
    if (!reuse_decided(*again))
        return WATCH_TOO_FEW;
    if (again->high < half)
        return object->again_s >= reuse_long_s ? WATCH_STREAMING : WATCH_TOO_FEW;
    if (!question->lines)
        return WATCH_REUSED;
    if (late(object, question))
        return WATCH_CAPACITY;
    if (question->crowded_sets)
        return WATCH_CONFLICT;
    if (too_soon(object, question))
        return question->counts_misses ? WATCH_CONFLICT : WATCH_CACHED;
    return WATCH_REUSED;
}
