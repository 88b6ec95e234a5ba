/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/departure.h"

#include "sim/coherence.h"
#include "sim/fast.h"

/* Bits of a line as bits of a longer one at the same address. */
static uint64_t lengthen(const struct cache *from, const struct cache *to, uint64_t address,
                         uint64_t grains)
{
    uint32_t offset = (uint32_t)address & (to->line_bytes - 1);
    if (from->grain_shift == to->grain_shift)
        return grains << (offset >> to->grain_shift);
    uint64_t longer = 0;
    for (; grains; grains &= grains - 1) {
        uint32_t byte = offset + ((uint32_t)__builtin_ctzll(grains) << from->grain_shift);
        longer |= UINT64_C(1) << (byte >> to->grain_shift);
    }
    return longer;
}

static void add_use(struct model_use *to, const struct model_use *use)
{
    to->touched |= use->touched;
    to->written |= use->written;
    to->touched_bytes += use->touched_bytes;
    for (int i = 0; i < MODEL_USE_CLASSES; i++)
        to->uses[i] += use->uses[i];
}

/* What was done to it since that was last told. */
static struct model_use use_of(const struct cache *cache, uint32_t index)
{
    const struct model_hits *hits = &cache->lines[index].hits;
    if (cache->level)
        return cache->lines[index].use;
    struct model_use use = {.touched = hits->loaded | hits->stored, .written = hits->stored};
    for (int i = 0; i < MODEL_USE_CLASSES; i++) {
        use.uses[i] = hits->uses[i] >> MODEL_USES_SHIFT;
        use.touched_bytes += (uint32_t)hits->uses[i];
    }
    return use;
}

static struct cache *path_below(struct model *model, const struct cache *cache, uint32_t level)
{
    return model->shared[level] ? model->shared[level] : model->threads[cache->thread]->path[level];
}

void departure_tell_below(struct model *model, struct cache *cache, uint32_t index)
{
    struct model_use since = use_of(cache, index);
    if (!since.touched_bytes)
        return;
    uint64_t address = cache_number(cache, index) << cache->line_shift;
    uint32_t level = cache->level + 1;
    for (; level < model->spec.level_count; level++) {
        struct cache *below = path_below(model, cache, level);
        uint64_t number = address >> below->line_shift;
        uint32_t at = level == cache->level + 1
                          ? cache_find_near(below, number, cache->slots[index].below)
                          : cache_find(below, number);
        if (at == CACHE_NONE)
            continue;
        struct model_use longer = since;
        longer.touched = lengthen(cache, below, address, since.touched);
        longer.written = lengthen(cache, below, address, since.written);
        add_use(&below->lines[at].use, &longer);
        break;
    }
    if (cache->level < model->private_levels && level >= model->private_levels)
        coherence_wrote(model, cache->thread, cache_number(cache, index), since.written);
    add_use(&cache->slots[index].told, &since);
    cache->lines[index].use = (struct model_use){0};
}

/* The parts of a line that lie in a cache above: their use is told, or they leave too. */
static void visit_above(struct model *model, struct cache *above, const struct cache *cache,
                        uint64_t address, struct model_who who, bool leave)
{
    for (uint32_t offset = 0; offset < cache->line_bytes; offset += above->line_bytes) {
        uint32_t index = cache_find(above, (address + offset) >> above->line_shift);
        if (index != CACHE_NONE && leave)
            departure_of(model, above, index, who, MODEL_INCLUDED);
        else if (index != CACHE_NONE)
            departure_tell_below(model, above, index);
    }
}

static void leave_instructions(struct model *model, const struct cache *cache, uint64_t address)
{
    for (uint32_t i = 0; i < model->threads_end; i++) {
        struct state_thread *thread = model->threads[i];
        if (!thread || !thread->instruction || (!cache->shared && cache->thread != i))
            continue;
        struct cache *above = thread->instruction;
        for (uint32_t offset = 0; offset < cache->line_bytes; offset += above->line_bytes) {
            uint32_t index = cache_find(above, (address + offset) >> above->line_shift);
            if (index == CACHE_NONE)
                continue;
            above->tags[index] = 0;
            above->fetched[cache_set(above, (address + offset) >> above->line_shift)] = 0;
        }
    }
}

static void visit_private(struct model *model, uint32_t level, const struct cache *cache,
                          uint64_t address, struct model_who who, bool leave)
{
    uint32_t holder = coherence_holders(model, address, cache->line_bytes);
    for (uint32_t i = 0; i < model->threads_end; i++)
        if (model->threads[i] && (holder == STATE_HOLDERS || holder == i + 1))
            visit_above(model, model->threads[i]->path[level], cache, address, who, leave);
}

/* From the nearest on, so that what is told goes down step by step. */
static void visit_all_above(struct model *model, struct cache *cache, uint64_t address,
                            struct model_who who, bool leave)
{
    for (uint32_t level = 0; level < cache->level; level++) {
        if (model->shared[level])
            visit_above(model, model->shared[level], cache, address, who, leave);
        else if (!cache->shared)
            visit_above(model, model->threads[cache->thread]->path[level], cache, address, who,
                        leave);
        else
            visit_private(model, level, cache, address, who, leave);
    }
    if (leave && model->spec.instruction.size_bytes)
        leave_instructions(model, cache, address);
}

void departure_tell_above(struct model *model, struct cache *cache, uint64_t address)
{
    struct model_who nobody = {MODEL_NOBODY, MODEL_NOBODY, 0};
    if (cache->level && model->track_use)
        visit_all_above(model, cache, address & ~(uint64_t)(cache->line_bytes - 1), nobody, false);
}

static void count_line(struct model_figures *figures, const struct cache *cache,
                       const struct cache_slot *slot)
{
    const struct model_use *use = &slot->told;
    figures->fetched += !slot->was_fetched_ahead;
    figures->prefetched += slot->was_fetched_ahead;
    figures->prefetched_unused += slot->prefetched;
    figures->used_bytes += (uint64_t)memory_ones(use->touched) << cache->grain_shift;
    figures->touched_bytes += use->touched_bytes;
    for (int i = 0; i < MODEL_USE_CLASSES; i++)
        figures->uses[i] += use->uses[i];
    figures->written_back += use->written != 0;
}

static void count(struct model *model, const struct cache *cache, uint32_t index)
{
    const struct cache_slot *slot = &cache->slots[index];
    if (slot->instruction || model->spec.no_figures)
        return;
    count_line(&model->total[cache->level], cache, slot);
    struct model_figures *ip = ids_make(&model->ips, cache->lines[index].ip, &model->memory);
    struct model_figures *bin = ids_make(&model->bins, slot->bin, &model->memory);
    if (ip)
        count_line(&ip[cache->level], cache, slot);
    if (bin)
        count_line(&bin[cache->level], cache, slot);
}

static void remember(struct model *model, const struct cache *cache, uint32_t index,
                     struct model_who who, enum model_reason reason)
{
    uint64_t number = cache_number(cache, index);
    if (model->users.lines && users_watch(&model->users, number << cache->line_shift))
        users_left(&model->users, number, cache->id,
                   &model->pairs[MODEL_IP_USED_BY_IP][cache->level], &model->memory);
    if (reason == MODEL_END || !model->spec.causes)
        return;
    evicted_put(&model->evicted[cache->level], number,
                &(struct evicted_line){.evictor = who,
                                       .thread = (uint16_t)cache->thread,
                                       .by = (uint16_t)model->running,
                                       .reason = (uint8_t)reason});
    if (reason != MODEL_INVALIDATED)
        tally_count(&model->pairs[MODEL_IP_EVICTED_BY_IP][cache->level], &model->memory,
                    cache->lines[index].ip, who.ip, 1);
}

static void tell_host(const struct model *model, const struct cache *cache, uint32_t index,
                      struct model_who who, enum model_reason reason)
{
    const struct model_host *host = &model->memory.host;
    const struct cache_slot *slot = &cache->slots[index];
    if (!host->eviction)
        return;
    struct model_eviction eviction = {
        .address = cache_number(cache, index) << cache->line_shift,
        .level = cache->level,
        .thread = cache->thread,
        .fetched = {.ip = cache->lines[index].ip,
                    .bin = slot->bin,
                    .address = (cache_number(cache, index) << cache->line_shift) + slot->offset},
        .evictor = who,
        .reason = (uint8_t)reason,
        .dirty = slot->told.written != 0,
        .prefetched_unused = slot->prefetched,
        .use = slot->told,
        .used_bytes = memory_ones(slot->told.touched) << cache->grain_shift,
    };
    host->eviction(host->context, &eviction);
}

void departure_of(struct model *model, struct cache *cache, uint32_t index, struct model_who who,
                  enum model_reason reason)
{
    if (cache->instruction) {
        cache->tags[index] = 0;
        return;
    }
    uint64_t address = cache_number(cache, index) << cache->line_shift;
    bool leave = cache->inclusive && (reason == MODEL_REPLACED || reason == MODEL_INCLUDED);
    if (leave)
        visit_all_above(model, cache, address, who, true);
    else
        departure_tell_above(model, cache, address);
    departure_tell_below(model, cache, index);
    count(model, cache, index);
    remember(model, cache, index, who, reason);
    tell_host(model, cache, index, who, reason);
    if (cache->fast)
        fast_forget(cache, index);
    if (cache->shadow && cache->nodes[index])
        shadow_part(cache->shadow, index);
    cache->tags[index] = 0;
}
