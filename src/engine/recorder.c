/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/state.h"

#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "sample/perfdata/writer.h"
#include "store/store_write.h"

/* Recorder: its files, and the names and answers that the tables get through it. */
struct recorder {
    struct recorder_options options;
    struct place_names names; /* names of the resolver */
    struct perfdata_writer *perfdata;
    struct store_writer *store; /* NULL: it could not be opened after a rotation */
    uint64_t mark;
    uint16_t ranking; /* last recorded ranking event */
    struct utsname machine;
    /* State at the last refresh, as are `watch` and `whatif`. */
    struct snapshot_simulation simulation;
    struct snapshot_watch watch;    /* without its objects */
    struct snapshot_whatifs whatif; /* valid while a refresh is recorded */
    /* Thins out reuses of lines: a program can cause millions per second. */
    struct thinning reuses;
    char path[PATH_MAX];
    /* Last error of each file; each error is reported once. */
    int known[2];
    char trouble[600];
};

/* ---- line events of a simulation ---- */

/* Evicted lines are as frequent as misses, so all of them are recorded. */
bool recorder_wants_line(struct recorder *recorder, uint64_t time_ns, struct line_event *line)
{
    return line->what != LINE_REUSED || thinning_keeps(&recorder->reuses, time_ns, &line->weight);
}

void recorder_line(struct recorder *recorder, const struct line_place *line)
{
    if (recorder->store)
        store_writer_line(recorder->store, line);
}

/* Records the current pair counts. The tables read them a little later, while counting continues,
 * so they get the counts in the file. */
static void recorder_take_pairs(struct recorder *recorder)
{
    const struct sampler *sampler = recorder->options.sampler;
    uint32_t levels = recorder->simulation.level_count;
    struct line_pair pair;
    if (!recorder->store || !sampler_info(sampler)->lines)
        return;
    for (enum line_pairs kind = 0; kind < LINE_PAIRS; kind++)
        for (uint8_t level = 0; level < levels; level++)
            for (uint32_t place = 0; sampler_pair(sampler, kind, level, &place, &pair);)
                store_writer_pair(recorder->store, kind, level, place - 1, &pair);
}

static bool next_pair(void *context, enum line_pairs kind, uint8_t level, uint32_t *place,
                      struct line_pair *out)
{
    struct recorder *recorder = context;
    const struct line_pair_source *own = &recorder->options.pairs;
    return recorder->store ? store_writer_next_pair(recorder->store, kind, level, place, out)
                           : own->next(own->context, kind, level, place, out);
}

static uint32_t function_of(void *context, uint64_t ip)
{
    struct recorder *recorder = context;
    const struct line_pair_source *own = &recorder->options.pairs;
    uint32_t function = own->function(own->context, ip);
    if (recorder->store)
        store_writer_code(recorder->store, ip, function);
    return function;
}

struct line_pair_source recorder_pairs(struct recorder *recorder)
{
    bool known = recorder->options.pairs.next;
    return known ? (struct line_pair_source){recorder, next_pair, function_of}
                 : (struct line_pair_source){0};
}

static const char suffix[] = "misstop";

static void fill_source(struct store_facts *facts, const struct sampler_info *info)
{
    facts->source = info->source;
    facts->weighs = info->weighs;
    facts->note = info->note;
    facts->exact_address = info->exact_address;
    facts->exact_ip = info->exact_ip;
    facts->latency = info->latency;
    facts->data_source = info->data_source;
    facts->lines = info->lines;
    facts->event_count = info->event_count;
    for (unsigned i = 0; i < info->event_count; i++)
        facts->events[i] = (struct store_event){
            .name = info->events[i].name,
            .weighs = info->events[i].weighs[0] ? info->events[i].weighs : NULL,
            .role = (uint8_t)info->events[i].role,
            .period = info->events[i].period,
            .opened_on = info->events[i].opened_on,
            .counted = info->events[i].counted,
        };
}

static struct store_facts gather_facts(const struct recorder *recorder)
{
    struct resolver_target target = resolver_target(recorder->options.resolver);
    const struct geometry *geometry = recorder->options.geometry;
    struct store_facts facts = {
        .pid = target.pid,
        .threads = target.threads,
        .comm = target.comm,
        .exe = target.exe,
        .alive = target.alive,
        .cache_level = geometry->level,
        .cache_size_bytes = geometry->size_bytes,
        .cache_ways = geometry->ways,
        .cache_line_bytes = geometry->line_bytes,
        .host = recorder->machine.nodename,
        .user = recorder->options.user,
        .simulation = recorder->simulation,
        .watch = recorder->watch,
        .whatif = recorder->whatif,
    };
    memcpy(facts.cache_lines, recorder->options.cache_lines, sizeof facts.cache_lines);
    fill_source(&facts, sampler_info(recorder->options.sampler));
    return facts;
}

static int open_store(struct recorder *recorder, struct error *error)
{
    struct store_facts facts = gather_facts(recorder);
    struct store_writer_options options = {
        .path = recorder->path,
        .names = recorder->names,
        .instruction_text = recorder->options.instruction_text,
        .text_context = recorder->options.text_context,
        .start_ns = recorder->options.start_ns,
    };
    recorder->mark = perfdata_writer_mark(recorder->perfdata);
    options.belongs = recorder->mark;
    options.fd = perfdata_writer_create(recorder->options.path, suffix, error);
    return options.fd < 0 ? options.fd
                          : store_writer_open(&recorder->store, &options, &facts, error);
}

static int open_perfdata(struct recorder *recorder, struct error *error)
{
    struct perf_event_attr attrs[SAMPLE_EVENTS_MAX];
    const struct sampler_info *info = sampler_info(recorder->options.sampler);
    for (unsigned i = 0; i < info->event_count; i++) {
        const struct perf_event_attr *attr = sampler_attribute(recorder->options.sampler, i);
        attrs[i] = attr ? *attr : (struct perf_event_attr){0};
    }
    struct perfdata_writer_options options = {
        .path = recorder->options.path,
        .info = info,
        .attrs = attrs,
        .machine = sampler_machine(recorder->options.sampler),
        .launched = recorder->options.launched,
        .limit_bytes = recorder->options.limit_bytes,
        .files = recorder->options.files,
    };
    return perfdata_writer_open(&recorder->perfdata, &options, error);
}

int recorder_open(struct recorder **out, const struct recorder_options *options,
                  struct error *error)
{
    *out = NULL;
    struct recorder *recorder = calloc(1, sizeof *recorder);
    if (!recorder)
        return error_set(error, -ENOMEM, "no memory for recording");
    recorder->options = *options;
    recorder->names = resolver_names(options->resolver);
    recorder->simulation = sampler_simulation(options->sampler);
    recorder->watch = options->watch;
    uname(&recorder->machine);
    int length = snprintf(recorder->path, sizeof recorder->path, "%s.%s", options->path, suffix);
    int code =
        length < 0 || (size_t)length >= sizeof recorder->path
            ? error_set(error, -ENAMETOOLONG, "-o %.100s...: the name is too long", options->path)
            : open_perfdata(recorder, error);
    if (!code)
        code = open_store(recorder, error);
    if (code)
        recorder_close(recorder, NULL);
    else
        *out = recorder;
    return code;
}

int recorder_close(struct recorder *recorder, struct error *error)
{
    if (!recorder)
        return 0;
    int code = store_writer_close(recorder->store, error);
    int other = perfdata_writer_close(recorder->perfdata, code ? NULL : error);
    free(recorder);
    return code ? code : other;
}

/* Reports an error once, and again only if it changes. */
static void note_trouble(struct recorder *recorder, unsigned file, int code,
                         const struct error *error)
{
    if (code && code != recorder->known[file])
        snprintf(recorder->trouble, sizeof recorder->trouble, "%s; sampling goes on", error->text);
    recorder->known[file] = code;
}

/* perf.data reached its size limit and was rotated: rotate the store too. */
static void follow_rotation(struct recorder *recorder)
{
    struct error error = {0};
    unsigned files = recorder->options.files ? recorder->options.files : 2;
    store_writer_close(recorder->store, NULL);
    recorder->store = NULL;
    int code = perfdata_writer_shift(recorder->options.path, suffix, files, &error);
    if (!code)
        code = open_store(recorder, &error);
    if (!code)
        store_writer_ranking(recorder->store, recorder->ranking);
    recorder->mark = perfdata_writer_mark(recorder->perfdata);
    note_trouble(recorder, 1, code, &error);
}

static void add_to_store(struct store_writer *store, const struct record *record,
                         const struct place *place)
{
    if (place)
        store_writer_place(store, place);
    else if (record->kind == RECORD_LOST)
        store_writer_lost(store, record->count);
    else if (record->kind == RECORD_THROTTLE)
        store_writer_throttled(store);
}

/* Without data source information from the hardware, use the kind of access of the instruction. */
static uint64_t data_src_of(const struct access *access)
{
    if (access->data_src)
        return access->data_src;
    switch ((enum access_kind)access->kind) {
    case ACCESS_LOAD:
        return PERF_MEM_S(OP, LOAD);
    case ACCESS_STORE:
        return PERF_MEM_S(OP, STORE);
    case ACCESS_LOAD_STORE:
        return PERF_MEM_S(OP, LOAD) | PERF_MEM_S(OP, STORE);
    case ACCESS_PREFETCH:
        return PERF_MEM_S(OP, PFETCH);
    default:
        return 0;
    }
}

void recorder_add(struct recorder *recorder, const struct record *record, const struct place *place)
{
    struct perfdata_written known = {0};
    if (place && place->access.reason == REASON_NONE) {
        known.address = place->access.address;
        known.data_src = data_src_of(&place->access);
    }
    perfdata_writer_add(recorder->perfdata, record, place ? &known : NULL);
    if (perfdata_writer_mark(recorder->perfdata) != recorder->mark)
        follow_rotation(recorder);
    /* A simulation can report more lines than misses. */
    else if (recorder->store && recorder->options.limit_bytes &&
             store_writer_bytes(recorder->store) > recorder->options.limit_bytes)
        perfdata_writer_want_another(recorder->perfdata);
    if (recorder->store)
        add_to_store(recorder->store, record, place);
}

void recorder_watch(struct recorder *recorder, const struct watch_result *result, uint32_t function,
                    uint64_t ip)
{
    struct store_watch watch = {.result = *result, .function = function, .ip = ip};
    if (recorder->store)
        store_writer_watch(recorder->store, &watch);
}

void recorder_rename(struct recorder *recorder, const struct object_rename *list, size_t count)
{
    for (size_t i = 0; recorder->store && i < count; i++)
        store_writer_rename(recorder->store, &list[i]);
}

void recorder_ranking(struct recorder *recorder, uint16_t event)
{
    recorder->ranking = event;
    if (recorder->store)
        store_writer_ranking(recorder->store, event);
}

void recorder_begin_refresh(struct recorder *recorder)
{
    if (recorder->store)
        store_writer_name_threads(recorder->store);
    recorder_take_pairs(recorder);
}

const char *recorder_sync(struct recorder *recorder, const struct snapshot *head, uint64_t now_ns)
{
    struct error error = {0};
    recorder->simulation = head->simulation;
    recorder->watch = head->watch;
    recorder->whatif = head->whatif;
    struct store_facts facts = gather_facts(recorder);
    recorder->trouble[0] = '\0';
    note_trouble(recorder, 0, perfdata_writer_sync(recorder->perfdata, &error), &error);
    if (recorder->store)
        note_trouble(recorder, 1,
                     store_writer_sync(recorder->store, &facts, now_ns, head->interval_s, &error),
                     &error);
    return recorder->trouble[0] ? recorder->trouble : NULL;
}

static bool recorder_answer(void *context, enum place_question question, uint64_t number,
                            union place_answer *answer)
{
    struct recorder *recorder = context;
    return recorder->store ? store_writer_answer(recorder->store, question, number, answer)
                           : place_ask(&recorder->names, question, number, answer);
}

struct place_names recorder_names(struct recorder *recorder)
{
    return (struct place_names){recorder_answer, recorder};
}
