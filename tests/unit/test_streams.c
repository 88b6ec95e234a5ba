/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "base/hash.h"
#include "profile/time/streams.h"

#include <malloc.h>
#include <stdlib.h>

enum { START = 7000, PERIOD = 100 };

/* What was added in each of the first periods, kept plainly. */
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

/* Random counts in every period, whole numbers, so that sums are exact in any order. */
static void run(struct streams *streams, struct plain *plain, struct prng *prng)
{
    for (size_t period = 0; period < plain->periods; period++) {
        for (size_t key = 0; key < plain->keys; key++) {
            double added = prng_below(prng, 4) ? 0 : (double)prng_below(prng, 1000);
            plain->at[key * plain->periods + period] = added;
            plain->totals[key] += added;
            streams_put(streams, key * 3 + 1, plain->totals[key]);
        }
        streams_close(streams, START + (period + 1) * PERIOD);
    }
}

static void expect_sums(const struct streams *streams, const struct plain *plain)
{
    size_t folded = streams->period_ns / PERIOD;
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

static void points_are_sums_over_any_time(void **state)
{
    static const size_t lengths[] = {1, 2, 511, 512, 513, 1023, 1024, 5000};
    (void)state;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        struct prng prng = {i + 1};
        struct plain plain = plain_new(20, lengths[i]);
        struct streams streams;
        struct streams_budget budget = {0, STREAMS_MAX};
        streams_init(&streams, &budget, START, PERIOD);
        run(&streams, &plain, &prng);
        assert_true(streams.points < STREAMS_POINTS);
        assert_true(streams.points * (streams.period_ns / PERIOD) <= lengths[i]);
        assert_true((streams.points + 1) * (streams.period_ns / PERIOD) > lengths[i]);
        expect_sums(&streams, &plain);
        streams_fini(&streams);
        plain_free(&plain);
    }
}

static void curves_are_sums_of_points(void **state)
{
    (void)state;
    struct prng prng = {3};
    struct plain plain = plain_new(3, 400);
    struct streams streams;
    struct streams_budget budget = {0, STREAMS_MAX};
    double curve[STREAMS_POINTS];
    streams_init(&streams, &budget, START, PERIOD);
    run(&streams, &plain, &prng);
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

/* Nothing for long: as many periods without anything, however few calls. */
static void silence_takes_its_time(void **state)
{
    (void)state;
    struct streams streams;
    struct streams_budget budget = {0, STREAMS_MAX};
    streams_init(&streams, &budget, START, PERIOD);
    streams_put(&streams, 1, 5);
    streams_close(&streams, START + 1000 * PERIOD);
    streams_put(&streams, 1, 8);
    streams_close(&streams, START + 2000 * PERIOD);
    const struct stream *stream = streams_find(&streams, 1);
    assert_int_equal(streams.period_ns, 4 * PERIOD);
    assert_int_equal(streams.points, 500);
    assert_true(stream->at[0] == 5 && stream->at[250] == 3 && stream->total == 8);
    streams_fini(&streams);
}

static void a_total_that_falls_began_anew(void **state)
{
    (void)state;
    struct streams streams;
    struct streams_budget budget = {0, STREAMS_MAX};
    streams_init(&streams, &budget, START, PERIOD);
    streams_put(&streams, 1, 50);
    streams_close(&streams, START + PERIOD);
    streams_put(&streams, 1, 20);
    streams_close(&streams, START + 2 * PERIOD);
    const struct stream *stream = streams_find(&streams, 1);
    assert_true(stream->at[0] == 50 && stream->at[1] == 20 && stream->total == 70);
    streams_fini(&streams);
}

/* The stronger stay, with all they had; who comes late begins where it came. */
static void the_stronger_have_the_room(void **state)
{
    (void)state;
    struct streams streams;
    struct streams_budget budget = {0, STREAMS_MAX};
    streams_init(&streams, &budget, START, PERIOD);
    budget.most = 4;
    for (uint64_t key = 1; key <= 4; key++)
        streams_put(&streams, key, (double)key * 100);
    streams_close(&streams, START + PERIOD);
    assert_false(streams.crowded);
    streams_put(&streams, 5, 99);
    assert_null(streams_find(&streams, 5));
    assert_true(streams.crowded);
    streams_put(&streams, 5, 150);
    assert_null(streams_find(&streams, 1));
    streams_put(&streams, 5, 180);
    const struct stream *late = streams_find(&streams, 5);
    assert_true(late->total == 30 && late->at[0] == 0 && late->at[1] == 30);
    assert_true(streams_find(&streams, 2)->at[0] == 200);
    streams_fini(&streams);
}

/* A day of 10,000 objects at 4 periods a second, of misses, accesses and waiting: after the first
 * minutes no byte more, and no more than one of them alone would take. */
static void a_day_takes_no_more_room_than_an_hour(void **state)
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
        /* Most are put rarely, so that the test takes a second and not a minute. */
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
    print_message("streams: %zu, %.1f s a point, %.1f MiB after an hour, %.1f MiB after a day\n",
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_are_sums_over_any_time),
        cmocka_unit_test(curves_are_sums_of_points),
        cmocka_unit_test(silence_takes_its_time),
        cmocka_unit_test(a_total_that_falls_began_anew),
        cmocka_unit_test(the_stronger_have_the_room),
        cmocka_unit_test(a_day_takes_no_more_room_than_an_hour),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
