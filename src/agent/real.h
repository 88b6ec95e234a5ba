/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The functions behind ours: the next malloc and mmap in the order of libraries (glibc's, or
 * jemalloc's where that is preloaded or linked). Every pointer works from the first instruction:
 * until the real ones are known it points at a function that finds them.
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
    size_t (*usable)(void *); /* never NULL; 0: the allocator has no such function */
    bool is_glibc;            /* malloc and usable are */
    void *(*mmap)(void *, size_t, int, int, int, off_t);
    int (*munmap)(void *, size_t);
    void *(*mremap)(void *, size_t, size_t, int, ...);
    int (*dlclose)(void *);
    int (*prctl)(int, ...);
};

extern struct real real;

/* The same as usable(); of glibc blocks that are no mappings by the chunk header: its size, less
 * the header (malloc/malloc.c, musable()). */
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

/* Whether the program defines a malloc of its own that is before ours. */
bool real_own_malloc(void);

/*
 * Blocks handed out while dlsym() was looking for malloc and itself asked for memory. They are
 * never given back.
 */
enum { REAL_EARLY_BYTES = 1 << 16 };
extern char real_early[REAL_EARLY_BYTES];

static inline bool real_is_early(const void *block)
{
    return (uintptr_t)block - (uintptr_t)real_early < REAL_EARLY_BYTES;
}

#endif
