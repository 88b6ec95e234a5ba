/* SPDX-License-Identifier: GPL-3.0-or-later */
/* model_access_slow(), for all accesses that the fast path does not handle. */
#include "sim/model/cache.h"
#include "sim/model/state.h"

/* Sets the kinds of access to a line that may not take the fast path. */
static void walk_set_slow(const struct model *model, struct cache *cache, uint32_t index)
{
    struct cache_slot *slot = &cache->slots[index];
    slot->excluded_kinds =
        slot->is_in_other_threads && cache->level < model->private_levels ? MODEL_STORE : 0;
    if (slot->is_sampled)
        slot->excluded_kinds = MODEL_LOAD | MODEL_STORE;
}

static struct cache *cache_of(const struct state_access *access, uint32_t level)
{
    return level ? access->thread->path[level] : access->first;
}

/* Returns how many lines an incoming line represents in reports; 0: it is not reported. */
static uint32_t draw_use_weight(const struct model *model, const struct cache *cache)
{
    uint32_t one_in = model->spec.use_one_in;
    if (!model->spec.use || cache->instruction)
        return 0;
    if (one_in <= 1 || cache->lines_brought_in <= model->spec.use_first)
        return 1;
    return memory_hash(model->clock + cache->id) >> 20 & (one_in - 1) ? 0 : one_in;
}

/* Brings in a line that is absent. */
static void fill_absent_line(struct state_access *access, struct cache *cache, uint64_t number,
                             uint32_t node)
{
    struct model *model = access->model;
    uint32_t index = cache == access->first && access->victim != CACHE_NONE
                         ? access->victim
                         : cache_victim(cache, number);
    access->at[cache->level] = index;
    if (cache->tags[index])
        departure_of(model, cache, index, access->miss.who, MODEL_REPLACED);
    /* Report uses in the levels above first: they do not count for this fetch. */
    bool absent_above = access->absent && !model->needs_coherence &&
                        cache->line_bytes == access->first->line_bytes &&
                        access->miss.address >> cache->line_shift == number;
    if (!absent_above)
        departure_report_above(model, cache, number << cache->line_shift);
    cache_put(cache, index, number);
    cache->ips[index] = access->miss.who.ip;
    if (node)
        shadow_join(cache->shadow, node, index);
    uint32_t weight = draw_use_weight(model, cache);
    if (weight || (model->track_all && cache->level < model->private_levels))
        cache_track(cache, index);
    struct cache_slot *slot = &cache->slots[index];
    slot->weight = weight;
    if (access->miss.address >> cache->line_shift == number)
        slot->offset = (uint16_t)(access->miss.address & (cache->line_bytes - 1));
    slot->instruction = access->miss.kind & MODEL_INSTRUCTION;
    if (!cache->instruction && users_watch(&model->users, number << cache->line_shift))
        users_fetched(&model->users, number, cache->id, access->miss.who.ip);
}

/* Records a use in the shadow; returns true if the line was there. */
static bool touch_shadow(struct model *model, struct cache *cache, uint64_t number, uint32_t *node)
{
    struct shadow *shadow = cache->shadow;
    bool there = shadow_touch(shadow, number, model->clock, node);
    /* The next use of an evicted line must reach the model, because it brings the line back. */
    if (shadow->evicted_index != SHADOW_NONE && cache->fast)
        fast_forget(cache, shadow->evicted_index);
    return there;
}

/* Adds a line of the cache to the shadow, which does not have it, when it is used. */
static void walk_shadow(struct model *model, struct cache *cache, uint32_t index)
{
    uint32_t node;
    touch_shadow(model, cache, cache_number(cache, index), &node);
    shadow_join(cache->shadow, node, index);
}

/* Looks up a line in one cache. Classifies a miss and brings the line in. */
static bool look_up_line(struct state_access *access, struct cache *cache, uint64_t address,
                         uint32_t size_bytes)
{
    struct model *model = access->model;
    uint64_t number = address >> cache->line_shift;
    uint32_t index =
        access->absent && cache == access->first ? CACHE_NONE : cache_find(cache, number);
    uint32_t node = 0;
    model->clock++;
    if (index == CACHE_NONE) {
        bool in_shadow = cache->shadow && touch_shadow(model, cache, number, &node);
        cause_of(access, cache, address, size_bytes, in_shadow);
        fill_absent_line(access, cache, number, node);
        return false;
    }
    access->at[cache->level] = index;
    if (cache_forgot(cache, index))
        walk_shadow(model, cache, index);
    cache_touch(cache, index);
    return true;
}

/* Looks up an access level by level, all of its lines at once, like cachegrind. Returns the level
 * that served it. */
static uint32_t walk_whole(struct state_access *access, uint64_t address, uint32_t size_bytes)
{
    for (uint32_t level = 0; level < access->model->spec.level_count; level++) {
        struct cache *cache = cache_of(access, level);
        bool there = true;
        uint32_t part_bytes;
        for (uint32_t done = 0; done < size_bytes; done += part_bytes) {
            part_bytes = state_part(cache, address + done, size_bytes - done);
            there &= look_up_line(access, cache, address + done, part_bytes);
        }
        if (there)
            return level;
    }
    return access->model->spec.level_count;
}

enum { SIZE_MAX_BYTES = 4096 };

static uint64_t access_grains(const struct cache *cache, uint64_t address, uint32_t size_bytes)
{
    return model_grains((uint32_t)address & (cache->line_bytes - 1), size_bytes,
                        cache->grain_shift);
}

static void count_hit(struct cache *first, uint32_t index, uint64_t address, uint32_t size_bytes,
                      uint32_t kind)
{
    model_count_hit(&first->lines[index].hits, access_grains(first, address, size_bytes),
                    size_bytes, kind);
}

static void count_use(struct model_use *use, uint64_t grains, uint32_t size_bytes, uint32_t kind)
{
    use->touched |= grains;
    use->written |= kind & MODEL_STORE ? grains : 0;
    use->touched_bytes += size_bytes;
    use->uses[model_class(kind)]++;
}

static void count_first_level_hit(struct state_thread *thread, uint32_t index, uint64_t address,
                                  uint32_t size_bytes, uint32_t kind)
{
    struct cache *first = thread->path[0];
    thread->fast.model->clock++;
    cache_touch(first, index);
    if (cache_forgot(first, index))
        walk_shadow(thread->fast.model, first, index);
    if (cache_tracks(first, index))
        count_hit(first, index, address, size_bytes, kind);
}

/* Returns true if a hit takes the line from other threads. */
static bool takes_line_from_threads(const struct state_thread *thread, uint32_t index,
                                    uint32_t kind)
{
    return thread->fast.model->needs_coherence &&
           thread->path[0]->slots[index].is_in_other_threads && kind & MODEL_STORE;
}

/* Informs other threads before anything is looked up. */
static void announce_access(struct state_access *access, uint64_t address)
{
    struct model *model = access->model;
    struct cache *first = access->thread->path[0];
    uint64_t number = address >> first->line_shift;
    bool write = access->miss.kind & MODEL_STORE;
    if (!model->needs_coherence)
        return;
    uint32_t index = cache_find(first, number);
    if (index != CACHE_NONE && !write)
        return;
    if (index != CACHE_NONE && !first->slots[index].is_in_other_threads)
        return;
    coherence_take(model, access->thread->fast.number, number, write, access->miss.who);
}

/* Counts the use in the nearest level that has the line, if another line of the same access has
 * evicted it from the first. */
static void count_below(struct state_access *access, uint64_t address, uint32_t size_bytes)
{
    struct model *model = access->model;
    struct cache *cache = access->thread->path[0];
    uint64_t grains = access_grains(cache, address, size_bytes);
    uint32_t level = 1;
    for (; level < model->spec.level_count; level++) {
        struct cache *below = access->thread->path[level];
        uint32_t index = cache_find(below, address >> below->line_shift);
        if (index == CACHE_NONE)
            continue;
        if (cache_tracks(below, index))
            count_use(&below->lines[index].use, access_grains(below, address, size_bytes),
                      size_bytes, access->miss.kind);
        break;
    }
    if (access->miss.kind & MODEL_STORE && level >= model->private_levels)
        coherence_note_writes(model, access->thread->fast.number, address >> cache->line_shift,
                              grains);
}

/* Counts a statement that uses the line, at every level that has it. */
static void count_user(const struct state_thread *thread, uint64_t address, uint32_t ip)
{
    struct model *model = thread->fast.model;
    for (uint32_t level = 0; level < model->spec.level_count; level++) {
        struct cache *cache = thread->path[level];
        uint64_t number = address >> cache->line_shift;
        if (cache_find(cache, number) != CACHE_NONE)
            users_used(&model->users, number, cache->id, ip);
    }
}

/* Samples a use of a line. `index`: of the line in the first level. */
static void sample_use(const struct state_thread *thread, uint64_t address, uint32_t ip,
                       uint32_t index)
{
    struct model *model = thread->fast.model;
    struct cache *first = thread->path[0];
    uint64_t number = address >> first->line_shift;
    bool reuse = sampling_watches(&model->reuse, number);
    bool users = users_watch(&model->users, address);
    if (users)
        count_user(thread, address, ip);
    if (reuse)
        sampling_use(&model->reuse, number, (struct model_who){ip, address});
    first->slots[index].is_sampled = reuse || users;
}

/* Like sample_use(), for a line that is no longer in the first level. */
static void sample_absent_line(struct state_access *access, uint64_t address)
{
    struct model *model = access->model;
    uint64_t number = address >> access->first->line_shift;
    struct model_who who = access->miss.who;
    if (users_watch(&model->users, address))
        count_user(access->thread, address, who.ip);
    if (!sampling_watches(&model->reuse, number))
        return;
    who.address = address;
    sampling_use(&model->reuse, number, who);
}

/* Stores the index of the line in the next level, for each level: a hint for its eviction. */
static void remember_next_level_slots(const struct state_access *access)
{
    struct cache *const *path = access->thread->path;
    uint32_t level = 0, last = access->model->spec.level_count - 1;
    while (level < last && access->missed >> level & 1)
        level++;
    /* A tracked line needs its uses in the level above: track it there too. */
    while (level-- > 0) {
        if (cache_tracks(path[level + 1], access->at[level + 1]))
            cache_track(path[level], access->at[level]);
        path[level]->slots[access->at[level]].below = access->at[level + 1];
    }
}

/* Finishes an access with its line in the first level. */
static void conclude_hit(struct state_access *access, uint64_t address, uint32_t size_bytes,
                         uint32_t index)
{
    struct model *model = access->model;
    struct cache *first = access->thread->path[0];
    sample_use(access->thread, address, access->miss.who.ip, index);
    remember_next_level_slots(access);
    if (model->needs_coherence) {
        first->slots[index].is_in_other_threads = coherence_shared(model, first->tags[index] - 1);
        coherence_returned(model, access->thread->fast.number, first->tags[index] - 1);
    }
    walk_set_slow(model, first, index);
    if (cache_tracks(first, index))
        count_hit(first, index, address, size_bytes, access->miss.kind);
    fast_admit(first, index);
}

static void conclude_access(struct state_access *access, uint64_t address, uint32_t size_bytes)
{
    struct model *model = access->model;
    struct cache *first = access->thread->path[0];
    uint32_t index = cache_find_near(first, address >> first->line_shift, access->at[0]);
    if (model->spec.causes)
        cause_referenced(access, address);
    if (index != CACHE_NONE)
        conclude_hit(access, address, size_bytes, index);
    else
        sample_absent_line(access, address);
    if (index == CACHE_NONE && (model->spec.use || model->track_all))
        count_below(access, address, size_bytes);
}

static uint32_t access_by_levels(struct state_access *access, uint64_t address, uint32_t size_bytes)
{
    const struct cache *first = access->first;
    uint32_t part_bytes;
    for (uint32_t done = 0; done < size_bytes; done += part_bytes) {
        part_bytes = state_part(first, address + done, size_bytes - done);
        announce_access(access, address + done);
    }
    uint32_t served = walk_whole(access, address, size_bytes);
    for (uint32_t done = 0; done < size_bytes && !first->instruction; done += part_bytes) {
        part_bytes = state_part(first, address + done, size_bytes - done);
        conclude_access(access, address + done, part_bytes);
    }
    return served;
}

/* These tables are read after the first level, and are larger than this machine's caches. */
static void prefetch_tables(struct state_access *access, uint64_t address)
{
    const struct model *model = access->model;
    struct cache *first = access->first;
    uint64_t number = address >> first->line_shift;
    if (model->spec.level_count > 1) {
        const struct cache *second = access->thread->path[1];
        cache_prefetch(second, address >> second->line_shift);
    }
    bool keeps = model->spec.level_count > 1 && access->thread->path[1]->evicted_above &&
                 !model->evictors_settled;
    if (first->shadow && !keeps && cause_is_asked(model, 1))
        evicted_prefetch(&model->evicted[0], number, first->thread);
    uint32_t victim = access->victim = cache_victim(first, number);
    if (keeps && first->tags[victim])
        __builtin_prefetch(&access->thread->path[1]->evicted_above[first->slots[victim].below], 1);
    else if (first->shadow && first->tags[victim])
        evicted_prefetch(&model->evicted[0], cache_number(first, victim), first->thread);
    if (cache_tracks(first, victim) && model->spec.level_count > 1)
        __builtin_prefetch(&access->thread->path[1]->lines[first->slots[victim].below], 1);
}

/* Leaves miss.level unwritten, which would take as long as the rest of a miss. */
static void begin_access(struct state_access *access, struct state_thread *thread,
                         struct cache *first, uint64_t address, uint32_t size_bytes, uint32_t kind,
                         uint32_t ip)
{
    access->model = thread->fast.model;
    access->thread = thread;
    access->first = first;
    access->missed = 0;
    access->victim = CACHE_NONE;
    for (uint32_t level = 0; level < MODEL_LEVELS_MAX; level++)
        access->at[level] = 0;
    access->miss.address = address;
    access->miss.size_bytes = size_bytes;
    access->miss.thread = thread->fast.number;
    access->miss.kind = kind;
    access->miss.who.ip = ip;
    access->miss.who.address = address;
    access->model->running = thread->fast.running_thread;
}

static uint32_t walk_levels(struct state_thread *thread, struct cache *first, uint64_t address,
                            uint32_t size_bytes, uint32_t kind, uint32_t ip, bool absent)
{
    struct state_access access;
    begin_access(&access, thread, first, address, size_bytes, kind, ip);
    access.absent = absent;
    if (absent)
        prefetch_tables(&access, address);
    access.miss.hit_level = access_by_levels(&access, address, size_bytes);
    if (access.missed)
        cause_report(&access);
    return access.miss.hit_level;
}

/* Like walk_levels(), for most misses: the access is to one line that the first level does not
 * have, there is one thread, and all lines have one length. */
static uint32_t walk_single_line(struct state_thread *thread, uint64_t address, uint32_t size_bytes,
                                 uint32_t kind, uint32_t ip)
{
    struct model *model = thread->fast.model;
    struct state_access access;
    uint64_t number = address >> model->line_shift;
    uint32_t level, in_shadow = 0;
    begin_access(&access, thread, thread->path[0], address, size_bytes, kind, ip);
    access.absent = true;
    prefetch_tables(&access, address);
    for (level = 0; level < model->spec.level_count; level++) {
        struct cache *cache = thread->path[level];
        uint32_t index = level ? cache_find(cache, number) : CACHE_NONE, node = 0;
        model->clock++;
        if (index != CACHE_NONE) {
            access.at[level] = index;
            if (cache_forgot(cache, index))
                walk_shadow(model, cache, index);
            cache->stamps[index] = model->clock;
            break;
        }
        if (cache->shadow)
            in_shadow |= (uint32_t)touch_shadow(model, cache, number, &node) << level;
        fill_absent_line(&access, cache, number, node);
    }
    access.miss.hit_level = level;
    access.missed = (1u << level) - 1;
    cause_plain(&access, in_shadow);
    conclude_hit(&access, address, size_bytes, access.at[0]);
    cause_report(&access);
    return level;
}

/* Handles an instruction fetch. Fast path: the line is usually the last one fetched in its set. */
static uint32_t model_fetch(struct state_thread *thread, uint64_t address, uint32_t size_bytes,
                            uint32_t ip)
{
    struct cache *cache = thread->instruction;
    if (!cache)
        return 0;
    uint64_t number = address >> cache->line_shift;
    uint64_t last = (address + size_bytes - 1) >> cache->line_shift;
    if (number == last && cache->fetched[cache_set(cache, number)] == number + 1)
        return 0;
    uint32_t served = walk_levels(thread, cache, address, size_bytes, MODEL_INSTRUCTION, ip, false);
    for (; number <= last; number++)
        cache->fetched[cache_set(cache, number)] = number + 1;
    return served;
}

uint32_t model_access_slow(struct model_thread *thread, uint64_t address, uint32_t size_bytes,
                           uint32_t kind, uint32_t ip)
{
    struct state_thread *state = (struct state_thread *)thread;
    size_bytes = size_bytes ? size_bytes : 1;
    size_bytes = size_bytes > SIZE_MAX_BYTES ? SIZE_MAX_BYTES : size_bytes;
    if (address > UINT64_MAX - (size_bytes - 1))
        size_bytes = (uint32_t)(UINT64_MAX - address) + 1;
    if (kind & MODEL_INSTRUCTION)
        return model_fetch(state, address, size_bytes, ip);
    struct cache *first = state->path[0];
    if (state_part(first, address, size_bytes) != size_bytes)
        return walk_levels(state, first, address, size_bytes, kind, ip, false);
    /* Watched lines are in the table too. */
    const struct model_fast *place = &first->fast[address >> first->line_shift & first->fast_mask];
    bool placed = address - place->address < first->line_bytes;
    uint32_t index = placed ? place->index : cache_find(first, address >> first->line_shift);
    if (index == CACHE_NONE && thread->model->is_single_line)
        return walk_single_line(state, address, size_bytes, kind, ip);
    if (index == CACHE_NONE || takes_line_from_threads(state, index, kind))
        return walk_levels(state, first, address, size_bytes, kind, ip, index == CACHE_NONE);
    count_first_level_hit(state, index, address, size_bytes, kind);
    if (first->slots[index].is_sampled) {
        sample_use(state, address, ip, index);
        if (placed && first->slots[index].is_sampled)
            return 0;
        walk_set_slow(thread->model, first, index);
    }
    fast_admit(first, index);
    return 0;
}
