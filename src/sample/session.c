/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample/session.h"

#include "base/clock.h"
#include "sample/period.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    SESSION_HARDWARE_PERIOD = 10007, /* of further events, until they are steered */
    SESSION_HARDWARE_PERIOD_LOWEST = 997,
    SESSION_PERIOD_EXACT = 10 /* shorter ones are not jittered: rare events */
};

static bool counts_time(const struct event *event)
{
    return event_is_software(event) && event->role == EVENT_STALL;
}

static void raise_descriptor_limit(void)
{
    struct rlimit limit;
    if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

/* A period fits its own event only: -c and the source's choice are for the one that ranks. */
static uint64_t first_period(const struct session *session, unsigned index)
{
    const struct event *event = &session->plan.events[index];
    if (index == 0 && session->options.period)
        return session->options.period;
    if (counts_time(event))
        return CLOCK_NS_PER_S / session->options.rate;
    if (index == 0)
        return session->plan.first_period;
    return event_is_software(event) ? 1 : SESSION_HARDWARE_PERIOD;
}

static bool fixed_period(const struct session *session, unsigned index)
{
    return index == 0 && session->options.period;
}

static uint64_t jittered(struct session *session, uint64_t period)
{
    if (period < SESSION_PERIOD_EXACT)
        return period;
    return session->plan.period_step
               ? period_jitter_step(period, session->plan.period_step, &session->prng)
               : period_jitter(period, &session->prng);
}

static void prepare_event(struct session *session, unsigned index)
{
    struct session_event *event = &session->events[index];
    event->counted = NAN;
    event->steered = first_period(session, index);
    event->period =
        fixed_period(session, index) ? event->steered : jittered(session, event->steered);
    source_attribute(session->source, &session->plan, &session->plan.events[index], &event->attr);
    event->attr.sample_period = event->period;
    /* Code that is not optimised keeps the addresses in slots of its frame, which are others when
     * the sample is read. Rings would not hold them at high rates. */
    if (event->attr.sample_type & PERF_SAMPLE_REGS_USER &&
        session->options.rate <= SESSION_STACK_RATE_MAX) {
        event->attr.sample_type |= PERF_SAMPLE_STACK_USER;
        event->attr.sample_stack_user = SESSION_STACK_BYTES;
    }
    /* A watermark of 0 is half of the ring, however large that turns out to be. */
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
    if (options->period && options->period < session->plan.period_least)
        return error_set(error, -EINVAL, "-c %llu: %s takes no period below %llu",
                         (unsigned long long)options->period, session->source->name,
                         (unsigned long long)session->plan.period_least);
    return 0;
}

static int explain(const struct session *session, int code, struct error *error)
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
    /* Linux 5.3; without it the exit shows when the process is reaped. */
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
                                .steered_ns = clock_now_ns(),
                                .pid_fd = -1};
    long most = kernel_number(kernel->procfs, "sys/kernel/perf_event_max_sample_rate", 0);
    if (most > 0 && session->options.rate > most)
        session->options.rate = (uint32_t)most;
    session->rate = session->options.rate;
    session->born_ns = session->steered_ns;
    session->prng.state = session->steered_ns;
    session->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    int code = check_options(session, error);
    if (code) {
        session_close(session);
        return code;
    }
    raise_descriptor_limit();
    for (unsigned i = 0; i < plan->count; i++)
        prepare_event(session, i);
    session->born_period = session->events[0].period;
    session->pid_fd = open_pid(options->pid);
    code = session->epoll_fd < 0 ? -errno : session_open_events(session);
    if (!code && !options->launched)
        code = session_enable(session, true);
    if (code) {
        code = explain(session, code, error);
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
    session->events[event].format.period = period; /* the weight where records carry none */
    for (size_t i = 0; i < session->handle_count; i++)
        if (session->handles[i].event == event)
            ioctl(session->handles[i].fd, PERF_EVENT_IOC_PERIOD, &period);
}

/* Shortest sensible period: one thread that does nothing else must not exceed the rate much. */
static uint64_t lowest_period(const struct session *session, unsigned index)
{
    const struct event *event = &session->plan.events[index];
    if (counts_time(event))
        return CLOCK_NS_PER_S / session->options.rate;
    return event_is_software(event) ? 1 : SESSION_HARDWARE_PERIOD_LOWEST;
}

/* No more samples than are digested: what is lost costs the target all the same. Down at once, up
 * by steps. */
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
    session->rate = fmax(fmin(session->rate, asked), fmin(asked, SESSION_RATE_LEAST));
}

/* Threads of a launched program were born with the period of the start, and keep it. Only once
 * fewer samples are taken than were asked for: else that period is as good. */
static void reach_inherited(struct session *session, uint64_t now_ns)
{
    double ratio = (double)session->born_period / (double)session->events[0].period;
    bool far = ratio < 0.67 || ratio > 2;
    uint64_t apart_ns = ratio < 1 ? SESSION_SLOWER_NS : SESSION_FASTER_NS;
    session->adapted |= session->rate < session->options.rate;
    if (!session->adapted || !far || now_ns - session->born_ns < apart_ns || !session->enabled ||
        fixed_period(session, 0))
        return;
    session->born_ns = now_ns;
    if (!session_reopen(session))
        session->born_period = session->events[0].period;
}

static void steer(struct session *session, uint16_t index, double seconds)
{
    struct session_event *event = &session->events[index];
    /* What was lost was sampled; of which event is not known, and the first has the most. */
    double rate = (double)(event->samples + (index ? 0 : session->lost)) / seconds;
    double wanted = index ? session->rate / 4.0 : session->rate;
    event->samples = 0;
    event->steered = period_steer(event->steered, rate, wanted, lowest_period(session, index),
                                  UINT64_C(1) << 36);
    set_period(session, index, jittered(session, event->steered));
}

/* The descriptor tells the end of the last thread; kill() only that of the zombie. */
static bool ended(const struct session *session)
{
    struct pollfd process = {session->pid_fd, POLLIN, 0};
    if (session->pid_fd >= 0)
        return poll(&process, 1, 0) == 1;
    return kill(session->options.pid, 0) && errno == ESRCH;
}

int session_tick(struct session *session, uint64_t now_ns)
{
    double seconds = (double)(now_ns - session->steered_ns) / CLOCK_NS_PER_S;
    if (ended(session))
        return -ESRCH;
    /* A CPU that cannot be followed is one that is not watched: no reason to stop. */
    session_follow_cpus(session);
    if (seconds < 0.05)
        return 0;
    adapt_rate(session, seconds);
    for (uint16_t i = 0; i < session->plan.count; i++)
        if (!fixed_period(session, i))
            steer(session, i, seconds);
    session->lost = 0;
    reach_inherited(session, now_ns);
    session_ask_times(session);
    session->steered_ns = now_ns;
    return 0;
}
