/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample/period.h"

#include <math.h>
#include <stdbool.h>

static bool is_prime(uint64_t value)
{
    if (value < 4)
        return value >= 2;
    if (value % 2 == 0)
        return false;
    /* Periods stay below 2^40: at most half a million divisions, once per refresh. */
    for (uint64_t divisor = 3; divisor * divisor <= value; divisor += 2)
        if (value % divisor == 0)
            return false;
    return true;
}

uint64_t period_prime(uint64_t value)
{
    while (!is_prime(value))
        value++;
    return value;
}

uint64_t period_jitter(uint64_t period, struct prng *prng)
{
    uint64_t spread = period / 5;
    uint32_t bound = spread > UINT32_MAX ? UINT32_MAX : (uint32_t)spread + 1;
    return period_prime(period - period / 10 + prng_below(prng, bound));
}

uint64_t period_jitter_step(uint64_t period, uint64_t step, struct prng *prng)
{
    return step * period_jitter(period / step, prng);
}

uint64_t period_steer(uint64_t period, double samples_per_s, double wanted_per_s, uint64_t low,
                      uint64_t high)
{
    /* The root damps: phases of the program would make the period swing. */
    double factor = samples_per_s > 0 ? sqrt(samples_per_s / wanted_per_s) : 0.5;
    factor = fmin(fmax(factor, 0.25), 4);
    double next = fmin(fmax((double)period * factor, (double)low), (double)high);
    return (uint64_t)next;
}
