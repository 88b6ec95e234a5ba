/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares the past with all places added to it: exactly while there is room, and by totals after
 * that. */
#include <malloc.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "store/past.h"
#include "unit.h"
#include "unit/store/store_planned.h"

enum { SMALL_BYTES = 14 << 16, PLACES = 300000, EVENTS = 4, SLICE = 700 };

struct run {
    struct past *past;
    struct place *places; /* all added places */
    size_t count;
};

static struct run begin_run(size_t bytes, size_t room)
{
    struct run run = {.places = calloc(room, sizeof *run.places)};
    assert_non_null(run.places);
    assert_int_equal(past_new(&run.past, bytes), 0);
    return run;
}

static void end(struct run *run)
{
    past_free(run->past);
    free(run->places);
}

static void add(struct run *run, size_t count, bool wild)
{
    struct prng prng = {run->count + 5};
    for (size_t i = 0; i < count; i++) {
        uint64_t before = run->count ? run->places[run->count - 1].access.time_ns : 1000;
        struct place *place = &run->places[run->count++];
        *place = planned_place(&prng, before, wild && i % 4 == 3);
        place->access.event %= EVENTS;
        place->access.weight %= 1 << 20;
        past_add_all(run->past, place, 1);
    }
}

/* The places read from time ranges, in one or more slices. */
struct reading {
    struct place *places;
    size_t count;
    uint64_t seen;
};

static struct reading read_time_ranges(struct run *run, const struct time_range *ranges,
                                       size_t count)
{
    struct reading reading = {.places = calloc(run->count + SLICE, sizeof *reading.places)};
    size_t more;
    assert_non_null(reading.places);
    past_read_begin(run->past, ranges, count);
    while ((more = past_read(run->past, reading.places + reading.count, SLICE, &reading.seen)))
        reading.count += more;
    past_read_end(run->past);
    return reading;
}

static const struct time_range always = {0, UINT64_MAX};

static bool same_place(const struct place *a, const struct place *b)
{
    return a->access.time_ns == b->access.time_ns && a->access.address == b->access.address &&
           a->access.ip == b->access.ip && a->access.weight == b->access.weight &&
           a->access.tid == b->access.tid && a->access.event == b->access.event &&
           a->access.reason == b->access.reason && a->object == b->object &&
           a->function == b->function && a->base == b->base && a->type == b->type;
}

static void places_within_capacity_are_unchanged(void **state)
{
    (void)state;
    struct run run = begin_run(PAST_BYTES, PLACES);
    add(&run, 50000, true);
    struct reading reading = read_time_ranges(&run, &always, 1);
    assert_int_equal(reading.count, run.count);
    assert_int_equal(reading.seen, run.count);
    for (size_t i = 0; i < run.count; i++)
        assert_true(same_place(&reading.places[i], &run.places[i]));
    free(reading.places);
    end(&run);
}

/* Several time ranges, compared with a brute-force selection. */
static void time_ranges_match_plain_selection(void **state)
{
    (void)state;
    struct run run = begin_run(PAST_BYTES, PLACES);
    add(&run, 50000, false);
    struct time_range ranges[3] = {
        {run.places[10].access.time_ns, run.places[3000].access.time_ns},
        {run.places[20000].access.time_ns, run.places[20001].access.time_ns},
        {run.places[30000].access.time_ns, run.places[49000].access.time_ns}};
    struct reading reading = read_time_ranges(&run, ranges, 3);
    size_t at = 0;
    for (size_t i = 0; i < run.count; i++) {
        uint64_t time_ns = run.places[i].access.time_ns;
        bool inside = false;
        for (unsigned k = 0; k < 3; k++)
            inside |= time_ns >= ranges[k].start_ns && time_ns < ranges[k].end_ns;
        if (inside)
            assert_true(at < reading.count && same_place(&reading.places[at++], &run.places[i]));
    }
    assert_int_equal(at, reading.count);
    assert_int_equal(at, reading.seen);
    free(reading.places);
    end(&run);
}

/* Weights by event, attributed and not attributed. */
static void sum(const struct place *places, size_t count, uint64_t sums[2 * EVENTS])
{
    memset(sums, 0, 2 * EVENTS * sizeof *sums);
    for (size_t i = 0; i < count; i++)
        sums[2 * places[i].access.event + !places[i].access.reason] += places[i].access.weight;
}

static void thinning_keeps_totals_and_covers_the_run(void **state)
{
    enum { PARTS = 10 };
    uint64_t before[2 * EVENTS];
    uint64_t after[2 * EVENTS];
    unsigned parts[PARTS] = {0};
    (void)state;
    struct run run = begin_run(SMALL_BYTES, PLACES);
    add(&run, PLACES, true);
    struct reading reading = read_time_ranges(&run, &always, 1);
    assert_int_equal(reading.seen, PLACES);
    assert_true(reading.count < PLACES / 4);
    sum(run.places, run.count, before);
    sum(reading.places, reading.count, after);
    assert_memory_equal(before, after, sizeof before);
    uint64_t last_ns = run.places[PLACES - 1].access.time_ns + 1;
    for (size_t i = 0; i < reading.count; i++)
        parts[reading.places[i].access.time_ns * PARTS / last_ns]++;
    for (unsigned i = 0; i < PARTS; i++) {
        assert_true(parts[i] > 100);
        if (i > PARTS / 2)
            assert_true(parts[i] > parts[i - PARTS / 2]);
    }
    for (size_t i = 1; i < 2000; i++) /* the newest are all present */
        assert_true(same_place(&reading.places[reading.count - i], &run.places[PLACES - i]));
    free(reading.places);
    end(&run);
}

/* A loop in step with the thinning, and an object with a higher weight: each keeps its share of the
 * weight when one place in twenty is left. */
static void thinning_is_unbiased(void **state)
{
    double weights[2] = {0};
    (void)state;
    struct run run = begin_run(SMALL_BYTES, 1);
    for (size_t i = 0; i < 8 * PLACES; i++) {
        struct place place = {.object = 1 + i % 2,
                              .access = {.time_ns = 1000 + 500 * i,
                                         .address = 0x1000 + i % 2 * 0x100000 + i * 64 % 77777,
                                         .ip = 0x400000 + i % 2,
                                         .weight = i % 2 ? 3000 : 1000}};
        past_add_all(run.past, &place, 1);
    }
    run.count = 8 * PLACES;
    struct reading reading = read_time_ranges(&run, &always, 1);
    for (size_t i = 0; i < reading.count; i++)
        weights[reading.places[i].object - 1] += (double)reading.places[i].access.weight;
    double share = weights[0] / (weights[0] + weights[1]);
    printf("past: %zu of %zu places kept; an object with 25 %% of the weight has %.2f %% of the "
           "kept weight\n",
           reading.count, run.count, share * 100);
    assert_true(reading.count * 20 < run.count);
    assert_true(fabs(share - 0.25) < 0.01);
    free(reading.places);
    end(&run);
}

/* Places thinned during reading are neither missed nor read twice. */
static void reading_continues_while_places_are_added(void **state)
{
    static struct place places[SLICE];
    uint64_t seen = 0;
    (void)state;
    struct run run = begin_run(SMALL_BYTES, PLACES);
    add(&run, PLACES / 2, false);
    past_read_begin(run.past, &always, 1);
    size_t before = run.count;
    while (past_read(run.past, places, SLICE, &seen) == SLICE) {
        add(&run, run.count + SLICE / 2 <= PLACES ? SLICE / 2 : 0, false);
        before = run.count;
    }
    assert_true(run.count > PLACES / 2 + 10000);
    assert_int_equal(seen, before);
    end(&run);
}

static void past_allocates_nothing_while_adding(void **state)
{
    (void)state;
    struct run run = begin_run(SMALL_BYTES, PLACES);
    struct mallinfo2 before = mallinfo2();
    add(&run, PLACES, true);
    struct mallinfo2 after = mallinfo2();
    assert_int_equal(before.uordblks, after.uordblks);
    assert_int_equal(before.hblkhd, after.hblkhd);
    end(&run);
}

static void clearing_removes_all_places(void **state)
{
    (void)state;
    struct run run = begin_run(SMALL_BYTES, PLACES);
    add(&run, PLACES / 2, false);
    past_read_begin(run.past, &always, 1);
    past_clear(run.past);
    run.count = 0;
    struct reading reading = read_time_ranges(&run, &always, 1);
    assert_int_equal(reading.count, 0);
    free(reading.places);
    add(&run, 100, false);
    reading = read_time_ranges(&run, &always, 1);
    assert_int_equal(reading.count, 100);
    free(reading.places);
    end(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_within_capacity_are_unchanged),
        cmocka_unit_test(time_ranges_match_plain_selection),
        cmocka_unit_test(thinning_keeps_totals_and_covers_the_run),
        cmocka_unit_test(thinning_is_unbiased),
        cmocka_unit_test(reading_continues_while_places_are_added),
        cmocka_unit_test(past_allocates_nothing_while_adding),
        cmocka_unit_test(clearing_removes_all_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
