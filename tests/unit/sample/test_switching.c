/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How often a process is switched in, from a fake /proc: which switches count, and when there
 * are too many. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/clock.h"
#include "sample/kernel.h"
#include "unit/sample/fake_kernel.h"

enum { PID = 77 };

static const struct kernel *machine;
static struct switching switching;
static uint64_t now_ns;

static void set_thread(int tid, double run_s, unsigned switches)
{
    char path[64];
    char text[128];
    snprintf(path, sizeof path, "proc/%d/task/%d/schedstat", PID, tid);
    snprintf(text, sizeof text, "%.0f 12345 99999999\n", run_s * CLOCK_NS_PER_S);
    fake_kernel_file(path, text);
    snprintf(path, sizeof path, "proc/%d/task/%d/status", PID, tid);
    snprintf(text, sizeof text,
             "Name:\tx\nvoluntary_ctxt_switches:\t%u\nnonvoluntary_ctxt_switches:\t99999999\n",
             switches);
    fake_kernel_file(path, text);
}

static void read_after_a_second(void)
{
    now_ns += CLOCK_NS_PER_S;
    switching_update(&switching, machine, PID, now_ns);
}

static int begin(void **state)
{
    (void)state;
    machine = fake_kernel_begin(NULL);
    switching = (struct switching){0};
    return 0;
}

static int end(void **state)
{
    (void)state;
    fake_kernel_end();
    return 0;
}

static void context_switches_are_summed_over_threads(void **state)
{
    (void)state;
    set_thread(77, 1, 1000);
    set_thread(78, 5, 100);
    read_after_a_second();
    assert_true(switching.per_cpu_second == 0 && !switching.is_switching_often);
    set_thread(77, 1.25, 3000);
    set_thread(78, 5.25, 100);
    set_thread(79, 9, 90000); /* new: its counts are not from this second */
    read_after_a_second();
    assert_true(switching.per_cpu_second > 3999 && switching.per_cpu_second < 4001);
    assert_true(switching.is_switching_often);
}

/* The workers of a server are younger than threads that only wait. */
static void frequent_switches_found_among_idle_threads(void **state)
{
    (void)state;
    for (int second = 0; second < 2; second++) {
        for (int i = 0; i < 97; i++)
            set_thread(PID + i, i < 40 ? 0 : second * 0.01, i < 40 ? 0 : second * 50);
        read_after_a_second();
    }
    assert_true(switching.count > 20 && switching.per_cpu_second > 4999);
    assert_true(switching.is_switching_often);
}

static void frequent_switching_has_hysteresis(void **state)
{
    (void)state;
    set_thread(77, 0, 0);
    read_after_a_second();
    set_thread(77, 1, 2600);
    read_after_a_second();
    assert_true(switching.is_switching_often);
    set_thread(77, 2, 2600 + 2000);
    read_after_a_second();
    assert_true(switching.is_switching_often);
    set_thread(77, 3, 4600 + 1000);
    read_after_a_second();
    assert_false(switching.is_switching_often);
    set_thread(77, 4, 5600 + 2000);
    read_after_a_second();
    assert_false(switching.is_switching_often);
}

/* A process that hardly runs, a process that has ended, and a thread id that has been reused. */
static void readings_without_new_data_keep_the_verdict(void **state)
{
    (void)state;
    set_thread(77, 1, 0);
    read_after_a_second();
    set_thread(77, 2, 9000);
    read_after_a_second();
    assert_true(switching.is_switching_often);
    set_thread(77, 2.001, 9001);
    read_after_a_second();
    assert_true(switching.is_switching_often);
    set_thread(77, 0.5, 10);
    read_after_a_second();
    assert_true(switching.is_switching_often);
    switching_update(&switching, machine, PID + 1, now_ns + 5 * CLOCK_NS_PER_S);
    assert_true(switching.is_switching_often && !switching.count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(context_switches_are_summed_over_threads, begin, end),
        cmocka_unit_test_setup_teardown(frequent_switches_found_among_idle_threads, begin, end),
        cmocka_unit_test_setup_teardown(frequent_switching_has_hysteresis, begin, end),
        cmocka_unit_test_setup_teardown(readings_without_new_data_keep_the_verdict, begin, end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
