/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/model/cache.h"
#include "sim/model/state.h"

/* Makes this thread announce its stores to the line. Returns true if it has the line. */
static bool coherence_share(struct model *model, struct state_thread *thread, uint64_t number)
{
    bool found = false;
    for (uint32_t level = 0; level < model->private_levels; level++) {
        struct cache *cache = thread->path[level];
        uint32_t index = cache_find(cache, number);
        if (index == CACHE_NONE)
            continue;
        departure_report_below(model, cache, index);
        cache->slots[index].excluded_kinds |= MODEL_STORE;
        if (cache->fast)
            fast_forget(cache, index);
        cache->slots[index].is_in_other_threads = true;
        found = true;
    }
    return found;
}

static void invalidate_line(struct model *model, struct state_thread *thread, uint64_t number,
                            struct model_who who)
{
    bool found = false;
    for (uint32_t level = 0; level < model->private_levels; level++) {
        uint32_t index = cache_find(thread->path[level], number);
        if (index == CACHE_NONE)
            continue;
        departure_of(model, thread->path[level], index, who, MODEL_INVALIDATED);
        found = true;
    }
    if (found && model->invalidated.lines) {
        evicted_put(&model->invalidated, number,
                    &(struct evicted_line){.thread = (uint16_t)thread->fast.number,
                                           .reason = MODEL_INVALIDATED});
        model->invalidated_from[thread->fast.number]++;
    }
}

void coherence_take(struct model *model, uint32_t thread, uint64_t number, bool write,
                    struct model_who who)
{
    uint8_t *byte = lines_byte(&model->lines, number);
    uint32_t holder = byte ? *byte & STATE_HOLDER : STATE_HOLDERS;
    uint32_t first = holder == STATE_HOLDERS ? 0 : holder - 1;
    uint32_t end = holder == STATE_HOLDERS ? model->threads_end : holder;
    bool others = false;
    for (uint32_t i = first; holder && i < end; i++) {
        struct state_thread *other = model->threads[i];
        if (!other || i == thread)
            continue;
        if (write)
            invalidate_line(model, other, number, who);
        else
            others |= coherence_share(model, other, number);
    }
    if (byte)
        *byte = (uint8_t)((*byte & STATE_REFERENCED) | (others ? STATE_HOLDERS : thread + 1));
}

bool coherence_shared(struct model *model, uint64_t number)
{
    uint8_t *byte = lines_byte(&model->lines, number);
    return !byte || (*byte & STATE_HOLDER) == STATE_HOLDERS;
}

void coherence_note_writes(struct model *model, uint32_t thread, uint64_t number, uint64_t grains)
{
    if (!grains || !model->invalidated.lines)
        return;
    for (uint32_t i = 0; i < model->threads_end; i++) {
        if (i == thread || !model->invalidated_from[i])
            continue;
        struct evicted_line *line = evicted_find(&model->invalidated, number, i);
        if (line)
            line->written |= grains;
    }
}

uint64_t coherence_written_since(struct model *model, uint32_t thread, uint64_t number)
{
    struct evicted_line *line =
        model->invalidated_from[thread] ? evicted_find(&model->invalidated, number, thread) : NULL;
    return line ? line->written : 0;
}

void coherence_returned(struct model *model, uint32_t thread, uint64_t number)
{
    struct evicted_line *line =
        model->invalidated_from[thread] ? evicted_find(&model->invalidated, number, thread) : NULL;
    if (line)
        line->tag = 0;
}

uint32_t coherence_holders(struct model *model, uint64_t address, uint32_t size_bytes)
{
    uint32_t shift = model->line_shift;
    uint32_t holder = 0;
    if (!model->needs_coherence)
        return STATE_HOLDERS;
    for (uint32_t offset = 0; offset < size_bytes; offset += 1u << shift) {
        uint8_t *byte = lines_byte(&model->lines, (address + offset) >> shift);
        uint32_t found = byte ? *byte & STATE_HOLDER : STATE_HOLDERS;
        if (found && holder && found != holder)
            return STATE_HOLDERS;
        holder |= found;
    }
    return holder;
}

void coherence_begin(struct model *model, uint32_t thread)
{
    for (uint32_t level = 0; level < model->private_levels; level++) {
        const struct cache *cache = model->threads[thread]->path[level];
        for (uint32_t index = 0; index < cache_lines(cache); index++) {
            uint8_t *byte =
                cache->tags[index] ? lines_byte(&model->lines, cache_number(cache, index)) : NULL;
            if (byte)
                *byte = (uint8_t)((*byte & STATE_REFERENCED) | (thread + 1));
        }
    }
    model->needs_coherence = true;
}
