/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample/watch_registers.h"

#include "base/array.h"
#include "base/clock.h"
#include "sample/kernel.h"
#include "sample/threads.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

/* As watch_event_open() asks for it: PERF_RECORD_SAMPLE of include/uapi/linux/perf_event.h. */
struct touch_record {
    struct perf_event_header header;
    uint64_t ip;
    uint32_t pid;
    uint32_t tid;
    uint64_t time_ns;
    uint64_t address;
};

void watch_registers_close(struct watch_registers *registers)
{
    for (unsigned slot = 0; slot < WATCH_SLOTS; slot++)
        watch_registers_disarm(registers, slot);
    for (size_t i = 0; i < registers->thread_count; i++) {
        ring_close(&registers->threads[i].ring);
        close(registers->threads[i].ring_fd);
    }
    if (registers->epoll_fd >= 0)
        close(registers->epoll_fd);
    free(registers->threads);
    free(registers->touches);
    *registers = (struct watch_registers){.epoll_fd = -1};
}

/* ---- threads ---- */

static bool has_room(struct watch_registers *registers)
{
    if (registers->epoll_fd < 0)
        registers->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (!registers->threads)
        registers->threads = calloc(WATCH_THREADS_MAX, sizeof *registers->threads);
    return registers->epoll_fd >= 0 && registers->threads &&
           registers->thread_count < WATCH_THREADS_MAX;
}

static int open_ring(struct watch_registers *registers, struct watch_thread *thread)
{
    /* Edge-triggered: a thread that has ended would else report its hang-up for ever. */
    struct epoll_event wanted = {.events = EPOLLIN | EPOLLET};
    int code = ring_open(&thread->ring, thread->ring_fd, (size_t)sysconf(_SC_PAGESIZE));
    if (!code && epoll_ctl(registers->epoll_fd, EPOLL_CTL_ADD, thread->ring_fd, &wanted))
        code = -errno;
    if (code)
        ring_close(&thread->ring);
    return code;
}

static int add_thread(struct watch_registers *registers, pid_t tid)
{
    if (!has_room(registers))
        return -ENOSPC;
    struct watch_thread *thread = &registers->threads[registers->thread_count];
    *thread = (struct watch_thread){.tid = tid};
    for (unsigned slot = 0; slot < WATCH_SLOTS; slot++)
        thread->fds[slot] = -1;
    thread->ring_fd = watch_event_open(registers->kernel, tid, 0);
    if (thread->ring_fd < 0)
        return thread->ring_fd;
    int code = open_ring(registers, thread);
    if (code)
        close(thread->ring_fd);
    else
        registers->thread_count++;
    return code;
}

static void drop_thread(struct watch_registers *registers, size_t index)
{
    struct watch_thread *thread = &registers->threads[index];
    for (unsigned slot = 0; slot < WATCH_SLOTS; slot++)
        if (thread->fds[slot] >= 0)
            close(thread->fds[slot]);
    ring_close(&thread->ring);
    close(thread->ring_fd);
    *thread = registers->threads[--registers->thread_count];
}

static bool knows(const struct watch_registers *registers, pid_t tid)
{
    for (size_t i = 0; i < registers->thread_count; i++)
        if (registers->threads[i].tid == tid)
            return true;
    return false;
}

void watch_registers_meet(struct watch_registers *registers, pid_t tid)
{
    if (!knows(registers, tid) && registers->thread_count < WATCH_THREADS_MAX)
        add_thread(registers, tid);
}

void watch_registers_follow(struct watch_registers *registers)
{
    struct threads threads = {0};
    if (threads_read(&threads, registers->kernel, registers->pid)) {
        threads_fini(&threads);
        return;
    }
    for (size_t i = registers->thread_count; i-- > 0;)
        if (!threads_has(&threads, registers->threads[i].tid))
            drop_thread(registers, i);
    registers->threads_left_out = 0;
    for (size_t i = 0; i < threads.count; i++)
        if (!knows(registers, threads.tids[i])) {
            int code = add_thread(registers, threads.tids[i]);
            registers->threads_left_out += code && code != -ESRCH;
        }
    threads_fini(&threads);
}

/* ---- arming ---- */

static int arm_thread(struct watch_registers *registers, struct watch_thread *thread, unsigned slot,
                      uint64_t address, uint64_t *from_ns)
{
    int fd = watch_event_open(registers->kernel, thread->tid, address);
    int code = fd < 0 ? fd : watch_event_arm(fd, thread->ring_fd, from_ns);
    if (code && fd >= 0)
        close(fd);
    thread->fds[slot] = code ? -1 : fd;
    return code;
}

/* One that was preempted while arming took longer, but did not cost the target more. */
static double typical(struct watch_registers *registers, double took_ns)
{
    enum { OUTLIER = 4, MEMORY = 32 };
    double most = registers->arm_ns * OUTLIER;
    registers->arm_ns += ((took_ns < most ? took_ns : most) - registers->arm_ns) / MEMORY;
    return took_ns < most ? took_ns : registers->arm_ns;
}

double watch_registers_arm(struct watch_registers *registers, unsigned slot, uint64_t address,
                           uint64_t *from_ns)
{
    double cost = 0;
    uint64_t first_ns = 0;
    size_t armed = 0;
    int refused = -ESRCH;
    watch_registers_disarm(registers, slot);
    registers->armed[slot] = address;
    for (size_t i = 0; i < registers->thread_count; i++) {
        uint64_t start_ns = clock_now_ns();
        int code = arm_thread(registers, &registers->threads[i], slot, address, from_ns);
        first_ns = !code && !armed ? *from_ns : first_ns;
        cost += typical(registers, (double)(clock_now_ns() - start_ns));
        armed += !code;
        if (code && code != -ESRCH)
            refused = code;
    }
    *from_ns = armed ? first_ns + (*from_ns - first_ns) / 2 : *from_ns;
    return armed ? cost : refused;
}

double watch_registers_disarm(struct watch_registers *registers, unsigned slot)
{
    double cost = 0;
    for (size_t i = 0; i < registers->thread_count; i++) {
        int *fd = &registers->threads[i].fds[slot];
        if (*fd < 0)
            continue;
        uint64_t start_ns = clock_now_ns();
        close(*fd);
        *fd = -1;
        cost += typical(registers, (double)(clock_now_ns() - start_ns));
    }
    return cost;
}

/* ---- reading ---- */

bool watch_event_next(struct ring *ring, struct watch_touch *touch)
{
    unsigned char bytes[256];
    struct touch_record record;
    long size;
    while ((size = ring_next(ring, bytes, sizeof bytes)) > 0) {
        memcpy(&record, bytes, sizeof record);
        if ((size_t)size != sizeof record || record.header.type != PERF_RECORD_SAMPLE)
            continue;
        *touch = (struct watch_touch){.address = record.address,
                                      .time_ns = record.time_ns,
                                      .ip = record.ip,
                                      .tid = record.tid};
        return true;
    }
    ring_release(ring);
    return false;
}

/* The record is written when the trap is well under way. */
static uint64_t touched_ns(const struct watch_registers *registers, uint64_t recorded_ns)
{
    uint64_t entry_ns = registers->entry_ns > 0 ? (uint64_t)registers->entry_ns : 0;
    return recorded_ns > entry_ns ? recorded_ns - entry_ns : 0;
}

static void take(struct watch_registers *registers, struct watch_touch touch, size_t *count)
{
    struct watch_touch *more = array_more(registers->touches, &registers->touch_room, *count,
                                          sizeof *more, ARRAY_UNBOUNDED);
    if (!more)
        return;
    registers->touches = more;
    touch.time_ns = touched_ns(registers, touch.time_ns);
    more[(*count)++] = touch;
}

static int by_time(const void *left, const void *right)
{
    const struct watch_touch *a = left;
    const struct watch_touch *b = right;
    return (a->time_ns > b->time_ns) - (a->time_ns < b->time_ns);
}

size_t watch_registers_read(struct watch_registers *registers, const struct watch_touch **touches)
{
    struct epoll_event ready[16];
    struct watch_touch touch;
    size_t count = 0;
    /* Clears the edge; what is to be read, the rings themselves say. */
    while (registers->epoll_fd >= 0 && epoll_wait(registers->epoll_fd, ready, 16, 0) == 16)
        continue;
    for (size_t i = 0; i < registers->thread_count; i++)
        while (watch_event_next(&registers->threads[i].ring, &touch))
            take(registers, touch, &count);
    if (count)
        qsort(registers->touches, count, sizeof *registers->touches, by_time);
    *touches = registers->touches;
    return count;
}

uint64_t watch_registers_cpu_ns(const struct watch_registers *registers)
{
    struct timespec used;
    clockid_t clock;
    if (clock_getcpuclockid(registers->pid, &clock) || clock_gettime(clock, &used))
        return 0;
    return (uint64_t)used.tv_sec * CLOCK_NS_PER_S + (uint64_t)used.tv_nsec;
}
