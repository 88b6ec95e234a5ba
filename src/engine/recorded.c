/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A recording as the stages see it: its start over, its machine, its clock; in engine.h. */
#include "engine/recorded.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "engine/state.h"
#include "sample/perfdata.h"

int replay_open(struct store_reader **store, const char *input, char *note, size_t note_size,
                struct error *error)
{
    char path[PATH_MAX];
    struct error cause = {0};
    *store = NULL;
    note[0] = '\0';
    if (store_is_one(input))
        return store_reader_open(store, input, error);
    if (!strcmp(input, "-") ||
        snprintf(path, sizeof path, "%s.misstop", input) >= (int)sizeof path || access(path, F_OK))
        return 0;
    if (store_reader_open(store, path, &cause)) {
        snprintf(note, note_size, "%s; names are worked out again", cause.text);
        return 0;
    }
    uint64_t mark = store_reader_belongs(*store);
    if (mark && mark == perfdata_file_mark(input))
        return 0;
    store_reader_close(*store);
    *store = NULL;
    snprintf(note, note_size, "%s is not of this recording; names are worked out again", path);
    return 0;
}

static void copy_text(char *out, size_t size, const char *text)
{
    snprintf(out, size, "%s", text ? text : "");
}

static void replay_info(const struct store_reader *store, struct sampler_info *info)
{
    struct store_facts facts;
    store_reader_facts(store, &facts);
    *info = (struct sampler_info){
        .source = facts.source ? facts.source : "recording",
        .weighs = facts.weighs ? facts.weighs : "",
        .exact_address = facts.exact_address,
        .exact_ip = facts.exact_ip,
        .latency = facts.latency,
        .data_source = facts.data_source,
        .lines = facts.lines,
        .event_count = facts.event_count,
        .pid = (pid_t)facts.pid,
    };
    for (unsigned i = 0; i < facts.event_count; i++) {
        struct sampler_event *event = &info->events[i];
        copy_text(event->name, sizeof event->name, facts.events[i].name);
        copy_text(event->weighs, sizeof event->weighs, facts.events[i].weighs);
        event->role = facts.events[i].role <= EVENT_OTHER ? (enum event_role)facts.events[i].role
                                                          : EVENT_OTHER;
        event->period = facts.events[i].period;
        event->opened_on = facts.events[i].opened_on;
        event->counted = facts.events[i].counted;
    }
    copy_text(info->note, sizeof info->note, facts.note);
}

struct resolver_target replay_target(const struct store_reader *store)
{
    struct store_facts facts;
    store_reader_facts(store, &facts);
    return (struct resolver_target){.pid = facts.pid,
                                    .threads = facts.threads,
                                    .comm = facts.comm,
                                    .exe = facts.exe,
                                    .alive = facts.alive};
}

/* The cache that sets were counted for. 0; or as geometry_parse(), where the store tells of none
 * that can be. */
static int replay_geometry(const struct store_reader *store, struct geometry *geometry,
                           struct error *error)
{
    char spec[128];
    struct store_facts facts;
    store_reader_facts(store, &facts);
    snprintf(spec, sizeof spec, "%.16s=%llu,%u,%u", facts.cache_level ? facts.cache_level : "",
             (unsigned long long)facts.cache_size_bytes, facts.cache_ways, facts.cache_line_bytes);
    return geometry_parse(geometry, spec, "", error);
}

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

/*
 * Replay of what misstop recorded: places go straight to the tables. Played to its end with nobody
 * looking on, the tables are brought up to date where they were while it was recorded, so that
 * what depends on that (histories, sizes of elements, the search) comes out the same.
 */

/* At once, while names are what they were then; but the last is the one that is asked for. */
static void catch_up_refresh(struct pipeline *pipeline)
{
    if (pipeline->to_the_end && store_reader_more(pipeline->store))
        snapshot_free(pipeline_snapshot(pipeline, pipeline->stored_interval_s));
}

static void take_place(struct pipeline *pipeline, const struct place *place)
{
    if (place->access.event >= pipeline->stored.event_count)
        return;
    pipeline->samples[place->access.event]++;
    pipeline->events[place->access.event] += (double)place->access.weight;
    profile_add(pipeline->profile, place);
    past_add_all(pipeline->past, place, 1);
}

void pipeline_stored_facts(struct pipeline *pipeline)
{
    struct store_facts facts;
    store_reader_facts(pipeline->store, &facts);
    replay_info(pipeline->store, &pipeline->stored);
    pipeline->stored_simulation = facts.simulation;
    pipeline->stored_watch = facts.watch;
    pipeline->stored_whatif = facts.whatif;
    memcpy(pipeline->watch_lines, facts.watch_lines, sizeof facts.watch_lines);
}

/* One after the other in the file; done together, for the tables are gone over each time. */
static void flush_renames(struct pipeline *pipeline)
{
    pipeline_rename(pipeline, pipeline->renames, pipeline->rename_count);
    pipeline->rename_count = 0;
}

static void take_rename(struct pipeline *pipeline, const struct object_rename *rename)
{
    if (pipeline->rename_count == PIPELINE_RENAMES)
        flush_renames(pipeline);
    pipeline->renames[pipeline->rename_count++] = *rename;
}

static void take_item(void *context, const struct store_item *item)
{
    struct pipeline *pipeline = context;
    pipeline->refresh_due = false;
    if (item->kind != STORE_ITEM_RENAME && pipeline->rename_count)
        flush_renames(pipeline);
    pipeline->record_ns = item->time_ns;
    switch (item->kind) {
    case STORE_ITEM_PLACE:
        take_place(pipeline, &item->place);
        break;
    case STORE_ITEM_LOST:
        profile_lost(pipeline->profile, item->count);
        break;
    case STORE_ITEM_THROTTLED:
        profile_throttled(pipeline->profile, item->count);
        break;
    case STORE_ITEM_WATCH:
        profile_watch(pipeline->profile, &item->watch.result, item->watch.function, item->watch.ip);
        break;
    case STORE_ITEM_RENAME:
        take_rename(pipeline, &item->rename);
        break;
    case STORE_ITEM_RANKING:
        if (!pipeline->event_chosen)
            pipeline_rank(pipeline, item->ranking);
        break;
    case STORE_ITEM_LINE:
        profile_add_lines(pipeline->profile, &item->line, 1);
        break;
    case STORE_ITEM_REFRESH:
        pipeline_stored_facts(pipeline);
        pipeline->stored_interval_s = item->interval_s;
        pipeline->refresh_due = true;
        catch_up_refresh(pipeline);
    }
}

long pipeline_stored_drain(struct pipeline *pipeline, uint64_t until_ns)
{
    uint64_t until = pipeline->first_ns + until_ns;
    pipeline->to_the_end = until < until_ns || until_ns == UINT64_MAX;
    long count = store_reader_read(pipeline->store, pipeline->to_the_end ? UINT64_MAX : until,
                                   take_item, pipeline);
    flush_renames(pipeline);
    if (pipeline->to_the_end)
        count = -ENODATA;
    if (count == -ENODATA && store_reader_damage(pipeline->store)[0])
        snprintf(pipeline->status, sizeof pipeline->status, "%s",
                 store_reader_damage(pipeline->store));
    return count;
}
