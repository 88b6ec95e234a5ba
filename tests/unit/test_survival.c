/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Survival times against values worked out by hand, and how often the intervals hold. */
#include "unit.h"

#include "base/hash.h"
#include "profile/tables/statistics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { COUNT_MOST = 512 };

static void near(double value, double expected)
{
    if (!(fabs(value - expected) < 1e-9))
        fail_msg("%.12g instead of %.12g", value, expected);
}

/*
 * Ten, of whom two are lost sight of (+): 1 2 2 3+ 5 6 7+ 8 9 9. By hand:
 * S(1) 9/10, S(2) 7/10, S(5) 7/10 * 5/6, S(6) that * 4/5, S(8) that * 2/3, S(9) 0.
 */
static const struct survival_time ten[] = {{9, true}, {2, true},  {1, true}, {3, false}, {5, true},
                                           {8, true}, {7, false}, {2, true}, {6, true},  {9, true}};
enum { TEN = sizeof ten / sizeof *ten };

static void the_product_limit_by_hand(void **state)
{
    (void)state;
    struct survival_time times[TEN];
    memcpy(times, ten, sizeof ten);
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

/* Without anything censored it is the share, and the interval is Wilson's: 3 of 10. */
static void nothing_censored_is_a_share(void **state)
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

/* 20 watched, none touched: as sure as those still watched, and never "0 for certain". */
static void nothing_happened_is_no_certainty(void **state)
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

static void no_times_are_unknown(void **state)
{
    (void)state;
    assert_true(isnan(survival_happened(NULL, 0, 1).value));
    assert_true(isnan(survival_median(NULL, 0).value));
    near(survival_reach(NULL, 0, 1), 0);
}

static void the_reach_is_where_enough_are_left(void **state)
{
    (void)state;
    struct survival_time times[20];
    for (int i = 0; i < 20; i++)
        times[i] = (struct survival_time){i + 1, false};
    /* After the 12th, all of whom were waited for until then, 8 are left. */
    near(survival_reach(times, 20, 9), 12);
    for (int i = 0; i < 20; i++)
        times[i].happened = true;
    near(survival_reach(times, 20, 9), 20);
}

/* ---- how often the intervals hold ---- */

static double uniform(struct prng *prng)
{
    return ((double)(prng_next(prng) >> 11) + 0.5) / 9007199254740992.0;
}

/* Exponential times of mean 1, censored at exponential times of another mean; 0: never. */
static void draw(struct prng *prng, struct survival_time *times, size_t count, double censored)
{
    for (size_t i = 0; i < count; i++) {
        double time = -log(uniform(prng));
        double until = censored > 0 ? -log(uniform(prng)) * censored : INFINITY;
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
    struct survival_time times[COUNT_MOST];
    struct prng prng = {20261121};
    double median = log(2);
    double share = 1 - exp(-at);
    int held[2] = {0};
    int known = 0;
    for (int i = 0; i < ROUNDS; i++) {
        draw(&prng, times, count, censored);
        struct survival_median found = survival_median(times, count);
        struct snapshot_share happened = survival_happened(times, count, at);
        /* No upper end is no bound. */
        held[0] += found.low <= median && !(found.high < median);
        known += !isnan(happened.value);
        held[1] += happened.low <= share && happened.high >= share;
    }
    /* Where all were lost sight of before, nothing is said. */
    return (struct coverage){(double)held[0] / ROUNDS, (double)held[1] / known};
}

/* 95 % is asked for. Peto's count of observations is on the safe side where many are censored. */
static void intervals_hold_as_often_as_they_say(void **state)
{
    static const size_t counts[] = {10, 30, 100, 500};
    static const double censored[] = {0, 2, 0.5};
    (void)state;
    printf("  intervals that hold the truth (median; share at 0.5), of 95%% asked for\n");
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_product_limit_by_hand),
        cmocka_unit_test(nothing_censored_is_a_share),
        cmocka_unit_test(nothing_happened_is_no_certainty),
        cmocka_unit_test(no_times_are_unknown),
        cmocka_unit_test(the_reach_is_where_enough_are_left),
        cmocka_unit_test(intervals_hold_as_often_as_they_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
