/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/blocks.h"

#include "resolve/packed.h"
#include "resolve/page.h"
#include "resolve/radix.h"
#include "resolve/slab.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

_Static_assert(BLOCKS_ADDRESS_END >> PAGE_SHIFT == UINT64_C(1) << RADIX_KEY_BITS,
               "radix too small");
_Static_assert(BLOCKS_ADDRESS_END == UINT64_C(1) << PACKED_SIZE_BITS, "sizes too small");
_Static_assert(BLOCKS_ALIGN_BYTES == 1 << PAGE_GRANULE_SHIFT, "one bit for each start");

struct blocks {
    struct slab slab;
    uint64_t count;
    uint64_t displaced;
    uint64_t refused;
    uint64_t epoch_ns; /* 0: no birth seen yet */
    blocks_gone *on_displaced;
    void *on_displaced_context;
    struct radix pages; /* last, for it is large */
};

/* Where a block is: valid until the next change. */
struct spot {
    uint64_t start;
    const struct packed *block;
};

static unsigned granule_of(uint64_t address)
{
    return address >> PAGE_GRANULE_SHIFT & (PAGE_GRANULES - 1);
}

int blocks_new(struct blocks **blocks, uint64_t bound_bytes)
{
    *blocks = NULL;
    struct blocks *made = calloc(1, sizeof *made);
    if (!made)
        return -ENOMEM;
    int result = slab_init(&made->slab, bound_bytes ? bound_bytes : BLOCKS_BOUND_DEFAULT_BYTES);
    if (result) {
        free(made);
        return result;
    }
    radix_init(&made->pages, &made->slab);
    *blocks = made;
    return 0;
}

void blocks_free(struct blocks *blocks)
{
    if (!blocks)
        return;
    slab_fini(&blocks->slab);
    free(blocks);
}

void blocks_on_displaced(struct blocks *blocks, blocks_gone *gone, void *context)
{
    blocks->on_displaced = gone;
    blocks->on_displaced_context = context;
}

static void spot_set(struct spot *spot, const struct page *page, uint64_t key, unsigned granule)
{
    spot->start = key << PAGE_SHIFT | (uint64_t)granule << PAGE_GRANULE_SHIFT;
    spot->block = &page->blocks[page_rank(page, granule)];
}

static bool spot_covers(const struct spot *spot, uint64_t address)
{
    return address - spot->start < packed_extent_bytes(spot->block);
}

/* The last block that starts at or before the address, which must be below the end. */
static bool floor_spot(const struct blocks *blocks, uint64_t address, struct spot *spot)
{
    uint64_t key = address >> PAGE_SHIFT;
    const uint32_t *ref = radix_slot(&blocks->pages, key);
    if (ref) {
        const struct page *page = page_at(&blocks->slab, *ref);
        page_prefetch(&blocks->slab, *ref);
        int granule = page_floor(page, granule_of(address));
        if (granule >= 0) {
            spot_set(spot, page, key, (unsigned)granule);
            return true;
        }
    }
    if (!key--)
        return false;
    if (!radix_previous(&blocks->pages, &key))
        return false;
    const struct page *page = page_at(&blocks->slab, *radix_slot(&blocks->pages, key));
    spot_set(spot, page, key, (unsigned)page_floor(page, PAGE_GRANULES - 1));
    return true;
}

/* The first block that starts at or after the address, which must be below the end. */
static bool ceiling_spot(const struct blocks *blocks, uint64_t address, struct spot *spot)
{
    uint64_t key = address >> PAGE_SHIFT;
    const uint32_t *ref = radix_slot(&blocks->pages, key);
    if (ref) {
        const struct page *page = page_at(&blocks->slab, *ref);
        unsigned granule = page_ceiling(page, granule_of(address));
        if (granule < PAGE_GRANULES) {
            spot_set(spot, page, key, granule);
            return true;
        }
    }
    if (++key >> RADIX_KEY_BITS || !radix_next(&blocks->pages, &key))
        return false;
    const struct page *page = page_at(&blocks->slab, *radix_slot(&blocks->pages, key));
    spot_set(spot, page, key, page_ceiling(page, 0));
    return true;
}

/* Removes what overlaps; the last block that starts before `end` is first to do so. */
static void displace(struct blocks *blocks, uint64_t start, uint64_t end)
{
    struct spot spot;
    while (floor_spot(blocks, end - 1, &spot) &&
           (spot.start >= start || spot_covers(&spot, start))) {
        struct block gone;
        blocks_remove(blocks, spot.start, &gone);
        blocks->displaced++;
        if (blocks->on_displaced)
            blocks->on_displaced(blocks->on_displaced_context, &gone);
    }
}

static bool possible(const struct block *block)
{
    return block->start && block->start % BLOCKS_ALIGN_BYTES == 0 &&
           block->start < BLOCKS_ADDRESS_END &&
           block->usable_bytes <= BLOCKS_ADDRESS_END - block->start && block->bin < BLOCKS_BINS_END;
}

static int insert(struct blocks *blocks, uint64_t start, const struct packed *packed)
{
    uint64_t key = start >> PAGE_SHIFT;
    uint32_t *ref = radix_slot(&blocks->pages, key);
    if (ref)
        return page_insert(&blocks->slab, ref, granule_of(start), packed);
    uint32_t made = 0;
    int result = page_insert(&blocks->slab, &made, granule_of(start), packed);
    if (result)
        return result;
    result = radix_insert(&blocks->pages, key, made);
    if (result)
        page_remove(&blocks->slab, &made, granule_of(start));
    return result;
}

int blocks_add(struct blocks *blocks, const struct block *block)
{
    if (!possible(block))
        return -EINVAL;
    displace(blocks, block->start, block->start + (block->usable_bytes ? block->usable_bytes : 1));
    if (!blocks->epoch_ns)
        blocks->epoch_ns = block->born_ns;
    struct packed packed = packed_from(block, blocks->epoch_ns);
    int result = insert(blocks, block->start, &packed);
    if (result)
        blocks->refused++;
    else
        blocks->count++;
    return result;
}

bool blocks_remove(struct blocks *blocks, uint64_t start, struct block *gone)
{
    if (start >= BLOCKS_ADDRESS_END || start % BLOCKS_ALIGN_BYTES)
        return false;
    uint64_t key = start >> PAGE_SHIFT;
    unsigned granule = granule_of(start);
    uint32_t *ref = radix_slot(&blocks->pages, key);
    if (!ref)
        return false;
    page_prefetch(&blocks->slab, *ref);
    const struct page *page = page_at(&blocks->slab, *ref);
    if (!page_has(page, granule))
        return false;
    if (gone)
        packed_to(&page->blocks[page_rank(page, granule)], start, blocks->epoch_ns, gone);
    uint32_t changed = *ref;
    page_remove(&blocks->slab, &changed, granule);
    if (changed)
        *ref = changed;
    else
        radix_remove(&blocks->pages, key);
    blocks->count--;
    return true;
}

void blocks_remove_range(struct blocks *blocks, uint64_t start, uint64_t end, blocks_gone *gone,
                         void *context)
{
    struct block last;
    while (blocks_previous(blocks, end, &last) && last.start >= start) {
        blocks_remove(blocks, last.start, NULL);
        if (gone)
            gone(context, &last);
    }
}

bool blocks_find(const struct blocks *blocks, uint64_t address, struct block *found)
{
    struct spot spot;
    if (address >= BLOCKS_ADDRESS_END || !floor_spot(blocks, address, &spot) ||
        !spot_covers(&spot, address))
        return false;
    packed_to(spot.block, spot.start, blocks->epoch_ns, found);
    return true;
}

bool blocks_next(const struct blocks *blocks, uint64_t address, struct block *found)
{
    struct spot spot;
    if (address > BLOCKS_ADDRESS_END - BLOCKS_ALIGN_BYTES)
        return false;
    uint64_t aligned = (address + BLOCKS_ALIGN_BYTES - 1) & ~(uint64_t)(BLOCKS_ALIGN_BYTES - 1);
    if (!ceiling_spot(blocks, aligned, &spot))
        return false;
    packed_to(spot.block, spot.start, blocks->epoch_ns, found);
    return true;
}

bool blocks_previous(const struct blocks *blocks, uint64_t address, struct block *found)
{
    struct spot spot;
    if (address > BLOCKS_ADDRESS_END)
        address = BLOCKS_ADDRESS_END;
    if (!address || !floor_spot(blocks, address - 1, &spot))
        return false;
    packed_to(spot.block, spot.start, blocks->epoch_ns, found);
    return true;
}

uint64_t blocks_count(const struct blocks *blocks)
{
    return blocks->count;
}

uint64_t blocks_memory_bytes(const struct blocks *blocks)
{
    return sizeof *blocks + blocks->slab.usable_bytes;
}

uint64_t blocks_bound(const struct blocks *blocks)
{
    return sizeof *blocks + blocks->slab.bound_bytes;
}

uint64_t blocks_displaced(const struct blocks *blocks)
{
    return blocks->displaced;
}

uint64_t blocks_refused(const struct blocks *blocks)
{
    return blocks->refused;
}
