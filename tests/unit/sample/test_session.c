/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Complete sessions on models of Intel CPUs: their kernels check each attribute, and each accepted
 * event becomes a dummy event of the running kernel, with a real descriptor, ring and group. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sample/kernel.h"
#include "sample/perf/session.h"
#include "unit.h"
#include "unit/sample/fake_kernel.h"
#include "unit/sample/intel_cpus.h"

enum { OPENED_MAX = 256, FDS = 1024 };

struct opened {
    uint32_t type;
    uint64_t config;
    uint64_t config1;
    uint64_t leader; /* config of the group's leader; 0: none */
    pid_t tid;
    int cpu;
    bool sampling;
    bool timed; /* reading it returns how long it was counted */
};

static struct {
    const struct intel_cpu *cpu;
    struct opened opened[OPENED_MAX];
    unsigned count;
    uint64_t config_of_fd[FDS];
    bool forbidden; /* the running kernel refuses all events */
    int refusal_on_first_cpu;
} here;

static const struct kernel *intel_kernel;

/* CPU numbers are those of the fake machine, one per kind of core; all run on our CPU 0. */
static int open_event(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
                      unsigned long flags)
{
    uint64_t leader = group_fd >= 0 ? here.config_of_fd[group_fd] : 0;
    if (here.refusal_on_first_cpu && cpu == 0)
        return here.refusal_on_first_cpu;
    int code = intel_cpu_judge(here.cpu, attr, leader, cpu);
    if (code)
        return code;
    struct perf_event_attr dummy = *attr;
    dummy.type = PERF_TYPE_SOFTWARE;
    dummy.config = PERF_COUNT_SW_DUMMY;
    dummy.config1 = 0;
    dummy.precise_ip = 0;
    int fd = kernel_host()->perf_event_open(&dummy, pid, cpu < 0 ? -1 : 0, group_fd, flags);
    here.forbidden |= fd == -EACCES || fd == -EPERM || fd == -ENOSYS;
    if (fd < 0)
        return fd;
    assert_true(fd < FDS && here.count < OPENED_MAX);
    here.config_of_fd[fd] = attr->config;
    if (cpu >= 0)
        here.opened[here.count++] =
            (struct opened){attr->type, attr->config, attr->config1,       leader,
                            pid,        cpu,          attr->sample_period, attr->read_format == 3};
    return fd;
}

static void *second_thread(void *unused)
{
    pause();
    return unused;
}

static int run_two_threads(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, second_thread, NULL))
        return 1;
    pause();
    return 0;
}

/* A target with two threads. */
static pid_t start_target(void)
{
    fflush(NULL);
    pid_t pid = fork();
    if (!pid)
        _exit(run_two_threads());
    assert_true(pid > 0);
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    for (int i = 0; i < 1000; i++) {
        struct threads threads = {0};
        if (!threads_read(&threads, kernel_host(), pid) && threads.count == 2) {
            threads_fini(&threads);
            return pid;
        }
        threads_fini(&threads);
        usleep(1000);
    }
    fail_msg("the target has no second thread");
    return pid;
}

static void finish(pid_t pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

static int run(struct session *session, const char *cpu, const char *online, pid_t pid,
               struct error *error)
{
    static struct kernel with_procs;
    struct source_plan plan = {0};
    struct sampler_options options = {.pid = pid, .source = "pebs", .rate = 2000};
    const struct intel_cpu *machine = here.cpu ? here.cpu : intel_cpu_named(cpu);
    here.cpu = machine;
    intel_kernel = fake_kernel_begin(open_event);
    intel_cpu_files(machine, true);
    fake_kernel_file("sys/devices/system/cpu/online", online);
    int code = source_pebs.plan(&plan, NULL, intel_kernel, error);
    if (!code)
        code = source_try(&source_pebs, &plan, pid, intel_kernel, error);
    /* The threads are those of the real process. */
    with_procs = *intel_kernel;
    with_procs.procfs = "/proc";
    return code ? code : session_open(session, &source_pebs, &plan, &options, &with_procs, error);
}

/* Skips the test by name if no event can be opened. */
static void skip_where_forbidden(pid_t pid)
{
    if (!here.forbidden)
        return;
    finish(pid);
    fake_kernel_end();
    print_message("skipped: perf_event_open is not permitted\n");
    skip();
}

static unsigned count(int cpu, uint32_t type, uint64_t config, uint64_t leader)
{
    unsigned found = 0;
    for (unsigned i = 0; i < here.count; i++)
        found += here.opened[i].cpu == cpu && here.opened[i].type == type &&
                 here.opened[i].config == config && here.opened[i].leader == leader;
    return found;
}

static int set_up(void **state)
{
    (void)state;
    memset(&here, 0, sizeof here);
    return 0;
}

/* Both kinds of cores, both threads: on the performance core with the leader. */
static void hybrid_cpu_has_separate_events_per_core_type(void **state)
{
    struct session session;
    struct error error = {0};
    (void)state;
    pid_t pid = start_target();
    int code = run(&session, "Alder Lake", "0-1", pid, &error);
    skip_where_forbidden(pid);
    if (code)
        fail_msg("%s", error.text);
    assert_int_equal(count(0, 4, INTEL_AUX, 0), 2);
    assert_int_equal(count(0, 4, 0x1cd, INTEL_AUX), 2);
    assert_int_equal(count(0, 4, 0x2cd, 0), 2);
    assert_int_equal(count(1, 10, 0x5d0, 0), 2);
    assert_int_equal(count(1, 10, 0x6d0, 0), 2);
    assert_int_equal(here.count, 10);
    assert_int_equal(session.events[0].opened, 4);
    assert_int_equal(session.events[1].opened, 4);
    assert_int_equal(session.handle_count, 10);
    for (unsigned i = 0; i < here.count; i++)
        if (here.opened[i].config == 0x5d0 || here.opened[i].config == 0x1cd)
            assert_int_equal(here.opened[i].config1, 30);
    session_close(&session);
    finish(pid);
    fake_kernel_end();
}

static void three_core_types_have_separate_events(void **state)
{
    struct session session;
    struct error error = {0};
    (void)state;
    pid_t pid = start_target();
    int code = run(&session, "Arrow Lake-H", "0-2", pid, &error);
    skip_where_forbidden(pid);
    if (code)
        fail_msg("%s", error.text);
    assert_int_equal(count(0, 4, 0x1cd, 0), 2);
    assert_int_equal(count(1, 10, 0x5d0, 0), 2);
    assert_int_equal(count(2, 11, 0x5d0, 0), 2);
    assert_int_equal(count(2, 11, 0x6d0, 0), 2);
    assert_int_equal(count(0, 4, INTEL_AUX, 0), 0);
    session_close(&session);
    finish(pid);
    fake_kernel_end();
}

static void leader_event_is_opened_for_loads(void **state)
{
    struct session session;
    struct error error = {0};
    (void)state;
    pid_t pid = start_target();
    int code = run(&session, "Sapphire Rapids", "0", pid, &error);
    skip_where_forbidden(pid);
    if (code)
        fail_msg("%s", error.text);
    assert_int_equal(count(0, 4, 0x1cd, INTEL_AUX), 2);
    assert_int_equal(count(0, 4, 0x2cd, 0), 2);
    for (unsigned i = 0; i < here.count; i++)
        assert_true(here.opened[i].timed);
    /* The leader counts and does not sample; it is not shown as an event. */
    for (unsigned i = 0; i < here.count; i++)
        assert_true(here.opened[i].sampling == (here.opened[i].config != INTEL_AUX));
    assert_int_equal(session.events[0].opened, 2);
    session_close(&session);
    finish(pid);
    fake_kernel_end();
}

static int times(uint64_t enabled, uint64_t running)
{
    uint64_t reported[3] = {12345, enabled, running};
    int fd = memfd_create("times", MFD_CLOEXEC);
    assert_int_equal(write(fd, reported, enabled ? sizeof reported : 0),
                     enabled ? sizeof reported : 0);
    lseek(fd, 0, SEEK_SET);
    return fd;
}

/* One event cannot be read, one is always counted on either of the two CPUs of its thread, and one
 * is counted half of the time. */
static void multiplexed_events_report_their_counted_share(void **state)
{
    struct session_handle handles[] = {{times(0, 0), 0, 0},
                                       {times(400, 300), 1, 0},
                                       {times(400, 100), 1, 1},
                                       {times(500, 120), 2, 0},
                                       {times(500, 130), 2, 1}};
    struct session session = {
        .plan.count = 3, .handles = handles, .handle_count = 5, .cpu_count = 2};
    (void)state;
    for (int i = 0; i < 3; i++)
        session.events[i].running_share = NAN;
    session_update_times(&session);
    assert_true(isnan(session.events[0].running_share));
    assert_true(session.events[1].running_share == 1);
    assert_true(session.events[2].running_share == 0.5);
    session_update_times(&session); /* cannot be read now: the known values stay */
    assert_true(session.events[2].running_share == 0.5);
    for (int i = 0; i < 5; i++)
        close(handles[i].fd);
}

static int open_descriptors(void)
{
    int open_now = 0;
    for (int fd = 0; fd < FDS; fd++)
        open_now += fcntl(fd, F_GETFD) >= 0;
    return open_now;
}

/* Something changes between trying and opening: it is reported, and nothing stays open. */
static void open_errors_are_reported_and_leak_nothing(void **state)
{
    static const struct {
        int answer;
        int code;
        const char *text;
    } cases[] = {
        {-EMFILE, -EMFILE, "ulimit -n"}, {-EACCES, -EACCES, "permission denied"},
        {-EBUSY, -EBUSY, "in use"},      {-ENODATA, -ENODATA, "mem-loads-aux"},
        {-EINVAL, -ENOTSUP, "EINVAL"},   {-ENODEV, -ENODEV, "does not count"},
        {-ENOENT, -ENOENT, "no PMU"},    {-EOPNOTSUPP, -EOPNOTSUPP, "precise"},
        {-ESRCH, -ESRCH, "is gone"},
    };
    struct session session;
    struct error error = {0};
    (void)state;
    pid_t pid = start_target();
    int before = open_descriptors();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        here.count = 0;
        here.refusal_on_first_cpu = cases[i].answer;
        int code = run(&session, "Skylake", "0", pid, &error);
        skip_where_forbidden(pid);
        assert_int_equal(code, cases[i].code);
        if (!strstr(error.text, cases[i].text))
            fail_msg("error text '%s' lacks '%s'", error.text, cases[i].text);
        assert_int_equal(open_descriptors(), before);
        fake_kernel_end();
    }
    finish(pid);
}

/* -c below the minimum of IBS, or not in its steps. */
static void unsuitable_ibs_periods_are_refused(void **state)
{
    struct session session;
    struct error error = {0};
    struct source_plan plan = {
        .count = 1, .period_step = 16, .period_min = 0x90, .first_period = 1600};
    struct sampler_options options = {.pid = getpid(), .rate = 1000, .period = 100};
    (void)state;
    assert_int_equal(session_open(&session, &source_ibs, &plan, &options, kernel_host(), &error),
                     -EINVAL);
    assert_non_null(strstr(error.text, "-c 112"));
    options.period = 128;
    assert_int_equal(session_open(&session, &source_ibs, &plan, &options, kernel_host(), &error),
                     -EINVAL);
    assert_non_null(strstr(error.text, "144"));
}

static int run_session_intel(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(hybrid_cpu_has_separate_events_per_core_type, set_up),
        cmocka_unit_test_setup(three_core_types_have_separate_events, set_up),
        cmocka_unit_test_setup(leader_event_is_opened_for_loads, set_up),
        cmocka_unit_test(multiplexed_events_report_their_counted_share),
        cmocka_unit_test_setup(open_errors_are_reported_and_leak_nothing, set_up),
        cmocka_unit_test_setup(unsuitable_ibs_periods_are_refused, set_up),
    };
    setenv("LIBPFM_FORCE_PMU", "perf", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

static void threads_are_listed_in_ascending_order(void **state)
{
    struct threads threads = {0};
    (void)state;
    const struct kernel *kernel = fake_kernel_begin(NULL);
    fake_kernel_file("proc/10/task/12/comm", "b");
    fake_kernel_file("proc/10/task/9/comm", "c");
    fake_kernel_file("proc/10/task/10/comm", "a");
    assert_int_equal(threads_read(&threads, kernel, 10), 0);
    assert_int_equal(threads.count, 3);
    assert_int_equal(threads.tids[0], 9);
    assert_int_equal(threads.tids[2], 12);
    assert_true(threads_has(&threads, 10));
    assert_false(threads_has(&threads, 11));
    assert_int_equal(threads_read(&threads, kernel, 11), -ESRCH);
    threads_fini(&threads);
    assert_false(threads_has(&threads, 10));
    fake_kernel_end();
}

static void thread_leader_is_read_from_status(void **state)
{
    (void)state;
    const struct kernel *kernel = fake_kernel_begin(NULL);
    fake_kernel_file("proc/12/status", "Name:\tTgid: 99\nTgid:\t10\nPid:\t12");
    fake_kernel_file("proc/13/status", "nothing of the kind");
    assert_int_equal(threads_leader(kernel, 12), 10);
    assert_int_equal(threads_leader(kernel, 13), -1);
    assert_int_equal(threads_leader(kernel, 14), -1);
    fake_kernel_end();
}

static void kernel_files_are_read_as_number_or_text(void **state)
{
    char text[8];
    (void)state;
    const struct kernel *kernel = fake_kernel_begin(NULL);
    fake_kernel_file("proc/number", "-1");
    fake_kernel_file("proc/word", "four");
    assert_int_equal(kernel_number(kernel->procfs, "number", 7), -1);
    assert_int_equal(kernel_number(kernel->procfs, "word", 7), 7);
    assert_int_equal(kernel_number(kernel->procfs, "nothing", 7), 7);
    assert_true(kernel_text(kernel->procfs, "word", text, sizeof text));
    assert_string_equal(text, "four");
    assert_false(kernel_text(kernel->procfs, "nothing", text, sizeof text));
    fake_kernel_end();
}

static int run_threads(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_are_listed_in_ascending_order),
        cmocka_unit_test(thread_leader_is_read_from_status),
        cmocka_unit_test(kernel_files_are_read_as_number_or_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
    int failed = 0;
    failed += run_session_intel();
    failed += run_threads();
    return failed;
}
