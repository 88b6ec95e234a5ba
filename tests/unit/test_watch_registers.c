/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Debug registers asked of a kernel of our own: what it is asked for, and what a user is told where
 * it refuses. On the running kernel, a touch of our own; skipped by name where it refuses. */
#include "unit.h"

#include "fake_kernel.h"

#include "base/clock.h"
#include "sample/kernel.h"
#include "sample/perf/watch.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct {
    int code; /* of breakpoints; 0: they open */
    int most; /* open at a time */
    int open;
    int kernel_too; /* asked for it so often */
} answers;

static int open_event(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
                      unsigned long flags)
{
    (void)pid;
    (void)flags;
    assert_int_equal(cpu, -1);
    assert_int_equal(group_fd, -1);
    assert_false(attr->inherit);
    if (!attr->exclude_kernel)
        return answers.kernel_too++, -EACCES;
    if (attr->type != PERF_TYPE_BREAKPOINT)
        return fake_kernel_descriptor();
    assert_int_equal(attr->bp_type, HW_BREAKPOINT_RW);
    assert_int_equal(attr->bp_len, HW_BREAKPOINT_LEN_8);
    assert_int_equal(attr->sample_period, 1);
    assert_int_equal(attr->disabled, 1);
    if (answers.code)
        return answers.code;
    return answers.open++ < answers.most ? fake_kernel_descriptor() : -ENOSPC;
}

static int open_with(int code, int most, struct error *error)
{
    struct watch_registers registers;
    answers.code = code;
    answers.most = most;
    answers.open = 0;
    const struct kernel *kernel = fake_kernel_begin(open_event);
    fake_kernel_file("proc/sys/kernel/perf_event_paranoid", "3");
    int got = watch_registers_open(&registers, getpid(), kernel, error);
    watch_registers_close(&registers);
    fake_kernel_end();
    return got;
}

static void refused_with(int code, const char *cause, const char *remedy)
{
    struct error error = {0};
    assert_int_equal(open_with(code, 0, &error), code);
    if (!strstr(error.text, cause) || !strstr(error.text, remedy))
        fail_msg("'%s' lacks '%s' or '%s'", error.text, cause, remedy);
}

static void a_refusal_says_what_helps(void **state)
{
    (void)state;
    refused_with(-ENOSPC, "debug registers", "detach the debugger");
    refused_with(-EACCES, "perf_event_paranoid is 3", "kernel.perf_event_paranoid=2");
    refused_with(-EOPNOTSUPP, "refuses hardware breakpoints", "leave --watch out");
    refused_with(-ESRCH, "is gone", "process");
    /* What the kernel touches is asked for, and done without. */
    assert_true(answers.kernel_too > 0);
}

/* Descriptors that are no events cannot be mapped: that, too, is no success. */
static void what_cannot_be_measured_is_refused(void **state)
{
    struct error error = {0};
    (void)state;
    assert_true(open_with(0, WATCH_SLOTS, &error) < 0);
    assert_true(error.text[0]);
}

static void a_touch_is_reported_once(void **state)
{
    static _Alignas(64) volatile uint64_t word;
    struct watch_registers registers;
    struct error error = {0};
    const struct watch_touch *touches;
    uint64_t from_ns = 0;
    (void)state;
    if (watch_registers_open(&registers, getpid(), kernel_host(), &error)) {
        printf("  skipped: %s\n", error.text);
        skip();
    }
    printf("  %u debug registers; a touch takes %.0f ns, %.0f of them before it is recorded\n",
           registers.slots, registers.trap_ns, registers.entry_ns);
    watch_registers_follow(&registers);
    assert_int_equal(registers.thread_count, 1);
    double cost = watch_registers_arm(&registers, 0, (uint64_t)(uintptr_t)&word, &from_ns);
    assert_true(cost > 0);
    for (uint64_t i = 0; i < 1000; i++)
        word = i;
    assert_int_equal(watch_registers_read(&registers, &touches), 1);
    assert_int_equal(touches[0].address, (uintptr_t)&word);
    assert_int_equal(touches[0].tid, getpid());
    assert_true(touches[0].ran_ns < 1000000000);
    assert_true(touches[0].ip > 0 && touches[0].time_ns <= clock_now_ns());
    assert_int_equal(watch_registers_read(&registers, &touches), 0);
    assert_true(watch_registers_cpu_ns(&registers) > 0);
    /* And again, after it has switched itself off. */
    assert_true(watch_registers_arm(&registers, 0, (uint64_t)(uintptr_t)&word, &from_ns) > 0);
    word = 1;
    assert_int_equal(watch_registers_read(&registers, &touches), 1);
    uint64_t ran_ns = 0;
    watch_registers_disarm(&registers, 0, (uint32_t)getpid(), &ran_ns);
    assert_true(ran_ns > 0);
    word = 2;
    assert_int_equal(watch_registers_read(&registers, &touches), 0);
    watch_registers_close(&registers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_refusal_says_what_helps),
        cmocka_unit_test(what_cannot_be_measured_is_refused),
        cmocka_unit_test(a_touch_is_reported_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
