/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/model/whatif.h"

#include <stddef.h>

#include "sim/model/state.h"

/* Returns the least recently used of the ways used after `after`; CACHE_NONE: none. Stamps are
 * unique, because each use has its own. */
static uint32_t next_used_way(const struct cache *cache, uint32_t first, uint64_t after)
{
    uint32_t found = CACHE_NONE;
    for (uint32_t index = first; index < first + cache->ways; index++)
        if (cache->tags[index] && cache->stamps[index] > after &&
            (found == CACHE_NONE || cache->stamps[index] < cache->stamps[found]))
            found = index;
    return found;
}

enum { WARM_STEP_BYTES = 4, TOUCHED_BYTES = 64 << 20 };

static int whatif_fail(struct whatif *whatif, const char *text)
{
    whatif->memory.host.fail(whatif->memory.host.context, text);
    return -1;
}

int whatif_init(struct whatif *whatif, const struct relayout *relayout,
                const struct model_spec *spec, const struct model_host *host)
{
    const char *refused = relayout_refuse(relayout);
    struct model_spec second = *spec;
    *whatif = (struct whatif){.memory = {.host = *host}};
    second.causes = second.use = false;
    second.users_one_in = second.reuse_lines = 0;
    if (refused)
        return whatif_fail(whatif, refused);
    if (moved_init(&whatif->moved, relayout, &whatif->memory))
        return whatif_fail(whatif, "no memory for the blocks of the object");
    if (!relayout->part_count)
        return 0;
    whatif->touched_left_bytes = TOUCHED_BYTES;
    whatif->line_shift = (uint32_t)__builtin_ctz(spec->level[spec->level_count - 1].line_bytes);
    lines_init(&whatif->touched, &whatif->memory, &whatif->touched_left_bytes);
    whatif->settles_after = spec->level[spec->level_count - 1].size_bytes >> whatif->line_shift;
    whatif->memory.host.miss = NULL;
    whatif->memory.host.eviction = NULL;
    whatif->model = model_new(&second, &whatif->memory.host);
    return whatif->model ? whatif_runs(whatif, 0) : -1;
}

int whatif_runs(struct whatif *whatif, uint32_t thread)
{
    if (whatif->model)
        whatif->thread = model_thread(whatif->model, thread);
    return whatif->model && !whatif->thread ? -1 : 0;
}

/* Returns true if a line of the new layout is fetched for the first time. */
static bool touch_new_line(struct whatif *whatif, uint64_t address)
{
    uint64_t number = address >> whatif->line_shift;
    uint8_t *bits = lines_bits(&whatif->touched, number);
    uint8_t bit = (uint8_t)(1u << number % 8);
    bool first = bits && !(*bits & bit);
    if (first)
        *bits |= bit;
    return first;
}

/* ---- contents of the first model's caches ---- */

/* A line of the object may have parts in several lines of the new layout. */
static void warm_line(struct whatif *whatif, uint64_t address, uint32_t line_bytes)
{
    uint64_t before = UINT64_MAX;
    for (uint32_t done = 0; done < line_bytes; done += WARM_STEP_BYTES) {
        uint32_t bytes = 1;
        const struct moved_block *block = moved_find(&whatif->moved, address + done);
        uint64_t to = address + done;
        to = block ? moved_map(&whatif->moved, block, to, &bytes) : to;
        if (block)
            touch_new_line(whatif, to);
        if (to / line_bytes != before)
            model_access(whatif->thread, to, 1, MODEL_LOAD, MODEL_NONE);
        before = to / line_bytes;
    }
}

/* Loads the lines of a thread's data cache, set by set, least recently used first. */
static void warm_cache(struct whatif *whatif, const struct cache *cache)
{
    for (uint64_t set = 0; set < cache->sets; set++) {
        uint32_t first = (uint32_t)set * cache->ways;
        uint32_t index;
        for (uint64_t after = 0; (index = next_used_way(cache, first, after)) != CACHE_NONE;
             after = cache->stamps[index])
            warm_line(whatif, cache_number(cache, index) << cache->line_shift, cache->line_bytes);
    }
}

/* Loads the contents of the first model, from the last level up: each level also orders the lines
 * of the levels above. */
static int warm_caches(struct whatif *whatif, const struct model *first)
{
    for (uint32_t thread = 0; thread < first->threads_end; thread++) {
        if (whatif_runs(whatif, thread))
            return -1;
        for (uint32_t level = first->spec.level_count; level-- > 0 && first->threads[thread];)
            warm_cache(whatif, first->threads[thread]->path[level]);
    }
    return 0;
}

int whatif_begin(struct whatif *whatif, const struct model *first)
{
    int code = whatif->model ? warm_caches(whatif, first) : 0;
    whatif->counts = (struct whatif_counts){0};
    return code;
}

/* ---- accesses ---- */

static void whatif_count_miss(uint64_t *misses, uint32_t served)
{
    for (uint32_t level = 0; level < served && level < MODEL_LEVELS_MAX; level++)
        misses[level]++;
}

static void access_second_model(struct whatif *whatif, uint64_t address, uint32_t size_bytes,
                                uint32_t kind, uint32_t ip, bool object)
{
    uint32_t served = model_access(whatif->thread, address, size_bytes, kind, ip);
    if (__builtin_expect(!served, 1))
        return;
    whatif_count_miss(whatif->counts.after.all, served);
    if (!object)
        return;
    whatif_count_miss(whatif->counts.after.object, served);
    if (touch_new_line(whatif, address))
        whatif_count_miss(whatif->counts.cold_misses, served);
}

/* Makes an access in the new layout. Bytes that are contiguous there are one access. */
static void access_moved(struct whatif *whatif, const struct moved_block *block, uint64_t address,
                         uint32_t size_bytes, uint32_t kind, uint32_t ip)
{
    uint32_t bytes = size_bytes;
    uint64_t to = moved_map(&whatif->moved, block, address, &bytes);
    uint32_t done = bytes;
    while (done < size_bytes) {
        uint32_t more = size_bytes - done;
        uint64_t next = moved_map(&whatif->moved, block, address + done, &more);
        done += more;
        if (next == to + bytes) {
            bytes += more;
            continue;
        }
        access_second_model(whatif, to, bytes, kind, ip, true);
        whatif->counts.split_accesses++;
        to = next;
        bytes = more;
    }
    access_second_model(whatif, to, bytes, kind, ip, true);
}

static void whatif_settle(struct whatif *whatif)
{
    uint32_t last = whatif->model->spec.level_count - 1;
    if (whatif->counts.after.all[last] < whatif->settles_after)
        return;
    whatif->settles_after = 0;
    whatif->counts = (struct whatif_counts){0};
}

void whatif_access(struct whatif *whatif, uint64_t address, uint32_t size_bytes, uint32_t kind,
                   uint32_t ip, uint32_t served)
{
    struct whatif_counts *counts = &whatif->counts;
    const struct moved_block *block = moved_find(&whatif->moved, address);
    if (__builtin_expect(whatif->settles_after != 0, 0))
        whatif_settle(whatif);
    counts->accesses++;
    counts->object_accesses += block != NULL;
    if (served) {
        whatif_count_miss(counts->before.all, served);
        if (block)
            whatif_count_miss(counts->before.object, served);
    }
    if (!whatif->model)
        return;
    if (block)
        access_moved(whatif, block, address, size_bytes, kind, ip);
    else
        access_second_model(whatif, address, size_bytes, kind, ip, false);
}

static const char *refuse_arrays(const struct relayout *relayout)
{
    for (uint32_t i = 0; i < relayout->array_count; i++) {
        const struct relayout_array *array = &relayout->array[i];
        if (!array->stride_bytes || array->stride_bytes > RELAYOUT_STRIDE_MAX)
            return "array elements have no size, or are too large";
        if (!array->align_bytes || array->align_bytes & (array->align_bytes - 1) ||
            array->align_bytes > RELAYOUT_STRIDE_MAX)
            return "arrays are aligned to powers of two";
    }
    return NULL;
}

static const char *refuse_relayout_part(const struct relayout *relayout,
                                        const struct relayout_part *part)
{
    if (part->end_bytes <= part->from_bytes || part->end_bytes > relayout->element_bytes)
        return "a part is empty, or extends past its element";
    if (part->array >= relayout->array_count)
        return "a part has no array";
    if ((uint64_t)part->at_bytes + (part->end_bytes - part->from_bytes) >
        relayout->array[part->array].stride_bytes)
        return "a part does not fit into its stride";
    return NULL;
}

const char *relayout_refuse(const struct relayout *relayout)
{
    uint32_t before_bytes = 0;
    if (relayout->part_count > RELAYOUT_PARTS_MAX || relayout->array_count > RELAYOUT_PARTS_MAX)
        return "more than 32 parts";
    if (relayout->element_bytes > RELAYOUT_ELEMENT_MAX ||
        (relayout->part_count && !relayout->element_bytes))
        return "elements have no size, or are too large";
    const char *refused = refuse_arrays(relayout);
    for (uint32_t i = 0; i < relayout->part_count && !refused; i++) {
        const struct relayout_part *part = &relayout->part[i];
        refused = part->from_bytes < before_bytes ? "parts overlap, or are out of order"
                                                  : refuse_relayout_part(relayout, part);
        before_bytes = part->end_bytes;
    }
    return refused;
}

/* Returns the part with byte `offset` of an element; NULL: none, the byte does not move. */
static const struct relayout_part *relayout_find(const struct relayout *relayout, uint32_t offset)
{
    for (uint32_t i = 0; i < relayout->part_count; i++)
        if (offset - relayout->part[i].from_bytes <
            relayout->part[i].end_bytes - relayout->part[i].from_bytes)
            return &relayout->part[i];
    return NULL;
}

/* Arrays have addresses at which x86-64 Linux programs have no memory under Valgrind: 1 TiB each,
 * and offset by some pages so that they do not all start in one set. */
#define ARRAYS_AT UINT64_C(0x600000000000)
enum { ARRAY_SHIFT = 40, PAGE_BYTES = 4096, PAGES_APART = 37 };
enum { CHUNK_SHIFT = 16, GRANULE_SHIFT = 4, GRANULES = 1 << (CHUNK_SHIFT - GRANULE_SHIFT) };
enum { CHUNKS_FIRST = 256 };

/* Returns the number of elements after which every array is aligned. */
static uint32_t aligned_step(const struct relayout *relayout)
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
    moved->step = aligned_step(relayout);
    moved->chunk_mask = CHUNKS_FIRST - 1;
    moved->chunks = memory_new(memory, CHUNKS_FIRST, sizeof *moved->chunks);
    if (!moved->chunks)
        return -1;
    return ids_init(&moved->blocks, MOVED_BLOCKS_MAX, sizeof(struct moved_block), memory);
}

/* ---- lookup by address ---- */

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

static uint32_t granule_index(uint64_t address)
{
    return (uint32_t)(address >> GRANULE_SHIFT) % GRANULES;
}

/* Marks [start, end), within one chunk, with `mark`; mark 0 only removes `old`. */
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
    /* A remnant of a block that no longer exists although its end was not reported. */
    chunk->whole = mark ? 0 : chunk->whole;
    if (!chunk->granules && mark)
        chunk->granules = memory_new(moved->memory, GRANULES, sizeof *chunk->granules);
    for (uint32_t i = granule_index(start); chunk->granules && i <= granule_index(end - 1); i++)
        if (mark || chunk->granules[i] == old)
            chunk->granules[i] = mark;
    return chunk->granules || !mark;
}

static bool mark_range(struct moved *moved, uint64_t start, uint64_t end, uint32_t with,
                       uint32_t old)
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
        index = chunk->granules[granule_index(address)];
    const struct moved_block *block = index ? ids_find(&moved->blocks, index - 1) : NULL;
    return block && address - block->start < block->bytes ? block : NULL;
}

/* ---- allocation of places ---- */

/* Returns the size class of `count` elements; NULL: too many classes, places are not reused. */
static struct moved_class *moved_class_of_count(struct moved *moved, uint32_t count)
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

static uint32_t element_count(const struct moved *moved, uint64_t bytes)
{
    uint64_t element_bytes = moved->relayout.element_bytes;
    uint64_t count = element_bytes ? bytes / element_bytes : 1;
    return count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
}

/* Returns the index of an empty block with a place in the arrays; MOVED_BLOCKS_MAX: no room. */
static uint32_t take_block_place(struct moved *moved, uint32_t count)
{
    struct moved_class *class = moved_class_of_count(moved, count);
    if (class && class->free_list) {
        uint32_t index = class->free_list - 1;
        class->free_list = ((struct moved_block *)ids_find(&moved->blocks, index))->next;
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

static void widen_moved_range(struct moved *moved, uint64_t start, uint64_t end)
{
    bool empty = moved->low == UINT64_MAX;
    moved->low = start < moved->low ? start : moved->low;
    moved->high = empty || end > moved->high ? end : moved->high;
}

static void give_block_place(struct moved *moved, struct moved_block *block, uint32_t index)
{
    struct moved_class *class = moved_class_of_count(moved, block->count);
    block->bytes = 0;
    moved->live--;
    if (!class)
        return;
    block->next = class->free_list;
    class->free_list = index + 1;
}

bool moved_remove(struct moved *moved, uint64_t start)
{
    const struct moved_block *found = moved_find(moved, start);
    if (!found || found->start != start)
        return false;
    const struct moved_chunk *chunk = moved->last;
    uint32_t index = (chunk->whole ? chunk->whole : chunk->granules[granule_index(start)]) - 1;
    struct moved_block *block = ids_find(&moved->blocks, index);
    mark_range(moved, start, start + block->bytes, 0, index + 1);
    give_block_place(moved, block, index);
    return true;
}

bool moved_add(struct moved *moved, uint64_t start, uint64_t bytes)
{
    uint64_t end;
    if (!bytes || __builtin_add_overflow(start, bytes, &end) || end > ARRAYS_AT)
        return false;
    moved_remove(moved, start);
    uint32_t index = take_block_place(moved, element_count(moved, bytes));
    if (index == MOVED_BLOCKS_MAX) {
        moved->refused++;
        return false;
    }
    struct moved_block *block = ids_find(&moved->blocks, index);
    moved->unmoved_blocks += !block->count;
    block->start = start;
    block->bytes = bytes;
    moved->live++;
    if (!mark_range(moved, start, end, index + 1, 0)) {
        mark_range(moved, start, end, 0, index + 1);
        give_block_place(moved, block, index);
        moved->refused++;
        return false;
    }
    widen_moved_range(moved, start, end);
    return true;
}

/* ---- mapping of addresses ---- */

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
    /* Bytes outside all parts are mapped one at a time, which is rare. */
    uint32_t room = part ? part->end_bytes - (uint32_t)offset : 1;
    *bytes = *bytes < room ? *bytes : room;
    if (!part)
        return address;
    const struct relayout_array *array = &relayout->array[part->array];
    return array_base(relayout, part->array) + (block->first + element) * array->stride_bytes +
           part->at_bytes + (offset - part->from_bytes);
}
