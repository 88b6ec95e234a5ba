/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/cause.h"

#include "sim/coherence.h"

enum seen { SEEN_UNKNOWN, SEEN_NOT, SEEN_ELSEWHERE, SEEN_HERE };

/* One line of the first level. */
static enum seen seen_line(struct state_access *access, uint64_t number, bool by_thread)
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

/* A longer line was referenced where any part of it was. */
static enum seen seen_before(struct state_access *access, const struct cache *cache,
                             uint64_t address)
{
    bool by_thread = access->model->spec.threads > 1 && !cache->shared;
    uint32_t shift = access->model->line_shift;
    uint64_t start = address & ~(uint64_t)(cache->line_bytes - 1);
    enum seen most = SEEN_NOT;
    for (uint32_t offset = 0; offset < cache->line_bytes; offset += 1u << shift) {
        enum seen seen = seen_line(access, (start + offset) >> shift, by_thread);
        if (seen == SEEN_UNKNOWN || seen == SEEN_HERE)
            return seen;
        if (seen > most)
            most = seen;
    }
    return most;
}

static uint8_t invalidation(struct state_access *access, const struct cache *cache,
                            uint64_t address, uint32_t size_bytes)
{
    uint32_t offset = (uint32_t)address & (cache->line_bytes - 1);
    uint64_t written = coherence_written_since(access->model, access->thread->fast.number,
                                               address >> cache->line_shift);
    return written & model_grains(offset, size_bytes, cache->grain_shift) ? MODEL_INVALIDATED_TRUE
                                                                          : MODEL_INVALIDATED_FALSE;
}

static uint8_t replaced_cause(struct state_access *access, const struct cache *cache,
                              uint64_t address, uint32_t size_bytes, bool in_shadow,
                              struct model_missed *missed)
{
    struct model *model = access->model;
    const struct evicted_line *line =
        evicted_find(&model->evicted[cache->level], address >> cache->line_shift, cache->thread);
    if (!line) {
        model->limits.evictors_forgotten++;
    } else {
        missed->evictor = line->evictor;
        missed->evictor_thread = line->by;
    }
    if (line && line->reason == MODEL_INVALIDATED)
        return invalidation(access, cache, address, size_bytes);
    if (line && line->reason == MODEL_INCLUDED)
        return MODEL_INCLUSION;
    return in_shadow ? MODEL_CONFLICT : MODEL_CAPACITY;
}

/* An access to one line, that takes nothing from the tables of evicted lines that it looks into. */
static bool may_be_late(const struct state_access *access)
{
    return access->model->memory.host.asks_causes && access->absent &&
           access->model->spec.whole_access_below;
}

void cause_of(struct state_access *access, const struct cache *cache, uint64_t address,
              uint32_t size_bytes, bool in_shadow)
{
    struct model_missed *missed = &access->miss.level[cache->level];
    if (access->missed & 1u << cache->level)
        return;
    access->missed |= 1u << cache->level;
    *missed = (struct model_missed){.evictor_thread = MODEL_NOBODY,
                                    .evictor = {MODEL_NOBODY, MODEL_NOBODY, 0}};
    if (!access->model->spec.causes || access->miss.kind & MODEL_INSTRUCTION)
        return;
    switch (seen_before(access, cache, address)) {
    case SEEN_UNKNOWN:
        access->model->limits.lines_untold++;
        break;
    case SEEN_NOT:
        missed->cause = MODEL_FIRST;
        break;
    case SEEN_ELSEWHERE:
        missed->cause = MODEL_FIRST_HERE;
        break;
    case SEEN_HERE:
        if (may_be_late(access))
            access->replaced |= 1u << cache->level, access->in_shadow |= in_shadow << cache->level;
        else
            missed->cause = replaced_cause(access, cache, address, size_bytes, in_shadow, missed);
        break;
    }
}

/* What was put off, for which level served is known now. */
static void look_for_evictors(struct state_access *access)
{
    struct model_miss *miss = &access->miss;
    for (uint32_t level = 0; level < miss->served; level++)
        if (access->replaced >> level & 1)
            miss->level[level].cause =
                replaced_cause(access, access->thread->path[level], miss->address, miss->size_bytes,
                               access->in_shadow >> level & 1, &miss->level[level]);
}

void cause_referenced(struct state_access *access, uint64_t address)
{
    struct model *model = access->model;
    uint64_t number = address >> model->line_shift;
    uint8_t *byte = lines_byte(&model->lines, number);
    if (byte)
        *byte |= STATE_REFERENCED;
    if (model->private_levels) {
        uint8_t *bits = lines_bits(&access->thread->referenced, number);
        if (bits)
            *bits |= (uint8_t)(1u << number % 8);
    }
}

/* Thrown out by whom: not what another thread's write took away. */
static void count_evictor(struct model_figures *figures, const struct model_missed *missed,
                          uint32_t bin)
{
    if (missed->evictor.bin == MODEL_NOBODY || missed->cause == MODEL_INVALIDATED_TRUE ||
        missed->cause == MODEL_INVALIDATED_FALSE)
        return;
    if (missed->evictor.bin == bin)
        figures->thrown_by_same++;
    else
        figures->thrown_by_other++;
}

static void count_miss(struct model_figures *figures, const struct model_missed *missed,
                       uint32_t bin)
{
    if (!figures)
        return;
    figures->misses++;
    figures->causes[missed->cause]++;
    count_evictor(figures, missed, bin);
}

static void count_level(struct model *model, const struct model_miss *miss, uint32_t level)
{
    const struct model_missed *missed = &miss->level[level];
    struct model_figures *ip = ids_make(&model->ips, miss->who.ip, &model->memory);
    struct model_figures *bin = ids_make(&model->bins, miss->who.bin, &model->memory);
    count_miss(&model->total[level], missed, miss->who.bin);
    count_miss(ip ? &ip[level] : NULL, missed, miss->who.bin);
    count_miss(bin ? &bin[level] : NULL, missed, miss->who.bin);
    model->limits.ids_untold += !ip || !bin;
    if (missed->evictor.bin != MODEL_NOBODY && missed->cause >= MODEL_INCLUSION)
        tally_count(&model->pairs[MODEL_BIN_EVICTED_BY_BIN][level], &model->memory, miss->who.bin,
                    missed->evictor.bin, 1);
}

void cause_report(struct state_access *access)
{
    struct model *model = access->model;
    const struct model_host *host = &model->memory.host;
    state_who(access);
    if (access->replaced && cause_is_asked(model, access->miss.served))
        look_for_evictors(access);
    for (uint32_t level = 0; level < model->spec.level_count; level++) {
        if (!(access->missed & 1u << level))
            continue;
        if (access->miss.kind & MODEL_INSTRUCTION)
            model->instruction_misses[level]++;
        else if (!model->spec.no_figures)
            count_level(model, &access->miss, level);
    }
    if (host->miss && !(access->miss.kind & MODEL_INSTRUCTION))
        host->miss(host->context, &access->miss);
}
