/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/fast.h"

int fast_init(struct cache *cache, struct memory *memory)
{
    uint64_t places = memory_power_of_two(cache->sets < 2 ? 2 : cache->sets);
    if (places > FAST_MAX)
        places = FAST_MAX;
    cache->fast = memory_new(memory, places, sizeof *cache->fast);
    if (!cache->fast)
        return -1;
    cache->fast_mask = places - 1;
    model_fast_clear(cache->fast, cache->fast_mask, cache->line_shift, &cache->unread_stamp);
    return 0;
}

static struct model_fast *place_of(const struct cache *cache, uint64_t number)
{
    return &cache->fast[number & cache->fast_mask];
}

static void clear(struct cache *cache, struct model_fast *place)
{
    *place = model_fast_nothing((uint64_t)(place - cache->fast), cache->line_shift,
                                &cache->unread_stamp);
}

void fast_forget(struct cache *cache, uint32_t index)
{
    struct model_fast *place = place_of(cache, cache_number(cache, index));
    if (place->line == &cache->lines[index])
        clear(cache, place);
}

void fast_forget_number(struct cache *cache, uint64_t number)
{
    struct model_fast *place = place_of(cache, number);
    if (place->line && cache->tags[place->line - cache->lines] == number + 1)
        clear(cache, place);
}

void fast_admit(struct cache *cache, uint32_t index)
{
    uint64_t number = cache_number(cache, index);
    struct model_line *line = &cache->lines[index];
    struct model_fast *place = place_of(cache, number);
    const struct shadow *shadow = cache->shadow;
    clear(cache, place);
    if (cache->recent[cache_set(cache, number)] != index ||
        (shadow && !shadow_has(shadow, cache->nodes[index], number)))
        return;
    place->line = line;
    place->stamp = shadow ? &shadow->nodes[cache->nodes[index]].stamp : &cache->unread_stamp;
    if (!(line->slow & MODEL_LOAD))
        place->loads = number << cache->line_shift;
    if (!(line->slow & MODEL_STORE))
        place->stores = number << cache->line_shift;
}
