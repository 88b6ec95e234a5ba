/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How much a curve changes from point to point, as DTrack defines it (sections 4.2, 4.3), and the
 * period at which phases show and noise does not. Private to src/profile.
 */
#ifndef MISSTOP_PROFILE_VOLATILITY_H
#define MISSTOP_PROFILE_VOLATILITY_H

#include "profile/streams.h"

enum {
    VOLATILITY_POINTS_MIN = 8,  /* of a curve; fewer say nothing */
    VOLATILITY_PERIODS_MAX = 64 /* of a profile */
};

/* g_t = |X_t - X_(t-1)| / max(X_t, X_(t-1)), of counts: 0 to 1; of two zeros 0. */
double volatility_step(double before, double after);

/*
 * Of a curve: the 90th percentile of its steps, by nearest rank. NAN: fewer than
 * VOLATILITY_POINTS_MIN points. Sorts nothing of the caller's.
 */
double volatility_of(const double *curve, size_t count);

/* The volatility of one curve, or of several taken together, at one period. */
struct volatility {
    size_t by; /* base periods in one of these */
    double value;
};

/* A curve at its base period, and what it counts as beside others. */
struct volatility_curve {
    const double *at;
    double weight;
};

/*
 * The profile of curves of `points` points: at periods of 1, 2, 3, ... base periods, finer where
 * the paper asks for it (4.3: troughs lie at factors and multiples of a period in the program, and
 * a coarse grid passes them by), the mean of their volatilities by weight. Until curves have too
 * few points. `profile` holds VOLATILITY_PERIODS_MAX. Returns how many were worked out.
 */
size_t volatility_profile_of(const struct volatility_curve *curves, size_t count, size_t points,
                             struct volatility *profile);

/* The same of the strongest streams of one kind: `strongest` of them at the most. */
size_t volatility_profile(const struct streams *streams, unsigned kind, size_t strongest,
                          struct volatility *profile);

/*
 * The period to look at: the shortest whose volatility is at or below `threshold`; where there is
 * none, the one with the least. 0: the profile is empty.
 */
size_t volatility_period(const struct volatility *profile, size_t count, double threshold);

#endif
