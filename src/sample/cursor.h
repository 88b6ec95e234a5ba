/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The unread part of untrusted bytes. Reading past the end marks the cursor bad and returns zeros,
 * so a reader checks only once, at the end. Either byte order. May be copied to look ahead. */
#ifndef MISSTOP_SAMPLE_CURSOR_H
#define MISSTOP_SAMPLE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct cursor {
    const unsigned char *at;
    size_t left;
    bool bad;
    bool swap; /* written on a machine of the other byte order */
};

static inline void cursor_skip(struct cursor *cursor, uint64_t size_bytes)
{
    if (size_bytes > cursor->left) {
        cursor->bad = true;
        size_bytes = cursor->left;
    }
    cursor->at += size_bytes;
    cursor->left -= size_bytes;
}

/* Skips `count` items of `each` bytes (not 0); checks that they fit before it multiplies. */
static inline void cursor_skip_items(struct cursor *cursor, uint64_t count, size_t each)
{
    if (count > cursor->left / each)
        cursor->bad = true;
    else
        cursor_skip(cursor, count * each);
}

/* Reads 2, 4 or 8 bytes; after inlining, each of the three functions below is one load. */
static inline uint64_t cursor_number(struct cursor *cursor, size_t size_bytes)
{
    uint64_t value = 0;
    if (cursor->left < size_bytes) {
        cursor_skip(cursor, size_bytes);
        return 0;
    }
    memcpy(&value, cursor->at, size_bytes);
    cursor->at += size_bytes;
    cursor->left -= size_bytes;
    return cursor->swap ? __builtin_bswap64(value) >> (64 - 8 * size_bytes) : value;
}

static inline uint64_t cursor_u64(struct cursor *cursor)
{
    return cursor_number(cursor, sizeof(uint64_t));
}

static inline uint32_t cursor_u32(struct cursor *cursor)
{
    return (uint32_t)cursor_number(cursor, sizeof(uint32_t));
}

static inline uint16_t cursor_u16(struct cursor *cursor)
{
    return (uint16_t)cursor_number(cursor, sizeof(uint16_t));
}

#endif
