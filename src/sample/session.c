/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample/session.h"

#include "base/clock.h"
#include "sample/period.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    SESSION_RING_BYTES = 512 * 1024, /* what perf_event_mlock_kb (516) allows a CPU */
    SESSION_CPUS_MAX = 4096,
    SESSION_RELISTS = 4
};

/* "0-3,8,10-11" into numbers; how many. */
static size_t parse_cpus(const char *text, struct session_cpu *cpus, size_t room)
{
    size_t count = 0;
    while (*text) {
        char *end;
        long low = strtol(text, &end, 10);
        if (end == text)
            break;
        long high = *end == '-' ? strtol(end + 1, &end, 10) : low;
        for (long cpu = low; cpu <= high && count < room; cpu++)
            cpus[count++] = (struct session_cpu){.number = (int)cpu, .owner_fd = -1};
        text = *end == ',' ? end + 1 : end;
        if (*end != ',')
            break;
    }
    return count;
}

static int read_cpus(struct session *session)
{
    char text[4096];
    session->cpus = calloc(SESSION_CPUS_MAX, sizeof *session->cpus);
    if (!session->cpus)
        return -ENOMEM;
    if (!kernel_text(session->kernel->sysfs, "devices/system/cpu/online", text, sizeof text))
        strcpy(text, "0");
    session->cpu_count = parse_cpus(text, session->cpus, SESSION_CPUS_MAX);
    return session->cpu_count ? 0 : -ENODEV;
}

static int add_handle(struct session *session, int fd, uint16_t event, uint16_t cpu)
{
    uint64_t id = 0;
    if (session->handle_count == session->handle_room) {
        size_t room = session->handle_room ? session->handle_room * 2 : 256;
        struct session_handle *more = realloc(session->handles, room * sizeof *more);
        if (!more)
            return -ENOMEM;
        session->handles = more;
        session->handle_room = room;
    }
    if (ioctl(fd, PERF_EVENT_IOC_ID, &id))
        return -errno;
    uint32_t *slot = hash_insert(&session->event_of_id, id, NULL);
    if (!slot)
        return -ENOMEM;
    *slot = event;
    session->handles[session->handle_count++] = (struct session_handle){fd, event, cpu};
    session->events[event].opened++;
    return 0;
}

static int own_ring(struct session *session, struct session_cpu *cpu, int fd)
{
    struct epoll_event wanted = {.events = EPOLLIN | EPOLLET};
    int code = ring_open(&cpu->ring, fd, SESSION_RING_BYTES);
    if (code)
        return code;
    cpu->owner_fd = fd;
    /* Edge-triggered: a thread that has ended would else report its hang-up for ever. */
    return epoll_ctl(session->epoll_fd, EPOLL_CTL_ADD, fd, &wanted) ? -errno : 0;
}

static int attach_ring(struct session *session, struct session_cpu *cpu, int fd)
{
    if (cpu->owner_fd < 0)
        return own_ring(session, cpu, fd);
    return ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, cpu->owner_fd) ? -errno : 0;
}

/* One event on one thread and CPU. -ESRCH, -ENODEV: thread or CPU gone, no error. */
static int open_one(struct session *session, pid_t tid, uint16_t event, uint16_t cpu_index)
{
    struct session_event *wanted = &session->events[event];
    struct session_cpu *cpu = &session->cpus[cpu_index];
    const struct kernel *kernel = session->kernel;
    int group = -1;
    if (session->plan.needs_aux && event == 0) {
        struct perf_event_attr aux = wanted->attr;
        aux.type = session->plan.aux.type;
        aux.config = session->plan.aux.config;
        aux.config1 = session->plan.aux.config1;
        aux.sample_period = 0;
        group = kernel->perf_event_open(&aux, tid, cpu->number, -1, PERF_FLAG_FD_CLOEXEC);
        if (group < 0)
            return group;
        int code = add_handle(session, group, event, cpu_index);
        if (code) {
            close(group);
            return code;
        }
    }
    int fd = kernel->perf_event_open(&wanted->attr, tid, cpu->number, group, PERF_FLAG_FD_CLOEXEC);
    if (fd == -EINVAL && wanted->attr.inherit_thread) {
        wanted->attr.inherit_thread = 0;
        fd = kernel->perf_event_open(&wanted->attr, tid, cpu->number, group, PERF_FLAG_FD_CLOEXEC);
    }
    if (fd < 0)
        return fd;
    int code = attach_ring(session, cpu, fd);
    if (!code)
        code = add_handle(session, fd, event, cpu_index);
    if (code)
        close(fd);
    return code;
}

static bool gone(int code)
{
    return code == -ESRCH || code == -ENODEV;
}

static int open_thread(struct session *session, pid_t tid)
{
    for (uint16_t cpu = 0; cpu < session->cpu_count; cpu++)
        for (uint16_t event = 0; event < session->plan.count; event++) {
            int code = open_one(session, tid, event, cpu);
            if (code == -ESRCH)
                return 0;
            if (gone(code))
                break;
            /* Only the ranking event must open; counters may run out for the others. */
            if (code && event == 0)
                return code;
            if (code)
                session->refused = code;
        }
    return 0;
}

static bool listed(const struct threads *threads, size_t count, pid_t tid)
{
    for (size_t i = 0; i < count; i++)
        if (threads->tids[i] == tid)
            return true;
    return false;
}

/*
 * All threads there are. Listed again until no new one turns up: a thread started meanwhile
 * by one that had no event yet would be missed. One started by a thread that had is inherited
 * and would count twice if opened, so the lists are read again only while threads are opened
 * for the first time, which takes milliseconds.
 */
static int open_threads(struct session *session)
{
    struct threads before = {0};
    int code = 0;
    for (int round = 0; !code && round < SESSION_RELISTS; round++) {
        code = threads_read(&session->threads, session->kernel, session->options.pid);
        size_t fresh = 0;
        for (size_t i = 0; !code && i < session->threads.count; i++)
            if (!listed(&before, before.count, session->threads.tids[i])) {
                code = open_thread(session, session->threads.tids[i]);
                fresh++;
            }
        if (!fresh)
            break;
        struct threads swapped = before;
        before = session->threads;
        session->threads = swapped;
    }
    threads_fini(&before);
    return code;
}

static void raise_descriptor_limit(void)
{
    struct rlimit limit;
    if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

static uint64_t first_period(const struct session *session, unsigned event)
{
    const struct source_plan *plan = &session->plan;
    if (session->options.period)
        return session->options.period;
    bool clock = plan->events[event].role == EVENT_STALL && event_is_software(&plan->events[event]);
    if (clock)
        return CLOCK_NS_PER_S / session->options.rate;
    return plan->first_period;
}

static void prepare_event(struct session *session, unsigned index)
{
    struct session_event *event = &session->events[index];
    event->steered = first_period(session, index);
    event->period = session->options.period || event->steered < 10
                        ? event->steered
                        : period_jitter(event->steered, &session->prng);
    source_attribute(session->source, &session->plan, &session->plan.events[index], &event->attr);
    event->attr.sample_period = event->period;
    event->attr.watermark = 1;
    event->attr.wakeup_watermark = SESSION_RING_BYTES / 4;
    event->attr.enable_on_exec = session->options.launched;
    if (index == 0) {
        event->attr.mmap = event->attr.mmap2 = event->attr.mmap_data = 1;
        event->attr.comm = event->attr.comm_exec = event->attr.task = 1;
    }
    event->format = source_format(session->source, &event->attr, (uint16_t)index);
}

int session_open(struct session *session, const struct source *source,
                 const struct source_plan *plan, const struct sampler_options *options,
                 const struct kernel *kernel, struct error *error)
{
    *session = (struct session){.kernel = kernel, .source = source, .plan = *plan,
                                .options = *options, .steered_ns = clock_now_ns()};
    session->prng.state = session->steered_ns;
    session->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    raise_descriptor_limit();
    for (unsigned i = 0; i < plan->count; i++)
        prepare_event(session, i);
    int code = session->epoll_fd < 0 ? -errno : read_cpus(session);
    if (!code)
        code = open_threads(session);
    if (!code && !session->handle_count)
        code = -ESRCH;
    if (code == -EMFILE)
        error_set(error, code,
                  "%zu threads on %zu CPUs with %u events need %zu descriptors, more than the "
                  "limit; raise it with ulimit -n, or sample fewer events with -e",
                  session->threads.count, session->cpu_count, plan->count,
                  session->threads.count * session->cpu_count * plan->count);
    else if (code == -ESRCH)
        error_set(error, code, "process %d is gone", (int)options->pid);
    else if (code)
        source_explain(code, plan, plan->events[0].name, kernel, error);
    if (!code && !options->launched)
        code = session_enable(session, true);
    if (code)
        session_close(session);
    return code;
}

void session_close(struct session *session)
{
    for (size_t i = 0; i < session->cpu_count; i++)
        ring_close(&session->cpus[i].ring);
    for (size_t i = 0; i < session->handle_count; i++)
        close(session->handles[i].fd);
    if (session->epoll_fd >= 0)
        close(session->epoll_fd);
    hash_fini(&session->event_of_id);
    threads_fini(&session->threads);
    free(session->cpus);
    free(session->handles);
    free(session->staging);
    free(session->order);
    *session = (struct session){.epoll_fd = -1};
}

int session_enable(struct session *session, bool on)
{
    int code = 0;
    for (size_t i = 0; i < session->handle_count; i++)
        if (ioctl(session->handles[i].fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0))
            code = -errno;
    return code;
}

static const struct record_format *lookup(void *context, uint64_t id, bool has_id)
{
    struct session *session = context;
    uint32_t *event = has_id ? hash_find(&session->event_of_id, id) : NULL;
    /* LOST and other records of the ring itself may carry no id: laid out as the first. */
    return &session->events[event ? *event : 0].format;
}

static bool stage(struct session *session, const unsigned char *record, size_t size)
{
    if (session->staging_used + size > session->staging_room) {
        size_t room = session->staging_room ? session->staging_room * 2 : SESSION_RING_BYTES;
        unsigned char *more = realloc(session->staging, room);
        if (!more)
            return false;
        session->staging = more;
        session->staging_room = room;
    }
    if (session->order_count == session->order_room) {
        size_t room = session->order_room ? session->order_room * 2 : 4096;
        struct session_order *more = realloc(session->order, room * sizeof *more);
        if (!more)
            return false;
        session->order = more;
        session->order_room = room;
    }
    memcpy(session->staging + session->staging_used, record, size);
    session->order[session->order_count++] = (struct session_order){
        record_time(record, size, lookup, session), session->staging_used};
    /* Kernel records are 8-byte multiples; keep that whatever a size says. */
    session->staging_used += (size + 7) & ~(size_t)7;
    return true;
}

/* At most one ring's worth, so that a busy target cannot keep us here. */
static void stage_ring(struct session *session, struct ring *ring)
{
    unsigned char record[65536];
    size_t taken = 0;
    long size;
    while (taken < ring->data_bytes && (size = ring_next(ring, record, sizeof record))) {
        if (size < 0 || !stage(session, record, (size_t)size)) {
            session->bad++;
            break;
        }
        taken += (size_t)size;
    }
    ring_release(ring);
}

static int compare_order(const void *a, const void *b)
{
    const struct session_order *x = a;
    const struct session_order *y = b;
    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? -1 : 1;
    return x->offset < y->offset ? -1 : 1;
}

/* Forked children of the target are processes of their own. */
static bool foreign(const struct session *session, const struct record *record)
{
    return record->kind != RECORD_LOST && record->pid != (uint32_t)session->options.pid &&
           record->pid != 0;
}

static void hand_over(struct session *session, size_t index, sampler_sink sink, void *context)
{
    const unsigned char *bytes = session->staging + session->order[index].offset;
    struct record record;
    int code = record_parse(bytes, session->staging_room - session->order[index].offset, lookup,
                            session, &record);
    if (code < 0)
        session->bad++;
    if (code != 1 || foreign(session, &record))
        return;
    /* A record that another CPU wrote a little later than it says must not turn time back. */
    if (record.time_ns < session->last_ns)
        record.time_ns = session->last_ns;
    session->last_ns = record.time_ns;
    if (record.kind == RECORD_SAMPLE) {
        record.sample.time_ns = record.time_ns;
        session->events[record.sample.event].samples++;
    }
    sink(context, &record);
}

long session_read(struct session *session, sampler_sink sink, void *context)
{
    struct epoll_event ready[16];
    /* Clears the edge; what is to be read, the rings themselves say. */
    while (epoll_wait(session->epoll_fd, ready, 16, 0) == 16)
        continue;
    session->staging_used = 0;
    session->order_count = 0;
    for (size_t i = 0; i < session->cpu_count; i++)
        if (session->cpus[i].ring.memory)
            stage_ring(session, &session->cpus[i].ring);
    qsort(session->order, session->order_count, sizeof *session->order, compare_order);
    for (size_t i = 0; i < session->order_count; i++)
        hand_over(session, i, sink, context);
    return (long)session->order_count;
}

static void set_period(struct session *session, uint16_t event, uint64_t period)
{
    if (period == session->events[event].period)
        return;
    session->events[event].period = period;
    for (size_t i = 0; i < session->handle_count; i++)
        if (session->handles[i].event == event)
            ioctl(session->handles[i].fd, PERF_EVENT_IOC_PERIOD, &period);
}

/* Shortest sensible period: one thread that does nothing else must not exceed the rate much. */
static uint64_t lowest_period(const struct session *session, unsigned event)
{
    bool software = event_is_software(&session->plan.events[event]);
    bool clock = software && session->plan.events[event].role == EVENT_STALL;
    return clock ? CLOCK_NS_PER_S / session->options.rate : software ? 1 : 997;
}

static void steer(struct session *session, uint16_t index, double seconds)
{
    struct session_event *event = &session->events[index];
    double rate = (double)event->samples / seconds;
    double wanted = index ? session->options.rate / 4.0 : session->options.rate;
    event->samples = 0;
    event->steered = period_steer(event->steered, rate, wanted, lowest_period(session, index),
                                  UINT64_C(1) << 36);
    set_period(session, index,
               event->steered < 10 ? event->steered : period_jitter(event->steered, &session->prng));
}

int session_tick(struct session *session, uint64_t now_ns)
{
    double seconds = (double)(now_ns - session->steered_ns) / CLOCK_NS_PER_S;
    if (!session->options.period && seconds >= 0.05) {
        for (uint16_t i = 0; i < session->plan.count; i++)
            steer(session, i, seconds);
        session->steered_ns = now_ns;
    }
    return kill(session->options.pid, 0) && errno == ESRCH ? -ESRCH : 0;
}
