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

bool pipeline_take_line(struct pipeline *pipeline, const struct record *record)
{
    struct line_place *line = &pipeline->lines[pipeline->line_count];
    line->line = record->line;
    if (pipeline->recorder &&
        !recorder_wants_line(pipeline->recorder, record->time_ns, &line->line))
        return false;
    struct access access = access_of(record, &line->line);
    pipeline->line_count++;
    pipeline->told += resolver_follow(pipeline->resolver, record->time_ns);
    resolver_resolve(pipeline->resolver, &access, NULL, &line->place);
    return pipeline->line_count == PIPELINE_PLACES;
}

/* Recorded when they are counted, for they go into the tables behind places that came later. */
void pipeline_count_lines(struct pipeline *pipeline)
{
    for (size_t i = 0; pipeline->recorder && i < pipeline->line_count; i++)
        recorder_line(pipeline->recorder, &pipeline->lines[i]);
    profile_add_lines(pipeline->profile, pipeline->lines, pipeline->line_count);
    pipeline->line_count = 0;
}

static bool next_pair(void *context, enum line_pairs kind, uint8_t level, uint32_t *place,
                      struct line_pair *out)
{
    const struct pipeline *pipeline = context;
    return sampler_pair(pipeline->sampler, kind, level, place, out);
}

/* As that of a sample whose data nobody knows. */
static uint32_t function_of(void *context, uint64_t ip)
{
    struct pipeline *pipeline = context;
    struct place place;
    struct access access = {.ip = ip, .reason = REASON_NO_MEMORY, .base = SREG_NONE};
    resolver_resolve(pipeline->resolver, &access, NULL, &place);
    return place.function;
}

static bool stored_pair(void *context, enum line_pairs kind, uint8_t level, uint32_t *place,
                        struct line_pair *out)
{
    const struct pipeline *pipeline = context;
    return store_reader_pair(pipeline->store, kind, level, place, out);
}

static uint32_t stored_function(void *context, uint64_t ip)
{
    const struct pipeline *pipeline = context;
    return store_reader_function(pipeline->store, ip);
}

struct line_pair_source pipeline_pairs(struct pipeline *pipeline)
{
    if (!pipeline_info(pipeline)->lines)
        return (struct line_pair_source){0};
    return pipeline->store ? (struct line_pair_source){pipeline, stored_pair, stored_function}
                           : (struct line_pair_source){pipeline, next_pair, function_of};
}
