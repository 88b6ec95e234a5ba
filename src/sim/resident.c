/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/resident.h"

#include "sim/state.h"

/* Of the ways used after `after`, the one used first; CACHE_NONE: there is no more. Stamps are
 * different, for each use has its own. */
static uint32_t next_used(const struct cache *cache, uint32_t first, uint64_t after)
{
    uint32_t found = CACHE_NONE;
    for (uint32_t index = first; index < first + cache->ways; index++)
        if (cache->tags[index] && cache->stamps[index] > after &&
            (found == CACHE_NONE || cache->stamps[index] < cache->stamps[found]))
            found = index;
    return found;
}

static void tell(const struct cache *cache, uint32_t index, resident_told told, void *context)
{
    told(context, cache_number(cache, index) << cache->line_shift, cache->line_bytes);
}

static void tell_set(const struct cache *cache, uint32_t first, resident_told told, void *context)
{
    uint32_t index;
    if (cache->policy == MODEL_LRU)
        for (uint64_t after = 0; (index = next_used(cache, first, after)) != CACHE_NONE;
             after = cache->stamps[index])
            tell(cache, index, told, context);
    else
        for (index = first; index < first + cache->ways; index++)
            if (cache->tags[index])
                tell(cache, index, told, context);
}

void resident_each(const struct model *model, uint32_t thread, uint32_t level, resident_told told,
                   void *context)
{
    const struct state_thread *state = thread < model->threads_end ? model->threads[thread] : NULL;
    const struct cache *cache = state ? state->path[level] : NULL;
    for (uint64_t set = 0; cache && set < cache->sets; set++)
        tell_set(cache, (uint32_t)set * cache->ways, told, context);
}

uint32_t resident_threads(const struct model *model)
{
    return model->threads_end;
}
