/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/model/model.h"

#include <stddef.h>

#include "sim/model/cache.h"
#include "sim/model/state.h"

static struct cache *new_cache(struct model *model, uint32_t level, uint32_t thread, bool shared,
                               const struct model_level_spec *spec)
{
    struct cache *cache = memory_new(&model->memory, 1, sizeof *cache);
    if (!cache || cache_init(cache, spec, &model->memory))
        return NULL;
    cache->now = &model->clock;
    cache->level = level;
    cache->thread = shared ? 0 : thread;
    cache->shared = shared;
    cache->id = model->caches++;
    return cache;
}

static bool keeps_evictors(const struct model *model, uint32_t level)
{
    const struct model_spec *spec = &model->spec;
    return level == 1 && spec->causes && spec->level[0].line_bytes == spec->level[1].line_bytes;
}

static struct cache *new_level(struct model *model, uint32_t level, uint32_t thread, bool shared)
{
    struct cache *cache = new_cache(model, level, thread, shared, &model->spec.level[level]);
    if (cache && !level && fast_init(cache, &model->memory))
        return NULL;
    if (cache && keeps_evictors(model, level)) {
        cache->evicted_above =
            memory_new(&model->memory, cache_lines(cache), sizeof *cache->evicted_above);
        if (!cache->evicted_above)
            return NULL;
    }
    if (!cache || !model->spec.causes)
        return cache;
    cache->shadow = memory_new(&model->memory, 1, sizeof *cache->shadow);
    cache->nodes = memory_new(&model->memory, cache_lines(cache), sizeof *cache->nodes);
    struct shadow_real real = {cache->tags, cache->stamps, cache->nodes, cache->flags};
    if (!cache->shadow || !cache->nodes ||
        shadow_init(cache->shadow, real, cache_lines(cache), &model->memory))
        return NULL;
    return cache;
}

static struct cache *new_instruction(struct model *model, uint32_t thread)
{
    struct cache *cache = new_cache(model, 0, thread, false, &model->spec.instruction);
    if (!cache)
        return NULL;
    cache->instruction = true;
    cache->fetched = memory_new(&model->memory, cache->sets, sizeof *cache->fetched);
    return cache->fetched ? cache : NULL;
}

static uint64_t count_lines(const struct model_spec *spec)
{
    uint64_t lines = 0;
    for (uint32_t level = 0; level < spec->level_count; level++)
        lines += spec->level[level].size_bytes / spec->level[level].line_bytes *
                 (spec->level[level].shared ? 1 : spec->threads);
    return lines;
}

static int init_users(struct model *model)
{
    const struct model_spec *spec = &model->spec;
    uint32_t line_bytes = spec->level[spec->level_count - 1].line_bytes;
    /* Sampling by address is uneven in small caches. */
    uint64_t slack = 1024;
    if (!spec->users_one_in)
        return 0;
    return users_init(&model->users, count_lines(spec) / spec->users_one_in + slack,
                      spec->users_one_in, (uint32_t)__builtin_ctz(line_bytes), &model->memory);
}

static int init_causes(struct model *model)
{
    const struct model_spec *spec = &model->spec;
    for (uint32_t level = 0; level < spec->level_count; level++)
        if (evicted_init(&model->evicted[level], spec->evicted_max, &model->memory))
            return -1;
    return evicted_init(&model->invalidated, spec->evicted_max, &model->memory);
}

static void init_pairs(struct model *model, uint32_t which, uint32_t level)
{
    const struct model_host *host = &model->memory.host;
    struct tally *tally = &model->pairs[which][level];
    tally_init(tally, model->spec.pairs_max);
    if (host->allocate_pairs)
        tally->pairs = host->allocate_pairs(host->context, which, level,
                                            (tally->mask + 1) * sizeof *tally->pairs);
}

static int init_tables(struct model *model)
{
    const struct model_spec *spec = &model->spec;
    lines_init(&model->lines, &model->memory, &model->lines_left_bytes);
    for (uint32_t which = 0; which < MODEL_PAIRS; which++)
        for (uint32_t level = 0; level < spec->level_count; level++)
            init_pairs(model, which, level);
    if (init_users(model) || (spec->causes && init_causes(model)))
        return -1;
    return spec->reuse_lines ? sampling_init(&model->reuse, spec, &model->memory) : 0;
}

static bool has_same_line_size(const struct model_spec *spec)
{
    bool plain = true;
    for (uint32_t level = 0; level < spec->level_count; level++)
        plain &= spec->level[level].line_bytes == spec->level[0].line_bytes;
    return plain;
}

static int init_shared(struct model *model)
{
    for (uint32_t level = 0; level < model->spec.level_count; level++) {
        if (!model->spec.level[level].shared) {
            model->private_levels++;
            continue;
        }
        model->shared[level] = new_level(model, level, 0, true);
        if (!model->shared[level])
            return -1;
    }
    return 0;
}

struct model *model_new(const struct model_spec *spec, const struct model_host *host)
{
    const char *refused = model_spec_refuse(spec);
    struct memory memory = {.host = *host};
    struct model *model = refused ? NULL : memory_new(&memory, 1, sizeof *model);
    if (!model) {
        host->fail(host->context, refused ? refused : "no memory for the simulated caches");
        return NULL;
    }
    model->memory = memory;
    model->spec = *spec;
    model_spec_complete(&model->spec);
    model->lines_left_bytes = model->spec.lines_limit_bytes;
    model->line_shift = (uint32_t)__builtin_ctz(spec->level[0].line_bytes);
    model->is_single_line = has_same_line_size(spec);
    if (init_shared(model) || init_tables(model)) {
        host->fail(host->context, "no memory for the simulated caches");
        return NULL;
    }
    return model;
}

static void open_fast(struct state_thread *thread, struct model *model)
{
    struct cache *first = thread->path[0];
    thread->fast = (struct model_thread){
        .fast = first->fast,
        .fast_mask = first->fast_mask,
        .clock = &model->clock,
        .line_shift = first->line_shift,
        .line_bytes = first->line_bytes,
        .grain_shift = first->grain_shift,
        .lines = first->lines,
        .stamps = first->stamps,
        .model = model,
    };
}

static struct state_thread *new_thread(struct model *model, uint32_t number)
{
    struct state_thread *thread = memory_new(&model->memory, 1, sizeof *thread);
    if (!thread)
        return NULL;
    for (uint32_t level = 0; level < model->spec.level_count; level++) {
        thread->path[level] =
            model->shared[level] ? model->shared[level] : new_level(model, level, number, false);
        if (!thread->path[level])
            return NULL;
    }
    if (model->spec.instruction.size_bytes) {
        thread->instruction = new_instruction(model, number);
        if (!thread->instruction)
            return NULL;
    }
    const struct cache *instruction = thread->instruction;
    lines_init(&thread->referenced, &model->memory, &model->lines_left_bytes);
    open_fast(thread, model);
    thread->fast.number = thread->fast.running_thread = number;
    thread->fast.fetched = instruction ? instruction->fetched : NULL;
    thread->fast.fetch_sets = instruction ? instruction->sets : 0;
    return thread;
}

/* Starts coherence. Stores are only followed once there are several threads. */
static void begin_threads(struct model *model)
{
    uint32_t first = 0;
    while (!model->threads[first])
        first++;
    cause_evictors_settle(model, model->threads[first]->path[0]);
    coherence_begin(model, first);
    model->is_single_line = false;
    model->track_all = model->spec.causes;
    for (uint32_t level = 0; model->track_all && level < model->private_levels; level++) {
        struct cache *cache = model->threads[first]->path[level];
        for (uint32_t index = 0; index < cache_lines(cache); index++) {
            if (cache->fast && cache->tags[index])
                fast_forget(cache, index);
            cache_track(cache, index);
        }
    }
}

struct model_thread *model_thread(struct model *model, uint32_t number)
{
    number %= model->spec.threads;
    if (model->threads[number])
        return &model->threads[number]->fast;
    struct state_thread *made = new_thread(model, number);
    if (!made) {
        model->memory.host.fail(model->memory.host.context,
                                "no memory for the caches of another thread");
        return NULL;
    }
    if (!model->needs_coherence && model->threads_end)
        begin_threads(model);
    model->threads[number] = made;
    if (number >= model->threads_end)
        model->threads_end = number + 1;
    return &made->fast;
}

void model_settle(struct model *model)
{
    for (uint32_t i = 0; i < model->threads_end; i++) {
        struct cache *first = model->threads[i] ? model->threads[i]->path[0] : NULL;
        for (uint32_t index = 0; first && index < cache_lines(first); index++)
            if (first->tags[index])
                departure_report_below(model, first, index);
    }
}

static void finish_cache(struct model *model, struct cache *cache)
{
    struct model_who none = {MODEL_NONE, 0};
    for (uint32_t index = 0; index < cache_lines(cache); index++)
        if (cache->tags[index])
            departure_of(model, cache, index, none, MODEL_END);
}

void model_finish(struct model *model)
{
    for (uint32_t level = 0; level < model->spec.level_count; level++) {
        if (model->shared[level])
            finish_cache(model, model->shared[level]);
        for (uint32_t i = 0; i < model->threads_end && !model->shared[level]; i++)
            if (model->threads[i])
                finish_cache(model, model->threads[i]->path[level]);
    }
}

/* More lines than in any cache; indexes have 32 bits. */
static const uint64_t LINES_MAX = UINT64_C(1) << 28;

/* One text per level, because numbers cannot be formatted here. */
#define LEVEL_TEXTS(text)                                                                          \
    {                                                                                              \
        "level 1: " text, "level 2: " text, "level 3: " text, "level 4: " text,                    \
            "instruction cache: " text                                                             \
    }
enum { INSTRUCTION = MODEL_LEVELS_MAX };

static bool power_of_two(uint64_t value)
{
    return value && !(value & (value - 1));
}

static const char *refuse_line(const struct model_level_spec *level, uint32_t index)
{
    static const char *const not_power[] = LEVEL_TEXTS("the line size is not a power of two");
    static const char *const out_of_range[] = LEVEL_TEXTS("a line has 4 to 4096 bytes");
    if (level->line_bytes < MODEL_LINE_MIN || level->line_bytes > MODEL_LINE_MAX)
        return out_of_range[index];
    return power_of_two(level->line_bytes) ? NULL : not_power[index];
}

static const char *refuse_ways(const struct model_level_spec *level, uint32_t index)
{
    static const char *const none[] = LEVEL_TEXTS("there are no ways");
    static const char *const many[] = LEVEL_TEXTS("more than 65536 ways");
    if (!level->ways)
        return none[index];
    return level->ways > MODEL_WAYS_MAX ? many[index] : NULL;
}

static const char *refuse_size(const struct model_level_spec *level, uint32_t index)
{
    static const char *const uneven[] =
        LEVEL_TEXTS("the size is not a multiple of ways times line size");
    static const char *const small[] = LEVEL_TEXTS("size is less than one set");
    static const char *const large[] = LEVEL_TEXTS("more than 2^28 lines");
    uint64_t set_bytes = (uint64_t)level->ways * level->line_bytes;
    if (level->size_bytes < set_bytes)
        return small[index];
    if (level->size_bytes % set_bytes)
        return uneven[index];
    return level->size_bytes / level->line_bytes > LINES_MAX ? large[index] : NULL;
}

static const char *refuse_level(const struct model_level_spec *level, uint32_t index)
{
    const char *why = refuse_line(level, index);
    if (!why)
        why = refuse_ways(level, index);
    return why ? why : refuse_size(level, index);
}

/* Checks a level against the one above it. */
static const char *refuse_level_pair(const struct model_spec *spec, uint32_t index)
{
    static const char *const shorter[] = LEVEL_TEXTS("lines shorter than those of the level above");
    static const char *const private_below[] = LEVEL_TEXTS("private below a shared level");
    static const char *const lengths[] =
        LEVEL_TEXTS("private levels of several threads must have the same line size");
    const struct model_level_spec *above = &spec->level[index - 1];
    const struct model_level_spec *level = &spec->level[index];
    if (level->line_bytes < above->line_bytes)
        return shorter[index];
    if (above->shared && !level->shared)
        return private_below[index];
    return spec->threads > 1 && !level->shared && level->line_bytes != above->line_bytes
               ? lengths[index]
               : NULL;
}

static const char *refuse_spec(const struct model_spec *spec)
{
    if (!spec->threads || spec->threads > MODEL_THREADS_MAX)
        return "1 to 126 threads";
    if (spec->level[0].shared)
        return "the first level must be private";
    if (spec->users_one_in && !power_of_two(spec->users_one_in))
        return "the sampling rate is not a power of two";
    if (spec->reuse_one_in && !power_of_two(spec->reuse_one_in))
        return "the reuse sampling rate is not a power of two";
    if (spec->reuse_one_in > 1u << 16)
        return "reuse distances of less than one line in 65536";
    if (spec->reuse_lines > LINES_MAX)
        return "reuse distances of more than 2^28 lines";
    return NULL;
}

const char *model_spec_refuse(const struct model_spec *spec)
{
    if (!spec->level_count || spec->level_count > MODEL_LEVELS_MAX)
        return "1 to 4 levels";
    const char *why = refuse_spec(spec);
    for (uint32_t i = 0; i < spec->level_count && !why; i++) {
        why = refuse_level(&spec->level[i], i);
        if (!why && i)
            why = refuse_level_pair(spec, i);
    }
    if (!why && spec->instruction.size_bytes)
        why = refuse_level(&spec->instruction, INSTRUCTION);
    return why;
}

void model_spec_complete(struct model_spec *spec)
{
    if (!spec->evicted_max)
        spec->evicted_max = 1u << 18;
    if (!spec->pairs_max)
        spec->pairs_max = 1u << 16;
    if (!spec->lines_limit_bytes)
        spec->lines_limit_bytes = UINT64_C(1) << 30;
}
