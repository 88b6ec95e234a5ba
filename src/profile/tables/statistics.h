/* SPDX-License-Identifier: GPL-3.0-or-later */
/* 95 % intervals of shares, counts and their ratios. Samples have different weights, by period and
 * age, so all inputs are a sum of weights and the sum of their squares. Private to src/profile. */
#ifndef MISSTOP_PROFILE_TABLES_STATISTICS_H
#define MISSTOP_PROFILE_TABLES_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

#include "snapshot.h"
#include "snapshot_share.h"

/* Sums over samples; squares 0: no samples. */
struct amount {
    double weight;
    double squares; /* sum of the squared weights */
};

static inline void amount_add(struct amount *into, struct amount more)
{
    into->weight += more.weight;
    into->squares += more.squares;
}

/*
 * Returns Wilson's score interval (JASA 22, 1927) on the effective number of samples, which decay
 * and uneven weights reduce. All NAN without samples; otherwise low <= value <= high within 0..1.
 */
struct snapshot_share interval_share(double value, double effective_samples);

/*
 * Returns `own` as a share of `all`, which includes it: Wilson's interval as above, for the number
 * of equal samples that would give the same precision. That number follows from the variance of a
 * ratio by linearisation (Cochran, Sampling Techniques, 6.4), so a share of samples with large
 * weights is less precise than its value suggests.
 */
struct snapshot_share interval_part(struct amount own, struct amount all);

/*
 * Returns a count: the score interval of a Poisson mean on the effective number of samples, scaled
 * by the events per sample (Bohm and Zech, NIM A 748, 2014: weighted events as a scaled Poisson
 * variable). `each`: events per sample if there are no samples.
 */
struct snapshot_share interval_count(struct amount amount, double each);

/*
 * Returns the ratio of two independently sampled amounts from their intervals (MOVER-R: Donner and
 * Zou, Statistical Methods in Medical Research 21, 2012). If the denominator is 0, value and high
 * are NAN; high is also NAN if the denominator's low end is 0. All NAN if one is unknown.
 */
struct snapshot_share interval_ratio(struct snapshot_share over, struct snapshot_share under);

/*
 * The ratio of two shares of the same samples: the variance of its logarithm by linearisation as
 * above, the width by Student's t on the effective number of the part's samples. `product`: sum of
 * the products of the two weights of each sample. All NAN if one is 0, or with fewer than 4
 * effective samples.
 */
struct amount_pair {
    struct amount numerator;
    struct amount denominator;
    double product;
};
struct snapshot_share interval_same(const struct amount_pair *own, const struct amount_pair *all);

/* Returns P(X >= chi2) with `freedom` degrees of freedom: the regularised upper incomplete gamma
 * function Q(freedom/2, chi2/2) (Abramowitz and Stegun 26.4.19, 6.5). */
double chi2_p_value(double chi2, double freedom);

/* Student's t distribution. The degrees of freedom need not be integers. */

/* Returns P(T >= t), t >= 0: half the regularised incomplete beta function I_x(freedom/2, 1/2) at x
 * = freedom / (freedom + t^2) (Abramowitz and Stegun 26.7.1, 26.5.8). */
double student_tail(double t, double freedom);

/* Returns the quantile of t for a probability in [0.5, 1). */
double student_quantile(double probability, double freedom);

/* Returns the two-sided 95 % quantile of t, from the first terms of its expansion (Abramowitz and
 * Stegun 26.7.5): within 1 % from 3 degrees of freedom on, and cheap enough for every row. */
double student_within_95(double freedom);

/*
 * Times until an event, some of them censored (the wait ended first): the product-limit estimate
 * (Kaplan, Meier, JASA 53, 1958). Its interval is Wilson's with the number of observations still
 * waited for, divided by the share that they represent (Peto et al., British Journal of Cancer 35,
 * 1977): wider than Greenwood's if many were censored, and also defined before the first event.
 * Pure functions; any unit of time.
 */
struct survival_time {
    double time;       /* 0 or more */
    bool was_observed; /* false: censored at this time */
};

/* Sorts by time; events precede censored waits of the same time. Required by the others. */
void survival_sort(struct survival_time *times, size_t count);

/* Returns the share of events that have happened by a time. NAN without observations. */
struct snapshot_share survival_happened(const struct survival_time *times, size_t count,
                                        double time);

/* Returns until when the estimate has the precision of `least` observations; 0: none. */
double survival_reach(const struct survival_time *times, size_t count, double least);

/* The time by which half have happened; NAN: not observed. `high` NAN: no upper bound. */
struct survival_median {
    double value;
    double low;
    double high;
};
/* Returns the median. Its interval is the times for which the estimate's interval contains one half
 * (Brookmeyer, Crowley, Biometrics 38, 1982). */
struct survival_median survival_median(const struct survival_time *times, size_t count);

/* Returns the arithmetic mean of at least one value. */
double mean_of(const double *values, size_t count);

/*
 * Tests whether a share or an amount differs between two sides or only varies by chance. Pure
 * functions of numbers, for `misstop diff` (src/view/export/diff.h).
 *
 * With one run per side, the variation is that of sampling. The interval of the difference is
 * Newcombe's hybrid of two Wilson intervals (R. G. Newcombe, Statistics in Medicine 17, 1998,
 * method 10), and p is from the two-proportion score test with Yates' correction. With several runs
 * per side, the variation is that between the runs. Interval and p are Welch's (B. L. Welch,
 * Biometrika 34, 1947), with the variance of a side at least that of its samples.
 */

/* Maximum probability that any reported change is wrong, over all rows together. */
#define COMPARE_LEVEL 0.05

struct comparison {
    double change; /* b - a */
    double low;    /* 95 % interval of the change */
    double high;
    double p; /* probability of a change at least as large if nothing changed; NAN: not known */
};

/* The ratio b / a, with its 95 % interval; NAN: not known, or a is 0. */
struct compare_times {
    double value;
    double low;
    double high;
};

/* Compares two shares (0..1), each with an effective number of samples (decay_effective()). */
struct comparison compare_shares(double a, double samples_a, double b, double samples_b);

/* Compares the means of several runs, at least 2 per side. floor_a and floor_b: variances of the
 * two means due to sampling alone; 0: not known. */
struct comparison compare_runs(const double *a, size_t runs_a, double floor_a, const double *b,
                               size_t runs_b, double floor_b);

/* The logarithm of a count of n samples has a variance of 1/n. */
struct compare_times compare_amounts(double a, double samples_a, double b, double samples_b);

/* Like compare_amounts(), from a difference with its interval. */
struct compare_times compare_times_of(double a, const struct comparison *difference);

/*
 * Returns the design effect: how many times larger the variance of b - a is than with independent
 * samples, because programs have phases and samples come in clusters. a[i] and b[i] are the shares
 * in the i-th part of each run, with samples_a and samples_b samples in total; skips parts in which
 * either is NAN. Variation common to both runs cancels out. Uses the larger variance of single
 * parts and of batches of four (batch means); returns at least 1, and 1 if there are too few parts.
 */
double compare_design(const double *a, const double *b, size_t parts, double samples_a,
                      double samples_b);

/*
 * Holm's step-down adjustment (S. Holm, Scandinavian Journal of Statistics 6, 1979): if rows with
 * adjusted[i] of at most a level are reported, the probability that any report is wrong is at most
 * that level, whatever the dependence between rows. NAN stays NAN and is not counted. Returns 0 or
 * -ENOMEM.
 */
int compare_holm(const double *p, size_t count, double *adjusted);

#endif
