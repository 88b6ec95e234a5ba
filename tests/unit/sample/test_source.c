/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plans and fallbacks with models of kernels and CPUs. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sample/perf/source.h"
#include "sample/sampler.h"
#include "unit.h"
#include "unit/sample/fake_kernel.h"

#define PMU "sys/bus/event_source/devices/"

/* Answers of the fake kernel; reset before each test. */
static struct {
    int all;                 /* for every event: 0 or -errno */
    uint64_t refused_config; /* this config gets `refusal` */
    int refusal;
    bool old;       /* before 5.13: inherit_thread is unknown */
    bool wants_aux; /* load latency requires 0x8203 as leader */
    unsigned calls;
    int aux_fd;
    struct perf_event_attr last;
} answers;

static int open_event(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
                      unsigned long flags)
{
    (void)pid;
    (void)cpu;
    (void)flags;
    answers.calls++;
    if (answers.old && attr->inherit_thread)
        return -EINVAL;
    if (answers.all)
        return answers.all;
    if (answers.refusal && attr->config == answers.refused_config)
        return answers.refusal;
    if (answers.wants_aux && attr->config == 0x1cd && (group_fd < 0 || group_fd != answers.aux_fd))
        return -ENODATA;
    answers.last = *attr;
    int fd = fake_kernel_descriptor();
    if (attr->config == 0x8203)
        answers.aux_fd = fd;
    return fd;
}

static const struct kernel *source_kernel;
static struct source_plan source_test_plan;
static struct error source_error;

static int set_up(void **state)
{
    (void)state;
    memset(&answers, 0, sizeof answers);
    answers.aux_fd = -1;
    memset(&source_test_plan, 0, sizeof source_test_plan);
    memset(&source_error, 0, sizeof source_error);
    source_kernel = fake_kernel_begin(open_event);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fake_kernel_end();
    return 0;
}

static void fake_intel_cpu(void)
{
    fake_kernel_file("proc/cpuinfo", "processor\t: 0\nvendor_id\t: GenuineIntel");
    fake_kernel_file(PMU "cpu/type", "4");
    fake_kernel_file(PMU "cpu/format/event", "config:0-7");
    fake_kernel_file(PMU "cpu/format/umask", "config:8-15");
    fake_kernel_file(PMU "cpu/format/ldlat", "config1:0-15");
    fake_kernel_file(PMU "cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3");
    fake_kernel_file(PMU "cpu/events/mem-stores", "event=0xd0,umask=0x82");
}

static int plan_and_try(const struct source *source, const char *list)
{
    int code = source->plan(&source_test_plan, list, source_kernel, &source_error);
    return code ? code
                : source_try(source, &source_test_plan, getpid(), source_kernel, &source_error);
}

static void expect_text(const char *text)
{
    if (!strstr(source_error.text, text))
        fail_msg("error text '%s' lacks '%s'", source_error.text, text);
}

static void pebs_requires_intel_cpu_with_counters(void **state)
{
    (void)state;
    fake_kernel_file("proc/cpuinfo", "vendor_id\t: AuthenticAMD");
    assert_int_equal(plan_and_try(&source_pebs, NULL), -ENODEV);
    expect_text("Intel");
    fake_kernel_file("proc/cpuinfo", "vendor_id\t: GenuineIntel");
    assert_int_equal(plan_and_try(&source_pebs, NULL), -ENODEV);
    expect_text("no CPU counters");
    assert_int_equal(answers.calls, 0);
}

/*
 * libpfm4 does not support this CPU (the test's machine has another one), but the sysfs files do.
 */
static void pebs_uses_sysfs_event_files(void **state)
{
    (void)state;
    fake_intel_cpu();
    assert_int_equal(plan_and_try(&source_pebs, NULL), 0);
    assert_int_equal(source_test_plan.count, 2);
    assert_int_equal(source_test_plan.events[0].config, 0x1cd);
    assert_int_equal(source_test_plan.events[0].config1, 30);
    assert_int_equal(source_test_plan.events[1].config, 0x82d0);
    assert_false(source_test_plan.needs_aux);
    assert_int_equal(answers.last.precise_ip, 2);
    assert_true(answers.last.sample_type & PERF_SAMPLE_DATA_SRC);
    assert_true(answers.last.sample_type & PERF_SAMPLE_ADDR);
    assert_false(answers.last.sample_type & PERF_SAMPLE_REGS_INTR);
    assert_true(answers.last.exclude_kernel);
    assert_non_null(strstr(source_test_plan.weight_unit, "30 cycles"));
}

static void pebs_finds_the_required_leader_event(void **state)
{
    (void)state;
    fake_intel_cpu();
    answers.wants_aux = true;
    assert_int_equal(plan_and_try(&source_pebs, NULL), -ENODATA); /* no such event: fails */
    fake_kernel_file(PMU "cpu/events/mem-loads-aux", "event=0x03,umask=0x82");
    assert_int_equal(plan_and_try(&source_pebs, NULL), 0);
    assert_true(source_test_plan.needs_aux);
    assert_int_equal(source_test_plan.aux.config, 0x8203);
}

static void pebs_has_events_for_both_core_types(void **state)
{
    (void)state;
    fake_kernel_file("proc/cpuinfo", "vendor_id\t: GenuineIntel");
    fake_kernel_file(PMU "cpu_core/type", "4");
    fake_kernel_file(PMU "cpu_core/format/event", "config:0-7");
    fake_kernel_file(PMU "cpu_core/format/umask", "config:8-15");
    fake_kernel_file(PMU "cpu_core/format/ldlat", "config1:0-15");
    fake_kernel_file(PMU "cpu_core/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3");
    fake_kernel_file(PMU "cpu_core/events/mem-loads-aux", "event=0x03,umask=0x82");
    fake_kernel_file(PMU "cpu_core/events/mem-stores", "event=0xcd,umask=0x2");
    fake_kernel_file(PMU "cpu_atom/type", "10");
    fake_kernel_file(PMU "cpu_atom/format/event", "config:0-7");
    fake_kernel_file(PMU "cpu_atom/format/umask", "config:8-15");
    fake_kernel_file(PMU "cpu_atom/format/ldlat", "config1:0-15");
    fake_kernel_file(PMU "cpu_atom/events/mem-loads", "event=0xd0,umask=0x5,ldlat=3");
    fake_kernel_file(PMU "cpu_atom/events/mem-stores", "event=0xd0,umask=0x6");
    answers.wants_aux = true;
    assert_int_equal(plan_and_try(&source_pebs, NULL), 0);
    assert_true(source_test_plan.needs_aux);
    assert_int_equal(source_test_plan.events[0].twin_count, 1);
    assert_int_equal(source_test_plan.events[0].twins[0].type, 10);
    assert_int_equal(source_test_plan.events[0].twins[0].config, 0x5d0);
    assert_int_equal(source_test_plan.events[0].twins[0].config1, 30);
    assert_int_equal(source_test_plan.events[1].twins[0].config, 0x6d0);
}

static void pebs_refuses_software_events(void **state)
{
    (void)state;
    fake_intel_cpu();
    assert_int_equal(plan_and_try(&source_pebs, "cpu-clock"), -EINVAL);
    expect_text("cpu-clock");
}

static void pebs_keeps_the_requested_event_name(void **state)
{
    (void)state;
    fake_intel_cpu();
    assert_int_equal(plan_and_try(&source_pebs, "r20d1"), 0);
    assert_string_equal(source_test_plan.weight_unit, "r20d1");
    assert_int_equal(answers.last.precise_ip, 2);
    /* It could be precise, but has no address. */
    assert_int_equal(plan_and_try(&source_pebs, "cache-misses"), -EINVAL);
    expect_text("no data address");
}

static void fake_amd_ibs(bool swfilt)
{
    fake_kernel_file(PMU "ibs_op/type", "11");
    fake_kernel_file(PMU "ibs_op/format/cnt_ctl", "config:19");
    if (swfilt)
        fake_kernel_file(PMU "ibs_op/format/swfilt", "config2:0");
}

static void ibs_uses_software_filter_if_available(void **state)
{
    (void)state;
    assert_int_equal(plan_and_try(&source_ibs, NULL), -ENODEV);
    fake_amd_ibs(false);
    assert_int_equal(plan_and_try(&source_ibs, NULL), 0);
    assert_false(answers.last.exclude_kernel);
    assert_int_equal(answers.last.config, 1 << 19);
    fake_amd_ibs(true);
    assert_int_equal(plan_and_try(&source_ibs, NULL), 0);
    assert_true(answers.last.exclude_kernel);
    assert_int_equal(answers.last.config2, 1);
    assert_int_equal(answers.last.sample_period % 16, 0);
    assert_int_equal(source_test_plan.period_step, 16);
}

/* The registers of an IBS or PEBS sample must never be used in computations. */
static void registers_of_precise_samples_are_not_used(void **state)
{
    struct perf_event_attr attr;
    (void)state;
    fake_amd_ibs(true);
    assert_int_equal(plan_and_try(&source_ibs, NULL), 0);
    source_attribute(&source_ibs, &source_test_plan, &source_test_plan.events[0], &attr);
    struct record_format format = source_format(&source_ibs, &attr, 0);
    assert_true(format.has_skid_regs && format.recorded_address && format.exact_ip);
}

static void counter_falls_back_to_next_candidate(void **state)
{
    (void)state;
    answers.refused_config = 0x10002; /* LLC read misses: absent on many CPUs */
    answers.refusal = -ENOENT;
    setenv("LIBPFM_FORCE_PMU", "perf", 1);
    assert_int_equal(plan_and_try(&source_counter, "mem-fill"), 0);
    assert_int_equal(source_test_plan.events[0].config, PERF_COUNT_HW_CACHE_MISSES);
    assert_string_equal(source_test_plan.events[0].name, "mem-fill");
}

/* By default the deepest miss event that opens ranks; events that do not open are left out. */
static void counter_ranks_by_deepest_available_event(void **state)
{
    (void)state;
    answers.refused_config = PERF_COUNT_HW_CACHE_MISSES;
    answers.refusal = -EOPNOTSUPP;
    assert_int_equal(plan_and_try(&source_counter, NULL), 0);
    assert_true(source_test_plan.count >= 2);
    for (unsigned i = 0; i < source_test_plan.count; i++)
        assert_true(source_test_plan.events[i].config != PERF_COUNT_HW_CACHE_MISSES ||
                    source_test_plan.events[i].type != PERF_TYPE_HARDWARE);
    for (unsigned i = 0; i < source_test_plan.count; i++)
        for (unsigned j = 0; j < i; j++)
            assert_false(source_test_plan.events[i].type == source_test_plan.events[j].type &&
                         source_test_plan.events[i].config == source_test_plan.events[j].config);
}

static void counter_works_without_its_deepest_event(void **state)
{
    (void)state;
    assert_int_equal(source_counter.plan(&source_test_plan, NULL, source_kernel, &source_error), 0);
    /* The first event has no further candidate, the others have. */
    strcpy(source_test_plan.events[0].name, "gone");
    answers.refused_config = source_test_plan.events[0].config;
    answers.refusal = -ENOENT;
    enum event_role second = source_test_plan.events[1].role;
    assert_int_equal(
        source_try(&source_counter, &source_test_plan, getpid(), source_kernel, &source_error), 0);
    assert_int_equal(source_test_plan.events[0].role, second);
}

/* An Intel CPU that libpfm4 does not support: no event for L2 misses, but the other events. */
static void counter_omits_unsupported_events(void **state)
{
    (void)state;
    fake_kernel_file("proc/cpuinfo", "vendor_id\t: GenuineIntel");
    assert_int_equal(plan_and_try(&source_counter, NULL), 0);
    assert_int_equal(source_test_plan.count, 3);
    assert_int_equal(source_test_plan.events[0].role, EVENT_MEM_FILL);
    assert_int_equal(source_test_plan.events[1].role, EVENT_MISS_L1);
    assert_int_equal(source_test_plan.events[2].role, EVENT_TIME); /* no event counts stalls */
    assert_int_equal(plan_and_try(&source_counter, "l2-miss"), -ENOENT);
}

/* Requested events are not replaced. */
static void counter_never_replaces_requested_events(void **state)
{
    (void)state;
    answers.refused_config = 0;
    answers.refusal = -ENOENT;
    assert_int_equal(plan_and_try(&source_counter, "cycles,cache-misses"), -ENOENT);
    expect_text("cycles");
}

static void counter_describes_software_event_weights(void **state)
{
    (void)state;
    assert_int_equal(plan_and_try(&source_counter, "cpu-clock"), 0);
    assert_non_null(strstr(source_test_plan.weight_unit, "time"));
    assert_int_equal(plan_and_try(&source_counter, "page-faults"), 0);
    assert_string_equal(source_test_plan.weight_unit, "page-faults");
    struct record_format format = source_format(&source_counter, &answers.last, 0);
    assert_true(format.recorded_address && format.exact_ip && !format.has_skid_regs);
}

static void clock_accepts_clock_events_only(void **state)
{
    (void)state;
    assert_int_equal(plan_and_try(&source_clock, NULL), 0);
    assert_string_equal(source_test_plan.weight_unit, "time at the access");
    assert_true(answers.last.exclude_kernel && answers.last.sample_type & PERF_SAMPLE_REGS_USER);
    assert_int_equal(plan_and_try(&source_clock, "page-faults"), -EINVAL);
    assert_int_equal(plan_and_try(&source_clock, "task-clock"), 0);
}

static void clock_falls_back_to_task_clock(void **state)
{
    (void)state;
    answers.refused_config = PERF_COUNT_SW_CPU_CLOCK;
    answers.refusal = -ENOENT;
    assert_int_equal(plan_and_try(&source_clock, NULL), 0);
    assert_int_equal(source_test_plan.events[0].config, PERF_COUNT_SW_TASK_CLOCK);
    assert_int_equal(plan_and_try(&source_clock, "cpu-clock"), -ENOENT);
}

static void inherit_thread_is_dropped_on_old_kernels(void **state)
{
    (void)state;
    answers.old = true;
    assert_int_equal(plan_and_try(&source_clock, NULL), 0);
    assert_false(answers.last.inherit_thread);
    assert_true(answers.last.inherit);
}

static void open_errors_name_cause_and_remedy(void **state)
{
    static const struct {
        int answer;
        int code;
        const char *text;
    } cases[] = {
        {-EACCES, -EACCES, "permission denied"},
        {-EPERM, -EACCES, "permission denied"},
        {-ENOENT, -ENOENT, "does not count"},
        {-EOPNOTSUPP, -EOPNOTSUPP, "does not count"},
        {-ENODEV, -ENODEV, "does not count"},
        {-EMFILE, -EMFILE, "ulimit -n"},
        {-EBUSY, -EBUSY, "in use"},
        {-ENOSYS, -ENOSYS, "no perf_event_open"},
        {-EINVAL, -ENOTSUP, "EINVAL"},
        {-ESRCH, -ESRCH, "gone"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        answers.all = cases[i].answer;
        memset(&source_error, 0, sizeof source_error);
        assert_int_equal(plan_and_try(&source_clock, "cpu-clock"), cases[i].code);
        assert_int_equal(source_error.code, cases[i].code);
        expect_text(cases[i].text);
        assert_null(strchr(source_error.text, '\n'));
        /* sudo does not help root. */
        if (cases[i].code == -EACCES)
            assert_int_equal(strstr(source_error.text, "try sudo") != NULL, geteuid() != 0);
    }
}

static void perf_event_paranoid_is_reported_with_command(void **state)
{
    (void)state;
    answers.all = -EACCES;
    fake_kernel_file("proc/sys/kernel/perf_event_paranoid", "4");
    assert_int_equal(plan_and_try(&source_clock, NULL), -EACCES);
    expect_text("perf_event_paranoid is 4");
    expect_text("sysctl kernel.perf_event_paranoid=2");
    expect_text("cap_perfmon");
    /* 2 is not the cause, except for events that include the kernel. */
    fake_kernel_file("proc/sys/kernel/perf_event_paranoid", "2");
    assert_int_equal(plan_and_try(&source_clock, NULL), -EACCES);
    assert_null(strstr(source_error.text, "sysctl"));
    fake_amd_ibs(false);
    assert_int_equal(plan_and_try(&source_ibs, NULL), -EACCES);
    expect_text("sysctl kernel.perf_event_paranoid=1");
}

static void event_list_length_is_limited(void **state)
{
    (void)state;
    assert_int_equal(plan_and_try(&source_counter, ""), -EINVAL);
    assert_int_equal(plan_and_try(&source_counter, "cycles,,cycles"), -EINVAL);
    assert_int_equal(plan_and_try(&source_counter, "r1,r2,r3,r4,r5,r6,r7,r8,r9"), -EINVAL);
    expect_text("at most 8");
    assert_int_equal(plan_and_try(&source_counter, "r1,r2,r3,r4,r5,r6,r7,r8"), 0);
    assert_int_equal(source_test_plan.count, 8);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
static int run_source(void)
{
    const struct CMUnitTest tests[] = {
        CASE(pebs_requires_intel_cpu_with_counters),
        CASE(pebs_uses_sysfs_event_files),
        CASE(pebs_finds_the_required_leader_event),
        CASE(pebs_has_events_for_both_core_types),
        CASE(pebs_refuses_software_events),
        CASE(pebs_keeps_the_requested_event_name),
        CASE(ibs_uses_software_filter_if_available),
        CASE(registers_of_precise_samples_are_not_used),
        CASE(counter_falls_back_to_next_candidate),
        CASE(counter_ranks_by_deepest_available_event),
        CASE(counter_works_without_its_deepest_event),
        CASE(counter_omits_unsupported_events),
        CASE(counter_never_replaces_requested_events),
        CASE(counter_describes_software_event_weights),
        CASE(clock_accepts_clock_events_only),
        CASE(clock_falls_back_to_task_clock),
        CASE(inherit_thread_is_dropped_on_old_kernels),
        CASE(open_errors_name_cause_and_remedy),
        CASE(perf_event_paranoid_is_reported_with_command),
        CASE(event_list_length_is_limited),
    };
    /* The same events on any test machine: perf's generic ones. */
    setenv("LIBPFM_FORCE_PMU", "perf", 1);
    setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#undef PMU

/*
 * ibs on the kernels and CPUs that have it; each checks attributes like arch/x86/events/amd/ibs.c:
 * perf_ibs_init() for the checks and their order, the attribute groups for the files in format/ on
 * each CPU. Zen 2 with 5.15 supports only whole CPUs (task_ctx_nr is perf_invalid_context), Zen 4
 * filters by L3 misses, Zen 5 by latency.
 */

enum { IBS_TYPE = 11, CNT_CTL = 1 << 19, L3_MISS_ONLY = 1 << 16 };

struct amd_machine {
    const char *release;
    bool per_process; /* 6.2 */
    bool swfilt;      /* 6.14 */
    bool cnt_ctl;     /* family 10h with OPCNT, every Zen */
    bool l3missonly;  /* Zen 4 */
    bool ldlat;       /* Zen 5 */
};

static const struct amd_machine amd_old = {.release = "5.15.0-91-generic", .cnt_ctl = true};
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
static int amd_answer;

static int kernel_verdict(const struct perf_event_attr *attr, pid_t pid)
{
    uint64_t known = (machine->cnt_ctl ? CNT_CTL : 0) | (machine->l3missonly ? L3_MISS_ONLY : 0);
    bool excludes = attr->exclude_kernel || attr->exclude_user || attr->exclude_hv;
    uint64_t ldlat = attr->config1 & 0xfff;
    if (!attr->exclude_kernel && paranoid > 1)
        return -EACCES; /* sys_perf_event_open(), before the PMU is called */
    if (attr->type == PERF_TYPE_RAW && (attr->config == 0xa2d6 || attr->config == 0x76))
        return attr->exclude_kernel && !attr->config2 ? 0 : -EINVAL;
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

static int amd_open_event(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
                          unsigned long flags)
{
    (void)cpu;
    (void)flags;
    int code = amd_answer ? amd_answer : kernel_verdict(attr, pid);
    if (code)
        return code;
    assert_int_equal(group_fd, -1); /* validate_group(): never two in one group */
    accepted = *attr;
    return fake_kernel_descriptor();
}

#define PMU "sys/bus/event_source/devices/ibs_op/"

static const struct kernel *amd_kernel;
static struct source_plan amd_plan;
static struct error amd_error;

static void begin_amd(const struct amd_machine *which, int paranoia)
{
    char text[8];
    machine = which;
    paranoid = paranoia;
    amd_answer = 0;
    amd_kernel = fake_kernel_begin(amd_open_event);
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
    memset(&amd_plan, 0, sizeof amd_plan);
    memset(&amd_error, 0, sizeof amd_error);
    memset(&accepted, 0, sizeof accepted);
    int code = source_ibs.plan(&amd_plan, list, amd_kernel, &amd_error);
    return code ? code : source_try(&source_ibs, &amd_plan, getpid(), amd_kernel, &amd_error);
}

static void amd_expect_text(const char *text)
{
    if (!strstr(amd_error.text, text))
        fail_msg("error text '%s' lacks '%s'", amd_error.text, text);
}

/* From 6.14 on an unprivileged user can sample user mode; before, the kernel cannot be excluded. */
static void unprivileged_ibs_needs_user_mode_filter(void **state)
{
    (void)state;
    begin_amd(&zen4, 2);
    assert_int_equal(try_ibs(NULL), 0);
    assert_int_equal(accepted.config, CNT_CTL);
    assert_int_equal(accepted.config2, 1);
    assert_true(accepted.exclude_kernel && accepted.exclude_hv && !amd_plan.includes_kernel);
    assert_int_equal(accepted.sample_period % 16, 0);
    assert_int_equal(accepted.precise_ip, 0);
    assert_false(accepted.sample_type & PERF_SAMPLE_REGS_USER);
    assert_string_equal(amd_plan.weight_unit, "loads and stores among the ops tagged");
    fake_kernel_end();
    begin_amd(&zen3, 2);
    assert_int_equal(try_ibs(NULL), -EACCES);
    amd_expect_text("sysctl kernel.perf_event_paranoid=1");
    fake_kernel_end();
    begin_amd(&zen3, 1);
    assert_int_equal(try_ibs(NULL), 0);
    assert_false(accepted.exclude_kernel || accepted.exclude_hv);
    assert_int_equal(accepted.config2, 0);
    fake_kernel_end();
}

/* With libpfm4's events of Zen 4; an ibs event without swfilt does not prevent them from excluding
 * the kernel. */
static int zen4_offers_stalls(void)
{
    static const struct amd_machine early = {
        .release = "6.8.0", .per_process = true, .cnt_ctl = true, .l3missonly = true};
    bool right = true;
    setenv("LIBPFM_FORCE_PMU", "amd64_fam19h_zen4", 1);
    for (int i = 0; i < 2; i++) {
        begin_amd(i ? &zen4 : &early, 1);
        right &= !try_ibs(NULL) && amd_plan.count == 3 && amd_plan.events[0].role == EVENT_ACCESS &&
                 amd_plan.events[1].role == EVENT_STALL && amd_plan.events[2].role == EVENT_TIME;
        right &= accepted.exclude_kernel && accepted.sample_type & PERF_SAMPLE_REGS_USER;
        right &= !source_format(&source_ibs, &accepted, 2).recorded_address;
        fake_kernel_end();
    }
    return right ? 0 : 1;
}

static void ibs_samples_stalls_alongside_ops(void **state)
{
    int status = 0;
    (void)state;
    fflush(NULL);
    pid_t child = fork();
    if (!child)
        _exit(zen4_offers_stalls());
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void ibs_counts_cycles_if_ops_unsupported(void **state)
{
    (void)state;
    begin_amd(&barcelona, -1);
    assert_int_equal(try_ibs(NULL), 0);
    assert_int_equal(accepted.config, 0);
    fake_kernel_end();
}

static void ibs_per_process_requires_kernel_6_2(void **state)
{
    (void)state;
    static const struct amd_machine debian12 = {.release = "6.1.0-28-amd64", .cnt_ctl = true};
    static const struct amd_machine *const early[] = {&amd_old, &debian12};
    for (size_t i = 0; i < 2; i++) {
        begin_amd(early[i], -1);
        assert_int_equal(try_ibs(NULL), -ENOTSUP);
        amd_expect_text("before 6.2");
        amd_expect_text("-s counter");
        fake_kernel_end();
    }
    /* A newer kernel that refuses for another reason does not mention 6.2. */
    begin_amd(&zen4, 2);
    amd_answer = -EINVAL;
    assert_int_equal(try_ibs(NULL), -ENOTSUP);
    assert_null(strstr(amd_error.text, "6.2"));
    fake_kernel_end();
}

static void ibs_filters_match_the_cpu(void **state)
{
    (void)state;
    begin_amd(&zen5, 2);
    assert_int_equal(try_ibs("ldlat=128"), 0);
    assert_int_equal(accepted.config1, 128);
    assert_int_equal(amd_plan.events[0].role, EVENT_MEM_FILL);
    assert_string_equal(amd_plan.weight_unit, "loads that took more than 128 cycles");
    assert_int_equal(try_ibs("ldlat=2048,l3missonly"), 0);
    assert_int_equal(accepted.config1, 2048);
    assert_int_equal(accepted.config, CNT_CTL | L3_MISS_ONLY);
    assert_int_equal(try_ibs("l3missonly"), 0);
    assert_int_equal(accepted.config1, 0);
    assert_string_equal(amd_plan.weight_unit, "loads and stores that missed the L3");
    assert_int_equal(try_ibs("ldlat=127"), -EINVAL);
    amd_expect_text("128 to 2048");
    assert_int_equal(try_ibs("ldlat=2049"), -EINVAL);
    assert_int_equal(try_ibs("cache-misses"), -EINVAL);
    amd_expect_text("-s counter");
    assert_int_equal(try_ibs(NULL), 0);
    assert_int_equal(amd_plan.events[0].role, EVENT_ACCESS);
    fake_kernel_end();
    begin_amd(&zen4, 2);
    assert_int_equal(try_ibs("ldlat=128"), -EINVAL);
    amd_expect_text("Zen 5");
    assert_int_equal(try_ibs("l3missonly"), 0);
    fake_kernel_end();
    begin_amd(&zen3, 1);
    assert_int_equal(try_ibs("l3missonly"), -EINVAL);
    amd_expect_text("Zen 4");
    fake_kernel_end();
}

static void ibs_open_errors_name_cause_and_remedy(void **state)
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
    begin_amd(&zen4, 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        amd_answer = cases[i].answer;
        assert_int_equal(try_ibs(NULL), cases[i].code);
        amd_expect_text(cases[i].text);
        fake_kernel_doctor(amd_kernel, "ibs      no", amd_error.text);
    }
    fake_kernel_end();
}

static int run_source_amd(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ibs_samples_stalls_alongside_ops),
        cmocka_unit_test(unprivileged_ibs_needs_user_mode_filter),
        cmocka_unit_test(ibs_counts_cycles_if_ops_unsupported),
        cmocka_unit_test(ibs_per_process_requires_kernel_6_2),
        cmocka_unit_test(ibs_filters_match_the_cpu),
        cmocka_unit_test(ibs_open_errors_name_cause_and_remedy),
    };
    setenv("LIBPFM_FORCE_PMU", "perf", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#undef PMU

int main(void)
{
    int failed = 0;
    /* First, because its child must not inherit an initialised libpfm4. */
    failed += run_source_amd();
    failed += run_source();
    return failed;
}
