/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <time.h>

#include "engine/state.h"

static void forget_changed_code(struct pipeline *pipeline)
{
    uint64_t start;
    uint64_t end;
    while (resolver_code_changed(pipeline->resolver, &start, &end))
        decoder_forget(pipeline->decoder, start, end);
}

/* What waits goes into the tables: whenever somebody looks, or what is mapped changes. */
static void count_places(struct pipeline *pipeline)
{
    profile_add_all(pipeline->profile, pipeline->places, pipeline->place_count);
    past_add_all(pipeline->past, pipeline->places, pipeline->place_count);
    pipeline->place_count = 0;
    pipeline_count_lines(pipeline);
}

/* Less than a key is felt to wait; a flood of allocations or samples is taken in such slices. */
enum { SLICE_NS = 10000000, FOLLOW_NS = 1000000 };

static bool slice_over(const struct pipeline *pipeline)
{
    struct timespec used;
    if (!pipeline->slice_until_ns || clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used))
        return false;
    return (uint64_t)used.tv_sec * CLOCK_NS_PER_S + (uint64_t)used.tv_nsec >=
           pipeline->slice_until_ns;
}

/* Only live; of an ended program and a simulation all is taken that there is, in parts of theirs.
 */
static void begin_slice(struct pipeline *pipeline, uint64_t until_ns)
{
    struct timespec used;
    bool sliced = pipeline->live && !pipeline->options.sim && until_ns != UINT64_MAX;
    pipeline->slice_until_ns = 0;
    if (sliced && !clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used))
        pipeline->slice_until_ns =
            (uint64_t)used.tv_sec * CLOCK_NS_PER_S + (uint64_t)used.tv_nsec + SLICE_NS;
}

/* The feed of the heap up to a time, by steps; false: there is more than this slice has time for.
 */
static bool follow_feed(struct pipeline *pipeline, uint64_t until_ns)
{
    while (pipeline->followed_ns < until_ns) {
        uint64_t step_ns = until_ns;
        if (pipeline->slice_until_ns && pipeline->followed_ns &&
            until_ns - pipeline->followed_ns > FOLLOW_NS)
            step_ns = pipeline->followed_ns + FOLLOW_NS;
        pipeline->told += resolver_follow(pipeline->resolver, step_ns);
        pipeline->followed_ns = step_ns;
        if (step_ns < until_ns && slice_over(pipeline))
            return false;
    }
    return true;
}

/* Asked by the sampler before each record: those still to come must find the blocks of their time.
 */
static bool may_take(void *context, uint64_t time_ns)
{
    struct pipeline *pipeline = context;
    return !pipeline->slice_until_ns || (follow_feed(pipeline, time_ns) && !slice_over(pipeline));
}

static void take_sample(struct pipeline *pipeline, const struct record *record)
{
    const struct sample *sample = &record->sample;
    struct place *place = &pipeline->places[pipeline->place_count++];
    struct access access;
    pipeline->samples[sample->event]++;
    pipeline->events[sample->event] += (double)sample->weight;
    if (!pipeline->slice_until_ns) /* else it was followed when it was asked for */
        pipeline->told += resolver_follow(pipeline->resolver, sample->time_ns);
    decoder_decode(pipeline->decoder, sample, &access);
    bool own_regs = sample->has & SAMPLE_HAS_REGS && !(sample->has & SAMPLE_HAS_ALIEN_REGS) &&
                    !(sample->regs_missing & ~(1u << SREG_FLAGS));
    pipeline->leaves += access.of_leaf;
    resolver_resolve(pipeline->resolver, &access, own_regs ? sample->regs : NULL, place);
    if (access.how == ACCESS_OBJECT) {
        place->typed = TYPED_NOT;
        place->by_member = false;
    }
    if (pipeline->recorder)
        recorder_add(pipeline->recorder, record, place);
    pipeline_watch_offer(pipeline, place);
    if (pipeline->place_count == PIPELINE_PLACES)
        count_places(pipeline);
}

static void take_record(void *context, const struct record *record)
{
    struct pipeline *pipeline = context;
    if (record->time_ns > pipeline->record_ns)
        pipeline->record_ns = record->time_ns;
    switch (record->kind) {
    case RECORD_SAMPLE:
        take_sample(pipeline, record);
        return;
    case RECORD_LINE:
        if (pipeline_take_line(pipeline, record))
            count_places(pipeline);
        return;
    case RECORD_LOST:
        profile_lost(pipeline->profile, record->count);
        resolver_distrust(pipeline->resolver);
        break;
    case RECORD_THROTTLE:
        profile_throttled(pipeline->profile, 1);
        break;
    case RECORD_UNTHROTTLE:
        break;
    default:
        count_places(pipeline);
        /* That of a program we launch comes before its first sample, and is what was asked for. */
        pipeline->exec_seen |= record->kind == RECORD_COMM && record->comm.exec &&
                               pipeline->samples[pipeline->ranking];
        /* What the old program did with its heap comes before its end. */
        if (record->kind == RECORD_COMM && record->comm.exec)
            pipeline->told += resolver_follow(pipeline->resolver, record->time_ns);
        if (pipeline->watch && record->kind == RECORD_COMM && record->comm.exec)
            watch_exec(pipeline->watch);
        resolver_record(pipeline->resolver, record);
        forget_changed_code(pipeline);
    }
    if (pipeline->recorder)
        recorder_add(pipeline->recorder, record, NULL);
}

int pipeline_stop_recording(struct pipeline *pipeline, struct error *error)
{
    int code = recorder_close(pipeline->recorder, error);
    pipeline->recorder = NULL;
    return code;
}

int pipeline_fd(const struct pipeline *pipeline)
{
    int fd = pipeline->store ? -1 : sampler_fd(pipeline->sampler);
    return pipeline->watch ? watch_fd(pipeline->watch, fd) : fd;
}

long pipeline_drain(struct pipeline *pipeline, uint64_t until_ns)
{
    if (pipeline->store) {
        long stored = pipeline_stored_drain(pipeline, until_ns);
        pipeline_replay_reached(pipeline, until_ns);
        return stored;
    }
    /* A simulated program's misses wait in a ring, and thin themselves out where it fills. */
    if (!pipeline->live || (pipeline->options.sim && !pipeline->behind))
        resolver_be_patient(pipeline->resolver, pipeline->patience_ns);
    begin_slice(pipeline, until_ns);
    if (pipeline->live && !pipeline->options.sim)
        sampler_pace(pipeline->sampler, may_take, pipeline);
    long count = sampler_read(pipeline->sampler, until_ns, take_record, pipeline);
    pipeline->behind = sampler_behind(pipeline->sampler, &until_ns);
    count_places(pipeline);
    pipeline_rank_costliest(pipeline);
    pipeline_watch_pump(pipeline, until_ns);
    /* No further than the samples: those still to come must find the blocks of their time. */
    if (pipeline->live)
        pipeline->behind |= !follow_feed(pipeline, until_ns);
    else
        pipeline_replay_reached(pipeline, until_ns);
    resolver_settle(pipeline->resolver, clock_now_ns());
    pipeline_whatif_follow(pipeline, until_ns);
    return count;
}

bool pipeline_behind(const struct pipeline *pipeline)
{
    return pipeline->behind;
}

/*
 * Records wait in rings of the kernel, which wake us when they fill up; allocations in rings
 * of the agent, which does not: a thread that does nothing but malloc and free fills one in
 * less than 10 ms. And a heap that is walked has to be read before the block is another one, a
 * leaf function's frame before the function returns.
 */
int pipeline_patience_ms(struct pipeline *pipeline)
{
    enum {
        QUIET_MS = 100,
        HEAP_MS = 5,
        WATCH_MS = 2,
        LEAF_MS = 1,
        BUSY_MS = 1,
        BUSY_EVENTS = 10000
    };
    long told = pipeline->told;
    pipeline->told = 0;
    /* From a sample to its watch nothing is seen. */
    if (pipeline->watch)
        return told > BUSY_EVENTS ? BUSY_MS : WATCH_MS;
    /* The ring of a simulation fills as fast as the heap's feed. */
    bool busy = pipeline->heap || pipeline->options.sim;
    bool leaves = pipeline->leaves;
    pipeline->leaves = 0;
    if (leaves)
        return LEAF_MS;
    return !busy ? QUIET_MS : told > BUSY_EVENTS ? BUSY_MS : HEAP_MS;
}

int pipeline_enable(struct pipeline *pipeline, bool on)
{
    return pipeline->store ? 0 : sampler_enable(pipeline->sampler, on);
}

/* Once each time that it falls below what was asked for. */
static void tell_rate(struct pipeline *pipeline)
{
    const struct sampler_info *info = pipeline_info(pipeline);
    bool slower = info->rate < info->rate_wanted * 0.9;
    if (slower && !pipeline->slower && !pipeline->status[0])
        snprintf(pipeline->status, sizeof pipeline->status,
                 "%.0f samples a second are more than can be digested here: fewer are taken until "
                 "none are lost",
                 info->rate_wanted);
    pipeline->slower = slower;
}

int pipeline_tick(struct pipeline *pipeline)
{
    uint64_t now = pipeline_now(pipeline);
    if (!pipeline->store) {
        resolver_tick(pipeline->resolver, now);
        /* Debugging information takes its time here, whatever the recording's clock says. */
        if (!pipeline->live)
            resolver_settle(pipeline->resolver, clock_now_ns());
        forget_changed_code(pipeline);
    }
    if (pipeline->search)
        pipeline_search_start(pipeline, pipeline->search);
    if (pipeline->store)
        return 0;
    if (pipeline->watch)
        watch_tick(pipeline->watch);
    int code = sampler_tick(pipeline->sampler, now);
    pipeline->ended |= code == -ESRCH;
    tell_rate(pipeline);
    return code;
}
