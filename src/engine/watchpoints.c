/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "engine/state.h"

/* Lower half of the address space, where the kernel allows watchpoints. */
#define USER_END (UINT64_C(1) << 47)

int engine_watch_open(struct engine *engine, struct error *error)
{
    double part = engine->options.watch;
    if (!(part > 0) || !engine->kind->live)
        return 0;
    return watch_open(&engine->watch, engine->options.pid, part, error);
}

void engine_watch_offer(struct engine *engine, const struct place *place)
{
    const struct access *access = &place->access;
    if (!engine->watch || access->reason != REASON_NONE || access->event != engine->ranking ||
        access->address >= USER_END)
        return;
    struct watch_offer offer = {.address = access->address,
                                .base = place->base,
                                .time_ns = access->time_ns,
                                .object = place->object,
                                .tid = access->tid};
    watch_offer(engine->watch, &offer);
}

/* The reported address is of the next instruction; one byte less is in the accessing one. */
static void count_result(struct engine *engine, struct watch_result *result)
{
    struct access touch = {.time_ns = result->end_ns,
                           .address = result->address,
                           .ip = result->ip ? result->ip - 1 : 0,
                           .pid = (uint32_t)engine->options.pid,
                           .tid = result->toucher_tid,
                           .cpu = SAMPLE_NO_CPU,
                           .base = SREG_NONE,
                           .index = SREG_NONE};
    struct place place = {.function = 0};
    if (result->kind != WATCH_VISIT && result->end == WATCH_TOUCHED) {
        resolver_resolve(engine->resolver, &touch, NULL, &place);
        /* The block was freed, and the memory now belongs to another object. */
        if (place.object != result->object && place.base != result->base)
            result->end = WATCH_DROPPED;
    }
    profile_watch(engine->profile, result, place.function, touch.ip);
    store_writer_watch(recorder_store(engine->recorder),
                       &(struct store_watch){*result, place.function, touch.ip});
}

void engine_watch_pump(struct engine *engine, uint64_t until_ns)
{
    enum { AT_ONCE = 64 };
    struct watch_result results[AT_ONCE];
    size_t count;
    if (!engine->watch)
        return;
    watch_pump(engine->watch);
    do {
        count = watch_results(engine->watch, until_ns, results, AT_ONCE);
        for (size_t i = 0; i < count; i++)
            count_result(engine, &results[i]);
    } while (count == AT_ONCE);
}

static const char *watch_trouble_text(struct engine *engine, const struct snapshot_watch *state,
                                      int refused)
{
    char *out = engine->watch_trouble;
    size_t size = sizeof engine->watch_trouble;
    *out = '\0';
    if (refused && !state->armed)
        snprintf(out, size, "no register could be set: %s", strerror(-refused));
    else if (state->registers < WATCH_SLOTS)
        snprintf(
            out, size,
            "%u of the %d debug registers are free: another tool watches memory of this process",
            state->registers, WATCH_SLOTS);
    else if (state->threads_left_out)
        snprintf(out, size, "%zu threads are not watched: their accesses are not seen",
                 state->threads_left_out);
    return *out ? out : NULL;
}

struct snapshot_watch engine_watch_state(struct engine *engine)
{
    if (!engine->watch)
        return engine->stored.facts.watch;
    int refused;
    struct snapshot_watch state = watch_state(engine->watch, &refused);
    state.failure = watch_trouble_text(engine, &state, refused);
    return state;
}
