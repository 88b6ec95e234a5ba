/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * counter: any miss event of the CPU by overflow, with user registers (PMPT's method on
 * today's kernels). Software events with an address, such as page-faults, work as well.
 */
#include "sample/source.h"

#include <stdio.h>
#include <string.h>

enum { COUNTER_FIRST_PERIOD = 10007, COUNTER_FIRST_PERIOD_CLOCK_NS = 500009 };

static bool is_clock(const struct event *event)
{
    return event_is_software(event) && event->role == EVENT_STALL;
}

/* The deepest miss event that there is ranks; the rest fills the level and rate columns. What
 * this CPU has no event for is left out. */
static void choose_events(char *list, size_t list_size, const struct kernel *kernel)
{
    static const char *const wanted[] = {"mem-fill", "l2-miss", "l1-miss", "stall"};
    size_t used = 0;
    *list = '\0';
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        struct event event;
        if (!event_encode(&event, wanted[i], strlen(wanted[i]), 0, kernel, NULL))
            used +=
                (size_t)snprintf(list + used, list_size - used, "%s%s", used ? "," : "", wanted[i]);
    }
}

static int counter_plan(struct source_plan *plan, const char *list, const struct kernel *kernel,
                        struct error *error)
{
    char chosen[64];
    choose_events(chosen, sizeof chosen, kernel);
    /* None at all: the first says why. */
    int code = source_plan_list(plan, list ? list : *chosen ? chosen : "mem-fill", kernel, error);
    if (code)
        return code;
    plan->first_optional = !list;
    /* Page faults and their like are rare: every one, until the rate says otherwise. */
    plan->first_period = is_clock(&plan->events[0])            ? COUNTER_FIRST_PERIOD_CLOCK_NS
                         : event_is_software(&plan->events[0]) ? 1
                                                               : COUNTER_FIRST_PERIOD;
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
    .enable = "needs a PMU: on a cloud VM choose a type that exposes it (often the metal and "
              "the largest ones); in QEMU -cpu host,pmu=on",
};
