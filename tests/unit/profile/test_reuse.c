/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Legs of watches, computed by hand; and the results for known programs, with the blind time of
 * watching from outside. */
#include <math.h>
#include <stdio.h>

#include "base/hash.h"
#include "profile/cache/reuse.h"
#include "profile/tables/statistics.h"
#include "unit.h"

#define MS UINT64_C(1000000)

static struct reuse reuse;

static int setup(void **state)
{
    (void)state;
    return reuse_init(&reuse);
}

static int teardown(void **state)
{
    (void)state;
    reuse_fini(&reuse);
    return 0;
}

static const struct reuse_leg *last_leg(void)
{
    return &reuse.legs[(reuse.leg_count - 1) % REUSE_LEGS];
}

static void add_leg(uint64_t origin_ms, uint64_t armed_ms, uint64_t end_ms, enum watch_end end)
{
    struct watch_result result = {.kind = WATCH_FIRST,
                                  .end = (uint8_t)end,
                                  .object = 7,
                                  .origin_tid = 1,
                                  .toucher_tid = 2,
                                  .origin_ns = origin_ms * MS,
                                  .armed_ns = armed_ms * MS,
                                  .end_ns = end_ms * MS};
    reuse_add(&reuse, &result, 3, 0x1234);
}

static void near(double value, double expected)
{
    if (!(fabs(value - expected) < 1e-9))
        fail_msg("expected %.12g, got %.12g", expected, value);
}

/* Blind for 2 ms, then waited 10: all of it. Blind for 10 ms, then waited 2: twice the wait. */
static void long_blind_time_doubles_the_wait(void **state)
{
    (void)state;
    add_leg(100, 102, 112, WATCH_TOUCHED);
    near(last_leg()->seconds, 0.012);
    near(last_leg()->waited_s, 0.010);
    assert_true(last_leg()->was_touched && last_leg()->by_another_thread);
    add_leg(100, 110, 112, WATCH_TOUCHED);
    near(last_leg()->seconds, 0.004);
    add_leg(100, 102, 112, WATCH_REPLACED);
    assert_false(last_leg()->was_touched);
    assert_false(last_leg()->by_another_thread);
}

/* It did not run for 6 of the 10 ms. */
static void off_cpu_time_is_subtracted(void **state)
{
    struct watch_result result = {.end = WATCH_TOUCHED,
                                  .origin_ns = 100 * MS,
                                  .armed_ns = 101 * MS,
                                  .end_ns = 111 * MS,
                                  .off_cpu_ns = 6 * MS};
    (void)state;
    reuse_add(&reuse, &result, 0, 0);
    near(last_leg()->waited_s, 0.004);
    near(last_leg()->seconds, 0.005);
}

static void dropped_watches_add_no_leg(void **state)
{
    (void)state;
    add_leg(100, 102, 112, WATCH_DROPPED);
    assert_int_equal(reuse.leg_count, 0);
}

/* 10 misses per ms, three of four by thread 1; the first miss of a leg does not count. */
static void misses_during_a_leg_are_counted(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 200; i++)
        reuse_count(&reuse, i * MS, i % 4 ? 1 : 2, i == 100 ? 1000 : 10);
    add_leg(100, 102, 112, WATCH_TOUCHED);
    near(last_leg()->misses, 120);
    near(last_leg()->thread_misses, 90);
    add_leg(100, 100, 100, WATCH_TOUCHED);
    near(last_leg()->misses, 0);
}

static void overwritten_miss_history_gives_nan(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < REUSE_MISSES + 1000; i++)
        reuse_count(&reuse, i * MS, 1, 1);
    add_leg(500, 501, 60000, WATCH_TOUCHED);
    assert_true(isnan(last_leg()->misses));
    add_leg(2000, 2001, 3000, WATCH_TOUCHED);
    near(last_leg()->misses, 1000);
}

static void leg_history_is_bounded(void **state)
{
    (void)state;
    for (int i = 0; i < REUSE_LEGS + 5; i++)
        add_leg(1, 2, 3, WATCH_TOUCHED);
    assert_int_equal(reuse.leg_count, REUSE_LEGS + 5);
    reuse_clear(&reuse);
    assert_int_equal(reuse.leg_count, 0);
}

/* ---- estimates with a realistic blind time ---- */

static double uniform(struct prng *prng)
{
    return ((double)(prng_next(prng) >> 11) + 0.5) / 9007199254740992.0;
}

/* A line touched every `period` ms: a leg that starts at a touch, with a mean blind time of `blind`
 * ms. */
static struct survival_time leg_of(struct prng *prng, double period, double blind)
{
    double armed = -log(uniform(prng)) * blind;
    double touch = ceil(armed / period) * period;
    return (struct survival_time){reuse_estimate(armed, touch - armed), true};
}

/* Returns the factor by which the median is wrong, for lines with periods around `period` ms. */
static double off_by(double period, double blind)
{
    enum { LEGS = 400 };
    struct survival_time times[LEGS];
    struct prng prng = {7};
    for (int i = 0; i < LEGS; i++)
        times[i] = leg_of(&prng, period * exp(uniform(&prng) - 0.5), blind);
    survival_sort(times, LEGS);
    return survival_median(times, LEGS).value / period;
}

/* Right if a reuse takes much longer or shorter than the blind time, and within a factor of two in
 * between. */
static void reuse_time_is_accurate_despite_blind_time(void **state)
{
    static const double periods[] = {0.001, 0.01, 0.1, 0.3, 1, 3, 10, 100};
    static const double blind = 0.1;
    (void)state;
    printf("  estimated / true reuse time, with 0.1 ms blind time:");
    for (size_t i = 0; i < sizeof periods / sizeof *periods; i++) {
        double factor = off_by(periods[i], blind);
        bool far = periods[i] >= 10 * blind || periods[i] <= blind / 10;
        printf(" %g ms %.2f", periods[i], factor);
        assert_true(factor > (far ? 0.85 : 0.5) && factor < (far ? 1.15 : 2));
    }
    printf("\n");
}

/* ---- verdicts ---- */

static enum watch_verdict verdict(struct snapshot_share again, struct snapshot_median reuse_s,
                                  struct snapshot_median misses, bool counts, bool crowded)
{
    struct snapshot_watch_object object = {.watched = 50,
                                           .touched_again_share = again,
                                           .touched_within_long = again,
                                           .again_within_s = 0.5,
                                           .reuse_s = reuse_s,
                                           .misses = misses};
    struct reuse_question question = {.counts_misses = counts,
                                      .period = 1000,
                                      .lines = 16384,
                                      .crowded_sets = crowded,
                                      .object_lines = NAN,
                                      .other_data_share = NAN};
    return reuse_verdict(&object, &question);
}

/* The effect of the order and size of the object. */
static enum watch_verdict verdict_in(enum spread_order order, struct snapshot_share again,
                                     struct snapshot_median reuse_s, double object_lines,
                                     double elsewhere)
{
    struct snapshot_watch_object object = {.watched = 50,
                                           .touched_again_share = again,
                                           .touched_within_long = again,
                                           .again_within_s = 0.1,
                                           .reuse_s = reuse_s,
                                           .misses = {NAN, NAN, NAN}};
    struct reuse_question question = {.period = 1000,
                                      .lines = 16384,
                                      .order = order,
                                      .object_lines = object_lines,
                                      .other_data_share = elsewhere,
                                      .last_lines = 524288};
    return reuse_verdict(&object, &question);
}

/* 64 MiB at random: a third of the lines return within the longest wait. Not returning in time does
 * not mean never returning. */
static void censored_watches_are_not_streaming(void **state)
{
    const struct snapshot_share third = {0.33, 0.25, 0.42};
    const struct snapshot_share none = {0, 0, 0.08};
    const struct snapshot_share surely_none = {0, 0, 0.01};
    const struct snapshot_share often = {0.9, 0.8, 0.95};
    const struct snapshot_median unknown = {NAN, NAN, NAN};
    const struct snapshot_median lap = {22e-3, 21e-3, 23e-3};
    const struct snapshot_median bound = {NAN, 0, 96e-6};
    (void)state;
    assert_int_equal(verdict_in(SPREAD_SCATTERED, third, unknown, 1 << 20, 0.1), WATCH_CAPACITY);
    assert_int_equal(verdict_in(SPREAD_UNKNOWN, third, unknown, 1 << 20, 0.1), WATCH_CAPACITY);
    assert_int_equal(verdict_in(SPREAD_SCATTERED, none, unknown, 1 << 24, 0.1), WATCH_TOO_FEW);
    assert_int_equal(verdict_in(SPREAD_SCATTERED, surely_none, unknown, 1 << 24, 0.1),
                     WATCH_STREAMING);
    assert_int_equal(verdict_in(SPREAD_FORWARD, none, unknown, 1 << 24, 0.1), WATCH_STREAMING);
    assert_int_equal(verdict_in(SPREAD_UNKNOWN, none, unknown, 1 << 24, 0.1), WATCH_TOO_FEW);
    assert_int_equal(verdict_in(SPREAD_UNKNOWN, surely_none, unknown, 1 << 24, 0.1),
                     WATCH_STREAMING);
    /* Half a GiB read in order returns after a pass that is shorter than the wait. */
    assert_int_equal(verdict_in(SPREAD_FORWARD, often, lap, 1 << 23, 0.1), WATCH_STREAMING);
    assert_int_equal(verdict_in(SPREAD_FORWARD, often, lap, 1 << 18, 0.1), WATCH_CAPACITY);
    assert_int_equal(verdict_in(SPREAD_SCATTERED, often, lap, 1 << 23, 0.1), WATCH_CAPACITY);
    /* 16 KiB that take all the time: nothing else can have filled the cache. */
    assert_int_equal(verdict_in(SPREAD_UNKNOWN, often, bound, 256, 0.05), WATCH_CACHED);
    assert_int_equal(verdict_in(SPREAD_UNKNOWN, often, bound, 256, 0.9), WATCH_REUSED);
    assert_int_equal(verdict_in(SPREAD_UNKNOWN, often, bound, NAN, NAN), WATCH_REUSED);
}

static void watch_verdict_follows_reuse_time_and_misses(void **state)
{
    const struct snapshot_share never = {0, 0, 0.01};
    const struct snapshot_share often = {0.9, 0.8, 0.95};
    const struct snapshot_share perhaps = {0.5, 0.1, 0.9};
    const struct snapshot_median unknown = {NAN, NAN, NAN};
    const struct snapshot_median soon = {1e-6, 1e-6, 2e-6};
    const struct snapshot_median later = {1e-4, 0.9e-4, 1.1e-4};
    const struct snapshot_median late = {1e-2, 0.9e-2, 1.1e-2};
    const struct snapshot_median few = {1000, 900, 1100};
    const struct snapshot_median many = {20000, 19000, 21000};
    (void)state;
    assert_int_equal(verdict(never, unknown, unknown, false, false), WATCH_STREAMING);
    assert_int_equal(verdict(perhaps, late, many, true, false), WATCH_TOO_FEW);
    assert_int_equal(verdict(often, late, many, true, false), WATCH_CAPACITY);
    assert_int_equal(verdict(often, late, few, true, false), WATCH_CONFLICT);
    assert_int_equal(verdict(often, soon, unknown, true, false), WATCH_CONFLICT);
    assert_int_equal(verdict(often, late, unknown, false, false), WATCH_CAPACITY);
    assert_int_equal(verdict(often, later, unknown, false, false), WATCH_REUSED);
    assert_int_equal(verdict(often, later, unknown, false, true), WATCH_CONFLICT);
    assert_int_equal(verdict(often, soon, unknown, false, false), WATCH_CACHED);
    assert_int_equal(verdict(often, unknown, unknown, false, false), WATCH_REUSED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(long_blind_time_doubles_the_wait, setup, teardown),
        cmocka_unit_test_setup_teardown(off_cpu_time_is_subtracted, setup, teardown),
        cmocka_unit_test_setup_teardown(dropped_watches_add_no_leg, setup, teardown),
        cmocka_unit_test_setup_teardown(misses_during_a_leg_are_counted, setup, teardown),
        cmocka_unit_test_setup_teardown(overwritten_miss_history_gives_nan, setup, teardown),
        cmocka_unit_test_setup_teardown(leg_history_is_bounded, setup, teardown),
        cmocka_unit_test(reuse_time_is_accurate_despite_blind_time),
        cmocka_unit_test(watch_verdict_follows_reuse_time_and_misses),
        cmocka_unit_test(censored_watches_are_not_streaming),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
