/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/compare.h"

#include "profile/interval.h"
#include "profile/student.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

static const double z95 = 1.959963984540054;

static const struct comparison unknown = {NAN, NAN, NAN, NAN};

static double square(double value)
{
    return value * value;
}

/* Both sides pooled, the difference made smaller by half a sample of each. */
static double score_p(double a, double samples_a, double b, double samples_b)
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
        return unknown;
    double change = second.value - first.value;
    double down = sqrt(square(second.value - second.low) + square(first.high - first.value));
    double up = sqrt(square(second.high - second.value) + square(first.value - first.low));
    return (struct comparison){change, fmax(-1, change - down), fmin(1, change + up),
                               score_p(first.value, samples_a, second.value, samples_b)};
}

static double mean_of(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return sum / (double)count;
}

/* Of the values, not of their mean. */
static double variance_of(const double *values, size_t count)
{
    double mean = mean_of(values, count);
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += square(values[i] - mean);
    return sum / (double)(count - 1);
}

struct comparison compare_runs(const double *a, size_t runs_a, double floor_a, const double *b,
                               size_t runs_b, double floor_b)
{
    if (runs_a < 2 || runs_b < 2)
        return unknown;
    double seen_a = variance_of(a, runs_a) / (double)runs_a;
    double seen_b = variance_of(b, runs_b) / (double)runs_b;
    double part_a = fmax(seen_a, floor_a);
    double part_b = fmax(seen_b, floor_b);
    double variance = part_a + part_b;
    double change = mean_of(b, runs_b) - mean_of(a, runs_a);
    if (isnan(change) || isnan(variance))
        return unknown;
    if (!(variance > 0))
        return (struct comparison){change, change, change, change == 0 ? 1 : 0};
    double freedom = square(variance) / (square(part_a) / (double)(runs_a - 1) +
                                         square(part_b) / (double)(runs_b - 1));
    double error = sqrt(variance);
    double half = student_quantile(0.975, freedom) * error;
    return (struct comparison){change, change - half, change + half,
                               2 * student_tail(fabs(change) / error, freedom)};
}

struct compare_times compare_amounts(double a, double samples_a, double b, double samples_b)
{
    if (!(a > 0) || !(b > 0) || !(samples_a > 0) || !(samples_b > 0))
        return (struct compare_times){NAN, NAN, NAN};
    double half = z95 * sqrt(1 / samples_a + 1 / samples_b);
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

/* Variance of the mean of differences, from batches of `batch` parts. */
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
    enum { PARTS_MOST = 256, PARTS_LEAST = 8, JOINED = 4, BATCHES_LEAST = 6 };
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
    if (count < PARTS_LEAST)
        return 1;
    double share_a = sum_a / (double)count;
    double share_b = sum_b / (double)count;
    double by_chance = share_a * (1 - share_a) / samples_a + share_b * (1 - share_b) / samples_b;
    double seen = batch_variance(differences, count, 1);
    if (count / JOINED >= BATCHES_LEAST)
        seen = fmax(seen, batch_variance(differences, count, JOINED));
    return by_chance > 0 ? fmax(1, seen / by_chance) : 1;
}

struct ranked {
    double p;
    size_t index;
};

static int by_p(const void *left, const void *right)
{
    const struct ranked *a = left;
    const struct ranked *b = right;
    return a->p < b->p ? -1 : a->p > b->p;
}

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
    qsort(ranked, tested, sizeof *ranked, by_p);
    for (size_t i = 0; i < tested; i++) {
        worst = fmax(worst, fmin(1, ranked[i].p * (double)(tested - i)));
        adjusted[ranked[i].index] = worst;
    }
    free(ranked);
    return 0;
}
