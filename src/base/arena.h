/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Memory that is handed out in order and freed all at once. Used for values that
 * are built once and then only read (snapshots, tables of a parsed file).
 */
#ifndef MISSTOP_BASE_ARENA_H
#define MISSTOP_BASE_ARENA_H

#include <stddef.h>

struct arena_block;

struct arena {
    struct arena_block *blocks;
    size_t used_bytes; /* handed out so far */
};

void arena_init(struct arena *arena);
void arena_fini(struct arena *arena);

/* Zeroed memory, aligned for any type; NULL when there is none. 0 bytes is valid. */
void *arena_alloc(struct arena *arena, size_t size_bytes);

/* count * size with overflow checked. */
void *arena_array(struct arena *arena, size_t count, size_t size_bytes);

/* Copy of a string; NULL for NULL or when out of memory. */
char *arena_string(struct arena *arena, const char *string);
char *arena_printf(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
