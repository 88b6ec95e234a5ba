/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * counter: any miss event of the CPU by overflow, with user registers (PMPT's method on
 * today's kernels). Software events with an address, such as page-faults, work as well.
 */
#include "sample/source.h"

#include <stdio.h>

enum { COUNTER_FIRST_PERIOD = 10007, COUNTER_FIRST_PERIOD_CLOCK_NS = 500009 };

static bool is_clock(const struct event *event)
{
    return event_is_software(event) && event->role == EVENT_STALL;
}

static void counter_describe(struct source_plan *plan)
{
    static const char *const words[] = {
        [EVENT_MISS_L1] = "L1 data cache misses", [EVENT_MISS_L2] = "L2 cache misses",
        [EVENT_MEM_FILL] = "fills from memory",   [EVENT_STALL] = "cycles at the access",
        [EVENT_ACCESS] = "memory accesses",
    };
    const struct event *event = &plan->events[0];
    const char *what = is_clock(event)              ? "time stalled at the access"
                       : event->role == EVENT_OTHER ? event->name
                                                    : words[event->role];
    snprintf(plan->weighs, sizeof plan->weighs, "%s", what);
}

static int counter_plan(struct source_plan *plan, const char *list, const struct kernel *kernel,
                        struct error *error)
{
    /* The deepest miss event that there is ranks; the rest fills the level and rate columns. */
    int code =
        source_plan_list(plan, list ? list : "mem-fill,l2-miss,l1-miss,stall", kernel, error);
    if (code)
        return code;
    plan->first_optional = !list;
    /* Page faults and their like are rare: every one, until the rate says otherwise. */
    plan->first_period = is_clock(&plan->events[0])            ? COUNTER_FIRST_PERIOD_CLOCK_NS
                         : event_is_software(&plan->events[0]) ? 1
                                                               : COUNTER_FIRST_PERIOD;
    counter_describe(plan);
    return 0;
}

static void counter_attribute(const struct source_plan *plan, const struct event *event,
                              struct perf_event_attr *attr)
{
    (void)plan;
    (void)event;
    (void)attr;
}

const struct source source_counter = {
    .name = "counter",
    .plan = counter_plan,
    .attribute = counter_attribute,
    .describe = counter_describe,
    .enable = "needs a PMU: on a cloud VM choose a type that exposes it (often the metal and "
              "the largest ones); in QEMU -cpu host,pmu=on",
};
