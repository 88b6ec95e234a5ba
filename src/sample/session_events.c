/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernel events of a session: one per thread, CPU and event; a CPU's share its ring. */
#include "sample/session.h"

#include "base/array.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { SESSION_CPUS_MAX = 4096, SESSION_RELISTS = 4 };

static bool cpu_known(const struct session *session, long number)
{
    for (size_t i = 0; i < session->cpu_count; i++)
        if (session->cpus[i].number == number)
            return true;
    return false;
}

/* Adds what is new in "0-3,8,10-11". */
static void add_cpus(struct session *session, const char *text)
{
    for (;;) {
        char *end;
        long low = strtol(text, &end, 10);
        if (end == text || low < 0)
            return;
        long high = *end == '-' ? strtol(end + 1, &end, 10) : low;
        for (long cpu = low; cpu <= high && session->cpu_count < SESSION_CPUS_MAX; cpu++)
            if (!cpu_known(session, cpu))
                session->cpus[session->cpu_count++] =
                    (struct session_cpu){.number = (int)cpu, .owner_fd = -1};
        if (*end != ',')
            return;
        text = end + 1;
    }
}

/* Lines "cpu0 ..." of those that are online. */
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

/* In a container /sys may be missing. */
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
    struct session_handle *more = array_more(session->handles, &session->handle_room,
                                             session->handle_count, sizeof *more, ARRAY_UNBOUNDED);
    if (!more)
        return -ENOMEM;
    session->handles = more;
    if (ioctl(fd, PERF_EVENT_IOC_ID, &id))
        return -errno;
    uint32_t *slot = hash_insert(&session->event_of_id, id, NULL);
    if (!slot)
        return -ENOMEM;
    *slot = event;
    session->handles[session->handle_count++] = (struct session_handle){fd, event, cpu};
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

/* Kernels before 5.13 refuse inherit_thread; once that is known, they are not asked again. */
static int ask(struct session *session, struct perf_event_attr *attr, pid_t tid, int cpu, int group)
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

/* Events opened after the others were enabled. */
static int enable_late(const struct session *session, int fd)
{
    if (!session->follows || !session->enabled)
        return 0;
    return ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) ? -errno : 0;
}

/* The leader that load latency needs, kept as a handle of its own. */
static int open_leader(struct session *session, pid_t tid, uint16_t cpu)
{
    struct perf_event_attr attr;
    source_aux_attribute(&session->plan, &session->events[0].attr, &attr);
    int fd = ask(session, &attr, tid, session->cpus[cpu].number, -1);
    /* A group runs only while its leader is enabled. */
    int code = fd < 0 ? fd : enable_late(session, fd);
    if (!code)
        code = add_handle(session, fd, 0, cpu);
    if (code && fd >= 0)
        close(fd);
    return code ? code : fd;
}

/* A descriptor or -errno; -ENOENT: the CPU is of another kind, which the twin is for. */
static int open_event(struct session *session, pid_t tid, uint16_t event, uint16_t cpu)
{
    const struct event *planned = &session->plan.events[event];
    struct perf_event_attr attr = session->events[event].attr;
    int number = session->cpus[cpu].number;
    bool led = session->plan.needs_aux && event == 0;
    int group = led ? open_leader(session, tid, cpu) : -1;
    int fd = led && group < 0 ? group : ask(session, &attr, tid, number, group);
    for (unsigned i = 0; fd == -ENOENT && i < planned->twin_count; i++) {
        attr.type = planned->twins[i].type;
        attr.config = planned->twins[i].config;
        attr.config1 = planned->twins[i].config1;
        fd = ask(session, &attr, tid, number, -1);
    }
    return fd;
}

static int open_one(struct session *session, pid_t tid, uint16_t event, uint16_t cpu)
{
    int fd = open_event(session, tid, event, cpu);
    if (fd < 0)
        return fd;
    int code = attach_ring(session, &session->cpus[cpu], fd);
    if (!code)
        code = enable_late(session, fd);
    if (!code)
        code = add_handle(session, fd, event, cpu);
    if (code)
        close(fd);
    else
        session->events[event].opened++;
    return code;
}

/* CPU gone, or of a kind that has no such event: the others are watched without it. */
static bool cpu_lacks(int code)
{
    return code == -ENODEV || code == -ENOENT;
}

/* All events of a thread on one CPU. -ESRCH: it ended meanwhile. */
static int open_on_cpu(struct session *session, pid_t tid, uint16_t cpu)
{
    for (uint16_t event = 0; event < session->plan.count; event++) {
        int code = open_one(session, tid, event, cpu);
        if (!code)
            continue;
        session->refused = code == -ESRCH ? session->refused : code;
        if (event == 0 && cpu_lacks(code))
            return 0;
        /* Only the ranking event must open; counters may run out for the others. */
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
    /* What was read last is what messages and new CPUs go by. */
    if (before.count > session->threads.count) {
        struct threads swapped = before;
        before = session->threads;
        session->threads = swapped;
    }
    threads_fini(&before);
    return code;
}

int session_open_events(struct session *session)
{
    int code = read_cpus(session);
    if (!code)
        code = open_threads(session);
    if (!code && !session->handle_count)
        code = session->refused ? session->refused : -ESRCH;
    return code;
}

/* What was opened before: it samples no more. The owner of a ring stays, for the ring is its. */
static void leave_handles(struct session *session, struct session_handle *handles, size_t count)
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

int session_reopen(struct session *session)
{
    struct session_handle *before = session->handles;
    size_t count = session->handle_count;
    session->handles = NULL;
    session->handle_count = session->handle_room = 0;
    session->follows = true;
    /* Of a single event it is known without its id. */
    if (session->plan.count == 1)
        hash_clear(&session->event_of_id);
    for (unsigned i = 0; i < session->plan.count; i++) {
        session->events[i].attr.sample_period = session->events[i].period;
        session->events[i].attr.enable_on_exec = 0;
    }
    int code = open_threads(session);
    if (!code && session->handle_count) {
        leave_handles(session, before, count);
        return 0;
    }
    leave_handles(session, session->handles, session->handle_count);
    session->handles = before;
    session->handle_count = session->handle_room = count;
    return code ? code : -ESRCH;
}

/* A CPU that went away and came back keeps its events: the kernel does that. */
int session_follow_cpus(struct session *session)
{
    size_t known = session->cpu_count;
    int code = read_cpus(session);
    if (code || session->cpu_count == known)
        return code;
    session->follows = true;
    code = threads_read(&session->threads, session->kernel, session->options.pid);
    for (size_t i = 0; !code && i < session->threads.count; i++)
        for (size_t cpu = known; !code && cpu < session->cpu_count; cpu++)
            code = open_on_cpu(session, session->threads.tids[i], (uint16_t)cpu);
    return code == -ESRCH ? 0 : code;
}

/*
 * A counter may have to do for several events, which then take turns. Each descriptor costs a
 * system call, and one that runs on another CPU an interrupt there, so not all of them are read:
 * what takes turns does so alike on all CPUs. An event of a thread on one CPU is enabled while the
 * thread runs on any of them: all its CPUs together ran as long as it was counted.
 */
void session_ask_times(struct session *session)
{
    enum { ASKED_MOST = 64 };
    double enabled[SAMPLE_EVENTS_MAX] = {0};
    double running[SAMPLE_EVENTS_MAX] = {0};
    size_t count = session->handle_count < ASKED_MOST ? session->handle_count : ASKED_MOST;
    for (size_t i = 0; i < count; i++) {
        const struct session_handle *handle =
            &session->handles[session->asked++ % session->handle_count];
        uint64_t times[3]; /* value, time enabled, time running */
        if (read(handle->fd, times, sizeof times) != sizeof times)
            continue;
        enabled[handle->event] += (double)times[1];
        running[handle->event] += (double)times[2];
    }
    for (unsigned i = 0; i < session->plan.count; i++)
        if (enabled[i] > 0)
            session->events[i].counted =
                fmin(1, running[i] * (double)session->cpu_count / enabled[i]);
}
