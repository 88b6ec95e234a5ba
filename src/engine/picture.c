/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

#include "engine/state.h"
#include "view/words.h"

static double sample_rate(struct engine *engine, uint64_t now)
{
    uint64_t samples = engine->samples[engine->ranking];
    double seconds = (double)(now - engine->last_tick_ns) / CLOCK_NS_PER_S;
    double rate = seconds > 0 ? (double)(samples - engine->ranked_before) / seconds : NAN;
    engine->ranked_before = samples;
    engine->last_tick_ns = now;
    return rate;
}

static struct snapshot_source describe_source(const struct engine *engine)
{
    const struct sampler_info *info = engine_info(engine);
    struct snapshot_source source = {
        .name = info->source,
        .weight_unit =
            engine->ranking < info->event_count && info->events[engine->ranking].weight_unit[0]
                ? info->events[engine->ranking].weight_unit
                : info->weight_unit,
        .precise = info->exact_address,
        .live = info->live,
        .event_count = info->event_count,
        .ranking = engine->ranking,
    };
    for (unsigned i = 0; i < info->event_count; i++)
        source.events[i] = (struct snapshot_event){
            .name = info->events[i].name,
            .role = info->events[i].role,
            .period = info->events[i].period,
            .samples = engine->samples[i],
            .events = engine->events[i] > 0 ? engine->events[i] : NAN,
            .running_share = info->events[i].running_share,
        };
    return source;
}

/* Returns the state of a live process, from its activity in the last refreshes. */
static const char *live_state_text(struct engine *engine, const struct resolver_target *target,
                                   uint64_t now)
{
    const uint64_t idle_ns = CLOCK_NS_PER_S;
    const uint64_t unsampled_ns = 3 * CLOCK_NS_PER_S;
    uint64_t sampled = 0;
    for (unsigned i = 0; i < SAMPLE_EVENTS_MAX; i++)
        sampled += engine->samples[i];
    if (!engine->sampled_ns)
        engine->sampled_ns = engine->ran_ns = engine->opened_ns;
    if (sampled != engine->samples_seen || engine->paused)
        engine->sampled_ns = engine->ran_ns = now;
    if (target->cpu_ticks != engine->cpu_ticks)
        engine->ran_ns = now;
    engine->samples_seen = sampled;
    engine->cpu_ticks = target->cpu_ticks;
    return engine->ended || !target->alive            ? "exited"
           : engine->paused                           ? "not counted"
           : target->stopped                          ? "stopped"
           : now - engine->ran_ns >= idle_ns          ? "idle"
           : now - engine->sampled_ns >= unsampled_ns ? "not sampled"
                                                      : "running";
}

/* CPU ticks are coarse: measure over at least a second. */
static double cpu_used(struct engine *engine, const struct resolver_target *target, uint64_t now)
{
    double ticks = (double)(target->cpu_ticks - engine->measured_ticks);
    uint64_t length_ns = now - engine->measured_ns;
    if (engine->measured_ns && length_ns < CLOCK_NS_PER_S)
        return engine->cpu;
    engine->cpu = !engine->measured_ns
                      ? NAN
                      : ticks / (double)sysconf(_SC_CLK_TCK) * CLOCK_NS_PER_S / (double)length_ns;
    engine->measured_ns = now;
    engine->measured_ticks = target->cpu_ticks;
    return engine->cpu;
}

/* The kernel requires room for all possible CPUs. */
static uint32_t cpus_allowed(uint32_t pid)
{
    enum { CPUS_MAX = 8192 };
    unsigned char set[CPU_ALLOC_SIZE(CPUS_MAX)];
    if (!pid || sched_getaffinity((pid_t)pid, sizeof set, (cpu_set_t *)(void *)set))
        return 0;
    return (uint32_t)CPU_COUNT_S(sizeof set, (cpu_set_t *)(void *)set);
}

static struct snapshot_target describe_target(struct engine *engine)
{
    struct resolver_target target =
        engine->resolver ? resolver_target(engine->resolver) : engine->stored.facts.target;
    bool runs = engine->kind->live && target.alive && !engine->ended;
    return (struct snapshot_target){
        .pid = target.pid,
        .cpus = runs ? cpus_allowed(target.pid) : 0,
        .cpu = runs ? cpu_used(engine, &target, engine_now(engine)) : NAN,
        .threads = target.threads,
        .comm = target.comm,
        .exe = target.exe,
        .state =
            engine->kind->live ? live_state_text(engine, &target, engine_now(engine)) : "recorded",
    };
}

struct snapshot_binaries engine_binaries(const struct engine *engine, struct binary_desc *list)
{
    struct snapshot_binaries binaries = {0};
    if (engine->kind != &engine_recorded)
        return binaries;
    binaries.list = list;
    binaries.count = resolver_binaries(engine->resolver, list, BINARIES_SHOWN);
    binaries.outside_mappings = resolver_unmapped(engine->resolver);
    binaries.code_only = resolver_code_only(engine->resolver);
    for (unsigned i = 0; i < SAMPLE_EVENTS_MAX; i++)
        binaries.samples += engine->samples[i];
    return binaries;
}

/* Called after the snapshot, so that its questions and answers are recorded with it. */
static void record_refresh(struct engine *engine, const struct snapshot *head, uint64_t now)
{
    const char *trouble = recorder_sync(engine->recorder, head, now);
    if (trouble)
        snprintf(engine->status, sizeof engine->status, "%s", trouble);
}

static double elapsed_seconds_at(const struct engine *engine, uint64_t now)
{
    uint64_t start = engine->kind->live ? engine->opened_ns : engine_start_ns(engine);
    return !start ? NAN : now > start ? (double)(now - start) / CLOCK_NS_PER_S : 0;
}

double engine_elapsed_s(struct engine *engine)
{
    return elapsed_seconds_at(engine, engine_now(engine));
}

/* Reports a new phase in the status line of every screen, with the next refresh. */
static void note_phase(struct engine *engine, const struct snapshot_timeline *timeline)
{
    const struct snapshot_phase *last =
        timeline->phase_count ? &timeline->phases[timeline->phase_count - 1] : NULL;
    bool is_new = last && timeline->phase_count > 1 &&
                  last->start_s > engine->phase_start_s + timeline->base_s;
    if (is_new && last->leader && !engine->status[0])
        phase_news(last, engine->status, sizeof engine->status);
    if (last)
        engine->phase_start_s = last->start_s;
}

static struct snapshot_refused describe_refused(const struct files_client *files,
                                                struct file_refused *list)
{
    for (uint32_t i = 0; i < files->refused_count; i++)
        list[i] = (struct file_refused){files->refused[i].path, files->refused[i].reason};
    return (struct snapshot_refused){list, files->refused_count};
}

struct head_lists {
    struct binary_desc binaries[BINARIES_SHOWN];
    struct file_refused refused[FILES_REFUSED_MAX];
};

static struct snapshot describe_head(struct engine *engine, uint64_t now, struct head_lists *lists)
{
    struct snapshot_recording *recording = engine_recording(engine);
    double elapsed_s = elapsed_seconds_at(engine, now);
    return (struct snapshot){
        .iteration = engine->iteration,
        .elapsed_s = elapsed_s,
        .counted_s = elapsed_s - engine->reset_s,
        .status = engine->status[0] ? engine->status : NULL,
        .target = describe_target(engine),
        .source = describe_source(engine),
        .recording = recording,
        .binaries = engine_binaries(engine, lists->binaries),
        .refused = describe_refused(&engine->files, lists->refused),
        .loading = engine->resolver ? resolver_loading(engine->resolver)
                                    : (struct loading_state){.pending_requests = 0},
        .lists_all_objects = engine->lists_all_objects,
        .simulation =
            engine->sampler ? sampler_simulation(engine->sampler) : engine->stored.facts.simulation,
        .watch = engine_watch_state(engine),
        .whatif = engine->kind->whatifs ? engine->kind->whatifs(engine)
                                        : (struct snapshot_whatifs){.count = 0},
    };
}

bool engine_whatif_step_unshown(struct engine *engine)
{
    struct head_lists lists;
    struct snapshot head = describe_head(engine, engine_now(engine), &lists);
    const struct snapshot *snapshot = profile_glance(engine->profile, &head);
    if (snapshot)
        engine_whatif_step(engine, snapshot);
    bool read = snapshot && !snapshot->loading.pending_requests;
    snapshot_free(snapshot);
    return read;
}

static void take_renames(struct engine *engine)
{
    size_t count = 0;
    const struct object_rename *list =
        engine->resolver ? resolver_renames(engine->resolver, &count) : NULL;
    engine_rename(engine, list, count);
    for (size_t i = 0; i < count; i++)
        store_writer_rename(recorder_store(engine->recorder), &list[i]);
    if (engine->resolver)
        resolver_renamed(engine->resolver);
}

static const char shut_off[] =
    "the process started a setuid program, or one with other privileges, and the kernel stopped "
    "its sampling; the tables show the time before; sudo misstop -p PID watches it again";

void engine_set_patience(struct engine *engine)
{
    if (engine->resolver)
        resolver_set_patience(engine->resolver, engine->patience_ns);
}

const struct snapshot *engine_snapshot(struct engine *engine, double interval_s)
{
    struct head_lists lists;
    uint64_t now = engine_now(engine);
    take_renames(engine);
    engine->iteration++;
    struct snapshot head = describe_head(engine, now, &lists);
    head.interval_s = engine->stored.refresh_due ? engine->stored.interval_s : interval_s;
    head.totals.rate = sample_rate(engine, now);
    bool exec_shown = engine->exec_seen && !head.status;
    if (exec_shown)
        head.status =
            engine->kind->live
                ? "another program was started (exec); counting continues, z resets the counts"
                : "here the process started another program (exec)";
    if (engine->kind->live && resolver_sampling_ended(engine->resolver))
        head.status = shut_off;
    store_writer_begin_refresh(recorder_store(engine->recorder));
    const struct snapshot *snapshot = profile_snapshot(engine->profile, &head, now);
    /* Refresh the tables of the run even if a time range is shown instead. */
    const struct snapshot *shown =
        engine->time_range.profile ? engine_time_range_snapshot(engine, &head) : snapshot;
    engine->status[0] = '\0';
    if (snapshot)
        note_phase(engine, &snapshot->timeline);
    if (snapshot)
        engine_whatif_step(engine, snapshot);
    engine->exec_seen &= !exec_shown;
    engine->stored.refresh_due = false;
    if (engine->recorder)
        record_refresh(engine, &head, now);
    if (shown != snapshot)
        snapshot_free(snapshot);
    return shown;
}

const struct snapshot *engine_snapshot_run(struct engine *engine)
{
    enum snapshot_basis basis = profile_basis(engine->profile);
    struct recorder *recorder = engine->recorder;
    struct profile *shown =
        engine->time_range.profile ? engine->time_range.profile : engine->profile;
    take_renames(engine);
    engine->recorder = NULL; /* not a refresh */
    profile_set_basis(engine->profile, BASIS_RUN);
    profile_want_accesses(shown, true);
    const struct snapshot *snapshot = engine_snapshot(engine, 0);
    profile_want_accesses(shown, false);
    profile_set_basis(engine->profile, basis);
    engine->recorder = recorder;
    return snapshot;
}

bool engine_instruction(void *context, uint64_t ip, char *out, size_t size)
{
    struct engine *engine = context;
    return engine->decoder ? decoder_text(engine->decoder, ip, out, size)
                           : store_reader_instruction_text(engine->stored.reader, ip, out, size);
}

bool engine_source(void *context, const char *file, uint32_t line, char *out, size_t size)
{
    struct engine *engine = context;
    return engine->sources && source_texts_line(engine->sources, file, line, out, size);
}

const char *engine_source_note(void *context, const char *file)
{
    struct engine *engine = context;
    return engine->sources ? source_texts_note(engine->sources, file) : NULL;
}
