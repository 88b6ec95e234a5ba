/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <time.h>

#include "engine/state.h"

static void forget_changed_code(struct engine *engine)
{
    uint64_t start;
    uint64_t end;
    while (resolver_code_changed(engine->resolver, &start, &end))
        decoder_forget(engine->decoder, start, end);
}

/* What waits goes into the tables: whenever somebody looks, or what is mapped changes. */
static void count_places(struct engine *engine)
{
    profile_add_all(engine->profile, engine->places, engine->place_count);
    past_add_all(engine->past, engine->places, engine->place_count);
    engine->place_count = 0;
    engine_count_lines(engine);
}

/* Less than a key is felt to wait; a flood of allocations or samples is taken in such slices. */
enum { SLICE_NS = 10000000, FOLLOW_NS = 1000000 };

static bool slice_over(const struct engine *engine)
{
    struct timespec used;
    if (!engine->slice_until_ns || clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used))
        return false;
    return (uint64_t)used.tv_sec * CLOCK_NS_PER_S + (uint64_t)used.tv_nsec >=
           engine->slice_until_ns;
}

/* Only live; of an ended program and a simulation all is taken that there is, in parts of theirs.
 */
static void begin_slice(struct engine *engine, uint64_t until_ns)
{
    struct timespec used;
    bool sliced = engine->live && !engine->options.sim && until_ns != UINT64_MAX;
    engine->slice_until_ns = 0;
    if (sliced && !clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used))
        engine->slice_until_ns =
            (uint64_t)used.tv_sec * CLOCK_NS_PER_S + (uint64_t)used.tv_nsec + SLICE_NS;
}

/* The feed of the heap up to a time, by steps; false: there is more than this slice has time for.
 */
static bool follow_feed(struct engine *engine, uint64_t until_ns)
{
    while (engine->followed_ns < until_ns) {
        uint64_t step_ns = until_ns;
        if (engine->slice_until_ns && engine->followed_ns &&
            until_ns - engine->followed_ns > FOLLOW_NS)
            step_ns = engine->followed_ns + FOLLOW_NS;
        engine->told += resolver_follow(engine->resolver, step_ns);
        engine->followed_ns = step_ns;
        if (step_ns < until_ns && slice_over(engine))
            return false;
    }
    return true;
}

/* Asked by the sampler before each record: those still to come must find the blocks of their time.
 */
static bool may_take(void *context, uint64_t time_ns)
{
    struct engine *engine = context;
    return !engine->slice_until_ns || (follow_feed(engine, time_ns) && !slice_over(engine));
}

static void take_sample(struct engine *engine, const struct record *record)
{
    const struct sample *sample = &record->sample;
    struct place *place = &engine->places[engine->place_count++];
    struct access access;
    engine->samples[sample->event]++;
    engine->events[sample->event] += (double)sample->weight;
    if (!engine->slice_until_ns) /* else it was followed when it was asked for */
        engine->told += resolver_follow(engine->resolver, sample->time_ns);
    decoder_decode(engine->decoder, sample, &access);
    bool own_regs = sample->has & SAMPLE_HAS_REGS && !(sample->has & SAMPLE_HAS_ALIEN_REGS) &&
                    !(sample->regs_missing & ~(1u << SREG_FLAGS));
    engine->leaves += access.of_leaf;
    resolver_resolve(engine->resolver, &access, own_regs ? sample->regs : NULL, place);
    if (access.how == ACCESS_OBJECT) {
        place->typed = TYPED_NOT;
        place->by_member = false;
    }
    if (engine->recorder)
        recorder_add(engine->recorder, record, place);
    engine_watch_offer(engine, place);
    if (engine->place_count == ENGINE_PLACES)
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
            count_places(engine);
        return;
    case RECORD_LOST:
        profile_lost(engine->profile, record->count);
        resolver_distrust(engine->resolver);
        break;
    case RECORD_THROTTLE:
        profile_throttled(engine->profile, 1);
        break;
    case RECORD_UNTHROTTLE:
        break;
    default:
        count_places(engine);
        /* That of a program we launch comes before its first sample, and is what was asked for. */
        engine->exec_seen |= record->kind == RECORD_COMM && record->comm.exec &&
                               engine->samples[engine->ranking];
        /* What the old program did with its heap comes before its end. */
        if (record->kind == RECORD_COMM && record->comm.exec)
            engine->told += resolver_follow(engine->resolver, record->time_ns);
        if (engine->watch && record->kind == RECORD_COMM && record->comm.exec)
            watch_exec(engine->watch);
        resolver_record(engine->resolver, record);
        forget_changed_code(engine);
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
    int fd = engine->store ? -1 : sampler_fd(engine->sampler);
    return engine->watch ? watch_fd(engine->watch, fd) : fd;
}

long engine_drain(struct engine *engine, uint64_t until_ns)
{
    if (engine->store) {
        long stored = engine_stored_drain(engine, until_ns);
        engine_replay_reached(engine, until_ns);
        return stored;
    }
    /* A simulated program's misses wait in a ring, and thin themselves out where it fills. */
    if (!engine->live || (engine->options.sim && !engine->behind))
        resolver_be_patient(engine->resolver, engine->patience_ns);
    begin_slice(engine, until_ns);
    if (engine->live && !engine->options.sim)
        sampler_pace(engine->sampler, may_take, engine);
    long count = sampler_read(engine->sampler, until_ns, take_record, engine);
    engine->behind = sampler_behind(engine->sampler, &until_ns);
    count_places(engine);
    engine_rank_costliest(engine);
    engine_watch_pump(engine, until_ns);
    /* No further than the samples: those still to come must find the blocks of their time. */
    if (engine->live)
        engine->behind |= !follow_feed(engine, until_ns);
    else
        engine_replay_reached(engine, until_ns);
    resolver_settle(engine->resolver, clock_now_ns());
    engine_whatif_follow(engine, until_ns);
    return count;
}

bool engine_behind(const struct engine *engine)
{
    return engine->behind;
}

/*
 * Records wait in rings of the kernel, which wake us when they fill up; allocations in rings
 * of the agent, which does not: a thread that does nothing but malloc and free fills one in
 * less than 10 ms. And a heap that is walked has to be read before the block is another one, a
 * leaf function's frame before the function returns.
 */
int engine_patience_ms(struct engine *engine)
{
    enum {
        QUIET_MS = 100,
        HEAP_MS = 5,
        WATCH_MS = 2,
        LEAF_MS = 1,
        BUSY_MS = 1,
        BUSY_EVENTS = 10000
    };
    long told = engine->told;
    engine->told = 0;
    /* From a sample to its watch nothing is seen. */
    if (engine->watch)
        return told > BUSY_EVENTS ? BUSY_MS : WATCH_MS;
    /* The ring of a simulation fills as fast as the heap's feed. */
    bool busy = engine->heap || engine->options.sim;
    bool leaves = engine->leaves;
    engine->leaves = 0;
    if (leaves)
        return LEAF_MS;
    return !busy ? QUIET_MS : told > BUSY_EVENTS ? BUSY_MS : HEAP_MS;
}

int engine_enable(struct engine *engine, bool on)
{
    return engine->store ? 0 : sampler_enable(engine->sampler, on);
}

/* Once each time that it falls below what was asked for. */
static void tell_rate(struct engine *engine)
{
    const struct sampler_info *info = engine_info(engine);
    bool slower = info->rate < info->rate_wanted * 0.9;
    if (slower && !engine->slower && !engine->status[0])
        snprintf(engine->status, sizeof engine->status,
                 "%.0f samples a second are more than can be digested here: fewer are taken until "
                 "none are lost",
                 info->rate_wanted);
    engine->slower = slower;
}

int engine_tick(struct engine *engine)
{
    uint64_t now = engine_now(engine);
    if (!engine->store) {
        resolver_tick(engine->resolver, now);
        /* Debugging information takes its time here, whatever the recording's clock says. */
        if (!engine->live)
            resolver_settle(engine->resolver, clock_now_ns());
        forget_changed_code(engine);
    }
    if (engine->search)
        engine_search_start(engine, engine->search);
    if (engine->store)
        return 0;
    if (engine->watch)
        watch_tick(engine->watch);
    int code = sampler_tick(engine->sampler, now);
    engine->ended |= code == -ESRCH;
    tell_rate(engine);
    return code;
}
