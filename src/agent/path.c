/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agent/path.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "agent/session.h"

/*
 * A slot has the upper 44 bits of the hash and the id in the remaining bits; it is written
 * atomically after the path is in the shared memory, so no thread ever waits for another. With the
 * position, 60 bits of the hash are compared: collisions do not occur in practice.
 */
static uint64_t *slots;
static uint64_t slot_mask;

enum { PROBES_MAX = 64, ID_BITS = 20 };

int path_table_start(void)
{
    uint64_t count = 64;
    while (count < 2 * (uint64_t)session.sizes.path_count)
        count *= 2;
    slots = session_pages(count * sizeof *slots);
    slot_mask = count - 1;
    return slots ? 0 : -1;
}

/* Appends a path and returns its new id; 0: full. */
static uint32_t path_table_append(const uint64_t *addresses, unsigned count)
{
    struct agent_header *header = session.header;
    uint64_t top = __atomic_load_n(&header->path_top, __ATOMIC_RELAXED);
    uint64_t mask = session.sizes.word_count - 1;
    uint64_t at;
    uint64_t id;
    do {
        at = top & ((UINT64_C(1) << AGENT_PATH_SHIFT) - 1);
        id = (top >> AGENT_PATH_SHIFT) + 1;
        uint64_t read = __atomic_load_n(&header->words_read, __ATOMIC_ACQUIRE);
        if (id >= session.sizes.path_count || at + count + 1 - read > mask)
            return 0;
    } while (!__atomic_compare_exchange_n(&header->path_top, &top,
                                          id << AGENT_PATH_SHIFT | (at + count + 1), true,
                                          __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    for (unsigned i = 0; i < count; i++)
        session.words[(at + 1 + i) & mask] = addresses[i];
    __atomic_store_n(&session.words[at & mask], id << 8 | count, __ATOMIC_RELEASE);
    return (uint32_t)id;
}

static uint32_t count_lost_path(void)
{
    __atomic_fetch_add(&session.header->lost_paths, 1, __ATOMIC_RELAXED);
    return 0;
}

static uint64_t path_table_place(uint64_t hash, unsigned probe)
{
    return ((hash & ((1u << ID_BITS) - 1)) + probe) & slot_mask;
}

/* Returns the id of a path with this hash (unwind.h); 0: new path. */
static uint32_t path_table_find(uint64_t hash)
{
    for (unsigned probe = 0; probe < PROBES_MAX; probe++) {
        uint64_t found = __atomic_load_n(&slots[path_table_place(hash, probe)], __ATOMIC_ACQUIRE);
        if (!found)
            return 0;
        if ((found ^ hash) >> ID_BITS == 0)
            return (uint32_t)found & ((1u << ID_BITS) - 1);
    }
    return 0;
}

/* Returns the id of a path, and adds the path if it is new; 0: no room for more paths (counted). */
static uint32_t path_table_id(const uint64_t *addresses, unsigned count, uint64_t hash)
{
    uint32_t ours = 0;
    for (unsigned probe = 0; probe < PROBES_MAX; probe++) {
        uint64_t *slot = &slots[path_table_place(hash, probe)];
        uint64_t found = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
        if (!found) {
            if (!ours && !(ours = path_table_append(addresses, count)))
                return count_lost_path();
            uint64_t wanted = (hash >> ID_BITS << ID_BITS) | ours;
            if (__atomic_compare_exchange_n(slot, &found, wanted, false, __ATOMIC_RELEASE,
                                            __ATOMIC_ACQUIRE))
                return ours;
        }
        if ((found ^ hash) >> ID_BITS == 0)
            return (uint32_t)found & ((1u << ID_BITS) - 1);
    }
    return count_lost_path();
}

/* Checks the slots: a signal handler that allocates may have overwritten `stack`. */
static void path_remember(struct cached_path *known, const struct unwound *stack,
                          void *const *frame)
{
    if (stack->count - 1 > known->frames_max)
        return;
    uint64_t pointer = (uint64_t)(uintptr_t)(frame + 2);
    uint64_t end = 0; /* in words, past the last slot */
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
    known->skip_searches = 0;
    known->hit_credit = PATH_HIT_CREDIT;
    __atomic_signal_fence(__ATOMIC_RELEASE);
    known->stack_pointer = pointer;
}

static uint32_t path_id_of_stack(const struct unwound *stack)
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
    size_t bytes = sizeof(struct cached_path) + frames * sizeof(struct path_frame);
    return (uint32_t)((bytes + PATH_STEP - 1) & ~(size_t)(PATH_STEP - 1));
}

void path_cache_start(struct path_cache *cache, size_t size_bytes)
{
    cache->room_bytes = (uint32_t)(size_bytes - offsetof(struct path_cache, entries));
    cache->used_bytes = entry_bytes(0);
}

/* Reserves the room before writing: a signal handler that allocates must not get the same room. Its
 * changes to the index cost at most one more unwinding. */
static struct cached_path *reserve_entry(struct path_cache *cache, uint16_t *place, unsigned frames)
{
    uint32_t need = entry_bytes(frames);
    uint32_t start = __atomic_fetch_add(&cache->used_bytes, need, __ATOMIC_RELAXED);
    if (start > cache->room_bytes || need > cache->room_bytes - start) {
        memset(cache->index, 0, sizeof cache->index);
        start = entry_bytes(0);
        __atomic_store_n(&cache->used_bytes, start + need, __ATOMIC_RELAXED);
    }
    struct cached_path *known = path_at(cache, (uint16_t)(start / PATH_STEP));
    known->stack_pointer = 0;
    known->frames_max = (uint8_t)frames;
    *place = (uint16_t)(start / PATH_STEP);
    return known;
}

/* Returns true for an entry with PATH_HIT_CREDIT misses, after it was not used for PATIENCE
 * searches. */
static bool entry_may_be_replaced(struct cached_path *known)
{
    enum { PATIENCE = 32 };
    if (known->skip_searches) {
        known->skip_searches--;
        return !known->skip_searches;
    }
    if (known->hit_credit) {
        known->hit_credit--;
        return false;
    }
    known->skip_searches = PATIENCE;
    return false;
}

uint32_t path_unwind(struct path_cache *cache, uint16_t *place, void *const *frame)
{
    int saved = errno;
    const struct unwound *stack = unwind(&cache->unwind, frame);
    unsigned frames = stack->count - 1;
    uint32_t path = path_id_of_stack(stack);
    struct cached_path *known = path_at(cache, *place);
    if (!*place || !known->stack_pointer || entry_may_be_replaced(known)) {
        if (!*place || known->frames_max < frames)
            known = reserve_entry(cache, place, frames);
        known->path = path;
        path_remember(known, stack, frame);
    }
    session.header->unwound++; /* statistics only: concurrent updates may get lost */
    errno = saved;
    return path;
}

void path_check(struct path_cache *cache, const struct cached_path *known, void *const *frame)
{
    int saved = errno;
    bool same = path_id_of_stack(unwind(&cache->unwind, frame)) == known->path;
    __atomic_fetch_add(&session.header->paths_checked, 1, __ATOMIC_RELAXED);
    if (!same)
        __atomic_fetch_add(&session.header->paths_wrong, 1, __ATOMIC_RELAXED);
    errno = saved;
}
