/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit/profile/phases_fixture.h"

#include <string.h>

#include "unit.h"

const struct planted_mix planted_even = {{0.3, 0.25, 0.2, 0.1, 0.05, 0.05, 0.03, 0.02}};
const struct planted_mix planted_other = {{0.05, 0.1, 0.6, 0.1, 0.05, 0.05, 0.03, 0.02}};
const struct planted_mix planted_third = {{0.1, 0.1, 0.05, 0.05, 0.05, 0.05, 0.3, 0.3}};

void planted_begin(struct planted_run *run, uint64_t seed, unsigned burst)
{
    *run = (struct planted_run){.prng = {seed}, .burst = burst};
    assert_int_equal(phases_init(&run->phases, 0), 0);
}

double planted_uniform(struct planted_run *run)
{
    return (double)prng_below(&run->prng, 1 << 30) / (1 << 30);
}

/* Draws samples on objects, independently or in bursts. */
static void draw(struct planted_run *run, const struct planted_mix *mix, unsigned samples,
                 double counts[PHASES_COLUMNS])
{
    memset(counts, 0, PHASES_COLUMNS * sizeof *counts);
    for (unsigned i = 0; i < samples; i += run->burst) {
        double at = planted_uniform(run);
        uint32_t object = 0;
        while (object < PLANTED_OBJECTS - 1 && (at -= mix->share[object]) >= 0)
            object++;
        counts[phases_column(object)] += run->burst;
    }
}

bool planted_step(struct planted_run *run, const struct planted_mix *mix, unsigned samples)
{
    double counts[PHASES_COLUMNS];
    draw(run, mix, samples, counts);
    bool reported = phases_add(&run->phases, counts, run->now_ns, run->now_ns + PLANTED_STEP_NS);
    run->found += reported;
    run->now_ns += PLANTED_STEP_NS;
    return reported;
}

void planted_steps(struct planted_run *run, const struct planted_mix *mix, unsigned count)
{
    while (count--)
        planted_step(run, mix, PLANTED_SAMPLES);
}

struct planted_mix planted_between(const struct planted_mix *first,
                                   const struct planted_mix *second, double part)
{
    struct planted_mix mix;
    for (unsigned i = 0; i < PLANTED_OBJECTS; i++)
        mix.share[i] = first->share[i] * (1 - part) + second->share[i] * part;
    return mix;
}
