/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "resolve/heap/walk_state.h"

enum { MARKS_MAX = 1 << 30 }; /* 1 TiB of heap; a GiB of marks if all are touched */

/* Returns the index of the first span that starts after the address. */
static size_t span_after(const struct walk_spans *spans, uint64_t address)
{
    return SORTED_UP_TO(spans->spans, spans->count, first, address);
}

struct walk_span *walk_spans_find(const struct walk *walk, uint64_t address)
{
    const struct walk_spans *spans = &walk->spans;
    size_t index = span_after(spans, address);
    struct walk_span *span = index ? &spans->spans[index - 1] : NULL;
    return span && address < span->limit ? span : NULL;
}

struct walk_span *walk_spans_add(struct walk *walk, uint64_t first, uint64_t mapped_end,
                                 uint64_t limit, uint32_t arena)
{
    struct walk_spans *spans = &walk->spans;
    size_t index = span_after(spans, first);
    struct walk_span *span = index ? &spans->spans[index - 1] : NULL;
    if (span && span->first == first && span->arena == arena) {
        span->mapped_end = mapped_end;
        span->limit = limit;
        return span;
    }
    if (span && span->first == first) {
        walk_spans_remove(walk, span);
        index--;
    }
    if (!array_reserve_next(&spans->spans, &spans->room, spans->count, sizeof *spans->spans,
                            WALK_SPANS_MAX))
        return NULL;
    span = &spans->spans[index];
    memmove(span + 1, span, (spans->count - index) * sizeof *span);
    *span = (struct walk_span){
        .first = first, .end = first, .limit = limit, .mapped_end = mapped_end, .arena = arena};
    spans->count++;
    return span;
}

void walk_spans_remove(struct walk *walk, struct walk_span *span)
{
    struct walk_spans *spans = &walk->spans;
    size_t index = (size_t)(span - spans->spans);
    free(span->marks);
    memmove(span, span + 1, (spans->count - index - 1) * sizeof *span);
    spans->count--;
}

/* Sets the end of the main arena's memory, where top ends. If top is elsewhere (brk failed and the
 * arena continued in a mapping), fence posts end the span, and the mapping bounds it. */
static bool refresh_main(struct walk *walk, struct walk_span *span)
{
    uint64_t head;
    uint64_t top = walk_arenas_top(walk, 0);
    span->top = 0;
    span->end = span->mapped_end;
    if (!top)
        return false;
    if (top < span->first || top >= span->limit)
        return true;
    if (!walk_memory_read(walk, top + 8, &head, 8) || (head & ~(uint64_t)7) > span->limit - top)
        return false;
    span->top = top;
    span->end = top + (head & ~(uint64_t)7);
    return true;
}

static bool refresh_heap(struct walk *walk, struct walk_span *span)
{
    struct walk_heap heap;
    uint64_t start = span->first & ~(WALK_HEAP_MAX - 1);
    if (!walk_heap_read(walk, start, &heap) || heap.arena != span->arena ||
        heap.first_chunk != span->first)
        return false;
    uint64_t top = walk_arenas_top(walk, span->arena);
    span->end = start + heap.bytes;
    span->top = top >= span->first && top < span->end ? top : 0;
    return true;
}

static void make_marks(struct walk_span *span)
{
    uint64_t bytes = span->end - (span->first & ~(uint64_t)(WALK_MARK_BYTES - 1));
    uint64_t cells = (bytes + WALK_MARK_BYTES - 1) / WALK_MARK_BYTES;
    if (cells <= span->mark_count || cells > MARKS_MAX)
        return;
    /* Reserve half as much again; only the used part is backed by memory. */
    cells += cells / 2;
    uint8_t *marks = calloc(cells, sizeof *marks);
    if (!marks)
        return;
    if (span->mark_count)
        memcpy(marks, span->marks, span->mark_count * sizeof *marks);
    free(span->marks);
    span->marks = marks;
    span->mark_count = cells;
}

bool walk_span_refresh(struct walk *walk, struct walk_span *span)
{
    bool sound = span->arena ? refresh_heap(walk, span) : refresh_main(walk, span);
    if (sound)
        make_marks(span);
    return sound;
}

static uint64_t walk_span_cell_of(const struct walk_span *span, uint64_t address)
{
    return address / WALK_MARK_BYTES - span->first / WALK_MARK_BYTES;
}

uint64_t walk_span_below(const struct walk_span *span, uint64_t address)
{
    if (address <= span->first || !span->mark_count)
        return span->first;
    uint64_t cell = walk_span_cell_of(span, address);
    if (cell >= span->mark_count)
        cell = span->mark_count - 1;
    for (uint64_t i = cell + 1; i-- > 0;) {
        if (!span->marks[i])
            continue;
        uint64_t at = (span->first & ~(uint64_t)(WALK_MARK_BYTES - 1)) + i * WALK_MARK_BYTES +
                      (span->marks[i] - 1u) * 16;
        if (at <= address && at > span->first)
            return at;
    }
    return span->first;
}

void walk_span_mark(struct walk_span *span, uint64_t from, uint64_t at, struct walk_trust *trust)
{
    uint64_t cell = walk_span_cell_of(span, at);
    uint64_t passed = walk_span_cell_of(span, from) + 1;
    if (cell >= span->mark_count)
        return;
    uint8_t mark = (uint8_t)((at & (WALK_MARK_BYTES - 1)) / 16 + 1);
    trust->marks_agreed += span->marks[cell] == mark;
    trust->marks_differed += span->marks[cell] && span->marks[cell] != mark;
    if (!walk_trusted(trust))
        return;
    span->marks[cell] = mark;
    if (passed < cell)
        memset(span->marks + passed, 0, (cell - passed) * sizeof *span->marks);
}

enum {
    RESUME_BYTES = 1 << 20, /* bytes searched for a chain */
    RESUME_CHUNKS = 16,     /* chunks that must follow, unless top ends them */
    RESUME_PROBES = 4096
};

static bool load_chunk(struct walk_chain *chain, uint64_t at, struct walk_chunk *chunk)
{
    const uint64_t *words = walk_window_at(chain->walk, chain->window, at, sizeof *words * 4);
    if (words) {
        *chunk = (struct walk_chunk){at, words[0], words[1], {words[2], words[3]}};
        return true;
    }
    /* The last fence post has 16 bytes. */
    words = walk_window_at(chain->walk, chain->window, at, sizeof *words * 2);
    if (words)
        *chunk = (struct walk_chunk){at, words[0], words[1], {0, 0}};
    return words;
}

bool walk_chain_start(struct walk_chain *chain, uint64_t at)
{
    chain->previous = 0;
    return load_chunk(chain, at, &chain->chunk);
}

static enum walk_chain_end load_next_chunk(struct walk_chain *chain, uint64_t bytes)
{
    if (!load_chunk(chain, chain->chunk.at + bytes, &chain->next))
        return WALK_CHAIN_UNREADABLE;
    chain->in_use = chain->next.size_and_flags & WALK_PREV_IN_USE;
    if (chain->next.size_and_flags & 8 || (!chain->in_use && chain->next.previous_bytes != bytes))
        return WALK_CHAIN_BROKEN;
    return WALK_CHAIN_CONTINUES;
}

/* Rereads top and end: they move as the heap grows. */
static bool is_at_top(struct walk_chain *chain)
{
    return walk_span_refresh(chain->walk, chain->span) && chain->chunk.at == chain->span->top;
}

static bool is_inside_span(const struct walk_chain *chain, uint64_t bytes)
{
    return chain->chunk.at < chain->span->end && bytes < chain->span->end - chain->chunk.at;
}

enum walk_chain_end walk_chain_look(struct walk_chain *chain)
{
    const struct walk_chunk *chunk = &chain->chunk;
    uint64_t bytes = walk_chunk_bytes(chunk);
    if ((chunk->at == chain->span->top || !is_inside_span(chain, bytes)) && is_at_top(chain))
        return WALK_CHAIN_TOP;
    /* Fence posts are two headers without a block: size 16, then another 16 or 0. */
    if (bytes < WALK_CHUNK_MIN)
        return bytes == WALK_CHUNK_HEADER || chunk->size_and_flags == WALK_PREV_IN_USE
                   ? WALK_CHAIN_FENCE
                   : WALK_CHAIN_BROKEN;
    if (bytes & 8 || chunk->size_and_flags & WALK_MMAPPED || !is_inside_span(chain, bytes) ||
        (!chain->span->arena && chunk->size_and_flags & WALK_NON_MAIN))
        return WALK_CHAIN_BROKEN;
    return load_next_chunk(chain, bytes);
}

static bool chain_resumes(struct walk_chain *chain, uint64_t at)
{
    if (!walk_chain_start(chain, at))
        return false;
    for (unsigned i = 0; i < RESUME_CHUNKS; i++) {
        enum walk_chain_end end = walk_chain_look(chain);
        if (end != WALK_CHAIN_CONTINUES)
            return end == WALK_CHAIN_TOP || (end == WALK_CHAIN_FENCE && i > 1);
        walk_chain_step(chain);
    }
    return true;
}

/* Returns true if enough chunks follow this position. Uses copies, as it may not be a chunk. */
static bool position_leads_on(struct walk_chain chain, uint64_t at)
{
    struct walk_span span = *chain.span;
    chain.window = &chain.walk->probe;
    chain.span = &span;
    chain.trust = (struct walk_trust){0};
    span.marks = NULL;
    span.mark_count = 0;
    walk_window_reset(chain.window, 512);
    bool leads = chain_resumes(&chain, at);
    free(span.marks);
    return leads;
}

uint64_t walk_chain_resume(const struct walk_chain *chain, uint64_t from)
{
    const struct walk_span *span = chain->span;
    uint64_t end = span->end - from > RESUME_BYTES ? from + RESUME_BYTES : span->end;
    unsigned probes = 0;
    for (uint64_t at = from; at < end && probes < RESUME_PROBES; at += 16) {
        const uint64_t *words = walk_window_at(chain->walk, chain->window, at, 16);
        uint64_t head = words ? words[1] : 0;
        /* No free chunk precedes the first chunk. */
        if ((head & 0xf) != WALK_PREV_IN_USE || head < WALK_CHUNK_MIN || head > span->end - at)
            continue;
        probes++;
        if (position_leads_on(*chain, at))
            return at;
    }
    return 0;
}

enum { JUMP_BYTES = 4096 };

void walk_window_reset(struct walk_window *window, size_t ahead_bytes)
{
    window->bytes = 0;
    window->ahead_bytes = ahead_bytes;
}

const uint64_t *walk_window_fill(struct walk *walk, struct walk_window *window, uint64_t address,
                                 size_t bytes)
{
    /* The address is past the window: the chain jumped over a large block. */
    bool jump = window->bytes && address - window->start > window->bytes;
    if (jump && window->ahead_bytes > JUMP_BYTES)
        window->ahead_bytes = JUMP_BYTES;
    size_t ahead = window->ahead_bytes < bytes ? bytes : window->ahead_bytes;
    if (address & 15 || bytes > WALK_WINDOW_BYTES)
        return NULL;
    window->start = address;
    window->bytes = walk_memory_read_some(walk, address, window->words, ahead);
    window->ahead_bytes = ahead < WALK_WINDOW_BYTES / 2 ? ahead * 2 : WALK_WINDOW_BYTES;
    return window->bytes >= bytes ? window->words : NULL;
}

bool walk_memory_read(struct walk *walk, uint64_t address, void *out, size_t bytes)
{
    struct walk_memory *memory = &walk->memory;
    memory->reads++;
    if (!memory->target.read(memory->target.context, address, out, bytes))
        return false;
    memory->bytes_read += bytes;
    return true;
}

size_t walk_memory_read_some(struct walk *walk, uint64_t address, void *out, size_t bytes)
{
    struct walk_memory *memory = &walk->memory;
    size_t got = memory->target.read_some(memory->target.context, address, out, bytes);
    got = got < bytes ? got : bytes;
    memory->reads++;
    memory->bytes_read += got;
    return got;
}

/* The kernel joins new mappings to the start or the end of an old one. */
static struct walk_searched searched_of_mapping(const struct walk_memory *memory,
                                                const struct map *map)
{
    const struct map *before = maps_find(&memory->maps, map->end - 1);
    if (!before)
        before = maps_find(&memory->maps, map->start);
    if (!before || before->start < map->start || before->end > map->end)
        return (struct walk_searched){0};
    return memory->searched[before - memory->maps.maps];
}

/* madvise(MADV_HUGEPAGE) cuts a mapping in two where a large page begins or ends: a block and its
 * header, which memalign puts before that. */
static bool is_cut_by_madvise(const struct map *before, const struct map *map)
{
    enum { HUGE_PAGE = 2 << 20 };
    return before->kind == MAPPING_ANON && map->kind == MAPPING_ANON && before->writable &&
           map->writable && before->end == map->start && !(map->start % HUGE_PAGE);
}

int walk_memory_map(struct walk *walk, const struct maps *maps)
{
    size_t count = 0;
    struct walk_memory *memory = &walk->memory;
    struct map *copy = malloc((maps->count + 1) * sizeof *copy);
    struct walk_searched *searched = calloc(maps->count + 1, sizeof *searched);
    if (!copy || !searched) {
        free(copy);
        free(searched);
        return -ENOMEM;
    }
    for (size_t i = 0; i < maps->count; i++)
        if (count && is_cut_by_madvise(&copy[count - 1], &maps->maps[i]))
            copy[count - 1].end = maps->maps[i].end;
        else
            copy[count++] = maps->maps[i];
    for (size_t i = 0; i < count; i++)
        searched[i] = searched_of_mapping(memory, &copy[i]);
    free(memory->maps.maps);
    free(memory->searched);
    memory->maps = (struct maps){.maps = copy, .count = count};
    memory->searched = searched;
    return 0;
}
