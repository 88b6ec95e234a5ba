/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds blocks in the heap of Go's runtime with the runtime's own tables. A table with a word for
 * each 64 MiB of address space leads to an arena; a word there for each page of 8 KiB leads to the
 * span of equal blocks that contains the page (Go runtime/mheap.go: mheap.arenas, heapArena.spans,
 * mspan). Many programs are stripped, so the table is found by its form: a pointer in
 * zero-initialised data that leads from the first page of a mapping to a span that begins there.
 */
#include <string.h>

#include "resolve/heap/walk_state.h"

enum {
    PAGE_SHIFT = 13,
    ARENA_SHIFT = 26,
    ARENA_PAGES = 1 << (ARENA_SHIFT - PAGE_SHIFT),
    ARENA_DATA_BYTES = (3 << 20), /* no version has its spans at a higher offset */
    SPAN_WORDS = 20,
    SPAN_START = 3, /* words of a span: first page, number of pages */
    SPAN_PAGES = 4,
    SIZE_FIRST = 13, /* block size: in Go 1.16 to 1.20 and since 1.22; 1.21: 14 */
    SIZE_LAST = 15,
    STATE_BEFORE = 5, /* bytes from the state to the block size */
    COUNT_BEFORE = 8, /* bytes from the number of blocks in use to the block size */
    IN_USE = 1,
    DATA_BYTES_MAX = 64 << 20,
    SPANS_REQUIRED = 3,
    ARENAS_MAX = 1 << 18 /* limit of a count: 16 TiB */
};

/* Arenas are numbered from the lowest canonical address. */
static const uint64_t lowest = UINT64_C(0xffff800000000000);
static const uint64_t table_bytes = (UINT64_C(1) << (48 - ARENA_SHIFT)) * 8;

/* Address that the runtime requests for its first arena: 0x..c000000000. */
static const uint64_t hint = UINT64_C(0xc000000000);
static const uint64_t hint_mask = UINT64_C(0xffffffffff);

struct span {
    uint64_t arena; /* the arena through which it was found */
    uint64_t at;
    uint64_t start;
    uint64_t end;
    uint64_t bytes; /* per block */
    uint32_t blocks;
    uint32_t in_use;
};

/* Returns the word of an arena's table for a page; 0: none. */
static uint64_t read_arena_entry(struct walk *walk, uint64_t table, uint64_t address)
{
    uint64_t arena = 0;
    uint64_t at = table + ((address - lowest) >> ARENA_SHIFT) * 8;
    return walk_memory_read(walk, at, &arena, sizeof arena) && arena % 8 == 0 ? arena : 0;
}

static uint64_t page_span_address(uint64_t spans, uint64_t address)
{
    return spans + (address >> PAGE_SHIFT) % ARENA_PAGES * 8;
}

/* Reads a span. `size_at`: the word with the block size. The limit follows it: in every version the
 * end of the last whole block, or for one large block the end of its bytes in use. */
static bool read_span(struct walk *walk, uint64_t at, unsigned size_at, struct span *span)
{
    uint64_t words[SPAN_WORDS];
    const unsigned char *bytes = (const unsigned char *)words;
    uint16_t in_use;
    if (!at || at % 8 || !walk_memory_read(walk, at, words, sizeof words) ||
        bytes[size_at * 8 - STATE_BEFORE] != IN_USE)
        return false;
    uint64_t start = words[SPAN_START];
    uint64_t room = words[SPAN_PAGES] << PAGE_SHIFT;
    uint64_t size = words[size_at];
    uint64_t used = words[size_at + 1] - start;
    if (!room || room >> 47 || start % (1 << PAGE_SHIFT) || size < 8 || size % 8 || size > room ||
        used > room || room - used > size || (used % size && room / size != 1))
        return false;
    memcpy(&in_use, bytes + size_at * 8 - COUNT_BEFORE, sizeof in_use);
    *span = (struct span){.at = at,
                          .start = start,
                          .end = start + room,
                          .bytes = size,
                          .blocks = (uint32_t)(room / size),
                          .in_use = in_use};
    return in_use <= span->blocks;
}

static bool span_of_page(struct walk *walk, uint64_t address, struct span *span)
{
    const struct walk_go *go = &walk->go;
    uint64_t arena = go->table && !(address >> 47) ? read_arena_entry(walk, go->table, address) : 0;
    uint64_t at = 0;
    if (!arena ||
        !walk_memory_read(walk, page_span_address(arena + go->spans, address), &at, sizeof at) ||
        !read_span(walk, at, go->size_at, span))
        return false;
    span->arena = arena;
    return address >= span->start && address < span->end;
}

/* The data of arenas and spans are in memory that the runtime allocated for itself. */
bool walk_go_find(struct walk *walk, uint64_t address, struct walk_block *block)
{
    struct span span;
    if (!span_of_page(walk, address, &span))
        return false;
    walk_own_add(walk, span.at, true);
    walk_own_add(walk, span.arena, true);
    uint64_t start = address - (address - span.start) % span.bytes;
    *block = (struct walk_block){
        .start = start, .usable_bytes = span.bytes, .state = WALK_IN_USE, .go = true};
    return start + span.bytes <= span.end;
}

bool walk_go_covers(struct walk *walk, uint64_t address)
{
    return walk->go.table && !(address >> 47) && read_arena_entry(walk, walk->go.table, address);
}

/* Returns true if the words from `spans` on are the spans of the pages: each leads to a span around
 * its page. Sets the position of the block size in a span. */
static bool are_page_spans(struct walk *walk, uint64_t spans, uint64_t page, const uint64_t *words,
                           size_t count)
{
    for (unsigned size_at = SIZE_FIRST; size_at <= SIZE_LAST; size_at++) {
        struct span span = {0};
        unsigned sure = 0;
        for (size_t i = 0; i < count && i < ARENA_PAGES && sure < SPANS_REQUIRED; i++) {
            uint64_t at = page + ((uint64_t)i << PAGE_SHIFT);
            if (at < span.end)
                continue;
            if (read_span(walk, words[i], size_at, &span) && span.start != at)
                break;
            sure += span.start == at;
        }
        if (sure == SPANS_REQUIRED) {
            walk->go.spans = spans;
            walk->go.size_at = size_at;
            return true;
        }
    }
    return false;
}

/* Searches for the spans of the pages in the data of the arena that begins at `page`. They follow
 * the bits for the garbage collector. */
static bool search_arena(struct walk *walk, uint64_t arena, uint64_t page)
{
    uint64_t start;
    uint64_t *words = walk->window.words;
    walk_window_reset(&walk->window, WALK_PAGE_BYTES);
    for (uint64_t offset = 0; offset < ARENA_DATA_BYTES; offset += WALK_WINDOW_BYTES / 2) {
        size_t read = walk_memory_read_some(walk, arena + offset, words, WALK_WINDOW_BYTES) / 8;
        for (size_t i = 0; i < read && i < WALK_WINDOW_BYTES / 16; i++)
            if (words[i] % 8 == 0 && maps_find(&walk->memory.maps, words[i]) &&
                walk_memory_read(walk, words[i] + SPAN_START * 8, &start, sizeof start) &&
                start == page && are_page_spans(walk, offset + i * 8, page, words + i, read - i))
                return true;
    }
    return false;
}

/* Searches for a pointer to a table that leads from the first page of a mapping to its span. */
static bool search_data(struct walk *walk, uint64_t start, uint64_t end, uint64_t page)
{
    uint64_t last = 0;
    walk_window_reset(&walk->probe, WALK_WINDOW_BYTES);
    for (uint64_t at = start; at < end; at += 16) {
        const uint64_t *pair = walk_window_at(walk, &walk->probe, at, 16);
        for (unsigned i = 0; pair && i < 2; i++) {
            uint64_t table = pair[i];
            if (!table || table == last || table % WALK_PAGE_BYTES)
                continue;
            last = table;
            const struct map *map = maps_find(&walk->memory.maps, table);
            uint64_t arena = walk_is_data(map) && map->end - table >= table_bytes
                                 ? read_arena_entry(walk, table, page)
                                 : 0;
            if (!arena || !search_arena(walk, arena, page))
                continue;
            walk->go.table = table;
            return true;
        }
        if (!pair)
            return false;
    }
    return false;
}

void walk_go_search(struct walk *walk, const struct maps *maps)
{
    enum { TRIED_MAX = 16 };
    struct walk_go *go = &walk->go;
    if (go->table || walk_pause_pass(&go->pause))
        return;
    for (size_t i = 1, tried = 0; i < maps->count; i++) {
        const struct map *data = &maps->maps[i];
        if (!walk_is_zeroed(data) || data->end - data->start > DATA_BYTES_MAX)
            continue;
        for (size_t k = 0; k < maps->count && tried < TRIED_MAX; k++) {
            const struct map *heap = &maps->maps[k];
            if (!walk_is_data(heap) || (heap->start & hint_mask) != hint)
                continue;
            tried++;
            if (search_data(walk, data->start, data->end, heap->start))
                return;
        }
    }
    walk_pause_lengthen(&go->pause, WALK_SEARCH_PAUSE_MAX);
}

/* Visits the spans that begin between two addresses of one arena. */
static bool visit_arena(struct walk *walk, uint64_t from, uint64_t to, walk_visit visit,
                        void *context, long *passed)
{
    uint64_t *words = walk->window.words;
    uint64_t arena = read_arena_entry(walk, walk->go.table, from);
    size_t count = (to - from) >> PAGE_SHIFT;
    if (!arena || !walk_memory_read(walk, page_span_address(arena + walk->go.spans, from), words,
                                    count * sizeof *words))
        return true;
    for (size_t i = 0; i < count; i++) {
        struct span span;
        if (!words[i] || (i && words[i] == words[i - 1]) ||
            !read_span(walk, words[i], walk->go.size_at, &span) ||
            span.start != from + ((uint64_t)i << PAGE_SHIFT))
            continue;
        struct walk_block block = {.start = span.start,
                                   .usable_bytes = span.bytes,
                                   .state = WALK_IN_USE,
                                   .go = true,
                                   .count = span.in_use};
        *passed += block.count;
        if (block.count && !visit(context, &block))
            return false;
    }
    return true;
}

long walk_go_all(struct walk *walk, walk_visit visit, void *context)
{
    long passed = 0;
    unsigned arenas = 0;
    walk_window_reset(&walk->window, WALK_PAGE_BYTES);
    for (size_t i = 0; walk->go.table && i < walk->memory.maps.count; i++) {
        const struct map *map = &walk->memory.maps.maps[i];
        for (uint64_t from = map->start;
             walk_is_data(map) && from < map->end && arenas < ARENAS_MAX; arenas++) {
            uint64_t arena_end = ((from >> ARENA_SHIFT) + 1) << ARENA_SHIFT;
            uint64_t to = arena_end < map->end ? arena_end : map->end;
            if (!visit_arena(walk, from, to, visit, context, &passed))
                return passed;
            from = to;
        }
    }
    return passed;
}
