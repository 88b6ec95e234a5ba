/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What watchpoints may cost the target: a token bucket that fills with a part of the CPU time the
 * target uses, and that every trap and every arming is paid from. Owned by watch.c.
 */
#ifndef MISSTOP_SAMPLE_WATCH_BUDGET_H
#define MISSTOP_SAMPLE_WATCH_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

struct watch_budget {
    double part;       /* of the target's CPU time, 0..1 */
    double tokens_ns;  /* may be spent now; negative: overdrawn, to be waited for */
    uint64_t cpu_ns;   /* as told last */
    uint64_t wall_ns;  /* likewise */
    double spent_ns;   /* since the start */
    double granted_ns; /* CPU time that counted since the start */
    bool started;
};

void watch_budget_init(struct watch_budget *budget, double part);

/*
 * CPU time that the target has used up to a moment of CLOCK_MONOTONIC. Counts for no more than one
 * CPU, so that a target of many threads does not keep misstop itself busy arming.
 */
void watch_budget_refill(struct watch_budget *budget, uint64_t cpu_ns, uint64_t wall_ns);

bool watch_budget_allows(const struct watch_budget *budget, double cost_ns);
void watch_budget_spend(struct watch_budget *budget, double cost_ns);

/* Spent, as a part of the CPU time that counted; NAN: none yet. */
double watch_budget_share(const struct watch_budget *budget);

#endif
