/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A kernel that answers as a test wants: its own perf_event_open, and /sys and /proc trees
 * made in a temporary folder. One test at a time.
 */
#ifndef MISSTOP_UNIT_SAMPLE_FAKE_KERNEL_H
#define MISSTOP_UNIT_SAMPLE_FAKE_KERNEL_H

#include "sample/kernel.h"

/* A folder of its own with empty sys and proc; `open` as in struct kernel. */
const struct kernel *fake_kernel_begin(int (*open)(struct perf_event_attr *attr, pid_t pid, int cpu,
                                                   int group_fd, unsigned long flags));

/* A file below the folder ("sys/..."), with its parents. */
void fake_kernel_file(const char *path, const char *text);

/* Removes the folder. */
void fake_kernel_end(void);

/* `misstop doctor` on this kernel prints both; fails the test where it does not. */
void fake_kernel_doctor(const struct kernel *kernel, const char *verdict, const char *why);

/* A descriptor that may be closed: what a successful perf_event_open returns. */
int fake_kernel_descriptor(void);

#endif
