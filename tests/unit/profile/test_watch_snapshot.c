/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results of watches through the profile to a snapshot: by object, with the touching code. */
#include <math.h>
#include <string.h>

#include "profile/profile.h"
#include "unit.h"
#include "unit/names.h"

#define MS UINT64_C(1000000)

enum { ARRAY = 1, QUEUE, ALONE, LEGS = 40 };

static struct profile *profile;
static struct snapshot head;
static uint64_t now_ns;

static bool name_object(void *context, uint32_t object, struct object_desc *desc)
{
    static const char *const names[] = {"unknown", "array", "queue", "alone"};
    (void)context;
    *desc = (struct object_desc){.name = names[object], .kind = OBJECT_GLOBAL};
    return object <= ALONE;
}

static bool name_function(void *context, uint32_t function, struct function_desc *desc)
{
    (void)context;
    *desc = (struct function_desc){.name = function == 1 ? "walk" : "push", .module = "app"};
    return function != 0;
}

static bool name_instruction(void *context, uint64_t address, struct instruction_desc *desc)
{
    (void)context;
    *desc = (struct instruction_desc){.file = "/src/walk.c", .line = (uint32_t)address % 20};
    return address < 100;
}

static void begin(bool watch, enum event_role role)
{
    static const struct fake_names answers = {
        .object = name_object, .function = name_function, .instruction = name_instruction};
    struct profile_options options = {.names = FAKE_NAMES(&answers),
                                      .ways = 10,
                                      .event_count = 1,
                                      .window_entries = 64,
                                      .watch = watch,
                                      .cache_lines = {512, 16384, 524288}};
    assert_int_equal(geometry_parse(&options.geometry, "L1=32K,8,64", "/", NULL), 0);
    assert_int_equal(profile_new(&profile, &options, NULL), 0);
    head = (struct snapshot){.iteration = 1, .watch = {.is_on = watch}};
    head.source.event_count = 1;
    head.source.events[0] = (struct snapshot_event){.name = "event", .role = role, .period = 100};
    now_ns = 1000 * MS;
}

static int end(void **state)
{
    (void)state;
    profile_free(profile);
    return 0;
}

/* One sample per ms with this weight. */
static void add_misses_for(unsigned ms, uint64_t weight)
{
    for (unsigned i = 0; i < ms; i++) {
        struct place place = {.object = ARRAY, .base = 0x1000};
        now_ns += MS;
        place.access = (struct access){
            .time_ns = now_ns, .address = 0x1000 + i * 64, .weight = weight, .tid = 1, .size = 8};
        profile_add(profile, &place);
    }
}

static void add_leg(enum watch_kind kind, uint32_t object, unsigned ms, enum watch_end how,
                    uint64_t ip)
{
    struct watch_result result = {.kind = (uint8_t)kind,
                                  .end = (uint8_t)how,
                                  .object = object,
                                  .origin_tid = 1,
                                  .toucher_tid = ip == 7 ? 2 : 1,
                                  .origin_ns = now_ns - ms * MS,
                                  .armed_ns = now_ns - ms * MS,
                                  .end_ns = now_ns};
    profile_watch(profile, &result, ip ? 1 : 0, ip);
}

/* 20 ms with 1,000 misses each between touches, two in three by instruction 12. */
static void watch_array(uint64_t weight)
{
    for (int i = 0; i < LEGS; i++) {
        add_misses_for(20, weight);
        uint64_t ip = i % 3 ? 12 : 7;
        add_leg(WATCH_FIRST, ARRAY, 10, WATCH_TOUCHED, ip);
        add_leg(WATCH_AGAIN, ARRAY, 20, WATCH_TOUCHED, ip);
        add_leg(WATCH_VISIT, ARRAY, 0, i % 7 ? WATCH_EXPIRED : WATCH_TOUCHED, 0);
        for (int k = 0; k < 6; k++)
            add_leg(WATCH_FIRST, QUEUE, 500, WATCH_REPLACED, 0);
    }
    add_leg(WATCH_FIRST, ALONE, 1, WATCH_TOUCHED, 5000);
}

static const struct snapshot *take_snapshot(void)
{
    const struct snapshot *snapshot = profile_snapshot(profile, &head, now_ns);
    assert_non_null(snapshot);
    return snapshot;
}

static const struct snapshot_watch_object *row_of(const struct snapshot *snapshot, const char *name)
{
    for (size_t i = 0; i < snapshot->watch.count; i++)
        if (!strcmp(snapshot->watch.objects[i].name, name))
            return &snapshot->watch.objects[i];
    fail_msg("object %s has no row", name);
    return NULL;
}

static void watch_results_are_listed_per_object(void **state)
{
    (void)state;
    begin(true, EVENT_MISS_L2);
    watch_array(1000);
    const struct snapshot *snapshot = take_snapshot();
    assert_int_equal(snapshot->watch.count, 3);
    assert_true(snapshot->watch.counts_misses);
    const struct snapshot_watch_object *array = row_of(snapshot, "array");
    assert_int_equal(array->watched, LEGS);
    assert_int_equal(array->touched, LEGS);
    assert_int_equal(array->object, 0);
    assert_true(array->touched_again_share.value == 1 && array->again_within_s == 0.01);
    assert_true(fabs(array->reuse_s.value - 0.02) < 1e-9);
    assert_true(fabs(array->misses.value - 20000) < 1e-6);
    assert_true(fabs(array->thread_misses - 20000) < 1e-6);
    assert_int_equal(array->visits, LEGS);
    /* 6 of 40 sampled words were touched: an eighth, plus this share of the other seven. */
    assert_true(fabs(array->used.value - (1 + 7 * 6.0 / LEGS) / 8) < 1e-9);
    assert_true(fabs(array->by_another_thread - 14.0 / LEGS) < 1e-9);
    assert_int_equal(array->verdict, WATCH_CAPACITY);
    const struct snapshot_watch_object *queue = row_of(snapshot, "queue");
    assert_int_equal(queue->verdict, WATCH_STREAMING);
    assert_int_equal(queue->object, UINT32_MAX);
    assert_true(isnan(queue->reuse_s.value) && isnan(queue->used.value));
    assert_int_equal(row_of(snapshot, "alone")->verdict, WATCH_TOO_FEW);
    snapshot_free(snapshot);
}

static void watch_lists_code_that_touched_the_line(void **state)
{
    (void)state;
    begin(true, EVENT_MISS_L2);
    watch_array(1000);
    const struct snapshot *snapshot = take_snapshot();
    const struct snapshot_watch_object *array = row_of(snapshot, "array");
    assert_int_equal(array->code_count, 2);
    assert_string_equal(array->codes[0].text, "walk (walk.c:12)");
    assert_string_equal(array->codes[1].text, "walk (walk.c:7)");
    assert_true(fabs(array->codes[0].share - 26.0 / LEGS) < 1e-9);
    const struct snapshot_watch_object *alone = row_of(snapshot, "alone");
    assert_string_equal(alone->codes[0].text, "walk");
    assert_null(alone->codes[0].file);
    snapshot_free(snapshot);
}

/* Two instructions of one line are one row with the touches of both. */
static void instructions_of_one_source_line_are_merged(void **state)
{
    (void)state;
    begin(true, EVENT_MISS_L2);
    for (int i = 0; i < LEGS; i++)
        add_leg(WATCH_FIRST, ARRAY, 10, WATCH_TOUCHED, i % 4 == 0 ? 5 : i % 4 == 1 ? 12 : 32);
    const struct snapshot *snapshot = take_snapshot();
    const struct snapshot_watch_object *array = row_of(snapshot, "array");
    assert_int_equal(array->code_count, 2);
    assert_string_equal(array->codes[0].text, "walk (walk.c:12)");
    assert_true(fabs(array->codes[0].share - 0.75) < 1e-9);
    assert_string_equal(array->codes[1].text, "walk (walk.c:5)");
    snapshot_free(snapshot);
}

/* A watch that starts at a random moment and is touched `us` later. */
static void add_touch_after(uint32_t object, unsigned us)
{
    struct watch_result result = {.kind = WATCH_FIRST,
                                  .end = WATCH_TOUCHED,
                                  .object = object,
                                  .origin_tid = 1,
                                  .toucher_tid = 1,
                                  .origin_ns = now_ns - us * 1000 - MS,
                                  .armed_ns = now_ns - us * 1000,
                                  .end_ns = now_ns};
    profile_watch(profile, &result, 1, 12);
}

/* A line that is touched all the time is touched as soon as its register is armed: this gives only
 * a bound, not a time. */
static void reuse_time_near_arming_time_is_a_bound(void **state)
{
    (void)state;
    begin(true, EVENT_STALL);
    for (unsigned i = 0; i < LEGS; i++) {
        add_touch_after(ARRAY, 10 + i % 5);
        add_touch_after(QUEUE, 100 + i * 20);
    }
    head.watch.arm_ns = 50000;
    const struct snapshot *snapshot = take_snapshot();
    const struct snapshot_watch_object *array = row_of(snapshot, "array");
    assert_true(snapshot_reuse_is_bound(&array->reuse_s));
    assert_true(array->reuse_s.high >= 20e-6 && array->reuse_s.high <= 30e-6);
    assert_int_equal(array->verdict, WATCH_CACHED);
    const struct snapshot_watch_object *queue = row_of(snapshot, "queue");
    assert_true(queue->reuse_s.value > 0.0007 && queue->reuse_s.value < 0.0013);
    snapshot_free(snapshot);
    /* If arming is much faster, the same values are real times. */
    head.watch.arm_ns = 1000;
    snapshot = take_snapshot();
    assert_true(row_of(snapshot, "array")->reuse_s.value >= 20e-6);
    snapshot_free(snapshot);
}

/*
 * A line that is touched every 100 ns for 2 ms of each 5: two of five watches start among the
 * touches, the others wait for the next 2 ms. Hardly any touch comes more than 100 ns after the
 * previous one. A line that is touched once in 5 ms is touched immediately only by chance.
 */
static void touches_in_bursts_give_a_short_bound(void **state)
{
    (void)state;
    begin(true, EVENT_STALL);
    for (unsigned i = 0; i < LEGS; i++) {
        add_touch_after(ARRAY, i % 5 < 2 ? 1 : 100 + i * 70);
        add_touch_after(QUEUE, i ? i * 125 : 1);
    }
    head.watch.arm_ns = 40000;
    const struct snapshot *snapshot = take_snapshot();
    const struct snapshot_watch_object *array = row_of(snapshot, "array");
    assert_true(snapshot_reuse_is_bound(&array->reuse_s));
    assert_true(array->reuse_s.high < 0.00005);
    assert_int_equal(array->verdict, WATCH_CACHED);
    assert_int_equal(row_of(snapshot, "queue")->verdict, WATCH_CAPACITY);
    snapshot_free(snapshot);
}

/* Reports how many results a verdict needs, and when there will be enough at this rate. The number
 * of unpaid watches shows whether a larger budget may help. */
static void progress_towards_a_verdict_is_reported(void **state)
{
    (void)state;
    begin(true, EVENT_STALL);
    for (int i = 0; i < 3; i++) {
        add_misses_for(1000, 1);
        add_leg(WATCH_FIRST, ARRAY, 10, WATCH_TOUCHED, 12);
        add_leg(WATCH_FIRST, QUEUE, 10, WATCH_REPLACED, 0);
    }
    head.watch.budget = 0.01;
    head.watch.overhead = 0.0099;
    head.watch.over_budget = 100;
    const struct snapshot *snapshot = take_snapshot();
    const struct snapshot_watch_object *array = row_of(snapshot, "array");
    assert_int_equal(array->settled, 3);
    assert_int_equal(array->settled_needed, 8);
    assert_true(fabs(array->verdict_in_s - 5) < 0.01); /* one per second */
    assert_true(snapshot->watch.next_s == array->verdict_in_s);
    assert_true(snapshot->watch.is_limited_by_budget);
    const struct snapshot_watch_object *queue = row_of(snapshot, "queue");
    assert_int_equal(queue->settled, 0);
    assert_true(isnan(queue->verdict_in_s));
    snapshot_free(snapshot);
    /* With a third touched again, certainty requires more. */
    for (int i = 0; i < 7; i++)
        add_leg(WATCH_FIRST, ARRAY, 300, WATCH_EXPIRED, 0);
    head.watch.overhead = 0.001;
    snapshot = take_snapshot();
    array = row_of(snapshot, "array");
    assert_int_equal(array->verdict, WATCH_TOO_FEW);
    assert_int_equal(array->settled, 10);
    assert_true(array->settled_needed > 10 && array->settled_needed < 40);
    assert_false(snapshot->watch.is_limited_by_budget);
    assert_int_equal(snapshot->watch.verdicts, 0);
    snapshot_free(snapshot);
    watch_array(1000);
    snapshot = take_snapshot();
    assert_int_equal(row_of(snapshot, "array")->verdict, WATCH_CAPACITY);
    assert_true(row_of(snapshot, "array")->verdict_in_s == 0);
    assert_int_equal(snapshot->watch.verdicts, 2);
    snapshot_free(snapshot);
}

/* Weights of a timer are not misses, and few misses are not a capacity problem. */
static void verdict_depends_on_event_and_miss_count(void **state)
{
    (void)state;
    begin(true, EVENT_STALL);
    watch_array(1000);
    const struct snapshot *snapshot = take_snapshot();
    assert_false(snapshot->watch.counts_misses);
    assert_true(isnan(row_of(snapshot, "array")->misses.value));
    assert_int_equal(row_of(snapshot, "array")->verdict, WATCH_CAPACITY);
    snapshot_free(snapshot);
    profile_free(profile);
    begin(true, EVENT_MISS_L2);
    watch_array(100);
    snapshot = take_snapshot();
    assert_int_equal(row_of(snapshot, "array")->verdict, WATCH_CONFLICT);
    snapshot_free(snapshot);
}

static void zero_clears_watches_and_off_disables_them(void **state)
{
    (void)state;
    begin(true, EVENT_MISS_L2);
    watch_array(1000);
    profile_zero(profile, now_ns);
    const struct snapshot *snapshot = take_snapshot();
    assert_int_equal(snapshot->watch.count, 0);
    snapshot_free(snapshot);
    profile_free(profile);
    begin(false, EVENT_MISS_L2);
    watch_array(1000);
    snapshot = take_snapshot();
    assert_false(snapshot->watch.is_on);
    assert_int_equal(snapshot->watch.count, 0);
    snapshot_free(snapshot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(watch_results_are_listed_per_object, end),
        cmocka_unit_test_teardown(watch_lists_code_that_touched_the_line, end),
        cmocka_unit_test_teardown(instructions_of_one_source_line_are_merged, end),
        cmocka_unit_test_teardown(reuse_time_near_arming_time_is_a_bound, end),
        cmocka_unit_test_teardown(touches_in_bursts_give_a_short_bound, end),
        cmocka_unit_test_teardown(progress_towards_a_verdict_is_reported, end),
        cmocka_unit_test_teardown(verdict_depends_on_event_and_miss_count, end),
        cmocka_unit_test_teardown(zero_clears_watches_and_off_disables_them, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
