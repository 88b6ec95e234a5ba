/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/array.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM_FIRST = 32 };

void *array_more(void *at, size_t *room, size_t count, size_t each, size_t most)
{
    if (count < *room)
        return at;
    size_t wanted = *room ? *room * 2 : ROOM_FIRST;
    if (wanted > most)
        wanted = most;
    if (wanted <= count || wanted > SIZE_MAX / each)
        return NULL;
    void *more = realloc(at, wanted * each);
    if (more)
        *room = wanted;
    return more;
}

void *array_reach(void *at, size_t *room, size_t index, size_t each, size_t first)
{
    size_t wanted = *room ? *room : first;
    if (index < *room)
        return at;
    while (wanted <= index && wanted <= SIZE_MAX / 2)
        wanted *= 2;
    if (wanted <= index || wanted > SIZE_MAX / each)
        return NULL;
    char *more = realloc(at, wanted * each);
    if (!more)
        return NULL;
    memset(more + *room * each, 0, (wanted - *room) * each);
    *room = wanted;
    return more;
}
