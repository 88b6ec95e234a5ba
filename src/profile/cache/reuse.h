/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reuse of watched lines: the last legs and visits of watches (include/snapshot_watch.h), each
 * with the misses that came in between. Bounded: the oldest are forgotten. Owned by profile.c, and
 * only there with --watch; read by watch.c.
 *
 * A leg begins at an access at `origin`, is blind until `armed`, and ends at the next touch. The
 * time from a touch of the line to the next one is then between end - armed and end - origin. If
 * it was blind for longer than the wait that followed, it was most likely armed anywhere between
 * two touches: twice the wait estimates the time (the wait from a random moment is half of it, on
 * average; Cox, Renewal Theory, 1962, ch. 5). If it was blind for less, no touch was missed: the
 * whole.
 */
#ifndef MISSTOP_PROFILE_CACHE_REUSE_H
#define MISSTOP_PROFILE_CACHE_REUSE_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/cache/spread.h"
#include "snapshot_watch.h"

enum { REUSE_LEGS = 1 << 13, REUSE_MISSES = 1 << 16, REUSE_ORDERS = 64 };

struct reuse_leg {
    uint32_t object;
    uint32_t function;    /* that touched */
    uint64_t ip;          /* within the instruction that touched */
    uint8_t kind;         /* enum watch_kind */
    bool happened;        /* touched; of a visit: the other word was, too */
    bool elsewhere;       /* touched by another thread */
    double seconds;       /* from touch to touch, or as long as it was waited for */
    double misses;        /* weight of the ranking event in between, all threads; NAN: forgotten */
    double thread_misses; /* of the thread that the leg began with */
    double waited_s;      /* since it was armed; time known not to have run is left out of both */
};

struct reuse_miss {
    uint64_t time_ns;
    double before; /* sum of weights up to here */
    float weight;
    uint32_t tid;
};

struct reuse {
    struct reuse_leg *legs;    /* [REUSE_LEGS], a ring */
    uint64_t leg_count;        /* ever */
    struct reuse_miss *misses; /* [REUSE_MISSES], likewise, in time order */
    uint64_t miss_count;
    double sum;
    struct {
        uint32_t object;
        enum spread_order order;
    } orders[REUSE_ORDERS]; /* by object id */
    uint64_t began_ns;      /* first sample or result since all was forgotten; 0: none */
    uint64_t now_ns;        /* the newest */
};

/* 0 or -ENOMEM. */
int reuse_init(struct reuse *reuse);
void reuse_fini(struct reuse *reuse);
void reuse_clear(struct reuse *reuse);

/* A sample of the ranking event; times never go back. */
void reuse_count(struct reuse *reuse, uint64_t time_ns, uint32_t tid, double weight);

/*
 * A result; samples up to its end were counted. `function` and `ip` are of the touch. One that was
 * dropped says nothing and is left out.
 */
void reuse_add(struct reuse *reuse, const struct watch_result *result, uint32_t function,
               uint64_t ip);

/* The order of the object's accesses as far as it is known now, or was known last. */
enum spread_order reuse_order(struct reuse *reuse, uint32_t object, enum spread_order now);

/* Estimated time from touch to touch, see above; any unit. */
double reuse_between(double blind, double waited);

/*
 * Why an object's lines are missed, as far as watchpoints show. Pure; for watch.c.
 *
 * Lines fetched between two touches of a line are at most the misses in between, so fewer misses
 * than the cache has lines cannot have filled it: a line that is missed all the same lost its
 * place in a set, or to another core (conflict). Where misses are not counted, time bounds them: a
 * core fetches no more than about one line in REUSE_FASTEST_NS, and in the object's part of the
 * time no more lines than the object has. Conversely, a cache that could be filled at a modest
 * REUSE_SLOWEST_NS a line is assumed to be filled.
 *
 * A line that was not touched while it was watched may be touched later. Where most are not, the
 * cache was filled in the meantime either way. The verdict "not reused" needs accesses in order,
 * and next to no touched line.
 */
enum { REUSE_LEAST = 8, REUSE_MANY = 32, REUSE_FASTEST_NS = 3, REUSE_SLOWEST_NS = 10 };

extern const double reuse_long_s; /* not touched again for so long: streaming */

struct reuse_question {
    bool counts_misses; /* samples are misses of the cache below, else of time */
    double period;      /* misses that a sample represents */
    uint64_t lines;     /* of that cache; 0: not known */
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
