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

struct recorder {
    struct recorder_options options;
    struct perfdata_writer *perfdata;
    struct store_writer *store; /* NULL: it could not be opened after a rotation */
    uint64_t mark;
    uint16_t ranking; /* last recorded ranking event */
    struct utsname machine;
    struct thinning reuses; /* of lines: a program may make millions a second */
    char path[PATH_MAX];
    /* Last error of each file; each error is reported once. */
    int known[2];
    char trouble[600];
};

/* Evicted lines are as frequent as misses, so all of them are recorded. */
bool recorder_wants_line(struct recorder *recorder, uint64_t time_ns, struct line_event *line)
{
    return line->kind != LINE_REUSED ||
           thinning_keeps_event(&recorder->reuses, time_ns, &line->weight);
}

static const char suffix[] = "misstop";

static const struct store_facts *current_facts(struct recorder *recorder)
{
    struct store_facts *facts = &recorder->options.facts;
    facts->info = *sampler_info(recorder->options.sampler);
    facts->target = resolver_target(recorder->options.resolver);
    return facts;
}

static int open_store(struct recorder *recorder, struct error *error)
{
    struct store_writer_options options = {
        .path = recorder->path,
        .names = recorder->options.names,
        .instruction_text = recorder->options.instruction_text,
        .text_context = recorder->options.text_context,
        .start_ns = recorder->options.start_ns,
    };
    recorder->mark = perfdata_writer_mark(recorder->perfdata);
    options.perfdata_mark = recorder->mark;
    options.fd = perfdata_writer_create(recorder->options.path, suffix, error);
    return options.fd < 0
               ? options.fd
               : store_writer_open(&recorder->store, &options, current_facts(recorder), error);
}

static int open_perfdata(struct recorder *recorder, struct error *error)
{
    struct perf_event_attr attrs[SAMPLE_EVENTS_MAX];
    const struct sampler_info *info = sampler_info(recorder->options.sampler);
    for (unsigned i = 0; i < info->event_count; i++) {
        const struct perf_event_attr *attr = sampler_attribute(recorder->options.sampler, i);
        attrs[i] = attr ? *attr : (struct perf_event_attr){0};
    }
    const struct perfdata *replayed = sampler_recording(recorder->options.sampler);
    struct perfdata_writer_options options = {
        .path = recorder->options.path,
        .info = info,
        .attrs = attrs,
        .machine = replayed ? perfdata_machine(replayed) : NULL,
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
    uname(&recorder->machine);
    recorder->options.facts.host = recorder->machine.nodename;
    recorder->options.facts.simulation = sampler_simulation(options->sampler);
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
    store_writer_ranking(recorder->store, recorder->ranking);
    recorder->mark = perfdata_writer_mark(recorder->perfdata);
    note_trouble(recorder, 1, code, &error);
}

struct store_writer *recorder_store(const struct recorder *recorder)
{
    return recorder ? recorder->store : NULL;
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
    else if (recorder->options.limit_bytes &&
             store_writer_bytes(recorder->store) > recorder->options.limit_bytes)
        perfdata_writer_want_another(recorder->perfdata);
    add_to_store(recorder->store, record, place);
}

void recorder_ranking(struct recorder *recorder, uint16_t event)
{
    recorder->ranking = event;
    store_writer_ranking(recorder->store, event);
}

const char *recorder_sync(struct recorder *recorder, const struct snapshot *head, uint64_t now_ns)
{
    struct error error = {0};
    struct store_facts *facts = &recorder->options.facts;
    facts->simulation = head->simulation;
    facts->watch = head->watch;
    facts->whatif = head->whatif;
    recorder->trouble[0] = '\0';
    note_trouble(recorder, 0, perfdata_writer_sync(recorder->perfdata, &error), &error);
    if (recorder->store)
        note_trouble(recorder, 1,
                     store_writer_sync(recorder->store, current_facts(recorder), now_ns,
                                       head->interval_s, &error),
                     &error);
    return recorder->trouble[0] ? recorder->trouble : NULL;
}

static bool recorder_answer(void *context, enum place_question question, uint64_t number,
                            union place_answer *answer)
{
    struct recorder *recorder = context;
    return recorder->store ? store_writer_answer(recorder->store, question, number, answer)
                           : place_ask(&recorder->options.names, question, number, answer);
}

struct place_names recorder_names(struct recorder *recorder)
{
    return (struct place_names){recorder_answer, recorder};
}
