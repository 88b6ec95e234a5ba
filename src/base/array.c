/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/array.h"

#include <assert.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM_FIRST = 32 };

bool array_reserve_exact(void *list, size_t *room, size_t wanted, size_t each)
{
    void *at;
    if (wanted <= *room)
        return true;
    if (wanted > SIZE_MAX / each)
        return false;
    memcpy(&at, list, sizeof at);
    at = realloc(at, wanted * each);
    if (!at)
        return false;
    memcpy(list, &at, sizeof at);
    *room = wanted;
    return true;
}

bool array_reserve_next(void *list, size_t *room, size_t count, size_t each, size_t most)
{
    size_t wanted = *room ? *room * 2 : ROOM_FIRST;
    if (count < *room)
        return true;
    if (wanted > most)
        wanted = most;
    return wanted > count && array_reserve_exact(list, room, wanted, each);
}

bool array_reserve_index(void *list, size_t *room, size_t index, size_t each, size_t first)
{
    size_t before = *room;
    size_t wanted = before ? before : first;
    char *at;
    if (index < before)
        return true;
    while (wanted <= index && wanted <= SIZE_MAX / 2)
        wanted *= 2;
    if (wanted <= index || !array_reserve_exact(list, room, wanted, each))
        return false;
    memcpy(&at, list, sizeof at);
    memset(at + before * each, 0, (wanted - before) * each);
    return true;
}

void *array_alloc_in_lines(void **memory, size_t count, size_t each)
{
    enum { LINE_BYTES = 64 };
    char *at = *memory = calloc(count + LINE_BYTES / each, each);
    return at ? at + (LINE_BYTES - (uintptr_t)at % LINE_BYTES) % LINE_BYTES : NULL;
}

struct sort {
    const struct sort_key *keys;
    size_t count;
    bool pointers;
};

static uint64_t sort_number(const struct sort_key *key, const void *element)
{
    return key->bytes == 1 ? *((const uint8_t *)element + key->member)
                           : array_member(element, key->member, key->bytes);
}

static double sort_double(const struct sort_key *key, const void *element)
{
    return *(const double *)(const void *)((const char *)element + key->member);
}

static int compare_by_keys(const void *left, const void *right, void *context)
{
    const struct sort *sort = context;
    const void *a = sort->pointers ? *(const void *const *)left : left;
    const void *b = sort->pointers ? *(const void *const *)right : right;
    const struct sort_key *end = sort->keys + sort->count;
    for (const struct sort_key *key = sort->keys; key < end; key++) {
        bool less = key->is_double ? sort_double(key, a) < sort_double(key, b)
                                   : sort_number(key, a) < sort_number(key, b);
        bool more = key->is_double ? sort_double(key, a) > sort_double(key, b)
                                   : sort_number(key, a) > sort_number(key, b);
        if (less || more)
            return less == key->largest ? 1 : -1;
    }
    return 0;
}

void array_sort(void *list, size_t count, size_t each, bool pointers, const struct sort_key *keys,
                size_t key_count)
{
    struct sort sort = {keys, key_count, pointers};
    for (size_t i = 0; i < key_count; i++)
        assert(keys[i].bytes == 1 || keys[i].bytes == 4 || keys[i].bytes == 8);
    if (count)
        qsort_r(list, count, each, compare_by_keys, &sort);
}

void array_keep(void *list, size_t *count, size_t most, size_t each, const void *element,
                const struct sort_key *keys, size_t key_count)
{
    struct sort sort = {keys, key_count, false};
    char *at = list;
    size_t place = *count;
    while (place > 0 && compare_by_keys(element, at + (place - 1) * each, &sort) < 0)
        place--;
    if (place == most)
        return;
    *count += *count < most;
    memmove(at + (place + 1) * each, at + place * each, (*count - 1 - place) * each);
    memcpy(at + place * each, element, each);
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
