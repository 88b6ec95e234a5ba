/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Shared by the losing candidates: the functions of blocks_candidate.h, based on four functions
 * that the including file defines first, on its `struct index`:
 *
 *   int index_insert(struct index *, uint64_t start, const struct packed *);  start is absent
 *   bool index_remove(struct index *, uint64_t start, struct packed *gone);
 *   const struct packed *index_floor(const struct index *, uint64_t address, uint64_t *start);
 *   const struct packed *index_ceiling(const struct index *, uint64_t address, uint64_t *start);
 */
#ifndef MISSTOP_TESTS_BLOCKS_GENERIC_H
#define MISSTOP_TESTS_BLOCKS_GENERIC_H

#include "blocks_candidate.h"

#include "resolve/heap/blocks.h"

#include <errno.h>
#include <stddef.h>

static int generic_add(void *index, const struct block *block)
{
    uint64_t start = block->start;
    uint64_t at;
    if (!start || start % BLOCKS_ALIGN_BYTES || start >= BLOCKS_ADDRESS_END ||
        block->usable_bytes > BLOCKS_ADDRESS_END - start)
        return -EINVAL;
    struct packed packed = packed_from(block, 0);
    struct packed gone;
    const struct packed *last;
    while ((last = index_floor(index, start + packed_extent_bytes(&packed) - 1, &at)) &&
           (at >= start || start - at < packed_extent_bytes(last)))
        index_remove(index, at, &gone);
    return index_insert(index, start, &packed);
}

static bool generic_remove(void *index, uint64_t start, struct block *gone)
{
    struct packed packed;
    if (!index_remove(index, start, &packed))
        return false;
    if (gone)
        packed_to(&packed, start, 0, gone);
    return true;
}

static bool generic_out(const struct packed *packed, uint64_t start, struct block *found)
{
    if (packed)
        packed_to(packed, start, 0, found);
    return packed;
}

static bool generic_find(const void *index, uint64_t address, struct block *found)
{
    uint64_t start;
    const struct packed *packed = index_floor(index, address, &start);
    return packed && address - start < packed_extent_bytes(packed) &&
           generic_out(packed, start, found);
}

static bool generic_next(const void *index, uint64_t address, struct block *found)
{
    uint64_t start;
    const struct packed *packed = index_ceiling(index, address, &start);
    return generic_out(packed, start, found);
}

static bool generic_previous(const void *index, uint64_t address, struct block *found)
{
    uint64_t start;
    const struct packed *packed = address ? index_floor(index, address - 1, &start) : NULL;
    return packed && generic_out(packed, start, found);
}

#endif
