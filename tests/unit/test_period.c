/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "sample/perf/session.h"

static bool divides_none(uint64_t value)
{
    for (uint64_t divisor = 2; divisor * divisor <= value; divisor++)
        if (value % divisor == 0)
            return false;
    return value > 1;
}

static void primes_are_the_next_ones(void **state)
{
    (void)state;
    assert_int_equal(period_prime(0), 2);
    assert_int_equal(period_prime(4), 5);
    assert_int_equal(period_prime(9), 11);
    assert_int_equal(period_prime(25), 29);
    assert_int_equal(period_prime(10000), 10007);
    assert_int_equal(period_prime(50000), 50021);
}

static void jitter_is_prime_near_and_varied(void **state)
{
    struct prng prng = {.state = 1};
    uint64_t least = UINT64_MAX;
    uint64_t most = 0;
    uint64_t sum = 0;
    (void)state;
    for (int i = 0; i < 1000; i++) {
        uint64_t period = period_jitter(50000, &prng);
        assert_true(divides_none(period));
        least = period < least ? period : least;
        most = period > most ? period : most;
        sum += period;
    }
    assert_in_range(least, 45000, 46000);
    assert_in_range(most, 54000, 55100);
    assert_in_range(sum / 1000, 49500, 50500);
}

static void steering_reaches_the_rate_of_a_steady_program(void **state)
{
    uint64_t period = 10007;
    (void)state;
    /* 300 million misses a second: 2000 samples a second need a period of 150,000. */
    for (int i = 0; i < 20; i++)
        period = period_steer(period, 3e8 / (double)period, 2000, 997, UINT64_C(1) << 36);
    assert_in_range(period, 140000, 160000);
    for (int i = 0; i < 20; i++)
        period = period_steer(period, 4e7 / (double)period, 2000, 997, UINT64_C(1) << 36);
    assert_in_range(period, 19000, 21000);
}

static void steering_keeps_its_bounds_and_its_step(void **state)
{
    (void)state;
    assert_int_equal(period_steer(1000, 0, 2000, 997, 5000), 997);
    assert_int_equal(period_steer(4000, 1e9, 2000, 997, 5000), 5000);
    assert_int_equal(period_steer(100000, 1e12, 2000, 1, UINT64_C(1) << 36), 400000);
    assert_int_equal(period_steer(100000, 0.001, 2000, 1, UINT64_C(1) << 36), 25000);
    assert_int_equal(period_steer(100000, 0, 2000, 1, UINT64_C(1) << 36), 50000);
}

static void steps_of_a_period_are_kept(void **state)
{
    struct prng prng = {.state = 7};
    (void)state;
    for (int i = 0; i < 200; i++) {
        uint64_t period = period_jitter_step(100000, 16, &prng);
        assert_int_equal(period % 16, 0);
        assert_true(divides_none(period / 16));
        assert_in_range(period, 89000, 111000);
    }
    assert_int_equal(period_jitter_step(3, 16, &prng) % 16, 0);
    assert_true(period_jitter_step(3, 16, &prng) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(primes_are_the_next_ones),
        cmocka_unit_test(jitter_is_prime_near_and_varied),
        cmocka_unit_test(steering_reaches_the_rate_of_a_steady_program),
        cmocka_unit_test(steering_keeps_its_bounds_and_its_step),
        cmocka_unit_test(steps_of_a_period_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
