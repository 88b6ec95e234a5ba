/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample/perf/session.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"

/* The kernel events: one per thread, CPU and event. Those of a CPU share its ring. */

enum { SESSION_CPUS_MAX = 4096, SESSION_RELISTS = 4, SESSION_SET_MAX = 1024 };

enum { SESSION_OPENING_PART = 100 /* of the time; thousands of threads take 1 s */ };

#define SESSION_MOVED 0.05 /* fraction of a period; if it moves by more, all handles are set */

static bool has_cpu(const struct session *session, long number)
{
    for (size_t i = 0; i < session->cpu_count; i++)
        if (session->cpus[i].number == number)
            return true;
    return false;
}

/* Adds the new CPUs of a list "0-3,8,10-11". */
static void add_cpus(struct session *session, const char *text)
{
    for (;;) {
        char *end;
        long low = strtol(text, &end, 10);
        if (end == text || low < 0)
            return;
        long high = *end == '-' ? strtol(end + 1, &end, 10) : low;
        for (long cpu = low; cpu <= high && session->cpu_count < SESSION_CPUS_MAX; cpu++)
            if (!has_cpu(session, cpu))
                session->cpus[session->cpu_count++] =
                    (struct session_cpu){.number = (int)cpu, .owner_fd = -1};
        if (*end != ',')
            return;
        text = end + 1;
    }
}

/* Adds the online CPUs, from the lines "cpu0 ..." of /proc/stat. */
static void add_cpus_of_stat(struct session *session)
{
    char path[64];
    char *line = NULL;
    size_t room = 0;
    snprintf(path, sizeof path, "%s/stat", session->kernel->procfs);
    FILE *file = fopen(path, "re");
    if (!file)
        return;
    while (getline(&line, &room, file) > 0)
        if (!strncmp(line, "cpu", 3) && isdigit((unsigned char)line[3]))
            add_cpus(session, line + 3);
    free(line);
    fclose(file);
}

/* Falls back to /proc/stat because /sys may be missing in a container. */
static int read_cpus(struct session *session)
{
    char text[4096];
    if (!session->cpus)
        session->cpus = calloc(SESSION_CPUS_MAX, sizeof *session->cpus);
    if (!session->cpus)
        return -ENOMEM;
    if (kernel_text(session->kernel->sysfs, "devices/system/cpu/online", text, sizeof text))
        add_cpus(session, text);
    else
        add_cpus_of_stat(session);
    if (!session->cpu_count)
        add_cpus(session, "0");
    return session->cpu_count ? 0 : -ENODEV;
}

static int add_handle(struct session *session, int fd, uint16_t event, uint16_t cpu)
{
    uint64_t id = 0;
    if (!array_reserve_next(&session->handles, &session->handle_room, session->handle_count,
                            sizeof *session->handles, ARRAY_UNBOUNDED))
        return -ENOMEM;
    if (ioctl(fd, PERF_EVENT_IOC_ID, &id))
        return -errno;
    if (!hash_put(&session->event_of_id, id, event))
        return -ENOMEM;
    session->handles[session->handle_count++] = (struct session_handle){fd, event, cpu};
    return 0;
}

static int open_cpu_ring(struct session *session, struct session_cpu *cpu, int fd)
{
    struct epoll_event wanted = {.events = EPOLLIN | EPOLLET};
    int code = ring_open(&cpu->ring, fd, SESSION_RING_BYTES);
    if (code)
        return code;
    cpu->owner_fd = fd;
    /* Edge-triggered: otherwise a thread that has ended would report its hang-up forever. */
    return epoll_ctl(session->epoll_fd, EPOLL_CTL_ADD, fd, &wanted) ? -errno : 0;
}

static int attach_ring(struct session *session, struct session_cpu *cpu, int fd)
{
    if (cpu->owner_fd < 0)
        return open_cpu_ring(session, cpu, fd);
    return ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, cpu->owner_fd) ? -errno : 0;
}

/* Kernels before 5.13 refuse inherit_thread; do not try again once this is known. */
static int session_open_event(struct session *session, struct perf_event_attr *attr, pid_t tid,
                              int cpu, int group)
{
    const struct kernel *kernel = session->kernel;
    attr->inherit_thread = !session->no_inherit_thread;
    int fd = kernel->perf_event_open(attr, tid, cpu, group, PERF_FLAG_FD_CLOEXEC);
    if (fd != -EINVAL || session->no_inherit_thread)
        return fd;
    attr->inherit_thread = 0;
    fd = kernel->perf_event_open(attr, tid, cpu, group, PERF_FLAG_FD_CLOEXEC);
    session->no_inherit_thread = fd >= 0;
    return fd;
}

/* Enables an event that is opened after the others were enabled. */
static int enable_if_running(const struct session *session, int fd)
{
    if (!session->enables_one_by_one || !session->enabled)
        return 0;
    return ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) ? -errno : 0;
}

/* Opens the leader that load latency needs, with its own handle. */
static int open_leader(struct session *session, pid_t tid, uint16_t cpu)
{
    struct perf_event_attr attr;
    source_aux_attribute(&session->plan, &session->events[0].attr, &attr);
    int fd = session_open_event(session, &attr, tid, session->cpus[cpu].number, -1);
    /* A group runs only while its leader is enabled. */
    int code = fd < 0 ? fd : enable_if_running(session, fd);
    if (!code)
        code = add_handle(session, fd, 0, cpu);
    if (code && fd >= 0)
        close(fd);
    return code ? code : fd;
}

/* Returns a descriptor or -errno. -ENOENT: the CPU is of another kind, try the twin. */
static int open_event(struct session *session, pid_t tid, uint16_t event, uint16_t cpu)
{
    const struct event *planned = &session->plan.events[event];
    struct perf_event_attr attr = session->events[event].attr;
    int number = session->cpus[cpu].number;
    bool led = session->plan.needs_aux && event == 0;
    int group = led ? open_leader(session, tid, cpu) : -1;
    int fd = led && group < 0 ? group : session_open_event(session, &attr, tid, number, group);
    for (unsigned i = 0; fd == -ENOENT && i < planned->twin_count; i++) {
        attr.type = planned->twins[i].type;
        attr.config = planned->twins[i].config;
        attr.config1 = planned->twins[i].config1;
        fd = session_open_event(session, &attr, tid, number, -1);
    }
    return fd;
}

static int open_event_with_ring(struct session *session, pid_t tid, uint16_t event, uint16_t cpu)
{
    int fd = open_event(session, tid, event, cpu);
    if (fd < 0)
        return fd;
    int code = attach_ring(session, &session->cpus[cpu], fd);
    if (!code)
        code = enable_if_running(session, fd);
    if (!code)
        code = add_handle(session, fd, event, cpu);
    if (code)
        close(fd);
    else
        session->events[event].opened++;
    return code;
}

/* The CPU is gone, or has no such event: the other CPUs are watched without it. */
static bool is_missing_on_cpu(int code)
{
    return code == -ENODEV || code == -ENOENT;
}

/* Opens all events of a thread on one CPU. -ESRCH: the thread ended meanwhile. */
static int open_on_cpu(struct session *session, pid_t tid, uint16_t cpu)
{
    for (uint16_t event = 0; event < session->plan.count; event++) {
        int code = open_event_with_ring(session, tid, event, cpu);
        if (!code)
            continue;
        session->open_error = code == -ESRCH ? session->open_error : code;
        if (event == 0 && is_missing_on_cpu(code))
            return 0;
        /* Only the ranking event must open: counters may be too few for the others. */
        if (event == 0 || code == -ESRCH)
            return code;
    }
    return 0;
}

static int open_thread(struct session *session, pid_t tid)
{
    int code = 0;
    for (uint16_t cpu = 0; !code && cpu < session->cpu_count; cpu++)
        code = open_on_cpu(session, tid, cpu);
    return code == -ESRCH ? 0 : code;
}

/*
 * Opens the events of all threads. Reads the list of threads again until no new thread turns up: a
 * thread that was started meanwhile by a thread without an event would be missed. A thread that was
 * started by a thread with an event has inherited it and would count twice if opened. So the list
 * is read again only while threads are being opened for the first time, which takes milliseconds.
 */
static int open_threads(struct session *session)
{
    struct threads before = {0};
    int code = 0;
    for (int round = 0; !code && round < SESSION_RELISTS; round++) {
        code = threads_read(&session->threads, session->kernel, session->options.pid);
        size_t fresh = 0;
        for (size_t i = 0; !code && i < session->threads.count; i++)
            if (!threads_has(&before, session->threads.tids[i])) {
                code = open_thread(session, session->threads.tids[i]);
                fresh++;
            }
        if (!fresh)
            break;
        struct threads swapped = before;
        before = session->threads;
        session->threads = swapped;
    }
    /* Messages and new CPUs use the most recent list of threads. */
    if (before.count > session->threads.count) {
        struct threads swapped = before;
        before = session->threads;
        session->threads = swapped;
    }
    threads_fini(&before);
    return code;
}

static int session_open_events(struct session *session)
{
    int code = read_cpus(session);
    if (!code)
        code = open_threads(session);
    if (!code && !session->handle_count)
        code = session->open_error ? session->open_error : -ESRCH;
    return code;
}

/* Stops the earlier events. The owner of a ring stays open: the ring belongs to it. */
static void close_handles(struct session *session, struct session_handle *handles, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (handles[i].fd != session->cpus[handles[i].cpu].owner_fd) {
            close(handles[i].fd);
        } else {
            session->cpus[handles[i].cpu].owner_left = true;
            ioctl(handles[i].fd, PERF_EVENT_IOC_DISABLE, 0);
        }
    free(handles);
}

/* Reopens the events of all threads with the current periods: threads that inherited their events
 * keep the period from then. On failure the old events continue. */
static int session_reopen(struct session *session)
{
    struct session_handle *before = session->handles;
    size_t count = session->handle_count;
    session->handles = NULL;
    session->handle_count = session->handle_room = 0;
    session->enables_one_by_one = true;
    /* With a single event, the event is known without an id. */
    if (session->plan.count == 1)
        hash_clear(&session->event_of_id);
    for (unsigned i = 0; i < session->plan.count; i++) {
        session->events[i].attr.sample_period = session->events[i].period;
        session->events[i].attr.enable_on_exec = 0;
    }
    int code = open_threads(session);
    if (!code && session->handle_count) {
        close_handles(session, before, count);
        return 0;
    }
    close_handles(session, session->handles, session->handle_count);
    session->handles = before;
    session->handle_count = session->handle_room = count;
    return code ? code : -ESRCH;
}

/* The kernel keeps the events of a CPU that goes offline and comes back. */
static int session_follow_cpus(struct session *session)
{
    size_t known = session->cpu_count;
    int code = read_cpus(session);
    if (code || session->cpu_count == known)
        return code;
    session->enables_one_by_one = true;
    code = threads_read(&session->threads, session->kernel, session->options.pid);
    for (size_t i = 0; !code && i < session->threads.count; i++)
        for (size_t cpu = known; !code && cpu < session->cpu_count; cpu++)
            code = open_on_cpu(session, session->threads.tids[i], (uint16_t)cpu);
    return code == -ESRCH ? 0 : code;
}

/*
 * Measures multiplexing. Reading a descriptor costs a system call, and an interrupt if the event
 * runs on another CPU, so only some are read. An event of a thread on one CPU is enabled while the
 * thread runs on any CPU: the times that all CPUs together ran add up to the time it was counted.
 */
void session_update_times(struct session *session)
{
    enum { ASKED_MAX = 64 };
    double enabled[SAMPLE_EVENTS_MAX] = {0};
    double running[SAMPLE_EVENTS_MAX] = {0};
    size_t count = session->handle_count < ASKED_MAX ? session->handle_count : ASKED_MAX;
    for (size_t i = 0; i < count; i++) {
        const struct session_handle *handle =
            &session->handles[session->next_read_handle++ % session->handle_count];
        uint64_t times[3]; /* value, time enabled, time running */
        if (read(handle->fd, times, sizeof times) != sizeof times)
            continue;
        enabled[handle->event] += (double)times[1];
        running[handle->event] += (double)times[2];
    }
    for (unsigned i = 0; i < session->plan.count; i++)
        if (enabled[i] > 0)
            session->events[i].running_share =
                fmin(1, running[i] * (double)session->cpu_count / enabled[i]);
}

enum {
    SESSION_HARDWARE_PERIOD = 10007, /* of further events, until they are adjusted */
    SESSION_HARDWARE_PERIOD_LOWEST = 997,
    SESSION_PERIOD_EXACT = 10 /* shorter periods are not jittered: rare events */
};

static void raise_descriptor_limit(void)
{
    struct rlimit limit;
    if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

/* Returns the first period of an event. A period suits one event only: -c and the source's choice
 * apply to the ranking event. */
static uint64_t first_period(const struct session *session, unsigned index)
{
    const struct event *event = &session->plan.events[index];
    if (index == 0 && session->options.period)
        return session->options.period;
    if (event_is_clock(event))
        return CLOCK_NS_PER_S / session->options.rate;
    if (index == 0)
        return session->plan.first_period;
    return event_is_software(event) ? 1 : SESSION_HARDWARE_PERIOD;
}

static bool fixed_period(const struct session *session, unsigned index)
{
    return index == 0 && session->options.period;
}

static uint64_t jittered_period(struct session *session, uint64_t period)
{
    if (period < SESSION_PERIOD_EXACT)
        return period;
    return session->plan.period_step
               ? period_jitter_step(period, session->plan.period_step, &session->prng)
               : period_jitter(period, &session->prng);
}

/* Returns a multiple of 8, as the kernel requires. */
static uint32_t stack_bytes(uint32_t rate)
{
    enum { STACK_BYTES_MIN = 512 };
    uint32_t bytes = rate ? SESSION_STACK_BYTES_PER_S / rate & ~7u : SESSION_STACK_BYTES;
    return bytes < STACK_BYTES_MIN       ? STACK_BYTES_MIN
           : bytes < SESSION_STACK_BYTES ? bytes
                                         : SESSION_STACK_BYTES;
}

static void prepare_event(struct session *session, unsigned index)
{
    struct session_event *event = &session->events[index];
    event->running_share = NAN;
    event->target_period = first_period(session, index);
    event->period = fixed_period(session, index) ? event->target_period
                                                 : jittered_period(session, event->target_period);
    source_attribute(session->source, &session->plan, &session->plan.events[index], &event->attr);
    event->attr.sample_period = event->period;
    /* The stack is used to find callers. Unoptimised code also keeps addresses in its stack frame,
     * which changes before the sample is read. At high rates the rings could not hold it. */
    if (event->attr.sample_type & PERF_SAMPLE_REGS_USER &&
        session->options.rate <= SESSION_STACK_RATE_MAX) {
        event->attr.sample_type |= PERF_SAMPLE_STACK_USER;
        event->attr.sample_stack_user = stack_bytes(session->options.rate);
    }
    /* A watermark of 0 means half of the ring, whatever its final size. */
    event->attr.watermark = 1;
    event->attr.enable_on_exec = session->options.launched;
    if (index == 0) {
        event->attr.mmap = event->attr.mmap2 = event->attr.mmap_data = 1;
        event->attr.comm = event->attr.comm_exec = event->attr.task = 1;
    }
    event->format = source_format(session->source, &event->attr, (uint16_t)index);
}

static int check_options(const struct session *session, struct error *error)
{
    const struct sampler_options *options = &session->options;
    uint64_t step = session->plan.period_step;
    pid_t leader = threads_leader(session->kernel, options->pid);
    if (leader > 0 && leader != options->pid)
        return error_set(error, -EINVAL, "%d is a thread of process %d; watch that with -p %d",
                         (int)options->pid, (int)leader, (int)leader);
    if (step && options->period % step)
        return error_set(error, -EINVAL, "-c %llu: %s counts in steps of %llu; take -c %llu",
                         (unsigned long long)options->period, session->source->name,
                         (unsigned long long)step,
                         (unsigned long long)((options->period / step + 1) * step));
    if (options->period && options->period < session->plan.period_min)
        return error_set(error, -EINVAL, "-c %llu: %s takes no period below %llu",
                         (unsigned long long)options->period, session->source->name,
                         (unsigned long long)session->plan.period_min);
    return 0;
}

static int explain_open_failure(const struct session *session, int code, struct error *error)
{
    size_t events = session->plan.count + session->plan.needs_aux;
    size_t threads = session->threads.count;
    char cause[ERROR_CAUSE];
    if (code == -EMFILE || code == -ENFILE)
        return error_set(error, code,
                         "%zu threads on %zu CPUs with %zu events need %zu descriptors: %s, or "
                         "sample fewer events with -e",
                         threads, session->cpu_count, events, threads * session->cpu_count * events,
                         error_cause(code, cause));
    if (code == -ESRCH)
        return error_set(error, code, "process %d is gone", (int)session->options.pid);
    return source_explain(session->source, code, &session->plan, session->plan.events[0].name,
                          session->kernel, error);
}

static int open_pid(pid_t pid)
{
    /* Linux 5.3; without it the exit is noticed only when the process is reaped. */
    return (int)syscall(SYS_pidfd_open, pid, 0);
}

int session_open(struct session *session, const struct source *source,
                 const struct source_plan *plan, const struct sampler_options *options,
                 const struct kernel *kernel, struct error *error)
{
    *session = (struct session){.kernel = kernel,
                                .source = source,
                                .plan = *plan,
                                .options = *options,
                                .adjusted_ns = clock_now_ns(),
                                .pid_fd = -1};
    if (!options->rate)
        session->options.rate = SESSION_RATE;
    session->reduces_rate = !options->rate && !options->period &&
                            event_is_clock(&plan->events[0]) &&
                            event_is_software(&plan->events[0]) && kernel_virtual(kernel);
    long most = kernel_number(kernel->procfs, "sys/kernel/perf_event_max_sample_rate", 0);
    if (most > 0 && session->options.rate > most)
        session->options.rate = (uint32_t)most;
    session->rate = session->options.rate;
    session->opened_ns = session->adjusted_ns;
    session->prng.state = session->adjusted_ns;
    session->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    int code = check_options(session, error);
    if (code) {
        session_close(session);
        return code;
    }
    raise_descriptor_limit();
    for (unsigned i = 0; i < plan->count; i++)
        prepare_event(session, i);
    session->opened_period = session->events[0].period;
    session->pid_fd = open_pid(options->pid);
    code = session->epoll_fd < 0 ? -errno : session_open_events(session);
    if (!code && !options->launched)
        code = session_enable(session, true);
    if (code) {
        code = explain_open_failure(session, code, error);
        session_close(session);
    }
    return code;
}

void session_close(struct session *session)
{
    for (size_t i = 0; i < session->cpu_count; i++) {
        ring_close(&session->cpus[i].ring);
        if (session->cpus[i].owner_left)
            close(session->cpus[i].owner_fd);
    }
    for (size_t i = 0; i < session->handle_count; i++)
        close(session->handles[i].fd);
    if (session->epoll_fd >= 0)
        close(session->epoll_fd);
    if (session->pid_fd >= 0)
        close(session->pid_fd);
    hash_fini(&session->event_of_id);
    threads_fini(&session->threads);
    free(session->cpus);
    free(session->handles);
    free(session->staging);
    free(session->order);
    *session = (struct session){.epoll_fd = -1, .pid_fd = -1};
}

int session_enable(struct session *session, bool on)
{
    int code = 0;
    for (size_t i = 0; i < session->handle_count; i++)
        if (ioctl(session->handles[i].fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0))
            code = -errno;
    session->enabled = on;
    return code;
}

static void set_period(struct session *session, uint16_t event, uint64_t period)
{
    if (period == session->events[event].period)
        return;
    session->events[event].period = period;
    session->events[event].format.period = period; /* the weight of records that carry none */
    for (size_t i = 0; i < session->handle_count; i++)
        if (session->handles[i].event == event)
            ioctl(session->handles[i].fd, PERF_EVENT_IOC_PERIOD, &period);
}

/* This costs a system call per handle and often an interrupt of another CPU. With very many handles
 * only some get a new jitter each time; all periods stay close to the weight of their samples. */
static void set_next_periods(struct session *session, uint16_t event, uint64_t period)
{
    session->events[event].period = period;
    session->events[event].format.period = session->events[event].target_period;
    for (size_t i = 0; i < SESSION_SET_MAX; i++) {
        const struct session_handle *handle =
            &session->handles[session->next_set_handle++ % session->handle_count];
        if (handle->event == event)
            ioctl(handle->fd, PERF_EVENT_IOC_PERIOD, &period);
    }
}

/* Returns the shortest period with which one busy thread does not exceed the rate by much. */
static uint64_t lowest_period(const struct session *session, unsigned index)
{
    const struct event *event = &session->plan.events[index];
    if (event_is_clock(event))
        return CLOCK_NS_PER_S / (session->switching.is_switching_often ? SESSION_RATE_SPARING
                                                                       : session->options.rate);
    return event_is_software(event) ? 1 : SESSION_HARDWARE_PERIOD_LOWEST;
}

/* Takes no more samples than misstop can process, because lost samples still cost the target.
 * Lowers the rate at once and raises it in steps. */
static void adapt_rate(struct session *session, double seconds)
{
    uint64_t handed = 0;
    double asked = session->options.rate;
    for (unsigned i = 0; i < session->plan.count; i++)
        handed += session->events[i].samples;
    bool too_many = session->staging_used > SESSION_STAGED_MAX / 2 ||
                    session->lost > (handed + session->lost) / SESSION_LOST_PART;
    if (too_many)
        session->rate = fmin(session->rate, 0.7 * (double)handed / seconds);
    else
        session->rate *= 1.1;
    session->rate = fmax(fmin(session->rate, asked), fmin(asked, SESSION_RATE_MIN));
}

/* Threads of a launched program inherited the period from the start and keep it. Reopens them only
 * after the rate was lowered: until then the initial period is good enough. */
static void reopen_for_period(struct session *session, uint64_t now_ns)
{
    double ratio = (double)session->opened_period / (double)session->events[0].period;
    bool far = ratio < 0.67 || ratio > 2;
    uint64_t apart_ns = ratio < 1 ? SESSION_SLOWER_NS : SESSION_FASTER_NS;
    if (apart_ns < session->opening_ns * SESSION_OPENING_PART)
        apart_ns = session->opening_ns * SESSION_OPENING_PART;
    session->rate_was_reduced |=
        session->rate < session->options.rate || session->switching.is_switching_often;
    if (!session->rate_was_reduced || !far || now_ns - session->opened_ns < apart_ns ||
        !session->enabled || fixed_period(session, 0))
        return;
    session->opened_ns = now_ns;
    uint64_t began_ns = clock_now_ns();
    if (!session_reopen(session))
        session->opened_period = session->events[0].period;
    session->opening_ns = clock_now_ns() - began_ns;
}

static void steer_period(struct session *session, uint16_t index, double seconds)
{
    struct session_event *event = &session->events[index];
    /* Lost samples were taken too; count them for the first event, which has the most. */
    double rate = (double)(event->samples + (index ? 0 : session->lost)) / seconds;
    double wanted = index ? session->rate / 4.0 : session->rate;
    event->samples = 0;
    event->target_period = period_steer(event->target_period, rate, wanted,
                                        lowest_period(session, index), UINT64_C(1) << 36);
    double moved = fabs((double)event->target_period - (double)event->applied_period);
    if (session->handle_count > SESSION_SET_MAX &&
        moved < SESSION_MOVED * (double)event->applied_period) {
        set_next_periods(session, index, jittered_period(session, event->target_period));
        return;
    }
    event->applied_period = event->target_period;
    set_period(session, index, jittered_period(session, event->target_period));
}

/* The descriptor reports the end of the last thread; kill() fails only after a zombie is reaped. */
static bool session_ended(const struct session *session)
{
    struct pollfd process = {session->pid_fd, POLLIN, 0};
    if (session->pid_fd >= 0)
        return poll(&process, 1, 0) == 1;
    return kill(session->options.pid, 0) && errno == ESRCH;
}

int session_tick(struct session *session, uint64_t now_ns)
{
    double seconds = (double)(now_ns - session->adjusted_ns) / CLOCK_NS_PER_S;
    if (session_ended(session))
        return -ESRCH;
    /* Ignore errors: a CPU that cannot be followed is not watched. */
    session_follow_cpus(session);
    if (seconds < 0.05)
        return 0;
    adapt_rate(session, seconds);
    if (session->reduces_rate)
        switching_update(&session->switching, session->kernel, session->options.pid, now_ns);
    for (uint16_t i = 0; i < session->plan.count; i++)
        if (!fixed_period(session, i))
            steer_period(session, i, seconds);
    session->lost = 0;
    reopen_for_period(session, now_ns);
    session_update_times(session);
    session->adjusted_ns = now_ns;
    return 0;
}

/* Drains the rings of a session: puts the records of all CPUs in time order. */

static const struct record_format *format_of_event_id(void *context, uint64_t id, bool has_id)
{
    struct session *session = context;
    uint32_t *event = has_id ? hash_find(&session->event_of_id, id) : NULL;
    /* Records of the ring itself may carry no id: they have the layout of the first event. */
    return &session->events[event ? *event : 0].format;
}

static bool stage_record(struct session *session, const unsigned char *record, size_t size)
{
    size_t room = session->staging_room ? session->staging_room * 2 : SESSION_RING_BYTES;
    if (session->staging_used + size > session->staging_room &&
        !array_reserve_exact(&session->staging, &session->staging_room, room, 1))
        return false;
    if (!array_reserve_next(&session->order, &session->order_room, session->order_count,
                            sizeof *session->order, ARRAY_UNBOUNDED))
        return false;
    memcpy(session->staging + session->staging_used, record, size);
    session->order[session->order_count++] = (struct session_order){
        record_time(record, size, format_of_event_id, session), session->staging_used};
    /* Kernel records are multiples of 8 bytes; keep the alignment whatever a size claims. */
    session->staging_used += (size + 7) & ~(size_t)7;
    return true;
}

/* Stages at most one ring's worth, so that a busy target cannot keep this loop running. */
static void stage_ring(struct session *session, struct ring *ring)
{
    unsigned char record[65536];
    size_t taken = 0;
    long size;
    while (taken < ring->data_bytes && (size = ring_next(ring, record, sizeof record))) {
        if (size < 0 || !stage_record(session, record, (size_t)size)) {
            session->malformed_records++;
            break;
        }
        taken += (size_t)size;
    }
    ring_release(ring);
}

static size_t staged_record_bytes(const struct session *session, uint64_t offset)
{
    struct perf_event_header header;
    memcpy(&header, session->staging + offset, sizeof header);
    return ((size_t)header.size + 7) & ~(size_t)7;
}

/* Moves the records not handed over yet to the front, for the next call. */
static void keep_undelivered(struct session *session, size_t first)
{
    size_t count = session->order_count - first;
    uint64_t used = 0;
    session->order_count = session->staging_used = 0;
    if (!count)
        return;
    memmove(session->order, session->order + first, count * sizeof *session->order);
    SORT_BY(session->order, count, offset);
    for (size_t i = 0; i < count; i++) {
        size_t size = staged_record_bytes(session, session->order[i].offset);
        memmove(session->staging + used, session->staging + session->order[i].offset, size);
        session->order[i].offset = used;
        used += size;
    }
    session->order_count = count;
    session->staging_used = used;
}

/* Returns true for a forked child of the target, which is a process of its own. */
static bool is_foreign_record(const struct session *session, const struct record *record)
{
    return record->kind != RECORD_LOST && record->pid != (uint32_t)session->options.pid &&
           record->pid != 0;
}

static void deliver_record(struct session *session, size_t index, sampler_sink sink, void *context)
{
    const unsigned char *bytes = session->staging + session->order[index].offset;
    struct record record;
    int code = record_parse(bytes, session->staging_room - session->order[index].offset,
                            format_of_event_id, session, &record);
    if (code < 0)
        session->malformed_records++;
    if (code != 1 || is_foreign_record(session, &record))
        return;
    /* A record that another CPU wrote late must not turn time back. */
    if (record.time_ns < session->last_ns)
        record.time_ns = session->last_ns;
    session->last_ns = record.time_ns;
    /* Events with enable_on_exec are enabled now. */
    session->enabled |= record.kind == RECORD_COMM && record.comm.exec;
    if (record.kind == RECORD_SAMPLE) {
        record.sample.time_ns = record.time_ns;
        session->events[record.sample.event].samples++;
    }
    if (record.kind == RECORD_LOST)
        session->lost += record.count;
    sink(context, &record);
}

long session_read(struct session *session, uint64_t until_ns, sampler_sink sink, void *context)
{
    struct epoll_event ready[16];
    /* Clears the edge; the rings themselves show the available bytes. */
    while (epoll_wait(session->epoll_fd, ready, 16, 0) == 16)
        continue;
    for (size_t i = 0; i < session->cpu_count && session->staging_used < SESSION_STAGED_MAX; i++)
        if (session->cpus[i].ring.memory)
            stage_ring(session, &session->cpus[i].ring);
    SORT(session->order, session->order_count, SMALLEST(struct session_order, time_ns),
         SMALLEST(struct session_order, offset));
    size_t handed = 0;
    session->has_backlog = false;
    for (; handed < session->order_count && session->order[handed].time_ns <= until_ns; handed++) {
        session->has_backlog =
            session->may_deliver &&
            !session->may_deliver(session->may_deliver_context, session->order[handed].time_ns);
        if (session->has_backlog)
            break;
        deliver_record(session, handed, sink, context);
    }
    keep_undelivered(session, handed);
    return (long)handed;
}

static bool is_prime(uint64_t value)
{
    if (value < 4)
        return value >= 2;
    if (value % 2 == 0)
        return false;
    /* Periods stay below 2^40: at most half a million divisions per refresh. */
    for (uint64_t divisor = 3; divisor * divisor <= value; divisor += 2)
        if (value % divisor == 0)
            return false;
    return true;
}

uint64_t period_prime(uint64_t value)
{
    while (!is_prime(value))
        value++;
    return value;
}

uint64_t period_jitter(uint64_t period, struct prng *prng)
{
    uint64_t spread = period / 5;
    uint32_t bound = spread > UINT32_MAX ? UINT32_MAX : (uint32_t)spread + 1;
    return period_prime(period - period / 10 + prng_below(prng, bound));
}

uint64_t period_jitter_step(uint64_t period, uint64_t step, struct prng *prng)
{
    return step * period_jitter(period / step, prng);
}

uint64_t period_steer(uint64_t period, double samples_per_s, double wanted_per_s, uint64_t low,
                      uint64_t high)
{
    /* The root damps the steps: otherwise phases of the program would make the period oscillate. */
    double factor = samples_per_s > 0 ? sqrt(samples_per_s / wanted_per_s) : 0.5;
    factor = fmin(fmax(factor, 0.25), 4);
    double next = fmin(fmax((double)period * factor, (double)low), (double)high);
    return (uint64_t)next;
}
