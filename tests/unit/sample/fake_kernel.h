/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A fake kernel: its own perf_event_open, and /sys and /proc trees in a temporary folder. One test
 * at a time. */
#ifndef MISSTOP_UNIT_SAMPLE_FAKE_KERNEL_H
#define MISSTOP_UNIT_SAMPLE_FAKE_KERNEL_H

#include "sample/kernel.h"

/* Creates a folder with empty sys and proc; `open` as in struct kernel. */
const struct kernel *fake_kernel_begin(int (*open)(struct perf_event_attr *attr, pid_t pid, int cpu,
                                                   int group_fd, unsigned long flags));

/* Writes a file below the folder ("sys/..."), and creates its parents. */
void fake_kernel_file(const char *path, const char *text);

/* Removes the folder. */
void fake_kernel_end(void);

/* Fails the test unless `misstop doctor` on this kernel prints both texts. */
void fake_kernel_doctor(const struct kernel *kernel, const char *verdict, const char *why);

/* Returns a descriptor that may be closed, as a successful perf_event_open does. */
int fake_kernel_descriptor(void);

#endif
