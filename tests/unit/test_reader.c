/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Questions to readers: each gets one answer, in order, whatever becomes of the processes. */
#include "unit.h"

#include "reader_fake.h"

#include "base/clock.h"

#include <string.h>
#include <unistd.h>

static void answers_come_in_the_order_of_questions(void **state)
{
    (void)state;
    enum { MANY = 3000 };
    fake_start(&fake_limits);
    for (uint64_t i = 0; i < MANY; i++)
        assert_true(fake_ask(0, FAKE_ECHO, i));
    assert_int_equal(fake.seen_count, 0);
    assert_int_equal(readers_status(fake.readers).waiting, MANY);
    fake_await(MANY);
    for (uint64_t i = 0; i < MANY; i++)
        fake_expect(i, i);
    assert_int_equal(readers_status(fake.readers).waiting, 0);
    assert_int_equal(readers_status(fake.readers).processes, 1);
}

static void too_many_questions_are_refused(void **state)
{
    (void)state;
    uint64_t asked = 0;
    fake_start(&fake_limits);
    while (asked < FAKE_SEEN_MAX && fake_ask(0, FAKE_ECHO, asked))
        asked++;
    assert_true(asked < FAKE_SEEN_MAX);
    assert_true(fake_ask(1, FAKE_ECHO, asked)); /* another file */
    fake_await(asked + 1);
    assert_true(fake_ask(0, FAKE_ECHO, asked));
}

static void a_crash_costs_one_answer(void **state)
{
    (void)state;
    fake_start(&fake_limits);
    fake_ask(0, FAKE_ECHO, 0);
    fake_ask(0, FAKE_CRASH, 1);
    fake_ask(0, FAKE_ECHO, 2);
    fake_ask(0, FAKE_EXIT, 3);
    fake_ask(0, FAKE_ECHO, 4);
    fake_await(5);
    fake_expect(0, 0);
    fake_expect_untyped(1, 1, UNTYPED_GAVE_UP);
    fake_expect(2, 2);
    fake_expect_untyped(3, 3, UNTYPED_GAVE_UP);
    fake_expect(4, 4);
    assert_int_equal(readers_status(fake.readers).given_up, 0);
}

static void after_three_deaths_a_file_is_given_up(void **state)
{
    (void)state;
    fake_start(&fake_limits);
    for (uint64_t i = 0; i < 3; i++)
        fake_ask(0, FAKE_CRASH, i);
    for (uint64_t i = 3; i < 10; i++)
        fake_ask(0, FAKE_ECHO, i);
    fake_ask(1, FAKE_ECHO, 10);
    fake_await(11);
    size_t given_up = 0;
    for (size_t i = 0; i < 11; i++)
        given_up += fake.seen[i].answer.untyped == UNTYPED_GAVE_UP;
    assert_int_equal(given_up, 10);
    assert_int_equal(readers_status(fake.readers).given_up, 1);
    fake_ask(0, FAKE_ECHO, 11); /* and stays so */
    fake_await(12);
    fake_expect_untyped(11, 11, UNTYPED_GAVE_UP);
}

static void a_file_that_kills_at_once_is_given_up(void **state)
{
    (void)state;
    fake_start(&fake_limits);
    fake_says.crashes = true;
    fake_ask(0, FAKE_ECHO, 0);
    fake_await(1);
    fake_expect_untyped(0, 0, UNTYPED_GAVE_UP);
    assert_int_equal(readers_status(fake.readers).given_up, 1);
    assert_int_equal(readers_status(fake.readers).processes, 0);
}

static void a_hang_costs_one_answer(void **state)
{
    (void)state;
    struct readers_limits limits = fake_limits;
    limits.patience_ms = 2500; /* a loaded machine may take long over what is quick */
    fake_start(&limits);
    fake_ask(0, FAKE_HANG, 0);
    fake_ask(0, FAKE_ECHO, 1);
    bool told = false;
    while (fake.seen_count < 2) {
        told |= readers_status(fake.readers).busy_with != NULL;
        fake_await(fake.seen_count);
        readers_run(fake.readers, clock_now_ns());
    }
    assert_true(told); /* whom we wait for */
    fake_expect_untyped(0, 0, UNTYPED_GAVE_UP);
    fake_expect(1, 1);
}

static void a_loop_costs_one_answer(void **state)
{
    (void)state;
    struct readers_limits limits = fake_limits;
    limits.patience_ms = 300;
    fake_start(&limits);
    fake_ask(0, FAKE_SPIN, 0);
    fake_ask(0, FAKE_ECHO, 1);
    fake_await(2);
    fake_expect_untyped(0, 0, UNTYPED_GAVE_UP);
    fake_expect(1, 1);
}

/* Others have the CPUs: late by the clock, but not by what it had of them. */
static void the_starved_are_waited_for(void **state)
{
    (void)state;
    struct readers_limits limits = fake_limits;
    limits.patience_ms = 100; /* a third of what FAKE_SLOW takes */
    fake_start(&limits);
    fake_ask(0, FAKE_ECHO, 0);
    fake_await(1);
    fake_ask(0, FAKE_SLOW, 1);
    fake_await(2);
    fake_expect(1, 1);
}

static void files_without_debugging_information_start_no_process(void **state)
{
    (void)state;
    fake_start(&fake_limits);
    fake_says.absent = fake_says.crashes = true;
    for (uint64_t i = 0; i < 10; i++)
        fake_ask(i % 3, FAKE_ECHO, i);
    assert_int_equal(readers_run(fake.readers, clock_now_ns()), 10);
    for (size_t i = 0; i < 10; i++)
        assert_int_equal(fake.seen[i].answer.untyped, UNTYPED_NO_DEBUG);
    assert_int_equal(readers_status(fake.readers).processes, 0);
}

static void files_with_none_that_can_be_used_end_theirs(void **state)
{
    (void)state;
    fake_start(&fake_limits);
    fake_says.unusable = true;
    fake_ask(0, FAKE_ECHO, 0);
    fake_ask(0, FAKE_ECHO, 1);
    fake_await(2);
    fake_expect_untyped(0, 0, UNTYPED_NO_DEBUG);
    fake_expect_untyped(1, 1, UNTYPED_NO_DEBUG);
    assert_int_equal(readers_status(fake.readers).processes, 0);
    assert_int_equal(readers_status(fake.readers).given_up, 0);
}

static const char *type_of(size_t i)
{
    return fake.types[fake.seen[i].answer.type];
}

static void types_come_before_answers_and_keep_their_references(void **state)
{
    (void)state;
    fake_start(&fake_limits);
    fake_ask(0, FAKE_TYPES, 5);
    fake_ask(0, FAKE_TYPES, 6);
    fake_ask(0, FAKE_CRASH, 0); /* the next process begins its own anew, in another order */
    fake_ask(0, FAKE_TYPES, 6);
    fake_ask(0, FAKE_TYPES, 5);
    fake_ask(0, FAKE_TYPES, 7);
    fake_await(6);
    assert_string_equal(type_of(0), "struct t5");
    assert_string_equal(type_of(1), "struct t6");
    assert_int_equal(fake.seen[3].answer.type, fake.seen[1].answer.type);
    assert_int_equal(fake.seen[4].answer.type, fake.seen[0].answer.type);
    assert_string_equal(type_of(5), "struct t7");
    assert_int_equal(fake.types_told, 3);
}

static void a_type_never_told_is_none(void **state)
{
    (void)state;
    fake_start(&fake_limits);
    fake_ask(0, FAKE_LIE, 1);
    fake_await(1);
    fake_expect_untyped(0, 1, UNTYPED_GAVE_UP);
}

static void more_files_than_processes_all_get_answers(void **state)
{
    (void)state;
    enum { ROUNDS = 40 };
    fake_start(&fake_limits);
    for (uint64_t i = 0; i < ROUNDS * FAKE_MODULES; i++)
        fake_ask(i % FAKE_MODULES, FAKE_ECHO, i);
    uint32_t most = 0;
    while (fake.seen_count < (size_t)ROUNDS * FAKE_MODULES) {
        fake_await(fake.seen_count);
        readers_run(fake.readers, clock_now_ns());
        uint32_t now = readers_status(fake.readers).processes;
        most = now > most ? now : most;
    }
    assert_int_equal(most, fake_limits.processes);
    uint64_t next[FAKE_MODULES + 1] = {0};
    for (size_t i = 0; i < fake.seen_count; i++) {
        uint32_t serial = fake.seen[i].serial;
        fake_expect(i, serial - 1 + FAKE_MODULES * next[serial]++);
    }
}

/* One that is asked without end makes room for one that waits. */
static void a_busy_file_does_not_starve_others(void **state)
{
    (void)state;
    struct readers_limits limits = fake_limits;
    limits.processes = 1;
    fake_start(&limits);
    fake_ask(0, FAKE_ECHO, 0);
    fake_await(1);
    fake_ask(1, FAKE_ECHO, 1);
    for (bool other = false; !other;) {
        assert_true(fake.seen_count < FAKE_SEEN_MAX - 4);
        while (readers_status(fake.readers).waiting < 3)
            fake_ask(0, FAKE_ECHO, 0);
        usleep(1000);
        readers_run(fake.readers, clock_now_ns());
        other = fake.seen[fake.seen_count - 1].serial == 2;
    }
    fake_await(fake.seen_count + readers_status(fake.readers).waiting);
}

static void forgotten_questions_get_no_answers(void **state)
{
    (void)state;
    fake_start(&fake_limits);
    fake_ask(0, FAKE_ECHO, 0);
    fake_await(1);
    fake_ask(0, FAKE_HANG, 1);
    fake_ask(1, FAKE_ECHO, 2);
    readers_run(fake.readers, clock_now_ns());
    readers_forget(fake.readers);
    assert_int_equal(readers_status(fake.readers).waiting, 0);
    assert_int_equal(readers_status(fake.readers).processes, 0);
    fake_ask(2, FAKE_ECHO, 3);
    fake_await(2);
    fake_expect(1, 3);
}

#define TEST(test) cmocka_unit_test_teardown(test, fake_end)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(answers_come_in_the_order_of_questions),
                                       TEST(too_many_questions_are_refused),
                                       TEST(a_crash_costs_one_answer),
                                       TEST(after_three_deaths_a_file_is_given_up),
                                       TEST(a_file_that_kills_at_once_is_given_up),
                                       TEST(a_hang_costs_one_answer),
                                       TEST(a_loop_costs_one_answer),
                                       TEST(the_starved_are_waited_for),
                                       TEST(files_without_debugging_information_start_no_process),
                                       TEST(files_with_none_that_can_be_used_end_theirs),
                                       TEST(types_come_before_answers_and_keep_their_references),
                                       TEST(a_type_never_told_is_none),
                                       TEST(more_files_than_processes_all_get_answers),
                                       TEST(a_busy_file_does_not_starve_others),
                                       TEST(forgotten_questions_get_no_answers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
