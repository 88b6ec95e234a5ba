/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Events written into the calling thread's ring: the hot path, inline into the wrappers. Each
 * returns at once where no chunk is free; nothing here blocks, allocates or touches errno.
 * `frame` is __builtin_frame_address(0) of the wrapper: the caller's frame pointer, the return
 * address, and above them the caller's stack.
 */
#ifndef MISSTOP_AGENT_RECORD_H
#define MISSTOP_AGENT_RECORD_H

#include "agent/path.h"
#include "agent/real.h"
#include "agent/session.h"
#include "agent/thread.h"

#include <time.h>
#include <x86intrin.h>

static inline uint64_t record_stamp(void)
{
    struct timespec now;
    if (LIKELY(!gate.monotonic))
        return __rdtsc();
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The thread with room for a record and its owner told; NULL: the event is lost, and counted. */
static inline struct thread *record_begin(void)
{
    struct thread *thread = thread_current;
    if (UNLIKELY(!thread) && !(thread = thread_take()))
        return NULL;
    if (UNLIKELY(thread->head > thread->full_at) && !thread_make_room(thread)) {
        if (thread->is_passing)
            thread_pass(thread);
        return NULL;
    }
    if (UNLIKELY(!thread->owner_is_told))
        thread_tell_owner(thread);
    return thread;
}

/* Publishes what was written: a reader that sees head sees the units. */
static inline void record_end(struct thread *thread, unsigned units)
{
    thread->head += units;
    __atomic_store_n(&thread->ring->head, thread->head, __ATOMIC_RELEASE);
    if (UNLIKELY(thread->is_passing))
        thread_pass(thread);
}

static inline void record_long(enum agent_kind kind, uint64_t stamp, const void *address,
                               uint64_t bytes, uint64_t usable_bytes, void *const *frame)
{
    struct thread *thread = record_begin();
    if (UNLIKELY(!thread))
        return;
    uint64_t path = frame ? path_find(&thread->paths, frame) : 0;
    uint64_t slack = usable_bytes > bytes ? usable_bytes - bytes : 0;
    struct agent_unit *unit = &thread->units[thread->head & THREAD_MASK];
    unit->first = stamp;
    unit->second = ((uint64_t)(uintptr_t)address & AGENT_ADDRESS_MASK) | (uint64_t)kind
                                                                             << AGENT_KIND_SHIFT;
    unit = &thread->units[(thread->head + 1) & THREAD_MASK];
    unit->first = bytes;
    unit->second = path | (slack > UINT32_MAX ? UINT32_MAX : slack) << 32;
    record_end(thread, 2);
}

/* After the real allocation. */
static inline void record_alloc(void *block, size_t size_bytes, void *const *frame)
{
    uint64_t stamp = record_stamp();
    record_long(AGENT_ALLOC, stamp, block, size_bytes, real.usable(block), frame);
}

/* Before the real free. */
static inline void record_free(const void *block)
{
    uint64_t stamp = record_stamp();
    struct thread *thread = record_begin();
    if (UNLIKELY(!thread))
        return;
    struct agent_unit *unit = &thread->units[thread->head & THREAD_MASK];
    unit->first = stamp;
    unit->second = ((uint64_t)(uintptr_t)block & AGENT_ADDRESS_MASK) | (uint64_t)AGENT_FREE
                                                                           << AGENT_KIND_SHIFT;
    record_end(thread, 1);
}

#endif
