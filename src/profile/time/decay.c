/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/time/decay.h"

#include <math.h>

/* Squares of the scale are stored too: 2^480 leaves headroom below a double's 2^1023. */
static const double exponent_limit = 240;

void decay_init(struct decay *decay, double half_life_s)
{
    bool fades = half_life_s > 0 && isfinite(half_life_s);
    *decay = (struct decay){.half_life_ns = fades ? half_life_s * 1e9 : 0, .scale = 1};
}

static double decay_exponent(const struct decay *decay)
{
    return (double)(decay->now_ns - decay->origin_ns) / decay->half_life_ns;
}

double decay_advance(struct decay *decay, uint64_t now_ns)
{
    if (!decay->started) {
        decay->started = true;
        decay->origin_ns = decay->now_ns = now_ns;
    }
    if (now_ns <= decay->now_ns)
        return decay->scale;
    decay->now_ns = now_ns;
    if (decay->half_life_ns > 0)
        decay->scale = exp2(fmin(decay_exponent(decay), 2 * exponent_limit));
    return decay->scale;
}

bool decay_renormalise(struct decay *decay, double *factor)
{
    if (decay->half_life_ns <= 0 || decay_exponent(decay) < exponent_limit)
        return false;
    *factor = exp2(-decay_exponent(decay)); /* 0 after a very long pause: everything has decayed */
    decay->origin_ns = decay->now_ns;
    decay->scale = 1;
    return true;
}

void counted_sum(void *into, const void *more, size_t bytes)
{
    struct counted *sums = into;
    const struct counted *counts = more;
    for (size_t i = 0; i < bytes / sizeof *sums; i++)
        counted_join(&sums[i], &counts[i]);
}

void counted_rescale(void *counts, size_t bytes, double factor)
{
    struct counted *counted = counts;
    for (size_t i = 0; i < bytes / sizeof *counted; i++)
        counted[i].at[BASIS_DECAYED] *= factor;
}

double decay_effective(double sum, double squares)
{
    return squares > 0 ? sum * sum / squares : 0;
}
