/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The chosen index, as a candidate. */
#include "blocks_candidate.h"

#include <stddef.h>

static uint64_t before_bytes;

static void *radix_new(void)
{
    struct blocks *blocks;
    before_bytes = data_bytes();
    return blocks_new(&blocks, UINT64_C(8) << 30) ? NULL : blocks;
}

static void radix_free(void *index)
{
    blocks_free(index);
}

static int radix_add(void *index, const struct block *block)
{
    return blocks_add(index, block);
}

static bool radix_remove(void *index, uint64_t start, struct block *gone)
{
    return blocks_remove(index, start, gone);
}

static bool radix_find(const void *index, uint64_t address, struct block *found)
{
    return blocks_find(index, address, found);
}

static bool radix_next(const void *index, uint64_t address, struct block *found)
{
    return blocks_next(index, address, found);
}

static bool radix_previous(const void *index, uint64_t address, struct block *found)
{
    return blocks_previous(index, address, found);
}

static uint64_t radix_memory_bytes(const void *index)
{
    (void)index;
    return data_bytes() - before_bytes;
}

const struct candidate candidate_radix = {
    .name = "radix",
    .what = "pages of 2 KiB in a radix tree (chosen)",
    .new = radix_new,
    .free = radix_free,
    .add = radix_add,
    .remove = radix_remove,
    .find = radix_find,
    .next = radix_next,
    .previous = radix_previous,
    .memory_bytes = radix_memory_bytes,
};
