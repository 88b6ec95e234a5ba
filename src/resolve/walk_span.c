/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/walk_span.h"

#include <stdlib.h>
#include <string.h>

enum { MARK_PAGES_MAX = 1 << 28 }; /* 1 TiB of heap: half a GiB of marks, if ever touched */

void walk_spans_fini(struct walk_spans *spans)
{
    for (size_t i = 0; i < spans->count; i++)
        free(spans->spans[i].marks);
    free(spans->spans);
    *spans = (struct walk_spans){0};
}

/* Index of the first span that starts behind the address. */
static size_t behind(const struct walk_spans *spans, uint64_t address)
{
    size_t low = 0;
    size_t high = spans->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (spans->spans[middle].first <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct walk_span *walk_spans_find(const struct walk_spans *spans, uint64_t address)
{
    size_t index = behind(spans, address);
    struct walk_span *span = index ? &spans->spans[index - 1] : NULL;
    return span && address < span->limit ? span : NULL;
}

static bool make_room(struct walk_spans *spans)
{
    if (spans->count < spans->room)
        return true;
    size_t room = spans->room ? spans->room * 2 : 16;
    struct walk_span *more =
        room <= WALK_SPANS_MAX ? realloc(spans->spans, room * sizeof *more) : NULL;
    if (!more)
        return false;
    spans->spans = more;
    spans->room = room;
    return true;
}

struct walk_span *walk_spans_add(struct walk_spans *spans, uint64_t first, uint64_t mapped_end,
                                 uint64_t limit, uint32_t arena)
{
    size_t index = behind(spans, first);
    struct walk_span *span = index ? &spans->spans[index - 1] : NULL;
    if (span && span->first == first && span->arena == arena) {
        span->mapped_end = mapped_end;
        span->limit = limit;
        return span;
    }
    if (span && span->first == first) {
        walk_spans_remove(spans, span);
        index--;
    }
    if (!make_room(spans))
        return NULL;
    span = &spans->spans[index];
    memmove(span + 1, span, (spans->count - index) * sizeof *span);
    *span = (struct walk_span){
        .first = first, .end = first, .limit = limit, .mapped_end = mapped_end, .arena = arena};
    spans->count++;
    return span;
}

void walk_spans_remove(struct walk_spans *spans, struct walk_span *span)
{
    size_t index = (size_t)(span - spans->spans);
    free(span->marks);
    memmove(span, span + 1, (spans->count - index - 1) * sizeof *span);
    spans->count--;
}

/* The end of the main arena's memory: top ends there. Where top is elsewhere (brk failed, and
 * the arena went on in a mapping) fence posts end the span, and the mapping bounds it. */
static bool refresh_main(struct walk_span *span, const struct walk_arenas *arenas,
                         struct walk_memory *memory)
{
    uint64_t head;
    uint64_t top = walk_arenas_top(arenas, memory, 0);
    span->top = 0;
    span->end = span->mapped_end;
    if (!top)
        return false;
    if (top < span->first || top >= span->limit)
        return true;
    if (!walk_memory_read(memory, top + 8, &head, 8) || (head & ~(uint64_t)7) > span->limit - top)
        return false;
    span->top = top;
    span->end = top + (head & ~(uint64_t)7);
    return true;
}

static bool refresh_heap(struct walk_span *span, const struct walk_arenas *arenas,
                         struct walk_memory *memory)
{
    struct walk_heap heap;
    uint64_t start = span->first & ~(WALK_HEAP_MAX - 1);
    if (!walk_heap_read(arenas, memory, start, &heap) || heap.arena != span->arena ||
        heap.first_chunk != span->first)
        return false;
    uint64_t top = walk_arenas_top(arenas, memory, span->arena);
    span->end = start + heap.bytes;
    span->top = top >= span->first && top < span->end ? top : 0;
    return true;
}

static void make_marks(struct walk_span *span)
{
    uint64_t bytes = span->end - (span->first & ~(uint64_t)(WALK_PAGE_BYTES - 1));
    uint64_t pages = (bytes + WALK_PAGE_BYTES - 1) / WALK_PAGE_BYTES;
    if (pages <= span->mark_count || pages > MARK_PAGES_MAX)
        return;
    /* Of half as much again only what is used is ever backed by memory. */
    pages += pages / 2;
    uint16_t *marks = calloc(pages, sizeof *marks);
    if (!marks)
        return;
    if (span->mark_count)
        memcpy(marks, span->marks, span->mark_count * sizeof *marks);
    free(span->marks);
    span->marks = marks;
    span->mark_count = pages;
}

bool walk_span_refresh(struct walk_span *span, const struct walk_arenas *arenas,
                       struct walk_memory *memory)
{
    bool sound =
        span->arena ? refresh_heap(span, arenas, memory) : refresh_main(span, arenas, memory);
    if (sound)
        make_marks(span);
    return sound;
}

static uint64_t page_of(const struct walk_span *span, uint64_t address)
{
    return address / WALK_PAGE_BYTES - span->first / WALK_PAGE_BYTES;
}

uint64_t walk_span_below(const struct walk_span *span, uint64_t address)
{
    if (address <= span->first || !span->mark_count)
        return span->first;
    uint64_t page = page_of(span, address);
    if (page >= span->mark_count)
        page = span->mark_count - 1;
    for (uint64_t i = page + 1; i-- > 0;) {
        if (!span->marks[i])
            continue;
        uint64_t at = (span->first & ~(uint64_t)(WALK_PAGE_BYTES - 1)) + i * WALK_PAGE_BYTES +
                      (span->marks[i] - 1u) * 16;
        if (at <= address && at > span->first)
            return at;
    }
    return span->first;
}

void walk_span_mark(struct walk_span *span, uint64_t from, uint64_t at, struct walk_trust *trust)
{
    uint64_t page = page_of(span, at);
    uint64_t passed = page_of(span, from) + 1;
    if (page >= span->mark_count)
        return;
    uint16_t mark = (uint16_t)((at & (WALK_PAGE_BYTES - 1)) / 16 + 1);
    trust->agreed += span->marks[page] == mark;
    trust->differed += span->marks[page] && span->marks[page] != mark;
    if (!walk_trusted(trust))
        return;
    span->marks[page] = mark;
    if (passed < page)
        memset(span->marks + passed, 0, (page - passed) * sizeof *span->marks);
}
