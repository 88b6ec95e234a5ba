/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A process that runs already, as the records that would have told of it: its threads, their
 * names, and what it has mapped. For perfdata_write*.c.
 */
#ifndef MISSTOP_SAMPLE_PERFDATA_WRITE_PROCESS_H
#define MISSTOP_SAMPLE_PERFDATA_WRITE_PROCESS_H

#include "sample.h"
#include "sample/kernel.h"

#include <stdbool.h>
#include <sys/types.h>

typedef void (*perfdata_process_sink)(void *context, const struct record *record);

/* As whose the kernel's own mappings stand in a recording. */
#define PERFDATA_KERNEL_PID UINT32_MAX

/* Records of time 0. A process that is gone, or may not be read, gives none. */
void perfdata_process_tell(const struct kernel *kernel, pid_t pid, bool mappings,
                           perfdata_process_sink sink, void *context);

/* What the kernel has mapped for itself, where /proc/kallsyms shows its addresses. */
void perfdata_process_kernel(const struct kernel *kernel, perfdata_process_sink sink,
                             void *context);

#endif
