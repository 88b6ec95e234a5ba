/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit/sim/model_host.h"

#include <stdlib.h>

enum { ALIGNMENT = 64 };

static void *allocate(void *context, size_t size_bytes)
{
    struct model_rooms *rooms = context;
    size_t limit = sizeof rooms->rooms / sizeof *rooms->rooms;
    if (rooms->count == limit || (rooms->refuse_from && rooms->count >= rooms->refuse_from))
        return NULL;
    /* calloc() does not touch large allocations until they are used. */
    char *room = size_bytes < SIZE_MAX - ALIGNMENT ? calloc(1, size_bytes + ALIGNMENT) : NULL;
    if (!room)
        return NULL;
    rooms->rooms[rooms->count++] = room;
    rooms->bytes += size_bytes;
    return room + (ALIGNMENT - (uintptr_t)room % ALIGNMENT) % ALIGNMENT;
}

static void fail(void *context, const char *text)
{
    struct model_rooms *rooms = context;
    rooms->failed = text;
}

static void *allocate_pairs(void *context, uint32_t which, uint32_t level, size_t size_bytes)
{
    struct model_rooms *rooms = context;
    rooms->pair_places = size_bytes / sizeof(struct tally_pair);
    return (void *)(uintptr_t)(rooms->pairs[which][level] = allocate(context, size_bytes));
}

void figures_miss(struct figures *figures, const struct model_missed *missed)
{
    figures->misses++;
    figures->causes[missed->cause]++;
}

void figures_line(struct figures *figures, const struct model_eviction *eviction)
{
    figures->left++;
    figures->used_bytes += eviction->used_bytes;
    figures->touched_bytes += eviction->use.touched_bytes;
    figures->written += eviction->use.written != 0;
    for (int i = 0; i < MODEL_USE_CLASSES; i++)
        figures->uses[i] += eviction->use.uses[i];
}

static void on_miss(void *context, const struct model_miss *miss)
{
    struct model_rooms *rooms = context;
    for (uint32_t level = 0; level < miss->hit_level; level++)
        figures_miss(&rooms->seen[level], &miss->level[level]);
}

static void on_eviction(void *context, const struct model_eviction *eviction)
{
    struct model_rooms *rooms = context;
    figures_line(&rooms->seen[eviction->level], eviction);
}

struct model_host model_host_of(struct model_rooms *rooms)
{
    return (struct model_host){.context = rooms,
                               .allocate = allocate,
                               .fail = fail,
                               .miss = on_miss,
                               .eviction = on_eviction,
                               .allocate_pairs = allocate_pairs};
}

uint64_t model_rooms_pair(const struct model_rooms *rooms, enum model_pairs which, uint32_t level,
                          uint32_t first, uint32_t second)
{
    const struct tally_pair *pairs = rooms->pairs[which][level];
    for (uint64_t i = 0; i < rooms->pair_places; i++)
        if (pairs[i].count && pairs[i].first == first && pairs[i].second == second)
            return pairs[i].count;
    return 0;
}

void model_rooms_free(struct model_rooms *rooms)
{
    for (unsigned i = 0; i < rooms->count; i++)
        free(rooms->rooms[i]);
    *rooms = (struct model_rooms){.refuse_from = rooms->refuse_from};
}
