/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Intervals of counts, shares and ratios: values computed by hand, and coverage in simulated
 * sampling. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "profile/tables/statistics.h"
#include "unit.h"

#define NEAR(a, b) assert_true(fabs((a) - (b)) < 1e-6 * (1 + fabs((double)(b))))

/* n + z^2/2 -+ z sqrt(n + z^2/4) for n = 10, z = 1.96: 11.921 -+ 6.489, times the weight per
 * sample. */
static void interval_count_is_scaled_poisson(void **state)
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

/* Equal weights: Wilson on their number. Half the weight in one of 101 samples: correspondingly
 * uncertain. */
static void interval_part_accounts_for_uneven_weights(void **state)
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

/* Limits of 4/2 from [2, 8] and [1, 4]: low: 2(8-2) = 12 over 8 + sqrt(64 - 12 * 4 * (4 - 4));
 * high: 8 + sqrt(64 - 8 (8-8) ...) = 16 over 1 (4-1) = 3. */
static void interval_ratio_combines_both_intervals(void **state)
{
    (void)state;
    struct snapshot_share ratio =
        interval_ratio((struct snapshot_share){4, 2, 8}, (struct snapshot_share){2, 1, 4});
    NEAR(ratio.value, 2);
    NEAR(ratio.low, 12.0 / 16);
    NEAR(ratio.high, 16.0 / 3);
    /* No denominator: a lower bound. 4 (2*9 - 4) = 56 over sqrt(56 * 25). */
    ratio = interval_ratio((struct snapshot_share){9, 4, 16}, (struct snapshot_share){0, 0, 5});
    assert_true(isnan(ratio.value) && isnan(ratio.high));
    NEAR(ratio.low, 56 / sqrt(56 * 25));
    /* No numerator: an upper bound. 3 over sqrt(16 (2*25 - 16)). */
    ratio = interval_ratio((struct snapshot_share){0, 0, 3}, (struct snapshot_share){25, 16, 36});
    NEAR(ratio.value, 0);
    NEAR(ratio.low, 0);
    NEAR(ratio.high, 3 / sqrt(16 * 34));
}

/* Equal weights, and everything counted on both sides: the ratio is 1 without uncertainty. */
static void interval_same_is_exact_for_equal_weights(void **state)
{
    (void)state;
    struct amount_pair own = {{20, 20}, {20, 20}, 20};
    struct amount_pair all = {{90, 90}, {90, 90}, 90};
    struct snapshot_share ratio = interval_same(&own, &all);
    NEAR(ratio.value, 1);
    NEAR(ratio.low, 1);
    NEAR(ratio.high, 1);
    own.denominator.weight = 0;
    assert_true(isnan(interval_same(&own, &all).value));
}

static void student_expansion_is_near_the_quantile(void **state)
{
    (void)state;
    for (double freedom = 3; freedom < 1e6; freedom *= 1.7) {
        double exact = student_quantile(0.975, freedom);
        assert_true(fabs(student_within_95(freedom) / exact - 1) < 0.01);
    }
}

static struct prng interval_prng = {20261121};

static double interval_uniform(void)
{
    return (double)(prng_next(&interval_prng) >> 11) / 9007199254740992.0;
}

static unsigned poisson(double mean)
{
    double left = exp(-fmin(mean, 500));
    unsigned count = 0;
    if (mean > 500)
        return poisson(500) + poisson(mean - 500);
    for (double at = interval_uniform(); at > left; at *= interval_uniform())
        count++;
    return count;
}

static void add_event(struct amount *amount, double weight)
{
    amount->weight += weight;
    amount->squares += weight * weight;
}

/* Samples with weights of 80 to 120 events, because periods are jittered. */
static struct amount sample(double mean)
{
    struct amount amount = {0, 0};
    for (unsigned count = poisson(mean); count; count--)
        add_event(&amount, 80 + 40 * interval_uniform());
    return amount;
}

static bool covers(struct snapshot_share interval, double truth)
{
    return !(interval.low > truth) && !(interval.high < truth);
}

static void expect_coverage(const char *what, double mean, double other, unsigned held,
                            unsigned trials, double least)
{
    double percent = held * 100.0 / trials;
    print_message("%s, %g and %g samples: %.1f %% of %u intervals contain the true value\n", what,
                  mean, other, percent, trials);
    assert_true(percent >= least && percent <= 97);
}

static unsigned trials(void)
{
    return getenv("INTERVAL_FULL") ? 100000 : 4000;
}

static void interval_ratio_covers_the_truth(void **state)
{
    static const double means[][2] = {{8, 60},   {20, 20},   {12, 3000},
                                      {60, 400}, {300, 300}, {40, 2000}};
    (void)state;
    for (unsigned i = 0; i < sizeof means / sizeof *means; i++) {
        unsigned held = 0;
        for (unsigned n = trials(); n; n--)
            held += covers(interval_ratio(interval_count(sample(means[i][0]), 100),
                                          interval_count(sample(means[i][1]), 100)),
                           means[i][0] / means[i][1]);
        expect_coverage("misses of accesses", means[i][0], means[i][1], held, trials(), 93);
    }
}

/* Shares of two events: DTrack's result for art's tds, 2.1 % of the misses and 16.6 % of the
 * stalls; and an object with most of both. */
static void interval_of_share_ratio_covers_the_truth(void **state)
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
            held += covers(interval_ratio(part[0], part[1]), shares[i][0] / shares[i][1]);
        }
        expect_coverage("stalls of misses", shares[i][0] * n, shares[i][1] * n, held, trials(), 93);
    }
}

/* Latencies with a long tail: (1 + exponential) * 200 cycles for the object, * 100 for others. */
static void add_latency(struct amount_pair *sums, double cycles)
{
    double weight = 80 + 40 * interval_uniform();
    double waited = -cycles * log(1 - interval_uniform()) + cycles;
    add_event(&sums->numerator, waited * weight);
    add_event(&sums->denominator, weight);
    sums->product += waited * weight * weight;
}

static void interval_same_covers_the_truth(void **state)
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
                add_latency(&own, 200);
            struct amount_pair all = own;
            for (unsigned n = poisson(counts[i][1]); n; n--)
                add_latency(&all, 100);
            held += covers(interval_same(&own, &all), truth);
        }
        expect_coverage("waiting of misses", counts[i][0], counts[i][1], held, trials(), 93);
    }
}

static int run_interval(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interval_count_is_scaled_poisson),
        cmocka_unit_test(interval_part_accounts_for_uneven_weights),
        cmocka_unit_test(interval_ratio_combines_both_intervals),
        cmocka_unit_test(interval_same_is_exact_for_equal_weights),
        cmocka_unit_test(student_expansion_is_near_the_quantile),
        cmocka_unit_test(interval_ratio_covers_the_truth),
        cmocka_unit_test(interval_of_share_ratio_covers_the_truth),
        cmocka_unit_test(interval_same_covers_the_truth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#undef NEAR

/* Differences between two sides: known values, the rate at which chance is reported as change, and
 * whether real change is found. */

#define NEAR(value, wanted, within) assert_true(fabs((value) - (wanted)) <= (within))

/* Newcombe 1998, Table II, columns (a) to (d), method 10: intervals of p1 - p2. */
static void share_difference_intervals_match_newcombe(void **state)
{
    (void)state;
    static const struct {
        double first, of_first, second, of_second, low, high;
    } published[] = {
        {56, 70, 48, 80, 0.0524, 0.3339},
        {9, 10, 3, 10, 0.1705, 0.8090},
        {10, 10, 0, 20, 0.6791, 1.0000},
        {10, 10, 0, 10, 0.6075, 1.0000},
    };
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        struct comparison got =
            compare_shares(published[i].second / published[i].of_second, published[i].of_second,
                           published[i].first / published[i].of_first, published[i].of_first);
        NEAR(got.low, published[i].low, 0.0001);
        NEAR(got.high, published[i].high, 0.0001);
    }
}

/* From any table of Student's t. */
static void student_quantiles_match_printed_tables(void **state)
{
    (void)state;
    NEAR(student_quantile(0.975, 1), 12.706, 0.001);
    NEAR(student_quantile(0.975, 2), 4.303, 0.001);
    NEAR(student_quantile(0.975, 10), 2.228, 0.001);
    NEAR(student_quantile(0.95, 30), 1.697, 0.001);
    NEAR(student_quantile(0.975, 1e7), 1.960, 0.001);
    NEAR(student_tail(2.228, 10), 0.025, 0.0001);
    NEAR(student_tail(0, 3), 0.5, 1e-12);
}

static void comparison_of_unknown_values_is_nan(void **state)
{
    (void)state;
    struct comparison got = compare_shares(NAN, 100, 0.5, 100);
    double one[] = {0.5};
    double two[] = {0.5, 0.5};
    assert_true(isnan(got.change) && isnan(got.low) && isnan(got.p));
    got = compare_shares(0.5, 0, 0.5, 100);
    assert_true(isnan(got.change));
    got = compare_runs(one, 1, 0, two, 2, 0);
    assert_true(isnan(got.change) && isnan(got.p));
    assert_true(isnan(compare_amounts(0, 0, 5, 100).value));
    got = compare_runs(two, 2, 0, two, 2, 0);
    assert_true(got.change == 0 && got.p == 1);
}

static void holm_adjustment_matches_hand_computation(void **state)
{
    (void)state;
    /* sorted 0.01 x 4, 0.02 x 3, 0.03 x 2, 0.5; never less than the previous one */
    double p[] = {0.03, 0.01, NAN, 0.5, 0.02};
    double adjusted[5];
    assert_int_equal(compare_holm(p, 5, adjusted), 0);
    NEAR(adjusted[1], 0.04, 1e-12);
    NEAR(adjusted[4], 0.06, 1e-12);
    NEAR(adjusted[0], 0.06, 1e-12);
    NEAR(adjusted[3], 0.5, 1e-12);
    assert_true(isnan(adjusted[2]));
}

/* ---- random samples: a fixed seed makes runs repeatable ---- */

enum { ROWS = 60, TRIALS = 2000, SEED = 1 };

static double compare_uniform(struct prng *prng)
{
    return (double)(prng_next(prng) >> 11) / 9007199254740992.0;
}

/* Shares as in real tables: a few large ones, many small ones. */
static void make_shares(double shares[ROWS])
{
    double sum = 0;
    for (int i = 0; i < ROWS; i++)
        sum += shares[i] = 1.0 / ((i + 1) * (i + 1));
    for (int i = 0; i < ROWS; i++)
        shares[i] /= sum;
}

static void compare_draw(struct prng *prng, const double shares[ROWS], int samples,
                         double out[ROWS])
{
    memset(out, 0, ROWS * sizeof *out);
    for (int i = 0; i < samples; i++) {
        double at = compare_uniform(prng);
        int row = 0;
        while (row < ROWS - 1 && at >= shares[row])
            at -= shares[row++];
        out[row] += 1.0 / samples;
    }
}

/* Returns how many rows are reported as different between two draws. */
static int reported(const double *a, int samples_a, const double *b, int samples_b)
{
    double p[ROWS];
    double adjusted[ROWS];
    int count = 0;
    for (int i = 0; i < ROWS; i++)
        p[i] = compare_shares(a[i], samples_a, b[i], samples_b).p;
    assert_int_equal(compare_holm(p, ROWS, adjusted), 0);
    for (int i = 0; i < ROWS; i++)
        count += adjusted[i] <= COMPARE_LEVEL;
    return count;
}

static void chance_differences_are_rarely_reported(void **state)
{
    (void)state;
    static const int sizes[][2] = {{200, 200}, {200, 2000}, {1000, 1000}};
    struct prng prng = {SEED};
    double shares[ROWS], a[ROWS], b[ROWS];
    make_shares(shares);
    for (size_t k = 0; k < 3; k++) {
        int alarms = 0;
        for (int i = 0; i < TRIALS; i++) {
            compare_draw(&prng, shares, sizes[k][0], a);
            compare_draw(&prng, shares, sizes[k][1], b);
            alarms += reported(a, sizes[k][0], b, sizes[k][1]) > 0;
        }
        printf("%d and %d samples: any of %d rows reported in %.1f %% of %d comparisons\n",
               sizes[k][0], sizes[k][1], ROWS, 100.0 * alarms / TRIALS, TRIALS);
        /* The level plus three standard errors for this number of trials. */
        assert_true(alarms <= TRIALS * COMPARE_LEVEL +
                                  3 * sqrt(TRIALS * COMPARE_LEVEL * (1 - COMPARE_LEVEL)));
    }
}

static void real_change_is_usually_found(void **state)
{
    (void)state;
    enum { POWER_TRIALS = 300, SAMPLES = 2000, CHANGED = 2 };
    struct prng prng = {SEED};
    double before[ROWS], after[ROWS], a[ROWS], b[ROWS];
    int found = 0;
    make_shares(before);
    make_shares(after);
    /* 6.8 % is halved; the largest row takes the other half. */
    after[CHANGED] /= 2;
    after[0] += after[CHANGED];
    for (int i = 0; i < POWER_TRIALS; i++) {
        compare_draw(&prng, before, SAMPLES, a);
        compare_draw(&prng, after, SAMPLES, b);
        double p[ROWS], adjusted[ROWS];
        for (int k = 0; k < ROWS; k++)
            p[k] = compare_shares(a[k], SAMPLES, b[k], SAMPLES).p;
        assert_int_equal(compare_holm(p, ROWS, adjusted), 0);
        found += adjusted[CHANGED] <= COMPARE_LEVEL;
    }
    printf("%.1f %% halved, %d samples: found in %.1f %% of %d comparisons\n",
           before[CHANGED] * 100, SAMPLES, 100.0 * found / POWER_TRIALS, POWER_TRIALS);
    assert_true(found >= POWER_TRIALS * 8 / 10);
}

/* Runs vary by far more than their samples: only several runs show this. */
static void variation_between_runs_is_no_change(void **state)
{
    (void)state;
    enum { RUNS = 3, SAMPLES = 10000 };
    struct prng prng = {SEED};
    int single = 0;
    int several = 0;
    for (int i = 0; i < TRIALS; i++) {
        double a[RUNS], b[RUNS];
        for (int k = 0; k < RUNS; k++) {
            double sums[2] = {0, 0};
            for (int n = 0; n < 12; n++)
                sums[0] += compare_uniform(&prng), sums[1] += compare_uniform(&prng);
            a[k] = 0.3 + 0.03 * (sums[0] - 6);
            b[k] = 0.3 + 0.03 * (sums[1] - 6);
        }
        double floor = 0.3 * 0.7 / SAMPLES / RUNS;
        single += compare_shares(a[0], SAMPLES, b[0], SAMPLES).p <= COMPARE_LEVEL;
        several += compare_runs(a, RUNS, floor, b, RUNS, floor).p <= COMPARE_LEVEL;
    }
    printf("runs that vary by 3 points: reported as change in %.1f %% with one run per side, in "
           "%.1f %% with %d\n",
           100.0 * single / TRIALS, 100.0 * several / TRIALS, RUNS);
    assert_true(several <=
                TRIALS * COMPARE_LEVEL + 3 * sqrt(TRIALS * COMPARE_LEVEL * (1 - COMPARE_LEVEL)));
    assert_true(single > several * 4);
}

/* Phases out of step: samples are not independent, and the parts of the runs show it. */
static void phases_out_of_step_widen_the_comparison(void **state)
{
    (void)state;
    enum { PARTS = 32, EACH = 100 };
    struct prng prng = {SEED};
    int alarms = 0;
    for (int i = 0; i < TRIALS; i++) {
        double parts[2][PARTS], share[2] = {0, 0};
        for (int side = 0; side < 2; side++)
            for (int k = 0; k < PARTS; k++) {
                double phase = compare_uniform(&prng) < 0.5 ? 0.2 : 0.8;
                int hits = 0;
                for (int n = 0; n < EACH; n++)
                    hits += compare_uniform(&prng) < phase;
                parts[side][k] = (double)hits / EACH;
                share[side] += parts[side][k] / PARTS;
            }
        double samples = PARTS * EACH;
        double design = compare_design(parts[0], parts[1], PARTS, samples, samples);
        alarms += compare_shares(share[0], samples / design, share[1], samples / design).p <=
                  COMPARE_LEVEL;
    }
    printf("phases out of step: reported as change in %.1f %%\n", 100.0 * alarms / TRIALS);
    assert_true(alarms <=
                TRIALS * COMPARE_LEVEL + 3 * sqrt(TRIALS * COMPARE_LEVEL * (1 - COMPARE_LEVEL)));
}

/* Phases in step are equal on both sides, and hide nothing. */
static void phases_in_step_do_not_widen_the_comparison(void **state)
{
    (void)state;
    enum { PARTS = 32 };
    double a[PARTS], b[PARTS];
    for (int i = 0; i < PARTS; i++) {
        a[i] = i / 8 % 2 ? 0.9 : 0.1;
        b[i] = a[i];
    }
    NEAR(compare_design(a, b, PARTS, 3200, 3200), 1, 1e-9);
    /* ... and out of step they count for more than the single parts suggest. */
    for (int i = 0; i < PARTS; i++)
        b[i] = (i + 5) / 8 % 2 ? 0.9 : 0.1;
    assert_true(compare_design(a, b, PARTS, 3200, 3200) > 100);
    assert_true(compare_design(a, b, 4, 3200, 3200) == 1);
}

static void compare_amounts_gives_ratio_interval(void **state)
{
    (void)state;
    struct compare_times times = compare_amounts(100, 400, 50, 400);
    NEAR(times.value, 0.5, 1e-12);
    /* 1.96 * sqrt(2/400) = 0.1386 */
    NEAR(times.low, 0.5 * exp(-0.13859), 1e-4);
    NEAR(times.high, 0.5 * exp(0.13859), 1e-4);
}

static int run_compare(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(share_difference_intervals_match_newcombe),
        cmocka_unit_test(student_quantiles_match_printed_tables),
        cmocka_unit_test(comparison_of_unknown_values_is_nan),
        cmocka_unit_test(holm_adjustment_matches_hand_computation),
        cmocka_unit_test(chance_differences_are_rarely_reported),
        cmocka_unit_test(real_change_is_usually_found),
        cmocka_unit_test(variation_between_runs_is_no_change),
        cmocka_unit_test(phases_out_of_step_widen_the_comparison),
        cmocka_unit_test(phases_in_step_do_not_widen_the_comparison),
        cmocka_unit_test(compare_amounts_gives_ratio_interval),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#undef NEAR

/* Survival times compared with values computed by hand, and the coverage of the intervals. */

enum { COUNT_MAX = 512 };

static void near(double value, double expected)
{
    if (!(fabs(value - expected) < 1e-9))
        fail_msg("expected %.12g, got %.12g", expected, value);
}

/* Ten, two of them censored (+): 1 2 2 3+ 5 6 7+ 8 9 9. By hand: S(1) 9/10, S(2) 7/10, S(5) 7/10 *
 * 5/6, S(6) previous * 4/5, S(8) previous * 2/3, S(9) 0. */
static const struct survival_time survival_ten[] = {{9, true}, {2, true}, {1, true},  {3, false},
                                                    {5, true}, {8, true}, {7, false}, {2, true},
                                                    {6, true}, {9, true}};
enum { TEN = sizeof survival_ten / sizeof *survival_ten };

static void kaplan_meier_matches_hand_computation(void **state)
{
    (void)state;
    struct survival_time times[TEN];
    memcpy(times, survival_ten, sizeof survival_ten);
    survival_sort(times, TEN);
    near(survival_happened(times, TEN, 0.5).value, 0);
    near(survival_happened(times, TEN, 1).value, 0.1);
    near(survival_happened(times, TEN, 2).value, 0.3);
    near(survival_happened(times, TEN, 4).value, 0.3);
    near(survival_happened(times, TEN, 5).value, 1 - 0.7 * 5 / 6);
    near(survival_happened(times, TEN, 6).value, 1 - 0.7 * 5 / 6 * 4 / 5);
    near(survival_happened(times, TEN, 8).value, 1 - 0.7 * 5 / 6 * 4 / 5 * 2 / 3);
    near(survival_happened(times, TEN, 9).value, 1);
    near(survival_median(times, TEN).value, 6);
}

/* Without censoring it is the share, and the interval is Wilson's: 3 of 10. */
static void uncensored_survival_is_a_wilson_share(void **state)
{
    (void)state;
    struct survival_time times[10];
    for (int i = 0; i < 10; i++)
        times[i] = (struct survival_time){i + 1, true};
    struct snapshot_share share = survival_happened(times, 10, 3);
    near(share.value, 0.3);
    assert_true(fabs(share.low - 0.107789) < 1e-5);
    assert_true(fabs(share.high - 0.603222) < 1e-5);
}

/* 20 watched, none touched: as certain as the number still watched, and never "0 for certain". */
static void no_events_give_a_nonzero_upper_limit(void **state)
{
    (void)state;
    struct survival_time times[20];
    for (int i = 0; i < 20; i++)
        times[i] = (struct survival_time){i + 1, false};
    struct snapshot_share early = survival_happened(times, 20, 1);
    struct snapshot_share late = survival_happened(times, 20, 15);
    near(early.value, 0);
    near(late.value, 0);
    assert_true(early.high > 0.1 && early.high < late.high);
    assert_true(isnan(survival_median(times, 20).value));
    assert_true(isnan(survival_happened(times, 20, 21).high));
}

static void survival_without_times_is_nan(void **state)
{
    (void)state;
    assert_true(isnan(survival_happened(NULL, 0, 1).value));
    assert_true(isnan(survival_median(NULL, 0).value));
    near(survival_reach(NULL, 0, 1), 0);
}

static void survival_reach_leaves_enough_observations(void **state)
{
    (void)state;
    struct survival_time times[20];
    for (int i = 0; i < 20; i++)
        times[i] = (struct survival_time){i + 1, false};
    /* 12 is the longest time after which at least 8 are left. */
    near(survival_reach(times, 20, 9), 12);
    for (int i = 0; i < 20; i++)
        times[i].was_observed = true;
    near(survival_reach(times, 20, 9), 20);
}

/* ---- coverage of the intervals ---- */

static double survival_uniform(struct prng *prng)
{
    return ((double)(prng_next(prng) >> 11) + 0.5) / 9007199254740992.0;
}

/* Exponential times of mean 1, censored at exponential times of mean `censored`; 0: never. */
static void survival_draw(struct prng *prng, struct survival_time *times, size_t count,
                          double censored)
{
    for (size_t i = 0; i < count; i++) {
        double time = -log(survival_uniform(prng));
        double until = censored > 0 ? -log(survival_uniform(prng)) * censored : INFINITY;
        times[i] = (struct survival_time){fmin(time, until), time <= until};
    }
    survival_sort(times, count);
}

struct coverage {
    double median;
    double share;
};

static struct coverage cover(size_t count, double censored)
{
    enum { ROUNDS = 4000 };
    static const double at = 0.5;
    struct survival_time times[COUNT_MAX];
    struct prng prng = {20261121};
    double median = log(2);
    double share = 1 - exp(-at);
    int held[2] = {0};
    int known = 0;
    for (int i = 0; i < ROUNDS; i++) {
        survival_draw(&prng, times, count, censored);
        struct survival_median found = survival_median(times, count);
        struct snapshot_share happened = survival_happened(times, count, at);
        /* Without an upper end there is no bound. */
        held[0] += found.low <= median && !(found.high < median);
        known += !isnan(happened.value);
        held[1] += happened.low <= share && happened.high >= share;
    }
    /* If all were censored earlier, the share is not known. */
    return (struct coverage){(double)held[0] / ROUNDS, (double)held[1] / known};
}

/*
 * 95 % is requested. Peto's effective number of observations is conservative if many are censored.
 */
static void survival_intervals_cover_the_truth(void **state)
{
    static const size_t counts[] = {10, 30, 100, 500};
    static const double censored[] = {0, 2, 0.5};
    (void)state;
    printf("  95%% intervals that contain the true value (median; share at 0.5)\n");
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (size_t k = 0; k < sizeof censored / sizeof *censored; k++) {
            struct coverage found = cover(counts[i], censored[k]);
            printf("  n %3zu, %2.0f%% censored: %.1f%%; %.1f%%\n", counts[i],
                   censored[k] > 0 ? 100 / (1 + censored[k]) : 0, found.median * 100,
                   found.share * 100);
            assert_true(found.median >= 0.93);
            assert_true(found.share >= 0.93);
            assert_true(censored[k] > 0 || (found.median <= 0.985 && found.share <= 0.985));
        }
}

static int run_survival(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kaplan_meier_matches_hand_computation),
        cmocka_unit_test(uncensored_survival_is_a_wilson_share),
        cmocka_unit_test(no_events_give_a_nonzero_upper_limit),
        cmocka_unit_test(survival_without_times_is_nan),
        cmocka_unit_test(survival_reach_leaves_enough_observations),
        cmocka_unit_test(survival_intervals_cover_the_truth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
    int failed = 0;
    failed += run_interval();
    failed += run_compare();
    failed += run_survival();
    return failed;
}
