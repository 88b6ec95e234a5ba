/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/state.h"

/* Maximum delay of a replay by debug information, per drain. Short with a screen: the player waits
 * longer when it seeks. A simulated program may end before its first field is known. */
#define PATIENCE_BATCH_NS  (120 * CLOCK_NS_PER_S)
#define PATIENCE_SIM_NS    (2 * CLOCK_NS_PER_S)
#define PATIENCE_SCREEN_NS (CLOCK_NS_PER_S / 10)

static const char sysfs_cpu[] = "/sys/devices/system/cpu";

static int open_profile(struct engine *engine, struct error *error)
{
    const struct engine_options *options = &engine->options;
    struct profile_options wanted = {
        .names = engine->recorder ? recorder_names(engine->recorder) : engine_names(engine),
        .window_entries = options->window,
        .half_life_s = options->half_life_s,
        .ways = options->ways,
        .geometry = engine->geometry,
        .event_count = (uint16_t)engine_info(engine)->event_count,
        .simulated = !strcmp(engine_info(engine)->source, "sim"),
        .lines = engine_info(engine)->has_lines,
        .watch = engine->watch || engine->stored.facts.watch.is_on,
    };
    memcpy(wanted.cache_lines, engine->cache_lines, sizeof wanted.cache_lines);
    engine_roles(engine, wanted.roles);
    int code = profile_new(&engine->profile, &wanted, error);
    /* A misstop recording is replayed with the basis it was recorded with. */
    if (!code && options->whole_run && engine->kind != &engine_stored)
        profile_set_basis(engine->profile, BASIS_RUN);
    return code;
}

static int open_recorder(struct engine *engine, const struct engine_options *options,
                         struct error *error)
{
    const struct geometry *geometry = &engine->geometry;
    struct recorder_options wanted = {
        .facts = {.user = engine->files.user_count ? (int64_t)engine->files.users[0].uid : -1,
                  .cache_level = geometry->level,
                  .cache_size_bytes = geometry->size_bytes,
                  .cache_ways = geometry->ways,
                  .cache_line_bytes = geometry->line_bytes,
                  .watch = engine_watch_state(engine)},
        .path = options->record,
        .limit_bytes = options->record_limit_bytes,
        .files = options->record_files,
        .launched = options->launched,
        .start_ns = engine->kind->live ? engine->opened_ns : 0,
        .sampler = engine->sampler,
        .resolver = engine->resolver,
        .instruction_text = engine_instruction,
        .text_context = engine,
        .names = engine_names(engine),
    };
    memcpy(wanted.facts.cache_lines, engine->cache_lines, sizeof engine->cache_lines);
    return options->record ? recorder_open(&engine->recorder, &wanted, error) : 0;
}

static void open_cache_lines(struct engine *engine, const char *sysfs)
{
    static const char *const levels[] = {"L1", "L2", "L3"};
    for (int i = 0; i < 3; i++) {
        struct geometry geometry;
        bool known = !geometry_parse(&geometry, levels[i], sysfs, NULL);
        engine->cache_lines[i] = known ? (uint64_t)geometry.sets * geometry.ways : 0;
    }
}

static int open_geometry(struct engine *engine, struct error *error)
{
    const char *spec = engine->options.cache;
    struct geometry *geometry = &engine->geometry;
    if (engine->kind == &engine_live)
        open_cache_lines(engine, sysfs_cpu);
    if (engine->kind->geometry && engine->kind->geometry(engine))
        return 0;
    int code = geometry_parse(geometry, spec, sysfs_cpu, error);
    /* Without caches in sysfs, use a common L1d, so that there is a set map. */
    if (code == -ENOENT && !spec)
        code = geometry_parse(geometry, "L1=32K,8,64", sysfs_cpu, error);
    geometry->guessed = !engine->kind->live && !(spec && strchr(spec, '='));
    return code;
}

int engine_open_tables(struct engine *engine, struct error *error)
{
    int code = engine->kind->open_names(engine, error);
    if (!code)
        code = open_geometry(engine, error);
    if (!code && engine->options.record)
        code = open_recorder(engine, &engine->options, error);
    if (!code && !engine->options.keeps_no_past && past_new(&engine->past, PAST_BYTES))
        code = error_set(error, -ENOMEM, "no memory for the past of the run");
    if (!code)
        code = open_profile(engine, error);
    if (!code && (code = engine_open_trunk(engine)))
        error_set(error, code, "cannot start a thread or get memory for it: %s", strerror(-code));
    return code;
}

void engine_close_tables(struct engine *engine)
{
    engine_close_trunk(engine);
    engine_time_range_leave(engine);
    past_free(engine->past);
    store_reader_close(engine->stored.reader);
    if (engine->decoder)
        decoder_free(engine->decoder);
    if (engine->profile)
        profile_free(engine->profile);
    if (engine->resolver)
        resolver_close(engine->resolver);
    engine->past = NULL;
    engine->stored.reader = NULL;
    engine->decoder = NULL;
    engine->profile = NULL;
    engine->resolver = NULL;
}

static int open_stages(struct engine *engine, struct error *error)
{
    int code = engine_search_check(engine->options.search, error);
    if (!code)
        code = engine_whatif_check(engine->options.what_if, error);
    /* Before the maps are read, so that no mapping is missed in between. */
    if (!code)
        code = engine->kind->open(engine, error);
    if (!code)
        engine->kind->open_files(engine);
    if (!code)
        code = engine_watch_open(engine, error);
    return code ? code : engine_open_tables(engine, error);
}

int engine_open(struct engine **out, const struct engine_options *options, struct error *error)
{
    struct engine *engine = calloc(1, sizeof *engine);
    if (!engine)
        return error_set(error, -ENOMEM, "out of memory");
    engine->options = *options;
    engine->kind = options->input ? &engine_recorded
                   : options->sim ? &engine_simulated
                                  : &engine_live;
    engine->patience_ns = !options->batch  ? PATIENCE_SCREEN_NS / (options->sim ? 4 : 1)
                          : options->input ? PATIENCE_BATCH_NS
                                           : PATIENCE_SIM_NS;
    engine->heap = options->feed || options->walk;
    engine->opened_ns = clock_now_ns();
    engine->last_tick_ns = engine->opened_ns;
    int code = open_stages(engine, error);
    if (!code && options->input && options->events)
        code = engine_rank_recorded(engine, options->events, error);
    if (code) {
        engine_close(engine);
        return code;
    }
    bool idled;
    if (engine_follows(engine, &idled))
        engine->patience_ns = PATIENCE_SCREEN_NS;
    struct source_options sources = {.pid = engine->kind->live ? engine_info(engine)->pid : 0,
                                     .symfs = options->symfs,
                                     .files = &engine->files};
    engine->sources = source_texts_new(&sources);
    /* The note of a recording is shown with the recording's description instead. */
    if (engine->kind->live && !engine->status[0])
        snprintf(engine->status, sizeof engine->status, "%s", engine_info(engine)->note);
    if (options->search)
        engine_search_start(engine, options->search);
    engine_whatif_await(engine);
    *out = engine;
    return 0;
}

void engine_close(struct engine *engine)
{
    if (!engine)
        return;
    engine_stop_recording(engine, NULL);
    watch_close(engine->watch);
    if (engine->sampler)
        sampler_close(engine->sampler);
    engine_close_tables(engine);
    source_texts_free(engine->sources);
    free(engine);
}
