/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/walk_memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { JUMP_BYTES = 4096 };

int walk_window_init(struct walk_window *window)
{
    *window = (struct walk_window){.words = malloc(WALK_WINDOW_BYTES)};
    return window->words ? 0 : -ENOMEM;
}

void walk_window_fini(struct walk_window *window)
{
    free(window->words);
    *window = (struct walk_window){0};
}

void walk_window_reset(struct walk_window *window, size_t ahead_bytes)
{
    window->bytes = 0;
    window->ahead_bytes = ahead_bytes;
}

const uint64_t *walk_window_fill(struct walk_memory *memory, struct walk_window *window,
                                 uint64_t address, size_t bytes)
{
    /* Beyond what the window held: the chain jumped over a large block. */
    bool jump = window->bytes && address - window->start > window->bytes;
    if (jump && window->ahead_bytes > JUMP_BYTES)
        window->ahead_bytes = JUMP_BYTES;
    size_t ahead = window->ahead_bytes < bytes ? bytes : window->ahead_bytes;
    if (address & 15 || bytes > WALK_WINDOW_BYTES)
        return NULL;
    window->start = address;
    window->bytes = walk_memory_read_some(memory, address, window->words, ahead);
    window->ahead_bytes = ahead < WALK_WINDOW_BYTES / 2 ? ahead * 2 : WALK_WINDOW_BYTES;
    return window->bytes >= bytes ? window->words : NULL;
}

bool walk_memory_read(struct walk_memory *memory, uint64_t address, void *out, size_t bytes)
{
    memory->reads++;
    if (!memory->target.read(memory->target.context, address, out, bytes))
        return false;
    memory->bytes_read += bytes;
    return true;
}

size_t walk_memory_read_some(struct walk_memory *memory, uint64_t address, void *out, size_t bytes)
{
    size_t got = memory->target.read_some(memory->target.context, address, out, bytes);
    got = got < bytes ? got : bytes;
    memory->reads++;
    memory->bytes_read += got;
    return got;
}

const struct walk_mapping *walk_memory_mapping(const struct walk_memory *memory, uint64_t address)
{
    size_t low = 0;
    size_t high = memory->map_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (memory->maps[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < memory->map_count && memory->maps[low].start <= address ? &memory->maps[low]
                                                                         : NULL;
}

int walk_memory_map(struct walk_memory *memory, const struct walk_mapping *mappings, size_t count)
{
    struct walk_mapping *copy = malloc((count + 1) * sizeof *copy);
    uint64_t *searched = calloc(count + 1, sizeof *searched);
    if (!copy || !searched) {
        free(copy);
        free(searched);
        return -ENOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        const struct walk_mapping *before = walk_memory_mapping(memory, mappings[i].start);
        copy[i] = mappings[i];
        copy[i].path = NULL;
        if (before && before->start == copy[i].start && before->end == copy[i].end)
            searched[i] = memory->searched[before - memory->maps];
    }
    free(memory->maps);
    free(memory->searched);
    memory->maps = copy;
    memory->searched = searched;
    memory->map_count = count;
    return 0;
}

void walk_memory_fini(struct walk_memory *memory)
{
    free(memory->maps);
    free(memory->searched);
    *memory = (struct walk_memory){0};
}
