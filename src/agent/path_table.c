/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agent/path_table.h"

#include "agent/session.h"

#include <string.h>

/*
 * Open addressing; a slot is id << 32 | high half of the hash, written in one go once the path
 * itself stands in the shared memory, so that no thread ever waits for another.
 */
static uint64_t *slots;
static uint64_t slot_mask;

enum { PROBES_MAX = 64 };

int path_table_start(void)
{
    uint64_t count = 64;
    while (count < 2 * (uint64_t)session.sizes.path_count)
        count *= 2;
    slots = session_pages(count * sizeof *slots);
    slot_mask = count - 1;
    return slots ? 0 : -1;
}

static bool is_path(uint32_t id, const uint64_t *addresses, unsigned count)
{
    struct agent_path path = session.paths[id];
    return path.count == count && (uint64_t)path.first + count <= session.sizes.word_count &&
           !memcmp(session.words + path.first, addresses, count * sizeof *addresses);
}

/* A new id with the path written under it; 0: full. */
static uint32_t append(const uint64_t *addresses, unsigned count)
{
    struct agent_header *header = session.header;
    uint64_t first = __atomic_fetch_add(&header->words_used, count, __ATOMIC_RELAXED);
    if (first + count > session.sizes.word_count)
        return 0;
    uint32_t id = __atomic_add_fetch(&header->paths_used, 1, __ATOMIC_RELAXED);
    if (id >= session.sizes.path_count) {
        __atomic_sub_fetch(&header->paths_used, 1, __ATOMIC_RELAXED);
        return 0;
    }
    memcpy(session.words + first, addresses, count * sizeof *addresses);
    session.paths[id] = (struct agent_path){(uint32_t)first, count};
    return id;
}

static uint32_t lost(void)
{
    __atomic_fetch_add(&session.header->lost_paths, 1, __ATOMIC_RELAXED);
    return 0;
}

uint32_t path_table_id(const uint64_t *addresses, unsigned count, uint64_t hash)
{
    uint32_t ours = 0;
    for (unsigned probe = 0; probe < PROBES_MAX; probe++) {
        uint64_t *slot = &slots[(hash + probe) & slot_mask];
        uint64_t found = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
        if (!found) {
            if (!ours && !(ours = append(addresses, count)))
                return lost();
            uint64_t wanted = (uint64_t)ours << 32 | hash >> 32;
            if (__atomic_compare_exchange_n(slot, &found, wanted, false, __ATOMIC_RELEASE,
                                            __ATOMIC_ACQUIRE))
                return ours;
        }
        if ((uint32_t)found == hash >> 32 && is_path((uint32_t)(found >> 32), addresses, count))
            return (uint32_t)(found >> 32);
    }
    return lost();
}
