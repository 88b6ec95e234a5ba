/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which memory is a stack. The kernel makes one line of /proc/PID/maps of a thread's stack and of
 * what was mapped beside it, so a mapping's ends are not the stack's: these are where the thread's
 * library says (tcb_stack.h), else up to its control block, else what stack pointers reached. For
 * the files of the resolver.
 */
#ifndef MISSTOP_RESOLVE_STACKS_H
#define MISSTOP_RESOLVE_STACKS_H

#include "resolve/maps.h"
#include "resolve/tcb.h"

#include <stddef.h>
#include <stdint.h>

struct stack {
    uint64_t start;
    uint64_t end;
    uint32_t tid; /* 0: nobody knows whose; told by stack pointers alone */
};

struct stacks {
    struct stack *stacks; /* ascending, without overlaps */
    size_t count;
    size_t room;
};

void stacks_fini(struct stacks *stacks);

/* Those of the threads there are now; of others, those that are still mapped. */
void stacks_refresh(struct stacks *stacks, const struct tcbs *tcbs, const struct maps *maps,
                    uint32_t first_tid);

/* One more thread. The first one's is the kernel's [stack], and no business of this. */
void stacks_of_thread(struct stacks *stacks, const struct tcb *tcb, const struct maps *maps);

/* Something in a mapping that has no stack there was reached through a stack pointer: of a
 * coroutine, a signal handler, a thread of another library. */
void stacks_reached(struct stacks *stacks, const struct map *map, uint64_t address);

/* Something was mapped there: what ended since the last refresh is no stack any more. Threads that
 * are heard of again are to be told of anew. */
void stacks_forget(struct stacks *stacks, uint64_t start, uint64_t end);

/* NULL: the address is in none. Valid until the next change. */
const struct stack *stacks_find(const struct stacks *stacks, uint64_t address);

/* Narrows [*start, *end) around an address that is in no thread's stack to what is between those. */
void stacks_gap(const struct stacks *stacks, uint64_t address, uint64_t *start, uint64_t *end);

#endif
