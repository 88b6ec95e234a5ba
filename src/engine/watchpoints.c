/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Watchpoints beside the samples: lines offered, and what became of them named and counted;
 * declared in state.h. */
#include <stdio.h>
#include <string.h>

#include "engine/state.h"

/* Of the lower half: what the kernel lets us watch. */
#define USER_END (UINT64_C(1) << 47)

/* Lines of this machine's caches. */
static void count_lines(struct pipeline *pipeline, const char *sysfs)
{
    static const char *const levels[] = {"L1", "L2", "L3"};
    for (int i = 0; i < 3; i++) {
        struct geometry geometry;
        bool known = !geometry_parse(&geometry, levels[i], sysfs, NULL);
        pipeline->watch_lines[i] = known ? (uint64_t)geometry.sets * geometry.ways : 0;
    }
}

int pipeline_watch_open(struct pipeline *pipeline, const char *sysfs, struct error *error)
{
    double part = pipeline->options.watch;
    if (!(part > 0) || !pipeline->live)
        return 0;
    count_lines(pipeline, sysfs);
    return watch_open(&pipeline->watch, pipeline->options.pid, part, error);
}

void pipeline_watch_offer(struct pipeline *pipeline, const struct place *place)
{
    const struct access *access = &place->access;
    if (!pipeline->watch || access->reason != REASON_NONE || access->event != pipeline->ranking ||
        access->address >= USER_END)
        return;
    struct watch_offer offer = {.address = access->address,
                                .base = place->base,
                                .time_ns = access->time_ns,
                                .object = place->object,
                                .tid = access->tid};
    watch_offer(pipeline->watch, &offer);
}

/* The kernel tells the instruction after the access: the byte before belongs to the access. */
static void count_result(struct pipeline *pipeline, struct watch_result *result)
{
    struct access touch = {.time_ns = result->end_ns,
                           .address = result->address,
                           .ip = result->ip ? result->ip - 1 : 0,
                           .pid = (uint32_t)pipeline->options.pid,
                           .tid = result->toucher_tid,
                           .cpu = SAMPLE_NO_CPU,
                           .base = SREG_NONE,
                           .index = SREG_NONE};
    struct place place = {.function = 0};
    if (result->kind != WATCH_VISIT && result->end == WATCH_TOUCHED) {
        resolver_resolve(pipeline->resolver, &touch, NULL, &place);
        /* The block was freed, and the memory is another's now. */
        if (place.object != result->object && place.base != result->base)
            result->end = WATCH_DROPPED;
    }
    profile_watch(pipeline->profile, result, place.function, touch.ip);
    if (pipeline->recorder)
        recorder_watch(pipeline->recorder, result, place.function, touch.ip);
}

void pipeline_watch_pump(struct pipeline *pipeline, uint64_t until_ns)
{
    enum { AT_ONCE = 64 };
    struct watch_result results[AT_ONCE];
    size_t count;
    if (!pipeline->watch)
        return;
    watch_pump(pipeline->watch);
    do {
        count = watch_results(pipeline->watch, until_ns, results, AT_ONCE);
        for (size_t i = 0; i < count; i++)
            count_result(pipeline, &results[i]);
    } while (count == AT_ONCE);
}

static const char *trouble(struct pipeline *pipeline, const struct watch_state *state)
{
    char *out = pipeline->watch_trouble;
    size_t size = sizeof pipeline->watch_trouble;
    *out = '\0';
    if (state->refused && !state->armed)
        snprintf(out, size, "no register could be set: %s", strerror(-state->refused));
    else if (state->registers < WATCH_SLOTS)
        snprintf(out, size,
                 "%u of the %d debug registers are free: something else watches memory "
                 "of this process",
                 state->registers, WATCH_SLOTS);
    else if (state->threads_left_out)
        snprintf(out, size, "%zu threads are not watched: touches by them are not seen",
                 state->threads_left_out);
    return *out ? out : NULL;
}

struct snapshot_watch pipeline_watch_state(struct pipeline *pipeline)
{
    if (!pipeline->watch)
        return pipeline->stored_watch;
    struct watch_state state = watch_state(pipeline->watch);
    return (struct snapshot_watch){.on = true,
                                   .registers = state.registers,
                                   .threads = state.threads,
                                   .threads_left_out = state.threads_left_out,
                                   .offered = state.offered,
                                   .armed = state.armed,
                                   .unpaid = state.unpaid,
                                   .touches = state.touches,
                                   .trap_ns = state.trap_ns,
                                   .arm_ns = state.arm_ns,
                                   .budget = state.budget,
                                   .overhead = state.spent,
                                   .trouble = trouble(pipeline, &state)};
}
