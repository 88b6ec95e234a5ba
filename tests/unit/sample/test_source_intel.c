/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pebs on every Intel CPU since Nehalem: the requested events, and the fallbacks if they are
 * refused. */
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
#include "unit/sample/intel_cpus.h"

enum { FDS = 1024 };

static struct {
    const struct intel_cpu *cpu;
    int all;          /* for every event: 0 or -errno */
    uint64_t refused; /* this config gets `refusal` */
    int refusal;
    uint64_t config_of_fd[FDS];
    struct perf_event_attr loads; /* last accepted one */
    struct perf_event_attr stores;
    struct perf_event_attr stalls;
    struct perf_event_attr cycles;
    unsigned aux_opened;
} here;

static const struct kernel *kernel;
static struct source_plan plan;
static struct error error;

static int open_event(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
                      unsigned long flags)
{
    (void)pid;
    (void)cpu;
    (void)flags;
    if (here.all)
        return here.all;
    if (here.refusal && attr->config == here.refused)
        return here.refusal;
    int code = intel_cpu_judge(here.cpu, attr, group_fd >= 0 ? here.config_of_fd[group_fd] : 0, -1);
    if (code)
        return code;
    here.aux_opened += attr->config == INTEL_AUX;
    if (attr->config1)
        here.loads = *attr;
    else if (attr->config == INTEL_CYCLES)
        here.cycles = *attr;
    else if (attr->sample_regs_user)
        here.stalls = *attr;
    else if (attr->sample_period)
        here.stores = *attr;
    int fd = fake_kernel_descriptor();
    assert_true(fd >= 0 && fd < FDS);
    here.config_of_fd[fd] = attr->config;
    return fd;
}

static void begin(const struct intel_cpu *cpu, bool events)
{
    memset(&here, 0, sizeof here);
    here.cpu = cpu;
    kernel = fake_kernel_begin(open_event);
    intel_cpu_files(cpu, events);
}

static int try_pebs(const char *list)
{
    memset(&plan, 0, sizeof plan);
    memset(&error, 0, sizeof error);
    int code = source_pebs.plan(&plan, list, kernel, &error);
    return code ? code : source_try(&source_pebs, &plan, getpid(), kernel, &error);
}

static void expect_text(const char *text)
{
    if (!strstr(error.text, text))
        fail_msg("error text '%s' lacks '%s'", error.text, text);
}

/* The pair that shows whether the process waits is sampled as by the counter source. */
static void check_stalls(uint64_t stall)
{
    assert_int_equal(here.stalls.config, stall);
    assert_int_equal(here.cycles.config, stall ? INTEL_CYCLES : 0);
    if (!stall)
        return;
    assert_true(here.cycles.sample_regs_user);
    const struct event *pair = &plan.events[plan.count - 2];
    assert_true(pair[0].role == EVENT_STALL && pair[1].role == EVENT_TIME);
    assert_int_equal(here.stalls.precise_ip, 0);
    assert_false(here.stalls.sample_type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC));
    struct record_format format = source_format(&source_pebs, &here.stalls, 2);
    assert_false(format.recorded_address || format.exact_ip || format.has_skid_regs);
}

static void check_attributes(const struct intel_cpu *cpu, uint64_t stores, uint64_t stall)
{
    const struct intel_pmu *pmu = &cpu->pmus[0];
    assert_int_equal(plan.count, (stores ? 2 : 1) + (stall ? 2 : 0));
    check_stalls(stall);
    assert_int_equal(here.loads.type, pmu->type);
    assert_int_equal(here.loads.config, pmu->loads);
    assert_int_equal(here.loads.config1, 30);
    assert_int_equal(here.loads.precise_ip, 2);
    assert_int_equal(here.stores.config, stores);
    uint64_t wanted = PERF_SAMPLE_ADDR | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC |
                      PERF_SAMPLE_TIME | PERF_SAMPLE_TID | PERF_SAMPLE_PERIOD;
    assert_int_equal(here.loads.sample_type & wanted, wanted);
    /* Registers after the access would only make records longer. */
    assert_false(here.loads.sample_type & (PERF_SAMPLE_REGS_USER | PERF_SAMPLE_REGS_INTR));
    /* The conditions of large PEBS except for the clock: a fixed period, no wake-up by events. */
    assert_true(!here.loads.freq && !here.loads.wakeup_events && here.loads.exclude_kernel);
    assert_int_equal(plan.needs_aux, cpu->needs_aux);
    assert_true(!!here.aux_opened == cpu->needs_aux);
}

static void check_twins(const struct intel_cpu *cpu)
{
    unsigned twins = 0;
    for (int i = 1; i < INTEL_PMUS && cpu->pmus[i].name; i++, twins++) {
        assert_int_equal(plan.events[0].twins[twins].type, cpu->pmus[i].type);
        assert_int_equal(plan.events[0].twins[twins].config, cpu->pmus[i].loads);
        assert_int_equal(plan.events[0].twins[twins].config1, 30);
        assert_int_equal(plan.events[1].twins[twins].config, cpu->pmus[i].stores);
    }
    assert_int_equal(plan.events[0].twin_count, twins);
}

static void pebs_attributes_from_sysfs_match_each_cpu(void **state)
{
    (void)state;
    for (unsigned i = 0; i < intel_cpu_count; i++) {
        const struct intel_cpu *cpu = &intel_cpus[i];
        begin(cpu, true);
        if (try_pebs(NULL))
            fail_msg("%s: %s", cpu->name, error.text);
        check_attributes(cpu, cpu->pmus[0].stores, 0); /* libpfm4 does not support the CPU */
        check_twins(cpu);
        expect_text("");
        assert_string_equal(plan.weight_unit, "loads that took more than 30 cycles");
        fake_kernel_end();
    }
}

static int by_libpfm(const struct intel_cpu *cpu)
{
    setenv("LIBPFM_FORCE_PMU", cpu->libpfm, 1);
    begin(cpu, false);
    /* No leader is possible without its file; that CPU is handled below. */
    struct intel_cpu alone = *cpu;
    alone.needs_aux = false;
    here.cpu = &alone;
    if (try_pebs(NULL)) {
        fprintf(stderr, "%s: %s\n", cpu->name, error.text);
        return 1;
    }
    check_attributes(&alone, cpu->libpfm_stores ? cpu->libpfm_stores : cpu->pmus[0].stores,
                     cpu->stall);
    fake_kernel_end();
    return 0;
}

/* libpfm4 reads its CPU setting once per process. */
static void pebs_attributes_from_libpfm4_match_each_cpu(void **state)
{
    (void)state;
    for (unsigned i = 0; i < intel_cpu_count; i++) {
        int status = 0;
        if (!intel_cpus[i].libpfm)
            continue;
        fflush(NULL);
        pid_t child = fork();
        if (!child)
            _exit(by_libpfm(&intel_cpus[i]));
        assert_int_equal(waitpid(child, &status, 0), child);
        if (status)
            fail_msg("%s: status %d", intel_cpus[i].name, status);
    }
}

static void pebs_latency_threshold_can_be_set(void **state)
{
    (void)state;
    begin(intel_cpu_named("Alder Lake"), true);
    assert_int_equal(try_pebs("ldlat=3"), 0);
    assert_int_equal(plan.events[0].role, EVENT_ACCESS);
    assert_string_equal(plan.weight_unit, "loads");
    assert_int_equal(try_pebs("ldlat=100"), 0);
    assert_int_equal(plan.events[0].role, EVENT_OTHER);
    assert_int_equal(here.loads.config1, 100);
    assert_int_equal(plan.events[0].twins[0].config1, 100);
    assert_int_equal(plan.count, 2);
    assert_string_equal(plan.weight_unit, "loads that took more than 100 cycles");
    assert_int_equal(try_pebs("ldlat=0"), -EINVAL);
    assert_int_equal(try_pebs("ldlat=65536"), -EINVAL);
    assert_int_equal(try_pebs("ldlat="), -EINVAL);
    assert_int_equal(try_pebs("ldlat=-3"), -EINVAL);
    assert_int_equal(try_pebs("ldlat=9x"), -EINVAL);
    expect_text("ldlat=64");
    assert_int_equal(try_pebs("ldlat=64,r01cd"), -EINVAL);
    expect_text("without others");
    assert_int_equal(try_pebs("l3missonly"), -EINVAL);
    expect_text("ibs");
    fake_kernel_end();
}

/* Virtual machines on old CPUs have no branch records, which precise_ip 2 needs there. */
static void precise_level_is_limited_by_the_kernel(void **state)
{
    static struct intel_cpu poor;
    (void)state;
    poor = *intel_cpu_named("Sandy Bridge");
    poor.max_precise = 1;
    begin(&poor, true);
    assert_int_equal(try_pebs(NULL), 0);
    assert_int_equal(here.loads.precise_ip, 1);
    assert_false(source_format(&source_pebs, &here.loads, 0).exact_ip);
    assert_true(source_format(&source_pebs, &here.loads, 0).recorded_address);
    /* A kernel before 4.15 does not report it, and refuses the event. */
    fake_kernel_file("sys/bus/event_source/devices/cpu/caps/max_precise", "");
    assert_int_equal(try_pebs(NULL), 0);
    assert_int_equal(here.loads.precise_ip, 1);
    assert_int_equal(here.stores.precise_ip, 1);
    assert_int_equal(plan.count, 2);
    fake_kernel_end();
}

static void guest_without_precise_counters_is_refused(void **state)
{
    static struct intel_cpu poor;
    (void)state;
    poor = *intel_cpu_named("Ice Lake-SP");
    poor.max_precise = 0;
    begin(&poor, true);
    assert_int_equal(try_pebs(NULL), -ENODEV);
    expect_text("max_precise is 0");
    fake_kernel_end();
}

/* One of the two is not enough, and is not sampled. */
static int stalls_are_refused(void)
{
    setenv("LIBPFM_FORCE_PMU", "skl", 1);
    begin(intel_cpu_named("Skylake"), true);
    bool offered = !try_pebs(NULL) && plan.count == 4;
    here.refused = here.cpu->stall;
    here.refusal = -EOPNOTSUPP;
    bool left_out = !try_pebs(NULL) && plan.count == 2;
    fake_kernel_end();
    return offered && left_out ? 0 : 1;
}

static void incomplete_stall_pair_is_not_sampled(void **state)
{
    int status = 0;
    (void)state;
    fflush(NULL);
    pid_t child = fork();
    if (!child)
        _exit(stalls_are_refused());
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void pebs_works_without_store_event(void **state)
{
    (void)state;
    begin(intel_cpu_named("Skylake"), true);
    here.refused = 0x82d0;
    here.refusal = -EOPNOTSUPP;
    assert_int_equal(try_pebs(NULL), 0);
    assert_int_equal(plan.count, 1);
    assert_int_equal(here.loads.precise_ip, 2);
    fake_kernel_end();
}

/* Sapphire Rapids with a sysfs that lacks the leader: an error, not a guess. */
static void missing_leader_event_is_an_error(void **state)
{
    (void)state;
    begin(intel_cpu_named("Emerald Rapids"), true);
    struct intel_pmu pmu = here.cpu->pmus[0];
    fake_kernel_end();
    static struct intel_cpu without;
    without = *intel_cpu_named("Emerald Rapids");
    without.pmus[0] = pmu;
    without.pmus[0].aux = false;
    begin(&without, true);
    assert_int_equal(try_pebs(NULL), -ENODATA);
    expect_text("mem-loads-aux");
    expect_text("-s counter");
    fake_kernel_end();
}

/* doctor on a CPU where everything works: the opened events, and the cores. */
static void doctor_names_the_opened_events(void **state)
{
    char *text = NULL;
    size_t size;
    (void)state;
    begin(intel_cpu_named("Alder Lake"), true);
    FILE *out = open_memstream(&text, &size);
    doctor_print(out, kernel);
    fclose(out);
    assert_non_null(strstr(text, "pebs     yes  weighs loads that took more than 30 cycles"));
    assert_non_null(strstr(text, "cpu_core/mem-loads,ldlat=30/, on PMU 10 0x5d0"));
    assert_non_null(strstr(text, "behind cpu_core/mem-loads-aux/"));
    assert_non_null(strstr(text, "  -s pebs -e ldlat=3 (all loads"));
    assert_non_null(strstr(text, "misstop will use: pebs"));
    free(text);
    fake_kernel_end();
}

static void pebs_open_errors_name_cause_and_remedy(void **state)
{
    static const struct {
        int answer;
        int code;
        const char *cause;
        const char *remedy;
    } cases[] = {
        {-EINVAL, -ENOTSUP, "refuses these attributes", "-s"},
        {-ENODATA, -ENODATA, "mem-loads-aux", "-s counter"},
        {-EACCES, -EACCES, "perf_event_paranoid is 3", "sysctl kernel.perf_event_paranoid=2"},
        {-EPERM, -EACCES, "perf_event_paranoid is 3", "cap_perfmon"},
        {-ENOENT, -ENOENT, "no PMU of this machine counts it", "-s counter"},
        {-EOPNOTSUPP, -EOPNOTSUPP, "no precise sampling", "-s counter"},
        {-EMFILE, -EMFILE, "descriptors", "ulimit -n"},
        {-EBUSY, -EBUSY, "in use", "nmi_watchdog"},
        {-ENODEV, -ENODEV, "does not count", ""},
        {-ENOSYS, -ENOSYS, "no perf_event_open", "outside"},
    };
    (void)state;
    begin(intel_cpu_named("Skylake"), true);
    fake_kernel_file("proc/sys/kernel/perf_event_paranoid", "3");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        here.all = cases[i].answer;
        assert_int_equal(try_pebs(NULL), cases[i].code);
        assert_int_equal(error.code, cases[i].code);
        expect_text(cases[i].cause);
        expect_text(cases[i].remedy);
        assert_null(strchr(error.text, '\n'));
        fake_kernel_doctor(kernel, "pebs     no", error.text);
    }
    fake_kernel_end();
}

/* sizes of names in sysfs are not trusted */
static void malformed_sysfs_events_are_refused(void **state)
{
    static const char *const texts[] = {"event=0xcd,umask=0x1,ldlat=zzz", "nonsense=1", "=,=,=,",
                                        "event=99999999999999999999999", ""};
    (void)state;
    setenv("LIBPFM_FORCE_PMU", "perf", 1);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        begin(intel_cpu_named("Tiger Lake"), true);
        fake_kernel_file("sys/bus/event_source/devices/cpu/events/mem-loads", texts[i]);
        int code = try_pebs(NULL);
        if (*texts[i])
            assert_int_equal(code, -ENODEV);
        fake_kernel_end();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        /* First, because children that are forked later must not inherit an initialised libpfm4. */
        cmocka_unit_test(pebs_attributes_from_libpfm4_match_each_cpu),
        cmocka_unit_test(incomplete_stall_pair_is_not_sampled),
        cmocka_unit_test(pebs_attributes_from_sysfs_match_each_cpu),
        cmocka_unit_test(pebs_latency_threshold_can_be_set),
        cmocka_unit_test(precise_level_is_limited_by_the_kernel),
        cmocka_unit_test(guest_without_precise_counters_is_refused),
        cmocka_unit_test(pebs_works_without_store_event),
        cmocka_unit_test(missing_leader_event_is_an_error),
        cmocka_unit_test(doctor_names_the_opened_events),
        cmocka_unit_test(pebs_open_errors_name_cause_and_remedy),
        cmocka_unit_test(malformed_sysfs_events_are_refused),
    };
    setenv("LIBPFM_FORCE_PMU", "perf", 1);
    setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
