/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The agent's side of the memory shared with misstop (agent_abi.h): whether recording is on, and
 * the addresses of the parts. Started once, from real.c; any file of src/agent may read it. */
#ifndef MISSTOP_AGENT_SESSION_H
#define MISSTOP_AGENT_SESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "agent_abi.h"

struct real;

/* Switches for recording, on a page that the kernel zeroes in forked children: a child does not
 * record, however it was forked, and the check is free. */
struct gate {
    uint32_t is_recording; /* alone on the page: read by every call of the program */
    uint32_t monotonic;    /* stamps by clock_gettime: the time stamp counter is not invariant */
    uint32_t checks_paths; /* AGENT_CHECK_PATHS */
    uint64_t unmaps;       /* munmap calls so far: readable memory may no longer be readable */
    uint64_t unloads;      /* dlclose calls so far: code may have changed */
    /* The only recording thread; 0: several threads record, and write nothing here. */
    uint64_t single_recorder __attribute__((aligned(64)));
} __attribute__((aligned(4096)));

struct session {
    struct agent_header *header;
    struct agent_ring *rings;
    uint32_t *ring_links;
    uint32_t *chunk_links;
    uint64_t *words;
    struct agent_unit *units; /* of all chunks */
    struct agent_file memory; /* to recognise it at an exec of this process */
    struct agent_file file;   /* identity of `library` */
    char library[4096];       /* the agent's file as it was preloaded; "": not known */
    struct agent_sizes sizes; /* checked; the header's sizes are not read again */
};

extern struct gate gate;
extern struct session session;

/* Returns the kernel's result. libc's function sets errno and may be another library's. */
static inline long raw_syscall(long number, long a, long b, long c, long d, long e, long f)
{
    register long fourth __asm__("r10") = d;
    register long fifth __asm__("r8") = e;
    register long sixth __asm__("r9") = f;
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
                     : "rcx", "r11", "memory");
    return result;
}

#define LIKELY(condition)   __builtin_expect(!!(condition), 1)
#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)

static inline bool session_on(void)
{
    return LIKELY(__atomic_load_n(&gate.is_recording, __ATOMIC_RELAXED));
}

/* Maps the memory that the environment names, if it is ours. Called early, by one thread. */
void session_start(const struct real *functions);

/* Stops recording in this process, for a reason that misstop shows. */
void session_give_up(enum agent_reason reason);

/* Returns true if misstop still reads. If not, stops recording and releases the memory. */
bool session_is_read(void);

/* Removes the agent from the environment, so that programs started from here do not load it. */
void session_hide(void);

/* Returns private zeroed pages from the kernel; NULL: none. */
void *session_pages(size_t size_bytes);
void session_unmap(void *pages, size_t size_bytes);

#endif
