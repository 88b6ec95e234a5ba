/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/tables/statistics.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/array.h"
#include "profile/time/decay.h"

static const double interval_z95 = 1.959963984540054;
static const struct snapshot_share interval_unknown = {NAN, NAN, NAN};

struct snapshot_share interval_share(double value, double effective_samples)
{
    double n = effective_samples;
    if (!(n > 0) || isnan(value))
        return interval_unknown;
    double p = fmin(fmax(value, 0), 1); /* sums of doubles can be off by an ulp */
    double z2 = interval_z95 * interval_z95;
    double middle = (p + z2 / (2 * n)) / (1 + z2 / n);
    double half = interval_z95 * sqrt(p * (1 - p) / n + z2 / (4 * n * n)) / (1 + z2 / n);
    return (struct snapshot_share){p, fmin(p, fmax(0, middle - half)),
                                   fmax(p, fmin(1, middle + half))};
}

struct snapshot_share interval_part(struct amount own, struct amount all)
{
    if (!(all.weight > 0))
        return interval_unknown;
    double p = fmin(own.weight / all.weight, 1);
    double rest = fmax(all.squares - own.squares, 0);
    double spread = (1 - p) * (1 - p) * own.squares + p * p * rest;
    double effective = decay_effective(all.weight, all.squares);
    if (p > 0 && p < 1 && spread > 0)
        effective = p * (1 - p) * all.weight * all.weight / spread;
    return interval_share(p, effective);
}

struct snapshot_share interval_count(struct amount amount, double each)
{
    double n = decay_effective(amount.weight, amount.squares);
    double scale = n > 0 ? amount.weight / n : each;
    double z2 = interval_z95 * interval_z95;
    double half = interval_z95 * sqrt(n + z2 / 4);
    if (!(scale > 0))
        return interval_unknown;
    return (struct snapshot_share){amount.weight, fmax(n + z2 / 2 - half, 0) * scale,
                                   (n + z2 / 2 + half) * scale};
}

/* The paper's lower limit, finite if the denominator's high end is twice its value. */
static double ratio_low(const struct snapshot_share *over, const struct snapshot_share *under)
{
    double middle = over->value * under->value;
    double a = over->low * (2 * over->value - over->low);
    double b = under->high * (2 * under->value - under->high);
    double sum = middle + sqrt(fmax(middle * middle - a * b, 0));
    return sum > 0 ? a / sum : 0;
}

static double ratio_high(const struct snapshot_share *over, const struct snapshot_share *under)
{
    double middle = over->value * under->value;
    double a = over->high * (2 * over->value - over->high);
    double b = under->low * (2 * under->value - under->low);
    return b > 0 ? (middle + sqrt(fmax(middle * middle - a * b, 0))) / b : NAN;
}

struct snapshot_share interval_ratio(struct snapshot_share over, struct snapshot_share under)
{
    if (isnan(over.value) || isnan(under.value))
        return interval_unknown;
    double value = under.value > 0 ? over.value / under.value : NAN;
    return (struct snapshot_share){value, ratio_low(&over, &under), ratio_high(&over, &under)};
}

/* Returns the sum over samples of (a * over - b * under) squared. */
static double variance_term(const struct amount_pair *sums, double a, double b)
{
    return a * a * sums->numerator.squares - 2 * a * b * sums->product +
           b * b * sums->denominator.squares;
}

struct snapshot_share interval_same(const struct amount_pair *own, const struct amount_pair *all)
{
    double samples = fmin(decay_effective(own->numerator.weight, own->numerator.squares),
                          decay_effective(own->denominator.weight, own->denominator.squares));
    if (!(samples >= 4))
        return interval_unknown;
    struct amount_pair rest = {{0, all->numerator.squares - own->numerator.squares},
                               {0, all->denominator.squares - own->denominator.squares},
                               all->product - own->product};
    double over = 1 / all->numerator.weight;
    double under = 1 / all->denominator.weight;
    double variance =
        variance_term(own, 1 / own->numerator.weight - over, 1 / own->denominator.weight - under) +
        variance_term(&rest, over, under);
    /* The mean is estimated too. */
    variance *= samples / (samples - 1);
    double factor = exp(student_within_95(samples - 1) * sqrt(fmax(variance, 0)));
    double value = own->numerator.weight * over / (own->denominator.weight * under);
    return (struct snapshot_share){value, value / factor, value * factor};
}

enum { TERMS_MAX = 100000 };

/* Returns x^a e^-x / Gamma(a), computed with logarithms because each factor can overflow. */
static double gamma_front(double a, double x)
{
    int sign;
    return exp(a * log(x) - x - lgamma_r(a, &sign));
}

/* Series of P(a, x), Abramowitz and Stegun 6.5.29; converges fast for x < a + 1. */
static double gamma_lower(double a, double x)
{
    double term = 1 / a;
    double sum = term;
    for (int n = 1; n < TERMS_MAX && term > sum * DBL_EPSILON; n++) {
        term *= x / (a + n);
        sum += term;
    }
    return sum * gamma_front(a, x);
}

/* Continued fraction of Q(a, x), Abramowitz and Stegun 6.5.31, even part, by Lentz's method. */
static double gamma_upper(double a, double x)
{
    double b = x + 1 - a;
    double c = 1 / DBL_MIN;
    double d = 1 / b;
    double value = d;
    for (int n = 1; n < TERMS_MAX; n++) {
        double numerator = -n * (n - a);
        b += 2;
        d = 1 / (numerator * d + b);
        c = b + numerator / c;
        value *= d * c;
        if (fabs(d * c - 1) < 4 * DBL_EPSILON)
            break;
    }
    return value * gamma_front(a, x);
}

double chi2_p_value(double chi2, double freedom)
{
    if (isnan(chi2) || !(freedom > 0))
        return NAN;
    if (chi2 <= 0)
        return 1;
    double a = freedom / 2;
    double x = chi2 / 2;
    double p = x < a + 1 ? 1 - gamma_lower(a, x) : gamma_upper(a, x);
    return fmin(fmax(p, 0), 1);
}

/* Returns the continued fraction of I_x(a, b), Abramowitz and Stegun 26.5.8, evaluated from the
 * front (modified Lentz); converges fast for x < (a + 1) / (a + b + 2). */
static double beta_fraction(double x, double a, double b)
{
    enum { STEPS = 500 };
    const double tiny = 1e-300;
    double numerator = 1;
    double denominator = 1 - (a + b) * x / (a + 1);
    denominator = 1 / (fabs(denominator) < tiny ? tiny : denominator);
    double fraction = denominator;
    for (int m = 1; m < STEPS; m++) {
        double terms[2] = {m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                           -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))};
        double factor = 1;
        for (int i = 0; i < 2; i++) {
            denominator = 1 + terms[i] * denominator;
            denominator = 1 / (fabs(denominator) < tiny ? tiny : denominator);
            numerator = 1 + terms[i] / numerator;
            numerator = fabs(numerator) < tiny ? tiny : numerator;
            factor = numerator * denominator;
            fraction *= factor;
        }
        if (fabs(factor - 1) < 1e-15)
            break;
    }
    return fraction;
}

static double beta_regularised(double x, double a, double b)
{
    if (x <= 0 || x >= 1)
        return x <= 0 ? 0 : 1;
    double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    if (x < (a + 1) / (a + b + 2))
        return front * beta_fraction(x, a, b) / a;
    return 1 - front * beta_fraction(1 - x, b, a) / b;
}

double student_tail(double t, double freedom)
{
    return beta_regularised(freedom / (freedom + t * t), freedom / 2, 0.5) / 2;
}

double student_quantile(double probability, double freedom)
{
    double low = 0;
    double high = 1;
    while (1 - student_tail(high, freedom) < probability && high < 1e9)
        high *= 2;
    for (int i = 0; i < 100; i++) {
        double middle = (low + high) / 2;
        if (1 - student_tail(middle, freedom) < probability)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

double student_within_95(double freedom)
{
    const double z = 1.959963984540054;
    double z3 = z * z * z;
    double z5 = z3 * z * z;
    return z + (z3 + z) / (4 * freedom) + (5 * z5 + 16 * z3 + 3 * z) / (96 * freedom * freedom) +
           (3 * z5 * z * z + 19 * z5 + 17 * z3 - 15 * z) / (384 * freedom * freedom * freedom);
}

/* State of the estimate while it steps through the times. */
struct walk {
    double surviving;
    double effective; /* number of observations that would give the same precision */
    size_t next;
};

void survival_sort(struct survival_time *times, size_t count)
{
    SORT(times, count, SMALLEST(struct survival_time, time),
         LARGEST(struct survival_time, was_observed));
}

/* Steps over all observations that ended at the next time. */
static void survival_step(struct walk *walk, const struct survival_time *times, size_t count)
{
    double waiting = (double)(count - walk->next);
    double time = times[walk->next].time;
    double happened = 0;
    for (; walk->next < count && times[walk->next].time == time; walk->next++)
        happened += times[walk->next].was_observed;
    walk->surviving *= 1 - happened / waiting;
    /* Observations censored at this time count as waited for until now. If all have ended, the
     * precision stays that of the previous step. */
    if (walk->surviving > 0)
        walk->effective = (waiting - happened) / walk->surviving;
}

struct snapshot_share survival_happened(const struct survival_time *times, size_t count,
                                        double time)
{
    struct walk walk = {1, (double)count, 0};
    while (walk.next < count && times[walk.next].time <= time)
        survival_step(&walk, times, count);
    bool none_left =
        walk.surviving > 0 && walk.next == count && count && times[count - 1].time < time;
    return interval_share(1 - walk.surviving, none_left ? 0 : walk.effective);
}

double survival_reach(const struct survival_time *times, size_t count, double least)
{
    struct walk walk = {1, (double)count, 0};
    double reach = 0;
    while (walk.next < count) {
        double time = times[walk.next].time;
        survival_step(&walk, times, count);
        if (walk.effective < least)
            break;
        reach = time;
    }
    return reach;
}

struct survival_median survival_median(const struct survival_time *times, size_t count)
{
    struct survival_median median = {NAN, NAN, NAN};
    struct walk walk = {1, (double)count, 0};
    while (walk.next < count && isnan(median.high)) {
        double time = times[walk.next].time;
        survival_step(&walk, times, count);
        struct snapshot_share happened = interval_share(1 - walk.surviving, walk.effective);
        if (isnan(median.low) && happened.high >= 0.5)
            median.low = time;
        if (isnan(median.value) && happened.value >= 0.5)
            median.value = time;
        if (happened.low > 0.5)
            median.high = time;
    }
    return median;
}

static const double compare_z95 = 1.959963984540054;

static const struct comparison compare_unknown = {NAN, NAN, NAN, NAN};

static double square_of(double value)
{
    return value * value;
}

/* Returns the p-value of the pooled score test, with half a sample of continuity correction. */
static double score_test_p(double a, double samples_a, double b, double samples_b)
{
    double pooled = (a * samples_a + b * samples_b) / (samples_a + samples_b);
    double weight = 1 / samples_a + 1 / samples_b;
    double difference = fabs(b - a) - weight / 2;
    double variance = pooled * (1 - pooled) * weight;
    if (!(difference > 0) || !(variance > 0))
        return 1;
    return erfc(difference / sqrt(variance) / M_SQRT2);
}

struct comparison compare_shares(double a, double samples_a, double b, double samples_b)
{
    struct snapshot_share first = interval_share(a, samples_a);
    struct snapshot_share second = interval_share(b, samples_b);
    if (isnan(first.value) || isnan(second.value))
        return compare_unknown;
    double change = second.value - first.value;
    double down = sqrt(square_of(second.value - second.low) + square_of(first.high - first.value));
    double up = sqrt(square_of(second.high - second.value) + square_of(first.value - first.low));
    return (struct comparison){change, fmax(-1, change - down), fmin(1, change + up),
                               score_test_p(first.value, samples_a, second.value, samples_b)};
}

double mean_of(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return sum / (double)count;
}

/* Returns the sample variance of the values, not of their mean. */
static double variance_of(const double *values, size_t count)
{
    double mean = mean_of(values, count);
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += square_of(values[i] - mean);
    return sum / (double)(count - 1);
}

struct comparison compare_runs(const double *a, size_t runs_a, double floor_a, const double *b,
                               size_t runs_b, double floor_b)
{
    if (runs_a < 2 || runs_b < 2)
        return compare_unknown;
    double seen_a = variance_of(a, runs_a) / (double)runs_a;
    double seen_b = variance_of(b, runs_b) / (double)runs_b;
    double part_a = fmax(seen_a, floor_a);
    double part_b = fmax(seen_b, floor_b);
    double variance = part_a + part_b;
    double change = mean_of(b, runs_b) - mean_of(a, runs_a);
    if (isnan(change) || isnan(variance))
        return compare_unknown;
    if (!(variance > 0))
        return (struct comparison){change, change, change, change == 0 ? 1 : 0};
    double freedom = square_of(variance) / (square_of(part_a) / (double)(runs_a - 1) +
                                            square_of(part_b) / (double)(runs_b - 1));
    double error = sqrt(variance);
    double half = student_quantile(0.975, freedom) * error;
    return (struct comparison){change, change - half, change + half,
                               2 * student_tail(fabs(change) / error, freedom)};
}

struct compare_times compare_amounts(double a, double samples_a, double b, double samples_b)
{
    if (!(a > 0) || !(b > 0) || !(samples_a > 0) || !(samples_b > 0))
        return (struct compare_times){NAN, NAN, NAN};
    double half = compare_z95 * sqrt(1 / samples_a + 1 / samples_b);
    double times = b / a;
    return (struct compare_times){times, times * exp(-half), times * exp(half)};
}

struct compare_times compare_times_of(double a, const struct comparison *difference)
{
    if (!(a > 0) || isnan(difference->change))
        return (struct compare_times){NAN, NAN, NAN};
    return (struct compare_times){1 + difference->change / a, fmax(0, 1 + difference->low / a),
                                  1 + difference->high / a};
}

/* Returns the variance of the mean of differences, from batches of `batch` parts. */
static double batch_variance(const double *differences, size_t count, size_t batch)
{
    double sum = 0;
    double squares = 0;
    size_t batches = count / batch;
    for (size_t i = 0; i < batches; i++) {
        double mean = mean_of(differences + i * batch, batch);
        sum += mean;
        squares += mean * mean;
    }
    double n = (double)batches;
    return (squares - sum * sum / n) / (n - 1) / n;
}

double compare_design(const double *a, const double *b, size_t parts, double samples_a,
                      double samples_b)
{
    enum { PARTS_MOST = 256, PARTS_MIN = 8, JOINED = 4, BATCHES_MIN = 6 };
    double differences[PARTS_MOST];
    double sum_a = 0;
    double sum_b = 0;
    size_t count = 0;
    for (size_t i = 0; i < parts && count < PARTS_MOST; i++) {
        if (isnan(a[i]) || isnan(b[i]))
            continue;
        sum_a += a[i];
        sum_b += b[i];
        differences[count++] = b[i] - a[i];
    }
    if (count < PARTS_MIN)
        return 1;
    double share_a = sum_a / (double)count;
    double share_b = sum_b / (double)count;
    double by_chance = share_a * (1 - share_a) / samples_a + share_b * (1 - share_b) / samples_b;
    double seen = batch_variance(differences, count, 1);
    if (count / JOINED >= BATCHES_MIN)
        seen = fmax(seen, batch_variance(differences, count, JOINED));
    return by_chance > 0 ? fmax(1, seen / by_chance) : 1;
}

struct ranked {
    double p;
    size_t index;
};

int compare_holm(const double *p, size_t count, double *adjusted)
{
    struct ranked *ranked = calloc(count + 1, sizeof *ranked);
    size_t tested = 0;
    double worst = 0;
    if (!ranked)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        adjusted[i] = NAN;
        if (!isnan(p[i]))
            ranked[tested++] = (struct ranked){p[i], i};
    }
    SORT_BY(ranked, tested, p);
    for (size_t i = 0; i < tested; i++) {
        worst = fmax(worst, fmin(1, ranked[i].p * (double)(tested - i)));
        adjusted[ranked[i].index] = worst;
    }
    free(ranked);
    return 0;
}
