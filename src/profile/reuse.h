/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What became of watched lines: the last legs and visits of watches (include/snapshot_watch.h), each
 * with the misses that came in between. Bounded: the oldest are forgotten. Owned by profile.c, and
 * only there with --watch; read by snapshot_watch.c.
 *
 * A leg begins at an access at `origin`, is blind until `armed`, and ends at the next touch. The
 * time from a touch of the line to the next one then lies between end - armed and end - origin.
 * Blind for longer than the wait that followed, it was most likely armed anywhere between two
 * touches: twice the wait stands for the time (the wait from a random moment is half of it, on
 * average; Cox, Renewal Theory, 1962, ch. 5). Blind for less, nothing was missed: the whole.
 */
#ifndef MISSTOP_PROFILE_REUSE_H
#define MISSTOP_PROFILE_REUSE_H

#include "profile/spread.h"
#include "snapshot_watch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
    uint64_t began_ns; /* first sample or result since all was forgotten; 0: none */
    uint64_t now_ns;   /* the newest */
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

/* What stands for a time from touch to touch, see above; any unit. */
double reuse_between(double blind, double waited);

#endif
