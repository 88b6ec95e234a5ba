/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a simulation tells of lines, given its place; declared in pipeline_state.h. */
#include "pipeline_state.h"

/* No sample: it is no part of their totals, and no instruction has to be decoded for it. */
static struct access access_of(const struct record *record)
{
    const struct line_told *line = &record->line;
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
    struct line_place *line = &pipeline->lines[pipeline->line_count++];
    struct access access = access_of(record);
    line->line = record->line;
    pipeline->told += resolver_follow(pipeline->resolver, record->time_ns);
    resolver_resolve(pipeline->resolver, &access, NULL, &line->place);
    return pipeline->line_count == PIPELINE_PLACES;
}

void pipeline_count_lines(struct pipeline *pipeline)
{
    profile_add_lines(pipeline->profile, pipeline->lines, pipeline->line_count);
    pipeline->line_count = 0;
}
