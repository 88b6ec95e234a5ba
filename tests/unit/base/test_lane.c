/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A lane processes batches in order, and never has more of them than buffers. */
#include <pthread.h>
#include <stdlib.h>

#include "base/lane.h"
#include "unit.h"

enum { BATCHES = 3, GIVEN = 1000 };

struct seen {
    unsigned count;
    unsigned out_of_order;
};

static void expect_next(void *context, void *batch)
{
    struct seen *seen = context;
    unsigned *number = batch;
    seen->out_of_order += *number != seen->count++;
    *number *= 2;
}

static void batches_are_processed_in_order(void **state)
{
    struct seen seen = {0};
    struct lane *lane;
    (void)state;
    assert_int_equal(lane_open(&lane, BATCHES, sizeof(unsigned), expect_next, &seen), 0);
    for (unsigned i = 0; i < GIVEN; i++) {
        *(unsigned *)lane_next(lane) = i;
        lane_submit(lane);
    }
    lane_settle(lane);
    assert_int_equal(seen.count, GIVEN);
    assert_int_equal(seen.out_of_order, 0);
    lane_close(lane);
}

static void results_are_taken_in_order(void **state)
{
    struct seen seen = {0};
    struct lane *lane;
    unsigned given = 0;
    unsigned taken = 0;
    unsigned *result;
    (void)state;
    assert_int_equal(lane_open(&lane, BATCHES, sizeof(unsigned), expect_next, &seen), 0);
    assert_null(lane_take(lane));
    while (given < BATCHES - 1) {
        *(unsigned *)lane_next(lane) = given++;
        lane_submit(lane);
    }
    while ((result = lane_take(lane))) {
        assert_int_equal(*result, 2 * taken++);
        if (given == GIVEN)
            continue;
        *(unsigned *)lane_next(lane) = given++;
        lane_submit(lane);
    }
    assert_int_equal(taken, GIVEN);
    assert_int_equal(seen.out_of_order, 0);
    lane_close(lane);
}

static void wait_for_unlock(void *context, void *batch)
{
    pthread_mutex_lock(context);
    *(unsigned *)batch = 1;
    pthread_mutex_unlock(context);
}

static void lane_take_within_waits_until_its_timeout(void **state)
{
    enum { SHORT_NS = 1000000 };
    pthread_mutex_t unlocked_by_test = PTHREAD_MUTEX_INITIALIZER;
    struct lane *lane;
    unsigned *result;
    (void)state;
    assert_int_equal(
        lane_open(&lane, BATCHES, sizeof(unsigned), wait_for_unlock, &unlocked_by_test), 0);
    assert_null(lane_take_within(lane, UINT64_MAX / 2));
    pthread_mutex_lock(&unlocked_by_test);
    lane_next(lane);
    lane_submit(lane);
    assert_null(lane_take_within(lane, 0));
    assert_null(lane_take_within(lane, SHORT_NS));
    pthread_mutex_unlock(&unlocked_by_test);
    result = lane_take_within(lane, UINT64_MAX / 2);
    assert_true(result && *result);
    assert_null(lane_take_within(lane, 0));
    lane_close(lane);
}

static void lane_close_processes_all_queued_batches(void **state)
{
    struct seen seen = {0};
    struct lane *lane;
    (void)state;
    assert_int_equal(lane_open(&lane, BATCHES, sizeof(unsigned), expect_next, &seen), 0);
    for (unsigned i = 0; i < BATCHES; i++) {
        *(unsigned *)lane_next(lane) = i;
        lane_submit(lane);
    }
    lane_close(lane);
    assert_int_equal(seen.count, BATCHES);
    lane_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batches_are_processed_in_order),
        cmocka_unit_test(results_are_taken_in_order),
        cmocka_unit_test(lane_take_within_waits_until_its_timeout),
        cmocka_unit_test(lane_close_processes_all_queued_batches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
