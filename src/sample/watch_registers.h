/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The debug registers of a process, by perf breakpoint events (PERF_TYPE_BREAKPOINT,
 * include/uapi/linux/hw_breakpoint.h): armed on a word in every thread, touches read back. The
 * target is neither stopped nor written to, and gets no signal: the trap is handled in the kernel.
 *
 * Each thread has an event per armed register, which PERF_EVENT_IOC_REFRESH lets report one touch
 * before the kernel itself switches it off; however hot the word is, it costs one trap a thread.
 * The kernel refuses that for inherited events, so threads are followed instead. An event is opened
 * anew for each watch, not moved by PERF_EVENT_IOC_MODIFY_ATTRIBUTES: what a watch that was not
 * touched was allowed cannot be taken back, and Linux 6.18 does not let an event that has switched
 * itself off report again. Records go to a ring per thread, held by a dummy event.
 * Owned by watch.c.
 */
#ifndef MISSTOP_SAMPLE_WATCH_REGISTERS_H
#define MISSTOP_SAMPLE_WATCH_REGISTERS_H

#include "base/error.h"
#include "sample/ring.h"
#include "sample/watch_lines.h"

#include <sys/types.h>

struct kernel;

enum { WATCH_THREADS_MAX = 256 };

struct watch_thread {
    pid_t tid;
    int ring_fd;
    struct ring ring;
    int fds[WATCH_SLOTS]; /* -1: not armed */
};

struct watch_registers {
    const struct kernel *kernel;
    pid_t pid;
    unsigned slots;               /* registers that were free */
    uint64_t armed[WATCH_SLOTS];  /* the word each watches */
    struct watch_thread *threads; /* [WATCH_THREADS_MAX] */
    size_t thread_count;
    size_t threads_left_out; /* more than that, or no ring to be had */
    int epoll_fd;            /* readable when a touch was recorded */
    double entry_ns; /* from a touch to the time its record tells, as measured on ourselves */
    double trap_ns;  /* of one touch with all it brings, as measured on ourselves */
    double arm_ns;   /* of arming one thread, as it takes us: an upper bound */
    struct watch_touch *touches; /* scratch of a reading */
    size_t touch_room;
};

/*
 * Finds out how many registers the process has free, and what a trap costs here. -ENOSPC: all are
 * taken; -EACCES, -ENOSYS, -EOPNOTSUPP and others with what helps.
 */
int watch_registers_open(struct watch_registers *registers, pid_t pid, const struct kernel *kernel,
                         struct error *error);
void watch_registers_close(struct watch_registers *registers);

/* Threads that came and went. Once per refresh. */
void watch_registers_follow(struct watch_registers *registers);

/* A thread that was sampled: followed at once if it is new. */
void watch_registers_meet(struct watch_registers *registers, pid_t tid);

/* As struct watch_arms wants them: ns that it costs the target, or a negative errno where no
 * thread could be armed. *from_ns lies in the middle between the first and the last thread. */
double watch_registers_arm(struct watch_registers *registers, unsigned slot, uint64_t address,
                           uint64_t *from_ns);
double watch_registers_disarm(struct watch_registers *registers, unsigned slot);

/* What was touched since the last call, in time order; valid until the next one. */
size_t watch_registers_read(struct watch_registers *registers, const struct watch_touch **touches);

/* CPU time of the process, all threads; 0: gone. */
uint64_t watch_registers_cpu_ns(const struct watch_registers *registers);

/* ---- parts, in watch_registers_open.c ---- */

/* An event on a word, or on nothing for address 0: only to hold a ring. Descriptor or -errno. */
int watch_event_open(const struct kernel *kernel, pid_t tid, uint64_t address);

/* The next touch in a ring, as recorded; false: none. */
bool watch_event_next(struct ring *ring, struct watch_touch *touch);

/* Lets it report one touch, into the ring of another; *from_ns: about from when on. 0 or -errno. */
int watch_event_arm(int fd, int ring_fd, uint64_t *from_ns);

#endif
