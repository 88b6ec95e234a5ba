/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sample/sampler.h"
#include "unit.h"
#include "unit/sample/fake_kernel.h"

static int answer;
static char *text;

static int open_event(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
                      unsigned long flags)
{
    (void)pid;
    (void)cpu;
    (void)group_fd;
    (void)flags;
    if (answer)
        return answer;
    return attr->type == PERF_TYPE_SOFTWARE ? fake_kernel_descriptor() : -ENOENT;
}

static void run_doctor(const struct kernel *kernel)
{
    size_t size;
    free(text);
    FILE *out = open_memstream(&text, &size);
    doctor_print(out, kernel);
    fclose(out);
}

static void expect_output(const char *words)
{
    if (!strstr(text, words))
        fail_msg("doctor's output lacks '%s':\n%s", words, text);
}

static void doctor_reports_missing_counters(void **state)
{
    (void)state;
    const struct kernel *kernel = fake_kernel_begin(open_event);
    answer = 0;
    fake_kernel_file("proc/cpuinfo", "vendor_id : AuthenticAMD\nmodel name\t: AMD EPYC\n"
                                     "flags\t\t: fpu hypervisor");
    fake_kernel_file("proc/sys/kernel/perf_event_paranoid", "2");
    fake_kernel_file("proc/sys/kernel/perf_event_max_sample_rate", "100000");
    fake_kernel_file("proc/sys/kernel/perf_event_mlock_kb", "516");
    run_doctor(kernel);
    expect_output("AMD EPYC");
    expect_output("a virtual machine");
    expect_output("perf_event_paranoid 2");
    expect_output("pebs     no");
    expect_output("ibs      no");
    expect_output("counter  no");
    expect_output("pmu=on"); /* how to enable it */
    expect_output("clock    yes");
    expect_output("mem-fill   none that can be counted here");
    expect_output("none: no counter here counts misses");
    expect_output("misstop will use: clock");
    fake_kernel_end();
}

static int open_all(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
                    unsigned long flags)
{
    (void)pid;
    (void)cpu;
    (void)group_fd;
    (void)flags;
    bool misses = attr->type == PERF_TYPE_HW_CACHE && attr->config == 0x10000; /* L1D, read */
    bool cycles = attr->type == PERF_TYPE_HARDWARE && attr->config == PERF_COUNT_HW_CPU_CYCLES;
    return answer && !misses && !cycles ? answer : fake_kernel_descriptor();
}

/* The line for miss rates can be typed as it is; the deepest misses rank. */
static void doctor_suggests_options_that_work(void **state)
{
    (void)state;
    const struct kernel *kernel = fake_kernel_begin(open_all);
    answer = 0;
    fake_kernel_file("proc/cpuinfo", "vendor_id : AuthenticAMD\n");
    run_doctor(kernel);
    expect_output("  -s counter -e mem-fill,l2-miss,l1-miss,access,stall\n");
    answer = -ENOENT;
    run_doctor(kernel);
    expect_output("  -s counter -e l1-miss,stall (no miss rates");
    fake_kernel_end();
}

static void doctor_names_the_remedy_for_missing_permission(void **state)
{
    (void)state;
    const struct kernel *kernel = fake_kernel_begin(open_event);
    answer = -EACCES;
    fake_kernel_file("proc/sys/kernel/perf_event_paranoid", "4");
    run_doctor(kernel);
    expect_output("perf_event_paranoid 4");
    expect_output("sudo sysctl kernel.perf_event_paranoid=2");
    expect_output("clock    no");
    expect_output("cannot sample here");
    fake_kernel_end();
}

static void doctor_reports_missing_system_call(void **state)
{
    (void)state;
    const struct kernel *kernel = fake_kernel_begin(open_event);
    answer = -ENOSYS;
    run_doctor(kernel);
    expect_output("no perf_event_open");
    expect_output("cannot sample here");
    fake_kernel_end();
}

static int tear_down(void **state)
{
    (void)state;
    free(text);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(doctor_reports_missing_counters),
        cmocka_unit_test(doctor_suggests_options_that_work),
        cmocka_unit_test(doctor_names_the_remedy_for_missing_permission),
        cmocka_unit_test(doctor_reports_missing_system_call),
    };
    return cmocka_run_group_tests(tests, NULL, tear_down);
}
