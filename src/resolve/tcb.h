/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The fs base of threads, found from outside without stopping them. On x86-64 it is the
 * address of the thread control block, whose first and third words hold that very address
 * (ELF Handling for Thread-Local Storage, 3.4.6; glibc tcbhead_t: tcb, dtv, self).
 * glibc registers a list of robust mutexes that stands inside the block, and the kernel tells
 * where it is (get_robust_list(2)); libraries that register none are searched for blocks that
 * hold a thread's id.
 */
#ifndef MISSTOP_RESOLVE_TCB_H
#define MISSTOP_RESOLVE_TCB_H

#include "resolve/maps.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { TCB_BYTES = 2304 }; /* struct pthread is not larger in any glibc so far */

struct tcb {
    uint64_t base;
    uint64_t stack_start; /* of its stack, as the library has it */
    uint64_t stack_end;   /* 0: not known */
    uint32_t tid;
};

struct tcbs {
    struct tcb *tcbs; /* ascending by tid */
    size_t count;
    size_t room;
    size_t list_offset; /* of the robust list in the block; 0: not known yet */
    size_t tid_offset;  /* of the thread's id, likewise */
};

void tcbs_fini(struct tcbs *tcbs);

/* The thread's block, asking the kernel if it is not known; NULL: it cannot tell. */
const struct tcb *tcbs_ask(struct tcbs *tcbs, pid_t pid, uint32_t tid);

/* Blocks of all threads there are now. */
void tcbs_refresh(struct tcbs *tcbs, pid_t pid);

/* Searches anonymous memory for blocks that the kernel does not know of. */
void tcbs_scan(struct tcbs *tcbs, pid_t pid, const struct maps *maps);

/* NULL: not known. */
const struct tcb *tcbs_of_thread(const struct tcbs *tcbs, uint32_t tid);

#endif
