/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ibs on the kernels and CPUs that have it, each judging attributes as arch/x86/events/amd/ibs.c
 * does: perf_ibs_init() for the checks and their order, the attribute groups for what format/
 * shows on which CPU. Zen 2 with 5.15 knows whole CPUs only (task_ctx_nr is
 * perf_invalid_context), Zen 4 filters by L3 misses, Zen 5 by latency.
 */
#include "unit.h"

#include "fake_kernel.h"
#include "sample/sampler.h"
#include "sample/perf/source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { IBS_TYPE = 11, CNT_CTL = 1 << 19, L3_MISS_ONLY = 1 << 16 };

struct amd_machine {
    const char *release;
    bool per_process; /* 6.2 */
    bool swfilt;      /* 6.14 */
    bool cnt_ctl;     /* family 10h with OPCNT, every Zen */
    bool l3missonly;  /* Zen 4 */
    bool ldlat;       /* Zen 5 */
};

static const struct amd_machine old = {.release = "5.15.0-91-generic", .cnt_ctl = true};
static const struct amd_machine zen3 = {.release = "6.8.0", .per_process = true, .cnt_ctl = true};
static const struct amd_machine zen4 = {
    .release = "6.14.3", .per_process = true, .swfilt = true, .cnt_ctl = true, .l3missonly = true};
static const struct amd_machine zen5 = {.release = "6.16.0",
                                        .per_process = true,
                                        .swfilt = true,
                                        .cnt_ctl = true,
                                        .l3missonly = true,
                                        .ldlat = true};
static const struct amd_machine barcelona = {.release = "6.6.0", .per_process = true};

static const struct amd_machine *machine;
static struct perf_event_attr accepted;
static int paranoid;
static int answer;

static int judge(const struct perf_event_attr *attr, pid_t pid)
{
    uint64_t known = (machine->cnt_ctl ? CNT_CTL : 0) | (machine->l3missonly ? L3_MISS_ONLY : 0);
    bool excludes = attr->exclude_kernel || attr->exclude_user || attr->exclude_hv;
    uint64_t ldlat = attr->config1 & 0xfff;
    if (!attr->exclude_kernel && paranoid > 1)
        return -EACCES; /* sys_perf_event_open, before the PMU is asked */
    if (attr->type != IBS_TYPE)
        return -ENOENT;
    if (pid > 0 && !machine->per_process)
        return -EINVAL;
    if (attr->config & ~known)
        return -EINVAL;
    if (attr->exclude_host || attr->exclude_guest || attr->exclude_idle)
        return -EINVAL;
    if (excludes && !(machine->swfilt && attr->config2 & 1))
        return -EINVAL;
    if (attr->sample_period < 0x90 || attr->sample_period & 0xf)
        return -EINVAL;
    if (machine->ldlat && ldlat && (ldlat < 128 || ldlat > 2048))
        return -EINVAL;
    return 0;
}

static int open_event(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
                      unsigned long flags)
{
    (void)cpu;
    (void)flags;
    int code = answer ? answer : judge(attr, pid);
    if (code)
        return code;
    assert_int_equal(group_fd, -1); /* validate_group(): never two of them */
    accepted = *attr;
    return fake_kernel_descriptor();
}

#define PMU "sys/bus/event_source/devices/ibs_op/"

static const struct kernel *kernel;
static struct source_plan plan;
static struct error error;

static void begin(const struct amd_machine *which, int paranoia)
{
    char text[8];
    machine = which;
    paranoid = paranoia;
    answer = 0;
    kernel = fake_kernel_begin(open_event);
    snprintf(text, sizeof text, "%d", paranoia);
    fake_kernel_file("proc/cpuinfo", "vendor_id\t: AuthenticAMD");
    fake_kernel_file("proc/sys/kernel/perf_event_paranoid", text);
    fake_kernel_file("proc/sys/kernel/osrelease", which->release);
    fake_kernel_file(PMU "type", "11");
    if (which->cnt_ctl)
        fake_kernel_file(PMU "format/cnt_ctl", "config:19");
    if (which->swfilt)
        fake_kernel_file(PMU "format/swfilt", "config2:0");
    if (which->l3missonly)
        fake_kernel_file(PMU "format/l3missonly", "config:16");
    if (which->ldlat)
        fake_kernel_file(PMU "format/ldlat", "config1:0-11");
}

static int try_ibs(const char *list)
{
    memset(&plan, 0, sizeof plan);
    memset(&error, 0, sizeof error);
    memset(&accepted, 0, sizeof accepted);
    int code = source_ibs.plan(&plan, list, kernel, &error);
    return code ? code : source_try(&source_ibs, &plan, getpid(), kernel, &error);
}

static void expect_text(const char *text)
{
    if (!strstr(error.text, text))
        fail_msg("'%s' lacks '%s'", error.text, text);
}

/* From 6.14 an unprivileged user samples user mode; before, the kernel cannot be left out. */
static void user_mode_only_where_it_can_be_filtered(void **state)
{
    (void)state;
    begin(&zen4, 2);
    assert_int_equal(try_ibs(NULL), 0);
    assert_int_equal(accepted.config, CNT_CTL);
    assert_int_equal(accepted.config2, 1);
    assert_true(accepted.exclude_kernel && accepted.exclude_hv && !plan.kernel_too);
    assert_int_equal(accepted.sample_period % 16, 0);
    assert_int_equal(accepted.precise_ip, 0);
    assert_false(accepted.sample_type & PERF_SAMPLE_REGS_USER);
    assert_string_equal(plan.weighs, "loads and stores among the ops tagged");
    fake_kernel_end();
    begin(&zen3, 2);
    assert_int_equal(try_ibs(NULL), -EACCES);
    expect_text("sysctl kernel.perf_event_paranoid=1");
    fake_kernel_end();
    begin(&zen3, 1);
    assert_int_equal(try_ibs(NULL), 0);
    assert_false(accepted.exclude_kernel || accepted.exclude_hv);
    assert_int_equal(accepted.config2, 0);
    fake_kernel_end();
}

static void cycles_where_ops_cannot_be_counted(void **state)
{
    (void)state;
    begin(&barcelona, -1);
    assert_int_equal(try_ibs(NULL), 0);
    assert_int_equal(accepted.config, 0);
    fake_kernel_end();
}

static void before_6_2_there_are_no_processes(void **state)
{
    (void)state;
    static const struct amd_machine debian12 = {.release = "6.1.0-28-amd64", .cnt_ctl = true};
    static const struct amd_machine *const early[] = {&old, &debian12};
    for (size_t i = 0; i < 2; i++) {
        begin(early[i], -1);
        assert_int_equal(try_ibs(NULL), -ENOTSUP);
        expect_text("before 6.2");
        expect_text("-s counter");
        fake_kernel_end();
    }
    /* A newer one that refuses for another reason does not hear of 6.2. */
    begin(&zen4, 2);
    answer = -EINVAL;
    assert_int_equal(try_ibs(NULL), -ENOTSUP);
    assert_null(strstr(error.text, "6.2"));
    fake_kernel_end();
}

static void filters_are_those_of_the_cpu(void **state)
{
    (void)state;
    begin(&zen5, 2);
    assert_int_equal(try_ibs("ldlat=128"), 0);
    assert_int_equal(accepted.config1, 128);
    assert_int_equal(plan.events[0].role, EVENT_MEM_FILL);
    assert_string_equal(plan.weighs, "loads that took more than 128 cycles");
    assert_int_equal(try_ibs("ldlat=2048,l3missonly"), 0);
    assert_int_equal(accepted.config1, 2048);
    assert_int_equal(accepted.config, CNT_CTL | L3_MISS_ONLY);
    assert_int_equal(try_ibs("l3missonly"), 0);
    assert_int_equal(accepted.config1, 0);
    assert_string_equal(plan.weighs, "loads and stores that missed the L3");
    assert_int_equal(try_ibs("ldlat=127"), -EINVAL);
    expect_text("128 to 2048");
    assert_int_equal(try_ibs("ldlat=2049"), -EINVAL);
    assert_int_equal(try_ibs("cache-misses"), -EINVAL);
    expect_text("-s counter");
    assert_int_equal(try_ibs(NULL), 0);
    assert_int_equal(plan.events[0].role, EVENT_ACCESS);
    fake_kernel_end();
    begin(&zen4, 2);
    assert_int_equal(try_ibs("ldlat=128"), -EINVAL);
    expect_text("Zen 5");
    assert_int_equal(try_ibs("l3missonly"), 0);
    fake_kernel_end();
    begin(&zen3, 1);
    assert_int_equal(try_ibs("l3missonly"), -EINVAL);
    expect_text("Zen 4");
    fake_kernel_end();
}

static void refusals_tell_cause_and_remedy(void **state)
{
    static const struct {
        int answer;
        int code;
        const char *text;
    } cases[] = {
        {-EINVAL, -ENOTSUP, "EINVAL"},
        {-EACCES, -EACCES, "permission denied"},
        {-EPERM, -EACCES, "permission denied"},
        {-ENOENT, -ENOENT, "does not count"},
        {-EOPNOTSUPP, -EOPNOTSUPP, "does not count"},
        {-EMFILE, -EMFILE, "ulimit -n"},
        {-EBUSY, -EBUSY, "one user at a time"},
        {-ENODEV, -ENODEV, "does not count"},
        {-ENOSYS, -ENOSYS, "no perf_event_open"},
    };
    (void)state;
    begin(&zen4, 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        answer = cases[i].answer;
        assert_int_equal(try_ibs(NULL), cases[i].code);
        expect_text(cases[i].text);
        fake_kernel_doctor(kernel, "ibs      no", error.text);
    }
    fake_kernel_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(user_mode_only_where_it_can_be_filtered),
        cmocka_unit_test(cycles_where_ops_cannot_be_counted),
        cmocka_unit_test(before_6_2_there_are_no_processes),
        cmocka_unit_test(filters_are_those_of_the_cpu),
        cmocka_unit_test(refusals_tell_cause_and_remedy),
    };
    setenv("LIBPFM_FORCE_PMU", "perf", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
