/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "base/hash.h"
#include "profile/time/streams.h"

#include <math.h>
#include <stdlib.h>

enum { PERIOD = 100 };

static void steps_are_symmetric(void **state)
{
    struct prng prng = {1};
    (void)state;
    /* The paper's own: doubled or halved is 0.5. */
    assert_true(volatility_step(100, 200) == 0.5 && volatility_step(200, 100) == 0.5);
    assert_true(volatility_step(0, 0) == 0);
    assert_true(volatility_step(0, 7) == 1 && volatility_step(7, 0) == 1);
    for (int i = 0; i < 1000; i++) {
        double a = (double)prng_below(&prng, 1000);
        double b = (double)prng_below(&prng, 1000);
        assert_true(volatility_step(a, b) == volatility_step(b, a));
        assert_true(volatility_step(a, b) >= 0 && volatility_step(a, b) <= 1);
    }
}

/* Ten steps: 0, 0.1 ... 0.9; nine in ten are 0.8 or less. */
static void nine_in_ten_are_at_or_below(void **state)
{
    double curve[11] = {1000};
    (void)state;
    for (int i = 1; i < 11; i++)
        curve[i] = curve[i - 1] * (1 - 0.1 * (i - 1));
    assert_true(fabs(volatility_of(curve, 11) - 0.8) < 1e-12);
    assert_true(isnan(volatility_of(curve, VOLATILITY_POINTS_MIN - 1)));
}

static int ascending(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;
    return (a > b) - (a < b);
}

/* By sorting all steps, as one would by hand. */
static void it_is_what_sorting_finds(void **state)
{
    struct prng prng = {5};
    double curve[STREAMS_POINTS];
    double steps[STREAMS_POINTS];
    (void)state;
    for (size_t count = VOLATILITY_POINTS_MIN; count <= STREAMS_POINTS; count += 7) {
        for (size_t i = 0; i < count; i++)
            curve[i] = (double)prng_below(&prng, count % 3 ? 1000 : 3);
        for (size_t i = 1; i < count; i++)
            steps[i - 1] = volatility_step(curve[i - 1], curve[i]);
        qsort(steps, count - 1, sizeof *steps, ascending);
        size_t rank = (size_t)ceil(0.9 * (double)(count - 1) - 1e-9);
        assert_true(volatility_of(curve, count) == steps[rank - 1]);
    }
}

/* Rare large steps are phases, not noise. */
static void phases_do_not_count(void **state)
{
    double curve[100];
    (void)state;
    for (int i = 0; i < 100; i++)
        curve[i] = i / 25 % 2 ? 1000 : 10;
    assert_true(volatility_of(curve, 100) == 0);
}

/* A sum of points of which each is drawn from `mean` +- `spread`, times what the program's own
 * period makes of it. */
static size_t profile_of(double spread, unsigned period, struct volatility *profile)
{
    struct streams streams;
    struct streams_budget budget = {0, STREAMS_MAX};
    struct prng prng = {5};
    double total = 0;
    streams_init(&streams, &budget, 0, PERIOD);
    for (unsigned i = 0; i < STREAMS_POINTS - 1; i++) {
        double noise = 1 + spread * ((double)prng_below(&prng, 2001) / 1000 - 1);
        total += 1000 * noise * (!period || i % period < period / 2 ? 1 : 0.1);
        streams_put(&streams, 1, total);
        streams_close(&streams, (i + 1) * PERIOD);
    }
    size_t count = volatility_profile(&streams, 0, 3, profile);
    streams_fini(&streams);
    return count;
}

/* 4.3: natural damping, at each doubling. */
static void noise_falls_with_the_period(void **state)
{
    struct volatility profile[VOLATILITY_PERIODS_MAX];
    (void)state;
    size_t count = profile_of(0.9, 0, profile);
    assert_true(count > 15);
    for (size_t i = 0, k = 0; k < count && profile[k].by <= 32; k++) {
        if (profile[k].by < 2 * profile[i].by)
            continue;
        assert_true(profile[k].value < profile[i].value);
        i = k;
    }
    size_t period = volatility_period(profile, count, 0.25);
    assert_true(period > 4 && period < 64);
}

/* 4.3: troughs at multiples of the program's own period. */
static void a_planted_period_oscillates(void **state)
{
    enum { OWN = 10 };
    struct volatility profile[VOLATILITY_PERIODS_MAX];
    (void)state;
    size_t count = profile_of(0.01, OWN, profile);
    double at[2 * OWN + 1] = {0};
    for (size_t i = 0; i < count; i++)
        if (profile[i].by <= 2 * OWN)
            at[profile[i].by] = profile[i].value;
    assert_true(at[OWN] < 0.05);
    assert_true(at[OWN - 3] > 0.2 && at[OWN + 3] > 0.2);
    assert_int_equal(volatility_period(profile, count, 0.1), OWN);
}

static void nothing_known_is_no_period(void **state)
{
    struct streams streams;
    struct streams_budget budget = {0, STREAMS_MAX};
    struct volatility profile[VOLATILITY_PERIODS_MAX];
    (void)state;
    streams_init(&streams, &budget, 0, PERIOD);
    assert_int_equal(volatility_profile(&streams, 0, 3, profile), 0);
    streams_put(&streams, 1, 1);
    streams_close(&streams, 3 * PERIOD);
    assert_int_equal(volatility_profile(&streams, 0, 3, profile), 0);
    assert_int_equal(volatility_period(profile, 0, 0.1), 0);
    streams_fini(&streams);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_symmetric),
        cmocka_unit_test(nine_in_ten_are_at_or_below),
        cmocka_unit_test(it_is_what_sorting_finds),
        cmocka_unit_test(phases_do_not_count),
        cmocka_unit_test(noise_falls_with_the_period),
        cmocka_unit_test(a_planted_period_oscillates),
        cmocka_unit_test(nothing_known_is_no_period),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
