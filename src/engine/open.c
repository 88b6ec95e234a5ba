/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The stages made and taken down; declared in engine.h and state.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "engine/state.h"
#include "sample/perfdata.h"

/* How long debugging information may hold up a replay, each time it goes on: on a screen little,
 * for the player waits longer where it is in a hurry, and answers keys meanwhile. A simulated
 * program may end before its first field is known. */
#define PATIENCE_BATCH_NS  (120 * CLOCK_NS_PER_S)
#define PATIENCE_SIM_NS    (2 * CLOCK_NS_PER_S)
#define PATIENCE_SCREEN_NS (CLOCK_NS_PER_S / 10)

static const char sysfs_cpu[] = "/sys/devices/system/cpu";

/* enum decode_segment and the resolver's flag say the same thing. */
static bool segment_base(void *context, uint32_t tid, enum decode_segment segment, uint64_t *base)
{
    return resolver_segment(context, tid, segment == DECODE_GS, base);
}

static int open_profile(struct engine *engine, struct error *error)
{
    const struct engine_options *options = &engine->options;
    struct profile_options wanted = {
        .names = engine->recorder ? recorder_names(engine->recorder)
                 : engine->store  ? store_reader_names(engine->store)
                                    : resolver_names(engine->resolver),
        .window_entries = options->window,
        .half_life_s = options->half_life_s,
        .ways = options->ways,
        .geometry = engine->geometry,
        .event_count = (uint16_t)engine_info(engine)->event_count,
        .simulated = !strcmp(engine_info(engine)->source, "sim"),
        .lines = engine_info(engine)->lines,
        .pairs = engine->recorder ? recorder_pairs(engine->recorder) : engine_pairs(engine),
        .watch = engine->watch || engine->stored_watch.on,
    };
    memcpy(wanted.cache_lines, engine->watch_lines, sizeof wanted.cache_lines);
    engine_roles(engine, wanted.roles);
    int code = profile_new(&engine->profile, &wanted, error);
    /* What misstop recorded comes out as it was seen. */
    if (!code && options->whole_run && !engine->store)
        profile_set_basis(engine->profile, BASIS_RUN);
    return code;
}

static int open_recorder(struct engine *engine, const struct engine_options *options,
                         struct error *error)
{
    struct recorder_options wanted = {
        .user = engine->files.user_count ? (int64_t)engine->files.users[0].uid : -1,
        .path = options->record,
        .limit_bytes = options->record_limit_bytes,
        .files = options->record_files,
        .launched = options->launched,
        .start_ns = engine->live ? engine->opened_ns : 0,
        .geometry = &engine->geometry,
        .sampler = engine->sampler,
        .resolver = engine->resolver,
        .instruction_text = engine_instruction,
        .text_context = engine,
        .watch = engine_watch_state(engine),
        .pairs = engine_pairs(engine),
    };
    memcpy(wanted.watch_lines, engine->watch_lines, sizeof wanted.watch_lines);
    return options->record ? recorder_open(&engine->recorder, &wanted, error) : 0;
}

static struct decoder *open_decoder(struct engine *engine)
{
    struct decode_target target = {
        .context = engine->resolver,
        .code = resolver_code,
        .function = resolver_function_bounds,
        .memory = resolver_memory,
        .constants_only = !engine->live,
        .segment = segment_base,
        .mapped = resolver_mapped,
    };
    return decoder_new(&target);
}

static int open_sampler(struct engine *engine, struct error *error)
{
    const struct engine_options *options = &engine->options;
    struct sampler_options sampling = {
        .pid = options->pid,
        .launched = options->launched,
        .input = options->input,
        .source = options->source,
        .events = options->events,
        .rate = options->rate,
        .period = options->period,
        .sim = options->sim,
    };
    return sampler_open(&engine->sampler, &sampling, error);
}

/* Names of another machine's files are no names of this one's. */
static bool is_other_host(const char *host)
{
    struct utsname own;
    return host && *host && (uname(&own) || strcmp(host, own.nodename) != 0);
}

/* A recording tells whose process it was, if misstop made it. */
static void open_files(struct engine *engine)
{
    const struct engine_options *options = &engine->options;
    struct store_facts facts;
    if (engine->live) {
        files_client_process(&engine->files, options->pid);
        return;
    }
    files_client_recording(&engine->files, options->input);
    if (!engine->store) {
        const struct perfdata_machine *machine = sampler_machine(engine->sampler);
        engine->files.elsewhere = machine && is_other_host(machine->host);
        return;
    }
    store_reader_facts(engine->store, &facts);
    engine->files.elsewhere = is_other_host(facts.host);
    if (store_reader_owner(engine->store) != geteuid())
        files_client_add(&engine->files, store_reader_owner(engine->store));
    if (facts.user >= 0)
        files_client_add(&engine->files, (uid_t)facts.user);
    else if (engine->files.privileged)
        engine->files.everyone = true;
}

/* What turns records into places; of a recording that is played again, too. */
static int open_resolver(struct engine *engine, struct error *error)
{
    const struct engine_options *options = &engine->options;
    const struct perfdata_machine *machine =
        engine->live ? NULL : sampler_machine(engine->sampler);
    struct resolver_options naming = {.pid = sampler_info(engine->sampler)->pid,
                                      .live = engine->live,
                                      .files = &engine->files,
                                      .symfs = options->symfs,
                                      .debuginfod = options->debuginfod,
                                      .feed = options->feed,
                                      .walk = options->walk,
                                      .heap_note = options->heap_note,
                                      .elsewhere = sampler_info(engine->sampler)->foreign ||
                                                   (machine && is_other_host(machine->host)),
                                      .host_unknown = machine && !*machine->host};
    int code = resolver_open(&engine->resolver, &naming, error);
    if (code)
        return code;
    engine->decoder = open_decoder(engine);
    return engine->decoder ? 0 : error_set(error, -ENOMEM, "no memory for the decoder");
}

/* A recording of our own is played from what was learnt then, unless it is to be recorded anew. */
static int open_store(struct engine *engine, struct error *error)
{
    const struct engine_options *options = &engine->options;
    char note[sizeof engine->status] = "";
    if (!options->input || options->record)
        return 0;
    int code = replay_open(&engine->store, options->input, note, sizeof note, error);
    if (engine->store) {
        engine_stored_facts(engine);
        engine->first_ns = engine->record_ns = store_reader_start_ns(engine->store);
    }
    snprintf(engine->status, sizeof engine->status, "%s", note);
    return code;
}

int engine_open_tables(struct engine *engine, struct error *error)
{
    int code = engine->sampler  ? open_resolver(engine, error)
               : !engine->store ? open_store(engine, error)
                                  : 0;
    if (!code)
        code = engine_geometry(engine, sysfs_cpu, error);
    if (!code && engine->options.record)
        code = open_recorder(engine, &engine->options, error);
    if (!code && past_new(&engine->past, PAST_BYTES))
        code = error_set(error, -ENOMEM, "no memory for the past of the run");
    return code ? code : open_profile(engine, error);
}

void engine_close_tables(struct engine *engine)
{
    engine_stretch_leave(engine);
    past_free(engine->past);
    store_reader_close(engine->store);
    if (engine->decoder)
        decoder_free(engine->decoder);
    if (engine->profile)
        profile_free(engine->profile);
    if (engine->resolver)
        resolver_close(engine->resolver);
    engine->past = NULL;
    engine->store = NULL;
    engine->decoder = NULL;
    engine->profile = NULL;
    engine->resolver = NULL;
}

/* The store is looked for first: where there is one, nothing is sampled. */
static int open_stages(struct engine *engine, struct error *error)
{
    int code = engine_search_check(engine->options.search, error);
    if (!code)
        code = engine_whatif_check(engine->options.what_if, error);
    if (!code)
        code = open_store(engine, error);
    /* Before the maps are read, so that no mapping falls between the two. */
    if (!code && !engine->store)
        code = open_sampler(engine, error);
    if (!code)
        open_files(engine);
    if (!code)
        code = engine_watch_open(engine, sysfs_cpu, error);
    return code ? code : engine_open_tables(engine, error);
}

int engine_open(struct engine **out, const struct engine_options *options,
                  struct error *error)
{
    struct engine *engine = calloc(1, sizeof *engine);
    if (!engine)
        return error_set(error, -ENOMEM, "out of memory");
    engine->options = *options;
    engine->live = !options->input;
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
    struct source_options sources = {.pid = engine->live ? engine_info(engine)->pid : 0,
                                     .symfs = options->symfs,
                                     .files = &engine->files};
    engine->sources = source_texts_new(&sources);
    /* A recording's own stands beside where it was made. */
    if (engine->live && !engine->status[0])
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
