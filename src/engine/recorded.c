/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recordings: replay from the start, processes, machine and clock. Also reads, decodes and resolves
 * recordings that were not made by misstop. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "engine/state.h"

int engine_restart(struct engine *engine, pid_t pid, struct error *error)
{
    enum snapshot_basis basis = profile_basis(engine->profile);
    int code = engine->kind->restart(engine, pid, error);
    if (code)
        return code;
    engine_close_tables(engine);
    engine->stored.refresh_due = false;
    memset(engine->samples, 0, sizeof engine->samples);
    memset(engine->events, 0, sizeof engine->events);
    engine->record_ns = engine->ranked_before = 0;
    engine->exec_seen = false;
    engine->reset_s = 0;
    code = engine_open_tables(engine, error);
    if (code)
        return code;
    profile_set_basis(engine->profile, basis);
    profile_set_ranking(engine->profile, engine->ranking);
    return 0;
}

bool engine_follows(const struct engine *engine, bool *idled)
{
    const struct perfdata *recording = engine_perfdata(engine);
    *idled = recording && perfdata_is_live_pipe(recording);
    return recording && perfdata_fd(recording) >= 0;
}

void engine_drop_events(struct engine *engine)
{
    engine->exec_seen = false;
}

unsigned engine_loading(struct engine *engine)
{
    if (!engine->resolver)
        return 0;
    resolver_settle(engine->resolver, clock_now_ns());
    return resolver_loading(engine->resolver).pending_requests;
}

static struct perfdata_span engine_span(const struct engine *engine)
{
    if (engine->sampler)
        return engine_perfdata(engine) ? perfdata_span(engine_perfdata(engine))
                                       : (struct perfdata_span){0, 0};
    uint64_t start_ns = store_reader_start_ns(engine->stored.reader);
    uint64_t end_ns = store_reader_end_ns(engine->stored.reader);
    return (struct perfdata_span){start_ns, end_ns > start_ns ? end_ns - start_ns : 0};
}

uint64_t engine_start_ns(const struct engine *engine)
{
    return engine_span(engine).start_ns;
}

uint64_t engine_length_ns(const struct engine *engine)
{
    return engine_span(engine).length_ns;
}

bool engine_is_rereadable(const struct engine *engine)
{
    size_t count = 0;
    /* Going back would write the same records again. */
    if (engine->recorder)
        return false;
    if (!engine->sampler)
        return true;
    if (engine_perfdata(engine))
        perfdata_processes(engine_perfdata(engine), &count);
    return count;
}

bool engine_names_are_recorded(const struct engine *engine)
{
    return engine->kind == &engine_stored;
}

const struct perfdata_process *engine_processes(const struct engine *engine, size_t *count)
{
    size_t sampled = 0;
    *count = 0;
    const struct perfdata_process *list =
        engine_perfdata(engine) ? perfdata_processes(engine_perfdata(engine), count) : NULL;
    while (sampled < *count && list[sampled].samples)
        sampled++;
    *count = sampled;
    return list;
}

static const char *text_or_null(const char *text)
{
    return *text ? text : NULL;
}

/* The clocks give the start; the file's time is that of the last write. */
void recorded_date(struct recording_text *text, const struct perfdata_machine *machine,
                   uint64_t start_ns)
{
    struct snapshot_recording *out = &text->shown;
    struct tm local;
    out->date_exact = machine->wall_ns && start_ns;
    uint64_t wall_s = (machine->wall_ns + (start_ns - machine->clock_ns)) / CLOCK_NS_PER_S;
    time_t when = out->date_exact ? (time_t)wall_s : (time_t)machine->written_unix_s;
    if (when && localtime_r(&when, &local) &&
        strftime(text->date, sizeof text->date, "%Y-%m-%d %H:%M:%S", &local))
        out->date = text->date;
}

/* Lists the processes with most samples that are not shown: "12 (xz), 13 (cat)". */
static void list_hidden_processes(const struct perfdata_process *list, size_t count, pid_t pid,
                                  char *out, size_t size)
{
    enum { LISTED = 4 };
    size_t used = 0;
    unsigned listed = 0;
    *out = '\0';
    for (size_t i = 0; i < count && listed < LISTED && used < size; i++) {
        if (list[i].pid == pid)
            continue;
        used += (size_t)snprintf(out + used, size - used, "%s%d (%s)", listed ? ", " : "",
                                 (int)list[i].pid, *list[i].comm ? list[i].comm : "?");
        listed++;
    }
    if (count > LISTED + 1 && used < size)
        snprintf(out + used, size - used, ", ...");
}

static double share_of(const struct perfdata_process *list, size_t count, pid_t pid)
{
    double all = 0;
    double shown = 0;
    for (size_t i = 0; i < count; i++) {
        all += (double)list[i].samples;
        shown += list[i].pid == pid ? (double)list[i].samples : 0;
    }
    return all > 0 ? shown / all : NAN;
}

static void describe_addresses(struct engine *engine)
{
    struct recording_text *text = &engine->recording;
    struct perfdata_counts counts = perfdata_counts(engine_perfdata(engine));
    snprintf(text->addresses, sizeof text->addresses,
             "recorded with %" PRIu64 " samples, computed from registers of %" PRIu64
             " where the program's file is found (--symfs), not to be had of %" PRIu64,
             counts.with_address, counts.with_registers,
             counts.samples - counts.with_address - counts.with_registers);
    text->shown.addresses = text->addresses;
}

static void describe_machine(struct engine *engine)
{
    const struct perfdata_machine *machine = perfdata_machine(engine_perfdata(engine));
    struct recording_text *text = &engine->recording;
    struct snapshot_recording *out = &text->shown;
    size_t count;
    const struct perfdata_process *list = engine_processes(engine, &count);
    list_hidden_processes(list, count, engine_info(engine)->pid, text->others, sizeof text->others);
    snprintf(text->kernel, sizeof text->kernel, "%s%s%s", machine->os_release,
             *machine->os_release && *machine->architecture ? " " : "", machine->architecture);
    out->host = text_or_null(machine->host);
    out->cpu = text_or_null(machine->cpu);
    out->kernel = text_or_null(text->kernel);
    out->command = text_or_null(machine->command);
    out->processes = (uint32_t)count;
    out->process_share = share_of(list, count, engine_info(engine)->pid);
    out->others = text_or_null(text->others);
    describe_addresses(engine);
    recorded_date(text, machine, engine_span(engine).start_ns);
}

struct snapshot_recording *engine_recording(struct engine *engine)
{
    struct recording_text *text = &engine->recording;
    struct snapshot_recording *out = &text->shown;
    if (engine->kind->live)
        return NULL;
    struct perfdata_span span = engine_span(engine);
    *out = (struct snapshot_recording){.position_s = NAN,
                                       .length_s = NAN,
                                       .process_share = NAN,
                                       .note = text_or_null(engine_info(engine)->note)};
    engine->kind->describe_recording(engine);
    if (!span.start_ns)
        return out;
    uint64_t position_ns =
        engine->record_ns > span.start_ns ? engine->record_ns - span.start_ns : 0;
    out->position_s =
        (double)(position_ns < span.length_ns ? position_ns : span.length_ns) / CLOCK_NS_PER_S;
    out->length_s = (double)span.length_ns / CLOCK_NS_PER_S;
    return out;
}

/* ---- recordings of other programs ---- */

void recorded_reached(struct engine *engine, uint64_t until_ns)
{
    uint64_t start_ns = engine_start_ns(engine);
    if (until_ns < UINT64_MAX - start_ns && start_ns + until_ns > engine->record_ns)
        engine->record_ns = start_ns + until_ns;
}

static int recorded_open(struct engine *engine, struct error *error)
{
    int code = stored_detect(engine, error);
    return code || engine->kind == &engine_stored ? code : sampled_open(engine, error);
}

static void recorded_open_files(struct engine *engine)
{
    files_client_recording(&engine->files, engine->options.input);
    engine->files.is_other_root =
        sampled_on_another_host(perfdata_machine(engine_perfdata(engine))->host);
}

static long recorded_drain(struct engine *engine, uint64_t until_ns)
{
    resolver_set_patience(engine->resolver, engine->patience_ns);
    long count = engine_take(engine, &until_ns);
    recorded_reached(engine, until_ns);
    resolver_settle(engine->resolver, clock_now_ns());
    return count;
}

static int recorded_restart(struct engine *engine, pid_t pid, struct error *error)
{
    return sampler_restart(engine->sampler, pid, error);
}

static bool recorded_geometry(struct engine *engine)
{
    static const char *const levels[] = {"L1", "L2", "L3"};
    const struct perfdata_machine *machine = perfdata_machine(engine_perfdata(engine));
    for (int i = 0; i < 3; i++) {
        struct geometry geometry;
        bool known = geometry_among(&geometry, levels[i], machine);
        engine->cache_lines[i] = known ? (uint64_t)geometry.sets * geometry.ways : 0;
    }
    return machine->cache_count &&
           geometry_among(&engine->geometry, engine->options.cache, machine);
}

const struct engine_kind engine_recorded = {.open = recorded_open,
                                            .open_files = recorded_open_files,
                                            .open_names = sampled_open_names,
                                            .drain = recorded_drain,
                                            .tick = sampled_tick,
                                            .restart = recorded_restart,
                                            .geometry = recorded_geometry,
                                            .describe_recording = describe_machine};
