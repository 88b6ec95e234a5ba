/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agent/path.h"

#include "agent/path_table.h"

#include <errno.h>
#include <string.h>

/* Places are checked: a signal handler that allocates may have unwound over `stack`. */
static void remember(struct path_known *known, const struct unwound *stack, void *const *frame)
{
    uint64_t pointer = (uint64_t)(uintptr_t)(frame + 2);
    uint64_t end = 0; /* words, past the last slot */
    known->stack_pointer = 0;
    for (unsigned i = 1; i < stack->count; i++) {
        uint64_t slot = (stack->frames[i].slot - pointer) / 8;
        if (slot < end || slot >= UINT16_MAX)
            return;
        end = slot + 1;
        known->frames[i - 1] =
            (struct path_frame){(uint32_t)slot, (uint32_t)stack->frames[i].address};
    }
    known->return_address = stack->frames[0].address;
    known->frame_pointer = (uint64_t)(uintptr_t)frame[0];
    known->uses_frame_pointer = stack->used_frame_pointer;
    known->count = (uint8_t)(stack->count - 1);
    known->span_words = (uint16_t)end;
    known->trust = PATH_TRUST;
    __atomic_signal_fence(__ATOMIC_RELEASE);
    known->stack_pointer = pointer;
}

static uint32_t new_name(const struct unwound *stack)
{
    uint64_t addresses[AGENT_DEPTH_MAX];
    for (unsigned i = 0; i < stack->count; i++)
        addresses[i] = stack->frames[i].address;
    return path_table_id(addresses, stack->count, stack->hash);
}

static uint32_t name(struct path_cache *cache, const struct unwound *stack)
{
    struct path_name *known = &cache->names[stack->hash >> (64 - PATH_NAME_BITS)];
    if (known->hash != stack->hash || !known->path) {
        known->path = new_name(stack);
        known->hash = stack->hash;
    }
    return (uint32_t)known->path;
}

/* A place that keeps changing is left alone for longer and longer. */
static bool may_replace(struct path_known *known)
{
    enum { PATIENCE = 32 };
    if (known->patience) {
        known->patience--;
        return !known->patience;
    }
    if (known->trust) {
        known->trust--;
        return false;
    }
    known->patience = PATIENCE;
    return false;
}

uint32_t path_unwind(struct path_cache *cache, struct path_known *known, void *const *frame)
{
    int saved = errno;
    const struct unwound *stack = unwind(&cache->unwind, frame);
    uint32_t path = name(cache, stack);
    if (!known->stack_pointer || may_replace(known)) {
        known->path = path;
        remember(known, stack, frame);
    }
    session.header->unwound++; /* a figure only: threads may lose some */
    errno = saved;
    return path;
}

void path_check(struct path_cache *cache, const struct path_known *known, void *const *frame)
{
    int saved = errno;
    bool same = name(cache, unwind(&cache->unwind, frame)) == known->path;
    __atomic_fetch_add(&session.header->checked, 1, __ATOMIC_RELAXED);
    if (!same)
        __atomic_fetch_add(&session.header->wrong, 1, __ATOMIC_RELAXED);
    errno = saved;
}
