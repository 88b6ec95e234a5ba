/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/walk.h"

#include "sim/cause.h"
#include "sim/coherence.h"
#include "sim/departure.h"
#include "sim/fast.h"

void walk_set_slow(const struct model *model, struct cache *cache, uint32_t index)
{
    const struct cache_slot *slot = &cache->slots[index];
    uint32_t slow = slot->others && cache->level < model->private_levels ? MODEL_STORE : 0;
    if (slot->watched || slot->prefetched)
        slow = MODEL_LOAD | MODEL_STORE;
    cache->lines[index].slow = slow;
    if (cache->fast)
        fast_forget(cache, index);
}

static struct cache *cache_of(const struct state_access *access, uint32_t level)
{
    return level ? access->thread->path[level] : access->first;
}

/* Brings a line in, which is not there. */
static uint32_t fill(struct state_access *access, struct cache *cache, uint64_t number,
                     uint32_t node)
{
    struct model *model = access->model;
    uint32_t index = cache == access->first && access->victim != CACHE_NONE
                         ? access->victim
                         : cache_victim(cache, number);
    access->at[cache->level] = index;
    if (cache->tags[index])
        departure_of(model, cache, index, state_who(access), MODEL_REPLACED);
    /* What a level above did with the line before is none of its use here. */
    departure_tell_above(model, cache, number << cache->line_shift);
    cache_put(cache, index, number);
    cache->lines[index].ip = access->miss.who.ip;
    cache->slots[index].bin = state_who(access).bin;
    if (node)
        shadow_join(cache->shadow, node, index);
    if (access->miss.address >> cache->line_shift == number)
        cache->slots[index].offset = (uint16_t)(access->miss.address & (cache->line_bytes - 1));
    cache->slots[index].instruction = access->miss.kind & MODEL_INSTRUCTION;
    if (!cache->instruction && users_watch(&model->users, number << cache->line_shift))
        users_fetched(&model->users, number, cache->id, access->miss.who.ip);
    return index;
}

/* What the prefetcher learns from: misses of data, and first uses of what it fetched. */
static void notice(struct state_access *access, const struct cache *cache)
{
    const struct model *model = access->model;
    if (model->prefetch.kind && cache->level == model->spec.prefetch_level &&
        !(access->miss.kind & MODEL_INSTRUCTION))
        access->fetch_ahead = true;
}

/* A line whose time the cache itself does not tell the shadow. */
static bool touch_shadow(struct model *model, struct cache *cache, uint64_t number, bool fetch,
                         uint32_t *node)
{
    struct shadow *shadow = cache->shadow;
    bool there = shadow_touch(shadow, number, fetch, model->clock, node);
    /* Its next use is to be heard of, for it brings it back. */
    if (shadow->thrown_index != SHADOW_NONE && cache->fast)
        fast_forget(cache, shadow->thrown_index);
    return there;
}

void walk_shadow(struct model *model, struct cache *cache, uint32_t index, bool fetch)
{
    uint32_t node;
    touch_shadow(model, cache, cache_number(cache, index), fetch, &node);
    if (node)
        shadow_join(cache->shadow, node, index);
}

/* Asks one cache for a line; a miss is classified. *node: for fill(). */
static bool look(struct state_access *access, struct cache *cache, uint64_t address,
                 uint32_t size_bytes, uint32_t *node)
{
    uint64_t number = address >> cache->line_shift;
    uint32_t index =
        access->absent && cache == access->first ? CACHE_NONE : cache_find(cache, number);
    bool fetches = state_fetches(access->model, access->miss.kind);
    *node = 0;
    access->model->clock++;
    if (index == CACHE_NONE) {
        bool in_shadow = cache->shadow && touch_shadow(access->model, cache, number, fetches, node);
        cause_of(access, cache, address, size_bytes, in_shadow);
        notice(access, cache);
        return false;
    }
    access->at[cache->level] = index;
    if (cache->shadow && !cache->nodes[index])
        walk_shadow(access->model, cache, index, fetches);
    cache_touch(cache, index);
    if (access->model->prefetch.kind && cache->slots[index].prefetched) {
        cache->slots[index].prefetched = false;
        walk_set_slow(access->model, cache, index);
        notice(access, cache);
    }
    return true;
}

static uint32_t descend(struct state_access *access, uint64_t address, uint32_t size_bytes,
                        uint32_t level)
{
    uint32_t node;
    if (level == access->model->spec.level_count)
        return level;
    struct cache *cache = cache_of(access, level);
    if (look(access, cache, address, size_bytes, &node))
        return level;
    uint32_t served = descend(access, address, size_bytes, level + 1);
    if (state_fetches(access->model, access->miss.kind))
        fill(access, cache, address >> cache->line_shift, node);
    return served;
}

uint32_t walk_line(struct state_access *access, uint64_t address, uint32_t size_bytes)
{
    return descend(access, address, size_bytes, 0);
}

static bool look_for_part(struct state_access *access, struct cache *cache, uint64_t address,
                          uint32_t size_bytes)
{
    uint32_t node;
    if (look(access, cache, address, size_bytes, &node))
        return true;
    if (state_fetches(access->model, access->miss.kind))
        fill(access, cache, address >> cache->line_shift, node);
    return false;
}

uint32_t walk_whole(struct state_access *access, uint64_t address, uint32_t size_bytes)
{
    for (uint32_t level = 0; level < access->model->spec.level_count; level++) {
        struct cache *cache = cache_of(access, level);
        bool there = true;
        uint32_t part_bytes;
        for (uint32_t done = 0; done < size_bytes; done += part_bytes) {
            part_bytes = state_part(cache, address + done, size_bytes - done);
            there &= look_for_part(access, cache, address + done, part_bytes);
        }
        if (there)
            return level;
    }
    return access->model->spec.level_count;
}

static void bring(struct state_access *access, uint64_t address, uint32_t level, uint32_t bin)
{
    struct model *model = access->model;
    if (level == model->spec.level_count)
        return;
    struct cache *cache = access->thread->path[level];
    uint64_t number = address >> cache->line_shift;
    uint32_t index = cache_find(cache, number);
    uint32_t node = 0;
    model->clock++;
    if (index != CACHE_NONE) {
        if (cache->shadow && !cache->nodes[index])
            walk_shadow(model, cache, index, true);
        cache_touch(cache, index);
        return;
    }
    if (cache->shadow)
        touch_shadow(model, cache, number, true, &node);
    bring(access, address, level + 1, bin);
    index = fill(access, cache, number, node);
    cache->slots[index].bin = bin;
    cache->slots[index].was_fetched_ahead = true;
    cache->slots[index].prefetched = level == model->spec.prefetch_level;
    cache->slots[index].others = level < model->private_levels && model->several &&
                                 coherence_shared(model, address >> model->line_shift);
    walk_set_slow(model, cache, index);
}

void walk_ahead(struct state_access *access, uint64_t address)
{
    struct model *model = access->model;
    const struct model_host *host = &model->memory.host;
    uint32_t level = model->spec.prefetch_level;
    const struct cache *cache = access->thread->path[level];
    if (cache_find(cache, address >> cache->line_shift) != CACHE_NONE)
        return;
    if (level < model->private_levels && model->several)
        coherence_take(model, access->thread->fast.number, address >> model->line_shift, false,
                       access->miss.who);
    bring(access, address, level, host->bin_of ? host->bin_of(host->context, address) : 0);
}
