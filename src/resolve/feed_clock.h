/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The agent's stamps as CLOCK_MONOTONIC time. Stamps are the processor's time stamp counter where
 * that runs at one rate on all CPUs (CPUID says "invariant"); its rate is measured against the
 * clock at every read, over the last one to two seconds. Used by feed.c only.
 */
#ifndef MISSTOP_RESOLVE_FEED_CLOCK_H
#define MISSTOP_RESOLVE_FEED_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct feed_clock_pair {
    uint64_t stamp;
    uint64_t ns;
};

struct feed_clock {
    bool is_tsc; /* false: stamps are CLOCK_MONOTONIC already */
    double ns_per_tick;
    struct feed_clock_pair latest;
    struct feed_clock_pair base; /* 1 to 2 s before */
    struct feed_clock_pair next_base;
};

/* Takes about a millisecond, for a first idea of the rate. */
void feed_clock_init(struct feed_clock *clock);

/* Keeps the rate up to date; latest is now. */
void feed_clock_update(struct feed_clock *clock);

/* Both saturate: stamps are hostile. */
uint64_t feed_clock_ns(const struct feed_clock *clock, uint64_t stamp);
uint64_t feed_clock_stamp(const struct feed_clock *clock, uint64_t ns);

#endif
