/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Mappings that the program makes itself; libc's own (stacks, large blocks, libraries) do not
 * come this way. And dlclose(), after which code addresses may mean something else.
 */
#include "agent/interpose.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <sys/mman.h>

enum { PAGE = 4096 };

static uint64_t whole_pages(uint64_t bytes)
{
    return (bytes + PAGE - 1) & ~(uint64_t)(PAGE - 1);
}

static void record_map(void *address, size_t length, void *const *frame)
{
    record_long(AGENT_MAP, record_stamp(), address, length, whole_pages(length), frame);
}

/* Stack known to be readable may be among it. */
static void record_unmap(void *address, size_t length)
{
    __atomic_fetch_add(&gate.unmaps, 1, __ATOMIC_RELAXED);
    record_long(AGENT_UNMAP, record_stamp(), address, length, whole_pages(length), NULL);
}

static void *map(void *address, size_t length, int protection, int flags, int fd, off_t offset,
                 void *const *frame)
{
    void *mapping = real.mmap(address, length, protection, flags, fd, offset);
    if (mapping != MAP_FAILED && session_on()) {
        if (flags & MAP_FIXED) /* something may have been there */
            __atomic_fetch_add(&gate.unmaps, 1, __ATOMIC_RELAXED);
        record_map(mapping, length, frame);
    }
    return mapping;
}

INTERPOSED void *mmap(void *address, size_t length, int protection, int flags, int fd, off_t offset)
{
    return map(address, length, protection, flags, fd, offset, OWN_FRAME);
}

INTERPOSED void *mmap64(void *address, size_t length, int protection, int flags, int fd,
                        off64_t offset)
{
    return map(address, length, protection, flags, fd, offset, OWN_FRAME);
}

/* Published before, as another thread may be given the addresses at once. */
INTERPOSED int munmap(void *address, size_t length)
{
    bool is_sane = length && !((uintptr_t)address & (PAGE - 1));
    bool is_recorded = session_on() && is_sane;
    if (is_recorded)
        record_unmap(address, length);
    int code = real.munmap(address, length);
    if (code && is_recorded)
        record_map(address, length, OWN_FRAME); /* too many mappings: it is still there */
    return code;
}

static void *remap(void *old, size_t old_length, size_t length, int flags, void *wanted,
                   void *const *frame)
{
    bool is_recorded = session_on();
    if (is_recorded && old_length)
        record_unmap(old, old_length);
    void *mapping = real.mremap(old, old_length, length, flags, wanted);
    if (!is_recorded)
        return mapping;
    if (mapping != MAP_FAILED)
        record_map(mapping, length, frame);
    else if (old_length && errno != EINVAL && errno != EFAULT)
        record_map(old, old_length, frame);
    return mapping;
}

INTERPOSED void *mremap(void *old, size_t old_length, size_t length, int flags, ...)
{
    void *wanted = NULL;
    if (flags & MREMAP_FIXED) {
        va_list rest;
        va_start(rest, flags);
        wanted = va_arg(rest, void *);
        va_end(rest);
    }
    return remap(old, old_length, length, flags, wanted, OWN_FRAME);
}

/* Before and after: another thread may be unwinding through the library meanwhile. */
INTERPOSED int dlclose(void *handle)
{
    __atomic_fetch_add(&gate.unloads, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&gate.unmaps, 1, __ATOMIC_RELAXED);
    int code = real.dlclose(handle);
    __atomic_fetch_add(&gate.unloads, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&gate.unmaps, 1, __ATOMIC_RELAXED);
    return code;
}
