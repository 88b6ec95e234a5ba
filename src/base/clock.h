/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The one place that reads the time; everything else is handed a time in ns. */
#ifndef MISSTOP_BASE_CLOCK_H
#define MISSTOP_BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#define CLOCK_NS_PER_S UINT64_C(1000000000)

/* CLOCK_MONOTONIC, the clock that samples are stamped with. */
uint64_t clock_now_ns(void);

/*
 * Time stamps of the target as CLOCK_MONOTONIC time. They are the processor's time stamp counter
 * where that runs at one rate on all CPUs (CPUID says "invariant"); its rate is measured against
 * the clock at every read, over the last one to two seconds. For the readers of memory shared with
 * the target (resolve/heap/feed.c, sample/simulated/sim_session.c).
 */
struct stamp_clock_pair {
    uint64_t stamp;
    uint64_t ns;
};

struct stamp_clock {
    bool is_tsc; /* false: stamps are CLOCK_MONOTONIC already */
    double ns_per_tick;
    struct stamp_clock_pair latest;
    struct stamp_clock_pair base; /* 1 to 2 s before */
    struct stamp_clock_pair next_base;
};

/* Takes about a millisecond, for a first idea of the rate. */
void stamp_clock_init(struct stamp_clock *clock);

/* Keeps the rate up to date; latest is now. */
void stamp_clock_update(struct stamp_clock *clock);

/* Both saturate: stamps are hostile. */
uint64_t stamp_clock_ns(const struct stamp_clock *clock, uint64_t stamp);
uint64_t stamp_clock_stamp(const struct stamp_clock *clock, uint64_t ns);

#endif
