/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/walk.h"

#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>

enum { SMALL_MAX = 1032, SMALL_MIN = 24, STEP = 16 }; /* usable bytes; 1032: tcache's last */

/* Quarters of a power of two, upwards from 1 KiB. */
static uint64_t quarter(uint64_t bytes)
{
    unsigned log = 63 - (unsigned)__builtin_clzll(bytes - 1);
    uint64_t step = (uint64_t)1 << (log - 2);
    return (bytes + step - 1) & ~(step - 1);
}

uint64_t walk_size_class(uint64_t usable_bytes)
{
    if (usable_bytes <= SMALL_MIN)
        return SMALL_MIN;
    if (usable_bytes <= SMALL_MAX)
        return (usable_bytes - SMALL_MIN + STEP - 1) / STEP * STEP + SMALL_MIN;
    return usable_bytes > (uint64_t)1 << 62 ? UINT64_MAX : quarter(usable_bytes);
}

/* The smallest size of the class that ends there. */
static uint64_t class_start(uint64_t size_class)
{
    if (size_class <= SMALL_MIN)
        return 1;
    if (size_class <= SMALL_MAX)
        return size_class - STEP + 1;
    unsigned log = 63 - (unsigned)__builtin_clzll(size_class - 1);
    uint64_t start = size_class - ((uint64_t)1 << (log - 2)) + 1;
    return start <= SMALL_MAX ? SMALL_MAX + 1 : start;
}

const char *walk_class_name(char out[32], uint64_t size_class)
{
    char from[16], to[16];
    uint64_t start = class_start(size_class);
    if (size_class <= SMALL_MAX)
        snprintf(out, 32, "malloc(%" PRIu64 "..%" PRIu64 ")", start, size_class);
    else
        snprintf(out, 32, "malloc(%s..%s)", text_bytes(from, start), text_bytes(to, size_class));
    return out;
}
