/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/heap/blocks.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

/*
 * An allocator of whole cache lines, addressed by 32-bit line numbers, with a hard bound.
 *
 * The whole address range is reserved at the start and made usable step by step. Memory therefore
 * never moves, and a line number converts to an address by one addition. Freed lines are kept for
 * allocations of the same size, and split for smaller ones once the bound is reached; adjacent free
 * lines are not merged. Nothing is returned to the system.
 */
enum {
    SLAB_LINE_BYTES = 64,
    SLAB_CLASSES = 21,
    SLAB_CLASS_LEAF = 19,   /* a leaf of blocks.c, or the largest page */
    SLAB_CLASS_MIDDLE = 20, /* a middle table of blocks.c */
    SLAB_CLASS_BITS = 5,
    SLAB_LINE_BITS = 32 - SLAB_CLASS_BITS, /* a line number and a class fit into 32 bits */
};

/* Maximum size of a slab: 8 GiB. */
#define SLAB_BOUND_MAX_BYTES (UINT64_C(1) << SLAB_LINE_BITS << 6)

struct slab {
    unsigned char *base;
    unsigned char *reserved; /* as returned by mmap(); base is aligned within it */
    uint64_t reserved_bytes;
    uint64_t bound_bytes;
    uint64_t usable_bytes;             /* usable part of base, so far */
    uint64_t next_line;                /* first line never allocated before */
    uint32_t free_lines[SLAB_CLASSES]; /* heads of lists linked through the lines; 0: empty */
};

/* Lines per class, ascending; the classes up to SLAB_CLASS_LEAF are the sizes of a page. */
static const uint16_t slab_class_lines[SLAB_CLASSES] = {1,  2,  3,  4,  5,  6,  7,  8,  10, 12, 14,
                                                        16, 20, 24, 28, 32, 40, 48, 56, 66, 264};

static inline void *slab_at(const struct slab *slab, uint32_t line)
{
    return slab->base + (uint64_t)line * SLAB_LINE_BYTES;
}

/*
 * The heap blocks that start in one page of 2 KiB of address space: a bit for each 8 bytes at which
 * a block may start, and the payloads of the blocks in address order, one per bit set.
 *
 * The place of a freed block is kept for the next one at that address: a program that allocates and
 * frees without pause moves nothing. A page keeps few such places, and goes with its last block.
 *
 * A page has a 32-bit reference: line number and size class. 0: no page.
 */
enum {
    PAGE_SHIFT = 11,
    PAGE_GRANULE_SHIFT = 3,
    PAGE_GRANULES = 1 << (PAGE_SHIFT - PAGE_GRANULE_SHIFT),
    PAGE_WORDS = PAGE_GRANULES / 64,
    PAGE_PREFETCH_LINES = 3,
    PAGE_DEAD_MAX = 16,
};

struct page {
    uint64_t starts[PAGE_WORDS];
    uint16_t before[PAGE_WORDS]; /* bits set in the words before this one */
    uint16_t dead_count;
    _Alignas(16) struct packed blocks[];
};

static inline struct page *page_at(const struct slab *slab, uint32_t ref)
{
    return slab_at(slab, ref >> SLAB_CLASS_BITS);
}

/* Prefetches all lines of the page together; otherwise the first line would have to arrive before
 * it is known which others to read. */
static inline void page_prefetch(const struct slab *slab, uint32_t ref)
{
    const char *line = slab_at(slab, ref >> SLAB_CLASS_BITS);
    unsigned class = ref & ((1 << SLAB_CLASS_BITS) - 1); /* small: lines minus 1 */
    for (unsigned i = 1; i <= class && i <= PAGE_PREFETCH_LINES; i++)
        __builtin_prefetch(line + (size_t)i * SLAB_LINE_BYTES);
}

static inline unsigned page_bits(uint64_t word)
{
    /* Sums pairs, nibbles, bytes, then all: the baseline x86-64 has no popcnt. */
    word -= word >> 1 & 0x5555555555555555u;
    word = (word & 0x3333333333333333u) + (word >> 2 & 0x3333333333333333u);
    word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (unsigned)(word * 0x0101010101010101u >> 56);
}

/* Returns the number of blocks that start before the granule: the index of its own block. */
static inline unsigned page_rank(const struct page *page, unsigned granule)
{
    uint64_t below = page->starts[granule / 64] & ~(UINT64_MAX << granule % 64);
    return page->before[granule / 64] + page_bits(below);
}

static inline bool page_has(const struct page *page, unsigned granule)
{
    return page->starts[granule / 64] >> granule % 64 & 1;
}

static inline bool page_is_dead(const struct page *page, unsigned granule)
{
    return page->dead_count && page->blocks[page_rank(page, granule)].born & PACKED_DEAD;
}

/*
 * Ordered map from page numbers to 32-bit values other than 0. Three levels of tables have a bit
 * per entry in use, so finding the nearest page before or after scans a few cache lines at most,
 * whatever the distance. Part of the block index (blocks.h); only blocks.c uses it.
 *
 * The lowest level has four bytes per page: the tables of a heap of 1 GiB take 2 MiB and stay in
 * the cache, unlike a hash table of the pages. A table that becomes empty is released.
 */
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

/* Returns the slot of a key's value; NULL: there is no table for it. */
static inline uint32_t *radix_place(const struct radix *radix, uint64_t key)
{
    uint32_t line = radix->middle[key >> (RADIX_LEAF_BITS + RADIX_MIDDLE_BITS)];
    if (!line)
        return NULL;
    const struct radix_middle *middle = slab_at(radix->slab, line);
    line = middle->leaf[key >> RADIX_LEAF_BITS & ((1 << RADIX_MIDDLE_BITS) - 1)];
    if (!line)
        return NULL;
    struct radix_leaf *leaf = slab_at(radix->slab, line);
    return &leaf->value[key & ((1 << RADIX_LEAF_BITS) - 1)];
}

/* Returns the slot of a key's value, which may be set to any except 0; NULL: no value. */
static inline uint32_t *radix_slot(const struct radix *radix, uint64_t key)
{
    uint32_t *value = radix_place(radix, key);
    return value && *value ? value : NULL;
}

static void slab_release(struct slab *slab, uint32_t line, unsigned class)
{
    assert(line && class < SLAB_CLASSES);
    memcpy(slab_at(slab, line), &slab->free_lines[class], sizeof line);
    slab->free_lines[class] = line;
}

/* A huge page of x86-64: with one TLB entry per huge page a lookup has one miss, not two. */
#define SLAB_STEP_BYTES (UINT64_C(2) << 20)

/* RLIMIT_AS also counts reserved memory; the rest of misstop needs room too. */
static uint64_t limit_to_address_space(uint64_t bound_bytes)
{
    enum { PARTS = 16 };
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur == RLIM_INFINITY ||
        bound_bytes <= limit.rlim_cur / PARTS)
        return bound_bytes;
    return limit.rlim_cur / PARTS;
}

/* Clamps the bound to 2 MiB .. SLAB_BOUND_MAX_BYTES and rounds it to whole 2 MiB. -ENOMEM. */
static int slab_init(struct slab *slab, uint64_t bound_bytes)
{
    *slab = (struct slab){.next_line = 1}; /* line 0 means none */
    bound_bytes = limit_to_address_space(bound_bytes);
    if (bound_bytes < SLAB_STEP_BYTES)
        bound_bytes = SLAB_STEP_BYTES;
    if (bound_bytes > SLAB_BOUND_MAX_BYTES)
        bound_bytes = SLAB_BOUND_MAX_BYTES;
    slab->bound_bytes = bound_bytes / SLAB_STEP_BYTES * SLAB_STEP_BYTES;
    slab->reserved_bytes = slab->bound_bytes + SLAB_STEP_BYTES;
    /* PROT_NONE memory is not charged, whatever the system's overcommit policy. */
    slab->reserved = mmap(NULL, slab->reserved_bytes, PROT_NONE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (slab->reserved == MAP_FAILED) {
        slab->reserved = NULL;
        return -ENOMEM;
    }
    uint64_t past = (uintptr_t)slab->reserved % SLAB_STEP_BYTES;
    slab->base = slab->reserved + (past ? SLAB_STEP_BYTES - past : 0);
    madvise(slab->base, slab->bound_bytes, MADV_HUGEPAGE); /* optional */
    return 0;
}

static void slab_fini(struct slab *slab)
{
    if (slab->reserved)
        munmap(slab->reserved, slab->reserved_bytes);
    *slab = (struct slab){0};
}

static int slab_extend(struct slab *slab)
{
    if (slab->usable_bytes >= slab->bound_bytes)
        return -ENOMEM;
    if (mprotect(slab->base + slab->usable_bytes, SLAB_STEP_BYTES, PROT_READ | PROT_WRITE))
        return -ENOMEM;
    slab->usable_bytes += SLAB_STEP_BYTES;
    return 0;
}

static uint32_t slab_pop(struct slab *slab, unsigned class)
{
    uint32_t line = slab->free_lines[class];
    if (line)
        memcpy(&slab->free_lines[class], slab_at(slab, line), sizeof line);
    return line;
}

/* Takes a free piece of the next larger class; returns its remainder to smaller classes. */
static uint32_t slab_split(struct slab *slab, unsigned class)
{
    uint32_t line = 0;
    unsigned from = class;
    while (!line && ++from < SLAB_CLASSES)
        line = slab_pop(slab, from);
    if (!line)
        return 0;
    uint32_t rest = line + slab_class_lines[class];
    uint32_t end = line + slab_class_lines[from];
    for (unsigned piece = SLAB_CLASSES; piece-- > 0;)
        for (; end - rest >= slab_class_lines[piece]; rest += slab_class_lines[piece])
            slab_release(slab, rest, piece);
    return line;
}

/* Returns the number of the first line; contents are undefined. 0: the bound is reached. */
static uint32_t slab_alloc(struct slab *slab, unsigned class)
{
    assert(class < SLAB_CLASSES);
    uint32_t line = slab_pop(slab, class);
    if (line)
        return line;
    uint64_t end_line = slab->next_line + slab_class_lines[class];
    while (end_line * SLAB_LINE_BYTES > slab->usable_bytes)
        if (slab_extend(slab))
            return slab_split(slab, class);
    line = (uint32_t)slab->next_line;
    slab->next_line = end_line;
    return line;
}

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

/* Returns the first set bit at or after `from`; `bits` (a multiple of 64) if there is none. */
static unsigned bits_next(const uint64_t *words, unsigned bits, unsigned from)
{
    if (from >= bits)
        return bits;
    unsigned word = from / 64;
    uint64_t rest = words[word] >> from % 64 << from % 64;
    while (!rest && ++word < bits / 64)
        rest = words[word];
    return rest ? word * 64 + (unsigned)__builtin_ctzll(rest) : bits;
}

/* Returns the last set bit before `before`; -1 if there is none. */
static int bits_previous(const uint64_t *words, unsigned before)
{
    unsigned word = before / 64;
    uint64_t rest = before % 64 ? words[word] << (64 - before % 64) >> (64 - before % 64) : 0;
    while (!rest && word > 0)
        rest = words[--word];
    return rest ? (int)(word * 64 + 63 - (unsigned)__builtin_clzll(rest)) : -1;
}

/* page_floor() returns the last block at or before the granule (-1: none), page_ceiling() the first
 * at or after it (PAGE_GRANULES: none). */
static int page_floor(const struct page *page, unsigned granule)
{
    int found = bits_previous(page->starts, granule + 1);
    while (found >= 0 && page_is_dead(page, (unsigned)found))
        found = bits_previous(page->starts, (unsigned)found);
    return found;
}

static unsigned page_ceiling(const struct page *page, unsigned granule)
{
    unsigned found = bits_next(page->starts, PAGE_GRANULES, granule);
    while (found < PAGE_GRANULES && page_is_dead(page, found))
        found = bits_next(page->starts, PAGE_GRANULES, found + 1);
    return found;
}

/* Removes the slots of freed blocks. */
static void page_purge(struct page *page)
{
    unsigned from = 0;
    unsigned to = 0;
    for (unsigned word = 0; word < PAGE_WORDS; word++) {
        page->before[word] = (uint16_t)to;
        for (uint64_t rest = page->starts[word]; rest; rest &= rest - 1, from++)
            if (page->blocks[from].born & PACKED_DEAD)
                page->starts[word] ^= rest & -rest;
            else
                page->blocks[to++] = page->blocks[from];
    }
    page->dead_count = 0;
}

/* Moves the page into another class, which must be large enough for its blocks. */
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

static int page_grow(struct slab *slab, uint32_t *ref)
{
    if (*ref) {
        struct page *page = page_at(slab, *ref);
        unsigned class = page_class(*ref);
        if (page_count(page) < page_capacity(class))
            return 0;
        if (!page->dead_count)
            return page_move(slab, ref, class + 1);
        page_purge(page);
        return 0;
    }
    uint32_t line = slab_alloc(slab, 0);
    if (!line)
        return -ENOMEM;
    memset(slab_at(slab, line), 0, sizeof(struct page));
    *ref = line << SLAB_CLASS_BITS;
    return 0;
}

static bool page_reuse(const struct slab *slab, uint32_t ref, unsigned granule,
                       const struct packed *block)
{
    struct page *page = ref ? page_at(slab, ref) : NULL;
    if (!page || !page_has(page, granule))
        return false;
    struct packed *place = &page->blocks[page_rank(page, granule)];
    assert(place->born & PACKED_DEAD);
    *place = *block;
    page->dead_count--;
    return true;
}

/* Inserts a block where there is none. May move the page and change *ref. -ENOMEM: no change. */
static int page_insert(struct slab *slab, uint32_t *ref, unsigned granule,
                       const struct packed *block)
{
    if (page_reuse(slab, *ref, granule, block))
        return 0;
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

/* Halves pages that are at most half full. Keeps a quarter of the slots free, so that the next
 * block does not move the page again. */
static void page_shrink(struct slab *slab, uint32_t *ref, unsigned count)
{
    unsigned class = page_class(*ref);
    if (count * 2 > page_capacity(class))
        return;
    unsigned smaller = 0;
    while (page_capacity(smaller) < count + count / 4)
        smaller++;
    if (smaller < class)
        page_move(slab, ref, smaller); /* out of memory: keeps its size */
}

#define LEAF_ENTRIES   (1 << RADIX_LEAF_BITS)
#define MIDDLE_ENTRIES (1 << RADIX_MIDDLE_BITS)
#define TOP_ENTRIES    (1 << RADIX_TOP_BITS)

_Static_assert(sizeof(struct radix_leaf) == 66 * SLAB_LINE_BYTES, "as in slab_class_lines");
_Static_assert(sizeof(struct radix_middle) == 264 * SLAB_LINE_BYTES, "as in slab_class_lines");

static unsigned key_leaf_index(uint64_t key)
{
    return key & (LEAF_ENTRIES - 1);
}

static unsigned key_middle_index(uint64_t key)
{
    return key >> RADIX_LEAF_BITS & (MIDDLE_ENTRIES - 1);
}

static unsigned key_top_index(uint64_t key)
{
    return (unsigned)(key >> (RADIX_LEAF_BITS + RADIX_MIDDLE_BITS));
}

static uint64_t key_join(unsigned top, unsigned middle, unsigned leaf)
{
    return ((uint64_t)top << RADIX_MIDDLE_BITS | middle) << RADIX_LEAF_BITS | leaf;
}

static void bits_set(uint64_t *words, unsigned bit)
{
    words[bit / 64] |= UINT64_C(1) << bit % 64;
}

/* Clears a bit. Returns true if no bit of `bits` is left. */
static bool bits_clear(uint64_t *words, unsigned bits, unsigned bit)
{
    words[bit / 64] &= ~(UINT64_C(1) << bit % 64);
    return !words[bit / 64] && bits_next(words, bits, 0) == bits;
}

static void radix_init(struct radix *radix, struct slab *slab)
{
    memset(radix, 0, sizeof *radix);
    radix->slab = slab;
}

static struct radix_middle *middle_of(const struct radix *radix, unsigned top)
{
    return radix->middle[top] ? slab_at(radix->slab, radix->middle[top]) : NULL;
}

static struct radix_leaf *leaf_of(const struct radix *radix, const struct radix_middle *middle,
                                  unsigned index)
{
    return middle && middle->leaf[index] ? slab_at(radix->slab, middle->leaf[index]) : NULL;
}

static struct radix_middle *middle_make(struct radix *radix, unsigned top)
{
    if (radix->middle[top])
        return slab_at(radix->slab, radix->middle[top]);
    uint32_t line = slab_alloc(radix->slab, SLAB_CLASS_MIDDLE);
    if (!line)
        return NULL;
    radix->middle[top] = line;
    bits_set(radix->used, top);
    return memset(slab_at(radix->slab, line), 0, sizeof(struct radix_middle));
}

static void middle_drop(struct radix *radix, unsigned top)
{
    slab_release(radix->slab, radix->middle[top], SLAB_CLASS_MIDDLE);
    radix->middle[top] = 0;
    bits_clear(radix->used, TOP_ENTRIES, top);
}

static struct radix_leaf *leaf_make(struct radix *radix, struct radix_middle *middle,
                                    unsigned index)
{
    if (middle->leaf[index])
        return slab_at(radix->slab, middle->leaf[index]);
    uint32_t line = slab_alloc(radix->slab, SLAB_CLASS_LEAF);
    if (!line)
        return NULL;
    middle->leaf[index] = line;
    bits_set(middle->used, index);
    return memset(slab_at(radix->slab, line), 0, sizeof(struct radix_leaf));
}

/* Inserts an absent key below 2^RADIX_KEY_BITS, a value not 0. -ENOMEM: the bound is reached. */
static int radix_insert(struct radix *radix, uint64_t key, uint32_t value)
{
    assert(value && key >> RADIX_KEY_BITS == 0);
    struct radix_middle *middle = middle_make(radix, key_top_index(key));
    if (!middle)
        return -ENOMEM;
    struct radix_leaf *leaf = leaf_make(radix, middle, key_middle_index(key));
    if (!leaf) {
        if (bits_next(middle->used, MIDDLE_ENTRIES, 0) == MIDDLE_ENTRIES)
            middle_drop(radix, key_top_index(key));
        return -ENOMEM;
    }
    leaf->value[key_leaf_index(key)] = value;
    bits_set(leaf->used, key_leaf_index(key));
    return 0;
}

/* Removes a key, which must be present. */
static void radix_remove(struct radix *radix, uint64_t key)
{
    struct radix_middle *middle = middle_of(radix, key_top_index(key));
    struct radix_leaf *leaf = leaf_of(radix, middle, key_middle_index(key));
    assert(leaf && leaf->value[key_leaf_index(key)]);
    leaf->value[key_leaf_index(key)] = 0;
    if (!bits_clear(leaf->used, LEAF_ENTRIES, key_leaf_index(key)))
        return;
    slab_release(radix->slab, middle->leaf[key_middle_index(key)], SLAB_CLASS_LEAF);
    middle->leaf[key_middle_index(key)] = 0;
    if (bits_clear(middle->used, MIDDLE_ENTRIES, key_middle_index(key)))
        middle_drop(radix, key_top_index(key));
}

/* Stores the smallest key >= *key in *key; returns false if there is none. No table is ever empty,
 * so the descent into any later table finds a key. */
static bool radix_next(const struct radix *radix, uint64_t *key)
{
    unsigned top = key_top_index(*key);
    unsigned index = key_middle_index(*key);
    const struct radix_middle *middle = middle_of(radix, top);
    const struct radix_leaf *leaf = leaf_of(radix, middle, index);
    unsigned entry =
        leaf ? bits_next(leaf->used, LEAF_ENTRIES, key_leaf_index(*key)) : LEAF_ENTRIES;
    if (entry == LEAF_ENTRIES) {
        index = middle ? bits_next(middle->used, MIDDLE_ENTRIES, index + 1) : MIDDLE_ENTRIES;
        if (index == MIDDLE_ENTRIES) {
            top = bits_next(radix->used, TOP_ENTRIES, top + 1);
            if (top == TOP_ENTRIES)
                return false;
            middle = middle_of(radix, top);
            index = bits_next(middle->used, MIDDLE_ENTRIES, 0);
        }
        entry = bits_next(leaf_of(radix, middle, index)->used, LEAF_ENTRIES, 0);
    }
    *key = key_join(top, index, entry);
    return true;
}

/* Stores the largest key <= *key in *key; returns false if there is none. */
static bool radix_previous(const struct radix *radix, uint64_t *key)
{
    int top = (int)key_top_index(*key);
    int index = (int)key_middle_index(*key);
    const struct radix_middle *middle = middle_of(radix, (unsigned)top);
    const struct radix_leaf *leaf = leaf_of(radix, middle, (unsigned)index);
    int entry = leaf ? bits_previous(leaf->used, key_leaf_index(*key) + 1) : -1;
    if (entry < 0) {
        index = middle ? bits_previous(middle->used, (unsigned)index) : -1;
        if (index < 0) {
            top = bits_previous(radix->used, (unsigned)top);
            if (top < 0)
                return false;
            middle = middle_of(radix, (unsigned)top);
            index = bits_previous(middle->used, MIDDLE_ENTRIES);
        }
        entry = bits_previous(leaf_of(radix, middle, (unsigned)index)->used, LEAF_ENTRIES);
    }
    *key = key_join((unsigned)top, (unsigned)index, (unsigned)entry);
    return true;
}

_Static_assert(BLOCKS_ADDRESS_END >> PAGE_SHIFT == UINT64_C(1) << RADIX_KEY_BITS,
               "radix too small");
_Static_assert(BLOCKS_ADDRESS_END == UINT64_C(1) << PACKED_SIZE_BITS, "sizes too small");
_Static_assert(BLOCKS_ALIGN_BYTES == 1 << PAGE_GRANULE_SHIFT, "one bit for each start");

struct blocks {
    struct slab slab;
    uint64_t displaced;
    uint64_t refused;
    uint64_t epoch_ns; /* birth of the first block with a time; 0: none yet */
    blocks_gone *on_displaced;
    void *on_displaced_context;
    struct radix pages; /* last, because it is large */
};

/* Position of a block, valid until the next change. */
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

/* Finds the last block that starts at or before the address, which must be below the end. */
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
    if (!key-- || !radix_previous(&blocks->pages, &key))
        return false;
    const struct page *page = page_at(&blocks->slab, *radix_slot(&blocks->pages, key));
    spot_set(spot, page, key, (unsigned)page_floor(page, PAGE_GRANULES - 1));
    return true;
}

/* Finds the first block that starts at or after the address, which must be below the end. */
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

/* Removes all overlapping blocks, starting with the last one before `end`. */
static void displace_overlapping(struct blocks *blocks, uint64_t start, uint64_t end)
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

static bool is_possible_block(const struct block *block)
{
    return block->start && block->start % BLOCKS_ALIGN_BYTES == 0 &&
           block->start < BLOCKS_ADDRESS_END &&
           block->usable_bytes <= BLOCKS_ADDRESS_END - block->start && block->bin < BLOCKS_BINS_END;
}

static int insert_packed(struct blocks *blocks, uint64_t start, const struct packed *packed)
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
        slab_release(&blocks->slab, made >> SLAB_CLASS_BITS, page_class(made));
    return result;
}

/* Releases the slots of freed blocks, and the page if nothing else is in it. */
static void clean_page(struct blocks *blocks, uint64_t key)
{
    uint32_t *ref = radix_slot(&blocks->pages, key);
    struct page *page = page_at(&blocks->slab, *ref);
    page_purge(page);
    if (page_count(page)) {
        page_shrink(&blocks->slab, ref, page_count(page));
        return;
    }
    slab_release(&blocks->slab, *ref >> SLAB_CLASS_BITS, page_class(*ref));
    radix_remove(&blocks->pages, key);
}

/* Returns the slot of a freed block at the same address if its neighbours in the page show that
 * nothing overlaps; NULL: no such slot, or not known. */
static struct packed *find_reusable_slot(const struct blocks *blocks, const struct block *block)
{
    unsigned granule = granule_of(block->start);
    const uint32_t *ref = radix_slot(&blocks->pages, block->start >> PAGE_SHIFT);
    struct page *page = ref ? page_at(&blocks->slab, *ref) : NULL;
    if (!page || !page->dead_count || !granule || granule == PAGE_GRANULES - 1 ||
        !page_has(page, granule))
        return NULL;
    struct packed *place = &page->blocks[page_rank(page, granule)];
    int before = bits_previous(page->starts, granule);
    uint64_t room = (uint64_t)(bits_next(page->starts, PAGE_GRANULES, granule + 1) - granule)
                    << PAGE_GRANULE_SHIFT;
    uint64_t distance = (uint64_t)((int)granule - before) << PAGE_GRANULE_SHIFT;
    if (before < 0 || !(place->born & PACKED_DEAD) || place[-1].born & PACKED_DEAD ||
        packed_extent_bytes(&place[-1]) > distance || block->usable_bytes > room)
        return NULL;
    page->dead_count--;
    return place;
}

int blocks_add(struct blocks *blocks, const struct block *block)
{
    if (!is_possible_block(block))
        return -EINVAL;
    if (!blocks->epoch_ns)
        blocks->epoch_ns = block->born_ns;
    struct packed *place = find_reusable_slot(blocks, block);
    if (place) {
        *place = packed_from(block, blocks->epoch_ns);
        return 0;
    }
    displace_overlapping(blocks, block->start,
                         block->start + (block->usable_bytes ? block->usable_bytes : 1));
    struct packed packed = packed_from(block, blocks->epoch_ns);
    int result = insert_packed(blocks, block->start, &packed);
    if (result)
        blocks->refused++;
    return result;
}

void blocks_prefetch(const struct blocks *blocks, const uint64_t *starts, unsigned count)
{
    const uint32_t *refs[BLOCKS_PREFETCH_MAX];
    const struct page *pages[BLOCKS_PREFETCH_MAX];
    for (unsigned i = 0; i < count; i++) {
        refs[i] = starts[i] < BLOCKS_ADDRESS_END
                      ? radix_place(&blocks->pages, starts[i] >> PAGE_SHIFT)
                      : NULL;
        __builtin_prefetch(refs[i]);
    }
    for (unsigned i = 0; i < count; i++) {
        pages[i] = refs[i] && *refs[i] ? page_at(&blocks->slab, *refs[i]) : NULL;
        __builtin_prefetch(pages[i]);
    }
    for (unsigned i = 0; i < count; i++)
        if (pages[i])
            __builtin_prefetch(&pages[i]->blocks[page_rank(pages[i], granule_of(starts[i]))]);
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
    struct page *page = page_at(&blocks->slab, *ref);
    if (!page_has(page, granule))
        return false;
    struct packed *packed = &page->blocks[page_rank(page, granule)];
    if (packed->born & PACKED_DEAD)
        return false;
    if (gone)
        packed_to(packed, start, blocks->epoch_ns, gone);
    packed->born |= PACKED_DEAD;
    if (++page->dead_count > PAGE_DEAD_MAX || page->dead_count == page_count(page))
        clean_page(blocks, key);
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

uint64_t blocks_displaced(const struct blocks *blocks)
{
    return blocks->displaced;
}

uint64_t blocks_refused(const struct blocks *blocks)
{
    return blocks->refused;
}

_Static_assert(BLOCKS_BINS_END == 1 << PACKED_BIN_BITS, "bins too small");

/* Encodes waste as a 12-bit mantissa times 4 to the power of a 4-bit exponent. */
enum { WASTE_DIGITS_BITS = 12, WASTE_DIGITS = 1 << WASTE_DIGITS_BITS, WASTE_BITS_MAX = 42 };

static uint64_t waste_encode(uint64_t waste_bytes)
{
    uint64_t power = 0;
    if (waste_bytes >> WASTE_BITS_MAX)
        waste_bytes = (UINT64_C(1) << WASTE_BITS_MAX) - 1;
    while (waste_bytes >= WASTE_DIGITS) {
        waste_bytes >>= 2;
        power++;
    }
    return power << WASTE_DIGITS_BITS | waste_bytes;
}

static uint64_t waste_decode(uint64_t code)
{
    return (code & (WASTE_DIGITS - 1)) << 2 * (code >> WASTE_DIGITS_BITS);
}

static uint64_t born_encode(uint64_t born_ns, uint64_t epoch_ns)
{
    const uint64_t most = (UINT64_C(1) << (63 - PACKED_BIN_BITS)) - 1;
    if (!born_ns)
        return 0;
    uint64_t steps = born_ns > epoch_ns ? (born_ns - epoch_ns) >> PACKED_BORN_SHIFT : 0;
    return steps < most ? steps + 1 : most;
}

static uint64_t block_waste(const struct block *block)
{
    return block->requested_bytes < block->usable_bytes
               ? block->usable_bytes - block->requested_bytes
               : 0;
}

uint64_t blocks_kept_requested(const struct block *block)
{
    return block->usable_bytes - waste_decode(waste_encode(block_waste(block)));
}

struct packed packed_from(const struct block *block, uint64_t epoch_ns)
{
    return (struct packed){
        .size = block->usable_bytes | waste_encode(block_waste(block)) << PACKED_SIZE_BITS,
        .born = born_encode(block->born_ns, epoch_ns) << PACKED_BIN_BITS | block->bin,
    };
}

void packed_to(const struct packed *packed, uint64_t start, uint64_t epoch_ns, struct block *block)
{
    uint64_t waste = packed->size >> PACKED_SIZE_BITS & ((1u << PACKED_WASTE_BITS) - 1);
    uint64_t born = packed->born >> PACKED_BIN_BITS;
    block->start = start;
    block->usable_bytes = packed_usable_bytes(packed);
    block->requested_bytes = block->usable_bytes - waste_decode(waste);
    block->born_ns = born ? epoch_ns + ((born - 1) << PACKED_BORN_SHIFT) : 0;
    block->bin = packed->born & (BLOCKS_BINS_END - 1);
}
