/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arrays that grow by doubling, with a bound; sorting and binary search by a member; and arenas,
 * which free all their memory at once. */
#ifndef MISSTOP_BASE_ARRAY_H
#define MISSTOP_BASE_ARRAY_H

#include <stddef.h>
#include <stdint.h>

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
 * `count` elements that are zero, of a power of two of bytes up to 64, none of them in two cache
 * lines; pages that nothing is written to take no memory. *memory is what free() takes.
 * NULL: no memory.
 */
void *array_lines(void **memory, size_t count, size_t each);

/*
 * Binary search in an array sorted by an unsigned member of 4 or 8 bytes: the number of elements up
 * to a key (index of the first one above it), or below a key (index of the first one at or above).
 */
#define SORTED_UP_TO(list, count, member, key)                                                     \
    array_sorted((list), (count), sizeof *(list), offsetof(__typeof__(*(list)), member),           \
                 sizeof(list)->member, (key), 1)
#define SORTED_BELOW(list, count, member, key)                                                     \
    array_sorted((list), (count), sizeof *(list), offsetof(__typeof__(*(list)), member),           \
                 sizeof(list)->member, (key), 0)

/* Sorts by such a member, ascending; `list` may be NULL where `count` is 0. */
#define SORT_BY(list, count, member)                                                               \
    array_sort((list), (count), sizeof *(list), offsetof(__typeof__(*(list)), member),             \
               sizeof(list)->member)

void array_sort(void *list, size_t count, size_t each, size_t member, size_t member_bytes);

static inline uint64_t array_member(const void *element, size_t member, size_t member_bytes)
{
    const void *at = (const char *)element + member;
    return member_bytes == 4 ? *(const uint32_t *)at : *(const uint64_t *)at;
}

static inline size_t array_sorted(const void *list, size_t count, size_t each, size_t member,
                                  size_t member_bytes, uint64_t key, int equal)
{
    size_t low = 0;
    for (size_t high = count; low < high;) {
        size_t middle = low + (high - low) / 2;
        uint64_t value = array_member((const char *)list + middle * each, member, member_bytes);
        if (value < key || (equal && value == key))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

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
