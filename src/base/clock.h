/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The only place that reads the time; all other code gets a time in ns as an argument. */
#ifndef MISSTOP_BASE_CLOCK_H
#define MISSTOP_BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#define CLOCK_NS_PER_S UINT64_C(1000000000)

/* Returns CLOCK_MONOTONIC, the clock that samples are stamped with. */
uint64_t clock_now_ns(void);

/* Returns the CPU time of the calling thread; 0: not known. */
uint64_t clock_thread_cpu_ns(void);

/*
 * Converts time stamps of the target to CLOCK_MONOTONIC. The stamps are the time stamp counter if
 * it runs at one rate on all CPUs (CPUID reports "invariant"). Its rate is measured against the
 * clock at every read, over the last one to two seconds.
 */
struct stamp_clock_pair {
    uint64_t stamp;
    uint64_t ns;
};

struct stamp_clock {
    bool is_tsc; /* false: stamps are CLOCK_MONOTONIC already */
    double ns_per_tick;
    struct stamp_clock_pair latest;
    struct stamp_clock_pair base; /* 1 to 2 s older */
    struct stamp_clock_pair next_base;
};

/* Takes about a millisecond to get a first estimate of the rate. */
void stamp_clock_init(struct stamp_clock *clock);

/* Updates the rate; `latest` becomes now. */
void stamp_clock_update(struct stamp_clock *clock);

/* Convert a stamp to ns and back. Both saturate because stamps are untrusted. */
uint64_t stamp_clock_ns(const struct stamp_clock *clock, uint64_t stamp);
uint64_t stamp_clock_stamp(const struct stamp_clock *clock, uint64_t ns);

#endif
