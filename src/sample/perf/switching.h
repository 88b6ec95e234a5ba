/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How often a process is switched in. Each time the kernel sets the timer of the clock source anew,
 * which in a virtual machine leaves the guest: 8 us a switch where the period is shorter than the
 * kernel's tick, 2 us where it is longer (doc/design/rates.md).
 */
#ifndef MISSTOP_SAMPLE_PERF_SWITCHING_H
#define MISSTOP_SAMPLE_PERF_SWITCHING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "sample/kernel.h"

enum { SWITCHING_THREADS = 64 /* read at the most */ };

struct switching_thread {
    pid_t tid;
    uint64_t run_ns; /* as in /proc/PID/task/TID/schedstat */
    uint64_t switches;
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

#endif
