/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/fast.h"

/* So that few lines have to share a place. */
enum { PLACES_PER_LINE = 4 };

int fast_init(struct cache *cache, struct memory *memory)
{
    uint64_t places = memory_power_of_two((uint64_t)cache_lines(cache) * PLACES_PER_LINE);
    if (places > FAST_MAX)
        places = FAST_MAX;
    cache->fast = memory_new(memory, places, sizeof *cache->fast);
    cache->unread = memory_new(memory, 1, sizeof *cache->unread);
    if (!cache->fast || !cache->unread)
        return -1;
    cache->fast_mask = places - 1;
    model_fast_clear(cache->fast, cache->fast_mask, cache->line_shift, cache->unread);
    return 0;
}

static struct model_fast *place_of(const struct cache *cache, uint64_t number)
{
    return &cache->fast[number & cache->fast_mask];
}

static void clear(struct cache *cache, struct model_fast *place)
{
    *place = model_fast_nothing((uint64_t)(place - cache->fast), cache->line_shift, cache->unread);
}

void fast_forget(struct cache *cache, uint32_t index)
{
    struct model_fast *place = place_of(cache, cache_number(cache, index));
    if (place->line == &cache->lines[index])
        clear(cache, place);
}

void fast_admit(struct cache *cache, uint32_t index)
{
    uint64_t number = cache_number(cache, index);
    struct model_line *line = &cache->lines[index];
    struct model_fast *place = place_of(cache, number);
    clear(cache, place);
    if ((cache->recent && cache->recent[cache_set(cache, number)] != index) ||
        (cache->shadow && !cache->nodes[index]))
        return;
    place->line = line;
    if (cache->stamps)
        place->stamp = &cache->stamps[index];
    if (!(line->slow & MODEL_LOAD))
        place->loads = number << cache->line_shift;
    if (!(line->slow & MODEL_STORE))
        place->stores = number << cache->line_shift;
}
