/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef MISSTOP_BASE_ARRAY_H
#define MISSTOP_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Value of `most` if the caller already bounds the number of elements. */
#define ARRAY_UNBOUNDED ((size_t)-1)

/*
 * Makes room for one more element of `each` bytes after `count` elements; may move the array.
 * `list` is the address of the pointer to the array (NULL at first). Returns false, and changes
 * nothing, if memory runs out or the array already has `most` elements.
 */
bool array_reserve_next(void *list, size_t *room, size_t count, size_t each, size_t most);

/* Does the same for an array that is filled by index, in any order: makes room for element `index`,
 * doubling from `first` elements. New elements are zero. */
bool array_reserve_index(void *list, size_t *room, size_t index, size_t each, size_t first);

/* Makes room for exactly `wanted` elements. */
bool array_reserve_exact(void *list, size_t *room, size_t wanted, size_t each);

/* Returns `count` zeroed elements that do not cross cache lines; `each` is a power of two up to 64.
 * Unwritten pages take no memory. *memory is the pointer for free(). NULL: no memory. */
void *array_alloc_in_lines(void **memory, size_t count, size_t each);

/* Binary search in an array sorted by an unsigned member of 4 or 8 bytes. Returns the index of the
 * first element above a key, or at or above it. */
#define SORTED_UP_TO(list, count, member, key)                                                     \
    array_sorted((list), (count), sizeof *(list), offsetof(__typeof__(*(list)), member),           \
                 sizeof(list)->member, (key), 1)
#define SORTED_BELOW(list, count, member, key)                                                     \
    array_sorted((list), (count), sizeof *(list), offsetof(__typeof__(*(list)), member),           \
                 sizeof(list)->member, (key), 0)

/*
 * Sorts an array of structs, or of pointers to structs, by members that are double, bool or
 * unsigned, most significant key first: SORT(list, count, LARGEST(struct row, samples),
 * SMALLEST(struct row, id)); `list` may be NULL if `count` is 0.
 */
#define SORT(list, count, ...)          SORT_WITH(list, count, 0, __VA_ARGS__)
#define SORT_POINTERS(list, count, ...) SORT_WITH(list, count, 1, __VA_ARGS__)
#define SORT_WITH(list, count, pointers, ...)                                                      \
    array_sort((list), (count), sizeof *(list), (pointers),                                        \
               (const struct sort_key[]){__VA_ARGS__},                                             \
               sizeof((const struct sort_key[]){__VA_ARGS__}) / sizeof(struct sort_key))
#define SMALLEST(type, member) SORT_KEY(type, member, false)
#define LARGEST(type, member)  SORT_KEY(type, member, true)
#define SORT_KEY(type, member, largest)                                                            \
    {                                                                                              \
        offsetof(type, member), sizeof((type *)0)->member,                                         \
            __builtin_types_compatible_p(__typeof__(((type *)0)->member), double), largest         \
    }
#define SORT_BY(list, count, member) SORT(list, count, SMALLEST(__typeof__(*(list)), member))

/* Inserts an element, after equal ones; a full list of `most` elements drops its last one. */
#define KEEP(list, count, most, element, ...)                                                      \
    array_keep((list), (count), (most), sizeof *(list), (element),                                 \
               (const struct sort_key[]){__VA_ARGS__},                                             \
               sizeof((const struct sort_key[]){__VA_ARGS__}) / sizeof(struct sort_key))

struct sort_key {
    size_t member;
    size_t bytes;
    bool is_double;
    bool largest; /* largest value first */
};

void array_sort(void *list, size_t count, size_t each, bool pointers, const struct sort_key *keys,
                size_t key_count);

void array_keep(void *list, size_t *count, size_t most, size_t each, const void *element,
                const struct sort_key *keys, size_t key_count);

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

/* An arena hands out memory in order and frees it all at once. Used for values that are built once
 * and then only read (snapshots, tables of a parsed file). */
struct arena_block;

struct arena {
    struct arena_block *blocks;
    size_t used_bytes; /* handed out so far */
};

void arena_init(struct arena *arena);
void arena_fini(struct arena *arena);

/* Returns zeroed memory, aligned for any type, or NULL if out of memory. A size of 0 is valid. */
void *arena_alloc(struct arena *arena, size_t size_bytes);

/* Returns arena_alloc(count * size), with a check for overflow. */
void *arena_array(struct arena *arena, size_t count, size_t size_bytes);

/* Copies a string. Returns NULL for NULL or if out of memory. */
char *arena_string(struct arena *arena, const char *string);
char *arena_printf(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
