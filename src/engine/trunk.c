/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdlib.h>

#include "base/lane.h"
#include "engine/state.h"
#include "resolve/heap/feed.h"

static void engine_forget_changed_code(struct engine *engine)
{
    uint64_t start;
    uint64_t end;
    while (resolver_code_changed(engine->resolver, &start, &end))
        decoder_forget(engine->decoder, start, end);
}

enum { LANE_BATCHES = 4, BATCH_PLACES = 512 };

struct place_batch {
    size_t count;
    struct place places[BATCH_PLACES];
};

static void add_places(void *context, void *batch)
{
    struct engine *engine = context;
    struct place_batch *waiting = batch;
    profile_add_all(engine->profile, waiting->places, waiting->count);
    past_add_all(engine->past, waiting->places, waiting->count);
    waiting->count = 0;
}

int engine_open_trunk(struct engine *engine)
{
    unsigned threads = engine->kind == &engine_recorded ? engine->options.threads : 1;
    int code = 0;
    if (threads > 2)
        code = sampler_read_ahead(engine->sampler);
    if (!code && threads > 1)
        code = lane_open(&engine->table_thread, LANE_BATCHES, sizeof(struct place_batch),
                         add_places, engine);
    if (code)
        return code;
    engine->waiting =
        engine->table_thread ? lane_next(engine->table_thread) : calloc(1, sizeof *engine->waiting);
    return engine->waiting ? 0 : -ENOMEM;
}

void engine_close_trunk(struct engine *engine)
{
    if (!engine->table_thread)
        free(engine->waiting);
    lane_close(engine->table_thread);
    engine->table_thread = NULL;
    engine->waiting = NULL;
}

/* Adds the queued places to the tables. In a replay a separate thread does this, except for batches
 * that make the tables ask for names. */
static void count_places(struct engine *engine)
{
    struct place_batch *waiting = engine->waiting;
    if (!engine->table_thread || !waiting->count ||
        profile_needs_names(engine->profile, waiting->places[waiting->count - 1].access.time_ns)) {
        lane_settle(engine->table_thread);
        add_places(engine, waiting);
        return;
    }
    lane_submit(engine->table_thread);
    engine->waiting = lane_next(engine->table_thread);
}

void engine_count_places(struct engine *engine)
{
    count_places(engine);
    lane_settle(engine->table_thread);
    engine_count_lines(engine);
}

void engine_add_place(struct engine *engine, const struct place *place)
{
    struct place_batch *waiting = engine->waiting;
    waiting->places[waiting->count++] = *place;
    if (waiting->count == BATCH_PLACES ||
        profile_needs_names(engine->profile, place->access.time_ns))
        count_places(engine);
}

static void take_sample(struct engine *engine, const struct record *record)
{
    const struct sample *sample = &record->sample;
    struct place *place = &engine->waiting->places[engine->waiting->count++];
    struct access access;
    engine->samples[sample->event]++;
    engine->events[sample->event] += (double)sample->weight;
    if (!engine->slice_until_ns) /* with a slice, may_take_record() has followed the heap */
        engine->agent_events += resolver_follow(engine->resolver, sample->time_ns);
    decoder_decode(engine->decoder, sample, &access);
    bool own_regs = sample->has & SAMPLE_HAS_REGS && !(sample->has & SAMPLE_HAS_SKID_REGS) &&
                    !(sample->regs_missing & ~(1u << SREG_FLAGS));
    engine->leaves += access.is_in_leaf_frame;
    resolver_note_caller(engine->resolver, sample, own_regs ? sample->regs : NULL, &access);
    resolver_resolve(engine->resolver, &access, own_regs ? sample->regs : NULL, place);
    place->caller =
        resolver_callers(engine->resolver, sample, own_regs ? sample->regs : NULL, place);
    if (access.how == ACCESS_IN_OBJECT) {
        place->typed = TYPED_NONE;
        place->by_member = false;
    }
    if (engine->recorder)
        recorder_add(engine->recorder, record, place);
    engine_watch_offer(engine, place);
    if (engine->waiting->count == BATCH_PLACES)
        count_places(engine);
}

static void take_record(void *context, const struct record *record)
{
    struct engine *engine = context;
    if (record->time_ns > engine->record_ns)
        engine->record_ns = record->time_ns;
    switch (record->kind) {
    case RECORD_SAMPLE:
        take_sample(engine, record);
        return;
    case RECORD_LINE:
        if (engine_take_line(engine, record))
            engine_count_places(engine);
        return;
    case RECORD_LOST:
        profile_lost(engine->profile, record->count);
        resolver_mark_maps_stale(engine->resolver);
        break;
    case RECORD_THROTTLE:
        profile_throttled(engine->profile, 1);
        break;
    case RECORD_UNTHROTTLE:
        break;
    default:
        /* A mapping does not affect places that are already resolved. */
        if (record->kind != RECORD_MAPPING)
            engine_count_places(engine);
        /* Ignore the exec of a program that misstop launched: it precedes the first sample. */
        engine->exec_seen |=
            record->kind == RECORD_COMM && record->comm.exec && engine->samples[engine->ranking];
        /* The old program's heap events precede its end. */
        if (record->kind == RECORD_COMM && record->comm.exec)
            engine->agent_events += resolver_follow(engine->resolver, record->time_ns);
        if (engine->watch && record->kind == RECORD_COMM && record->comm.exec)
            watch_exec(engine->watch);
        resolver_record(engine->resolver, record);
        engine_forget_changed_code(engine);
        if (record->kind == RECORD_MAPPING && record->mapping.executable &&
            engine_perfdata(engine) &&
            perfdata_sampled(engine_perfdata(engine), record->mapping.start,
                             record->mapping.length))
            resolver_expect(engine->resolver, record->mapping.start);
    }
    if (engine->recorder)
        recorder_add(engine->recorder, record, NULL);
}

int engine_stop_recording(struct engine *engine, struct error *error)
{
    int code = recorder_close(engine->recorder, error);
    engine->recorder = NULL;
    return code;
}

int engine_fd(const struct engine *engine)
{
    int fd = engine->sampler ? sampler_fd(engine->sampler) : -1;
    return engine->watch ? watch_fd(engine->watch, fd) : fd;
}

int engine_heap_fd(const struct engine *engine)
{
    return engine->options.feed ? feed_wake_fd(engine->options.feed) : -1;
}

long engine_take(struct engine *engine, uint64_t *until_ns)
{
    long count = sampler_read(engine->sampler, *until_ns, take_record, engine);
    engine->has_backlog = sampler_has_backlog(engine->sampler, until_ns);
    engine_count_places(engine);
    return count;
}

long engine_drain(struct engine *engine, uint64_t until_ns)
{
    long code = engine->kind->drain(engine, until_ns);
    engine->empty_drains = code > 0 ? 0 : engine->empty_drains + 1;
    return code;
}

bool engine_has_backlog(const struct engine *engine)
{
    return engine->has_backlog;
}

/*
 * Records wait in rings of the kernel, allocations in the agent's rings; both wake misstop when
 * they fill up. A walked heap must be read before its blocks are reused, and a leaf function's
 * frame before the function returns. Neither applies to a sleeping target.
 */
int engine_patience_ms(struct engine *engine)
{
    enum {
        QUIET_MS = 100,
        HEAP_MS = 5,
        QUIET_DRAINS = 4,
        FEED_MS = 20,
        WATCH_MS = 2,
        LEAF_MS = 1,
        BUSY_MS = 1,
        BUSY_EVENTS = 10000
    };
    long followed = engine->agent_events;
    engine->agent_events = 0;
    /* Touches between a sample and the start of its watch are missed. */
    if (engine->watch)
        return followed > BUSY_EVENTS ? BUSY_MS : WATCH_MS;
    /* The ring of a simulation fills as fast as the heap feed. */
    bool busy = engine->heap || engine->options.sim;
    bool wakes = engine_heap_fd(engine) >= 0 && !engine->options.walk && !engine->options.sim;
    bool leaves = engine->leaves;
    engine->leaves = 0;
    if (leaves)
        return LEAF_MS;
    if (wakes || (busy && !engine->options.sim && !followed && engine->empty_drains > QUIET_DRAINS))
        return FEED_MS;
    return !busy ? QUIET_MS : followed > BUSY_EVENTS ? BUSY_MS : HEAP_MS;
}

int engine_enable(struct engine *engine, bool on)
{
    return engine->sampler ? sampler_enable(engine->sampler, on) : 0;
}

int engine_tick(struct engine *engine)
{
    if (engine->resolver) {
        resolver_tick(engine->resolver, engine_now(engine));
        engine_forget_changed_code(engine);
    }
    if (engine->search)
        engine_search_start(engine, engine->search);
    return engine->kind->tick ? engine->kind->tick(engine, engine_now(engine)) : 0;
}
