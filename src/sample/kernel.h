/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The few things asked of the kernel, so that tests can put another in its place: one that
 * answers as kernels and CPUs do that are not here.
 */
#ifndef MISSTOP_SAMPLE_KERNEL_H
#define MISSTOP_SAMPLE_KERNEL_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct kernel {
    /* As the system call, but returns a descriptor or a negative errno. */
    int (*perf_event_open)(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
                           unsigned long flags);
    const char *sysfs;  /* "/sys" */
    const char *procfs; /* "/proc" */
};

/* The running one. */
const struct kernel *kernel_host(void);

/* A whole number from a file below sysfs or procfs; `missing` if it cannot be read. */
long kernel_number(const char *root, const char *path, long missing);

/* A short text without its newline; false if it cannot be read. */
bool kernel_text(const char *root, const char *path, char *out, size_t out_size);

/* Whether the CPU is by "GenuineIntel", "AuthenticAMD": /proc/cpuinfo. */
bool kernel_vendor(const struct kernel *kernel, const char *vendor);

/* Whether a hypervisor runs it: /proc/cpuinfo. */
bool kernel_virtual(const struct kernel *kernel);

/* The threads of a process, from /proc/PID/task. */
struct threads {
    pid_t *tids; /* ascending */
    size_t count;
    size_t room;
};

void threads_fini(struct threads *threads);

/* Reads the list again. -ESRCH when the process is gone, -ENOMEM. */
int threads_read(struct threads *threads, const struct kernel *kernel, pid_t pid);

/* Whether the list as last read holds a thread. */
bool threads_has(const struct threads *threads, pid_t tid);

/* The process that a thread belongs to, itself for a process; -1: gone or not known. */
pid_t threads_leader(const struct kernel *kernel, pid_t tid);

/*
 * How often a process is switched in. Each time the kernel sets the timer of the clock source anew,
 * which in a virtual machine leaves the guest: 8 us a switch where the period is shorter than the
 * kernel's tick, 2 us where it is longer (doc/design/rates.md).
 */
enum { SWITCHING_THREADS = 32 /* read at the most */ };

struct switching_thread {
    pid_t tid;
    uint64_t run_ns;   /* as in schedstat */
    uint64_t switches; /* voluntary ones, as in status */
};

struct switching {
    struct switching_thread threads[SWITCHING_THREADS];
    unsigned count;
    uint64_t read_ns;
    double per_cpu_second; /* between the last two readings; 0: not known */
    bool often;            /* so often that a short period is no longer cheap */
};

/* Reads the process again where the last time is a second ago. */
void switching_look(struct switching *switching, const struct kernel *kernel, pid_t pid,
                    uint64_t now_ns);

/*
 * The ring buffer the kernel writes records to: mapped, read, given back. Records are
 * copied out, so that one that wraps or is overwritten meanwhile cannot be seen torn.
 */
struct ring {
    void *memory;      /* struct perf_event_mmap_page, then data */
    size_t data_bytes; /* a power of two */
    uint64_t tail;     /* next byte to read */
};

/* Maps the ring of an event descriptor. Halves the size while the kernel's limit on locked
 * memory refuses it. 0 or a negative errno. */
int ring_open(struct ring *ring, int fd, size_t data_bytes);

void ring_close(struct ring *ring);

/*
 * Copies the next record to `out`. Returns its size, 0 when there is none, -EBADMSG when the
 * size makes no sense (the ring is then given back whole).
 */
long ring_next(struct ring *ring, void *out, size_t out_size);

/* Reports the bytes read to the kernel. */
void ring_release(struct ring *ring);

#endif
