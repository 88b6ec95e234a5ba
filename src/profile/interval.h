/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How sure shares, counts and ratios of them are, 95 %. Samples weigh differently, by period and
 * age, so everything starts from a sum of weights and the sum of their squares. Private to
 * src/profile.
 */
#ifndef MISSTOP_PROFILE_INTERVAL_H
#define MISSTOP_PROFILE_INTERVAL_H

#include "snapshot.h"

/* What samples add up to; squares 0: there are none. */
struct amount {
    double weight;
    double squares; /* of the weights */
};

/*
 * Wilson's score interval (E. B. Wilson, JASA 22, 1927) on the effective number of samples, which
 * decay and uneven weights make smaller. All NAN where there are no samples; low <= value <= high
 * within 0..1 otherwise.
 */
struct snapshot_share interval_share(double value, double effective_samples);

/*
 * The part `own` of `all`, which it is in: Wilson's interval as above, on as many equal samples as
 * would be as sure. Their number follows from the variance of a ratio by linearisation (Cochran,
 * Sampling Techniques, 6.4), so a part whose weights are larger than the others' is known to be
 * less sure than its share lets expect.
 */
struct snapshot_share interval_part(struct amount own, struct amount all);

/*
 * A count: the score interval of a Poisson mean on the effective number of samples, scaled by
 * what each stands for (Bohm and Zech, NIM A 748, 2014: weighted events as a scaled Poisson
 * variable). `each`: what one stands for where there are none.
 */
struct snapshot_share interval_count(struct amount amount, double each);

/*
 * The ratio of two that were sampled independently, out of their own intervals (MOVER-R: Donner
 * and Zou, Statistical Methods in Medical Research 21, 2012). Denominator 0: value and high are
 * NAN; high is NAN too where the denominator's low end is 0. All NAN where one is unknown.
 */
struct snapshot_share interval_ratio(struct snapshot_share over, struct snapshot_share under);

/*
 * The ratio of two shares out of the same samples: the variance of its logarithm by linearisation
 * as above, its width by Student's t on the effective number of the part's samples. `both`: sums
 * of the product of the two weights of a sample. All NAN where one is 0, or there are fewer than 4
 * samples' worth.
 */
struct amount_pair {
    struct amount over;
    struct amount under;
    double both;
};
struct snapshot_share interval_same(const struct amount_pair *own, const struct amount_pair *all);

#endif
