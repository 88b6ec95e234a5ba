/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From the number of a page (page.h) to a 32-bit value that is not 0, in the order of
 * numbers: three levels of tables, each with a bit per entry in use, so that the nearest
 * page before or after is a scan of at most a few cache lines, however far away it is.
 * Part of the block index (blocks.h); only blocks.c calls it.
 *
 * Four bytes a page in its lowest level: the tables of a heap of 1 GiB are 2 MiB and stay
 * in the cache where a hash of the pages would not. A table that falls empty is released.
 */
#ifndef MISSTOP_RESOLVE_RADIX_H
#define MISSTOP_RESOLVE_RADIX_H

#include "resolve/slab.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    RADIX_LEAF_BITS = 10,
    RADIX_MIDDLE_BITS = 12,
    RADIX_TOP_BITS = 14,
    RADIX_KEY_BITS = RADIX_LEAF_BITS + RADIX_MIDDLE_BITS + RADIX_TOP_BITS,
};

struct radix_leaf {
    uint64_t used[(1 << RADIX_LEAF_BITS) / 64];
    uint32_t value[1 << RADIX_LEAF_BITS];
};

struct radix_middle {
    uint64_t used[(1 << RADIX_MIDDLE_BITS) / 64];
    uint32_t leaf[1 << RADIX_MIDDLE_BITS]; /* line numbers; 0: none */
};

struct radix {
    struct slab *slab;
    uint64_t used[(1 << RADIX_TOP_BITS) / 64];
    uint32_t middle[1 << RADIX_TOP_BITS];
};

void radix_init(struct radix *radix, struct slab *slab);

/* The place of a key's value, for a change of it that is not to 0; NULL: none. */
static inline uint32_t *radix_slot(const struct radix *radix, uint64_t key)
{
    uint32_t line = radix->middle[key >> (RADIX_LEAF_BITS + RADIX_MIDDLE_BITS)];
    if (!line)
        return NULL;
    const struct radix_middle *middle = slab_at(radix->slab, line);
    line = middle->leaf[key >> RADIX_LEAF_BITS & ((1 << RADIX_MIDDLE_BITS) - 1)];
    if (!line)
        return NULL;
    struct radix_leaf *leaf = slab_at(radix->slab, line);
    uint32_t *value = &leaf->value[key & ((1 << RADIX_LEAF_BITS) - 1)];
    return *value ? value : NULL;
}

/* `key` below 2^RADIX_KEY_BITS and absent; value not 0. -ENOMEM: the bound is reached. */
int radix_insert(struct radix *radix, uint64_t key, uint32_t value);

/* The key must be there. */
void radix_remove(struct radix *radix, uint64_t key);

/* The smallest key >= *key, or the largest key <= *key, into *key; false: none. */
bool radix_next(const struct radix *radix, uint64_t *key);
bool radix_previous(const struct radix *radix, uint64_t *key);

#endif
