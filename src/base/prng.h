/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pseudo-random numbers for jitter and reservoirs: SplitMix64. Not for secrets. */
#ifndef MISSTOP_BASE_PRNG_H
#define MISSTOP_BASE_PRNG_H

#include "base/hash.h"

#include <stdint.h>

struct prng {
    uint64_t state; /* the seed; any value */
};

static inline uint64_t prng_next(struct prng *prng)
{
    return hash_mix(prng->state += 0x9e3779b97f4a7c15u);
}

/* 0 .. bound-1, bound > 0 (Lemire's multiplication; bias below 2^-32 for 32-bit bounds). */
static inline uint64_t prng_below(struct prng *prng, uint32_t bound)
{
    return ((prng_next(prng) >> 32) * bound) >> 32;
}

#endif
