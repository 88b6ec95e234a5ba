/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agent/path_table.h"

#include "agent/session.h"

#include <string.h>

/*
 * Open addressing; a slot is the upper 44 bits of the hash and the id in the rest, written in one
 * go once the path itself is in the shared memory, so that no thread ever waits for another. With
 * the place in the table that is 60 bits of the hash: no two paths of a program are taken for one.
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

/* A new id with the path written under it; 0: full. */
static uint32_t append(const uint64_t *addresses, unsigned count)
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

static uint32_t lost(void)
{
    __atomic_fetch_add(&session.header->lost_paths, 1, __ATOMIC_RELAXED);
    return 0;
}

static uint64_t place_of(uint64_t hash, unsigned probe)
{
    return ((hash & ((1u << ID_BITS) - 1)) + probe) & slot_mask;
}

uint32_t path_table_find(uint64_t hash)
{
    for (unsigned probe = 0; probe < PROBES_MAX; probe++) {
        uint64_t found = __atomic_load_n(&slots[place_of(hash, probe)], __ATOMIC_ACQUIRE);
        if (!found)
            return 0;
        if ((found ^ hash) >> ID_BITS == 0)
            return (uint32_t)found & ((1u << ID_BITS) - 1);
    }
    return 0;
}

uint32_t path_table_id(const uint64_t *addresses, unsigned count, uint64_t hash)
{
    uint32_t ours = 0;
    for (unsigned probe = 0; probe < PROBES_MAX; probe++) {
        uint64_t *slot = &slots[place_of(hash, probe)];
        uint64_t found = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
        if (!found) {
            if (!ours && !(ours = append(addresses, count)))
                return lost();
            uint64_t wanted = (hash >> ID_BITS << ID_BITS) | ours;
            if (__atomic_compare_exchange_n(slot, &found, wanted, false, __ATOMIC_RELEASE,
                                            __ATOMIC_ACQUIRE))
                return ours;
        }
        if ((found ^ hash) >> ID_BITS == 0)
            return (uint32_t)found & ((1u << ID_BITS) - 1);
    }
    return lost();
}
