/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The heap blocks that start in one page, here 2 KiB of address space: a bit for each 8
 * bytes at which one may start, and the blocks' payloads in address order, as many as there
 * are bits. Part of the block index (blocks.h); only blocks.c calls it.
 *
 * A page is named by a 32-bit reference, line number and size class (slab.h). 0: no page.
 */
#ifndef MISSTOP_RESOLVE_PAGE_H
#define MISSTOP_RESOLVE_PAGE_H

#include "resolve/packed.h"
#include "resolve/slab.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PAGE_SHIFT = 11,
    PAGE_GRANULE_SHIFT = 3,
    PAGE_GRANULES = 1 << (PAGE_SHIFT - PAGE_GRANULE_SHIFT),
    PAGE_WORDS = PAGE_GRANULES / 64,
    PAGE_PREFETCH_LINES = 3,
};

struct page {
    uint64_t starts[PAGE_WORDS];
    uint16_t before[PAGE_WORDS]; /* bits set in the words before this one */
    _Alignas(16) struct packed blocks[];
};

static inline struct page *page_at(const struct slab *slab, uint32_t ref)
{
    return slab_at(slab, ref >> SLAB_CLASS_BITS);
}

/* Fetches the lines after the first, lest the first is waited for before it says which. */
static inline void page_prefetch(const struct slab *slab, uint32_t ref)
{
    const char *line = slab_at(slab, ref >> SLAB_CLASS_BITS);
    unsigned class = ref & ((1 << SLAB_CLASS_BITS) - 1); /* small ones: lines less one */
    for (unsigned i = 1; i <= class && i <= PAGE_PREFETCH_LINES; i++)
        __builtin_prefetch(line + (size_t)i * SLAB_LINE_BYTES);
}

static inline unsigned page_bits(uint64_t word)
{
    /* Pairs, nibbles, bytes, all: the baseline x86-64 has no popcnt. */
    word -= word >> 1 & 0x5555555555555555u;
    word = (word & 0x3333333333333333u) + (word >> 2 & 0x3333333333333333u);
    word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (unsigned)(word * 0x0101010101010101u >> 56);
}

/* Blocks that start before the granule: the index of its own block, if it has one. */
static inline unsigned page_rank(const struct page *page, unsigned granule)
{
    uint64_t below = page->starts[granule / 64] & ~(UINT64_MAX << granule % 64);
    return page->before[granule / 64] + page_bits(below);
}

static inline bool page_has(const struct page *page, unsigned granule)
{
    return page->starts[granule / 64] >> granule % 64 & 1;
}

/* The last start at or before the granule (-1: none), the first at or after (PAGE_GRANULES). */
int page_floor(const struct page *page, unsigned granule);
unsigned page_ceiling(const struct page *page, unsigned granule);

/* The granule must be free. The page may move, and *ref changes. -ENOMEM: nothing changed. */
int page_insert(struct slab *slab, uint32_t *ref, unsigned granule, const struct packed *block);

/* The granule must be taken. *ref becomes 0 when no block is left. */
void page_remove(struct slab *slab, uint32_t *ref, unsigned granule);

#endif
