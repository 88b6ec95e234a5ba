/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a simulation tells of lines, given its place; declared in state.h. */
#include "engine/state.h"

/* No sample: it is no part of their totals, and no instruction has to be decoded for it. */
static struct access access_of(const struct record *record, const struct line_told *line)
{
    return (struct access){
        .time_ns = record->time_ns,
        .address = line->address,
        .ip = line->ip,
        .weight = line->weight,
        .pid = record->pid,
        .tid = line->tid,
        .cpu = SAMPLE_NO_CPU,
        .event = line->event,
        .how = ACCESS_RECORDED,
        .base = SREG_NONE,
        .index = SREG_NONE,
    };
}

bool engine_take_line(struct engine *engine, const struct record *record)
{
    struct line_place *line = &engine->lines[engine->line_count];
    line->line = record->line;
    if (engine->recorder &&
        !recorder_wants_line(engine->recorder, record->time_ns, &line->line))
        return false;
    struct access access = access_of(record, &line->line);
    engine->line_count++;
    engine->told += resolver_follow(engine->resolver, record->time_ns);
    resolver_resolve(engine->resolver, &access, NULL, &line->place);
    return engine->line_count == ENGINE_PLACES;
}

/* Recorded when they are counted, for they go into the tables behind places that came later. */
void engine_count_lines(struct engine *engine)
{
    for (size_t i = 0; engine->recorder && i < engine->line_count; i++)
        recorder_line(engine->recorder, &engine->lines[i]);
    profile_add_lines(engine->profile, engine->lines, engine->line_count);
    engine->line_count = 0;
}

static bool next_pair(void *context, enum line_pairs kind, uint8_t level, uint32_t *place,
                      struct line_pair *out)
{
    const struct engine *engine = context;
    return sampler_pair(engine->sampler, kind, level, place, out);
}

/* As that of a sample whose data nobody knows. */
static uint32_t function_of(void *context, uint64_t ip)
{
    struct engine *engine = context;
    struct place place;
    struct access access = {.ip = ip, .reason = REASON_NO_MEMORY, .base = SREG_NONE};
    resolver_resolve(engine->resolver, &access, NULL, &place);
    return place.function;
}

static bool stored_pair(void *context, enum line_pairs kind, uint8_t level, uint32_t *place,
                        struct line_pair *out)
{
    const struct engine *engine = context;
    return store_reader_pair(engine->store, kind, level, place, out);
}

static uint32_t stored_function(void *context, uint64_t ip)
{
    const struct engine *engine = context;
    return store_reader_function(engine->store, ip);
}

struct line_pair_source engine_pairs(struct engine *engine)
{
    if (!engine_info(engine)->lines)
        return (struct line_pair_source){0};
    return engine->store ? (struct line_pair_source){engine, stored_pair, stored_function}
                           : (struct line_pair_source){engine, next_pair, function_of};
}
