/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/model/cache.h"

enum { AT_ONCE = 8 };

static void set_geometry(struct cache *cache, const struct model_level_spec *spec)
{
    cache->ways = spec->ways;
    cache->line_bytes = spec->line_bytes;
    cache->line_shift = (uint32_t)__builtin_ctzll(spec->line_bytes);
    cache->grain_shift = spec->line_bytes > 64 ? cache->line_shift - 6 : 0;
    cache->sets = spec->size_bytes / spec->line_bytes / spec->ways;
    cache->masked = !(cache->sets & (cache->sets - 1));
    cache->set_mask = cache->masked ? cache->sets - 1 : 0;
}

int cache_init(struct cache *cache, const struct model_level_spec *spec, struct memory *memory)
{
    *cache = (struct cache){.tags = NULL};
    set_geometry(cache, spec);
    uint64_t lines = cache->sets * cache->ways;
    cache->tags = memory_new(memory, lines, sizeof *cache->tags);
    cache->stamps = memory_new(memory, lines, sizeof *cache->stamps);
    cache->lines = memory_new(memory, lines, sizeof *cache->lines);
    cache->reported = memory_new(memory, lines, sizeof *cache->reported);
    cache->slots = memory_new(memory, lines, sizeof *cache->slots);
    cache->ips = memory_new(memory, lines, sizeof *cache->ips);
    cache->flags = memory_new(memory, lines, sizeof *cache->flags);
    return cache->tags && cache->stamps && cache->lines && cache->reported && cache->slots &&
                   cache->ips && cache->flags
               ? 0
               : -1;
}

/* Returns a bit mask of the next AT_ONCE entries with a given tag. */
static inline uint32_t match_tags(const uint64_t *tags, uint64_t tag)
{
    uint32_t low = (uint32_t)(tags[0] == tag) | (uint32_t)(tags[1] == tag) << 1 |
                   (uint32_t)(tags[2] == tag) << 2 | (uint32_t)(tags[3] == tag) << 3;
    uint32_t high = (uint32_t)(tags[4] == tag) << 4 | (uint32_t)(tags[5] == tag) << 5 |
                    (uint32_t)(tags[6] == tag) << 6 | (uint32_t)(tags[7] == tag) << 7;
    return low | high;
}

/* Compares several tags before it branches, because the way is not predictable. */
static uint32_t find_way(const struct cache *cache, uint32_t first, uint64_t tag)
{
    uint32_t end = first + cache->ways, index = first;
    for (; index + AT_ONCE <= end; index += AT_ONCE) {
        uint32_t matches = match_tags(&cache->tags[index], tag);
        if (matches)
            return index + (uint32_t)__builtin_ctz(matches);
    }
    for (; index < end; index++)
        if (cache->tags[index] == tag)
            return index;
    return CACHE_NONE;
}

uint32_t cache_find(const struct cache *cache, uint64_t number)
{
    uint64_t set = cache_set(cache, number);
    /* In outer levels the last used way rarely matches, and would be one more word to wait for. */
    return find_way(cache, (uint32_t)set * cache->ways, number + 1);
}

uint32_t cache_victim(const struct cache *cache, uint64_t number)
{
    uint32_t first = (uint32_t)cache_set(cache, number) * cache->ways;
    const uint64_t *stamps = &cache->stamps[first];
    uint64_t least = stamps[0];
    uint32_t found = 0;
    for (uint32_t way = 1; way < cache->ways; way++) {
        found = stamps[way] < least ? way : found;
        least = stamps[way] < least ? stamps[way] : least;
    }
    return first + found;
}

void cache_put(struct cache *cache, uint32_t index, uint64_t number)
{
    cache->tags[index] = number + 1;
    cache->ips[index] = MODEL_NONE;
    cache->slots[index] = (struct cache_slot){0};
    if (cache_tracks(cache, index)) {
        cache->lines[index] = (union model_line){0};
        cache->reported[index] = (struct model_use){0};
    }
    cache->flags[index] = 0;
    if (cache->evicted_above)
        cache->evicted_above[index].reason = 0;
    cache->lines_brought_in++;
    cache_touch(cache, index);
}

/* Keeps collisions rare. */
enum { PLACES_PER_LINE = 4 };

/* Stores an address that belongs to another slot, so no line looked up here matches. */
static void clear_fast_entry(struct cache *cache, struct model_fast *place)
{
    uint64_t elsewhere = ((uint64_t)(place - cache->fast) ^ 1) << cache->line_shift;
    *place = (struct model_fast){.address = elsewhere, .index = CACHE_NONE};
}

int fast_init(struct cache *cache, struct memory *memory)
{
    uint64_t places = memory_power_of_two((uint64_t)cache_lines(cache) * PLACES_PER_LINE);
    if (places > FAST_MAX)
        places = FAST_MAX;
    cache->fast = memory_new(memory, places, sizeof *cache->fast);
    if (!cache->fast)
        return -1;
    cache->fast_mask = places - 1;
    for (uint64_t i = 0; i < places; i++)
        clear_fast_entry(cache, &cache->fast[i]);
    return 0;
}

static struct model_fast *fast_entry(const struct cache *cache, uint64_t number)
{
    return &cache->fast[number & cache->fast_mask];
}

void fast_forget(struct cache *cache, uint32_t index)
{
    struct model_fast *place = fast_entry(cache, cache_number(cache, index));
    if (place->index == index)
        clear_fast_entry(cache, place);
}

void fast_admit(struct cache *cache, uint32_t index)
{
    uint64_t number = cache_number(cache, index);
    struct model_fast *place = fast_entry(cache, number);
    clear_fast_entry(cache, place);
    if (cache_forgot(cache, index))
        return;
    *place = (struct model_fast){.address = number << cache->line_shift,
                                 .index = index,
                                 .excluded_kinds =
                                     cache->slots[index].excluded_kinds | MODEL_INSTRUCTION |
                                     (cache_tracks(cache, index) ? MODEL_COUNTS_USE : 0)};
}

enum { DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS };

int shadow_init(struct shadow *shadow, struct shadow_real real, uint32_t lines,
                struct memory *memory)
{
    uint64_t buckets = memory_power_of_two((uint64_t)lines * 2);
    *shadow = (struct shadow){
        .real = real,
        .nodes = memory_new(memory, (uint64_t)lines + 1, sizeof *shadow->nodes),
        .buckets = memory_new(memory, buckets, sizeof *shadow->buckets),
        .waiting = memory_new(memory, lines, sizeof *shadow->waiting),
        .spare = memory_new(memory, lines, sizeof *shadow->spare),
        .capacity = lines,
        .bucket_shift = 64 - (uint32_t)__builtin_ctzll(buckets),
    };
    return shadow->nodes && shadow->buckets && shadow->waiting && shadow->spare ? 0 : -1;
}

static uint32_t *bucket_of(struct shadow *shadow, uint64_t tag)
{
    return &shadow->buckets[memory_hash(tag) >> shadow->bucket_shift];
}

static uint32_t shadow_find_node(struct shadow *shadow, uint64_t tag)
{
    uint32_t node = *bucket_of(shadow, tag);
    while (node && shadow->nodes[node].tag != tag)
        node = shadow->nodes[node].next;
    return node;
}

static void shadow_unlink(struct shadow *shadow, uint32_t node)
{
    uint32_t *link = bucket_of(shadow, shadow->nodes[node].tag);
    while (*link != node)
        link = &shadow->nodes[*link].next;
    *link = shadow->nodes[node].next;
}

static uint64_t stamp_of(const struct shadow *shadow, uint32_t node)
{
    const struct shadow_node *at = &shadow->nodes[node];
    return shadow->real.tags[at->index] == at->tag ? shadow->real.stamps[at->index] : at->stamp;
}

/* Sorts by one digit of the stamp: a stable pass of a radix sort. */
static void sort_by_digit(struct shadow *shadow, uint32_t count, uint32_t shift)
{
    uint32_t starts[DIGITS] = {0};
    uint32_t start = 0;
    for (uint32_t i = 0; i < count; i++)
        starts[shadow->waiting[i].stamp >> shift & (DIGITS - 1)]++;
    for (uint32_t digit = 0; digit < DIGITS; digit++) {
        uint32_t length = starts[digit];
        starts[digit] = start;
        start += length;
    }
    for (uint32_t i = 0; i < count; i++)
        shadow->spare[starts[shadow->waiting[i].stamp >> shift & (DIGITS - 1)]++] =
            shadow->waiting[i];
    struct shadow_waiting *sorted = shadow->spare;
    shadow->spare = shadow->waiting;
    shadow->waiting = sorted;
}

static void shadow_sort(struct shadow *shadow)
{
    uint32_t count = shadow->behind;
    uint64_t differ = 0;
    for (uint32_t i = 0; i < count; i++) {
        shadow->waiting[i].stamp = stamp_of(shadow, shadow->waiting[i].node);
        differ |= shadow->waiting[i].stamp ^ shadow->waiting[0].stamp;
    }
    for (uint32_t shift = 0; shift < 64 && differ >> shift; shift += DIGIT_BITS)
        if (differ >> shift & (DIGITS - 1))
            sort_by_digit(shadow, count, shift);
    shadow->head = shadow->behind = 0;
    shadow->end = count;
}

static void shadow_queue_append(struct shadow *shadow, uint32_t node)
{
    shadow->waiting[shadow->behind++].node = node;
}

/* Removes and returns the least recently used node. Only called when all nodes are in use: each
 * node taken from the queue makes room for one behind, so both fit into one array. */
static uint32_t shadow_take_oldest(struct shadow *shadow)
{
    for (;;) {
        if (shadow->head == shadow->end)
            shadow_sort(shadow);
        struct shadow_waiting *first = &shadow->waiting[shadow->head++];
        uint32_t node = first->node;
        if (stamp_of(shadow, node) == first->stamp)
            return node;
        shadow_queue_append(shadow, node);
    }
}

/* Evicts a line from the shadow. If the real cache has the line, it no longer has a node. */
static void shadow_evict(struct shadow *shadow, uint32_t node)
{
    uint32_t index = shadow->nodes[node].index;
    shadow_unlink(shadow, node);
    if (shadow->real.tags[index] != shadow->nodes[node].tag)
        return;
    shadow->real.nodes[index] = 0;
    shadow->real.flags[index] |= CACHE_FORGOTTEN;
    shadow->evicted_index = index;
}

/* Returns a node for a new line: an unused one, or the oldest. */
static uint32_t shadow_make_node(struct shadow *shadow, uint64_t tag)
{
    uint32_t node;
    if (shadow->count < shadow->capacity) {
        node = ++shadow->count;
    } else {
        node = shadow_take_oldest(shadow);
        shadow_evict(shadow, node);
    }
    uint32_t *bucket = bucket_of(shadow, tag);
    shadow->nodes[node].tag = tag;
    shadow->nodes[node].next = *bucket;
    *bucket = node;
    shadow_queue_append(shadow, node);
    return node;
}

bool shadow_touch(struct shadow *shadow, uint64_t number, uint64_t stamp, uint32_t *node)
{
    bool there = (*node = shadow_find_node(shadow, number + 1)) != 0;
    shadow->evicted_index = SHADOW_NONE;
    if (!there)
        *node = shadow_make_node(shadow, number + 1);
    shadow->nodes[*node].stamp = stamp;
    return there;
}
