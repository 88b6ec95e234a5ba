/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A complete session on a real process: existing threads, new threads, grandchildren that must not
 * show, exit. Skipped by name if perf_event_open is refused. */
#include <errno.h>
#include <linux/perf_event.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "sample/kernel.h"
#include "sample/perf/session.h"
#include "sample/sampler.h"
#include "unit.h"
#include "unit/sample/fake_kernel.h"

/* The test waits for conditions, because the machine may be busy with other tests. */
enum { DEADLINE_MS = 120000, TARGET_ENDS_S = 600 };
enum { TIDS = 8, TOUCHED_PAGES = 4096, PAGE = 4096 };

/* Shared between the test and its target. */
struct board {
    _Atomic int tids[TIDS]; /* threads of the target, in order of creation */
    _Atomic int go;         /* start one more thread, and a grandchild */
    _Atomic int grandchild;
    _Atomic int stop;
    _Atomic uintptr_t region;
};

static struct board *board;

static int own_tid(void)
{
    return (int)syscall(SYS_gettid);
}

static void *busy(void *slot)
{
    atomic_store((_Atomic int *)slot, own_tid());
    for (volatile unsigned long i = 0; !atomic_load(&board->stop); i++)
        continue;
    return NULL;
}

static void start_thread(int slot)
{
    pthread_t thread;
    pthread_create(&thread, NULL, busy, &board->tids[slot]);
}

/* A main thread and two more; at `go` a fourth thread and a busy grandchild. */
static void busy_target(void)
{
    atomic_store(&board->tids[0], own_tid());
    start_thread(1);
    start_thread(2);
    for (volatile unsigned long i = 0; !atomic_load(&board->go); i++)
        continue;
    start_thread(3);
    pid_t child = fork();
    if (!child) {
        alarm(TARGET_ENDS_S); /* not inherited */
        atomic_store(&board->grandchild, getpid());
        for (volatile unsigned long i = 0; !atomic_load(&board->stop); i++)
            continue;
        _exit(0);
    }
    for (volatile unsigned long i = 0; !atomic_load(&board->stop); i++)
        continue;
    _exit(0);
}

/* Touches fresh pages forever. */
static void faulting_target(void)
{
    size_t size = (size_t)TOUCHED_PAGES * PAGE;
    char *region = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(region, size, MADV_NOHUGEPAGE);
    atomic_store(&board->region, (uintptr_t)region);
    atomic_store(&board->tids[0], own_tid());
    while (!atomic_load(&board->stop)) {
        for (size_t i = 0; i < TOUCHED_PAGES; i++)
            region[i * PAGE + 24] = 1;
        madvise(region, size, MADV_DONTNEED);
    }
    _exit(0);
}

static void sleep_ms(long ms)
{
    struct timespec time = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&time, NULL);
}

/* Sleeps and wakes all the time, like a server with short requests. */
static void switching_target(void)
{
    atomic_store(&board->tids[0], own_tid());
    while (!atomic_load(&board->stop))
        nanosleep(&(struct timespec){0, 1}, NULL);
    _exit(0);
}

static pid_t start(void (*target)(void), int threads)
{
    memset(board, 0, sizeof *board);
    pid_t pid = fork();
    if (!pid) {
        alarm(TARGET_ENDS_S); /* the target ends even if the test fails */
        target();
    }
    for (int thread = 0; thread < threads; thread++) {
        for (int i = 0; i < DEADLINE_MS && !atomic_load(&board->tids[thread]); i++)
            sleep_ms(1);
        assert_true(atomic_load(&board->tids[thread]));
    }
    return pid;
}

static void finish(pid_t pid)
{
    atomic_store(&board->stop, 1);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

struct seen {
    size_t samples;
    size_t of_tid[TIDS];
    size_t foreign;
    size_t with_regs;
    size_t wrong_ip;
    size_t with_address;
    size_t inside;
    size_t kernel;
    size_t forks;
    size_t others;
    uint64_t weight;
    uint64_t last_ns;
    bool backwards;
    pid_t pid;
};

static void take_sample(struct seen *seen, const struct sample *sample)
{
    uint64_t region = atomic_load(&board->region);
    seen->samples++;
    seen->weight += sample->weight;
    seen->kernel += sample->mode != SAMPLE_USER;
    seen->foreign += (pid_t)sample->pid != seen->pid;
    for (int i = 0; i < TIDS; i++)
        seen->of_tid[i] += (int)sample->tid == atomic_load(&board->tids[i]);
    if (sample->has & SAMPLE_HAS_REGS) {
        seen->with_regs++;
        seen->wrong_ip += sample->regs[SREG_IP] != sample->ip;
    }
    if (sample->has & SAMPLE_HAS_ADDRESS) {
        seen->with_address++;
        seen->inside +=
            sample->address >= region && sample->address - region < (uint64_t)TOUCHED_PAGES * PAGE;
    }
}

static void count(void *context, const struct record *record)
{
    struct seen *seen = context;
    seen->backwards |= record->time_ns < seen->last_ns;
    seen->last_ns = record->time_ns;
    if (record->kind == RECORD_SAMPLE)
        take_sample(seen, &record->sample);
    else
        seen->others++;
    seen->forks += record->kind == RECORD_FORK;
}

static void watch(struct sampler *sampler, struct seen *seen, long ms)
{
    uint64_t end = clock_now_ns() + (uint64_t)ms * 1000000;
    while (clock_now_ns() < end) {
        struct pollfd wait = {sampler_fd(sampler), POLLIN, 0};
        poll(&wait, 1, 50);
        assert_true(sampler_read(sampler, UINT64_MAX, count, seen) >= 0);
    }
}

typedef bool (*enough)(const struct seen *seen);

static void watch_until(struct sampler *sampler, struct seen *seen, enough done)
{
    for (int waited_ms = 0; waited_ms < DEADLINE_MS && !done(seen); waited_ms += 50)
        watch(sampler, seen, 50);
}

static void drain_until(struct session *session, struct seen *seen, sampler_sink sink, enough done)
{
    for (int waited_ms = 0; waited_ms < DEADLINE_MS && !done(seen); waited_ms += 20) {
        sleep_ms(20);
        session_read(session, UINT64_MAX, sink, seen);
    }
}

static bool some_samples(const struct seen *seen)
{
    return seen->samples > 20;
}

static bool many_samples(const struct seen *seen)
{
    return seen->samples > 200;
}

static bool first_two(const struct seen *seen)
{
    return seen->of_tid[0] > 0 && seen->of_tid[1] > 0;
}

static bool all_four(const struct seen *seen)
{
    for (int i = 0; i < 4; i++)
        if (seen->of_tid[i] < 5)
            return false;
    return atomic_load(&board->grandchild);
}

static bool first_and_grandchild(const struct seen *seen)
{
    return seen->of_tid[0] > 0 && atomic_load(&board->grandchild);
}

static struct sampler *open_on(pid_t pid, const char *source, const char *events, uint64_t period)
{
    struct sampler *sampler = NULL;
    struct error error = {0};
    struct sampler_options options = {
        .pid = pid, .source = source, .events = events, .rate = 2000, .period = period};
    int code = sampler_open(&sampler, &options, &error);
    if (code == -EACCES || code == -ENOSYS) {
        print_message("skipped: %s\n", error.text);
        finish(pid);
        skip();
    }
    if (code)
        fail_msg("%s", error.text);
    return sampler;
}

/* The higher the rate, the smaller the part of the stack in a sample. */
static void stack_size_shrinks_with_sampling_rate(void **state)
{
    (void)state;
    static const struct {
        uint32_t rate;
        uint32_t stack_bytes;
    } wanted[] = {{100, 1024}, {2000, 1024}, {3000, 696}, {10000, 512}, {20000, 0}};
    pid_t pid = start(busy_target, 3);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        struct sampler_options options = {
            .pid = pid, .source = "clock", .rate = wanted[i].rate, .period = 0};
        struct sampler *sampler = NULL;
        if (sampler_open(&sampler, &options, &(struct error){0})) {
            finish(pid);
            skip();
        }
        const struct perf_event_attr *attr = sampler_attribute(sampler, 0);
        assert_int_equal(attr->sample_stack_user, wanted[i].stack_bytes);
        assert_int_equal(!!(attr->sample_type & PERF_SAMPLE_STACK_USER), wanted[i].stack_bytes > 0);
        sampler_close(sampler);
    }
    finish(pid);
}

/* If each switch programs the timer of a virtual machine, fewer samples are taken, unless a rate is
 * requested. */
static void frequently_switched_process_is_sampled_less(void **state)
{
    enum { ENOUGH_MS = 3000 };
    bool virtual = kernel_virtual(kernel_host());
    (void)state;
    for (uint32_t rate = 0; rate <= 2000; rate += 2000) {
        pid_t pid = start(switching_target, 1);
        struct seen seen = {.pid = pid};
        struct sampler *sampler = NULL;
        struct sampler_options options = {.pid = pid, .source = "clock", .rate = rate};
        if (sampler_open(&sampler, &options, &(struct error){0})) {
            finish(pid);
            skip();
        }
        bool wanted = virtual && !rate;
        for (int ms = 0; ms < (wanted ? DEADLINE_MS : ENOUGH_MS); ms += 100) {
            watch(sampler, &seen, 100);
            assert_int_equal(sampler_tick(sampler, clock_now_ns()), 0);
            if (wanted && sampler_info(sampler)->events[0].period > CLOCK_NS_PER_S / 300)
                break;
        }
        assert_int_equal(sampler_info(sampler)->switches_per_cpu_s > 0, wanted);
        assert_int_equal(sampler_info(sampler)->events[0].period > CLOCK_NS_PER_S / 300, wanted);
        sampler_close(sampler);
        finish(pid);
    }
}

static void clock_source_samples_all_threads(void **state)
{
    (void)state;
    pid_t pid = start(busy_target, 3);
    struct seen seen = {.pid = pid};
    struct sampler *sampler = open_on(pid, "clock", NULL, 0);
    watch_until(sampler, &seen, some_samples);
    assert_int_equal(sampler_tick(sampler, clock_now_ns()), 0);
    atomic_store(&board->go, 1);
    watch_until(sampler, &seen, all_four);
    watch(sampler, &seen, 200); /* time for a wrongly sampled grandchild to show */
    for (int i = 0; i < 4; i++)
        if (seen.of_tid[i] < 5)
            fail_msg("thread %d of the target has %zu of %zu samples", i, seen.of_tid[i],
                     seen.samples);
    assert_int_equal(seen.of_tid[0] + seen.of_tid[1] + seen.of_tid[2] + seen.of_tid[3],
                     seen.samples);
    assert_true(atomic_load(&board->grandchild));
    assert_int_equal(seen.foreign, 0);
    assert_int_equal(seen.kernel, 0);
    assert_false(seen.backwards);
    assert_true(seen.forks > 0); /* the new thread */
    assert_true(seen.with_regs * 100 >= seen.samples * 99);
    assert_int_equal(seen.wrong_ip, 0);
    const struct sampler_info *info = sampler_info(sampler);
    assert_string_equal(info->source, "clock");
    assert_int_equal(info->records_bad, 0);
    assert_true(info->events[0].open_count >= 3);
    sampler_close(sampler);
    finish(pid);
    kill(atomic_load(&board->grandchild), SIGKILL);
}

static double cpu_ns(pid_t pid)
{
    struct timespec used;
    clockid_t clock;
    assert_int_equal(clock_getcpuclockid(pid, &clock), 0);
    clock_gettime(clock, &used);
    return (double)used.tv_sec * 1e9 + (double)used.tv_nsec;
}

/* The weights of a busy program add up to its CPU time: one second. The time used while sampling
 * started and stopped may or may not be included; it is long if other processes had our CPU. */
static void clock_weights_add_up_to_cpu_time(void **state)
{
    (void)state;
    pid_t pid = start(busy_target, 3);
    struct seen seen = {.pid = pid};
    double before_ns = cpu_ns(pid);
    struct sampler *sampler = open_on(pid, "clock", NULL, 0);
    double begun_ns = cpu_ns(pid);
    double last_ns = begun_ns;
    for (int i = 0; i < DEADLINE_MS / 50 && last_ns - begun_ns < 1e9; i++) {
        watch(sampler, &seen, 50);
        last_ns = cpu_ns(pid);
    }
    sampler_enable(sampler, false);
    double after_ns = cpu_ns(pid);
    watch(sampler, &seen, 50);
    if ((double)seen.weight < 0.8 * (last_ns - begun_ns) ||
        (double)seen.weight > 1.2 * (after_ns - before_ns))
        fail_msg("sum of weights: expected %.3f to %.3f s, got %.3f s", (last_ns - begun_ns) / 1e9,
                 (after_ns - before_ns) / 1e9, (double)seen.weight / 1e9);
    sampler_close(sampler);
    finish(pid);
}

static void sampling_can_stop_and_resume(void **state)
{
    (void)state;
    pid_t pid = start(busy_target, 3);
    struct seen seen = {.pid = pid};
    struct sampler *sampler = open_on(pid, "clock", NULL, 0);
    watch_until(sampler, &seen, some_samples);
    sampler_enable(sampler, false);
    watch(sampler, &seen, 60);
    size_t stopped = seen.samples;
    assert_true(stopped > 0);
    watch(sampler, &seen, 200);
    assert_int_equal(seen.samples, stopped);
    sampler_enable(sampler, true);
    seen.samples = 0;
    watch_until(sampler, &seen, some_samples);
    assert_true(some_samples(&seen));
    sampler_close(sampler);
    finish(pid);
}

static void page_fault_samples_have_addresses(void **state)
{
    (void)state;
    pid_t pid = start(faulting_target, 1);
    struct seen seen = {.pid = pid};
    struct sampler *sampler = open_on(pid, "counter", "page-faults", 97);
    watch_until(sampler, &seen, some_samples);
    seen = (struct seen){.pid = pid}; /* ignores the pages touched at the start */
    watch_until(sampler, &seen, many_samples);
    const struct sampler_info *info = sampler_info(sampler);
    assert_int_equal(info->events[0].period, 97); /* exactly as requested */
    assert_true(many_samples(&seen));
    assert_int_equal(seen.with_address, seen.samples);
    assert_true(seen.inside * 100 >= seen.samples * 95);
    assert_true(seen.weight >= seen.samples * 97);
    sampler_close(sampler);
    finish(pid);
}

/* Two events in one ring are distinguished by their ids. */
static size_t of_event[SAMPLE_EVENTS_MAX];

static void count_events(void *context, const struct record *record)
{
    (void)context;
    if (record->kind == RECORD_SAMPLE)
        of_event[record->sample.event]++;
}

static void several_events_share_the_rings(void **state)
{
    (void)state;
    pid_t pid = start(faulting_target, 1);
    struct sampler *sampler = open_on(pid, "counter", "page-faults,cpu-clock", 0);
    memset(of_event, 0, sizeof of_event);
    for (int i = 0; i < DEADLINE_MS / 50 && (of_event[0] <= 20 || of_event[1] <= 5); i++) {
        sleep_ms(50);
        sampler_read(sampler, UINT64_MAX, count_events, NULL);
        sampler_tick(sampler, clock_now_ns());
    }
    assert_int_equal(sampler_info(sampler)->event_count, 2);
    assert_true(of_event[0] > 20);
    assert_true(of_event[1] > 5);
    sampler_close(sampler);
    finish(pid);
}

/* Not reaped: kill(0) on a zombie succeeds as if it still ran. */
static void exit_is_noticed_before_reaping(void **state)
{
    int code = 0;
    (void)state;
    pid_t pid = start(busy_target, 3);
    struct sampler *sampler = open_on(pid, "clock", NULL, 0);
    assert_int_equal(sampler_tick(sampler, clock_now_ns()), 0);
    kill(pid, SIGKILL);
    for (int i = 0; i < DEADLINE_MS / 20 && !code; i++) {
        sleep_ms(20);
        code = sampler_tick(sampler, clock_now_ns());
    }
    assert_int_equal(code, -ESRCH);
    sampler_close(sampler);
    finish(pid);
}

static void launched_program_is_sampled_from_exec(void **state)
{
    int gate[2];
    struct seen seen = {0};
    (void)state;
    assert_int_equal(pipe2(gate, O_CLOEXEC), 0);
    pid_t pid = fork();
    if (!pid) {
        char byte;
        if (read(gate[0], &byte, 1) == 1)
            execl("/bin/sh", "sh", "-c", "i=0; while :; do i=$((i+1)); done", (char *)NULL);
        _exit(127);
    }
    struct sampler *sampler = NULL;
    struct error error = {0};
    struct sampler_options options = {
        .pid = pid, .launched = true, .source = "clock", .rate = 2000};
    seen.pid = pid;
    int code = sampler_open(&sampler, &options, &error);
    if (code == -EACCES || code == -ENOSYS) {
        finish(pid);
        skip();
    }
    assert_int_equal(code, 0);
    sleep_ms(50);
    sampler_read(sampler, UINT64_MAX, count, &seen);
    assert_int_equal(seen.samples, 0);
    assert_int_equal(write(gate[1], "x", 1), 1);
    watch_until(sampler, &seen, some_samples);
    assert_true(seen.samples > 20);
    assert_true(seen.others > 2); /* its mappings and its new name */
    sampler_close(sampler);
    finish(pid);
    close(gate[0]);
    close(gate[1]);
}

static int expect_failure(pid_t pid, uint32_t rate, const char *source, struct error *error)
{
    struct sampler *sampler = NULL;
    struct sampler_options options = {.pid = pid, .source = source, .rate = rate};
    return sampler_open(&sampler, &options, error);
}

static void unwatchable_targets_are_refused_with_reason(void **state)
{
    struct error error = {0};
    (void)state;
    pid_t gone = fork();
    if (!gone)
        _exit(0);
    waitpid(gone, NULL, 0);
    assert_int_equal(expect_failure(gone, 2000, "auto", &error), -ESRCH);
    assert_non_null(strstr(error.text, "gone"));
    assert_int_equal(expect_failure(getpid(), 2000, "moon", &error), -EINVAL);
    pid_t pid = start(busy_target, 3);
    assert_int_equal(expect_failure(atomic_load(&board->tids[1]), 2000, "clock", &error), -EINVAL);
    assert_non_null(strstr(error.text, "-p"));
    finish(pid);
}

/* Descriptors do not leak, whether a session opens or fails. */
static int open_descriptors(void)
{
    int open_now = 0;
    for (int fd = 0; fd < 1024; fd++)
        open_now += fcntl(fd, F_GETFD) >= 0;
    return open_now;
}

static void sampler_leaks_no_descriptors(void **state)
{
    struct error error;
    (void)state;
    pid_t pid = start(busy_target, 3);
    int before = open_descriptors();
    sampler_close(open_on(pid, "clock", NULL, 0));
    assert_int_equal(open_descriptors(), before);
    expect_failure(999999999, 2000, "clock", &error);
    assert_int_equal(open_descriptors(), before);
    finish(pid);
}

/* The host's kernel, except for what a test changes: sessions need real descriptors. */
static struct {
    unsigned left; /* number of opens before EMFILE */
    bool no_inherit_thread;
    int dying_tid;     /* ended between listing and opening */
    const char *sysfs; /* replaces /sys */
    int atom_cpu;      /* a CPU with a PMU that needs the twin */
} trick;

static int open_with_faults(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
                            unsigned long flags)
{
    if (trick.left && !--trick.left) {
        trick.left = 1;
        return -EMFILE;
    }
    if (trick.no_inherit_thread && attr->inherit_thread)
        return -EINVAL;
    if (trick.dying_tid && pid == trick.dying_tid)
        return -ESRCH;
    if (trick.atom_cpu >= 0 && cpu == trick.atom_cpu && attr->config != PERF_COUNT_SW_TASK_CLOCK)
        return -ENOENT;
    return kernel_host()->perf_event_open(attr, pid, cpu, group_fd, flags);
}

static int open_tricky(struct session *session, pid_t pid, struct error *error)
{
    static struct kernel kernel;
    struct source_plan plan = {0};
    struct sampler_options options = {.pid = pid, .source = "clock", .rate = 2000};
    kernel = *kernel_host();
    int code = source_clock.plan(&plan, "cpu-clock", &kernel, error);
    if (!code)
        code = source_try(&source_clock, &plan, pid, &kernel, error);
    if (code == -EACCES || code == -ENOSYS) {
        finish(pid);
        skip();
    }
    kernel.perf_event_open = open_with_faults;
    kernel.sysfs = trick.sysfs ? trick.sysfs : kernel.sysfs;
    plan.events[0].twin_count = trick.atom_cpu >= 0;
    plan.events[0].twins[0] = (struct event_twin){PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, 0};
    return session_open(session, &source_clock, &plan, &options, &kernel, error);
}

static void reset_faults(void)
{
    memset(&trick, 0, sizeof trick);
    trick.atom_cpu = -1;
}

static void descriptor_limit_error_names_threads(void **state)
{
    struct session session;
    struct error error = {0};
    (void)state;
    reset_faults();
    pid_t pid = start(busy_target, 3);
    int before = open_descriptors();
    trick.left = 3;
    assert_int_equal(open_tricky(&session, pid, &error), -EMFILE);
    assert_non_null(strstr(error.text, "3 threads"));
    assert_non_null(strstr(error.text, "ulimit -n"));
    assert_int_equal(open_descriptors(), before);
    finish(pid);
}

static void thread_ending_during_open_is_no_error(void **state)
{
    struct session session;
    struct seen seen = {0};
    struct error error = {0};
    (void)state;
    reset_faults();
    pid_t pid = start(busy_target, 3);
    trick.dying_tid = atomic_load(&board->tids[2]);
    trick.no_inherit_thread = true;
    assert_int_equal(open_tricky(&session, pid, &error), 0);
    seen.pid = pid;
    atomic_store(&board->go, 1);
    drain_until(&session, &seen, count, first_and_grandchild);
    sleep_ms(200); /* time for a wrongly sampled grandchild to show */
    session_read(&session, UINT64_MAX, count, &seen);
    assert_true(seen.of_tid[0] > 0);
    assert_int_equal(seen.of_tid[2], 0);
    assert_true(atomic_load(&board->grandchild)); /* also inherited, and filtered */
    assert_int_equal(seen.foreign, 0);
    session_close(&session);
    finish(pid);
    kill(atomic_load(&board->grandchild), SIGKILL);
}

static void efficient_cores_get_the_twin_event(void **state)
{
    struct session session;
    struct error error = {0};
    (void)state;
    reset_faults();
    pid_t pid = start(busy_target, 3);
    trick.atom_cpu = 0;
    assert_int_equal(open_tricky(&session, pid, &error), 0);
    assert_int_equal(session.events[0].opened, 3 * session.cpu_count);
    session_close(&session);
    finish(pid);
}

static void count_cpus(void *context, const struct record *record)
{
    struct seen *seen = context;
    if (record->kind == RECORD_SAMPLE && record->sample.cpu < TIDS)
        seen->of_tid[record->sample.cpu]++;
}

/* A CPU that appears during the session: only a file of sysfs is fake, the CPU is real. */
static void cpus_coming_online_are_sampled(void **state)
{
    struct session session;
    struct seen seen = {0};
    struct error error = {0};
    (void)state;
    reset_faults();
    if (sysconf(_SC_NPROCESSORS_ONLN) < 2) {
        print_message("skipped: needs two CPUs\n");
        skip();
    }
    trick.sysfs = fake_kernel_begin(NULL)->sysfs;
    fake_kernel_file("sys/devices/system/cpu/online", "0");
    pid_t pid = start(busy_target, 3);
    seen.pid = pid;
    assert_int_equal(open_tricky(&session, pid, &error), 0);
    assert_int_equal(session.cpu_count, 1);
    assert_int_equal(session.handle_count, 3);
    assert_int_equal(session_tick(&session, clock_now_ns()), 0);
    assert_int_equal(session.handle_count, 3);
    fake_kernel_file("sys/devices/system/cpu/online", "0-1");
    assert_int_equal(session_tick(&session, clock_now_ns()), 0);
    assert_int_equal(session.cpu_count, 2);
    assert_int_equal(session.handle_count, 6);
    drain_until(&session, &seen, count_cpus, first_two);
    assert_true(seen.of_tid[0] > 0 && seen.of_tid[1] > 0); /* samples of CPU 0, of CPU 1 */
    fake_kernel_file("sys/devices/system/cpu/online", "0");
    assert_int_equal(session_tick(&session, clock_now_ns()), 0);
    session_close(&session);
    fake_kernel_end();
    finish(pid);
}

/* As in a container without /sys: the CPUs are listed in /proc/stat. */
static void without_sysfs_all_cpus_are_sampled(void **state)
{
    struct session session;
    struct error error = {0};
    (void)state;
    reset_faults();
    trick.sysfs = fake_kernel_begin(NULL)->sysfs;
    pid_t pid = start(busy_target, 1);
    assert_int_equal(open_tricky(&session, pid, &error), 0);
    assert_int_equal(session.cpu_count, sysconf(_SC_NPROCESSORS_ONLN));
    session_close(&session);
    fake_kernel_end();
    finish(pid);
}

static int set_up(void **state)
{
    (void)state;
    board = mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return board == MAP_FAILED;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stack_size_shrinks_with_sampling_rate),
        cmocka_unit_test(frequently_switched_process_is_sampled_less),
        cmocka_unit_test(clock_source_samples_all_threads),
        cmocka_unit_test(clock_weights_add_up_to_cpu_time),
        cmocka_unit_test(sampling_can_stop_and_resume),
        cmocka_unit_test(page_fault_samples_have_addresses),
        cmocka_unit_test(several_events_share_the_rings),
        cmocka_unit_test(exit_is_noticed_before_reaping),
        cmocka_unit_test(launched_program_is_sampled_from_exec),
        cmocka_unit_test(unwatchable_targets_are_refused_with_reason),
        cmocka_unit_test(sampler_leaks_no_descriptors),
        cmocka_unit_test(descriptor_limit_error_names_threads),
        cmocka_unit_test(thread_ending_during_open_is_no_error),
        cmocka_unit_test(efficient_cores_get_the_twin_event),
        cmocka_unit_test(cpus_coming_online_are_sampled),
        cmocka_unit_test(without_sysfs_all_cpus_are_sampled),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
