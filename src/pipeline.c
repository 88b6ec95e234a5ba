/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline.h"

#include "base/clock.h"
#include "decode/decoder.h"
#include "profile/profile.h"
#include "resolve/resolver.h"
#include "resolve/source.h"
#include "sample/sampler.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char sysfs_cpu[] = "/sys/devices/system/cpu";

struct pipeline {
    struct sampler *sampler;
    struct resolver *resolver;
    struct decoder *decoder;
    struct profile *profile;
    struct source_texts *sources; /* NULL: out of memory */
    const char *search;           /* object named by --search that was not there yet */
    uint64_t opened_ns;
    uint64_t record_ns; /* time of the newest record: the clock of a replay */
    uint64_t first_ns;  /* time of the oldest record in a replay */
    uint64_t last_tick_ns;
    uint64_t ranked_before; /* samples of the ranking event at the last refresh */
    uint64_t samples[SAMPLE_EVENTS_MAX];
    uint32_t iteration;
    uint16_t ranking;
    bool live;
    bool ended;
    bool heap; /* its blocks are told or walked */
    bool exec_seen;
    long told; /* events of the agent since pipeline_patience_ms() was asked */
    char status[256];
};

static uint64_t pipeline_now(const struct pipeline *pipeline)
{
    return pipeline->live ? clock_now_ns() : pipeline->record_ns;
}

/* enum decode_segment and the resolver's flag say the same thing. */
static bool segment_base(void *context, uint32_t tid, enum decode_segment segment, uint64_t *base)
{
    return resolver_segment(context, tid, segment == DECODE_GS, base);
}

static void forget_changed_code(struct pipeline *pipeline)
{
    uint64_t start;
    uint64_t end;
    while (resolver_code_changed(pipeline->resolver, &start, &end))
        decoder_forget(pipeline->decoder, start, end);
}

static void take_sample(struct pipeline *pipeline, const struct sample *sample)
{
    struct access access;
    struct place place;
    pipeline->samples[sample->event]++;
    pipeline->told += resolver_follow(pipeline->resolver, sample->time_ns);
    decoder_decode(pipeline->decoder, sample, &access);
    resolver_resolve(pipeline->resolver, &access,
                     sample->has & SAMPLE_HAS_REGS && !(sample->has & SAMPLE_HAS_ALIEN_REGS)
                         ? sample->regs
                         : NULL,
                     &place);
    profile_add(pipeline->profile, &place);
}

static void take_record(void *context, const struct record *record)
{
    struct pipeline *pipeline = context;
    if (!pipeline->first_ns)
        pipeline->first_ns = record->time_ns;
    if (record->time_ns > pipeline->record_ns)
        pipeline->record_ns = record->time_ns;
    switch (record->kind) {
    case RECORD_SAMPLE:
        take_sample(pipeline, &record->sample);
        break;
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
        pipeline->exec_seen |= record->kind == RECORD_COMM && record->comm.exec;
        /* What the old program did with its heap comes before its end. */
        if (record->kind == RECORD_COMM && record->comm.exec)
            pipeline->told += resolver_follow(pipeline->resolver, record->time_ns);
        resolver_record(pipeline->resolver, record);
        forget_changed_code(pipeline);
    }
}

static int open_profile(struct pipeline *pipeline, const struct pipeline_options *options,
                        struct error *error)
{
    struct profile_options wanted = {
        .names = resolver_names(pipeline->resolver),
        .window_entries = options->window,
        .half_life_s = options->half_life_s,
        .ways = options->ways,
        .event_count = (uint16_t)sampler_info(pipeline->sampler)->event_count,
    };
    int code = geometry_parse(&wanted.geometry, options->cache, sysfs_cpu, error);
    /* A machine whose sysfs tells nothing of caches still has a set map: the usual L1d. */
    if (code == -ENOENT && !options->cache)
        code = geometry_parse(&wanted.geometry, "L1=32K,8,64", sysfs_cpu, error);
    return code ? code : profile_new(&pipeline->profile, &wanted, error);
}

static struct decoder *open_decoder(struct pipeline *pipeline)
{
    struct decode_target target = {
        .context = pipeline->resolver,
        .code = resolver_code,
        .function = resolver_function_bounds,
        .memory = pipeline->live ? resolver_memory : NULL,
        .segment = segment_base,
        .mapped = resolver_mapped,
    };
    return decoder_new(&target);
}

static void start_search(struct pipeline *pipeline, const char *what)
{
    struct object_extent extent;
    unsigned long long base;
    unsigned long long bound;
    int used = 0;
    pipeline->search = NULL;
    if (!strcmp(what, "all")) {
        profile_search_start(pipeline->profile, 0, UINT64_MAX, "all", pipeline_now(pipeline));
    } else if (sscanf(what, "%llx-%llx%n", &base, &bound, &used) == 2 && !what[used] &&
               base < bound) {
        profile_search_start(pipeline->profile, base, bound, what, pipeline_now(pipeline));
    } else if (resolver_find(pipeline->resolver, what, &extent)) {
        profile_search_start(pipeline->profile, extent.base, extent.bound, what,
                             pipeline_now(pipeline));
    } else {
        pipeline->search = what;
        snprintf(pipeline->status, sizeof pipeline->status,
                 "--search: no object named %.100s seen yet; still looking", what);
    }
}

/* A range that makes no sense is bad usage; a name may still turn up. */
static int check_search(const char *what, struct error *error)
{
    unsigned long long base;
    unsigned long long bound;
    int used = 0;
    if (what && sscanf(what, "%llx-%llx%n", &base, &bound, &used) == 2 && !what[used] &&
        base >= bound)
        return error_set(error, -EINVAL, "--search %s: the range is empty; START must be below END",
                         what);
    return 0;
}

static int open_stages(struct pipeline *pipeline, const struct pipeline_options *options,
                       struct error *error)
{
    struct sampler_options sampling = {
        .pid = options->pid,
        .launched = options->launched,
        .input = options->input,
        .source = options->source,
        .events = options->events,
        .rate = options->rate,
        .period = options->period,
    };
    struct resolver_options naming = {.live = pipeline->live,
                                      .symfs = options->symfs,
                                      .debuginfod = options->debuginfod,
                                      .feed = options->feed,
                                      .walk = options->walk,
                                      .heap_note = options->heap_note};
    int code = check_search(options->search, error);
    if (!code)
        code = sampler_open(&pipeline->sampler, &sampling, error);
    /* Opened after the rings, so that no mapping falls between the two. */
    if (!code) {
        naming.pid = sampler_info(pipeline->sampler)->pid;
        code = resolver_open(&pipeline->resolver, &naming, error);
    }
    if (!code)
        code = open_profile(pipeline, options, error);
    if (code)
        return code;
    pipeline->decoder = open_decoder(pipeline);
    return pipeline->decoder ? 0 : error_set(error, -ENOMEM, "no memory for the decoder");
}

int pipeline_open(struct pipeline **out, const struct pipeline_options *options,
                  struct error *error)
{
    struct pipeline *pipeline = calloc(1, sizeof *pipeline);
    if (!pipeline)
        return error_set(error, -ENOMEM, "out of memory");
    pipeline->live = !options->input;
    pipeline->heap = options->feed || options->walk;
    pipeline->opened_ns = clock_now_ns();
    pipeline->last_tick_ns = pipeline->opened_ns;
    int code = open_stages(pipeline, options, error);
    if (code) {
        pipeline_close(pipeline);
        return code;
    }
    struct source_options sources = {
        .pid = pipeline->live ? sampler_info(pipeline->sampler)->pid : 0, .symfs = options->symfs};
    pipeline->sources = source_texts_new(&sources);
    snprintf(pipeline->status, sizeof pipeline->status, "%s",
             sampler_info(pipeline->sampler)->note);
    if (options->search)
        start_search(pipeline, options->search);
    *out = pipeline;
    return 0;
}

void pipeline_close(struct pipeline *pipeline)
{
    if (!pipeline)
        return;
    if (pipeline->sampler)
        sampler_close(pipeline->sampler);
    if (pipeline->decoder)
        decoder_free(pipeline->decoder);
    if (pipeline->profile)
        profile_free(pipeline->profile);
    if (pipeline->resolver)
        resolver_close(pipeline->resolver);
    source_texts_free(pipeline->sources);
    free(pipeline);
}

int pipeline_fd(const struct pipeline *pipeline)
{
    return sampler_fd(pipeline->sampler);
}

long pipeline_drain(struct pipeline *pipeline, uint64_t until_ns)
{
    long count = sampler_read(pipeline->sampler, until_ns, take_record, pipeline);
    if (pipeline->live) {
        /* No further than the samples: those still to come must find the blocks of their time. */
        pipeline->told += resolver_follow(pipeline->resolver, until_ns);
        resolver_settle(pipeline->resolver, clock_now_ns());
    }
    return count;
}

/*
 * Records wait in rings of the kernel, which wake us when they fill up; allocations in rings
 * of the agent, which does not: a thread that does nothing but malloc and free fills one in
 * less than 10 ms. And a heap that is walked has to be read before the block is another one.
 */
int pipeline_patience_ms(struct pipeline *pipeline)
{
    enum { QUIET_MS = 100, HEAP_MS = 5, BUSY_MS = 1, BUSY_EVENTS = 10000 };
    long told = pipeline->told;
    pipeline->told = 0;
    return !pipeline->heap ? QUIET_MS : told > BUSY_EVENTS ? BUSY_MS : HEAP_MS;
}

int pipeline_enable(struct pipeline *pipeline, bool on)
{
    return sampler_enable(pipeline->sampler, on);
}

int pipeline_tick(struct pipeline *pipeline)
{
    uint64_t now = pipeline_now(pipeline);
    resolver_tick(pipeline->resolver, now);
    forget_changed_code(pipeline);
    if (pipeline->search)
        start_search(pipeline, pipeline->search);
    int code = sampler_tick(pipeline->sampler, now);
    pipeline->ended |= code == -ESRCH;
    return code;
}

static double sample_rate(struct pipeline *pipeline, uint64_t now)
{
    uint64_t samples = pipeline->samples[pipeline->ranking];
    double seconds = (double)(now - pipeline->last_tick_ns) / CLOCK_NS_PER_S;
    double rate = seconds > 0 ? (double)(samples - pipeline->ranked_before) / seconds : NAN;
    pipeline->ranked_before = samples;
    pipeline->last_tick_ns = now;
    return rate;
}

static struct snapshot_source describe_source(const struct pipeline *pipeline)
{
    const struct sampler_info *info = sampler_info(pipeline->sampler);
    struct snapshot_source source = {
        .name = info->source,
        .weighs = pipeline->ranking < info->event_count && info->events[pipeline->ranking].weighs[0]
                      ? info->events[pipeline->ranking].weighs
                      : info->weighs,
        .precise = info->exact_address,
        .live = info->live,
        .event_count = info->event_count,
        .ranking = pipeline->ranking,
    };
    for (unsigned i = 0; i < info->event_count; i++)
        source.events[i] = (struct snapshot_event){
            .name = info->events[i].name,
            .role = info->events[i].role,
            .period = info->events[i].period,
            .samples = pipeline->samples[i],
        };
    return source;
}

static struct snapshot_target describe_target(const struct pipeline *pipeline)
{
    struct resolver_target target = resolver_target(pipeline->resolver);
    bool gone = pipeline->ended || !target.alive;
    return (struct snapshot_target){
        .pid = target.pid,
        .threads = target.threads,
        .comm = target.comm,
        .exe = target.exe,
        .state = !pipeline->live ? "recorded"
                 : gone          ? "exited"
                                 : "running",
    };
}

const struct snapshot *pipeline_snapshot(struct pipeline *pipeline, double interval_s)
{
    uint64_t now = pipeline_now(pipeline);
    uint64_t start = pipeline->live ? pipeline->opened_ns : pipeline->first_ns;
    struct snapshot head = {
        .iteration = ++pipeline->iteration,
        .elapsed_s = (double)(now - start) / CLOCK_NS_PER_S,
        .interval_s = interval_s,
        .status = pipeline->status[0] ? pipeline->status : NULL,
        .target = describe_target(pipeline),
        .source = describe_source(pipeline),
    };
    head.totals.rate = sample_rate(pipeline, now);
    if (pipeline->exec_seen)
        head.status = "the process has started another program (exec); counting goes on";
    const struct snapshot *snapshot = profile_snapshot(pipeline->profile, &head, now);
    pipeline->status[0] = '\0';
    pipeline->exec_seen = false;
    return snapshot;
}

static const char *next_event(struct pipeline *pipeline)
{
    const struct sampler_info *info = sampler_info(pipeline->sampler);
    if (info->event_count < 2)
        return "only one event is sampled; name more with -e";
    pipeline->ranking = (uint16_t)((pipeline->ranking + 1) % info->event_count);
    pipeline->ranked_before = pipeline->samples[pipeline->ranking];
    profile_set_ranking(pipeline->profile, pipeline->ranking);
    snprintf(pipeline->status, sizeof pipeline->status, "ranked by %s",
             info->events[pipeline->ranking].name);
    return pipeline->status;
}

static const char *other_basis(struct pipeline *pipeline)
{
    bool run = profile_basis(pipeline->profile) == BASIS_RUN;
    profile_set_basis(pipeline->profile, run ? BASIS_DECAYED : BASIS_RUN);
    return run ? "showing the recent past" : "showing the whole run";
}

static const char *bin_answer(int code, const char *done)
{
    switch (code) {
    case 0:
        return done;
    case -EOPNOTSUPP:
        return "size classes of a walked heap keep their names";
    case -ENOENT:
        return "there is nothing to take back";
    default:
        return "that cannot be done with these bins";
    }
}

const char *pipeline_request(struct pipeline *pipeline, const struct request *request)
{
    uint64_t now = pipeline_now(pipeline);
    switch (request->kind) {
    case REQUEST_BASIS:
        return other_basis(pipeline);
    case REQUEST_ZERO:
        profile_zero(pipeline->profile, now);
        memset(pipeline->samples, 0, sizeof pipeline->samples);
        pipeline->ranked_before = 0;
        return "counts set to zero";
    case REQUEST_NEXT_EVENT:
        return next_event(pipeline);
    case REQUEST_SEARCH_ALL:
        profile_search_start(pipeline->profile, 0, UINT64_MAX, "all", now);
        return "searching the whole address space";
    case REQUEST_SEARCH_RANGE:
        profile_search_start(pipeline->profile, request->base, request->bound, request->name, now);
        return "searching inside the selection";
    case REQUEST_HEAP_MARK:
        resolver_heap_mark(pipeline->resolver, now);
        return "marked: GROWTH counts from now";
    case REQUEST_BIN_RENAME:
        return bin_answer(resolver_bin_rename(pipeline->resolver, request->bins[0], request->name),
                          "renamed");
    case REQUEST_BIN_COMBINE:
        return bin_answer(
            resolver_bin_combine(pipeline->resolver, request->bins, request->bin_count),
            "combined; U takes it back");
    case REQUEST_BIN_UNDO:
        return bin_answer(resolver_bin_undo(pipeline->resolver), "taken back");
    case REQUEST_SEARCH_STOP:
        profile_search_stop(pipeline->profile);
        return "search ended";
    default:
        return "";
    }
}

bool pipeline_instruction(void *context, uint64_t ip, char *out, size_t size)
{
    struct pipeline *pipeline = context;
    return decoder_text(pipeline->decoder, ip, out, size);
}

bool pipeline_source(void *context, const char *file, uint32_t line, char *out, size_t size)
{
    struct pipeline *pipeline = context;
    return pipeline->sources && source_texts_line(pipeline->sources, file, line, out, size);
}

const char *pipeline_source_note(void *context, const char *file)
{
    struct pipeline *pipeline = context;
    return pipeline->sources ? source_texts_note(pipeline->sources, file) : NULL;
}
