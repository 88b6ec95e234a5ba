/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <malloc.h>
#include <math.h>
#include <stdlib.h>

#include "base/hash.h"
#include "profile/tables/statistics.h"
#include "profile/time/decay.h"
#include "profile/time/streams.h"
#include "unit.h"

enum { START = 7000, STREAMS_PERIOD = 100 };

/* The increase in each of the first periods, stored plainly. */
struct plain {
    double *at; /* [key][period] */
    double *totals;
    size_t keys;
    size_t periods;
};

static struct plain plain_new(size_t keys, size_t periods)
{
    return (struct plain){calloc(keys * periods, sizeof(double)), calloc(keys, sizeof(double)),
                          keys, periods};
}

static void plain_free(struct plain *plain)
{
    free(plain->at);
    free(plain->totals);
}

/* Random counts in every period; whole numbers, so that sums are exact in any order. */
static void add_random_counts(struct streams *streams, struct plain *plain, struct prng *prng)
{
    for (size_t period = 0; period < plain->periods; period++) {
        for (size_t key = 0; key < plain->keys; key++) {
            double added = prng_below(prng, 4) ? 0 : (double)prng_below(prng, 1000);
            plain->at[key * plain->periods + period] = added;
            plain->totals[key] += added;
            streams_put(streams, key * 3 + 1, plain->totals[key]);
        }
        streams_close(streams, START + (period + 1) * STREAMS_PERIOD);
    }
}

static void expect_sums(const struct streams *streams, const struct plain *plain)
{
    size_t folded = streams->period_ns / STREAMS_PERIOD;
    for (size_t key = 0; key < plain->keys; key++) {
        const struct stream *stream = streams_find(streams, key * 3 + 1);
        assert_int_equal(stream != NULL, plain->totals[key] > 0);
        if (!stream)
            continue;
        for (size_t i = 0; i < streams->points; i++) {
            double sum = 0;
            for (size_t k = i * folded; k < (i + 1) * folded; k++)
                sum += plain->at[key * plain->periods + k];
            assert_true(stream->at[i] == sum);
        }
        assert_true(stream->total == plain->totals[key]);
    }
}

static void stream_points_match_sums_for_any_length(void **state)
{
    static const size_t lengths[] = {1, 2, 511, 512, 513, 1023, 1024, 5000};
    (void)state;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        struct prng prng = {i + 1};
        struct plain plain = plain_new(20, lengths[i]);
        struct streams streams;
        struct streams_budget budget = {0, STREAMS_MAX};
        streams_init(&streams, &budget, START, STREAMS_PERIOD);
        add_random_counts(&streams, &plain, &prng);
        assert_true(streams.points < STREAMS_POINTS);
        assert_true(streams.points * (streams.period_ns / STREAMS_PERIOD) <= lengths[i]);
        assert_true((streams.points + 1) * (streams.period_ns / STREAMS_PERIOD) > lengths[i]);
        expect_sums(&streams, &plain);
        streams_fini(&streams);
        plain_free(&plain);
    }
}

static void stream_curves_are_sums_of_points(void **state)
{
    (void)state;
    struct prng prng = {3};
    struct plain plain = plain_new(3, 400);
    struct streams streams;
    struct streams_budget budget = {0, STREAMS_MAX};
    double curve[STREAMS_POINTS];
    streams_init(&streams, &budget, START, STREAMS_PERIOD);
    add_random_counts(&streams, &plain, &prng);
    for (size_t by = 1; by < 401; by += 7) {
        const struct stream *stream = streams_find(&streams, 4);
        size_t count = streams_curve(&streams, stream, by, curve);
        assert_int_equal(count, 400 / by);
        for (size_t i = 0; i < count; i++) {
            double sum = 0;
            for (size_t k = i * by; k < (i + 1) * by; k++)
                sum += plain.at[plain.periods + k];
            assert_true(curve[i] == sum);
        }
    }
    streams_fini(&streams);
    plain_free(&plain);
}

/* A long time without counts gives as many empty periods, with few calls. */
static void pause_without_counts_adds_empty_periods(void **state)
{
    (void)state;
    struct streams streams;
    struct streams_budget budget = {0, STREAMS_MAX};
    streams_init(&streams, &budget, START, STREAMS_PERIOD);
    streams_put(&streams, 1, 5);
    streams_close(&streams, START + 1000 * STREAMS_PERIOD);
    streams_put(&streams, 1, 8);
    streams_close(&streams, START + 2000 * STREAMS_PERIOD);
    const struct stream *stream = streams_find(&streams, 1);
    assert_int_equal(streams.period_ns, 4 * STREAMS_PERIOD);
    assert_int_equal(streams.points, 500);
    assert_true(stream->at[0] == 5 && stream->at[250] == 3 && stream->total == 8);
    streams_fini(&streams);
}

static void falling_total_is_a_restarted_counter(void **state)
{
    (void)state;
    struct streams streams;
    struct streams_budget budget = {0, STREAMS_MAX};
    streams_init(&streams, &budget, START, STREAMS_PERIOD);
    streams_put(&streams, 1, 50);
    streams_close(&streams, START + STREAMS_PERIOD);
    streams_put(&streams, 1, 20);
    streams_close(&streams, START + 2 * STREAMS_PERIOD);
    const struct stream *stream = streams_find(&streams, 1);
    assert_true(stream->at[0] == 50 && stream->at[1] == 20 && stream->total == 70);
    streams_fini(&streams);
}

/* The larger streams stay, with their whole history; a late one starts where it came. */
static void largest_streams_are_kept(void **state)
{
    (void)state;
    struct streams streams;
    struct streams_budget budget = {0, STREAMS_MAX};
    streams_init(&streams, &budget, START, STREAMS_PERIOD);
    budget.max = 4;
    for (uint64_t key = 1; key <= 4; key++)
        streams_put(&streams, key, (double)key * 100);
    streams_close(&streams, START + STREAMS_PERIOD);
    assert_false(streams.has_evicted);
    streams_put(&streams, 5, 99);
    assert_null(streams_find(&streams, 5));
    assert_true(streams.has_evicted);
    streams_put(&streams, 5, 150);
    assert_null(streams_find(&streams, 1));
    streams_put(&streams, 5, 180);
    const struct stream *late = streams_find(&streams, 5);
    assert_true(late->total == 30 && late->at[0] == 0 && late->at[1] == 30);
    assert_true(streams_find(&streams, 2)->at[0] == 200);
    streams_fini(&streams);
}

/* A day of 10,000 objects at 4 periods per second, for misses, accesses and waiting: after the
 * first minutes memory does not grow, and all three take no more than one would. */
static void stream_memory_of_a_day_is_bounded(void **state)
{
    enum { OBJECTS = 10000, BUSY = 200, HOURS = 24, MEASURES = 3 };
    const uint64_t quarter = 250000000;
    struct prng prng = {9};
    struct streams streams[MEASURES];
    struct streams_budget budget = {0, STREAMS_MAX};
    double *totals = calloc(OBJECTS, sizeof *totals);
    size_t after_an_hour = 0;
    (void)state;
    for (int i = 0; i < MEASURES; i++)
        streams_init(&streams[i], &budget, 0, quarter);
    for (uint64_t step = 1; step <= HOURS * UINT64_C(3600) * 4; step++) {
        /* Most are rarely updated, so that the test takes a second instead of a minute. */
        for (size_t i = 0; i < BUSY / 100; i++) {
            size_t object = prng_below(&prng, step % 64 ? BUSY : OBJECTS);
            totals[object] += 1 + (double)prng_below(&prng, 9);
            for (int k = 0; k < MEASURES; k++)
                streams_put(&streams[k], object, totals[object] * (k + 1));
        }
        for (int i = 0; i < MEASURES; i++)
            streams_close(&streams[i], step * quarter);
        if (step == UINT64_C(3600) * 4)
            after_an_hour = mallinfo2().uordblks + mallinfo2().hblkhd;
    }
    size_t in_the_end = mallinfo2().uordblks + mallinfo2().hblkhd;
    print_message("streams: %zu, %.1f s per point, %.1f MiB after an hour, %.1f MiB after a day\n",
                  budget.used, (double)streams[0].period_ns / 1e9, (double)after_an_hour / 0x1p20,
                  (double)in_the_end / 0x1p20);
    assert_int_equal(streams[0].count + streams[1].count + streams[2].count, budget.used);
    assert_int_equal(budget.used, STREAMS_MAX);
    assert_true(in_the_end < after_an_hour + STREAMS_MAX * (STREAMS_POINTS * sizeof(double) + 128));
    assert_true(in_the_end < (size_t)48 << 20);
    for (int k = 0; k < MEASURES; k++) {
        double sum = 0;
        const struct stream *busiest = streams_find(&streams[k], 0);
        for (size_t i = 0; i <= streams[k].points; i++)
            sum += busiest->at[i];
        assert_true(sum == totals[0] * (k + 1));
        streams_fini(&streams[k]);
    }
    assert_int_equal(budget.used, 0);
    free(totals);
}

static int run_streams(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stream_points_match_sums_for_any_length),
        cmocka_unit_test(stream_curves_are_sums_of_points),
        cmocka_unit_test(pause_without_counts_adds_empty_periods),
        cmocka_unit_test(falling_total_is_a_restarted_counter),
        cmocka_unit_test(largest_streams_are_kept),
        cmocka_unit_test(stream_memory_of_a_day_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

enum { VOLATILITY_PERIOD = 100 };

static void volatility_step_is_symmetric(void **state)
{
    struct prng prng = {1};
    (void)state;
    /* From the paper: doubled or halved is 0.5. */
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

/* Ten steps: 0, 0.1 ... 0.9; nine in ten are at most 0.8. */
static void volatility_is_the_ninth_decile(void **state)
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

/* Compares with sorting all steps. */
static void volatility_matches_sorting(void **state)
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
static void rare_large_steps_are_not_volatility(void **state)
{
    double curve[100];
    (void)state;
    for (int i = 0; i < 100; i++)
        curve[i] = i / 25 % 2 ? 1000 : 10;
    assert_true(volatility_of(curve, 100) == 0);
}

/* A sum of points drawn from `mean` +- `spread`, times the effect of the program's own period. */
static size_t profile_of(double spread, unsigned period, struct volatility *profile)
{
    struct streams streams;
    struct streams_budget budget = {0, STREAMS_MAX};
    struct prng prng = {5};
    double total = 0;
    streams_init(&streams, &budget, 0, VOLATILITY_PERIOD);
    for (unsigned i = 0; i < STREAMS_POINTS - 1; i++) {
        double noise = 1 + spread * ((double)prng_below(&prng, 2001) / 1000 - 1);
        total += 1000 * noise * (!period || i % period < period / 2 ? 1 : 0.1);
        streams_put(&streams, 1, total);
        streams_close(&streams, (i + 1) * VOLATILITY_PERIOD);
    }
    size_t count = volatility_profile(&streams, 0, 3, profile);
    streams_fini(&streams);
    return count;
}

/* 4.3: natural damping with each doubling. */
static void volatility_falls_with_the_period(void **state)
{
    struct volatility profile[VOLATILITY_PERIODS_MAX];
    (void)state;
    size_t count = profile_of(0.9, 0, profile);
    assert_true(count > 15);
    for (size_t i = 0, k = 0; k < count && profile[k].period_steps <= 32; k++) {
        if (profile[k].period_steps < 2 * profile[i].period_steps)
            continue;
        assert_true(profile[k].value < profile[i].value);
        i = k;
    }
    size_t period = volatility_period(profile, count, 0.25);
    assert_true(period > 4 && period < 64);
}

/* 4.3: troughs at multiples of the program's own period. */
static void volatility_has_trough_at_own_period(void **state)
{
    enum { OWN = 10 };
    struct volatility profile[VOLATILITY_PERIODS_MAX];
    (void)state;
    size_t count = profile_of(0.01, OWN, profile);
    double at[2 * OWN + 1] = {0};
    for (size_t i = 0; i < count; i++)
        if (profile[i].period_steps <= 2 * OWN)
            at[profile[i].period_steps] = profile[i].value;
    assert_true(at[OWN] < 0.05);
    assert_true(at[OWN - 3] > 0.2 && at[OWN + 3] > 0.2);
    assert_int_equal(volatility_period(profile, count, 0.1), OWN);
}

static void volatility_without_points_has_no_period(void **state)
{
    struct streams streams;
    struct streams_budget budget = {0, STREAMS_MAX};
    struct volatility profile[VOLATILITY_PERIODS_MAX];
    (void)state;
    streams_init(&streams, &budget, 0, VOLATILITY_PERIOD);
    assert_int_equal(volatility_profile(&streams, 0, 3, profile), 0);
    streams_put(&streams, 1, 1);
    streams_close(&streams, 3 * VOLATILITY_PERIOD);
    assert_int_equal(volatility_profile(&streams, 0, 3, profile), 0);
    assert_int_equal(volatility_period(profile, 0, 0.1), 0);
    streams_fini(&streams);
}

static int run_volatility(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(volatility_step_is_symmetric),
        cmocka_unit_test(volatility_is_the_ninth_decile),
        cmocka_unit_test(volatility_matches_sorting),
        cmocka_unit_test(rare_large_steps_are_not_volatility),
        cmocka_unit_test(volatility_falls_with_the_period),
        cmocka_unit_test(volatility_has_trough_at_own_period),
        cmocka_unit_test(volatility_without_points_has_no_period),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

static void decay_matches_closed_form_when_renormalised(void **state)
{
    (void)state;
    struct decay decay;
    struct counted counted = {{0, 0}};
    double expected = 0;
    int renormalised = 0;
    decay_init(&decay, 1);
    for (uint64_t i = 0; i < 4000; i++) {
        double factor;
        double scale = decay_advance(&decay, 5 + i * 500000000);
        expected = expected * exp2(-0.5) + 1;
        counted_add(&counted, 1, scale);
        assert_true(fabs(counted_read(&counted, BASIS_DECAYED, scale) / expected - 1) < 1e-9);
        if (decay_renormalise(&decay, &factor)) {
            counted.at[BASIS_DECAYED] *= factor;
            renormalised++;
        }
    }
    assert_true(renormalised > 5);
    assert_true(counted.at[BASIS_RUN] == 4000);
}

static void half_life_zero_never_decays(void **state)
{
    (void)state;
    struct decay decay;
    double factor;
    decay_init(&decay, 0);
    decay_advance(&decay, 1);
    assert_true(decay_advance(&decay, UINT64_MAX) == 1);
    assert_false(decay_renormalise(&decay, &factor));
}

static void decay_survives_a_very_long_pause(void **state)
{
    (void)state;
    struct decay decay;
    double factor;
    decay_init(&decay, 1e-3);
    decay_advance(&decay, 1);
    assert_true(isfinite(decay_advance(&decay, UINT64_MAX)));
    assert_true(decay_renormalise(&decay, &factor));
    assert_true(factor == 0);
}

static void wilson_interval_covers_the_truth(void **state)
{
    (void)state;
    struct prng prng = {3};
    static const double shares[] = {0.02, 0.2, 0.5};
    for (int k = 0; k < 3; k++) {
        int covered = 0;
        for (int run = 0; run < 4000; run++) {
            int hits = 0;
            for (int i = 0; i < 400; i++)
                hits += prng_below(&prng, 1000000) < shares[k] * 1e6;
            struct snapshot_share share = interval_share(hits / 400.0, 400);
            covered += share.low <= shares[k] && shares[k] <= share.high;
        }
        print_message("share %.2f covered %.3f\n", shares[k], covered / 4000.0);
        assert_true(covered >= 4000 * 0.93 && covered <= 4000 * 0.975);
    }
    assert_true(isnan(interval_share(0.5, 0).value));
}

static int run_decay(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decay_matches_closed_form_when_renormalised),
        cmocka_unit_test(half_life_zero_never_decays),
        cmocka_unit_test(decay_survives_a_very_long_pause),
        cmocka_unit_test(wilson_interval_covers_the_truth)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
    int failed = 0;
    failed += run_streams();
    failed += run_volatility();
    failed += run_decay();
    return failed;
}
