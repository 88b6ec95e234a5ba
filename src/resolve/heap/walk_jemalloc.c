/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds blocks of jemalloc 5 with its own index: a radix tree of two levels leads from the page of
 * an address to the size class and to the extent (slab or large block) that contains the page
 * (jemalloc include/jemalloc/internal/rtree.h, edata.h). No symbol names the tree, so it is found
 * by its form: an array in zero-initialised data that leads from a page of anonymous memory to an
 * extent around that page.
 */
#include <string.h>

#include "base/text.h"
#include "resolve/heap/walk_state.h"

enum {
    PAGE_SHIFT = 12,
    LEAF_SHIFT = 30, /* a leaf covers 1 GiB */
    LEAF_ENTRIES = 1 << (LEAF_SHIFT - PAGE_SHIFT),
    ROOT_ENTRIES = 1 << 18,
    ROOT_BYTES = ROOT_ENTRIES * 8,
    /* limit of zero-initialised data, besides the tree, that is searched */
    OTHER_BSS_MAX = 4 << 20,
    NODE_ALIGNMENT = 64,
    TESTS_MAX = 256,
    CLASSES = 232,
    CLASS_SHIFT = 48, /* in a leaf's entry; the bits below are the extent's address and flags */
    SLAB_PLACE = 12,  /* in an extent's bits: set for a slab */
    CLASS_BITS = 8,   /* ... size class; the number of free blocks of a slab follows */
    FREE_BITS = 10,
    BACK_ENTRIES = 512, /* entries read first when searching backwards for a large block */
    ENTRIES_MAX = WALK_WINDOW_BYTES / 8
};

static const uint64_t address_mask = ((uint64_t)1 << CLASS_SHIFT) - NODE_ALIGNMENT;

/* Bit positions of the size class in an extent: versions 5.3, 5.1 and 5.2, 5.0. */
static const uint8_t class_places[] = {20, 18, 17};

struct extent {
    uint64_t base; /* first page */
    uint64_t end;
    uint64_t start; /* of a large block: after a random part of the first page */
    uint64_t bits;
    uint64_t class_bytes;
    unsigned class;
    bool slab;
};

/* Returns the block size of a class: 8, 16 to 128 in steps of 16, then four per power of two. */
static uint64_t bytes_of_class(unsigned class)
{
    if (class <= 8)
        return class ? class * 16 : 8;
    uint64_t group = (uint64_t)128 << ((class - 9) / 4);
    return group + ((class - 9) % 4 + 1) * (group / 4);
}

static uint64_t leaf_of(struct walk *walk, uint64_t root, uint64_t address)
{
    uint64_t leaf = 0;
    if (address >> CLASS_SHIFT ||
        !walk_memory_read(walk, root + (address >> LEAF_SHIFT) * 8, &leaf, sizeof leaf) ||
        leaf % NODE_ALIGNMENT)
        return 0;
    return leaf;
}

static uint64_t entry_address(uint64_t leaf, uint64_t address)
{
    return leaf + (address >> PAGE_SHIFT) % LEAF_ENTRIES * 8;
}

/* Returns false if no extent in use is around the address. Uses the extent's own bits: an entry has
 * a copy of the class, but for a large block only the first page's copy is kept up to date. */
static bool read_extent(struct walk *walk, uint64_t entry, uint64_t address, struct extent *extent)
{
    uint64_t words[3]; /* bits, address, size with a serial number in the bits below a page */
    if (!(entry & address_mask) ||
        !walk_memory_read(walk, entry & address_mask, words, sizeof words))
        return false;
    uint8_t place = walk->jemalloc.class_place;
    uint64_t size = words[2] >> PAGE_SHIFT << PAGE_SHIFT;
    *extent = (struct extent){.bits = words[0],
                              .start = words[1],
                              .base = words[1] >> PAGE_SHIFT << PAGE_SHIFT,
                              .class = (unsigned)(entry >> CLASS_SHIFT),
                              .slab = words[0] >> SLAB_PLACE & 1};
    if (place)
        extent->class = (unsigned)(words[0] >> place) % (1 << CLASS_BITS);
    extent->end = extent->base + size;
    extent->class_bytes = extent->class < CLASSES ? bytes_of_class(extent->class) : UINT64_MAX;
    bool around = size >= extent->class_bytes && extent->end > extent->base &&
                  address >= extent->base && address < extent->end;
    /* Until the tree is found, any memory may look like an extent. */
    if (around && walk->jemalloc.root)
        walk_own_add(walk, entry & address_mask, false);
    return around;
}

static bool block_at(const struct extent *extent, uint64_t address, struct walk_block *block)
{
    uint64_t bytes = extent->class_bytes;
    uint64_t start = extent->slab ? address - (address - extent->base) % bytes : extent->start;
    *block = (struct walk_block){.start = start, .usable_bytes = bytes, .state = WALK_IN_USE};
    return address >= start && address - start < bytes && start + bytes <= extent->end;
}

bool walk_jemalloc_find(struct walk *walk, uint64_t address, struct walk_block *block)
{
    struct extent extent;
    uint64_t entry;
    uint64_t leaf = walk->jemalloc.root ? leaf_of(walk, walk->jemalloc.root, address) : 0;
    return leaf && walk_memory_read(walk, entry_address(leaf, address), &entry, sizeof entry) &&
           read_extent(walk, entry, address, &extent) && block_at(&extent, address, block);
}

/* Returns the first page of the adjacent mappings around the address; a block does not cross it. */
static uint64_t first_page(const struct walk *walk, uint64_t address)
{
    const struct map *map = maps_find(&walk->memory.maps, address);
    while (map && map > walk->memory.maps.maps && map[-1].end == map->start &&
           walk_is_data(&map[-1]))
        map--;
    return walk_is_data(map) ? map->start >> PAGE_SHIFT : UINT64_MAX;
}

/* The tree has only a block's first and last page: the nearest earlier entry is the first one. */
bool walk_jemalloc_find_large(struct walk *walk, uint64_t address, struct walk_block *block)
{
    struct walk_jemalloc *jemalloc = &walk->jemalloc;
    uint64_t *entries = walk->window.words;
    uint64_t page = address >> PAGE_SHIFT;
    uint64_t first = jemalloc->root ? first_page(walk, address) : UINT64_MAX;
    walk_window_reset(&walk->window, WALK_PAGE_BYTES);
    if (jemalloc->root && walk_jemalloc_find(walk, jemalloc->large, block) &&
        address - block->start < block->usable_bytes)
        return true;
    for (uint64_t many = BACK_ENTRIES; page > first; many = many < ENTRIES_MAX ? many * 2 : many) {
        struct extent extent;
        uint64_t count = (page - 1) % LEAF_ENTRIES + 1;
        count = count < many ? count : many;
        count = count < page - first ? count : page - first;
        page -= count;
        uint64_t leaf = leaf_of(walk, jemalloc->root, page << PAGE_SHIFT);
        if (!leaf || !walk_memory_read(walk, entry_address(leaf, page << PAGE_SHIFT), entries,
                                       count * sizeof *entries))
            return false;
        while (count && !(entries[count - 1] & address_mask))
            count--;
        if (!count)
            continue;
        bool found = read_extent(walk, entries[count - 1], address, &extent) && !extent.slab &&
                     block_at(&extent, address, block);
        jemalloc->large = found ? extent.start : jemalloc->large;
        return found;
    }
    return false;
}

bool walk_jemalloc_covers(struct walk *walk, uint64_t address)
{
    return walk->jemalloc.root && leaf_of(walk, walk->jemalloc.root, address);
}

/* Returns the bit position of the size class in an extent, found by comparing it with the class in
 * the tree. The position differs by version. 0: not found. */
static uint8_t find_class_bit(const struct extent *extent)
{
    for (size_t i = 0; i < sizeof class_places; i++)
        if ((extent->bits >> class_places[i]) % (1 << CLASS_BITS) == extent->class)
            return class_places[i];
    return 0;
}

/* Returns true if there is a tree at `root` that leads to the page. */
static bool is_root(struct walk *walk, uint64_t root, uint64_t page)
{
    struct extent extent;
    uint64_t entry;
    uint64_t leaf = leaf_of(walk, root, page);
    uint8_t place = 0;
    if (leaf && walk_memory_read(walk, entry_address(leaf, page), &entry, sizeof entry) &&
        read_extent(walk, entry, page, &extent) && extent.class)
        place = find_class_bit(&extent);
    if (place)
        walk->jemalloc = (struct walk_jemalloc){.root = root, .class_place = place, .large = page};
    return place;
}

/* Returns true if a word may be an entry of the root: empty, or the address of a leaf. */
static bool is_entry(const struct walk *walk, uint64_t word)
{
    const struct map *map = word % NODE_ALIGNMENT ? NULL : maps_find(&walk->memory.maps, word);
    return !word || (map && map->kind == MAPPING_ANON && map->end - word >= LEAF_ENTRIES * 8);
}

/* Searches [start, end) for a tree that leads to the page: each word may be its root's entry. The
 * number of tests is limited because unrelated memory after a file may be full of such words. */
static bool search_tree_for_page(struct walk *walk, uint64_t start, uint64_t end, uint64_t page)
{
    uint64_t first = start + (page >> LEAF_SHIFT) * 8;
    uint64_t last = end - ROOT_BYTES + (page >> LEAF_SHIFT) * 8;
    unsigned tests = 0;
    walk_window_reset(&walk->window, WALK_WINDOW_BYTES);
    for (uint64_t at = first & ~(uint64_t)15; at <= last && tests < TESTS_MAX; at += 16) {
        const uint64_t *words = walk_window_at(walk, &walk->window, at, 16);
        if (!words)
            return false;
        if ((!words[0] && !words[1]) || !is_entry(walk, words[0]) || !is_entry(walk, words[1]))
            continue;
        uint64_t root = at - (page >> LEAF_SHIFT) * 8;
        tests++;
        if (is_root(walk, root, page) || is_root(walk, root + 8, page))
            return true;
    }
    return false;
}

/* Tries pages likely to be in extents; a mapping's first page may hold the allocator's own data. */
static bool search_tree_in_range(struct walk *walk, uint64_t start, uint64_t end,
                                 const struct map *memory)
{
    uint64_t pages[] = {memory->start, memory->start + (16 << PAGE_SHIFT),
                        memory->start + (memory->end - memory->start) / 2, memory->end - 1};
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
        if (pages[i] < memory->end &&
            search_tree_for_page(walk, start, end, pages[i] >> PAGE_SHIFT << PAGE_SHIFT))
            return true;
    return false;
}

static void keep_name(struct walk_jemalloc *jemalloc, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : "a program";
    text_sanitise(jemalloc->name, sizeof jemalloc->name, name, strlen(name));
}

void walk_jemalloc_search(struct walk *walk, const struct maps *maps)
{
    enum { MAPPINGS_MAX = 16 };
    struct walk_jemalloc *jemalloc = &walk->jemalloc;
    if (jemalloc->root || walk_pause_pass(&jemalloc->pause))
        return;
    for (size_t i = 1; i < maps->count; i++) {
        const struct map *data = &maps->maps[i];
        uint64_t size = data->end - data->start;
        if (!walk_is_zeroed(data) || size < ROOT_BYTES || size > ROOT_BYTES + OTHER_BSS_MAX)
            continue;
        for (size_t k = 0, tried = 0; k < maps->count && tried < MAPPINGS_MAX; k++) {
            if (k == i || !walk_is_data(&maps->maps[k]))
                continue;
            tried++;
            if (!search_tree_in_range(walk, data->start, data->end, &maps->maps[k]))
                continue;
            keep_name(jemalloc, maps_name(maps, &data[-1]));
            return;
        }
    }
    walk_pause_lengthen(&jemalloc->pause, WALK_SEARCH_PAUSE_MAX);
}

/* Returns the number of blocks in use: for a slab, the blocks that are not free. Blocks in a
 * thread's cache count as in use. */
static uint32_t blocks_in_use(const struct walk *walk, const struct extent *extent)
{
    const uint64_t most = (1 << FREE_BITS) - 1;
    uint64_t blocks = extent->slab ? (extent->end - extent->base) / extent->class_bytes : 1;
    uint64_t unused =
        extent->slab ? extent->bits >> (walk->jemalloc.class_place + CLASS_BITS) & most : 0;
    return blocks <= most && unused < blocks ? (uint32_t)(blocks - unused) : 0;
}

/* Visits the entries of a leaf: each extent is visited at its first page. */
static bool visit_entries(struct walk *walk, uint64_t page, const uint64_t *entries, size_t count,
                          walk_visit visit, void *context, long *passed)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t address = page + ((uint64_t)i << PAGE_SHIFT);
        struct extent extent;
        if (!entries[i] || (i && entries[i] == entries[i - 1]) ||
            !read_extent(walk, entries[i], address, &extent) || extent.base != address)
            continue;
        struct walk_block block = {.start = extent.slab ? extent.base : extent.start,
                                   .usable_bytes = extent.class_bytes,
                                   .state = WALK_IN_USE,
                                   .count = blocks_in_use(walk, &extent)};
        *passed += block.count;
        if (block.count && !visit(context, &block))
            return false;
    }
    return true;
}

/* Visits only the pages of mapped memory: the remaining part of a leaf was never touched. */
long walk_jemalloc_all(struct walk *walk, walk_visit visit, void *context)
{
    long passed = 0;
    uint64_t *entries = walk->window.words;
    walk_window_reset(&walk->window, WALK_PAGE_BYTES);
    for (size_t i = 0; walk->jemalloc.root && i < walk->memory.maps.count; i++) {
        const struct map *map = &walk->memory.maps.maps[i];
        for (uint64_t page = map->start; walk_is_data(map) && page < map->end;) {
            uint64_t leaf = leaf_of(walk, walk->jemalloc.root, page);
            uint64_t leaf_end = ((page >> LEAF_SHIFT) + 1) << LEAF_SHIFT;
            uint64_t end = leaf_end < map->end ? leaf_end : map->end;
            size_t count = (end - page) >> PAGE_SHIFT;
            if (count > ENTRIES_MAX)
                count = ENTRIES_MAX;
            if (leaf &&
                walk_memory_read(walk, entry_address(leaf, page), entries,
                                 count * sizeof *entries) &&
                !visit_entries(walk, page, entries, count, visit, context, &passed))
                return passed;
            page += (uint64_t)count << PAGE_SHIFT;
        }
    }
    return passed;
}
