/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A recording as the stages see it: its start over, its machine, its clock; in pipeline.h. */
#include "pipeline_state.h"

#include "sample/perfdata.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static struct sampler_span span_of(const struct pipeline *pipeline)
{
    const struct store_reader *store = pipeline->store;
    if (!store)
        return sampler_span(pipeline->sampler);
    uint64_t start_ns = store_reader_start_ns(store);
    uint64_t end_ns = store_reader_end_ns(store);
    return (struct sampler_span){start_ns, end_ns > start_ns ? end_ns - start_ns : 0};
}

int pipeline_restart(struct pipeline *pipeline, pid_t pid, struct error *error)
{
    enum snapshot_basis basis = profile_basis(pipeline->profile);
    int code = pipeline->store ? 0 : sampler_restart(pipeline->sampler, pid, error);
    if (code)
        return code;
    pipeline_close_tables(pipeline);
    memset(pipeline->samples, 0, sizeof pipeline->samples);
    memset(pipeline->events, 0, sizeof pipeline->events);
    pipeline->zeroed_s = 0;
    pipeline->record_ns = pipeline->ranked_before = 0;
    pipeline->exec_seen = pipeline->refresh_due = false;
    pipeline->zeroed_s = 0;
    code = pipeline_open_tables(pipeline, error);
    if (code)
        return code;
    profile_set_basis(pipeline->profile, basis);
    /* Where the recording told what ranks, it tells it again. */
    if (pipeline->store && !pipeline->event_chosen)
        pipeline->ranking = 0;
    profile_set_ranking(pipeline->profile, pipeline->ranking);
    return 0;
}

bool pipeline_follows(const struct pipeline *pipeline, bool *idled)
{
    *idled = false;
    return pipeline->sampler && sampler_follows(pipeline->sampler, idled);
}

void pipeline_forget_news(struct pipeline *pipeline)
{
    pipeline->exec_seen = false;
}

unsigned pipeline_reading(struct pipeline *pipeline)
{
    struct reading_state state = {0};
    if (pipeline->store)
        return 0;
    struct place_names names = resolver_names(pipeline->resolver);
    resolver_settle(pipeline->resolver, clock_now_ns());
    if (names.reading)
        names.reading(names.context, &state);
    return state.waiting;
}

uint64_t pipeline_start_ns(const struct pipeline *pipeline)
{
    return span_of(pipeline).start_ns;
}

void pipeline_replay_reached(struct pipeline *pipeline, uint64_t until_ns)
{
    uint64_t start_ns = pipeline_start_ns(pipeline);
    if (until_ns < UINT64_MAX - start_ns && start_ns + until_ns > pipeline->record_ns)
        pipeline->record_ns = start_ns + until_ns;
}

uint64_t pipeline_length_ns(const struct pipeline *pipeline)
{
    return span_of(pipeline).length_ns;
}

bool pipeline_rereadable(const struct pipeline *pipeline)
{
    size_t count;
    /* Going back would write what was written already. */
    if (pipeline->recorder)
        return false;
    if (!pipeline->store)
        sampler_processes(pipeline->sampler, &count);
    return pipeline->store || count;
}

bool pipeline_learnt(const struct pipeline *pipeline)
{
    return pipeline->store;
}

const struct perfdata_process *pipeline_processes(const struct pipeline *pipeline, size_t *count)
{
    size_t sampled = 0;
    *count = 0;
    const struct perfdata_process *list =
        pipeline->store ? NULL : sampler_processes(pipeline->sampler, count);
    while (sampled < *count && list[sampled].samples)
        sampled++;
    *count = sampled;
    return list;
}

/* Of a recording that was not made by misstop. */
static int geometry_recorded(const struct perfdata_machine *machine, const char *spec,
                             struct geometry *geometry, struct error *error)
{
    struct geometry_cache caches[PERFDATA_CACHES_MAX];
    for (unsigned i = 0; i < machine->cache_count; i++)
        caches[i] = (struct geometry_cache){machine->caches[i].level, machine->caches[i].line_bytes,
                                            machine->caches[i].sets, machine->caches[i].ways,
                                            machine->caches[i].type};
    return geometry_among(geometry, spec, caches, machine->cache_count, error);
}

int pipeline_geometry(struct pipeline *pipeline, const char *sysfs, struct error *error)
{
    const char *spec = pipeline->options.cache;
    struct geometry *geometry = &pipeline->geometry;
    const struct perfdata_machine *machine =
        pipeline->store ? NULL : sampler_machine(pipeline->sampler);
    if (pipeline->store && !spec && !replay_geometry(pipeline->store, geometry, NULL))
        return 0;
    if (machine && machine->cache_count && !geometry_recorded(machine, spec, geometry, error))
        return 0;
    int code = geometry_parse(geometry, spec, sysfs, error);
    /* A machine whose sysfs tells nothing of caches still has a set map: the usual L1d. */
    if (code == -ENOENT && !spec)
        code = geometry_parse(geometry, "L1=32K,8,64", sysfs, error);
    geometry->guessed = !pipeline->live && !(spec && strchr(spec, '='));
    return code;
}

static const char *known(const char *text)
{
    return *text ? text : NULL;
}

/* Clocks tell when it began; the file, when it was written to last. */
static void describe_date(struct recording_text *text, const struct perfdata_machine *machine,
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

/* "12 (xz), 13 (cat)": the strongest of those that are not shown. */
static void list_others(const struct perfdata_process *list, size_t count, pid_t pid, char *out,
                        size_t size)
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

static void describe_addresses(struct pipeline *pipeline)
{
    struct recording_text *text = &pipeline->recording;
    struct sampler_addresses counts = sampler_addresses(pipeline->sampler);
    snprintf(text->addresses, sizeof text->addresses,
             "recorded with %" PRIu64 " samples, computed from registers of %" PRIu64
             " where the program's file is found (--symfs), not to be had of %" PRIu64,
             counts.recorded, counts.from_registers, counts.none);
    text->shown.addresses = text->addresses;
}

static void describe_machine(struct pipeline *pipeline, const struct perfdata_machine *machine)
{
    struct recording_text *text = &pipeline->recording;
    struct snapshot_recording *out = &text->shown;
    size_t count;
    const struct perfdata_process *list = pipeline_processes(pipeline, &count);
    list_others(list, count, pipeline_info(pipeline)->pid, text->others, sizeof text->others);
    snprintf(text->kernel, sizeof text->kernel, "%s%s%s", machine->os_release,
             *machine->os_release && *machine->architecture ? " " : "", machine->architecture);
    out->host = known(machine->host);
    out->cpu = known(machine->cpu);
    out->kernel = known(text->kernel);
    out->command = known(machine->command);
    out->processes = (uint32_t)count;
    out->process_share = share_of(list, count, pipeline_info(pipeline)->pid);
    out->others = known(text->others);
    describe_addresses(pipeline);
    describe_date(text, machine, span_of(pipeline).start_ns);
}

struct snapshot_recording *pipeline_recording(struct pipeline *pipeline)
{
    struct recording_text *text = &pipeline->recording;
    struct snapshot_recording *out = &text->shown;
    if (pipeline->live)
        return NULL;
    struct sampler_span span = span_of(pipeline);
    *out = (struct snapshot_recording){.position_s = NAN,
                                       .length_s = NAN,
                                       .process_share = NAN,
                                       .note = known(pipeline_info(pipeline)->note)};
    if (pipeline->store) {
        store_reader_facts(pipeline->store, &text->facts);
        out->host = text->facts.host && *text->facts.host ? text->facts.host : NULL;
        struct perfdata_machine clocks = {.wall_ns = store_reader_start_wall_ns(pipeline->store),
                                          .clock_ns = span.start_ns};
        describe_date(text, &clocks, span.start_ns);
    } else {
        describe_machine(pipeline, sampler_machine(pipeline->sampler));
    }
    if (!span.start_ns)
        return out;
    uint64_t position_ns =
        pipeline->record_ns > span.start_ns ? pipeline->record_ns - span.start_ns : 0;
    out->position_s =
        (double)(position_ns < span.length_ns ? position_ns : span.length_ns) / CLOCK_NS_PER_S;
    out->length_s = (double)span.length_ns / CLOCK_NS_PER_S;
    return out;
}
