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

static struct sampler_span span_of(const struct engine *engine)
{
    const struct store_reader *store = engine->store;
    if (!store)
        return sampler_span(engine->sampler);
    uint64_t start_ns = store_reader_start_ns(store);
    uint64_t end_ns = store_reader_end_ns(store);
    return (struct sampler_span){start_ns, end_ns > start_ns ? end_ns - start_ns : 0};
}

int engine_restart(struct engine *engine, pid_t pid, struct error *error)
{
    enum snapshot_basis basis = profile_basis(engine->profile);
    int code = engine->store ? 0 : sampler_restart(engine->sampler, pid, error);
    if (code)
        return code;
    engine_close_tables(engine);
    memset(engine->samples, 0, sizeof engine->samples);
    memset(engine->events, 0, sizeof engine->events);
    engine->zeroed_s = 0;
    engine->record_ns = engine->ranked_before = 0;
    engine->exec_seen = engine->refresh_due = false;
    engine->zeroed_s = 0;
    code = engine_open_tables(engine, error);
    if (code)
        return code;
    profile_set_basis(engine->profile, basis);
    /* Where the recording told what ranks, it tells it again. */
    if (engine->store && !engine->event_chosen)
        engine->ranking = 0;
    profile_set_ranking(engine->profile, engine->ranking);
    return 0;
}

bool engine_follows(const struct engine *engine, bool *idled)
{
    *idled = false;
    return engine->sampler && sampler_follows(engine->sampler, idled);
}

void engine_forget_news(struct engine *engine)
{
    engine->exec_seen = false;
}

unsigned engine_reading(struct engine *engine)
{
    struct reading_state state = {0};
    if (engine->store)
        return 0;
    struct place_names names = resolver_names(engine->resolver);
    resolver_settle(engine->resolver, clock_now_ns());
    if (names.reading)
        names.reading(names.context, &state);
    return state.waiting;
}

uint64_t engine_start_ns(const struct engine *engine)
{
    return span_of(engine).start_ns;
}

void engine_replay_reached(struct engine *engine, uint64_t until_ns)
{
    uint64_t start_ns = engine_start_ns(engine);
    if (until_ns < UINT64_MAX - start_ns && start_ns + until_ns > engine->record_ns)
        engine->record_ns = start_ns + until_ns;
}

uint64_t engine_length_ns(const struct engine *engine)
{
    return span_of(engine).length_ns;
}

bool engine_rereadable(const struct engine *engine)
{
    size_t count;
    /* Going back would write what was written already. */
    if (engine->recorder)
        return false;
    if (!engine->store)
        sampler_processes(engine->sampler, &count);
    return engine->store || count;
}

bool engine_learnt(const struct engine *engine)
{
    return engine->store;
}

const struct perfdata_process *engine_processes(const struct engine *engine, size_t *count)
{
    size_t sampled = 0;
    *count = 0;
    const struct perfdata_process *list =
        engine->store ? NULL : sampler_processes(engine->sampler, count);
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

int engine_geometry(struct engine *engine, const char *sysfs, struct error *error)
{
    const char *spec = engine->options.cache;
    struct geometry *geometry = &engine->geometry;
    const struct perfdata_machine *machine =
        engine->store ? NULL : sampler_machine(engine->sampler);
    if (engine->store && !spec && !replay_geometry(engine->store, geometry, NULL))
        return 0;
    if (machine && machine->cache_count && !geometry_recorded(machine, spec, geometry, error))
        return 0;
    int code = geometry_parse(geometry, spec, sysfs, error);
    /* A machine whose sysfs tells nothing of caches still has a set map: the usual L1d. */
    if (code == -ENOENT && !spec)
        code = geometry_parse(geometry, "L1=32K,8,64", sysfs, error);
    geometry->guessed = !engine->live && !(spec && strchr(spec, '='));
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

static void describe_addresses(struct engine *engine)
{
    struct recording_text *text = &engine->recording;
    struct sampler_addresses counts = sampler_addresses(engine->sampler);
    snprintf(text->addresses, sizeof text->addresses,
             "recorded with %" PRIu64 " samples, computed from registers of %" PRIu64
             " where the program's file is found (--symfs), not to be had of %" PRIu64,
             counts.recorded, counts.from_registers, counts.none);
    text->shown.addresses = text->addresses;
}

static void describe_machine(struct engine *engine, const struct perfdata_machine *machine)
{
    struct recording_text *text = &engine->recording;
    struct snapshot_recording *out = &text->shown;
    size_t count;
    const struct perfdata_process *list = engine_processes(engine, &count);
    list_others(list, count, engine_info(engine)->pid, text->others, sizeof text->others);
    snprintf(text->kernel, sizeof text->kernel, "%s%s%s", machine->os_release,
             *machine->os_release && *machine->architecture ? " " : "", machine->architecture);
    out->host = known(machine->host);
    out->cpu = known(machine->cpu);
    out->kernel = known(text->kernel);
    out->command = known(machine->command);
    out->processes = (uint32_t)count;
    out->process_share = share_of(list, count, engine_info(engine)->pid);
    out->others = known(text->others);
    describe_addresses(engine);
    describe_date(text, machine, span_of(engine).start_ns);
}

struct snapshot_recording *engine_recording(struct engine *engine)
{
    struct recording_text *text = &engine->recording;
    struct snapshot_recording *out = &text->shown;
    if (engine->live)
        return NULL;
    struct sampler_span span = span_of(engine);
    *out = (struct snapshot_recording){.position_s = NAN,
                                       .length_s = NAN,
                                       .process_share = NAN,
                                       .note = known(engine_info(engine)->note)};
    if (engine->store) {
        store_reader_facts(engine->store, &text->facts);
        out->host = text->facts.host && *text->facts.host ? text->facts.host : NULL;
        struct perfdata_machine clocks = {.wall_ns = store_reader_start_wall_ns(engine->store),
                                          .clock_ns = span.start_ns};
        describe_date(text, &clocks, span.start_ns);
    } else {
        describe_machine(engine, sampler_machine(engine->sampler));
    }
    if (!span.start_ns)
        return out;
    uint64_t position_ns =
        engine->record_ns > span.start_ns ? engine->record_ns - span.start_ns : 0;
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
static void catch_up_refresh(struct engine *engine)
{
    if (engine->to_the_end && store_reader_more(engine->store))
        snapshot_free(engine_snapshot(engine, engine->stored_interval_s));
}

static void take_place(struct engine *engine, const struct place *place)
{
    if (place->access.event >= engine->stored.event_count)
        return;
    engine->samples[place->access.event]++;
    engine->events[place->access.event] += (double)place->access.weight;
    profile_add(engine->profile, place);
    past_add_all(engine->past, place, 1);
}

void engine_stored_facts(struct engine *engine)
{
    struct store_facts facts;
    store_reader_facts(engine->store, &facts);
    replay_info(engine->store, &engine->stored);
    engine->stored_simulation = facts.simulation;
    engine->stored_watch = facts.watch;
    engine->stored_whatif = facts.whatif;
    memcpy(engine->watch_lines, facts.watch_lines, sizeof facts.watch_lines);
}

/* One after the other in the file; done together, for the tables are gone over each time. */
static void flush_renames(struct engine *engine)
{
    engine_rename(engine, engine->renames, engine->rename_count);
    engine->rename_count = 0;
}

static void take_rename(struct engine *engine, const struct object_rename *rename)
{
    if (engine->rename_count == ENGINE_RENAMES)
        flush_renames(engine);
    engine->renames[engine->rename_count++] = *rename;
}

static void take_item(void *context, const struct store_item *item)
{
    struct engine *engine = context;
    engine->refresh_due = false;
    if (item->kind != STORE_ITEM_RENAME && engine->rename_count)
        flush_renames(engine);
    engine->record_ns = item->time_ns;
    switch (item->kind) {
    case STORE_ITEM_PLACE:
        take_place(engine, &item->place);
        break;
    case STORE_ITEM_LOST:
        profile_lost(engine->profile, item->count);
        break;
    case STORE_ITEM_THROTTLED:
        profile_throttled(engine->profile, item->count);
        break;
    case STORE_ITEM_WATCH:
        profile_watch(engine->profile, &item->watch.result, item->watch.function, item->watch.ip);
        break;
    case STORE_ITEM_RENAME:
        take_rename(engine, &item->rename);
        break;
    case STORE_ITEM_RANKING:
        if (!engine->event_chosen)
            engine_rank(engine, item->ranking);
        break;
    case STORE_ITEM_LINE:
        profile_add_lines(engine->profile, &item->line, 1);
        break;
    case STORE_ITEM_REFRESH:
        engine_stored_facts(engine);
        engine->stored_interval_s = item->interval_s;
        engine->refresh_due = true;
        catch_up_refresh(engine);
    }
}

long engine_stored_drain(struct engine *engine, uint64_t until_ns)
{
    uint64_t until = engine->first_ns + until_ns;
    engine->to_the_end = until < until_ns || until_ns == UINT64_MAX;
    long count = store_reader_read(engine->store, engine->to_the_end ? UINT64_MAX : until,
                                   take_item, engine);
    flush_renames(engine);
    if (engine->to_the_end)
        count = -ENODATA;
    if (count == -ENODATA && store_reader_damage(engine->store)[0])
        snprintf(engine->status, sizeof engine->status, "%s",
                 store_reader_damage(engine->store));
    return count;
}
