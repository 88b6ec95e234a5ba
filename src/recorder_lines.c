/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a simulation tells of lines, recorded; declared in recorder.h. */
#include "recorder_state.h"

/* Lines that left a cache are as many as misses, which are recorded all. */
bool recorder_wants_line(struct recorder *recorder, uint64_t time_ns, struct line_told *line)
{
    return line->what != LINE_REUSED || thinning_keeps(&recorder->reuses, time_ns, &line->weight);
}

void recorder_line(struct recorder *recorder, const struct line_place *line)
{
    if (recorder->store)
        store_writer_line(recorder->store, line);
}

/* The tables ask a little later what goes on counting: they are told what stands in the file. */
void recorder_take_pairs(struct recorder *recorder)
{
    const struct sampler *sampler = recorder->options.sampler;
    uint32_t levels = recorder->simulation.level_count;
    struct line_pair pair;
    if (!recorder->store || !sampler_info(sampler)->lines)
        return;
    for (enum line_pairs kind = 0; kind < LINE_PAIRS; kind++)
        for (uint8_t level = 0; level < levels; level++)
            for (uint32_t place = 0; sampler_pair(sampler, kind, level, &place, &pair);)
                store_writer_pair(recorder->store, kind, level, place - 1, &pair);
}

static bool next_pair(void *context, enum line_pairs kind, uint8_t level, uint32_t *place,
                      struct line_pair *out)
{
    struct recorder *recorder = context;
    const struct line_pair_source *own = &recorder->options.pairs;
    return recorder->store ? store_writer_next_pair(recorder->store, kind, level, place, out)
                           : own->next(own->context, kind, level, place, out);
}

static uint32_t function_of(void *context, uint64_t ip)
{
    struct recorder *recorder = context;
    const struct line_pair_source *own = &recorder->options.pairs;
    uint32_t function = own->function(own->context, ip);
    if (recorder->store)
        store_writer_code(recorder->store, ip, function);
    return function;
}

struct line_pair_source recorder_pairs(struct recorder *recorder)
{
    bool told = recorder->options.pairs.next;
    return told ? (struct line_pair_source){recorder, next_pair, function_of}
                : (struct line_pair_source){0};
}
