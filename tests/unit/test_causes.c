/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A stream of misses with their causes through the profile into a snapshot, worked out by hand. */
#include "unit.h"

#include "profile/profile.h"

#include <math.h>
#include <string.h>

enum { MATRIX = 1, QUEUE, MULTIPLY = 1, FILL, MANY = 200000 };

static struct profile *profile;
static struct snapshot head;
static uint64_t now_ns;

static bool name_object(void *context, uint32_t object, struct object_desc *desc)
{
    static const char *const names[] = {"unknown", "matrix", "queue"};
    (void)context;
    *desc = (struct object_desc){.name = object <= QUEUE ? names[object] : "other"};
    return true;
}

static bool name_function(void *context, uint32_t function, struct function_desc *desc)
{
    static const char *const names[] = {"unknown", "multiply", "fill"};
    (void)context;
    *desc = (struct function_desc){.name = function <= FILL ? names[function] : "other"};
    return true;
}

static int begin(void **state)
{
    struct profile_options options = {
        .names = {.object = name_object, .function = name_function},
        .ways = 10,
        .event_count = 2,
        .window_entries = 64,
    };
    (void)state;
    assert_int_equal(geometry_parse(&options.geometry, "L1=32K,8,64", "/", NULL), 0);
    assert_int_equal(profile_new(&profile, &options, NULL), 0);
    head = (struct snapshot){.iteration = 1};
    head.source.event_count = 2;
    now_ns = 1000000000;
    return 0;
}

static int end(void **state)
{
    (void)state;
    profile_free(profile);
    return 0;
}

static void miss(uint32_t object, enum miss_cause cause, uint64_t weight, uint32_t by_object,
                 uint32_t by_function)
{
    struct place place = {.object = object,
                          .function = MULTIPLY,
                          .base = 0x1000,
                          .evictor_object = by_object,
                          .evictor_function = by_function};
    place.access = (struct access){.time_ns = ++now_ns,
                                   .address = 0x1000,
                                   .weight = weight,
                                   .tid = 1,
                                   .size = 8,
                                   .cause = (uint8_t)cause};
    profile_add(profile, &place);
}

/* matrix: 100 misses, of which 50 in conflict, 30 of capacity, 20 first; of the 80 thrown out 60 by
 * multiply on the matrix itself, 12 by fill on the queue, 8 by fill on what is not known. */
static void feed(void)
{
    miss(MATRIX, CAUSE_CONFLICT, 40, MATRIX, MULTIPLY);
    miss(MATRIX, CAUSE_CONFLICT, 10, QUEUE, FILL);
    miss(MATRIX, CAUSE_CAPACITY, 20, MATRIX, MULTIPLY);
    miss(MATRIX, CAUSE_CAPACITY, 2, QUEUE, FILL);
    miss(MATRIX, CAUSE_CAPACITY, 8, 0, FILL);
    miss(MATRIX, CAUSE_FIRST, 15, 0, 0);
    miss(MATRIX, CAUSE_FIRST_HERE, 5, 0, 0);
    miss(QUEUE, CAUSE_INVALIDATED_FALSE, 30, 0, 0);
    miss(QUEUE, CAUSE_INVALIDATED_TRUE, 5, 0, 0);
    miss(QUEUE, CAUSE_UNKNOWN, 5, 0, 0);
}

static void assert_near(double value, double expected)
{
    assert_true(fabs(value - expected) < 1e-9);
}

static void shares_by_cause(void **state)
{
    (void)state;
    feed();
    const struct snapshot *snapshot = profile_snapshot(profile, &head, now_ns);
    const struct snapshot_causes *causes = &snapshot->causes;
    const struct snapshot_causes_object *matrix = &causes->objects[0];
    const struct snapshot_causes_object *queue = &causes->objects[1];
    assert_true(causes->told);
    assert_int_equal(causes->count, 2);
    assert_string_equal(matrix->name, "matrix");
    assert_near(matrix->samples, 7);
    assert_near(matrix->misses, 100);
    assert_near(matrix->share[CAUSE_CONFLICT], 0.5);
    assert_near(matrix->share[CAUSE_CAPACITY], 0.3);
    assert_near(matrix->share[CAUSE_FIRST], 0.15);
    assert_near(matrix->share[CAUSE_FIRST_HERE], 0.05);
    assert_near(queue->misses, 40);
    assert_near(queue->share[CAUSE_INVALIDATED_FALSE], 0.75);
    assert_near(queue->share[CAUSE_UNKNOWN], 0.125);
    assert_near(causes->share[CAUSE_CONFLICT], 50 / 140.0);
    assert_near(causes->share[CAUSE_INVALIDATED_TRUE], 5 / 140.0);
    snapshot_free(snapshot);
}

static void who_threw_it_out(void **state)
{
    (void)state;
    feed();
    const struct snapshot *snapshot = profile_snapshot(profile, &head, now_ns);
    const struct snapshot_causes_object *matrix = &snapshot->causes.objects[0];
    const struct snapshot_causes_object *queue = &snapshot->causes.objects[1];
    assert_near(matrix->evicted, 80);
    assert_near(matrix->by_itself, 0.75);
    assert_near(matrix->unlisted, 0);
    assert_int_equal(matrix->evictor_count, 3);
    assert_string_equal(matrix->evictors[0].function, "multiply");
    assert_string_equal(matrix->evictors[0].object, "matrix");
    assert_near(matrix->evictors[0].share, 0.75);
    assert_string_equal(matrix->evictors[1].object, "queue");
    assert_near(matrix->evictors[1].share, 0.15);
    assert_string_equal(matrix->evictors[2].function, "fill");
    assert_null(matrix->evictors[2].object);
    assert_int_equal(queue->evictor_count, 0);
    assert_true(isnan(queue->by_itself));
    snapshot_free(snapshot);
}

static void of_the_ranking_event_only(void **state)
{
    (void)state;
    feed();
    profile_set_ranking(profile, 1);
    const struct snapshot *snapshot = profile_snapshot(profile, &head, now_ns);
    assert_false(snapshot->causes.told);
    assert_int_equal(snapshot->causes.count, 0);
    snapshot_free(snapshot);
    profile_set_ranking(profile, 0);
    profile_zero(profile, now_ns);
    miss(QUEUE, CAUSE_NOT_TOLD, 1, 0, 0);
    snapshot = profile_snapshot(profile, &head, now_ns);
    assert_false(snapshot->causes.told);
    snapshot_free(snapshot);
}

/* More pairs than there is room for: those listed and what is told to be missing are all of it. */
static void what_found_no_room_is_told(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < MANY; i++)
        miss(MATRIX, CAUSE_CAPACITY, 1, 3 + i, FILL);
    const struct snapshot *snapshot = profile_snapshot(profile, &head, now_ns);
    const struct snapshot_causes_object *matrix = &snapshot->causes.objects[0];
    assert_near(matrix->evicted, MANY);
    assert_int_equal(matrix->evictor_count, SNAPSHOT_EVICTORS);
    assert_true(matrix->unlisted > 0.5 && matrix->unlisted < 1);
    snapshot_free(snapshot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(shares_by_cause, begin, end),
        cmocka_unit_test_setup_teardown(who_threw_it_out, begin, end),
        cmocka_unit_test_setup_teardown(of_the_ranking_event_only, begin, end),
        cmocka_unit_test_setup_teardown(what_found_no_room_is_told, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
