/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>

#include "engine/state.h"
#include "sample/simulated/sim_memory.h"

/* A line event is not in the totals, and no instruction is decoded for it. */
static struct access access_of(const struct record *record, const struct line_event *line)
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
    if (engine->recorder && !recorder_wants_line(engine->recorder, record->time_ns, &line->line))
        return false;
    struct access access = access_of(record, &line->line);
    engine->line_count++;
    engine->agent_events += resolver_follow(engine->resolver, record->time_ns);
    resolver_resolve(engine->resolver, &access, NULL, &line->place);
    return engine->line_count == ENGINE_LINES;
}

static bool simulated_answer(void *context, enum place_question question, uint64_t number,
                             union place_answer *answer)
{
    const struct engine *engine = context;
    const struct sim_memory *sim = engine->options.sim;
    struct place_names names = resolver_names(engine->resolver);
    return question == PLACE_PAIR ? sim->settings.use && sim_memory_pair(sim, number, &answer->pair)
                                  : place_ask(&names, question, number, answer);
}

struct place_names engine_names(struct engine *engine)
{
    if (!engine->resolver)
        return store_reader_names(engine->stored.reader);
    return engine->options.sim ? (struct place_names){simulated_answer, engine}
                               : resolver_names(engine->resolver);
}

/* Lines are recorded when they are counted: they enter the tables after later places. */
void engine_count_lines(struct engine *engine)
{
    for (size_t i = 0; i < engine->line_count; i++)
        store_writer_line(recorder_store(engine->recorder), &engine->lines[i]);
    profile_add_lines(engine->profile, engine->lines, engine->line_count);
    engine->line_count = 0;
}

/* Ranks by the simulation event of the costliest cache level. */
static void rank_costliest(struct engine *engine)
{
    if (engine->options.events || engine->event_chosen)
        return;
    struct snapshot_simulation simulation = sampler_simulation(engine->sampler);
    uint32_t last = simulation.level_count - 1;
    if (engine->ranking > last)
        return;
    uint32_t level = whatif_costliest_level(&simulation, last - engine->ranking);
    if (level == last - engine->ranking)
        return;
    engine_rank(engine, (uint16_t)(last - level));
    if (engine->recorder)
        recorder_ranking(engine->recorder, engine->ranking);
    if (!engine->status[0])
        snprintf(engine->status, sizeof engine->status,
                 "ranked by %s, which costs most cycles; e ranks by another event",
                 engine_info(engine)->events[engine->ranking].name);
}

/* Misses wait in a ring; the tool thins them out when it fills up. */
static long simulated_drain(struct engine *engine, uint64_t until_ns)
{
    if (!engine->has_backlog)
        resolver_set_patience(engine->resolver, engine->patience_ns);
    long count = engine_take(engine, &until_ns);
    rank_costliest(engine);
    engine->has_backlog |= !live_follow_heap(engine, until_ns);
    resolver_settle(engine->resolver, clock_now_ns());
    engine_whatif_follow(engine, until_ns);
    return count;
}

static const char *simulated_request(struct engine *engine, const struct request *request)
{
    if (request->kind == REQUEST_ZERO)
        sim_whatif_zero(engine->options.sim);
    bool asks = request->kind == REQUEST_WHATIF || request->kind == REQUEST_WHATIF_END;
    return asks ? engine_whatif_request(engine, request) : NULL;
}

const struct engine_kind engine_simulated = {.live = true,
                                             .open = sampled_open,
                                             .open_files = live_open_files,
                                             .open_names = sampled_open_names,
                                             .drain = simulated_drain,
                                             .tick = live_tick,
                                             .whatifs = engine_whatif_state,
                                             .request = simulated_request};
