/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The fs base of threads, found from outside without stopping them. On x86-64 it is the address of
 * the thread control block, which has that very address in its first and third words (ELF Handling
 * for Thread-Local Storage, 3.4.6; glibc tcbhead_t: tcb, dtv, self). glibc registers a list of
 * robust mutexes inside the block, and the kernel reports its address (get_robust_list(2));
 * libraries that register none are searched for blocks that hold a thread's id.
 */
#ifndef MISSTOP_RESOLVE_PROCESS_THREADS_H
#define MISSTOP_RESOLVE_PROCESS_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/hash.h"
#include "resolve/process/maps.h"

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
    uint64_t again_ns;  /* when tcbs_tick() lists the threads again */
};

void tcbs_fini(struct tcbs *tcbs);

/* The thread's block, asking the kernel if it is not known; NULL: the kernel has none. */
const struct tcb *tcbs_ask(struct tcbs *tcbs, pid_t pid, uint32_t tid);

/* Blocks of all threads there are now. */
void tcbs_refresh(struct tcbs *tcbs, pid_t pid);

/* The same; where there are TCBS_MANY, at a cost of at most TCBS_COST of one CPU. */
enum { TCBS_MANY = 512 };
#define TCBS_COST 0.01
void tcbs_tick(struct tcbs *tcbs, pid_t pid, uint64_t now_ns);

/* Searches anonymous memory for blocks that the kernel does not know of. */
void tcbs_scan(struct tcbs *tcbs, pid_t pid, const struct maps *maps);

/* NULL: not known. */
const struct tcb *tcbs_of_thread(const struct tcbs *tcbs, uint32_t tid);

/*
 * The stack of a thread as its library knows it. glibc's struct pthread has three words behind each
 * other: where the memory for the stack begins, its size, and how much of that is the guard (glibc
 * nptl/descr.h: stackblock, stackblock_size, guardsize). Where in the struct they are depends on
 * the version, so they are recognised by an invariant: the struct itself is at the upper end of
 * that memory.
 */
/* `bytes` were read at `base`, the thread control block: [*start, *end) without the guard. False:
 * no words there can be them, as in the first thread, with its stack made by the kernel. */
bool tcb_stack(const unsigned char *bytes, size_t size, uint64_t base, uint64_t *start,
               uint64_t *end);

/*
 * Which memory is a stack. The kernel makes one line of /proc/PID/maps of a thread's stack and of
 * what was mapped beside it, so a mapping's ends are not the stack's: these are where the thread's
 * library says (threads.h), else up to its control block, else what stack pointers reached. For
 * the files of the resolver.
 */
struct stack {
    uint64_t start;
    uint64_t end;
    uint32_t tid; /* 0: thread not known; the stack is known by stack pointers alone */
};

struct stacks {
    struct stack *stacks; /* ascending, without overlaps */
    size_t count;
    size_t room;
    uint64_t changes; /* grows with each change */
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

/* A new mapping: stacks of threads that ended since the last refresh are stacks no more. Threads
 * seen again are to be reported anew. */
void stacks_forget(struct stacks *stacks, uint64_t start, uint64_t end);

/* NULL: the address is in none. Valid until the next change. */
const struct stack *stacks_find(const struct stacks *stacks, uint64_t address);

/* Whether there is one in a range. */
bool stacks_within(const struct stacks *stacks, uint64_t start, uint64_t end);

/* Narrows [*start, *end) around an address in no thread's stack to the gap between stacks. */
void stacks_gap(const struct stacks *stacks, uint64_t address, uint64_t *start, uint64_t *end);

/*
 * Names of the threads of the process: from the records, and in a live process, where these have
 * none yet, from /proc. Private to src/resolve; a part of the resolver.
 */
enum {
    THREAD_NAMES_MAX = 1 << 14,
    THREAD_NAME_MAX = 32 /* TASK_COMM_LEN is 16; more where bytes had to be written out */
};

struct thread_names {
    struct hash of_tid; /* index into list */
    char (*list)[THREAD_NAME_MAX];
    size_t count;
    size_t room;
};

void thread_names_fini(struct thread_names *names);

/* A thread's name, raw. Where there is no room for more, it stays unknown. */
void thread_names_put(struct thread_names *names, uint32_t tid, const char *name);

/* The number now is another thread's; all of them are. */
void thread_names_forget(struct thread_names *names, uint32_t tid);
void thread_names_forget_all(struct thread_names *names);

/* Sanitised; `live`: the process is there to be asked. false: not known. */
bool thread_names_get(struct thread_names *names, pid_t pid, uint32_t tid, bool live, char *out,
                      size_t out_size);

#endif
