/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Exponential decay of weights: a weight added at time t counts as 2^-((now-t)/half-life) at `now`.
 * Instead of shrinking all counts, new amounts grow: an amount added at t is stored as amount *
 * scale(t), with scale(t) = 2^(t/half-life), and is read as stored / scale(now). Adding is O(1),
 * and decay touches no count. The scale is reset to 1 before it overflows a double; every table
 * then multiplies its counts by the returned factor (rescale). Decay depends on time only, so fast
 * and slow samplers decay at the same rate. The clock is a parameter.
 */
#ifndef MISSTOP_PROFILE_TIME_DECAY_H
#define MISSTOP_PROFILE_TIME_DECAY_H

#include <stdbool.h>
#include <stdint.h>

#include "snapshot.h"

struct decay {
    double half_life_ns; /* 0: no decay, and the scale is always 1 */
    uint64_t origin_ns;  /* time at which the scale was 1 */
    uint64_t now_ns;     /* time of `scale`; never decreases */
    double scale;
    bool started;
};

/* A count in both bases, indexed by enum snapshot_basis. */
struct counted {
    double at[2];
};

void decay_init(struct decay *decay, double half_life_s);

/* Advances to now_ns and returns the scale. Ignores a time before the last one. */
double decay_advance(struct decay *decay, uint64_t now_ns);

/* Returns true if the scale was reset to 1. The caller then multiplies every stored value by
 * `factor`, and every value stored with the squared scale by its square. */
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

/* counted_join() for structs that consist of struct counted only. */
void counted_sum(void *into, const void *more, size_t bytes);
/* Multiplies the counts by the factor of decay_renormalise(). */
void counted_rescale(void *counts, size_t bytes, double factor);

static inline double counted_read(const struct counted *counted, enum snapshot_basis basis,
                                  double scale)
{
    return basis == BASIS_RUN ? counted->at[BASIS_RUN] : counted->at[BASIS_DECAYED] / scale;
}

/* Returns the effective number of samples: (sum w)^2 / sum w^2 (Kish). */
double decay_effective(double sum, double squares);

#endif
