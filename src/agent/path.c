/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agent/path.h"

#include "agent/path_table.h"

#include <errno.h>
#include <string.h>

static void remember(struct path_known *known, const struct unwound *stack, void *const *frame)
{
    uint64_t pointer = (uint64_t)(uintptr_t)(frame + 2);
    uint64_t last = 0;
    known->stack_pointer = 0;
    for (unsigned i = 1; i < stack->count; i++) {
        last = (stack->slots[i] - pointer) / 8;
        known->frames[i - 1] = (struct path_frame){(uint32_t)last, (uint32_t)stack->addresses[i]};
    }
    if (last >= UINT16_MAX)
        return;
    known->return_address = stack->addresses[0];
    known->frame_pointer = (uint64_t)(uintptr_t)frame[0];
    known->uses_frame_pointer = stack->used_frame_pointer;
    known->count = (uint8_t)(stack->count - 1);
    known->span_words = (uint16_t)(stack->count > 1 ? last + 1 : 0);
    known->stack_pointer = pointer;
}

uint32_t path_unwind(struct path_cache *cache, struct path_known *known, void *const *frame)
{
    struct unwound stack;
    int saved = errno;
    unwind(&cache->unwind, frame, &stack);
    uint32_t path = path_table_id(stack.addresses, stack.count);
    known->path = path;
    remember(known, &stack, frame);
    __atomic_fetch_add(&session.header->unwound, 1, __ATOMIC_RELAXED);
    errno = saved;
    return path;
}

void path_check(struct path_cache *cache, const struct path_known *known, void *const *frame)
{
    struct unwound stack;
    int saved = errno;
    unwind(&cache->unwind, frame, &stack);
    bool same = path_table_id(stack.addresses, stack.count) == known->path;
    __atomic_fetch_add(&session.header->checked, 1, __ATOMIC_RELAXED);
    if (!same)
        __atomic_fetch_add(&session.header->wrong, 1, __ATOMIC_RELAXED);
    errno = saved;
}
