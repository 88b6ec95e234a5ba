/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agent/path.h"

#include "agent/path_table.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

/* Places are checked: a signal handler that allocates may have unwound over `stack`. */
static void remember(struct path_known *known, const struct unwound *stack, void *const *frame)
{
    if (stack->count - 1 > known->room)
        return;
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
    known->patience = 0;
    known->trust = PATH_TRUST;
    __atomic_signal_fence(__ATOMIC_RELEASE);
    known->stack_pointer = pointer;
}

static uint32_t name(const struct unwound *stack)
{
    uint64_t addresses[AGENT_DEPTH_MAX];
    uint32_t path = path_table_find(stack->hash);
    if (path)
        return path;
    for (unsigned i = 0; i < stack->count; i++)
        addresses[i] = stack->frames[i].address;
    return path_table_id(addresses, stack->count, stack->hash);
}

static uint32_t entry_bytes(unsigned frames)
{
    size_t bytes = sizeof(struct path_known) + frames * sizeof(struct path_frame);
    return (uint32_t)((bytes + PATH_STEP - 1) & ~(size_t)(PATH_STEP - 1));
}

void path_cache_start(struct path_cache *cache, size_t size_bytes)
{
    cache->room_bytes = (uint32_t)(size_bytes - offsetof(struct path_cache, entries));
    cache->used_bytes = entry_bytes(0);
}

/*
 * Room for a path. The room is taken before it is written to: a signal handler that allocates must
 * not be given the same; what it does to the index costs at most an unwinding.
 */
static struct path_known *make_entry(struct path_cache *cache, uint16_t *place, unsigned frames)
{
    uint32_t need = entry_bytes(frames);
    uint32_t start = __atomic_fetch_add(&cache->used_bytes, need, __ATOMIC_RELAXED);
    if (start > cache->room_bytes || need > cache->room_bytes - start) {
        memset(cache->index, 0, sizeof cache->index);
        start = entry_bytes(0);
        __atomic_store_n(&cache->used_bytes, start + need, __ATOMIC_RELAXED);
    }
    struct path_known *known = path_at(cache, (uint16_t)(start / PATH_STEP));
    known->stack_pointer = 0;
    known->room = (uint8_t)frames;
    *place = (uint16_t)(start / PATH_STEP);
    return known;
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

uint32_t path_unwind(struct path_cache *cache, uint16_t *place, void *const *frame)
{
    int saved = errno;
    const struct unwound *stack = unwind(&cache->unwind, frame);
    unsigned frames = stack->count - 1;
    uint32_t path = name(stack);
    struct path_known *known = path_at(cache, *place);
    if (!*place || !known->stack_pointer || may_replace(known)) {
        if (!*place || known->room < frames)
            known = make_entry(cache, place, frames);
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
    bool same = name(unwind(&cache->unwind, frame)) == known->path;
    __atomic_fetch_add(&session.header->checked, 1, __ATOMIC_RELAXED);
    if (!same)
        __atomic_fetch_add(&session.header->wrong, 1, __ATOMIC_RELAXED);
    errno = saved;
}
