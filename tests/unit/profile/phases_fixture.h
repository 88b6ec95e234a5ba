/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Synthetic streams of misses for the phase detector: the objects on which a program misses, step
 * by step. */
#ifndef MISSTOP_UNIT_PROFILE_PHASES_FIXTURE_H
#define MISSTOP_UNIT_PROFILE_PHASES_FIXTURE_H

#include "base/hash.h"
#include "profile/time/phases.h"

enum {
    PLANTED_STEP_NS = 250000000,
    PLANTED_SAMPLES = 500, /* per step, at 2,000 per second */
    PLANTED_OBJECTS = 8
};

/* The shares of a program's misses in one step; they add up to 1. */
struct planted_mix {
    double share[PLANTED_OBJECTS];
};

extern const struct planted_mix planted_even;
extern const struct planted_mix planted_other;
extern const struct planted_mix planted_third;

struct planted_run {
    struct phases phases;
    struct prng prng;
    uint64_t now_ns;
    unsigned burst; /* consecutive samples on the same object, as real misses have */
    unsigned found; /* changes reported */
};

void planted_begin(struct planted_run *run, uint64_t seed, unsigned burst);

/* Returns a random number from 0 to 1. */
double planted_uniform(struct planted_run *run);

/* Returns true if a change was reported. */
bool planted_step(struct planted_run *run, const struct planted_mix *mix, unsigned samples);
void planted_steps(struct planted_run *run, const struct planted_mix *mix, unsigned count);

/* Mixes `part` of the second with the rest of the first. */
struct planted_mix planted_between(const struct planted_mix *first,
                                   const struct planted_mix *second, double part);

#endif
