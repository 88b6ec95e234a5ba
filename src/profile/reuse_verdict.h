/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Why an object's lines are missed on, as far as watchpoints tell. Pure; for snapshot_watch.c.
 *
 * Lines that came into a cache between two touches of a line are at most the misses in between, so
 * fewer misses than the cache has lines cannot have filled it: what is missed on all the same lost
 * its place in a set, or to another core (conflict). Where misses are not counted, time bounds
 * them: a core does not fetch lines faster than about one in REUSE_FASTEST_NS, and in the part of the
 * time that the object takes it fetches no more lines than the object has. The other way round, a
 * cache that could be filled at a modest REUSE_SLOWEST_NS a line is taken to have been.
 *
 * A line that was not touched while it was watched may be touched later. Where most are not, the
 * cache was filled in the meantime either way. That they do not return is said of what is read in
 * order, and where next to none was touched.
 */
#ifndef MISSTOP_PROFILE_REUSE_VERDICT_H
#define MISSTOP_PROFILE_REUSE_VERDICT_H

#include "profile/spread.h"
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
    enum spread_order order;
    double object_lines; /* of the object, those of its accesses; NAN: not known */
    double elsewhere;    /* part of the time at accesses to other data; NAN: not known */
    double last_lines;   /* of the last level; 0: not known */
};

/* Whether a part of lines touched again is sure enough for a verdict. */
bool reuse_decided(struct snapshot_share again);

enum watch_verdict reuse_verdict(const struct snapshot_watch_object *object,
                                 const struct reuse_question *question);

#endif
