/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "resolve/heap/walk_state.h"

enum {
    ALIGN_LOG_MIN = 5,   /* of memalign; malloc itself aligns to 16 */
    ALIGN_LOG_PAGE = 11, /* up to here the chunk is in the first page */
    ALIGN_LOG_MAX = 30,
    FOREIGN_PAGES_MAX = 16384, /* pages without a block that are checked one by one per mapping */
    SEARCH_AGAIN_FINDS = 1024,
    SEGMENTS_MAX = 1 << 20,
    BLOCKS_MAX = 1 << 22
};

/* The header's first word is the distance to the mapping's start (since 2.43 with a bit for huge
 * pages), and size plus distance is a whole number of pages (since 2.43 including the header). */
static bool is_block(const uint64_t words[2], uint64_t lead, uint64_t room, uint64_t *total,
                     uint64_t *usable)
{
    uint64_t bytes = words[1] & ~(uint64_t)7;
    uint64_t odd = (lead + bytes) & (WALK_PAGE_BYTES - 1);
    if ((words[0] & ~(uint64_t)1) != lead || (words[1] & 15) != WALK_MMAPPED || lead > room ||
        bytes > room - lead || bytes < WALK_CHUNK_MIN ||
        (odd && odd != WALK_PAGE_BYTES - WALK_CHUNK_HEADER))
        return false;
    *total = lead + bytes + (odd ? WALK_CHUNK_HEADER : 0);
    *usable = bytes - (odd ? 8 : WALK_CHUNK_HEADER);
    return *total <= room;
}

static bool read_mapped_block(const uint64_t words[2], uint64_t base, uint64_t lead, uint64_t room,
                              struct walk_mapped_block *found, uint64_t *usable)
{
    uint64_t total;
    if (!is_block(words, lead, room, &total, usable))
        return false;
    *found = (struct walk_mapped_block){base, base + total, base + lead};
    return true;
}

/* Returns the offset of the header of a block that memalign aligned to a power of two. */
static uint64_t memalign_lead(uint64_t base, unsigned log)
{
    uint64_t align = (uint64_t)1 << log;
    return ((base + 2 * WALK_CHUNK_HEADER - 1 + align - 1) & ~(align - 1)) - base -
           WALK_CHUNK_HEADER;
}

/* Reads the block in a mapping that starts at `base`; large alignments only if `likely`. */
static bool read_block(struct walk *walk, uint64_t base, uint64_t end, bool likely,
                       struct walk_mapped_block *found, uint64_t *usable)
{
    uint64_t page[(2 << ALIGN_LOG_PAGE) / 8];
    if (!walk_memory_read(walk, base, page, sizeof page))
        return false;
    for (unsigned log = ALIGN_LOG_MIN; log <= ALIGN_LOG_PAGE; log++) {
        uint64_t lead = memalign_lead(base, log);
        if (lead + 16 <= sizeof page &&
            read_mapped_block(page + lead / 8, base, lead, end - base, found, usable))
            return true;
    }
    /* Until 2.42 an aligned block leaves the header that it was cut from at the start, with a size
     * that realloc may have changed since. Later versions never write there. */
    bool plain = read_mapped_block(page, base, 0, end - base, found, usable);
    likely = plain || (likely && !page[0] && (!page[1] || (page[1] & 15) == WALK_MMAPPED));
    for (unsigned log = ALIGN_LOG_PAGE + 1; likely && log <= ALIGN_LOG_MAX; log++) {
        uint64_t words[2];
        uint64_t lead = memalign_lead(base, log);
        if (lead >= end - base)
            break;
        if (walk_memory_read(walk, base + lead, words, sizeof words) &&
            read_mapped_block(words, base, lead, end - base, found, usable))
            return true;
    }
    return plain;
}

/* Returns the index of the first block that ends after the address. */
static size_t mapped_after(const struct walk_mapped *mapped, uint64_t address)
{
    return SORTED_UP_TO(mapped->blocks, mapped->count, end, address);
}

/* Inserts a block, replacing all blocks that it overlaps. */
static void walk_mapped_remember(struct walk_mapped *mapped, const struct walk_mapped_block *block)
{
    size_t first = mapped_after(mapped, block->base);
    size_t last = first;
    while (last < mapped->count && mapped->blocks[last].base < block->end)
        last++;
    if (last == first) {
        if (!array_reserve_next(&mapped->blocks, &mapped->room, mapped->count,
                                sizeof *mapped->blocks, BLOCKS_MAX))
            return;
    }
    memmove(&mapped->blocks[first + 1], &mapped->blocks[last],
            (mapped->count - last) * sizeof *mapped->blocks);
    mapped->blocks[first] = *block;
    mapped->count = mapped->count + 1 - (last - first);
}

static void walk_mapped_forget(struct walk_mapped *mapped, size_t index)
{
    memmove(&mapped->blocks[index], &mapped->blocks[index + 1],
            (mapped->count - index - 1) * sizeof *mapped->blocks);
    mapped->count--;
}

static struct walk_span *add_heap_span(struct walk *walk, uint64_t start)
{
    struct walk_heap heap;
    if (!walk_heap_read(walk, start, &heap))
        return NULL;
    struct walk_span *span = walk_spans_add(walk, heap.first_chunk, start + heap.bytes,
                                            start + WALK_HEAP_MAX, heap.arena);
    if (!span || walk_span_refresh(walk, span))
        return span;
    walk_spans_remove(walk, span);
    return NULL;
}

/* Returns the end of a piece of the main arena: the page after its top or its fence posts. */
static uint64_t end_of_chain(struct walk *walk, struct walk_span *span)
{
    struct walk_chain chain = walk_chain_of(walk, span, WALK_PAGE_BYTES);
    enum walk_chain_end end;
    uint64_t steps = 0;
    chain.trust.proved = true;
    if (!walk_chain_start(&chain, span->first))
        return 0;
    while ((end = walk_chain_look(&chain)) == WALK_CHAIN_CONTINUES)
        walk_chain_step(&chain), steps++;
    if (end == WALK_CHAIN_TOP)
        return span->end;
    return end == WALK_CHAIN_FENCE && steps
               ? (chain.chunk.at + 2 * WALK_CHUNK_HEADER + WALK_PAGE_BYTES - 1) &
                     ~(uint64_t)(WALK_PAGE_BYTES - 1)
               : 0;
}

/* Such pieces exist only if brk failed, which the position of top shows. */
static struct walk_span *add_main_span(struct walk *walk, uint64_t start, uint64_t end)
{
    uint64_t head;
    uint64_t top = walk_arenas_top(walk, 0);
    const struct map *map = maps_find(&walk->memory.maps, top);
    if (!map || map->kind != MAPPING_ANON || !walk_memory_read(walk, start + 8, &head, 8) ||
        (head & 15) != WALK_PREV_IN_USE || head < WALK_CHUNK_MIN || head > end - start)
        return NULL;
    struct walk_span *span = walk_spans_add(walk, start, end, end, 0);
    if (!span)
        return NULL;
    uint64_t chain_end = walk_span_refresh(walk, span) ? end_of_chain(walk, span) : 0;
    if (chain_end > span->first && chain_end <= end) {
        span->mapped_end = span->limit = span->end = chain_end;
        return span;
    }
    walk_spans_remove(walk, span);
    return NULL;
}

/* Returns the end of the heap segment at `at`; 0: there is none. */
static uint64_t segment_end(struct walk *walk, uint64_t at, uint64_t end, bool likely)
{
    struct walk_mapped_block block;
    struct walk_span *span = NULL;
    uint64_t usable;
    if (!(at & (WALK_HEAP_MAX - 1)))
        span = add_heap_span(walk, at);
    if (span)
        return span->limit;
    if (read_block(walk, at, end, likely, &block, &usable)) {
        walk_mapped_remember(&walk->mapped, &block);
        return block.end;
    }
    span = likely ? add_main_span(walk, at, end) : NULL;
    return span ? span->limit : 0;
}

static void walk_mapped_parse(struct walk *walk, uint64_t at, uint64_t end)
{
    unsigned foreign = 0;
    bool likely = true;
    for (unsigned i = 0; at < end && i < SEGMENTS_MAX; i++) {
        uint64_t next = segment_end(walk, at, end, likely);
        likely = next;
        if (next)
            at = next;
        else if (foreign++ < FOREIGN_PAGES_MAX)
            at += WALK_PAGE_BYTES;
        else
            at = (at + WALK_HEAP_MAX) & ~(WALK_HEAP_MAX - 1);
    }
}

static const struct map *find_anonymous_map(struct walk *walk, uint64_t address)
{
    const struct map *map = maps_find(&walk->memory.maps, address);
    return map && map->writable && map->kind == MAPPING_ANON ? map : NULL;
}

bool walk_mapped_check(struct walk *walk, const struct walk_mapped_block *found,
                       struct walk_block *block)
{
    uint64_t words[2];
    struct walk_mapped_block now;
    uint64_t usable;
    if (!walk_memory_read(walk, found->chunk, words, sizeof words) ||
        !read_mapped_block(words, found->base, found->chunk - found->base, UINT64_MAX / 2, &now,
                           &usable) ||
        now.end != found->end)
        return false;
    *block = (struct walk_block){.start = found->chunk + WALK_CHUNK_HEADER,
                                 .usable_bytes = usable,
                                 .state = WALK_IN_USE,
                                 .mmapped = true,
                                 .count = 1};
    return true;
}

static bool find_known_block(struct walk *walk, uint64_t address, struct walk_block *block)
{
    struct walk_mapped *mapped = &walk->mapped;
    size_t index = mapped_after(mapped, address);
    if (index == mapped->count || mapped->blocks[index].base > address)
        return false;
    if (walk_mapped_check(walk, &mapped->blocks[index], block))
        return true;
    walk_mapped_forget(mapped, index);
    return false;
}

/* Searches a mapping, but does not search memory that is not malloc's again for each miss. Returns
 * false if all of it was searched before. */
static bool search_mapping(struct walk *walk, const struct map *map, bool restarts)
{
    struct walk_searched *searched = &walk->memory.searched[map - walk->memory.maps.maps];
    struct walk_searched before = *searched;
    if (walk_go_covers(walk, map->start))
        return false;
    if (restarts || !before.end ||
        walk->stats.find_count >= before.at_find_count + SEARCH_AGAIN_FINDS) {
        *searched = (struct walk_searched){map->start, map->end, walk->stats.find_count};
        walk_mapped_parse(walk, map->start, map->end);
        return true;
    }
    searched->start = map->start;
    searched->end = map->end;
    if (before.start > map->start)
        walk_mapped_parse(walk, map->start, before.start);
    if (before.end < map->end)
        walk_mapped_parse(walk, before.end, map->end);
    return before.start > map->start || before.end < map->end;
}

bool walk_mapped_find(struct walk *walk, uint64_t address, struct walk_block *block)
{
    size_t known = walk->mapped.count;
    const struct map *map = find_anonymous_map(walk, address);
    if (!map)
        return false;
    if (find_known_block(walk, address, block))
        return true;
    bool gone = walk->mapped.count != known;
    return search_mapping(walk, map, gone) && find_known_block(walk, address, block);
}

struct walk_span *walk_mapped_span(struct walk *walk, uint64_t address)
{
    uint64_t start = address & ~(WALK_HEAP_MAX - 1);
    struct walk_span *span = walk_spans_find(walk, address);
    if (span)
        return span;
    const struct map *map = find_anonymous_map(walk, address);
    if (map && map->start <= start)
        add_heap_span(walk, start);
    return walk_spans_find(walk, address);
}

void walk_mapped_search(struct walk *walk)
{
    walk->mapped.count = 0;
    for (size_t i = 0; i < walk->memory.maps.count; i++) {
        const struct map *map = &walk->memory.maps.maps[i];
        if (map->writable && map->kind == MAPPING_ANON)
            search_mapping(walk, map, true);
    }
}
