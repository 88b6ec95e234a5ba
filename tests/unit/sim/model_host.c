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
    /* calloc() leaves large rooms untouched until they are used. */
    char *room = size_bytes < SIZE_MAX - ALIGNMENT ? calloc(1, size_bytes + ALIGNMENT) : NULL;
    if (!room)
        return NULL;
    rooms->rooms[rooms->count++] = room;
    return room + (ALIGNMENT - (uintptr_t)room % ALIGNMENT) % ALIGNMENT;
}

static void fail(void *context, const char *text)
{
    struct model_rooms *rooms = context;
    rooms->failed = text;
}

struct model_host model_host_of(struct model_rooms *rooms)
{
    return (struct model_host){.context = rooms, .allocate = allocate, .fail = fail};
}

void model_rooms_free(struct model_rooms *rooms)
{
    for (unsigned i = 0; i < rooms->count; i++)
        free(rooms->rooms[i]);
    rooms->count = 0;
}
