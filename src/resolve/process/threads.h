/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the fs base of threads from outside without stopping them. On x86-64 it is the address of
 * the thread control block, which contains its own address in its first and third words (ELF
 * Handling for Thread-Local Storage, 3.4.6; glibc tcbhead_t: tcb, dtv, self). glibc registers a
 * list of robust mutexes inside the block, and the kernel reports its address (get_robust_list(2)).
 * If a library does not register a list, memory is searched for blocks that contain a thread's id.
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
    uint64_t stack_start; /* bounds of its stack, from the library */
    uint64_t stack_end;   /* 0: not known */
    uint32_t tid;
};

struct tcbs {
    struct tcb *tcbs; /* ascending by tid */
    size_t count;
    size_t room;
    size_t list_offset;       /* offset of the robust list in the block; 0: not known yet */
    size_t tid_offset;        /* offset of the thread's id; 0: not known yet */
    uint64_t next_listing_ns; /* time of the next listing by tcbs_tick() */
};

void tcbs_fini(struct tcbs *tcbs);

/* Returns the thread's block, asking the kernel if it is not known; NULL: the kernel has none. */
const struct tcb *tcbs_find_or_ask(struct tcbs *tcbs, pid_t pid, uint32_t tid);

/* Finds the blocks of all current threads. */
void tcbs_refresh(struct tcbs *tcbs, pid_t pid);

/* Like tcbs_refresh(), but from TCBS_MANY threads on at most TCBS_COST of one CPU. */
enum { TCBS_MANY = 512 };
#define TCBS_COST 0.01
void tcbs_tick(struct tcbs *tcbs, pid_t pid, uint64_t now_ns);

/* Searches anonymous memory for blocks that the kernel does not know. */
void tcbs_scan(struct tcbs *tcbs, pid_t pid, const struct maps *maps);

/* Returns the thread's block; NULL: not known. */
const struct tcb *tcbs_of_thread(const struct tcbs *tcbs, uint32_t tid);

/*
 * The stack of a thread, from its library. glibc's struct pthread has three consecutive words: the
 * start of the stack's memory, its size, and the size of the guard in it (glibc nptl/descr.h:
 * stackblock, stackblock_size, guardsize). Their offset in the struct depends on the version, so
 * they are recognised by an invariant: the struct itself is at the upper end of that memory.
 */

/* Finds the stack without its guard. `bytes` were read at `base`, the thread control block. False:
 * no words match, as for the first thread, which has a stack made by the kernel. */
bool tcb_stack(const unsigned char *bytes, size_t size, uint64_t base, uint64_t *start,
               uint64_t *end);

/*
 * The kernel shows a thread's stack and adjacent mappings as one line of /proc/PID/maps. The bounds
 * are taken from the thread's library (tcb_stack()), otherwise up to its control block, otherwise
 * from the stack pointers seen.
 */
struct stack {
    uint64_t start;
    uint64_t end;
    uint32_t tid; /* 0: thread not known, only stack pointers */
};

struct stacks {
    struct stack *stacks; /* ascending, no overlaps */
    size_t count;
    size_t room;
    uint64_t changes; /* incremented with each change */
};

void stacks_fini(struct stacks *stacks);

/* Updates the stacks from the current threads. Keeps other stacks that are still mapped. */
void stacks_refresh(struct stacks *stacks, const struct tcbs *tcbs, const struct maps *maps,
                    uint32_t first_tid);

/* Adds a thread. The first thread is ignored: its stack is the kernel's [stack]. */
void stacks_of_thread(struct stacks *stacks, const struct tcb *tcb, const struct maps *maps);

/* Notes a stack access in a mapping without a stack there: by a coroutine, a signal handler, or a
 * thread of another library. */
void stacks_note_access(struct stacks *stacks, const struct map *map, uint64_t address);

/* Removes stacks in a new mapping: threads have ended since the last refresh. Threads seen again
 * must be added again. */
void stacks_forget(struct stacks *stacks, uint64_t start, uint64_t end);

/* Returns the stack around an address; NULL: none. Valid until the next change. */
const struct stack *stacks_find(const struct stacks *stacks, uint64_t address);

bool stacks_within(const struct stacks *stacks, uint64_t start, uint64_t end);

/* Narrows [*start, *end) around an address in no thread's stack to the gap between stacks. */
void stacks_gap(const struct stacks *stacks, uint64_t address, uint64_t *start, uint64_t *end);

/* Names of the process's threads: from the records, or for a live process from /proc if there is no
 * record yet. Private to src/resolve. */
enum {
    THREAD_NAMES_MAX = 1 << 14,
    THREAD_NAME_MAX = 32 /* TASK_COMM_LEN is 16; longer if bytes are escaped */
};

struct thread_names {
    struct hash of_tid; /* tid -> index into list */
    char (*list)[THREAD_NAME_MAX];
    size_t count;
    size_t room;
};

void thread_names_fini(struct thread_names *names);

/* Sets a thread's raw name. If there is no room for more, the name stays unknown. */
void thread_names_put(struct thread_names *names, uint32_t tid, const char *name);

/* Forgets the name of one thread id, or of all, because ids now belong to other threads. */
void thread_names_forget(struct thread_names *names, uint32_t tid);
void thread_names_forget_all(struct thread_names *names);

/* Returns a sanitised name; `live`: /proc may be read. Returns false if it is not known. */
bool thread_names_get(struct thread_names *names, pid_t pid, uint32_t tid, bool live, char *out,
                      size_t out_size);

#endif
