/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How sure shares, counts and ratios of them are, 95 %. Samples weigh differently, by period and
 * age, so everything starts from a sum of weights and the sum of their squares. Private to
 * src/profile.
 */
#ifndef MISSTOP_PROFILE_TABLES_STATISTICS_H
#define MISSTOP_PROFILE_TABLES_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

#include "snapshot.h"
#include "snapshot_share.h"

/* Sums over samples; squares 0: there are none. */
struct amount {
    double weight;
    double squares; /* of the weights */
};

static inline void amount_add(struct amount *into, struct amount more)
{
    into->weight += more.weight;
    into->squares += more.squares;
}

/*
 * Wilson's score interval (E. B. Wilson, JASA 22, 1927) on the effective number of samples, which
 * decay and uneven weights make smaller. All NAN where there are no samples; low <= value <= high
 * within 0..1 otherwise.
 */
struct snapshot_share interval_share(double value, double effective_samples);

/*
 * The part `own` of `all`, which it is in: Wilson's interval as above, on as many equal samples as
 * would be as sure. Their number follows from the variance of a ratio by linearisation (Cochran,
 * Sampling Techniques, 6.4), so a part of larger weights than the others is less sure than its
 * share suggests.
 */
struct snapshot_share interval_part(struct amount own, struct amount all);

/*
 * A count: the score interval of a Poisson mean on the effective number of samples, scaled by the
 * events a sample represents (Bohm and Zech, NIM A 748, 2014: weighted events as a scaled Poisson
 * variable). `each`: that number where there are no samples.
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

/* Tail of the chi-square distribution. */
/* P(X >= chi2) with `freedom` degrees of freedom: the regularised upper incomplete gamma
 * function Q(freedom/2, chi2/2) (Abramowitz and Stegun 26.4.19, 6.5). */
double chi2_p_value(double chi2, double freedom);

/* Student's t distribution, for statistics.c and statistics.c. Degrees of freedom need not be
 * whole. */
/* P(T >= t), t >= 0: half the regularised incomplete beta function I_x(freedom/2, 1/2) at
 * x = freedom / (freedom + t^2) (Abramowitz and Stegun 26.7.1, 26.5.8). */
double student_tail(double t, double freedom);

/* The t that is not exceeded with this probability, 0.5 or more and below 1. */
double student_quantile(double probability, double freedom);

/* The two-sided 95 % quantile of t, by the first terms of its expansion (Abramowitz and
 * Stegun 26.7.5): within 1 % from 3 degrees of freedom on, and cheap enough for each row. */
double student_within_95(double freedom);

/*
 * Times until an event, some of them censored (the wait ended first): the product-limit estimate
 * (Kaplan, Meier, JASA 53, 1958). Its interval is Wilson's on as many observations as are still
 * waited for, divided by the part they represent (Peto et al., British Journal of Cancer 35,
 * 1977): wider than Greenwood's where many were censored, and defined also where no event has
 * happened yet. Pure; any unit of time.
 */
struct survival_time {
    double time;   /* 0 or more */
    bool happened; /* else it was waited for until then, and no longer */
};

/* Sorts by time, what happened before what was censored then. All of this expects it. */
void survival_sort(struct survival_time *times, size_t count);

/* Part for which it has happened by a time, with its 95 % interval. NAN without observations. */
struct snapshot_share survival_happened(const struct survival_time *times, size_t count,
                                        double time);

/* The longest time up to which the estimate is as sure as `least` observations make it; 0: none. */
double survival_reach(const struct survival_time *times, size_t count, double least);

/* When it has happened for half of them; NAN: not within what was seen. `high` NAN: no bound. */
struct survival_median {
    double value;
    double low;
    double high;
};
/* The interval holds the times with an own interval that holds one half (Brookmeyer, Crowley,
 * Biometrics 38, 1982). */
struct survival_median survival_median(const struct survival_time *times, size_t count);

/*
 * Whether a share or an amount differs between two sides, or chance made the difference. Pure
 * functions of numbers, for `misstop diff` (src/view/export/diff.h).
 *
 * One run a side: chance is how samples fall. The interval of the difference is Newcombe's hybrid
 * of two Wilson intervals (R. G. Newcombe, Statistics in Medicine 17, 1998, method 10), p is of
 * the two-proportion score test with Yates' correction. Several runs a side: the runs themselves
 * show how much they vary. Interval and p are Welch's (B. L. Welch, Biometrika 34, 1947), where
 * the variance of a side is at least that of its samples.
 */
/* Changes that are reported are wrong, all rows taken together, at most this often. */
#define COMPARE_LEVEL 0.05

struct comparison {
    double change; /* b - a */
    double low;    /* 95 % interval of the change */
    double high;
    double p; /* of a change at least as large if nothing changed; NAN: not known */
};

/* How many times b is a, with its 95 % interval; NAN: not known, or a is 0. */
struct compare_times {
    double value;
    double low;
    double high;
};

/* Two shares (0..1), each of so many effective samples (decay_effective()). */
struct comparison compare_shares(double a, double samples_a, double b, double samples_b);

/*
 * Means of figures of several runs each, 2 at the least on both sides. floor_a and floor_b:
 * variances of the two means that chance in sampling alone makes; 0: not known.
 */
struct comparison compare_runs(const double *a, size_t runs_a, double floor_a, const double *b,
                               size_t runs_b, double floor_b);

/* Two amounts, each known by so many samples: the logarithm of a count of n samples has a
 * variance of 1/n. */
struct compare_times compare_amounts(double a, double samples_a, double b, double samples_b);

/* The same from a difference with its interval. */
struct compare_times compare_times_of(double a, const struct comparison *difference);

/*
 * How many times larger the variance of b - a is than with samples that fall independently:
 * programs have phases, and samples come in clusters. a[i] and b[i] are the shares in the i-th
 * part of either run, of samples_a and samples_b samples altogether; parts in which either is NAN
 * are left out. Variation common to both runs at the same time cancels out. From the variance
 * between parts, single and joined by fours (batch means), the larger one; 1 at the least, also
 * where there are too few parts.
 */
double compare_design(const double *a, const double *b, size_t parts, double samples_a,
                      double samples_b);

/*
 * Holm's step-down adjustment (S. Holm, Scandinavian Journal of Statistics 6, 1979): adjusted[i]
 * at or under a level means reported, and the chance that any report is wrong is at most that
 * level, however the rows depend on each other. NAN stays NAN and is not counted. 0 or -ENOMEM.
 */
int compare_holm(const double *p, size_t count, double *adjusted);

#endif
