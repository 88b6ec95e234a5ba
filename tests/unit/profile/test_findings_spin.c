/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rule about threads that read one word until another thread writes it: its conditions, and no
 * finding if one condition fails. */
#include <math.h>
#include <string.h>

#include "unit.h"
#include "unit/profile/rules_fixture.h"

enum { THREADS = 3, SAMPLES = 1200 };

static struct snapshot_instruction loads[2];
static bool looks_only = true;

/* Each thread waits for its own word on its own line, and one sample in 100 is elsewhere. */
static void add_spinning_samples(uint64_t line_bytes)
{
    for (uint32_t i = 0; i < SAMPLES; i++) {
        uint32_t tid = i % THREADS;
        struct window_entry entry = {.address = BASE + tid * line_bytes + (i % 100 ? 0 : 4096),
                                     .object = 7,
                                     .function = 1,
                                     .tid = 100 + tid,
                                     .size = 8,
                                     .is_spinning = looks_only};
        window_add(&window, &entry);
    }
}

static void plant_spin(void)
{
    loads[0] = (struct snapshot_instruction){
        .address = 0x1000, .samples = 900, .loads = 900, .object = 0, .field = "flag.value"};
    loads[1] =
        (struct snapshot_instruction){.address = 0x1010, .samples = 90, .loads = 90, .object = 0};
    code[0] = (struct snapshot_code){.id = 1,
                                     .function = "wait_for_work",
                                     .samples = 1000,
                                     .all_share = 0.5,
                                     .top_object = 0,
                                     .top_object_share = 0.99,
                                     .instructions = loads,
                                     .instruction_count = 2};
    snapshot.code_count = 1;
    snapshot.target.threads = THREADS + 1;
    add_spinning_samples(64);
}

static void threads_spinning_on_one_load_are_found(void **state)
{
    (void)state;
    plant_spin();
    assert_int_equal(REPORTED(RULE_SPINNING), 1);
    assert_int_equal(list[0].kind, FINDING_SPINNING);
    assert_string_equal(list[0].field, "flag.value");
    assert_non_null(strstr(words()->evidence, "3 threads are at one load in wait_for_work"));
    assert_non_null(strstr(words()->evidence, "1200 samples, 99%"));
    assert_true(isnan(list[0].gain) && list[0].share == 0.5);
}

static void single_thread_is_not_spinning(void **state)
{
    (void)state;
    plant_spin();
    snapshot.target.threads = 1;
    assert_int_equal(REPORTED(RULE_SPINNING), 0);
}

static void storing_threads_are_not_spinning(void **state)
{
    (void)state;
    plant_spin();
    loads[1].stores = 90;
    assert_int_equal(REPORTED(RULE_SPINNING), 0);
}

static void threads_with_other_accesses_are_not_spinning(void **state)
{
    (void)state;
    plant_spin();
    loads[0].samples = 700;
    assert_int_equal(REPORTED(RULE_SPINNING), 0);
    plant_spin();
    code[0].top_object_share = 0.8;
    assert_int_equal(REPORTED(RULE_SPINNING), 0);
}

/* A private counter of a thread, or a sum over one variable: its loads are as hot, and its store is
 * rarely sampled. */
static void loaded_value_used_in_arithmetic_is_not_spinning(void **state)
{
    (void)state;
    looks_only = false;
    plant_spin();
    looks_only = true;
    assert_int_equal(REPORTED(RULE_SPINNING), 0);
}

static void array_traversal_is_not_spinning(void **state)
{
    (void)state;
    plant_spin();
    for (uint32_t i = 0; i < SAMPLES; i++) {
        struct window_entry entry = {
            .address = BASE + i * 64, .object = 7, .function = 1, .tid = 100, .size = 8};
        window_add(&window, &entry);
    }
    assert_int_equal(REPORTED(RULE_SPINNING), 0);
}

static void load_of_own_stack_is_not_spinning(void **state)
{
    (void)state;
    plant_spin();
    objects[0].kind = OBJECT_STACK;
    assert_int_equal(REPORTED(RULE_SPINNING), 0);
}

static void spinning_needs_a_time_event(void **state)
{
    (void)state;
    plant_spin();
    snapshot.source.event_count = 1;
    snapshot.source.events[0].role = EVENT_MEM_FILL;
    assert_int_equal(REPORTED(RULE_SPINNING), 0);
    snapshot.source.events[0].role = EVENT_TIME;
    assert_int_equal(REPORTED(RULE_SPINNING), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RULE(threads_spinning_on_one_load_are_found),
        RULE(single_thread_is_not_spinning),
        RULE(storing_threads_are_not_spinning),
        RULE(threads_with_other_accesses_are_not_spinning),
        RULE(loaded_value_used_in_arithmetic_is_not_spinning),
        RULE(array_traversal_is_not_spinning),
        RULE(load_of_own_stack_is_not_spinning),
        RULE(spinning_needs_a_time_event),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
