/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The functions that the wrappers call: the next malloc and mmap in library order (glibc's, or
 * jemalloc's if that is preloaded or linked). Every pointer works from the first instruction on:
 * until the real function is known it points to a function that finds it.
 */
#ifndef MISSTOP_AGENT_REAL_H
#define MISSTOP_AGENT_REAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct real {
    void *(*malloc)(size_t);
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
    void (*free)(void *);
    void *(*aligned_alloc)(size_t, size_t);
    int (*posix_memalign)(void **, size_t, size_t);
    void *(*memalign)(size_t, size_t);
    void *(*valloc)(size_t);
    void *(*pvalloc)(size_t);
    size_t (*usable)(void *); /* never NULL; returns 0 if the allocator has no such function */
    bool is_glibc;            /* malloc and usable are glibc's */
    void *(*mmap)(void *, size_t, int, int, int, off_t);
    int (*munmap)(void *, size_t);
    void *(*mremap)(void *, size_t, size_t, int, ...);
    int (*dlclose)(void *);
    int (*prctl)(int, ...);
};

extern struct real real;

/* Returns the same as usable(). For a glibc block that is not a mapping, uses the chunk header: the
 * size without the header (malloc/malloc.c, musable()). */
static inline size_t real_usable(void *block)
{
    enum { IS_MAPPED = 2, FLAGS = 7 };
    if (__builtin_expect(real.is_glibc, 1)) {
        size_t size = ((const size_t *)block)[-1];
        if (__builtin_expect(!(size & IS_MAPPED), 1))
            return (size & ~(size_t)FLAGS) - sizeof size;
    }
    return real.usable(block);
}

/* Returns true if the program defines a malloc of its own that takes precedence over ours. */
bool real_own_malloc(void);

/* Blocks for dlsym(), which allocates while it looks for malloc. They are never freed. */
enum { REAL_EARLY_BYTES = 1 << 16 };
extern char real_early[REAL_EARLY_BYTES];

static inline bool real_is_early(const void *block)
{
    return (uintptr_t)block - (uintptr_t)real_early < REAL_EARLY_BYTES;
}

#endif
