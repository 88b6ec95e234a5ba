/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample/sampler.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/lane.h"
#include "sample/perf/session.h"
#include "sample/perfdata/perfdata.h"
#include "sample/simulated/sim_session.h"

struct sampler {
    struct session session;
    struct perfdata *replay; /* NULL: live */
    struct sim_session sim;  /* .memory NULL: not the sim source */
    /* the thread that reads the replay ahead; NULL: the caller reads it */
    struct lane *reader_thread;
    struct sampler_info info;
    char weight_unit[96];
};

static void sampler_describe_session(struct sampler *sampler)
{
    const struct session *session = &sampler->session;
    const struct source *source = session->source;
    struct sampler_info *info = &sampler->info;
    memcpy(sampler->weight_unit, session->plan.weight_unit, sizeof sampler->weight_unit);
    info->source = source->name;
    info->pid = session->options.pid;
    info->weight_unit = sampler->weight_unit;
    info->live = true;
    info->exact_address = source->exact_address;
    info->exact_ip = source->exact_ip;
    info->has_latency = source->has_latency;
    info->has_data_source = source->has_data_source;
    info->event_count = session->plan.count;
    for (unsigned i = 0; i < info->event_count; i++) {
        memcpy(info->events[i].name, session->plan.events[i].name, sizeof info->events[i].name);
        info->events[i].role = session->plan.events[i].role;
        event_describe_weight(&session->plan.events[i], info->events[i].weight_unit,
                              sizeof info->events[i].weight_unit);
    }
}

static int open_source(struct sampler *sampler, const struct source *source,
                       const struct sampler_options *options, struct error *error)
{
    const struct kernel *kernel = kernel_host();
    struct source_plan plan = {0};
    int code = source->plan(&plan, options->events, kernel, error);
    if (!code)
        code = source_try(source, &plan, options->pid, kernel, error);
    if (!code)
        code = session_open(&sampler->session, source, &plan, options, kernel, error);
    if (!code)
        sampler_describe_session(sampler);
    if (!code && sampler->session.options.rate < options->rate)
        snprintf(sampler->info.note, sizeof sampler->info.note,
                 "at most %u samples a second: sudo sysctl kernel.perf_event_max_sample_rate=%u "
                 "allows more",
                 sampler->session.options.rate, options->rate);
    return code;
}

/* Opens the first source that works, and leaves a note if hardware counters do not work. */
static int open_auto(struct sampler *sampler, const struct sampler_options *options,
                     struct error *error)
{
    struct error first = {0};
    int code = -ENODEV;
    for (unsigned i = 0; code && i < SOURCES; i++) {
        const struct source *source = source_at(i);
        code = open_source(sampler, source, options, error);
        /* Never silently replace requested events by the clock. */
        bool last_word =
            source == &source_counter && (code == -EACCES || code == -EINVAL || options->events);
        if (code == -ESRCH || (code && last_word))
            return code;
        if (code && source == &source_counter)
            first = *error;
    }
    if (!code && first.code && sampler->session.source == &source_clock)
        snprintf(sampler->info.note, sizeof sampler->info.note,
                 "no hardware counters here: shares are shares of time; misstop doctor says why");
    return code;
}

static int open_replay(struct sampler *sampler, const struct sampler_options *options,
                       struct error *error)
{
    int code = perfdata_open(&sampler->replay, options->input, options->pid, options->progress,
                             options->progress_context, error);
    if (!code)
        perfdata_describe(sampler->replay, &sampler->info);
    return code;
}

static int open_named(struct sampler *sampler, const struct sampler_options *options,
                      struct error *error)
{
    const struct source *source = source_find(options->source);
    if (options->input)
        return open_replay(sampler, options, error);
    if (options->sim)
        return sim_session_open(&sampler->sim, options->sim, options->pid, options->events,
                                &sampler->info, error);
    if (!strcmp(options->source, "auto"))
        return open_auto(sampler, options, error);
    if (!source)
        return error_set(error, -EINVAL, "no source '%s'", options->source);
    return open_source(sampler, source, options, error);
}

int sampler_open(struct sampler **out, const struct sampler_options *options, struct error *error)
{
    struct sampler *sampler = calloc(1, sizeof *sampler);
    if (!sampler)
        return error_set(error, -ENOMEM, "out of memory");
    sampler->session.epoll_fd = sampler->session.pid_fd = -1;
    int code = open_named(sampler, options, error);
    if (code)
        free(sampler);
    else
        *out = sampler;
    return code;
}

void sampler_close(struct sampler *sampler)
{
    lane_close(sampler->reader_thread);
    if (sampler->replay)
        perfdata_close(sampler->replay);
    else if (!sampler->sim.memory)
        session_close(&sampler->session);
    free(sampler);
}

int sampler_fd(const struct sampler *sampler)
{
    return sampler->replay       ? perfdata_fd(sampler->replay)
           : sampler->sim.memory ? -1
                                 : sampler->session.epoll_fd;
}

enum { AHEAD_BATCHES = 4, AHEAD_RECORDS = 256 };

struct read_batch {
    uint64_t until_ns;
    long code; /* of perfdata_read_some() */
    size_t count;
    struct arena bytes;
    struct record records[AHEAD_RECORDS];
};

static const unsigned char *copy_bytes_to_arena(struct arena *arena, const unsigned char *bytes,
                                                size_t size)
{
    unsigned char *copy = bytes ? arena_alloc(arena, size) : NULL;
    return copy ? memcpy(copy, bytes, size) : NULL;
}

static void batch_add_record(void *context, const struct record *record)
{
    struct read_batch *batch = context;
    struct record *kept = &batch->records[batch->count++];
    struct sample *sample = &kept->sample;
    *kept = *record;
    if (kept->kind == RECORD_SAMPLE) {
        sample->stack = copy_bytes_to_arena(&batch->bytes, sample->stack, sample->stack_bytes);
        sample->chain =
            copy_bytes_to_arena(&batch->bytes, sample->chain, 8 * (size_t)sample->chain_count);
    } else if (kept->kind == RECORD_MAPPING) {
        kept->mapping.path = arena_string(&batch->bytes, kept->mapping.path);
    } else if (kept->kind == RECORD_COMM) {
        kept->comm.name = arena_string(&batch->bytes, kept->comm.name);
        kept->comm.exe = arena_string(&batch->bytes, kept->comm.exe);
    }
}

static void read_batch(void *context, void *buffer)
{
    struct read_batch *batch = buffer;
    arena_init(&batch->bytes);
    batch->count = 0;
    batch->code =
        perfdata_read_some(context, batch->until_ns, AHEAD_RECORDS, batch_add_record, batch);
}

int sampler_read_ahead(struct sampler *sampler)
{
    bool file = sampler->replay && perfdata_fd(sampler->replay) < 0;
    if (!file || sampler->reader_thread)
        return 0;
    return lane_open(&sampler->reader_thread, AHEAD_BATCHES, sizeof(struct read_batch), read_batch,
                     sampler->replay);
}

static void request_batch(struct lane *lane, uint64_t until_ns)
{
    struct read_batch *batch = lane_next(lane);
    batch->until_ns = until_ns;
    lane_submit(lane);
}

/* A batch that is not full is the last one up to the time; later batches are empty. */
static long read_batches_ahead(struct lane *lane, uint64_t until_ns, sampler_sink sink,
                               void *context)
{
    struct read_batch *batch;
    long handed = 0;
    long code = 0; /* of the batch that ended the reading */
    for (int i = 1; i < AHEAD_BATCHES; i++)
        request_batch(lane, until_ns);
    while ((batch = lane_take(lane))) {
        if (batch->count == AHEAD_RECORDS)
            request_batch(lane, until_ns);
        for (size_t i = 0; i < batch->count; i++)
            sink(context, &batch->records[i]);
        arena_fini(&batch->bytes);
        handed += (long)batch->count;
        code = batch->code < 0 && (!code || code == -ENODATA) ? batch->code : code;
    }
    return code && !(handed && code == -ENODATA) ? code : handed;
}

long sampler_read(struct sampler *sampler, uint64_t until_ns, sampler_sink sink, void *context)
{
    if (sampler->reader_thread)
        return read_batches_ahead(sampler->reader_thread, until_ns, sink, context);
    return sampler->replay       ? perfdata_read(sampler->replay, until_ns, sink, context)
           : sampler->sim.memory ? sim_session_read(&sampler->sim, until_ns, sink, context)
                                 : session_read(&sampler->session, until_ns, sink, context);
}

void sampler_pace(struct sampler *sampler, sampler_may *may, void *context)
{
    sampler->session.may_deliver = may;
    sampler->session.may_deliver_context = context;
}

bool sampler_has_backlog(const struct sampler *sampler, uint64_t *reached_ns)
{
    if (!sampler->replay && !sampler->sim.memory && sampler->session.has_backlog)
        *reached_ns = sampler->session.last_ns;
    if (!sampler->replay && !sampler->sim.memory)
        return sampler->session.has_backlog;
    if (sampler->replay)
        return perfdata_has_backlog(sampler->replay);
    if (!sampler->sim.memory || !sampler->sim.has_backlog)
        return false;
    *reached_ns = sampler->sim.last_ns;
    return true;
}

int sampler_tick(struct sampler *sampler, uint64_t now_ns)
{
    return sampler->replay || sampler->sim.memory ? 0 : session_tick(&sampler->session, now_ns);
}

int sampler_enable(struct sampler *sampler, bool on)
{
    if (sampler->sim.memory)
        sim_session_enable(&sampler->sim, on);
    return sampler->replay || sampler->sim.memory ? 0 : session_enable(&sampler->session, on);
}

void sampler_rank(struct sampler *sampler, unsigned index)
{
    if (sampler->sim.memory)
        sim_session_rank(&sampler->sim, index);
}

struct snapshot_simulation sampler_simulation(const struct sampler *sampler)
{
    return sampler->sim.memory ? sim_session_totals(&sampler->sim)
                               : (struct snapshot_simulation){0};
}

int sampler_restart(struct sampler *sampler, pid_t pid, struct error *error)
{
    if (!sampler->replay)
        return error_set(error, -EINVAL, "only a recording can be replayed");
    int code = perfdata_restart(sampler->replay, pid, error);
    if (!code)
        perfdata_describe(sampler->replay, &sampler->info);
    return code;
}

const struct sampler_info *sampler_info(const struct sampler *sampler)
{
    /* Updates the figures that change; the others were set at open. */
    struct sampler *writable = (struct sampler *)sampler;
    const struct session *session = &sampler->session;
    if (sampler->replay)
        return &sampler->info;
    if (sampler->sim.memory) {
        sim_session_describe(&sampler->sim, &writable->info);
        return &sampler->info;
    }
    writable->info.records_bad = session->malformed_records;
    writable->info.rate = session->rate;
    writable->info.requested_rate = session->options.rate;
    writable->info.switches_per_cpu_s =
        session->switching.is_switching_often ? session->switching.per_cpu_second : 0;
    for (unsigned i = 0; i < sampler->info.event_count; i++) {
        writable->info.events[i].period = session->events[i].period;
        writable->info.events[i].running_share = session->events[i].running_share;
        writable->info.events[i].open_count = session->events[i].opened;
    }
    return &sampler->info;
}

const struct perf_event_attr *sampler_attribute(const struct sampler *sampler, unsigned index)
{
    if (sampler->replay)
        return perfdata_attribute(sampler->replay, index);
    if (sampler->sim.memory)
        return index < sampler->sim.event_count ? &sampler->sim.events[index].attr : NULL;
    return index < sampler->session.plan.count ? &sampler->session.events[index].attr : NULL;
}

struct perfdata *sampler_recording(const struct sampler *sampler)
{
    return sampler->replay;
}
