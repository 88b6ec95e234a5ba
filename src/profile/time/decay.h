/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The one rule by which weights fade: a weight added at time t counts 2^-((now-t)/half-life) at
 * `now`. Instead of shrinking all counts, new amounts grow: an amount added at t is stored as
 * amount * scale(t), scale growing as 2^(t/half-life), and read as stored / scale(now). Adding is
 * O(1) and fading touches no count. The scale is brought back to 1 before it leaves the range of a
 * double; then every table multiplies its counts by the factor returned (rescale). Only time
 * decides: a slow and a fast sampler fade alike. The clock is passed in.
 */
#ifndef MISSTOP_PROFILE_TIME_DECAY_H
#define MISSTOP_PROFILE_TIME_DECAY_H

#include <stdbool.h>
#include <stdint.h>

#include "snapshot.h"

struct decay {
    double half_life_ns; /* 0: nothing fades, and the scale is 1 for ever */
    uint64_t origin_ns;  /* when the scale was 1 */
    uint64_t now_ns;     /* of `scale`; never goes back */
    double scale;
    bool started;
};

/* A count under both bases, indexed by enum snapshot_basis. */
struct counted {
    double at[2];
};

void decay_init(struct decay *decay, double half_life_s);

/* Moves on to now_ns; an earlier time than the last one counts as the last one. */
double decay_advance(struct decay *decay, uint64_t now_ns);

/* Whether the scale has to be brought back; multiply every stored value by `factor`, values that
 * went with the scale squared by its square. */
bool decay_renormalise(struct decay *decay, double *factor);

static inline void counted_add(struct counted *counted, double amount, double scale)
{
    counted->at[BASIS_DECAYED] += amount * scale;
    counted->at[BASIS_RUN] += amount;
}

static inline void counted_join(struct counted *counted, const struct counted *more)
{
    counted->at[BASIS_DECAYED] += more->at[BASIS_DECAYED];
    counted->at[BASIS_RUN] += more->at[BASIS_RUN];
}

/* The same of structs that are counts and nothing else. */
void counted_sum(void *into, const void *more, size_t bytes);
/* By the factor of decay_renormalise(). */
void counted_rescale(void *counts, size_t bytes, double factor);

static inline double counted_read(const struct counted *counted, enum snapshot_basis basis,
                                  double scale)
{
    return basis == BASIS_RUN ? counted->at[BASIS_RUN] : counted->at[BASIS_DECAYED] / scale;
}

/* Effective number of samples: (sum w)^2 / sum w^2 (Kish). */
double decay_effective(double sum, double squares);

#endif
