/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The fs base of threads, found from outside without stopping them. On x86-64 it is the
 * address of the thread control block, whose first and third words hold that very address
 * (ELF Handling for Thread-Local Storage, 3.4.6; glibc tcbhead_t: tcb, dtv, self). glibc's
 * block also holds the thread's id; its place is found once and then expected.
 */
#ifndef MISSTOP_RESOLVE_TCB_H
#define MISSTOP_RESOLVE_TCB_H

#include "base/hash.h"
#include "resolve/maps.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct tcb {
    uint64_t base;
    uint32_t tid;
};

struct tcbs {
    struct tcb *tcbs;
    size_t count;
    size_t room;
    size_t tid_offset; /* 0: not known yet */
};

void tcbs_fini(struct tcbs *tcbs);

/* Looks through the process's anonymous memory for thread control blocks. */
void tcbs_scan(struct tcbs *tcbs, pid_t pid, struct maps *maps);

/* NULL: not known. */
const struct tcb *tcbs_of_thread(const struct tcbs *tcbs, uint32_t tid);

/* The block of the thread whose static TLS, `bytes` below the block, holds the address. */
const struct tcb *tcbs_around(const struct tcbs *tcbs, uint64_t address, uint64_t bytes);

#endif
