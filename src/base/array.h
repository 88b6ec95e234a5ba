/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arrays that grow by doubling, with a bound; and arenas, which free all their memory at once. */
#ifndef MISSTOP_BASE_ARRAY_H
#define MISSTOP_BASE_ARRAY_H

#include <stddef.h>

/* For `most`, where the caller bounds what goes in. */
#define ARRAY_UNBOUNDED ((size_t)-1)

/*
 * Room for one element of `each` bytes after the `count` that are at `at` (NULL at first): the
 * array, perhaps moved, with *room elements of room. NULL: no memory, or it would be room for more
 * than `most` elements; the array and *room are then as they were.
 */
void *array_more(void *at, size_t *room, size_t count, size_t each, size_t most);

/*
 * The same for an array that is filled by index, in any order: room for element `index`, doubled
 * from `first` elements; new elements are zero. NULL: no memory; the array and *room are then as
 * they were.
 */
void *array_reach(void *at, size_t *room, size_t index, size_t each, size_t first);

/*
 * Memory that is handed out in order and freed all at once. Used for values that
 * are built once and then only read (snapshots, tables of a parsed file).
 */
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
