/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A recording as the stages see it: its start over, its machine, its clock; in pipeline.h. */
#include "pipeline_state.h"

#include "sample/perfdata.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

int pipeline_restart(struct pipeline *pipeline, pid_t pid, struct error *error)
{
    enum snapshot_basis basis = profile_basis(pipeline->profile);
    int code = sampler_restart(pipeline->sampler, pid, error);
    if (code)
        return code;
    pipeline_close_tables(pipeline);
    code = pipeline_open_tables(pipeline, error);
    if (code)
        return code;
    profile_set_basis(pipeline->profile, basis);
    profile_set_ranking(pipeline->profile, pipeline->ranking);
    memset(pipeline->samples, 0, sizeof pipeline->samples);
    pipeline->record_ns = pipeline->ranked_before = 0;
    pipeline->exec_seen = false;
    return 0;
}

unsigned pipeline_reading(struct pipeline *pipeline)
{
    struct place_names names = resolver_names(pipeline->resolver);
    struct reading_state state = {0};
    resolver_settle(pipeline->resolver, clock_now_ns());
    if (names.reading)
        names.reading(names.context, &state);
    return state.waiting;
}

void pipeline_replay_reached(struct pipeline *pipeline, uint64_t until_ns)
{
    uint64_t start_ns = sampler_span(pipeline->sampler).start_ns;
    if (until_ns < UINT64_MAX - start_ns && start_ns + until_ns > pipeline->record_ns)
        pipeline->record_ns = start_ns + until_ns;
}

uint64_t pipeline_length_ns(const struct pipeline *pipeline)
{
    return sampler_span(pipeline->sampler).length_ns;
}

bool pipeline_rereadable(const struct pipeline *pipeline)
{
    size_t count;
    sampler_processes(pipeline->sampler, &count);
    return count;
}

const struct perfdata_process *pipeline_processes(const struct pipeline *pipeline, size_t *count)
{
    const struct perfdata_process *list = sampler_processes(pipeline->sampler, count);
    size_t sampled = 0;
    while (sampled < *count && list[sampled].samples)
        sampled++;
    *count = sampled;
    return list;
}

int pipeline_geometry(struct pipeline *pipeline, const char *sysfs, struct geometry *geometry,
                      struct error *error)
{
    const struct perfdata_machine *machine = sampler_machine(pipeline->sampler);
    const char *spec = pipeline->options.cache;
    struct geometry_cache caches[PERFDATA_CACHES_MAX];
    unsigned count = machine ? machine->cache_count : 0;
    for (unsigned i = 0; i < count; i++)
        caches[i] = (struct geometry_cache){machine->caches[i].level, machine->caches[i].line_bytes,
                                            machine->caches[i].sets, machine->caches[i].ways,
                                            machine->caches[i].type};
    int code = count ? geometry_among(geometry, spec, caches, count, error)
                     : geometry_parse(geometry, spec, sysfs, error);
    bool given = spec && strchr(spec, '=');
    /* A machine whose sysfs tells nothing of caches still has a set map: the usual L1d. */
    if (code == -ENOENT && !spec) {
        code = geometry_parse(geometry, "L1=32K,8,64", sysfs, error);
        count = 0;
    }
    geometry->guessed = machine && !count && !given;
    return code;
}

static const char *known(const char *text)
{
    return *text ? text : NULL;
}

/* Clocks tell when it began; the file, when it was written to last. */
static const char *describe_date(const struct pipeline *pipeline,
                                 const struct perfdata_machine *machine, bool *exact, char out[32])
{
    uint64_t start_ns = sampler_span(pipeline->sampler).start_ns;
    struct tm local;
    *exact = machine->wall_ns && start_ns;
    time_t when =
        *exact ? (time_t)((machine->wall_ns + (start_ns - machine->clock_ns)) / CLOCK_NS_PER_S)
               : (time_t)machine->written_unix_s;
    if (!when || !localtime_r(&when, &local) || !strftime(out, 32, "%Y-%m-%d %H:%M:%S", &local))
        return NULL;
    return out;
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
        if (list[i].pid == pid || !list[i].pid)
            continue;
        used += (size_t)snprintf(out + used, size - used, "%s%d (%s)", listed ? ", " : "",
                                 (int)list[i].pid, *list[i].comm ? list[i].comm : "?");
        listed++;
    }
    if (count > LISTED + 1 && used < size)
        snprintf(out + used, size - used, ", ...");
}

struct snapshot_recording *pipeline_recording(struct pipeline *pipeline)
{
    struct recording_text *text = &pipeline->recording;
    struct snapshot_recording *out = &text->shown;
    const struct perfdata_machine *machine = sampler_machine(pipeline->sampler);
    const struct sampler_info *info = sampler_info(pipeline->sampler);
    struct sampler_span span = sampler_span(pipeline->sampler);
    size_t count;
    if (!machine)
        return NULL;
    const struct perfdata_process *list = pipeline_processes(pipeline, &count);
    list_others(list, count, info->pid, text->others, sizeof text->others);
    snprintf(text->kernel, sizeof text->kernel, "%s%s%s", machine->os_release,
             *machine->os_release && *machine->architecture ? " " : "", machine->architecture);
    *out = (struct snapshot_recording){
        .host = known(machine->host),
        .cpu = known(machine->cpu),
        .kernel = known(text->kernel),
        .command = known(machine->command),
        .position_s = NAN,
        .length_s = span.start_ns ? (double)span.length_ns / CLOCK_NS_PER_S : NAN,
        .processes = (uint32_t)count,
        .others = known(text->others),
        .note = known(info->note),
    };
    out->date = describe_date(pipeline, machine, &out->date_exact, text->date);
    if (span.start_ns)
        out->position_s = pipeline->record_ns > span.start_ns
                              ? (double)(pipeline->record_ns - span.start_ns) / CLOCK_NS_PER_S
                              : 0;
    return out;
}
