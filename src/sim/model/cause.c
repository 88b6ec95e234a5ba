/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/model/cache.h"
#include "sim/model/state.h"

enum seen { SEEN_UNKNOWN, SEEN_NOT, SEEN_ELSEWHERE, SEEN_HERE };

/* Finds out whether a line of the first level was referenced, and if by this thread. */
static enum seen line_seen(struct state_access *access, uint64_t number, bool by_thread)
{
    uint8_t *byte = lines_byte(&access->model->lines, number);
    if (!byte)
        return SEEN_UNKNOWN;
    if (!(*byte & STATE_REFERENCED))
        return SEEN_NOT;
    if (!by_thread)
        return SEEN_HERE;
    uint8_t *bits = lines_bits(&access->thread->referenced, number);
    if (!bits)
        return SEEN_UNKNOWN;
    return *bits >> number % 8 & 1 ? SEEN_HERE : SEEN_ELSEWHERE;
}

/* Does the same for a line of any level. A longer line was referenced if any part of it was. */
static enum seen line_seen_at_level(struct state_access *access, const struct cache *cache,
                                    uint64_t address)
{
    uint32_t shift = access->model->line_shift;
    uint64_t start = address & ~(uint64_t)(cache->line_bytes - 1);
    enum seen most = SEEN_NOT;
    for (uint32_t offset = 0; offset < cache->line_bytes; offset += 1u << shift) {
        enum seen seen = line_seen(access, (start + offset) >> shift, !cache->shared);
        if (seen == SEEN_UNKNOWN || seen == SEEN_HERE)
            return seen;
        if (seen > most)
            most = seen;
    }
    return most;
}

static uint8_t invalidation_cause(struct state_access *access, const struct cache *cache,
                                  uint64_t address, uint32_t size_bytes)
{
    uint32_t offset = (uint32_t)address & (cache->line_bytes - 1);
    uint64_t written = coherence_written_since(access->model, access->thread->fast.number,
                                               address >> cache->line_shift);
    return written & model_grains(offset, size_bytes, cache->grain_shift) ? MODEL_INVALIDATED_TRUE
                                                                          : MODEL_INVALIDATED_FALSE;
}

static struct cache *path_below(struct model *model, const struct cache *cache, uint32_t level)
{
    return model->shared[level] ? model->shared[level] : model->threads[cache->thread]->path[level];
}

/* Returns the second level if it stores the evictors of this first level; otherwise NULL. */
static struct cache *evictor_cache(struct model *model, const struct cache *cache)
{
    struct cache *second = cache->level || model->evictors_settled || model->spec.level_count < 2
                               ? NULL
                               : path_below(model, cache, 1);
    return second && second->evicted_above ? second : NULL;
}

/* Moves an evictor stored in a second level to the table. */
static void evictor_settle(struct model *model, const struct cache *second, uint32_t index)
{
    const struct cache_evictor *above = &second->evicted_above[index];
    struct evicted_line line = {.evictor = {above->ip, above->address},
                                .thread = above->thread,
                                .by_thread = above->by_thread,
                                .reason = (uint8_t)(above->reason - 1)};
    if (above->reason)
        evicted_put(&model->evicted[0], cache_number(second, index), &line);
}

void cause_evictors_settle(struct model *model, const struct cache *first)
{
    struct cache *second = evictor_cache(model, first);
    for (uint32_t index = 0; second && index < cache_lines(second); index++)
        if (second->tags[index])
            evictor_settle(model, second, index);
    model->evictors_settled = true;
}

/* Fills in the evictor; returns enum model_reason, or -1 if it is not known. */
static int find_evictor(struct state_access *access, const struct cache *cache, uint64_t number,
                        struct model_missed *missed)
{
    struct cache *second = evictor_cache(access->model, cache);
    uint32_t index = second ? cache_find_near(second, number, access->at[1]) : CACHE_NONE;
    if (index != CACHE_NONE && second->evicted_above[index].reason) {
        const struct cache_evictor *above = &second->evicted_above[index];
        missed->evictor = (struct model_who){above->ip, above->address};
        missed->evictor_thread = above->by_thread;
        return above->reason - 1;
    }
    const struct evicted_line *line =
        evicted_find(&access->model->evicted[cache->level], number, cache->thread);
    if (!line)
        return -1;
    missed->evictor = line->evictor;
    missed->evictor_thread = line->by_thread;
    return line->reason;
}

static uint8_t replaced_cause(struct state_access *access, const struct cache *cache,
                              uint64_t address, uint32_t size_bytes, bool in_shadow,
                              struct model_missed *missed)
{
    int reason = find_evictor(access, cache, address >> cache->line_shift, missed);
    if (reason == MODEL_INVALIDATED)
        return invalidation_cause(access, cache, address, size_bytes);
    return in_shadow ? MODEL_CONFLICT : MODEL_CAPACITY;
}

void cause_of(struct state_access *access, const struct cache *cache, uint64_t address,
              uint32_t size_bytes, bool in_shadow)
{
    struct model_missed *missed = &access->miss.level[cache->level];
    if (access->missed & 1u << cache->level)
        return;
    access->missed |= 1u << cache->level;
    *missed = (struct model_missed){.evictor_thread = MODEL_NONE, .evictor = {MODEL_NONE, 0}};
    if (!access->model->spec.causes || access->miss.kind & MODEL_INSTRUCTION)
        return;
    switch (line_seen_at_level(access, cache, address)) {
    case SEEN_UNKNOWN:
        break;
    case SEEN_NOT:
        missed->cause = MODEL_FIRST;
        break;
    case SEEN_ELSEWHERE:
        missed->cause = MODEL_FIRST_HERE;
        break;
    case SEEN_HERE:
        missed->cause = replaced_cause(access, cache, address, size_bytes, in_shadow, missed);
        break;
    }
}

void cause_referenced(struct state_access *access, uint64_t address)
{
    struct model *model = access->model;
    uint64_t number = address >> model->line_shift;
    uint8_t *byte = lines_byte(&model->lines, number);
    if (byte)
        *byte |= STATE_REFERENCED;
    uint8_t *bits = lines_bits(&access->thread->referenced, number);
    if (bits)
        *bits |= (uint8_t)(1u << number % 8);
}

/* Finds out whether a line that no level has was referenced, and marks it as referenced. */
static enum seen see_first_reference(struct state_access *access, uint64_t address)
{
    const uint8_t *byte = lines_byte(&access->model->lines, address >> access->model->line_shift);
    enum seen seen = !byte ? SEEN_UNKNOWN : *byte & STATE_REFERENCED ? SEEN_HERE : SEEN_NOT;
    if (seen == SEEN_NOT)
        cause_referenced(access, address);
    return seen;
}

void cause_plain(struct state_access *access, uint32_t in_shadow)
{
    struct model_miss *miss = &access->miss;
    const struct model *model = access->model;
    enum seen seen = !model->spec.causes ? SEEN_UNKNOWN
                     : miss->hit_level == model->spec.level_count
                         ? see_first_reference(access, miss->address)
                         : SEEN_HERE;
    bool replaced = seen == SEEN_HERE && cause_is_asked(model, miss->hit_level);
    for (uint32_t level = 0; level < miss->hit_level; level++) {
        struct model_missed *missed = &miss->level[level];
        *missed =
            (struct model_missed){.cause = seen == SEEN_NOT ? MODEL_FIRST : MODEL_CAUSE_UNKNOWN,
                                  .evictor_thread = MODEL_NONE,
                                  .evictor = {MODEL_NONE, 0}};
        if (replaced)
            missed->cause = replaced_cause(access, access->thread->path[level], miss->address,
                                           miss->size_bytes, in_shadow >> level & 1, missed);
    }
}

void cause_report(struct state_access *access)
{
    const struct model_host *host = &access->model->memory.host;
    if (host->miss && !(access->miss.kind & MODEL_INSTRUCTION))
        host->miss(host->context, &access->miss);
}

/* Converts bits of a line to bits of a longer line that contains it. */
static uint64_t widen_line_grains(const struct cache *from, const struct cache *to,
                                  uint64_t address, uint64_t grains)
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

static struct model_use departure_use(const struct cache *cache, uint32_t index)
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

void departure_report_below(struct model *model, struct cache *cache, uint32_t index)
{
    if (!cache_tracks(cache, index))
        return;
    struct model_use since = departure_use(cache, index);
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
        if (!cache_tracks(below, at))
            break;
        struct model_use longer = since;
        longer.touched = widen_line_grains(cache, below, address, since.touched);
        longer.written = widen_line_grains(cache, below, address, since.written);
        add_use(&below->lines[at].use, &longer);
        break;
    }
    if (cache->level < model->private_levels && level >= model->private_levels)
        coherence_note_writes(model, cache->thread, cache_number(cache, index), since.written);
    add_use(&cache->reported[index], &since);
    cache->lines[index].use = (struct model_use){0};
}

/* Reports the use of the parts of a line that are in a cache above. */
static void report_use_above(struct model *model, struct cache *above, const struct cache *cache,
                             uint64_t address)
{
    for (uint32_t offset = 0; offset < cache->line_bytes; offset += above->line_bytes) {
        uint32_t index = cache_find(above, (address + offset) >> above->line_shift);
        if (index != CACHE_NONE)
            departure_report_below(model, above, index);
    }
}

static void report_use_in_private(struct model *model, uint32_t level, const struct cache *cache,
                                  uint64_t address)
{
    uint32_t holder = coherence_holders(model, address, cache->line_bytes);
    for (uint32_t i = 0; i < model->threads_end; i++)
        if (model->threads[i] && (holder == STATE_HOLDERS || holder == i + 1))
            report_use_above(model, model->threads[i]->path[level], cache, address);
}

/* Begins with the nearest level, so that reports propagate one level at a time. */
void departure_report_above(struct model *model, struct cache *cache, uint64_t address)
{
    address &= ~(uint64_t)(cache->line_bytes - 1);
    if (!model->spec.use && !model->track_all)
        return;
    for (uint32_t level = 0; level < cache->level; level++) {
        if (model->shared[level])
            report_use_above(model, model->shared[level], cache, address);
        else if (!cache->shared)
            report_use_above(model, model->threads[cache->thread]->path[level], cache, address);
        else
            report_use_in_private(model, level, cache, address);
    }
}

static void departure_remember(struct model *model, const struct cache *cache, uint32_t index,
                               struct model_who who, enum model_reason reason)
{
    uint64_t number = cache_number(cache, index);
    if (model->users.lines && users_watch(&model->users, number << cache->line_shift))
        users_left(&model->users, number, cache->id,
                   &model->pairs[MODEL_IP_USED_BY_IP][cache->level]);
    if (reason == MODEL_END || !model->spec.causes)
        return;
    struct cache *second = evictor_cache(model, cache);
    uint32_t below =
        second ? cache_find_near(second, number, cache->slots[index].below) : CACHE_NONE;
    if (below == CACHE_NONE) {
        evicted_put(&model->evicted[cache->level], number,
                    &(struct evicted_line){.evictor = who,
                                           .thread = (uint16_t)cache->thread,
                                           .by_thread = (uint16_t)model->running,
                                           .reason = (uint8_t)reason});
    } else {
        second->evicted_above[below] = (struct cache_evictor){.address = who.address,
                                                              .ip = who.ip,
                                                              .by_thread = (uint16_t)model->running,
                                                              .thread = (uint8_t)cache->thread,
                                                              .reason = (uint8_t)(reason + 1)};
    }
    if (cache->evicted_above && !model->evictors_settled)
        evictor_settle(model, cache, index);
    if (reason != MODEL_INVALIDATED)
        tally_count(&model->pairs[MODEL_IP_EVICTED_BY_IP][cache->level], cache->ips[index], who.ip,
                    1);
}

static void report_host(const struct model *model, const struct cache *cache, uint32_t index)
{
    const struct model_host *host = &model->memory.host;
    const struct cache_slot *slot = &cache->slots[index];
    if (!host->eviction || (model->spec.use && (!cache_tracks(cache, index) || !slot->weight)))
        return;
    struct model_eviction eviction = {
        .address = cache_number(cache, index) << cache->line_shift,
        .level = cache->level,
        .fetched = {.ip = cache->ips[index],
                    .address = (cache_number(cache, index) << cache->line_shift) + slot->offset},
        .use = cache->reported[index],
        .used_bytes = memory_ones(cache->reported[index].touched) << cache->grain_shift,
        .weight = model->spec.use ? slot->weight : 1,
    };
    host->eviction(host->context, &eviction);
}

void departure_of(struct model *model, struct cache *cache, uint32_t index, struct model_who who,
                  enum model_reason reason)
{
    if (cache->instruction) {
        cache_clear(cache, index);
        return;
    }
    if (cache_tracks(cache, index))
        departure_report_above(model, cache, cache_number(cache, index) << cache->line_shift);
    departure_report_below(model, cache, index);
    departure_remember(model, cache, index, who, reason);
    report_host(model, cache, index);
    if (cache->fast)
        fast_forget(cache, index);
    if (cache->shadow && cache->nodes[index])
        shadow_part(cache->shadow, index);
    cache_clear(cache, index);
}
