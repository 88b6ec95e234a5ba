/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Snapshots and texts for the views; declared in engine.h. */
#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "engine/state.h"

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
    const struct sampler_info *info = pipeline_info(pipeline);
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
            .events = pipeline->events[i] > 0 ? pipeline->events[i] : NAN,
            .counted = info->events[i].counted,
        };
    return source;
}

/* What a live process does, from what came since the last refreshes. */
static const char *live_state(struct pipeline *pipeline, const struct resolver_target *target,
                              uint64_t now)
{
    const uint64_t idle_ns = CLOCK_NS_PER_S;
    const uint64_t unsampled_ns = 3 * CLOCK_NS_PER_S;
    uint64_t sampled = 0;
    for (unsigned i = 0; i < SAMPLE_EVENTS_MAX; i++)
        sampled += pipeline->samples[i];
    if (!pipeline->sampled_ns)
        pipeline->sampled_ns = pipeline->ran_ns = pipeline->opened_ns;
    if (sampled != pipeline->sampled || pipeline->paused)
        pipeline->sampled_ns = pipeline->ran_ns = now;
    if (target->cpu_ticks != pipeline->cpu_ticks)
        pipeline->ran_ns = now;
    pipeline->sampled = sampled;
    pipeline->cpu_ticks = target->cpu_ticks;
    return pipeline->ended || !target->alive            ? "exited"
           : pipeline->paused                           ? "not counted"
           : target->stopped                            ? "stopped"
           : now - pipeline->ran_ns >= idle_ns          ? "idle"
           : now - pipeline->sampled_ns >= unsampled_ns ? "not sampled"
                                                        : "running";
}

static struct snapshot_target describe_target(struct pipeline *pipeline)
{
    struct resolver_target target =
        pipeline->store ? replay_target(pipeline->store) : resolver_target(pipeline->resolver);
    return (struct snapshot_target){
        .pid = target.pid,
        .threads = target.threads,
        .comm = target.comm,
        .exe = target.exe,
        .state =
            pipeline->live ? live_state(pipeline, &target, pipeline_now(pipeline)) : "recorded",
    };
}

struct snapshot_binaries pipeline_binaries(const struct pipeline *pipeline,
                                           struct binary_desc *list)
{
    struct snapshot_binaries binaries = {0};
    if (pipeline->live || pipeline->store)
        return binaries;
    binaries.list = list;
    binaries.count = resolver_binaries(pipeline->resolver, list, BINARIES_SHOWN);
    binaries.nowhere = resolver_unmapped(pipeline->resolver);
    binaries.code_only = resolver_code_only(pipeline->resolver);
    for (unsigned i = 0; i < SAMPLE_EVENTS_MAX; i++)
        binaries.samples += pipeline->samples[i];
    return binaries;
}

/* After the snapshot, so that what it asked and was told is recorded with it. */
static void record_refresh(struct pipeline *pipeline, const struct snapshot *head, uint64_t now)
{
    const char *trouble = recorder_sync(pipeline->recorder, head, now);
    if (trouble)
        snprintf(pipeline->status, sizeof pipeline->status, "%s", trouble);
}

static double elapsed_at(const struct pipeline *pipeline, uint64_t now)
{
    uint64_t start = pipeline->live ? pipeline->opened_ns : pipeline_start_ns(pipeline);
    return !start ? NAN : now > start ? (double)(now - start) / CLOCK_NS_PER_S : 0;
}

double pipeline_elapsed_s(struct pipeline *pipeline)
{
    return elapsed_at(pipeline, pipeline_now(pipeline));
}

/* Who leads, where that is another; else what there is more of now. */
static void note_object(const struct snapshot_phase *phase, char *out, size_t size)
{
    if (phase->rose && !phase->inversion)
        snprintf(out, size, "%s has %.0f points more", phase->rose, phase->rose_by * 100);
    else
        snprintf(out, size, "%s leads with %.0f%%", phase->leader, phase->leader_share * 100);
}

/* A new phase is news on every screen; told with the next refresh. */
static void note_phase(struct pipeline *pipeline, const struct snapshot_timeline *timeline)
{
    const struct snapshot_phase *last =
        timeline->phase_count ? &timeline->phases[timeline->phase_count - 1] : NULL;
    bool is_new = last && timeline->phase_count > 1 &&
                  last->start_s > pipeline->phase_start_s + timeline->base_s;
    if (is_new && last->leader && !pipeline->status[0]) {
        char since[TEXT_TIME_BYTES];
        char object[384];
        note_object(last, object, sizeof object);
        snprintf(pipeline->status, sizeof pipeline->status,
                 "%s%s%s since %s: %s; Phases (0) shows the run",
                 last->again ? "phase " : "a new phase", last->again ? last->name : "",
                 last->again ? " again" : "", text_time(since, last->start_s), object);
    }
    if (last)
        pipeline->phase_start_s = last->start_s;
}

static struct snapshot_refused describe_refused(const struct files_client *files,
                                                struct file_refused *list)
{
    for (uint32_t i = 0; i < files->refused_count; i++)
        list[i] = (struct file_refused){files->refused[i].path, files->refused[i].why};
    return (struct snapshot_refused){list, files->refused_count};
}

/* Lists that a head points to. */
struct head_lists {
    struct binary_desc binaries[BINARIES_SHOWN];
    struct file_refused refused[FILES_REFUSED_MAX];
};

static struct snapshot describe_head(struct pipeline *pipeline, uint64_t now,
                                     struct head_lists *lists)
{
    struct snapshot_recording *recording = pipeline_recording(pipeline);
    double elapsed_s = elapsed_at(pipeline, now);
    return (struct snapshot){
        .iteration = pipeline->iteration,
        .elapsed_s = elapsed_s,
        .counted_s = elapsed_s - pipeline->zeroed_s,
        .status = pipeline->status[0] ? pipeline->status : NULL,
        .target = describe_target(pipeline),
        .source = describe_source(pipeline),
        .recording = recording,
        .binaries = pipeline_binaries(pipeline, lists->binaries),
        .refused = describe_refused(&pipeline->files, lists->refused),
        .objects_all = pipeline->objects_all,
        .simulation = pipeline->store     ? pipeline->stored_simulation
                      : pipeline->sampler ? sampler_simulation(pipeline->sampler)
                                          : (struct snapshot_simulation){0},
        .watch = pipeline_watch_state(pipeline),
        .whatif = pipeline_whatif_state(pipeline),
    };
}

bool pipeline_whatif_peek(struct pipeline *pipeline)
{
    struct head_lists lists;
    struct snapshot head = describe_head(pipeline, pipeline_now(pipeline), &lists);
    const struct snapshot *snapshot = profile_glance(pipeline->profile, &head);
    if (snapshot)
        pipeline_whatif_step(pipeline, snapshot);
    bool read = snapshot && !snapshot->reading.waiting;
    snapshot_free(snapshot);
    return read;
}

/* Names that came since the last refresh. */
static void take_renames(struct pipeline *pipeline)
{
    size_t count = 0;
    const struct object_rename *list =
        pipeline->store ? NULL : resolver_renames(pipeline->resolver, &count);
    pipeline_rename(pipeline, list, count);
    if (pipeline->recorder)
        recorder_rename(pipeline->recorder, list, count);
    if (!pipeline->store)
        resolver_renamed(pipeline->resolver);
}

static const char shut_off[] =
    "the process started a setuid program, or one with other rights: the kernel ended the sampling "
    "of it, what is shown is of before; sudo misstop -p PID watches it anew";

const struct snapshot *pipeline_snapshot(struct pipeline *pipeline, double interval_s)
{
    struct head_lists lists;
    uint64_t now = pipeline_now(pipeline);
    take_renames(pipeline);
    pipeline->iteration++;
    struct snapshot head = describe_head(pipeline, now, &lists);
    head.interval_s = pipeline->refresh_due ? pipeline->stored_interval_s : interval_s;
    head.totals.rate = sample_rate(pipeline, now);
    bool exec_told = pipeline->exec_seen && !head.status;
    if (exec_told)
        head.status =
            pipeline->live
                ? "another program was started (exec); counting goes on, z counts it alone"
                : "here the process started another program (exec)";
    if (pipeline->live && pipeline->resolver && resolver_shut_off(pipeline->resolver))
        head.status = shut_off;
    if (pipeline->recorder)
        recorder_begin_refresh(pipeline->recorder);
    const struct snapshot *snapshot = profile_snapshot(pipeline->profile, &head, now);
    /* The run goes on all the same: it has its refresh, which nobody sees. */
    const struct snapshot *shown =
        pipeline->stretch.profile ? pipeline_stretch_snapshot(pipeline, &head) : snapshot;
    pipeline->status[0] = '\0';
    if (snapshot)
        note_phase(pipeline, &snapshot->timeline);
    if (snapshot)
        pipeline_whatif_step(pipeline, snapshot);
    pipeline->exec_seen &= !exec_told;
    pipeline->refresh_due = false;
    if (pipeline->recorder)
        record_refresh(pipeline, &head, now);
    if (shown != snapshot)
        snapshot_free(snapshot);
    return shown;
}

const struct snapshot *pipeline_snapshot_run(struct pipeline *pipeline)
{
    enum snapshot_basis basis = profile_basis(pipeline->profile);
    struct recorder *recorder = pipeline->recorder;
    struct profile *shown =
        pipeline->stretch.profile ? pipeline->stretch.profile : pipeline->profile;
    take_renames(pipeline);
    pipeline->recorder = NULL; /* it is no refresh */
    profile_set_basis(pipeline->profile, BASIS_RUN);
    profile_want_accesses(shown, true);
    const struct snapshot *snapshot = pipeline_snapshot(pipeline, 0);
    profile_want_accesses(shown, false);
    profile_set_basis(pipeline->profile, basis);
    pipeline->recorder = recorder;
    return snapshot;
}

bool pipeline_instruction(void *context, uint64_t ip, char *out, size_t size)
{
    struct pipeline *pipeline = context;
    if (pipeline->store)
        return store_reader_instruction_text(pipeline->store, ip, out, size);
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
