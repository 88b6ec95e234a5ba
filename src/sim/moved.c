/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/moved.h"

/* Arrays lie where no program on x86-64 Linux has memory under Valgrind: 1 TiB for each, and each
 * some pages further, so that they do not all begin in one set. */
#define ARRAYS_AT UINT64_C(0x600000000000)
enum { ARRAY_SHIFT = 40, PAGE_BYTES = 4096, PAGES_APART = 37 };
enum { CHUNK_SHIFT = 16, GRANULE_SHIFT = 4, GRANULES = 1 << (CHUNK_SHIFT - GRANULE_SHIFT) };
enum { CHUNKS_FIRST = 256 };

/* Elements between which each array is aligned. */
static uint32_t step_of(const struct relayout *relayout)
{
    uint32_t step = 1;
    for (uint32_t i = 0; i < relayout->array_count; i++) {
        uint32_t low_bit = relayout->array[i].stride_bytes & -relayout->array[i].stride_bytes;
        uint32_t align = relayout->array[i].align_bytes;
        uint32_t its = low_bit < align ? align / low_bit : 1;
        step = its > step ? its : step;
    }
    return step;
}

int moved_init(struct moved *moved, const struct relayout *relayout, struct memory *memory)
{
    *moved = (struct moved){
        .relayout = *relayout, .memory = memory, .low = UINT64_MAX, .high = UINT64_MAX};
    moved->step = step_of(relayout);
    moved->chunk_mask = CHUNKS_FIRST - 1;
    moved->chunks = memory_new(memory, CHUNKS_FIRST, sizeof *moved->chunks);
    if (!moved->chunks)
        return -1;
    return ids_init(&moved->blocks, MOVED_BLOCKS_MAX, sizeof(struct moved_block), memory);
}

/* ---- who lies where ---- */

static struct moved_chunk *chunk_slot(struct moved_chunk *chunks, uint64_t mask, uint64_t number)
{
    uint64_t slot = memory_hash(number) & mask;
    while (chunks[slot].number && chunks[slot].number != number + 1)
        slot = (slot + 1) & mask;
    return &chunks[slot];
}

static bool grow_chunks(struct moved *moved)
{
    uint64_t mask = moved->chunk_mask * 2 + 1;
    struct moved_chunk *more = memory_new(moved->memory, mask + 1, sizeof *more);
    if (!more)
        return false;
    for (uint64_t i = 0; i <= moved->chunk_mask; i++)
        if (moved->chunks[i].number)
            *chunk_slot(more, mask, moved->chunks[i].number - 1) = moved->chunks[i];
    moved->chunks = more;
    moved->chunk_mask = mask;
    moved->last = NULL;
    return true;
}

static struct moved_chunk *make_chunk(struct moved *moved, uint64_t number)
{
    if (moved->chunks_used * 2 > moved->chunk_mask && !grow_chunks(moved))
        return NULL;
    struct moved_chunk *chunk = chunk_slot(moved->chunks, moved->chunk_mask, number);
    moved->chunks_used += !chunk->number;
    chunk->number = number + 1;
    return chunk;
}

static uint32_t granule(uint64_t address)
{
    return (uint32_t)(address >> GRANULE_SHIFT) % GRANULES;
}

/* Marks [start, end), which lies in one chunk, with `mark`; takes only `old` away. */
static bool mark_chunk(struct moved *moved, uint64_t start, uint64_t end, uint32_t mark,
                       uint32_t old)
{
    struct moved_chunk *chunk = make_chunk(moved, start >> CHUNK_SHIFT);
    if (!chunk)
        return false;
    if (end - start == UINT64_C(1) << CHUNK_SHIFT) {
        chunk->whole = mark || chunk->whole == old ? mark : chunk->whole;
        return true;
    }
    /* Of a block whose end was not told: it cannot be there any more. */
    chunk->whole = mark ? 0 : chunk->whole;
    if (!chunk->granules && mark)
        chunk->granules = memory_new(moved->memory, GRANULES, sizeof *chunk->granules);
    for (uint32_t i = granule(start); chunk->granules && i <= granule(end - 1); i++)
        if (mark || chunk->granules[i] == old)
            chunk->granules[i] = mark;
    return chunk->granules || !mark;
}

static bool mark(struct moved *moved, uint64_t start, uint64_t end, uint32_t with, uint32_t old)
{
    while (start < end) {
        uint64_t next = ((start >> CHUNK_SHIFT) + 1) << CHUNK_SHIFT;
        next = next < end ? next : end;
        if (!mark_chunk(moved, start, next, with, old))
            return false;
        start = next;
    }
    return true;
}

const struct moved_block *moved_find_slow(struct moved *moved, uint64_t address)
{
    uint64_t number = address >> CHUNK_SHIFT;
    if (!moved->last || moved->last->number != number + 1)
        moved->last = chunk_slot(moved->chunks, moved->chunk_mask, number);
    const struct moved_chunk *chunk = moved->last;
    if (!chunk->number) {
        moved->last = NULL;
        return NULL;
    }
    uint32_t index = chunk->whole;
    if (!index && chunk->granules)
        index = chunk->granules[granule(address)];
    const struct moved_block *block = index ? ids_find(&moved->blocks, index - 1) : NULL;
    return block && address - block->start < block->bytes ? block : NULL;
}

/* ---- where it goes ---- */

/* NULL: there are blocks of too many sizes; these find no place again. */
static struct moved_class *class_of(struct moved *moved, uint32_t count)
{
    uint64_t at = memory_hash(count);
    for (uint32_t i = 0; i < 8; i++) {
        struct moved_class *class = &moved->classes[(at + i) % MOVED_CLASSES];
        if (!class->count)
            class->count = count;
        if (class->count == count)
            return class;
    }
    return NULL;
}

static uint32_t elements_of(const struct moved *moved, uint64_t bytes)
{
    uint64_t element_bytes = moved->relayout.element_bytes;
    uint64_t count = element_bytes ? bytes / element_bytes : 1;
    return count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
}

/* Index of a block without bytes, but with a place in the arrays; MOVED_BLOCKS_MAX: no room. */
static uint32_t take_place(struct moved *moved, uint32_t count)
{
    struct moved_class *class = class_of(moved, count);
    if (class && class->gone) {
        uint32_t index = class->gone - 1;
        class->gone = ((struct moved_block *)ids_find(&moved->blocks, index))->next;
        return index;
    }
    struct moved_block *block = ids_make(&moved->blocks, moved->used, moved->memory);
    if (!block)
        return MOVED_BLOCKS_MAX;
    uint64_t first = (moved->next_element + moved->step - 1) / moved->step * moved->step;
    *block = (struct moved_block){.first = first, .count = count};
    moved->next_element = first + count;
    return moved->used++;
}

static void widen(struct moved *moved, uint64_t start, uint64_t end)
{
    bool empty = moved->low == UINT64_MAX;
    moved->low = start < moved->low ? start : moved->low;
    moved->high = empty || end > moved->high ? end : moved->high;
}

static void give_place(struct moved *moved, struct moved_block *block, uint32_t index)
{
    struct moved_class *class = class_of(moved, block->count);
    block->bytes = 0;
    moved->live--;
    if (!class)
        return;
    block->next = class->gone;
    class->gone = index + 1;
}

bool moved_remove(struct moved *moved, uint64_t start)
{
    const struct moved_block *found = moved_find(moved, start);
    if (!found || found->start != start)
        return false;
    const struct moved_chunk *chunk = moved->last;
    uint32_t index = (chunk->whole ? chunk->whole : chunk->granules[granule(start)]) - 1;
    struct moved_block *block = ids_find(&moved->blocks, index);
    mark(moved, start, start + block->bytes, 0, index + 1);
    give_place(moved, block, index);
    return true;
}

bool moved_add(struct moved *moved, uint64_t start, uint64_t bytes)
{
    uint64_t end;
    if (!bytes || __builtin_add_overflow(start, bytes, &end) || end > ARRAYS_AT)
        return false;
    moved_remove(moved, start);
    uint32_t index = take_place(moved, elements_of(moved, bytes));
    if (index == MOVED_BLOCKS_MAX) {
        moved->refused++;
        return false;
    }
    struct moved_block *block = ids_find(&moved->blocks, index);
    moved->small += !block->count;
    block->start = start;
    block->bytes = bytes;
    moved->live++;
    if (!mark(moved, start, end, index + 1, 0)) {
        mark(moved, start, end, 0, index + 1);
        give_place(moved, block, index);
        moved->refused++;
        return false;
    }
    widen(moved, start, end);
    return true;
}

/* ---- by address ---- */

static uint64_t array_base(const struct relayout *relayout, uint32_t array)
{
    uint64_t base =
        ARRAYS_AT + ((uint64_t)array << ARRAY_SHIFT) + (uint64_t)array * PAGES_APART * PAGE_BYTES;
    bool in_phase = !array && relayout->array[0].align_bytes <= 1;
    return base + (in_phase ? relayout->phase_bytes % PAGE_BYTES : 0);
}

uint64_t moved_map(const struct moved *moved, const struct moved_block *block, uint64_t address,
                   uint32_t *bytes)
{
    const struct relayout *relayout = &moved->relayout;
    uint64_t offset = address - block->start;
    uint64_t element = 0;
    if (!relayout->part_count)
        return address;
    if (offset >= relayout->element_bytes) {
        element = offset / relayout->element_bytes;
        offset -= element * relayout->element_bytes;
    }
    const struct relayout_part *part =
        element < block->count ? relayout_find(relayout, (uint32_t)offset) : NULL;
    /* Bytes of no part: one at a time, which is seldom asked for. */
    uint32_t room = part ? part->end_bytes - (uint32_t)offset : 1;
    *bytes = *bytes < room ? *bytes : room;
    if (!part)
        return address;
    const struct relayout_array *array = &relayout->array[part->array];
    return array_base(relayout, part->array) + (block->first + element) * array->stride_bytes +
           part->at_bytes + (offset - part->from_bytes);
}
