/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The threads of a process, from /proc/PID/task. */
#ifndef MISSTOP_SAMPLE_THREADS_H
#define MISSTOP_SAMPLE_THREADS_H

#include "sample/kernel.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

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

#endif
