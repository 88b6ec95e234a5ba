/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Intervals of counts, parts and ratios: numbers worked out by hand, and how often they hold the
 * truth in simulated sampling. */
#include "unit.h"

#include "base/hash.h"
#include "profile/tables/statistics.h"

#include <math.h>
#include <stdlib.h>

#define NEAR(a, b) assert_true(fabs((a) - (b)) < 1e-6 * (1 + fabs((double)(b))))

/* n + z^2/2 -+ z sqrt(n + z^2/4) for n = 10, z = 1.96: 11.921 -+ 6.489; times what each is. */
static void counts_are_scaled_poisson(void **state)
{
    (void)state;
    struct snapshot_share ten = interval_count((struct amount){10, 10}, 1);
    struct snapshot_share large = interval_count((struct amount){70, 490}, 1);
    assert_true(fabs(ten.low - 5.432) < 1e-3 && fabs(ten.high - 18.410) < 1e-3);
    NEAR(large.low, 7 * ten.low);
    NEAR(large.high, 7 * ten.high);
    struct snapshot_share none = interval_count((struct amount){0, 0}, 7);
    NEAR(none.value, 0);
    NEAR(none.low, 0);
    NEAR(none.high, 7 * 1.959963984540054 * 1.959963984540054);
    assert_true(isnan(interval_count((struct amount){0, 0}, 0).value));
}

/* Equal weights: Wilson on their number. Half the weight in one sample of 101: as unsure as that.
 */
static void parts_know_how_uneven_they_are(void **state)
{
    (void)state;
    struct snapshot_share even = interval_part((struct amount){40, 80}, (struct amount){100, 200});
    struct snapshot_share wilson = interval_share(0.4, 50);
    NEAR(even.low, wilson.low);
    NEAR(even.high, wilson.high);
    struct snapshot_share heavy =
        interval_part((struct amount){100, 10000}, (struct amount){200, 10100});
    /* p = 1/2: variance (10000 + 100) / 4 / 200^2, so 1/4 / that = 3.96 samples. */
    wilson = interval_share(0.5, 40000.0 / 10100);
    NEAR(heavy.low, wilson.low);
    NEAR(heavy.high, wilson.high);
    assert_true(isnan(interval_part((struct amount){0, 0}, (struct amount){0, 0}).value));
    NEAR(interval_part((struct amount){0, 0}, (struct amount){50, 50}).low, 0);
}

/* Limits of 4/2 out of [2, 8] and [1, 4]: low: 2(8-2) = 12 over 8 + sqrt(64 - 12 * 4 * (4 - 4));
 * high: 8 + sqrt(64 - 8 (8-8) ...) = 16 over 1 (4-1) = 3. */
static void ratios_are_recovered_from_their_parts(void **state)
{
    (void)state;
    struct snapshot_share ratio =
        interval_ratio((struct snapshot_share){4, 2, 8}, (struct snapshot_share){2, 1, 4});
    NEAR(ratio.value, 2);
    NEAR(ratio.low, 12.0 / 16);
    NEAR(ratio.high, 16.0 / 3);
    /* No denominator: at least so much. 4 (2*9 - 4) = 56 over sqrt(56 * 25). */
    ratio = interval_ratio((struct snapshot_share){9, 4, 16}, (struct snapshot_share){0, 0, 5});
    assert_true(isnan(ratio.value) && isnan(ratio.high));
    NEAR(ratio.low, 56 / sqrt(56 * 25));
    /* No numerator: at most so much. 3 over sqrt(16 (2*25 - 16)). */
    ratio = interval_ratio((struct snapshot_share){0, 0, 3}, (struct snapshot_share){25, 16, 36});
    NEAR(ratio.value, 0);
    NEAR(ratio.low, 0);
    NEAR(ratio.high, 3 / sqrt(16 * 34));
}

/* All weights alike and everything counted on both sides: the ratio is 1 and nothing is unsure. */
static void the_same_samples_on_both_sides_are_sure(void **state)
{
    (void)state;
    struct amount_pair own = {{20, 20}, {20, 20}, 20};
    struct amount_pair all = {{90, 90}, {90, 90}, 90};
    struct snapshot_share ratio = interval_same(&own, &all);
    NEAR(ratio.value, 1);
    NEAR(ratio.low, 1);
    NEAR(ratio.high, 1);
    own.under.weight = 0;
    assert_true(isnan(interval_same(&own, &all).value));
}

static void the_expansion_is_near_the_quantile(void **state)
{
    (void)state;
    for (double freedom = 3; freedom < 1e6; freedom *= 1.7) {
        double exact = student_quantile(0.975, freedom);
        assert_true(fabs(student_within_95(freedom) / exact - 1) < 0.01);
    }
}

static struct prng prng = {20261121};

static double uniform(void)
{
    return (double)(prng_next(&prng) >> 11) / 9007199254740992.0;
}

static unsigned poisson(double mean)
{
    double left = exp(-fmin(mean, 500));
    unsigned count = 0;
    if (mean > 500)
        return poisson(500) + poisson(mean - 500);
    for (double at = uniform(); at > left; at *= uniform())
        count++;
    return count;
}

static void take(struct amount *amount, double weight)
{
    amount->weight += weight;
    amount->squares += weight * weight;
}

/* Samples that stand for 80 to 120 of what they count, as periods are jittered. */
static struct amount sample(double mean)
{
    struct amount amount = {0, 0};
    for (unsigned count = poisson(mean); count; count--)
        take(&amount, 80 + 40 * uniform());
    return amount;
}

static bool holds(struct snapshot_share interval, double truth)
{
    return !(interval.low > truth) && !(interval.high < truth);
}

static void report(const char *what, double mean, double other, unsigned held, unsigned trials,
                   double least)
{
    double percent = held * 100.0 / trials;
    print_message("%s, %g and %g samples: %.1f %% of %u intervals hold the truth\n", what, mean,
                  other, percent, trials);
    assert_true(percent >= least && percent <= 97);
}

static unsigned trials(void)
{
    return getenv("INTERVAL_FULL") ? 100000 : 4000;
}

static void intervals_of_two_events_cover(void **state)
{
    static const double means[][2] = {{8, 60},   {20, 20},   {12, 3000},
                                      {60, 400}, {300, 300}, {40, 2000}};
    (void)state;
    for (unsigned i = 0; i < sizeof means / sizeof *means; i++) {
        unsigned held = 0;
        for (unsigned n = trials(); n; n--)
            held += holds(interval_ratio(interval_count(sample(means[i][0]), 100),
                                         interval_count(sample(means[i][1]), 100)),
                          means[i][0] / means[i][1]);
        report("misses of accesses", means[i][0], means[i][1], held, trials(), 93);
    }
}

/* Shares of two events: what DTrack found of art's tds, 2.1 % of the misses and 16.6 % of the
 * stalls; and an object that has most of both. */
static void intervals_of_shares_cover(void **state)
{
    static const double shares[][3] = {{0.166, 0.021, 1000}, {0.166, 0.021, 4000}, {0.7, 0.6, 300}};
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        unsigned held = 0;
        double n = shares[i][2];
        for (unsigned k = trials(); k; k--) {
            struct amount own[2];
            struct snapshot_share part[2];
            for (int side = 0; side < 2; side++) {
                own[side] = sample(shares[i][side] * n);
                struct amount rest = sample((1 - shares[i][side]) * n);
                part[side] =
                    interval_part(own[side], (struct amount){own[side].weight + rest.weight,
                                                             own[side].squares + rest.squares});
            }
            held += holds(interval_ratio(part[0], part[1]), shares[i][0] / shares[i][1]);
        }
        report("stalls of misses", shares[i][0] * n, shares[i][1] * n, held, trials(), 93);
    }
}

/* Latencies with a long tail: 1 + exponential, times 200 cycles for the object, 100 elsewhere. */
static void put(struct amount_pair *sums, double cycles)
{
    double weight = 80 + 40 * uniform();
    double waited = -cycles * log(1 - uniform()) + cycles;
    take(&sums->over, waited * weight);
    take(&sums->under, weight);
    sums->both += waited * weight * weight;
}

static void intervals_of_the_same_samples_cover(void **state)
{
    static const double counts[][2] = {{20, 1000}, {50, 500}, {300, 300}};
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        unsigned held = 0;
        double share = counts[i][0] / (counts[i][0] + counts[i][1]);
        double truth = 2 * share / (2 * share + 1 - share) / share;
        for (unsigned k = trials(); k; k--) {
            struct amount_pair own = {0};
            for (unsigned n = poisson(counts[i][0]); n; n--)
                put(&own, 200);
            struct amount_pair all = own;
            for (unsigned n = poisson(counts[i][1]); n; n--)
                put(&all, 100);
            held += holds(interval_same(&own, &all), truth);
        }
        report("waiting of misses", counts[i][0], counts[i][1], held, trials(), 93);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_scaled_poisson),
        cmocka_unit_test(parts_know_how_uneven_they_are),
        cmocka_unit_test(ratios_are_recovered_from_their_parts),
        cmocka_unit_test(the_same_samples_on_both_sides_are_sure),
        cmocka_unit_test(the_expansion_is_near_the_quantile),
        cmocka_unit_test(intervals_of_two_events_cover),
        cmocka_unit_test(intervals_of_shares_cover),
        cmocka_unit_test(intervals_of_the_same_samples_cover),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
