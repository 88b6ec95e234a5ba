/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/array.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
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

void *array_lines(void **memory, size_t count, size_t each)
{
    enum { LINE_BYTES = 64 };
    char *at = *memory = calloc(count + LINE_BYTES / each, each);
    return at ? at + (LINE_BYTES - (uintptr_t)at % LINE_BYTES) % LINE_BYTES : NULL;
}

struct sort_key {
    size_t member;
    size_t bytes;
};

static int sort_order(const void *left, const void *right, void *context)
{
    const struct sort_key *key = context;
    uint64_t a = array_member(left, key->member, key->bytes);
    uint64_t b = array_member(right, key->member, key->bytes);
    return (a > b) - (a < b);
}

void array_sort(void *list, size_t count, size_t each, size_t member, size_t member_bytes)
{
    struct sort_key key = {member, member_bytes};
    if (count)
        qsort_r(list, count, each, sort_order, &key);
}

enum { ARENA_ALIGN = 16, ARENA_BLOCK_BYTES = 64 * 1024 };

struct arena_block {
    struct arena_block *next;
    size_t size;
    size_t used;
    max_align_t data[];
};

void arena_init(struct arena *arena)
{
    *arena = (struct arena){0};
}

void arena_fini(struct arena *arena)
{
    struct arena_block *block = arena->blocks;
    while (block) {
        struct arena_block *next = block->next;
        free(block);
        block = next;
    }
    *arena = (struct arena){0};
}

static struct arena_block *arena_grow(struct arena *arena, size_t size_bytes)
{
    size_t size = size_bytes > ARENA_BLOCK_BYTES ? size_bytes : ARENA_BLOCK_BYTES;
    if (size > SIZE_MAX - sizeof(struct arena_block))
        return NULL;
    struct arena_block *block = calloc(1, sizeof *block + size);
    if (!block)
        return NULL;
    block->size = size;
    block->next = arena->blocks;
    arena->blocks = block;
    return block;
}

void *arena_alloc(struct arena *arena, size_t size_bytes)
{
    if (size_bytes > SIZE_MAX - ARENA_ALIGN)
        return NULL;
    size_t size = (size_bytes + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1);
    struct arena_block *block = arena->blocks;
    if (!block || block->size - block->used < size)
        block = arena_grow(arena, size);
    if (!block)
        return NULL;
    void *memory = (char *)block->data + block->used;
    block->used += size;
    arena->used_bytes += size;
    return memory;
}

void *arena_array(struct arena *arena, size_t count, size_t size_bytes)
{
    if (size_bytes && count > SIZE_MAX / size_bytes)
        return NULL;
    return arena_alloc(arena, count * size_bytes);
}

char *arena_string(struct arena *arena, const char *string)
{
    if (!string)
        return NULL;
    size_t size = strlen(string) + 1;
    char *copy = arena_alloc(arena, size);
    return copy ? memcpy(copy, string, size) : NULL;
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = length < 0 ? NULL : arena_alloc(arena, (size_t)length + 1);
    if (!text)
        return NULL;
    va_start(arguments, format);
    vsnprintf(text, (size_t)length + 1, format, arguments);
    va_end(arguments);
    return text;
}
