/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Why an object's lines are missed on, as far as watchpoints tell. Pure; for snapshot_watch.c.
 *
 * Lines that came into a cache between two touches of a line are at most the misses in between, so
 * fewer misses than the cache has lines cannot have filled it: what is missed on all the same lost
 * its place in a set, or to another core (conflict). Where misses are not counted, time bounds
 * them: a core does not fetch lines faster than about one in REUSE_FASTEST_NS. The other way round,
 * a cache that could be filled at a modest REUSE_SLOWEST_NS a line is taken to have been, and in
 * between other evidence is asked for: lines that crowd in few sets.
 */
#ifndef MISSTOP_PROFILE_REUSE_VERDICT_H
#define MISSTOP_PROFILE_REUSE_VERDICT_H

#include "snapshot_watch.h"

#include <stdbool.h>
#include <stdint.h>

enum { REUSE_LEAST = 8, REUSE_MANY = 32, REUSE_FASTEST_NS = 3, REUSE_SLOWEST_NS = 10 };

extern const double reuse_long_s; /* not touched again for so long: streaming */

struct reuse_question {
    bool counts_misses; /* samples are misses of the cache below, else of time */
    double period;      /* misses that a sample stands for */
    uint64_t lines;     /* of that cache; 0: not known */
    const char *level;  /* "L2" */
    bool crowded_sets;  /* sampled lines crowd in a few sets */
};

/* Whether a part of lines touched again is sure enough for a verdict. */
bool reuse_decided(struct snapshot_share again);

enum watch_verdict reuse_verdict(const struct snapshot_watch_object *object,
                                 const struct reuse_question *question);

#endif
