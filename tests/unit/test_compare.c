/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Differences between two sides: known values, how often chance is taken for change, and whether
 * change is found. */
#include "unit.h"

#include "base/hash.h"
#include "profile/tables/statistics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define NEAR(value, wanted, within) assert_true(fabs((value) - (wanted)) <= (within))

/* Newcombe 1998, Table II, columns (a) to (d), method 10: intervals of p1 - p2. */
static void intervals_are_those_published(void **state)
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

/* Any table of Student's t. */
static void quantiles_are_those_of_the_tables(void **state)
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

static void what_is_not_known_stays_unknown(void **state)
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

static void holm_by_hand(void **state)
{
    (void)state;
    /* sorted 0.01 x 4, 0.02 x 3, 0.03 x 2, 0.5; never less than the one before */
    double p[] = {0.03, 0.01, NAN, 0.5, 0.02};
    double adjusted[5];
    assert_int_equal(compare_holm(p, 5, adjusted), 0);
    NEAR(adjusted[1], 0.04, 1e-12);
    NEAR(adjusted[4], 0.06, 1e-12);
    NEAR(adjusted[0], 0.06, 1e-12);
    NEAR(adjusted[3], 0.5, 1e-12);
    assert_true(isnan(adjusted[2]));
}

/* ---- drawn samples: the seed is fixed, so that a run repeats ---- */

enum { ROWS = 60, TRIALS = 2000, SEED = 1 };

static double uniform(struct prng *prng)
{
    return (double)(prng_next(prng) >> 11) / 9007199254740992.0;
}

/* Shares as real tables have them: few large ones, many small. */
static void make_shares(double shares[ROWS])
{
    double sum = 0;
    for (int i = 0; i < ROWS; i++)
        sum += shares[i] = 1.0 / ((i + 1) * (i + 1));
    for (int i = 0; i < ROWS; i++)
        shares[i] /= sum;
}

static void draw(struct prng *prng, const double shares[ROWS], int samples, double out[ROWS])
{
    memset(out, 0, ROWS * sizeof *out);
    for (int i = 0; i < samples; i++) {
        double at = uniform(prng);
        int row = 0;
        while (row < ROWS - 1 && at >= shares[row])
            at -= shares[row++];
        out[row] += 1.0 / samples;
    }
}

/* How many rows are reported between two drawings. */
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

static void chance_is_seldom_reported(void **state)
{
    (void)state;
    static const int sizes[][2] = {{200, 200}, {200, 2000}, {1000, 1000}};
    struct prng prng = {SEED};
    double shares[ROWS], a[ROWS], b[ROWS];
    make_shares(shares);
    for (size_t k = 0; k < 3; k++) {
        int alarms = 0;
        for (int i = 0; i < TRIALS; i++) {
            draw(&prng, shares, sizes[k][0], a);
            draw(&prng, shares, sizes[k][1], b);
            alarms += reported(a, sizes[k][0], b, sizes[k][1]) > 0;
        }
        printf("%d and %d samples: any of %d rows reported in %.1f %% of %d comparisons\n",
               sizes[k][0], sizes[k][1], ROWS, 100.0 * alarms / TRIALS, TRIALS);
        /* The level, and three standard errors of this many trials. */
        assert_true(alarms <= TRIALS * COMPARE_LEVEL +
                                  3 * sqrt(TRIALS * COMPARE_LEVEL * (1 - COMPARE_LEVEL)));
    }
}

static void change_is_found(void **state)
{
    (void)state;
    enum { POWER_TRIALS = 300, SAMPLES = 2000, CHANGED = 2 };
    struct prng prng = {SEED};
    double before[ROWS], after[ROWS], a[ROWS], b[ROWS];
    int found = 0;
    make_shares(before);
    make_shares(after);
    /* 6.8 % becomes half of it; the largest row takes the rest. */
    after[CHANGED] /= 2;
    after[0] += after[CHANGED];
    for (int i = 0; i < POWER_TRIALS; i++) {
        draw(&prng, before, SAMPLES, a);
        draw(&prng, after, SAMPLES, b);
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

/* Runs wander by far more than their samples: only between runs is that seen. */
static void runs_that_wander_are_no_change(void **state)
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
                sums[0] += uniform(&prng), sums[1] += uniform(&prng);
            a[k] = 0.3 + 0.03 * (sums[0] - 6);
            b[k] = 0.3 + 0.03 * (sums[1] - 6);
        }
        double floor = 0.3 * 0.7 / SAMPLES / RUNS;
        single += compare_shares(a[0], SAMPLES, b[0], SAMPLES).p <= COMPARE_LEVEL;
        several += compare_runs(a, RUNS, floor, b, RUNS, floor).p <= COMPARE_LEVEL;
    }
    printf("runs that wander by 3 points: taken for change in %.1f %% with one run a side, in "
           "%.1f %% with %d\n",
           100.0 * single / TRIALS, 100.0 * several / TRIALS, RUNS);
    assert_true(several <=
                TRIALS * COMPARE_LEVEL + 3 * sqrt(TRIALS * COMPARE_LEVEL * (1 - COMPARE_LEVEL)));
    assert_true(single > several * 4);
}

/* Phases at their own times: samples are not independent, and the parts of the runs tell. */
static void phases_widen_what_chance_makes(void **state)
{
    (void)state;
    enum { PARTS = 32, EACH = 100 };
    struct prng prng = {SEED};
    int alarms = 0;
    for (int i = 0; i < TRIALS; i++) {
        double parts[2][PARTS], share[2] = {0, 0};
        for (int side = 0; side < 2; side++)
            for (int k = 0; k < PARTS; k++) {
                double phase = uniform(&prng) < 0.5 ? 0.2 : 0.8;
                int hits = 0;
                for (int n = 0; n < EACH; n++)
                    hits += uniform(&prng) < phase;
                parts[side][k] = (double)hits / EACH;
                share[side] += parts[side][k] / PARTS;
            }
        double samples = PARTS * EACH;
        double design = compare_design(parts[0], parts[1], PARTS, samples, samples);
        alarms += compare_shares(share[0], samples / design, share[1], samples / design).p <=
                  COMPARE_LEVEL;
    }
    printf("phases out of step: taken for change in %.1f %%\n", 100.0 * alarms / TRIALS);
    assert_true(alarms <=
                TRIALS * COMPARE_LEVEL + 3 * sqrt(TRIALS * COMPARE_LEVEL * (1 - COMPARE_LEVEL)));
}

/* In step they are the same on both sides, and hide nothing. */
static void phases_in_step_cancel(void **state)
{
    (void)state;
    enum { PARTS = 32 };
    double a[PARTS], b[PARTS];
    for (int i = 0; i < PARTS; i++) {
        a[i] = i / 8 % 2 ? 0.9 : 0.1;
        b[i] = a[i];
    }
    NEAR(compare_design(a, b, PARTS, 3200, 3200), 1, 1e-9);
    /* ... and out of step they count for more than single parts would say. */
    for (int i = 0; i < PARTS; i++)
        b[i] = (i + 5) / 8 % 2 ? 0.9 : 0.1;
    assert_true(compare_design(a, b, PARTS, 3200, 3200) > 100);
    assert_true(compare_design(a, b, 4, 3200, 3200) == 1);
}

static void amounts(void **state)
{
    (void)state;
    struct compare_times times = compare_amounts(100, 400, 50, 400);
    NEAR(times.value, 0.5, 1e-12);
    /* 1.96 * sqrt(2/400) = 0.1386 */
    NEAR(times.low, 0.5 * exp(-0.13859), 1e-4);
    NEAR(times.high, 0.5 * exp(0.13859), 1e-4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_are_those_published),
        cmocka_unit_test(quantiles_are_those_of_the_tables),
        cmocka_unit_test(what_is_not_known_stays_unknown),
        cmocka_unit_test(holm_by_hand),
        cmocka_unit_test(chance_is_seldom_reported),
        cmocka_unit_test(change_is_found),
        cmocka_unit_test(runs_that_wander_are_no_change),
        cmocka_unit_test(phases_widen_what_chance_makes),
        cmocka_unit_test(phases_in_step_cancel),
        cmocka_unit_test(amounts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
