/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whether a share or an amount differs between two sides, or chance made the difference. Pure
 * functions of numbers; who asks is `misstop diff` (src/view/diff.h).
 *
 * One run a side: what is known of chance is how samples fall. The interval of the difference is
 * Newcombe's hybrid of two Wilson intervals (R. G. Newcombe, Statistics in Medicine 17, 1998,
 * method 10), p is of the two-proportion score test with Yates' correction.
 * Several runs a side: the runs themselves tell how much they wander. Interval and p are Welch's
 * (B. L. Welch, Biometrika 34, 1947), where the variance of a side is never taken to be less than
 * that of its samples.
 */
#ifndef MISSTOP_PROFILE_COMPARE_H
#define MISSTOP_PROFILE_COMPARE_H

#include <stddef.h>

/* Changes that are reported are wrong, all rows taken together, at most this often. */
#define COMPARE_LEVEL 0.05

struct comparison {
    double change; /* b - a */
    double low;    /* 95 % interval of the change */
    double high;
    double p; /* of a change at least as large if nothing changed; NAN: cannot be told */
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
 * part of either run, of samples_a and samples_b samples altogether; parts in which either is
 * NAN are left out. What both runs have in common at the same time cancels out. From the
 * variance between parts, single and joined by fours (batch means), the larger one; 1 at the
 * least, also where there are too few parts to tell.
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
