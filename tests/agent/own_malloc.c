/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program with its own malloc, which lacks aligned blocks and reallocarray. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Alignas(16) char arena[1 << 20];
static size_t used;

void *malloc(size_t size)
{
    size_t start = (used + 31) & ~(size_t)15;
    if (size > sizeof arena - start)
        return NULL;
    memcpy(arena + start - sizeof size, &size, sizeof size);
    used = start + size;
    return arena + start;
}

void free(void *block)
{
    (void)block;
}

void *calloc(size_t count, size_t size)
{
    return malloc(count * size); /* the arena is zeroed, and never reused */
}

void *realloc(void *old, size_t size)
{
    size_t old_size = 0;
    void *block = malloc(size);
    if (old)
        memcpy(&old_size, (char *)old - sizeof size, sizeof size);
    if (block)
        memcpy(block, old, old_size < size ? old_size : size);
    return block;
}

int main(void)
{
    char *volatile text = strdup("text");
    void *volatile block = realloc(malloc(100), 1000);
    return !text || (char *)block < arena || (char *)block >= arena + sizeof arena;
}
