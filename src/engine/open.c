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

static int open_profile(struct pipeline *pipeline, struct error *error)
{
    const struct pipeline_options *options = &pipeline->options;
    struct profile_options wanted = {
        .names = pipeline->recorder ? recorder_names(pipeline->recorder)
                 : pipeline->store  ? store_reader_names(pipeline->store)
                                    : resolver_names(pipeline->resolver),
        .window_entries = options->window,
        .half_life_s = options->half_life_s,
        .ways = options->ways,
        .geometry = pipeline->geometry,
        .event_count = (uint16_t)pipeline_info(pipeline)->event_count,
        .simulated = !strcmp(pipeline_info(pipeline)->source, "sim"),
        .lines = pipeline_info(pipeline)->lines,
        .pairs = pipeline->recorder ? recorder_pairs(pipeline->recorder) : pipeline_pairs(pipeline),
        .watch = pipeline->watch || pipeline->stored_watch.on,
    };
    memcpy(wanted.cache_lines, pipeline->watch_lines, sizeof wanted.cache_lines);
    pipeline_roles(pipeline, wanted.roles);
    int code = profile_new(&pipeline->profile, &wanted, error);
    /* What misstop recorded comes out as it was seen. */
    if (!code && options->whole_run && !pipeline->store)
        profile_set_basis(pipeline->profile, BASIS_RUN);
    return code;
}

static int open_recorder(struct pipeline *pipeline, const struct pipeline_options *options,
                         struct error *error)
{
    struct recorder_options wanted = {
        .user = pipeline->files.user_count ? (int64_t)pipeline->files.users[0].uid : -1,
        .path = options->record,
        .limit_bytes = options->record_limit_bytes,
        .files = options->record_files,
        .launched = options->launched,
        .start_ns = pipeline->live ? pipeline->opened_ns : 0,
        .geometry = &pipeline->geometry,
        .sampler = pipeline->sampler,
        .resolver = pipeline->resolver,
        .instruction_text = pipeline_instruction,
        .text_context = pipeline,
        .watch = pipeline_watch_state(pipeline),
        .pairs = pipeline_pairs(pipeline),
    };
    memcpy(wanted.watch_lines, pipeline->watch_lines, sizeof wanted.watch_lines);
    return options->record ? recorder_open(&pipeline->recorder, &wanted, error) : 0;
}

static struct decoder *open_decoder(struct pipeline *pipeline)
{
    struct decode_target target = {
        .context = pipeline->resolver,
        .code = resolver_code,
        .function = resolver_function_bounds,
        .memory = resolver_memory,
        .constants_only = !pipeline->live,
        .segment = segment_base,
        .mapped = resolver_mapped,
    };
    return decoder_new(&target);
}

static int open_sampler(struct pipeline *pipeline, struct error *error)
{
    const struct pipeline_options *options = &pipeline->options;
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
    return sampler_open(&pipeline->sampler, &sampling, error);
}

/* Names of another machine's files are no names of this one's. */
static bool is_other_host(const char *host)
{
    struct utsname own;
    return host && *host && (uname(&own) || strcmp(host, own.nodename) != 0);
}

/* A recording tells whose process it was, if misstop made it. */
static void open_files(struct pipeline *pipeline)
{
    const struct pipeline_options *options = &pipeline->options;
    struct store_facts facts;
    if (pipeline->live) {
        files_client_process(&pipeline->files, options->pid);
        return;
    }
    files_client_recording(&pipeline->files, options->input);
    if (!pipeline->store) {
        const struct perfdata_machine *machine = sampler_machine(pipeline->sampler);
        pipeline->files.elsewhere = machine && is_other_host(machine->host);
        return;
    }
    store_reader_facts(pipeline->store, &facts);
    pipeline->files.elsewhere = is_other_host(facts.host);
    if (store_reader_owner(pipeline->store) != geteuid())
        files_client_add(&pipeline->files, store_reader_owner(pipeline->store));
    if (facts.user >= 0)
        files_client_add(&pipeline->files, (uid_t)facts.user);
    else if (pipeline->files.privileged)
        pipeline->files.everyone = true;
}

/* What turns records into places; of a recording that is played again, too. */
static int open_resolver(struct pipeline *pipeline, struct error *error)
{
    const struct pipeline_options *options = &pipeline->options;
    const struct perfdata_machine *machine =
        pipeline->live ? NULL : sampler_machine(pipeline->sampler);
    struct resolver_options naming = {.pid = sampler_info(pipeline->sampler)->pid,
                                      .live = pipeline->live,
                                      .files = &pipeline->files,
                                      .symfs = options->symfs,
                                      .debuginfod = options->debuginfod,
                                      .feed = options->feed,
                                      .walk = options->walk,
                                      .heap_note = options->heap_note,
                                      .elsewhere = sampler_info(pipeline->sampler)->foreign ||
                                                   (machine && is_other_host(machine->host)),
                                      .host_unknown = machine && !*machine->host};
    int code = resolver_open(&pipeline->resolver, &naming, error);
    if (code)
        return code;
    pipeline->decoder = open_decoder(pipeline);
    return pipeline->decoder ? 0 : error_set(error, -ENOMEM, "no memory for the decoder");
}

/* A recording of our own is played from what was learnt then, unless it is to be recorded anew. */
static int open_store(struct pipeline *pipeline, struct error *error)
{
    const struct pipeline_options *options = &pipeline->options;
    char note[sizeof pipeline->status] = "";
    if (!options->input || options->record)
        return 0;
    int code = replay_open(&pipeline->store, options->input, note, sizeof note, error);
    if (pipeline->store) {
        pipeline_stored_facts(pipeline);
        pipeline->first_ns = pipeline->record_ns = store_reader_start_ns(pipeline->store);
    }
    snprintf(pipeline->status, sizeof pipeline->status, "%s", note);
    return code;
}

int pipeline_open_tables(struct pipeline *pipeline, struct error *error)
{
    int code = pipeline->sampler  ? open_resolver(pipeline, error)
               : !pipeline->store ? open_store(pipeline, error)
                                  : 0;
    if (!code)
        code = pipeline_geometry(pipeline, sysfs_cpu, error);
    if (!code && pipeline->options.record)
        code = open_recorder(pipeline, &pipeline->options, error);
    if (!code && past_new(&pipeline->past, PAST_BYTES))
        code = error_set(error, -ENOMEM, "no memory for the past of the run");
    return code ? code : open_profile(pipeline, error);
}

void pipeline_close_tables(struct pipeline *pipeline)
{
    pipeline_stretch_leave(pipeline);
    past_free(pipeline->past);
    store_reader_close(pipeline->store);
    if (pipeline->decoder)
        decoder_free(pipeline->decoder);
    if (pipeline->profile)
        profile_free(pipeline->profile);
    if (pipeline->resolver)
        resolver_close(pipeline->resolver);
    pipeline->past = NULL;
    pipeline->store = NULL;
    pipeline->decoder = NULL;
    pipeline->profile = NULL;
    pipeline->resolver = NULL;
}

/* The store is looked for first: where there is one, nothing is sampled. */
static int open_stages(struct pipeline *pipeline, struct error *error)
{
    int code = pipeline_search_check(pipeline->options.search, error);
    if (!code)
        code = pipeline_whatif_check(pipeline->options.what_if, error);
    if (!code)
        code = open_store(pipeline, error);
    /* Before the maps are read, so that no mapping falls between the two. */
    if (!code && !pipeline->store)
        code = open_sampler(pipeline, error);
    if (!code)
        open_files(pipeline);
    if (!code)
        code = pipeline_watch_open(pipeline, sysfs_cpu, error);
    return code ? code : pipeline_open_tables(pipeline, error);
}

int pipeline_open(struct pipeline **out, const struct pipeline_options *options,
                  struct error *error)
{
    struct pipeline *pipeline = calloc(1, sizeof *pipeline);
    if (!pipeline)
        return error_set(error, -ENOMEM, "out of memory");
    pipeline->options = *options;
    pipeline->live = !options->input;
    pipeline->patience_ns = !options->batch  ? PATIENCE_SCREEN_NS / (options->sim ? 4 : 1)
                            : options->input ? PATIENCE_BATCH_NS
                                             : PATIENCE_SIM_NS;
    pipeline->heap = options->feed || options->walk;
    pipeline->opened_ns = clock_now_ns();
    pipeline->last_tick_ns = pipeline->opened_ns;
    int code = open_stages(pipeline, error);
    if (!code && options->input && options->events)
        code = pipeline_rank_recorded(pipeline, options->events, error);
    if (code) {
        pipeline_close(pipeline);
        return code;
    }
    bool idled;
    if (pipeline_follows(pipeline, &idled))
        pipeline->patience_ns = PATIENCE_SCREEN_NS;
    struct source_options sources = {.pid = pipeline->live ? pipeline_info(pipeline)->pid : 0,
                                     .symfs = options->symfs,
                                     .files = &pipeline->files};
    pipeline->sources = source_texts_new(&sources);
    /* A recording's own stands beside where it was made. */
    if (pipeline->live && !pipeline->status[0])
        snprintf(pipeline->status, sizeof pipeline->status, "%s", pipeline_info(pipeline)->note);
    if (options->search)
        pipeline_search_start(pipeline, options->search);
    pipeline_whatif_await(pipeline);
    *out = pipeline;
    return 0;
}

void pipeline_close(struct pipeline *pipeline)
{
    if (!pipeline)
        return;
    pipeline_stop_recording(pipeline, NULL);
    watch_close(pipeline->watch);
    if (pipeline->sampler)
        sampler_close(pipeline->sampler);
    pipeline_close_tables(pipeline);
    source_texts_free(pipeline->sources);
    free(pipeline);
}
