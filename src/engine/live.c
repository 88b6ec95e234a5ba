/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records are read in slices to keep the loop responsive. The heap feed and the samples advance
 * together, because a sample must find the blocks of its time. */
#include <errno.h>
#include <stdio.h>
#include <time.h>

#include "engine/state.h"

/* A slice is too short to delay a key noticeably. Its first half is wall-clock time, which needs no
 * system call; after that, the same amount of the thread's own CPU time. */
enum { SLICE_NS = 10000000, FOLLOW_NS = 1000000 };

static bool slice_has_ended(struct engine *engine)
{
    if (!engine->slice_until_ns || clock_now_ns() < engine->slice_until_ns)
        return false;
    uint64_t own_ns = clock_thread_cpu_ns();
    if (!engine->slice_own_until_ns)
        engine->slice_own_until_ns = own_ns + SLICE_NS / 2;
    return own_ns >= engine->slice_own_until_ns;
}

/* Begins a slice. An ended program has no slice limit: all remaining records are read. */
static void begin_slice(struct engine *engine, uint64_t until_ns)
{
    bool sliced = until_ns != UINT64_MAX;
    engine->slice_until_ns = sliced ? clock_now_ns() + SLICE_NS / 2 : 0;
    engine->slice_own_until_ns = 0;
}

bool live_follow_heap(struct engine *engine, uint64_t until_ns)
{
    if (!engine->options.feed) {
        engine->heap_followed_ns = until_ns;
        return true;
    }
    while (engine->heap_followed_ns < until_ns) {
        uint64_t step_ns = until_ns;
        if (engine->slice_until_ns && engine->heap_followed_ns &&
            until_ns - engine->heap_followed_ns > FOLLOW_NS)
            step_ns = engine->heap_followed_ns + FOLLOW_NS;
        engine->agent_events += resolver_follow(engine->resolver, step_ns);
        engine->heap_followed_ns = step_ns;
        if (step_ns < until_ns && slice_has_ended(engine))
            return false;
    }
    return true;
}

/* Called by the sampler before each record: the heap must have the state it had at the record. */
static bool may_take_record(void *context, uint64_t time_ns)
{
    struct engine *engine = context;
    return !engine->slice_until_ns ||
           (live_follow_heap(engine, time_ns) && !slice_has_ended(engine));
}

static long live_drain(struct engine *engine, uint64_t until_ns)
{
    begin_slice(engine, until_ns);
    sampler_pace(engine->sampler, may_take_record, engine);
    long count = engine_take(engine, &until_ns);
    engine_watch_pump(engine, until_ns);
    /* Do not go beyond the samples: later samples must find the blocks of their time. */
    engine->has_backlog |= !live_follow_heap(engine, until_ns);
    resolver_settle(engine->resolver, clock_now_ns());
    return count;
}

/* Reports once each time the rate falls below the requested one. */
static void report_rate(struct engine *engine)
{
    const struct sampler_info *info = engine_info(engine);
    bool slower = info->rate < info->requested_rate * 0.9;
    if (slower && !engine->reported_low_rate && !engine->status[0])
        snprintf(engine->status, sizeof engine->status,
                 "%.0f samples per second are more than this machine can process: the rate is "
                 "reduced until none are lost",
                 info->requested_rate);
    if (info->switches_per_cpu_s > 0 && !engine->reported_switching && !engine->status[0])
        snprintf(engine->status, sizeof engine->status,
                 "sampling rate reduced: each of %.0f context switches per second of CPU time sets "
                 "the timer; -r N raises it",
                 info->switches_per_cpu_s);
    engine->reported_low_rate = slower;
    engine->reported_switching = info->switches_per_cpu_s > 0;
}

int live_tick(struct engine *engine, uint64_t now_ns)
{
    if (engine->watch)
        watch_tick(engine->watch);
    int code = sampler_tick(engine->sampler, now_ns);
    engine->ended |= code == -ESRCH;
    report_rate(engine);
    return code;
}

void live_open_files(struct engine *engine)
{
    files_client_process(&engine->files, engine->options.pid);
}

const struct engine_kind engine_live = {.live = true,
                                        .open = sampled_open,
                                        .open_files = live_open_files,
                                        .open_names = sampled_open_names,
                                        .drain = live_drain,
                                        .tick = live_tick};
