/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The requests to the kernel, so that tests can replace it by other kernels and CPUs. */
#ifndef MISSTOP_SAMPLE_KERNEL_H
#define MISSTOP_SAMPLE_KERNEL_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct kernel {
    /* Like the system call, but returns a descriptor or a negative errno. */
    int (*perf_event_open)(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
                           unsigned long flags);
    const char *sysfs;  /* "/sys" */
    const char *procfs; /* "/proc" */
};

const struct kernel *kernel_host(void);

/* Returns `missing` if the file below sysfs or procfs cannot be read. */
long kernel_number(const char *root, const char *path, long missing);

/* Reads a short text without its newline. Returns false if it cannot be read. */
bool kernel_text(const char *root, const char *path, char *out, size_t out_size);

/* Returns true if the CPU has this vendor: "GenuineIntel", "AuthenticAMD" (from /proc/cpuinfo). */
bool kernel_vendor(const struct kernel *kernel, const char *vendor);

/* Returns true if the system runs under a hypervisor (from /proc/cpuinfo). */
bool kernel_virtual(const struct kernel *kernel);

/* The threads of a process, from /proc/PID/task. */
struct threads {
    pid_t *tids; /* ascending */
    size_t count;
    size_t room;
};

void threads_fini(struct threads *threads);

/* Reads the list again. Returns 0, -ESRCH if the process is gone, or -ENOMEM. */
int threads_read(struct threads *threads, const struct kernel *kernel, pid_t pid);

/* Returns true if the list contained the thread when it was last read. */
bool threads_has(const struct threads *threads, pid_t tid);

/* Returns the process of a thread (itself for a process); -1: gone or not known. */
pid_t threads_leader(const struct kernel *kernel, pid_t tid);

/*
 * How often a process is switched in. At each switch the kernel reprograms the timer of the clock
 * source. In a virtual machine this exits to the hypervisor: 8 us per switch if the period is
 * shorter than the kernel's tick, 2 us if it is longer (doc/design/rates.md).
 */
enum { SWITCHING_THREADS = 32 /* read at most */ };

struct switching_thread {
    pid_t tid;
    uint64_t run_ns;   /* as in schedstat */
    uint64_t switches; /* voluntary ones, as in status */
};

struct switching {
    struct switching_thread threads[SWITCHING_THREADS];
    unsigned count;
    uint64_t read_ns;
    double per_cpu_second;   /* between the last two readings; 0: not known */
    bool is_switching_often; /* so often that a short period is expensive */
};

/* Reads the process again if the last reading is at least a second old. */
void switching_update(struct switching *switching, const struct kernel *kernel, pid_t pid,
                      uint64_t now_ns);

/* Records are copied out: a record that wraps or is overwritten meanwhile would be seen torn. */
struct ring {
    void *memory;      /* struct perf_event_mmap_page, then data */
    size_t data_bytes; /* a power of two */
    uint64_t tail;     /* next byte to read */
};

/* Halves the size while the limit on locked memory refuses it. Returns 0 or a negative errno. */
int ring_open(struct ring *ring, int fd, size_t data_bytes);

void ring_close(struct ring *ring);

/* Returns the record's size, 0 if there is none, or -EBADMSG (the whole ring is given back). */
long ring_next(struct ring *ring, void *out, size_t out_size);

void ring_release(struct ring *ring);

#endif
