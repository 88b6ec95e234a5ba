/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kinds of engines that have a sampler: records are decoded and resolved here. */
#include <errno.h>
#include <string.h>
#include <sys/utsname.h>

#include "engine/state.h"
#include "sample/perfdata/perfdata.h"

/* enum decode_segment and the resolver's flag say the same thing. */
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

bool sampled_elsewhere(const char *host)
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

/* The stages that turn records into places; again for a replay. */
int sampled_open_names(struct engine *engine, struct error *error)
{
    const struct engine_options *options = &engine->options;
    const struct perfdata_machine *machine =
        engine->kind->live ? NULL : sampler_machine(engine->sampler);
    struct resolver_options naming = {.pid = sampler_info(engine->sampler)->pid,
                                      .live = engine->kind->live,
                                      .simulated = engine->kind == &engine_simulated,
                                      .files = &engine->files,
                                      .symfs = options->symfs,
                                      .debuginfod = options->debuginfod,
                                      .feed = options->feed,
                                      .walk = options->walk,
                                      .heap_note = options->heap_note,
                                      .elsewhere = sampler_info(engine->sampler)->foreign ||
                                                   (machine && sampled_elsewhere(machine->host)),
                                      .host_unknown = machine && !*machine->host};
    int code = resolver_open(&engine->resolver, &naming, error);
    if (code)
        return code;
    engine->decoder = open_decoder(engine);
    return engine->decoder ? 0 : error_set(error, -ENOMEM, "no memory for the decoder");
}

int sampled_tick(struct engine *engine, uint64_t now_ns)
{
    /* Debugging information takes its time here, whatever the recording's clock says. */
    resolver_settle(engine->resolver, clock_now_ns());
    return sampler_tick(engine->sampler, now_ns);
}

static void sampled_rank(struct engine *engine, uint16_t event)
{
    sampler_rank(engine->sampler, event);
}

static const struct sampler_info *sampled_info(const struct engine *engine)
{
    return sampler_info(engine->sampler);
}

static int sampled_fd(const struct engine *engine)
{
    return sampler_fd(engine->sampler);
}

static struct place_names sampled_names(const struct engine *engine)
{
    return resolver_names(engine->resolver);
}

static struct resolver_target sampled_target(const struct engine *engine)
{
    return resolver_target(engine->resolver);
}

static struct sampler_span sampled_span(const struct engine *engine)
{
    return sampler_span(engine->sampler);
}

static bool sampled_find(const struct engine *engine, const char *name,
                         struct object_extent *extent)
{
    return resolver_find(engine->resolver, name, extent);
}

static bool sampled_instruction(const struct engine *engine, uint64_t ip, char *out, size_t size)
{
    return decoder_text(engine->decoder, ip, out, size);
}

static struct snapshot_simulation sampled_simulation(const struct engine *engine)
{
    return sampler_simulation(engine->sampler);
}

static bool next_pair(void *context, enum line_pairs kind, uint8_t level, uint32_t *place,
                      struct line_pair *out)
{
    const struct engine *engine = context;
    return sampler_pair(engine->sampler, kind, level, place, out);
}

/* Function of an address without a data sample. */
static uint32_t function_of(void *context, uint64_t ip)
{
    struct engine *engine = context;
    struct place place;
    struct access access = {.ip = ip, .reason = REASON_NO_MEMORY, .base = SREG_NONE};
    resolver_resolve(engine->resolver, &access, NULL, &place);
    return place.function;
}

static struct line_pair_source sampled_pairs(struct engine *engine)
{
    return (struct line_pair_source){engine, next_pair, function_of};
}

const struct engine_source engine_sampled = {
    .rank = sampled_rank,
    .info = sampled_info,
    .fd = sampled_fd,
    .names = sampled_names,
    .target = sampled_target,
    .span = sampled_span,
    .find = sampled_find,
    .instruction = sampled_instruction,
    .pairs = sampled_pairs,
    .simulation = sampled_simulation,
};
