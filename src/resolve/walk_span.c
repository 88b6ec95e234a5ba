/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/walk_span.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

enum { MARKS_MAX = 1 << 30 }; /* 1 TiB of heap: a GiB of marks, if ever touched */

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
    struct walk_span *more =
        array_more(spans->spans, &spans->room, spans->count, sizeof *more, WALK_SPANS_MAX);
    if (!more)
        return false;
    spans->spans = more;
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
    uint64_t bytes = span->end - (span->first & ~(uint64_t)(WALK_MARK_BYTES - 1));
    uint64_t cells = (bytes + WALK_MARK_BYTES - 1) / WALK_MARK_BYTES;
    if (cells <= span->mark_count || cells > MARKS_MAX)
        return;
    /* Of half as much again only what is used is ever backed by memory. */
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

bool walk_span_refresh(struct walk_span *span, const struct walk_arenas *arenas,
                       struct walk_memory *memory)
{
    bool sound =
        span->arena ? refresh_heap(span, arenas, memory) : refresh_main(span, arenas, memory);
    if (sound)
        make_marks(span);
    return sound;
}

static uint64_t cell_of(const struct walk_span *span, uint64_t address)
{
    return address / WALK_MARK_BYTES - span->first / WALK_MARK_BYTES;
}

uint64_t walk_span_below(const struct walk_span *span, uint64_t address)
{
    if (address <= span->first || !span->mark_count)
        return span->first;
    uint64_t cell = cell_of(span, address);
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
    uint64_t cell = cell_of(span, at);
    uint64_t passed = cell_of(span, from) + 1;
    if (cell >= span->mark_count)
        return;
    uint8_t mark = (uint8_t)((at & (WALK_MARK_BYTES - 1)) / 16 + 1);
    trust->agreed += span->marks[cell] == mark;
    trust->differed += span->marks[cell] && span->marks[cell] != mark;
    if (!walk_trusted(trust))
        return;
    span->marks[cell] = mark;
    if (passed < cell)
        memset(span->marks + passed, 0, (cell - passed) * sizeof *span->marks);
}
