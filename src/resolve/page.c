/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/page.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

_Static_assert(sizeof(struct page) + sizeof(struct packed) <= SLAB_LINE_BYTES, "class 0 holds one");

static unsigned page_class(uint32_t ref)
{
    return ref & ((1 << SLAB_CLASS_BITS) - 1);
}

static unsigned page_capacity(unsigned class)
{
    return (slab_class_lines[class] * SLAB_LINE_BYTES - (unsigned)sizeof(struct page)) /
           (unsigned)sizeof(struct packed);
}

static unsigned page_count(const struct page *page)
{
    return page->before[PAGE_WORDS - 1] + page_bits(page->starts[PAGE_WORDS - 1]);
}

int page_floor(const struct page *page, unsigned granule)
{
    int word = (int)(granule / 64);
    uint64_t rest = page->starts[word] & UINT64_MAX >> (63 - granule % 64);
    while (!rest && --word >= 0)
        rest = page->starts[word];
    return rest ? word * 64 + 63 - __builtin_clzll(rest) : -1;
}

unsigned page_ceiling(const struct page *page, unsigned granule)
{
    unsigned word = granule / 64;
    uint64_t rest = page->starts[word] & UINT64_MAX << granule % 64;
    while (!rest && ++word < PAGE_WORDS)
        rest = page->starts[word];
    return rest ? word * 64 + (unsigned)__builtin_ctzll(rest) : PAGE_GRANULES;
}

/* Moves the page into another class, which must hold its blocks. */
static int page_move(struct slab *slab, uint32_t *ref, unsigned class)
{
    uint32_t line = slab_alloc(slab, class);
    if (!line)
        return -ENOMEM;
    const struct page *old = page_at(slab, *ref);
    size_t bytes = sizeof *old + page_count(old) * sizeof old->blocks[0];
    memcpy(slab_at(slab, line), old, bytes);
    slab_release(slab, *ref >> SLAB_CLASS_BITS, page_class(*ref));
    *ref = line << SLAB_CLASS_BITS | class;
    return 0;
}

/* Room for one block more. */
static int page_grow(struct slab *slab, uint32_t *ref)
{
    if (*ref) {
        unsigned class = page_class(*ref);
        bool full = page_count(page_at(slab, *ref)) == page_capacity(class);
        return full ? page_move(slab, ref, class + 1) : 0;
    }
    uint32_t line = slab_alloc(slab, 0);
    if (!line)
        return -ENOMEM;
    memset(slab_at(slab, line), 0, sizeof(struct page));
    *ref = line << SLAB_CLASS_BITS;
    return 0;
}

int page_insert(struct slab *slab, uint32_t *ref, unsigned granule, const struct packed *block)
{
    if (page_grow(slab, ref))
        return -ENOMEM;
    struct page *page = page_at(slab, *ref);
    assert(!page_has(page, granule));
    unsigned rank = page_rank(page, granule);
    memmove(&page->blocks[rank + 1], &page->blocks[rank],
            (page_count(page) - rank) * sizeof page->blocks[0]);
    page->blocks[rank] = *block;
    page->starts[granule / 64] |= UINT64_C(1) << granule % 64;
    for (unsigned word = granule / 64 + 1; word < PAGE_WORDS; word++)
        page->before[word]++;
    return 0;
}

/* Halves empty ones; keeps a quarter free, lest the next block move the page again. */
static void page_shrink(struct slab *slab, uint32_t *ref, unsigned count)
{
    unsigned class = page_class(*ref);
    if (count * 2 > page_capacity(class))
        return;
    unsigned smaller = 0;
    while (page_capacity(smaller) < count + count / 4)
        smaller++;
    if (smaller < class)
        page_move(slab, ref, smaller); /* no memory for it: it stays as it is */
}

void page_remove(struct slab *slab, uint32_t *ref, unsigned granule)
{
    struct page *page = page_at(slab, *ref);
    assert(page_has(page, granule));
    unsigned rank = page_rank(page, granule);
    unsigned count = page_count(page) - 1;
    memmove(&page->blocks[rank], &page->blocks[rank + 1], (count - rank) * sizeof page->blocks[0]);
    page->starts[granule / 64] &= ~(UINT64_C(1) << granule % 64);
    for (unsigned word = granule / 64 + 1; word < PAGE_WORDS; word++)
        page->before[word]--;
    if (count) {
        page_shrink(slab, ref, count);
        return;
    }
    slab_release(slab, *ref >> SLAB_CLASS_BITS, page_class(*ref));
    *ref = 0;
}
