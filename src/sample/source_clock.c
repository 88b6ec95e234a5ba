/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * clock: a timer of the thread's CPU time, with registers. Needs no PMU, so it works in any
 * virtual machine. It weighs time, not misses.
 */
#include "sample/source.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { CLOCK_FIRST_PERIOD_NS = 500009 };

static int clock_plan(struct source_plan *plan, const char *list, const struct kernel *kernel,
                      struct error *error)
{
    int code = source_plan_list(plan, list ? list : "cpu-clock,task-clock", kernel, error);
    if (code)
        return code;
    if (plan->events[0].role != EVENT_STALL || !event_is_software(&plan->events[0]))
        return error_set(error, -EINVAL,
                         "-e %s: the clock source counts cpu-clock or task-clock only; "
                         "take -s counter for other events",
                         plan->events[0].name);
    plan->first_period = CLOCK_FIRST_PERIOD_NS;
    plan->first_optional = !list;
    return 0;
}

/* One clock is enough: task-clock only where cpu-clock did not open. */
static void clock_settle(struct source_plan *plan)
{
    if (plan->first_optional)
        plan->count = 1;
}

static void clock_attribute(const struct source_plan *plan, const struct event *event,
                            struct perf_event_attr *attr)
{
    (void)plan;
    (void)event;
    (void)attr;
}

const struct source source_clock = {
    .name = "clock",
    .plan = clock_plan,
    .attribute = clock_attribute,
    .settle = clock_settle,
    .enable = "needs only perf_event_paranoid 2 or less",
};
