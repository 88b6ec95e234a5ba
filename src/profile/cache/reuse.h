/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The newest legs and visits of watches (include/snapshot_watch.h), each with the misses between
 * its two touches. The number of legs is bounded; new ones overwrite the oldest.
 *
 * A leg begins at an access at `origin`, is blind until `armed`, and ends at the next touch. The
 * time from one touch of the line to the next is therefore between end - armed and end - origin. If
 * the leg was blind for longer than the wait that followed, it was most likely armed at a random
 * point between two touches, and twice the wait estimates the time (the wait from a random point is
 * half the time, on average; Cox, Renewal Theory, 1962, ch. 5). If it was blind for less, no touch
 * was missed, and the time is end - origin.
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
    uint32_t function;      /* function of the touch */
    uint64_t ip;            /* an address within the instruction of the touch */
    uint8_t kind;           /* enum watch_kind */
    bool was_touched;       /* touched; for a visit: so was the other word */
    bool by_another_thread; /* touched by another thread */
    double seconds;         /* time between touches, or the time waited */
    double misses;          /* weight of the ranking event between touches; NAN: no longer known */
    double thread_misses;   /* weight from the thread that started the leg */
    double waited_s; /* time since armed; excludes time known as not running, as `seconds` does */
};

struct reuse_miss {
    uint64_t time_ns;
    double before; /* sum of the weights before this miss */
    float weight;
    uint32_t tid;
};

struct reuse {
    struct reuse_leg *legs;    /* [REUSE_LEGS], ring buffer */
    uint64_t leg_count;        /* total number */
    struct reuse_miss *misses; /* [REUSE_MISSES], ring buffer in time order */
    uint64_t miss_count;
    double sum;
    struct {
        uint32_t object;
        enum spread_order order;
    } orders[REUSE_ORDERS]; /* by object id */
    uint64_t began_ns;      /* first sample or result since the last clear; 0: none */
    uint64_t now_ns;        /* time of the newest sample or result */
};

/* Initialises the tables. Returns 0 or -ENOMEM. */
int reuse_init(struct reuse *reuse);
void reuse_fini(struct reuse *reuse);
void reuse_clear(struct reuse *reuse);

/* Adds a sample of the ranking event; times never decrease. */
void reuse_count(struct reuse *reuse, uint64_t time_ns, uint32_t tid, double weight);

/* Adds a result; samples up to its end must have been counted. `function` and `ip` are those of the
 * touch. Ignores dropped watches. */
void reuse_add(struct reuse *reuse, const struct watch_result *result, uint32_t function,
               uint64_t ip);

/* Records the order if it is known now, and returns the last known order. */
enum spread_order reuse_order(struct reuse *reuse, uint32_t object, enum spread_order now);

/* Estimates the time between touches, as explained above. Works with any unit. */
double reuse_estimate(double blind, double waited);

/*
 * Derives from watchpoints why an object's lines miss. Pure functions; used by watch.c.
 *
 * The misses between two touches of a line are an upper bound of the lines fetched in between. If
 * they are fewer than the lines of the cache, they cannot have filled it: a line that misses all
 * the same was evicted by other lines of its set, or taken by another core (conflict). If misses
 * are not counted, time is the bound: a core fetches at most about one line per REUSE_FASTEST_NS,
 * and in the object's share of the time at most the lines of the object. Conversely, a cache that
 * could be filled at a modest rate of one line per REUSE_SLOWEST_NS is assumed to be filled.
 *
 * A line that was not touched while it was watched may be touched later. If most lines were not
 * touched, the cache was filled meanwhile in either case. The verdict "not reused" requires
 * accesses in order, or almost no line touched again.
 */
enum { REUSE_MIN = 8, REUSE_MANY = 32, REUSE_FASTEST_NS = 3, REUSE_SLOWEST_NS = 10 };

extern const double reuse_long_s; /* lines not touched again within this time are streaming */

struct reuse_question {
    bool counts_misses; /* samples are misses of the cache below; otherwise samples of time */
    double period;      /* misses that a sample represents */
    uint64_t lines;     /* lines of that cache; 0: not known */
    bool crowded_sets;  /* sampled lines are concentrated in a few sets */
    enum spread_order order;
    double object_lines;     /* lines of the object that are accessed; NAN: not known */
    double other_data_share; /* share of the time spent accessing other data; NAN: not known */
    double last_lines;       /* lines of the last level cache; 0: not known */
};

/* Returns true if the share of lines touched again is precise enough for a verdict. */
bool reuse_decided(struct snapshot_share again);

enum watch_verdict reuse_verdict(const struct snapshot_watch_object *object,
                                 const struct reuse_question *question);

#endif
