/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The agent's side of the memory shared with misstop (agent_abi.h): whether recording is on, and
 * where the parts are. Started once, from real.c; everyone in src/agent may read it.
 */
#ifndef MISSTOP_AGENT_SESSION_H
#define MISSTOP_AGENT_SESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "agent_abi.h"

struct real;

/*
 * On a page that the kernel hands to forked children as zeroes: a child does not record, whatever
 * way it was forked, and asking costs nothing.
 */
struct gate {
    uint32_t on;        /* alone on the page: what every call of the program looks at */
    uint32_t monotonic; /* stamps by clock_gettime: the processor's counter is not steady */
    uint32_t check;     /* AGENT_CHECK_PATHS */
    uint64_t unmaps;    /* munmap calls seen: what was readable may no longer be */
    uint64_t unloads;   /* dlclose calls seen: code may have changed */
    /* The thread (its address) that alone records; 0: several do, and change nothing here. */
    uint64_t alone __attribute__((aligned(64)));
} __attribute__((aligned(4096)));

struct session {
    struct agent_header *header;
    struct agent_ring *rings;
    uint32_t *ring_links;
    uint32_t *chunk_links;
    uint64_t *words;
    struct agent_unit *units; /* of all chunks */
    struct agent_file memory; /* to know it again at an exec of this process */
    struct agent_file file;   /* of library */
    char library[4096];       /* the agent's file, as it was preloaded; "": not known */
    struct agent_sizes sizes; /* checked; the header's are not read again */
};

extern struct gate gate;
extern struct session session;

/*
 * Not libc's, which sets errno, and may be another library's: what the kernel returned.
 */
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
    return LIKELY(__atomic_load_n(&gate.on, __ATOMIC_RELAXED));
}

/* Maps the memory named by the environment, if it is there and ours. Early, one thread. */
void session_start(const struct real *functions);

/* No more events from this process, for a reason that misstop shows. */
void session_give_up(enum agent_reason reason);

/* Whether misstop still reads; if not, there are no more events, and the memory is given back. */
bool session_is_read(void);

/* Takes the agent out of the environment, so that programs started from here are left alone. */
void session_hide(void);

/* Private zeroed pages, from the kernel; NULL: none. */
void *session_pages(size_t size_bytes);
void session_unmap(void *pages, size_t size_bytes);

#endif
