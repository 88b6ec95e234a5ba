/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A snapshot as one line of JSON: the members CONTRACT.md fixes, and what else it holds. */
#include "view/export/json.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "view/findings.h"
#include "view/view.h"
#include "view/words.h"

/* What was watched, how, and how many samples it gave; declared in json.h. */

/* ---- parts ---- */
static json_t *json_target(const struct snapshot_target *from)
{
    json_t *out = json_object();
    json_set(out, "pid", json_known(from->pid));
    json_set(out, "comm", json_text(from->comm));
    json_set(out, "exe", json_text(from->exe));
    json_set(out, "threads", json_known(from->threads));
    json_set(out, "state", json_text(from->state));
    return out;
}

static const char *role_name(enum event_role role)
{
    static const char *const names[] = {"l1-miss", "l2-miss", "mem-fill",
                                        "stall",   "access",  "other"};
    return (unsigned)role < sizeof names / sizeof *names ? names[role] : "other";
}

static json_t *json_source(const struct snapshot_source *from)
{
    json_t *out = json_object();
    json_t *events = json_array();
    const struct snapshot_event *ranking =
        from->ranking < from->event_count ? &from->events[from->ranking] : NULL;
    json_set(out, "name", json_text(from->name));
    json_set(out, "event", json_text(ranking ? ranking->name : NULL));
    json_set(out, "period", json_known(ranking ? ranking->period : 0));
    json_set(out, "precise", json_boolean(from->precise));
    json_set(out, "live", json_boolean(from->live));
    json_set(out, "weighs", json_text(from->weighs));
    for (size_t i = 0; i < from->event_count && i < SAMPLE_EVENTS_MAX; i++) {
        json_t *event = json_object();
        json_set(event, "name", json_text(from->events[i].name));
        json_set(event, "role", json_text(role_name(from->events[i].role)));
        json_set(event, "period", json_known(from->events[i].period));
        json_set(event, "samples", json_whole(from->events[i].samples));
        json_set(event, "events", json_count(from->events[i].events));
        json_set(event, "counted",
                 json_share(from->events[i].counted > 0 ? from->events[i].counted : NAN));
        json_array_append_new(events, event);
    }
    json_set(out, "events", events);
    return out;
}

static json_t *json_stretch(const struct snapshot_stretch *from)
{
    if (!from)
        return json_null();
    json_t *out = json_object();
    json_set(out, "start", json_share(from->start_s));
    json_set(out, "end", json_share(from->end_s));
    json_set(out, "length", json_share(from->length_s));
    json_set(out, "phase", json_text(*from->phase ? from->phase : NULL));
    json_set(out, "pieces", json_whole(from->pieces));
    json_set(out, "kept", json_whole(from->kept));
    json_set(out, "seen", json_whole(from->seen));
    return out;
}

static json_t *json_samples(const struct snapshot *snapshot)
{
    const struct snapshot_totals *totals = &snapshot->totals;
    bool told = !snapshot->stretch; /* records lost have no time in the past */
    json_t *out = json_object();
    json_t *reasons = json_object();
    json_t *how = json_object();
    json_set(out, "total", json_whole(totals->samples));
    json_set(out, "kernel", json_whole(totals->reasons[REASON_KERNEL]));
    json_set(out, "lost", told ? json_whole(totals->lost) : json_null());
    json_set(out, "throttled", told ? json_whole(totals->throttled) : json_null());
    json_set(out, "agent", json_whole(totals->agent));
    json_set(out, "attributed", json_whole(totals->attributed));
    json_set(out, "weight", json_count(totals->weight));
    json_set(out, "effective", json_count(totals->effective));
    json_set(out, "rate", json_count(totals->rate));
    for (int i = REASON_NONE + 1; i < REASON_COUNT; i++)
        if (i != REASON_AGENT) /* it is none of the samples */
            json_set(reasons, access_reason_name((enum reason)i), json_whole(totals->reasons[i]));
    json_set(out, "unattributed", reasons);
    for (int i = 0; i < ACCESS_HOW_COUNT; i++)
        json_set(how, access_how_name((enum access_how)i), json_whole(totals->how[i]));
    json_set(out, "how", how);
    return out;
}

static json_t *json_types(const struct snapshot_totals *totals)
{
    json_t *out = json_object();
    json_t *unknown = json_object();
    for (int i = TYPED_CODE; i < TYPED_COUNT; i++)
        json_set(out, typed_name((enum typed)i), json_whole(totals->typed[i]));
    for (int i = UNTYPED_NO_REASON + 1; i < UNTYPED_COUNT; i++)
        json_set(unknown, untyped_name((enum untyped)i), json_whole(totals->untyped[i]));
    json_set(out, "unknown", unknown);
    return out;
}

static json_t *json_reading(const struct reading_state *reading)
{
    json_t *out = json_object();
    json_set(out, "waiting", json_whole(reading->waiting));
    json_set(out, "processes", json_whole(reading->processes));
    json_set(out, "resident_bytes", json_whole(reading->resident_bytes));
    json_set(out, "busy_with", json_text(reading->busy_with));
    return out;
}

static json_t *json_refused(const struct snapshot_refused *refused)
{
    json_t *out = json_array();
    for (size_t i = 0; i < refused->count; i++) {
        json_t *one = json_object();
        json_set(one, "path", json_text(refused->list[i].path));
        json_set(one, "why", json_text(refused->list[i].why));
        json_array_append_new(out, one);
    }
    return out;
}

static json_t *json_binaries(const struct snapshot_binaries *from)
{
    static const char *const states[] = {"found", "unverified", "other-build", "missing"};
    json_t *out = from->list ? json_array() : NULL;
    for (size_t i = 0; i < from->count; i++) {
        const struct binary_desc *binary = &from->list[i];
        json_t *one = json_object();
        json_set(one, "path", json_text(binary->path));
        json_set(one, "build_id", json_text(binary->build_id));
        json_set(one, "state", json_text(states[binary->state]));
        json_set(one, "file", json_text(binary->found));
        json_set(one, "samples", json_whole(binary->samples));
        json_array_append_new(out, one);
    }
    return out ? out : json_null();
}

/* Where and how a recording was made; declared in json.h. */

/* Only where there is one. */
static json_t *json_recording(const struct snapshot_recording *from)
{
    json_t *out = json_object();
    json_set(out, "position", json_share(from->position_s));
    json_set(out, "length", json_share(from->length_s));
    json_set(out, "host", json_text(from->host));
    json_set(out, "cpu", json_text(from->cpu));
    json_set(out, "kernel", json_text(from->kernel));
    json_set(out, "command", json_text(from->command));
    json_set(out, from->date_exact ? "began" : "written", json_text(from->date));
    json_set(out, "processes", json_known(from->processes));
    json_set(out, "process_share", json_share(from->process_share));
    json_set(out, "addresses", json_text(from->addresses));
    json_set(out, "note", json_text(from->note));
    return out;
}

/* Problems that were recognised; declared in json.h. */

static json_t *finding_of(const struct snapshot_finding *finding)
{
    json_t *out = json_object();
    struct finding_words words;
    finding_words(finding, &words);
    json_set(out, "kind", json_text(finding_kind_name(finding->kind)));
    json_set(out, "object", json_text(finding->name));
    json_set(out, "field", json_text(finding->field));
    json_set(out, "function", json_text(finding->function));
    json_set(out, "file", json_text(finding->file));
    json_set(out, "line", json_known(finding->line));
    json_set(out, "evidence", json_text(words.evidence));
    bool range = finding->gain_low > 0;
    json_set(out, "share", json_share(finding->share));
    json_set(out, "gain",
             json_share(range ? (finding->gain_low + finding->gain) / 2 : finding->gain));
    json_set(out, "gain_low", json_share(range ? finding->gain_low : NAN));
    json_set(out, "gain_high", json_share(range ? finding->gain : NAN));
    json_set(out, "gain_is_bound", json_boolean(!isnan(finding->gain) && finding->bound));
    json_set(out, "reckoned", json_text(words.reckoned));
    json_set(out, "sure", json_text(finding_sure_name(finding->sure)));
    json_set(out, "why_sure", json_text(words.how_sure));
    json_set(out, "try", json_text(words.advice));
    json_set(out, "screen", json_text(finding_page_name(finding_page(finding))));
    return out;
}

static json_t *json_findings(const struct snapshot_findings *findings)
{
    json_t *out = json_array();
    for (size_t i = 0; i < findings->count; i++)
        json_array_append_new(out, finding_of(&findings->list[i]));
    return out;
}

/* The run over time and its phases; declared in json.h. */

/* What the objects of the streams have of the misses in a stretch; null: there are none. */
static json_t *shares_of(const struct snapshot_timeline *timeline,
                         const struct snapshot_phase *phase)
{
    if (!phase->shares)
        return json_null();
    json_t *out = json_array();
    const struct snapshot_streams *objects = &snapshot_timeline_ranking(timeline)->objects;
    for (size_t i = 0; i < objects->count; i++) {
        json_t *one = json_object();
        json_set(one, "object", json_text(objects->list[i].name));
        json_set(one, "share", json_share(phase->shares[i]));
        json_array_append_new(out, one);
    }
    return out;
}

static json_t *segment_of(const struct snapshot_timeline *timeline,
                          const struct snapshot_phase *phase)
{
    json_t *out = json_object();
    json_set(out, "shares", shares_of(timeline, phase));
    json_set(out, "name", json_text(*phase->name ? phase->name : NULL));
    json_set(out, "start", json_share(phase->start_s));
    json_set(out, "end", json_share(phase->end_s));
    json_set(out, "told", json_share(phase->told_s));
    json_set(out, "samples", json_count(phase->samples));
    json_set(out, "changed", json_share(phase->distance));
    json_set(out, "leader", json_text(phase->leader));
    json_set(out, "leader_share", json_share(phase->leader_share));
    json_set(out, "rose", json_text(phase->rose));
    json_set(out, "rose_by", json_share(phase->rose_by));
    json_set(out, "fell", json_text(phase->fell));
    json_set(out, "fell_by", json_share(phase->fell_by));
    json_set(out, "inversion", json_boolean(phase->inversion));
    json_set(out, "unknown_share", json_share(phase->nobody));
    return out;
}

static json_t *numbers(const double *values, size_t count)
{
    json_t *out = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(out, json_count(values[i]));
    return out;
}

/* `kind`: the member that its name stands under. */
static json_t *stream_of(const struct snapshot_stream *stream, const char *kind, size_t periods)
{
    json_t *out = json_object();
    json_set(out, kind, json_text(stream->name));
    json_set(out, "share", json_share(stream->share));
    json_set(out, "volatility", json_share(stream->volatility));
    json_set(out, "weight", numbers(stream->weight, periods));
    return out;
}

static json_t *streams_of(const struct snapshot_streams *streams, const char *kind, size_t periods)
{
    json_t *out = json_array();
    for (size_t i = 0; i < streams->count; i++)
        json_array_append_new(out, stream_of(&streams->list[i], kind, periods));
    return out;
}

static json_t *fields_of(const struct snapshot *snapshot, const struct snapshot_streams *fields)
{
    json_t *out = streams_of(fields, "field", snapshot->timeline.periods);
    for (size_t i = 0; i < json_array_size(out); i++)
        json_set(json_array_get(out, i), "object",
                 json_object_name(snapshot, fields->list[i].object));
    return out;
}

/* Members of `out`; `objects`: the name of theirs. */
static void set_measured(json_t *out, const struct snapshot *snapshot,
                         const struct snapshot_measured *measured, const char *objects)
{
    size_t periods = snapshot->timeline.periods;
    json_set(out, "all", measured->all ? numbers(measured->all, periods) : json_array());
    json_set(out, "unknown", measured->nobody ? numbers(measured->nobody, periods) : json_null());
    json_set(out, objects, streams_of(&measured->objects, "object", periods));
    json_set(out, "functions", streams_of(&measured->functions, "function", periods));
    json_set(out, "fields", fields_of(snapshot, &measured->fields));
    json_set(out, "threads", streams_of(&measured->threads, "name", periods));
}

/* Those that are sampled beside the one that ranks, which stands in `phases` itself. */
static json_t *measures_of(const struct snapshot *snapshot)
{
    const struct snapshot_timeline *timeline = &snapshot->timeline;
    json_t *out = json_array();
    for (int i = 0; i < SNAPSHOT_MEASURES; i++) {
        if (i == (int)timeline->ranks || !timeline->by[i].all)
            continue;
        json_t *one = json_object();
        json_set(one, "measure", json_text(measure_key(snapshot, (enum snapshot_measure)i)));
        set_measured(one, snapshot, &timeline->by[i], "objects");
        json_array_append_new(out, one);
    }
    return out;
}

static json_t *profile_of(const struct snapshot_volatility *profile, size_t count)
{
    json_t *out = json_array();
    for (size_t i = 0; i < count; i++) {
        json_t *one = json_object();
        json_set(one, "period", json_share(profile[i].period_s));
        json_set(one, "volatility", json_share(profile[i].value));
        json_array_append_new(out, one);
    }
    return out;
}

/* Of the last two minutes, and what was chosen by it. */
static json_t *recent_of(const struct snapshot_timeline *timeline)
{
    json_t *out = json_object();
    json_set(out, "volatility", profile_of(timeline->recent, timeline->recent_count));
    json_set(out, "period", json_share(timeline->recent_s));
    json_set(out, "damped", json_boolean(timeline->recent_damped));
    json_set(out, "display", json_share(timeline->display_s));
    return out;
}

static json_t *turns_of(const struct snapshot_timeline *timeline)
{
    const struct snapshot_streams *objects = &snapshot_timeline_ranking(timeline)->objects;
    json_t *out = json_array();
    for (size_t i = 0; i < timeline->turn_count; i++) {
        const struct snapshot_turns *turns = &timeline->turns[i];
        json_t *one = json_object();
        json_set(
            one, "objects",
            json_pack("[s,s]", objects->list[turns->left].name, objects->list[turns->right].name));
        json_set(one, "correlation", json_share(turns->correlation));
        json_array_append_new(out, one);
    }
    return out;
}

static json_t *json_phases(const struct snapshot *snapshot)
{
    const struct snapshot_timeline *timeline = &snapshot->timeline;
    char reading[PHASES_READING_BYTES];
    phases_reading(timeline, reading, sizeof reading);
    json_t *out = json_object();
    json_t *segments = json_array();
    for (size_t i = 0; i < timeline->phase_count; i++)
        json_array_append_new(segments, segment_of(timeline, &timeline->phases[i]));
    json_set(out, "segments", segments);
    json_set(out, "start", json_share(timeline->start_s));
    json_set(out, "start_monotonic",
             timeline->start_ns ? json_real((double)timeline->start_ns / 1e9) : json_null());
    json_set(out, "period", json_share(timeline->period_s));
    json_set(out, "measure", json_text(measure_key(snapshot, timeline->ranks)));
    set_measured(out, snapshot, snapshot_timeline_ranking(timeline), "streams");
    json_set(out, "measures", measures_of(snapshot));
    json_set(out, "volatility", profile_of(timeline->profile, timeline->profile_count));
    json_set(out, "recent", recent_of(timeline));
    json_set(out, "turns", turns_of(timeline));
    json_set(out, "reading", json_text_or_null(reading));
    return out;
}

json_t *json_snapshot(const struct snapshot *snapshot)
{
    json_t *root = json_object();
    json_set(root, "version", json_integer(1));
    json_set(root, "iteration", json_whole(snapshot->iteration));
    json_set(root, "elapsed", json_share(snapshot->elapsed_s));
    json_set(root, "counted", json_share(snapshot->counted_s));
    json_set(root, "interval", json_share(snapshot->interval_s));
    json_set(root, "half_life", json_share(snapshot->half_life_s));
    json_set(root, "basis", json_text(snapshot->basis == BASIS_RUN ? "run" : "decayed"));
    json_set(root, "status", json_text(snapshot->status));
    json_set(root, "target", json_target(&snapshot->target));
    json_set(root, "source", json_source(&snapshot->source));
    if (snapshot->recording)
        json_set(root, "recording", json_recording(snapshot->recording));
    json_set(root, "stretch", json_stretch(snapshot->stretch));
    json_set(root, "simulation", json_simulation(&snapshot->simulation));
    if (snapshot->causes.told)
        json_set(root, "causes", json_all_causes(&snapshot->causes));
    json_set(root, "samples", json_samples(snapshot));
    json_set(root, "types", json_types(&snapshot->totals));
    json_set(root, "reading", json_reading(&snapshot->reading));
    json_set_levels(root, snapshot, snapshot->levels);
    json_set_rates(root, snapshot->rates);
    json_set_use(root, snapshot, &snapshot->uses.all);
    json_set(root, "objects", json_objects(snapshot));
    json_set(root, "objects_left_out", json_whole(snapshot->objects_left_out));
    json_set(root, "code", json_functions(snapshot, snapshot->code, snapshot->code_count));
    json_set(root, "matrix", json_matrix(snapshot));
    json_set(root, "sets", json_sets(snapshot));
    json_set(root, "search", json_search(&snapshot->search));
    json_set(root, "window", json_window(snapshot));
    json_set(root, "threads", json_threads(&snapshot->threads));
    json_set(root, "heap", json_heap(snapshot));
    json_set(root, "sharing", json_sharing(&snapshot->sharing));
    json_set(root, "phases", json_phases(snapshot));
    json_set(root, "findings", json_findings(&snapshot->findings));
    if (snapshot->reuse.told)
        json_set(root, "reuse", json_reuse(&snapshot->reuse));
    if (snapshot->watch.on)
        json_set(root, "watch", json_watchpoints(&snapshot->watch));
    json_set_whatif(root, &snapshot->whatif);
    if (!snapshot->source.live)
        json_set(root, "binaries", json_binaries(&snapshot->binaries));
    if (snapshot->refused.count)
        json_set(root, "not_opened", json_refused(&snapshot->refused));
    return root;
}

int json_line(FILE *out, json_t *root)
{
    enum { PRECISION = 15 };
    char *line = root ? json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(PRECISION)) : NULL;
    int code = 0;
    json_decref(root);
    if (!line)
        return -ENOMEM;
    errno = 0;
    if (fputs(line, out) == EOF || fputc('\n', out) == EOF || fflush(out) == EOF)
        code = errno ? -errno : -EIO;
    free(line);
    return code;
}

int json_print(FILE *out, const struct snapshot *snapshot)
{
    return json_line(out, json_snapshot(snapshot));
}

json_t *json_share(double value)
{
    return isfinite(value) ? json_real(round(value * 1e6) / 1e6) : json_null();
}

/* Samples are whole numbers unless they decay. */
json_t *json_count(double value)
{
    if (!isfinite(value))
        return json_null();
    if (value == floor(value) && fabs(value) < 1e15)
        return json_integer((json_int_t)value);
    return json_real(round(value * 100) / 100);
}

json_t *json_whole(uint64_t value)
{
    return value <= INT64_MAX ? json_integer((json_int_t)value) : json_real((double)value);
}

json_t *json_known(uint64_t value)
{
    return value ? json_whole(value) : json_null();
}

json_t *json_address(uint64_t value)
{
    return json_sprintf("0x%" PRIx64, value);
}

json_t *json_text(const char *value)
{
    if (!value)
        return json_null();
    json_t *string = json_string(value);
    if (string)
        return string;
    /* Not UTF-8, which jansson refuses: better a '?' than no line at all. */
    size_t size = strlen(value) + 1;
    char *clean = malloc(size);
    if (!clean)
        return NULL;
    text_sanitise(clean, size, value, size - 1);
    string = json_string(clean);
    free(clean);
    return string;
}

json_t *json_text_or_null(const char *value)
{
    return json_text(value && *value ? value : NULL);
}

/* The name, as in `objects`; null: not listed there. */
json_t *json_object_name(const struct snapshot *snapshot, uint32_t index)
{
    return json_text(index < snapshot->object_count ? snapshot->objects[index].name : NULL);
}

void json_set(json_t *object, const char *key, json_t *value)
{
    json_object_set_new(object, key, value);
}
