/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample/watch_budget.h"

#include "base/clock.h"

#include <math.h>

/* What may be saved up: a target that wakes up is not to be hit with all it did not use. */
static const double saved_s = 0.5;

void watch_budget_init(struct watch_budget *budget, double part)
{
    *budget = (struct watch_budget){.part = part};
}

void watch_budget_refill(struct watch_budget *budget, uint64_t cpu_ns, uint64_t wall_ns)
{
    double used = cpu_ns > budget->cpu_ns ? (double)(cpu_ns - budget->cpu_ns) : 0;
    double passed = wall_ns > budget->wall_ns ? (double)(wall_ns - budget->wall_ns) : 0;
    double most = budget->part * saved_s * CLOCK_NS_PER_S;
    budget->cpu_ns = cpu_ns;
    budget->wall_ns = wall_ns;
    if (!budget->started) {
        budget->started = true;
        return;
    }
    used = fmin(used, passed);
    budget->granted_ns += used;
    budget->tokens_ns = fmin(budget->tokens_ns + used * budget->part, most);
}

bool watch_budget_allows(const struct watch_budget *budget, double cost_ns)
{
    return budget->tokens_ns >= cost_ns;
}

void watch_budget_spend(struct watch_budget *budget, double cost_ns)
{
    budget->tokens_ns -= cost_ns;
    budget->spent_ns += cost_ns;
}

double watch_budget_share(const struct watch_budget *budget)
{
    return budget->granted_ns > 0 ? budget->spent_ns / budget->granted_ns : NAN;
}
