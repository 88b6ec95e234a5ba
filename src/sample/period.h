/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sampling periods: prime and jittered, so that they do not resonate with the program
 * (Buck and Hollingsworth 3.1: 50,000 erred by 14.6 points, the prime 50,111 by 0.3), and
 * steered to a wanted rate. Pure functions.
 */
#ifndef MISSTOP_SAMPLE_PERIOD_H
#define MISSTOP_SAMPLE_PERIOD_H

#include "base/prng.h"

#include <stdint.h>

/* The smallest prime >= value; at least 2. */
uint64_t period_prime(uint64_t value);

/* A prime within about 10 % of the period, drawn at random. */
uint64_t period_jitter(uint64_t period, struct prng *prng);

/* The same for hardware that counts in steps: `step` times a prime, at least one step. */
uint64_t period_jitter_step(uint64_t period, uint64_t step, struct prng *prng);

/*
 * The period that would have given `wanted` samples a second, from what `period` gave:
 * at most 4 times up or down at once, damped, within [low, high]. No samples: halved.
 */
uint64_t period_steer(uint64_t period, double samples_per_s, double wanted_per_s, uint64_t low,
                      uint64_t high);

#endif
