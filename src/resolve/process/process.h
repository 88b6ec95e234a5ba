/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef MISSTOP_RESOLVE_PROCESS_PROCESS_H
#define MISSTOP_RESOLVE_PROCESS_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct process_stat {
    char comm[64]; /* sanitised */
    char state;    /* 'R', 'S', 'Z', ... */
    uint32_t threads;
    uint64_t flags;     /* PF_*: 0x200000 is a kernel thread */
    uint64_t cpu_ticks; /* user and system time */
    uint64_t system_ticks;
    uint64_t minor_faults; /* without a disk read */
    uint64_t resident_bytes;
};

enum { PROCESS_PF_KTHREAD = 0x200000 };

/* Reads the state of a process. Returns false if there is no such process. */
bool process_stat(pid_t pid, struct process_stat *stat);

/* Whether root owns the /proc entry although it does not run the process (which may not be traced),
 * and whether the program is setuid or cannot be examined. process_rights(): false if not known. */
struct process_rights {
    uint32_t real;
    uint32_t effective;
    bool is_root_owned;
    bool setuid;
};
bool process_rights(pid_t pid, struct process_rights *rights);

/* Returns the path of the program, sanitised for display; "" if it cannot be read. */
void process_exe(pid_t pid, char *out, size_t out_size);

/* Reads memory of a process, all or nothing. Never stops the process (process_vm_readv). */
bool process_read(pid_t pid, uint64_t address, void *out, size_t size);

/* Like process_read(), but reads as much as possible from the start. Returns the bytes read. */
size_t process_read_some(pid_t pid, uint64_t address, void *out, size_t size);

#endif
