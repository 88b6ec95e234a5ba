/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Engine kinds with a sampler: records are decoded and resolved here. */
#include <errno.h>
#include <string.h>
#include <sys/utsname.h>

#include "engine/state.h"

static bool segment_base(void *context, uint32_t tid, enum decode_segment segment, uint64_t *base)
{
    return resolver_segment(context, tid, segment == DECODE_GS, base);
}

static struct decoder *open_decoder(struct engine *engine)
{
    struct decode_target target = {
        .context = engine->resolver,
        .code = resolver_code,
        .function = resolver_function_bounds,
        .memory = resolver_memory,
        .constants_only = !engine->kind->live,
        .segment = segment_base,
        .mapped = resolver_mapped,
    };
    return decoder_new(&target);
}

bool sampled_on_another_host(const char *host)
{
    struct utsname own;
    return host && *host && (uname(&own) || strcmp(host, own.nodename) != 0);
}

int sampled_open(struct engine *engine, struct error *error)
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
        .progress = options->progress,
        .progress_context = options->progress_context,
    };
    return sampler_open(&engine->sampler, &sampling, error);
}

/* Opens the stages that turn records into places; called again when a replay restarts. */
int sampled_open_names(struct engine *engine, struct error *error)
{
    const struct engine_options *options = &engine->options;
    const struct perfdata_machine *machine =
        engine->kind->live ? NULL : perfdata_machine(engine_perfdata(engine));
    struct resolver_options naming = {.pid = sampler_info(engine->sampler)->pid,
                                      .live = engine->kind->live,
                                      .simulated = engine->kind == &engine_simulated,
                                      .files = &engine->files,
                                      .symfs = options->symfs,
                                      .debuginfod = options->debuginfod,
                                      .feed = options->feed,
                                      .walk = options->walk,
                                      .heap_note = options->heap_note,
                                      .is_from_other_host =
                                          sampler_info(engine->sampler)->is_foreign_arch ||
                                          (machine && sampled_on_another_host(machine->host)),
                                      .host_unknown = machine && !*machine->host};
    int code = resolver_open(&engine->resolver, &naming, error);
    if (code)
        return code;
    engine->decoder = open_decoder(engine);
    return engine->decoder ? 0 : error_set(error, -ENOMEM, "no memory for the decoder");
}

int sampled_tick(struct engine *engine, uint64_t now_ns)
{
    /* Debug information loads in real time, regardless of the recording's clock. */
    resolver_settle(engine->resolver, clock_now_ns());
    return sampler_tick(engine->sampler, now_ns);
}
