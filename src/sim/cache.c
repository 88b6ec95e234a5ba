/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/cache.h"

#include "sim/fast.h"

enum { AT_ONCE = 8 };

static uint32_t log2_of(uint64_t power)
{
    return (uint32_t)__builtin_ctzll(power);
}

static void set_shape(struct cache *cache, const struct model_level_spec *spec)
{
    cache->ways = spec->ways;
    cache->line_bytes = spec->line_bytes;
    cache->line_shift = log2_of(spec->line_bytes);
    cache->grain_shift = spec->line_bytes > 64 ? cache->line_shift - 6 : 0;
    cache->sets = spec->size_bytes / spec->line_bytes / spec->ways;
    cache->masked = !(cache->sets & (cache->sets - 1));
    cache->set_mask = cache->masked ? cache->sets - 1 : 0;
    cache->policy = spec->policy;
    cache->inclusive = spec->inclusive;
}

static int init_trees(struct cache *cache, struct memory *memory)
{
    cache->recent = memory_new(memory, cache->sets, sizeof *cache->recent);
    cache->trees = memory_new(memory, cache->sets, sizeof *cache->trees);
    if (!cache->recent || !cache->trees)
        return -1;
    for (uint64_t set = 0; set < cache->sets; set++)
        cache->recent[set] = (uint32_t)set * cache->ways;
    return 0;
}

int cache_init(struct cache *cache, const struct model_level_spec *spec, uint64_t seed, bool timed,
               struct memory *memory)
{
    *cache = (struct cache){.random = seed};
    set_shape(cache, spec);
    uint64_t lines = cache->sets * cache->ways;
    cache->tags = memory_new(memory, lines, sizeof *cache->tags);
    cache->lines = memory_new(memory, lines, sizeof *cache->lines);
    cache->slots = memory_new(memory, lines, sizeof *cache->slots);
    if (!cache->tags || !cache->lines || !cache->slots)
        return -1;
    if (timed || cache->policy == MODEL_LRU)
        cache->stamps = memory_new(memory, lines, sizeof *cache->stamps);
    if ((timed || cache->policy == MODEL_LRU) && !cache->stamps)
        return -1;
    return cache->policy == MODEL_TREE_PLRU ? init_trees(cache, memory) : 0;
}

/* Bit by bit where a tag stands among the next AT_ONCE. */
static inline uint32_t match(const uint64_t *tags, uint64_t tag)
{
    uint32_t low = (uint32_t)(tags[0] == tag) | (uint32_t)(tags[1] == tag) << 1 |
                   (uint32_t)(tags[2] == tag) << 2 | (uint32_t)(tags[3] == tag) << 3;
    uint32_t high = (uint32_t)(tags[4] == tag) << 4 | (uint32_t)(tags[5] == tag) << 5 |
                    (uint32_t)(tags[6] == tag) << 6 | (uint32_t)(tags[7] == tag) << 7;
    return low | high;
}

/* Which way it will be cannot be foreseen, so some are compared before anything is decided. */
static uint32_t find_way(const struct cache *cache, uint32_t first, uint64_t tag)
{
    uint32_t end = first + cache->ways, index = first;
    for (; index + AT_ONCE <= end; index += AT_ONCE) {
        uint32_t matches = match(&cache->tags[index], tag);
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
    /* Further down the way used last is seldom it, and one word more to wait for. */
    return find_way(cache, (uint32_t)set * cache->ways, number + 1);
}

/* Turns every node on the way to a leaf away from it. */
static uint64_t tree_touch(uint64_t tree, uint32_t way, uint32_t ways)
{
    for (uint32_t node = ways + way; node > 1; node >>= 1) {
        uint64_t parent = UINT64_C(1) << (node >> 1);
        tree = node & 1 ? tree & ~parent : tree | parent;
    }
    return tree;
}

static uint32_t tree_victim(uint64_t tree, uint32_t ways)
{
    uint32_t node = 1;
    while (node < ways)
        node = node << 1 | (tree >> node & 1);
    return node - ways;
}

void cache_touch(struct cache *cache, uint32_t index)
{
    if (cache->stamps)
        cache->stamps[index] = *cache->now;
    if (!cache->recent)
        return;
    uint32_t set = (uint32_t)cache_set(cache, cache_number(cache, index));
    if (cache->fast && cache->recent[set] != index)
        fast_forget(cache, cache->recent[set]);
    cache->recent[set] = index;
    cache->trees[set] = tree_touch(cache->trees[set], index - set * cache->ways, cache->ways);
}

static uint32_t oldest(const struct cache *cache, uint32_t first)
{
    uint32_t found = first;
    for (uint32_t index = first + 1; index < first + cache->ways; index++)
        if (cache->stamps[index] < cache->stamps[found])
            found = index;
    return found;
}

/* Marsaglia's xorshift64*; the upper bits, by multiplication. */
static uint32_t random_way(struct cache *cache)
{
    cache->random ^= cache->random >> 12;
    cache->random ^= cache->random << 25;
    cache->random ^= cache->random >> 27;
    uint64_t drawn = cache->random * UINT64_C(0x2545f4914f6cdd1d);
    return (uint32_t)((drawn >> 32) * cache->ways >> 32);
}

uint32_t cache_victim(struct cache *cache, uint64_t number)
{
    uint64_t set = cache_set(cache, number);
    uint32_t first = (uint32_t)set * cache->ways;
    for (uint32_t index = first; index < first + cache->ways; index++)
        if (!cache->tags[index])
            return index;
    if (cache->policy == MODEL_LRU)
        return oldest(cache, first);
    if (cache->policy == MODEL_TREE_PLRU)
        return first + tree_victim(cache->trees[set], cache->ways);
    return first + random_way(cache);
}

void cache_put(struct cache *cache, uint32_t index, uint64_t number)
{
    cache->tags[index] = number + 1;
    cache->lines[index] = (struct model_line){.ip = MODEL_NOBODY};
    cache->slots[index] = (struct cache_slot){.bin = MODEL_NOBODY};
    cache_touch(cache, index);
}
