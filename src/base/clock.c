/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/clock.h"

#include <cpuid.h>
#include <time.h>
#include <x86intrin.h>

uint64_t clock_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * CLOCK_NS_PER_S + (uint64_t)now.tv_nsec;
}

uint64_t clock_thread_cpu_ns(void)
{
    struct timespec used = {0};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return (uint64_t)used.tv_sec * CLOCK_NS_PER_S + (uint64_t)used.tv_nsec;
}

enum { TRIES = 5 };

#define FIRST_NS (CLOCK_NS_PER_S / 1000)
#define BASE_NS  CLOCK_NS_PER_S

static bool tsc_is_invariant(void)
{
    unsigned a;
    unsigned b;
    unsigned c;
    unsigned d;
    return __get_cpuid(0x80000007, &a, &b, &c, &d) && d & 1u << 8;
}

/* Takes the closest of several pairs: an interrupt between the two readings distorts a pair. */
static struct stamp_clock_pair read_clock_pair(bool is_tsc)
{
    struct stamp_clock_pair pair = {0};
    uint64_t closest = UINT64_MAX;
    for (int i = 0; is_tsc && i < TRIES; i++) {
        uint64_t before = __rdtsc();
        uint64_t ns = clock_now_ns();
        uint64_t ticks = __rdtsc() - before;
        if (ticks < closest) {
            closest = ticks;
            pair = (struct stamp_clock_pair){before + ticks / 2, ns};
        }
    }
    if (!is_tsc)
        pair.stamp = pair.ns = clock_now_ns();
    return pair;
}

static void measure_rate(struct stamp_clock *clock)
{
    uint64_t ticks = clock->latest.stamp - clock->base.stamp;
    uint64_t ns = clock->latest.ns - clock->base.ns;
    if (ticks && ns)
        clock->ns_per_tick = clock->is_tsc ? (double)ns / (double)ticks : 1;
}

void stamp_clock_init(struct stamp_clock *clock)
{
    *clock = (struct stamp_clock){.is_tsc = tsc_is_invariant(), .ns_per_tick = 1};
    clock->base = clock->next_base = clock->latest = read_clock_pair(clock->is_tsc);
    while (clock->latest.ns - clock->base.ns < FIRST_NS)
        clock->latest = read_clock_pair(clock->is_tsc);
    measure_rate(clock);
}

void stamp_clock_update(struct stamp_clock *clock)
{
    clock->latest = read_clock_pair(clock->is_tsc);
    measure_rate(clock);
    if (clock->latest.ns - clock->next_base.ns > BASE_NS) {
        clock->base = clock->next_base;
        clock->next_base = clock->latest;
    }
}

static uint64_t shift_saturating(uint64_t origin, double distance)
{
    const double farthest = 9e18;
    if (distance > farthest)
        return UINT64_MAX;
    if (distance < -farthest)
        return 0;
    int64_t whole = (int64_t)distance;
    uint64_t moved = origin + (uint64_t)whole;
    if (whole < 0)
        return moved > origin ? 0 : moved;
    return moved < origin ? UINT64_MAX : moved;
}

uint64_t stamp_clock_ns(const struct stamp_clock *clock, uint64_t stamp)
{
    if (!clock->is_tsc)
        return stamp;
    int64_t ticks = (int64_t)(stamp - clock->latest.stamp);
    return shift_saturating(clock->latest.ns, (double)ticks * clock->ns_per_tick);
}

uint64_t stamp_clock_stamp(const struct stamp_clock *clock, uint64_t ns)
{
    if (!clock->is_tsc || ns == UINT64_MAX)
        return ns;
    int64_t distance = (int64_t)(ns - clock->latest.ns);
    return shift_saturating(clock->latest.stamp, (double)distance / clock->ns_per_tick);
}
