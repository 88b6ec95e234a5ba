/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/heap.h"

#include "resolve/process.h"

enum { HEAP_MAX_BYTES = 64 << 20, CHUNK_FLAGS = 7, CHUNK_MMAPPED = 2 };

static bool is_arena(uint64_t start, const uint64_t words[4])
{
    /* struct heap_info: arena, previous heap, size, mprotected size. The arena of the first
     * heap stands right behind it. */
    uint64_t arena = words[0];
    bool aligned = !(start & (HEAP_MAX_BYTES - 1));
    bool inside = (arena & ~(uint64_t)(HEAP_MAX_BYTES - 1)) == start || words[1] != 0;
    return aligned && arena && inside && words[2] >= 4096 && words[2] <= HEAP_MAX_BYTES &&
           !(words[2] & 4095) && words[3] >= words[2] && words[3] <= HEAP_MAX_BYTES;
}

static bool is_block(uint64_t room, const uint64_t words[4])
{
    /* Chunk header: previous size (0 for an aligned mmapped one), size with flags. Mappings
     * next to each other are one line of maps, so the block may be smaller than that. */
    uint64_t size = words[1] & ~(uint64_t)CHUNK_FLAGS;
    return words[1] & CHUNK_MMAPPED && !(words[1] & 5) && words[0] < 4096 && size >= 4096 &&
           !((size + words[0]) & 4095) && size <= room;
}

enum heap_finding heap_read(uint64_t start, uint64_t end, pid_t pid)
{
    uint64_t words[4];
    if (!process_read(pid, start, words, sizeof words))
        return HEAP_NO;
    if (is_arena(start, words))
        return HEAP_ARENA;
    return is_block(end - start, words) ? HEAP_BLOCK : HEAP_NO;
}

enum heap_finding heap_look(struct map *map, pid_t pid)
{
    if (map->heap == HEAP_UNKNOWN)
        map->heap = (uint8_t)heap_read(map->start, map->end, pid);
    return map->heap;
}
