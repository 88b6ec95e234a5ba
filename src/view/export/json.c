/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A snapshot as one line of JSON; the man page lists the members. */
#include "view/export/json.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "view/findings.h"
#include "view/levels.h"
#include "view/view.h"
#include "view/words.h"

/* The process, the source and the numbers of samples. */

/* ---- parts ---- */
static const struct column target_members_list[] = {
    COLUMN(.key = "pid", .from = KNOWN(struct snapshot_target, pid)),
    COLUMN(.key = "comm", .from = FIELD(struct snapshot_target, comm)),
    COLUMN(.key = "exe", .from = FIELD(struct snapshot_target, exe)),
    COLUMN(.key = "threads", .from = KNOWN(struct snapshot_target, threads)),
    COLUMN(.key = "cpu", .from = FIELD(struct snapshot_target, cpu)),
    COLUMN(.key = "cpus", .from = KNOWN(struct snapshot_target, cpus)),
    COLUMN(.key = "state", .from = FIELD(struct snapshot_target, state)),
};
static const struct columns target_members = {TABLE(struct snapshot_target, target_members_list)};

static const char *role_name(unsigned role)
{
    static const char *const names[] = {"l1-miss", "l2-miss", "mem-fill",
                                        "stall",   "access",  "other"};
    return role < sizeof names / sizeof *names ? names[role] : "other";
}

static struct value event_counted(const struct snapshot *snapshot, const void *row)
{
    double counted = ((const struct snapshot_event *)row)->counted;
    (void)snapshot;
    return value_number(counted > 0 ? counted : NAN);
}

static const struct column event_members_list[] = {
    COLUMN(.key = "name", .from = FIELD(struct snapshot_event, name)),
    COLUMN(.key = "role", .from = FIELD(struct snapshot_event, role), .name = role_name),
    COLUMN(.key = "period", .from = KNOWN(struct snapshot_event, period)),
    COLUMN(.key = "samples", .from = FIELD(struct snapshot_event, samples)),
    COLUMN(.key = "events", .from = FIELD(struct snapshot_event, events), .form = JSON_COUNT),
    COLUMN(.key = "counted", .value = event_counted),
};
static const struct columns event_members = {TABLE(struct snapshot_event, event_members_list)};

static json_t *json_source(const struct snapshot *snapshot)
{
    const struct snapshot_source *from = &snapshot->source;
    json_t *out = json_object();
    const struct snapshot_event *ranking =
        from->ranking < from->event_count ? &from->events[from->ranking] : NULL;
    json_set(out, "name", json_text(from->name));
    json_set(out, "event", json_text(ranking ? ranking->name : NULL));
    json_set(out, "period", json_known(ranking ? ranking->period : 0));
    json_set(out, "precise", json_boolean(from->precise));
    json_set(out, "live", json_boolean(from->live));
    json_set(out, "weighs", json_text(from->weighs));
    json_set(
        out, "events",
        json_rows(&event_members, snapshot, from->events,
                  from->event_count < SAMPLE_EVENTS_MAX ? from->event_count : SAMPLE_EVENTS_MAX));
    return out;
}

static const struct column time_range_members_list[] = {
    COLUMN(.key = "start", .from = FIELD(struct snapshot_time_range, start_s)),
    COLUMN(.key = "end", .from = FIELD(struct snapshot_time_range, end_s)),
    COLUMN(.key = "length", .from = FIELD(struct snapshot_time_range, length_s)),
    COLUMN(.key = "phase", .from = KNOWN(struct snapshot_time_range, phase)),
    COLUMN(.key = "pieces", .from = FIELD(struct snapshot_time_range, pieces)),
    COLUMN(.key = "kept", .from = FIELD(struct snapshot_time_range, kept)),
    COLUMN(.key = "seen", .from = FIELD(struct snapshot_time_range, seen)),
};
static const struct columns time_range_members = {
    TABLE(struct snapshot_time_range, time_range_members_list)};

static json_t *json_samples(const struct snapshot *snapshot)
{
    const struct snapshot_totals *totals = &snapshot->totals;
    bool told = !snapshot->time_range; /* records lost have no time in the past */
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

static const struct column reading_members_list[] = {
    COLUMN(.key = "waiting", .from = FIELD(struct reading_state, waiting)),
    COLUMN(.key = "processes", .from = FIELD(struct reading_state, processes)),
    COLUMN(.key = "resident_bytes", .from = FIELD(struct reading_state, resident_bytes)),
    COLUMN(.key = "busy_with", .from = FIELD(struct reading_state, busy_with)),
};
static const struct columns reading_members = {TABLE(struct reading_state, reading_members_list)};

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

/* Where and how a recording was made. */

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

/* The run over time and its phases. */

/* Shares of the objects of the streams of the misses in a phase; null: there are none. */
json_t *json_phase_shares(const struct snapshot *snapshot, const void *row)
{
    const struct snapshot_phase *phase = row;
    if (!phase->shares)
        return json_null();
    json_t *out = json_array();
    const struct snapshot_streams *objects =
        &snapshot_timeline_ranking(&snapshot->timeline)->objects;
    for (size_t i = 0; i < objects->count; i++) {
        json_t *one = json_object();
        json_set(one, "object", json_text(objects->list[i].name));
        json_set(one, "share", json_share(phase->shares[i]));
        json_array_append_new(out, one);
    }
    return out;
}

static json_t *numbers(const double *values, size_t count)
{
    json_t *out = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(out, json_count(values[i]));
    return out;
}

/* `kind`: the key of its name. */
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

/* The measures sampled besides the ranking one, which is in `phases` itself. */
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

static const struct column volatility_members_list[] = {
    COLUMN(.key = "period", .from = FIELD(struct snapshot_volatility, period_s)),
    COLUMN(.key = "volatility", .from = FIELD(struct snapshot_volatility, value)),
};
static const struct columns volatility_members = {
    TABLE(struct snapshot_volatility, volatility_members_list)};

/* Of the last two minutes, and what was chosen by it. */
static json_t *recent_of(const struct snapshot_timeline *timeline)
{
    json_t *out = json_object();
    json_set(out, "volatility",
             json_rows(&volatility_members, NULL, timeline->recent, timeline->recent_count));
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
    json_set(out, "segments",
             json_rows(&phase_columns, snapshot, timeline->phases, timeline->phase_count));
    json_set(out, "start", json_share(timeline->start_s));
    json_set(out, "start_monotonic",
             timeline->start_ns ? json_real((double)timeline->start_ns / 1e9) : json_null());
    json_set(out, "period", json_share(timeline->period_s));
    json_set(out, "measure", json_text(measure_key(snapshot, timeline->ranks)));
    set_measured(out, snapshot, snapshot_timeline_ranking(timeline), "streams");
    json_set(out, "measures", measures_of(snapshot));
    json_set(out, "volatility",
             json_rows(&volatility_members, snapshot, timeline->profile, timeline->profile_count));
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
    json_set(root, "target", json_row(&target_members, snapshot, &snapshot->target));
    json_set(root, "source", json_source(snapshot));
    if (snapshot->recording)
        json_set(root, "recording", json_recording(snapshot->recording));
    json_set(root, "stretch", json_row(&time_range_members, snapshot, snapshot->time_range));
    json_set(root, "simulation", json_simulation(snapshot));
    if (snapshot->causes.told)
        json_set(root, "causes", json_all_causes(snapshot));
    json_set(root, "samples", json_samples(snapshot));
    json_set(root, "types", json_types(&snapshot->totals));
    json_set(root, "reading", json_row(&reading_members, snapshot, &snapshot->reading));
    json_set_row(root, &levels_members, snapshot, snapshot->levels);
    json_set_row(root, &rates_members, snapshot, snapshot->rates);
    json_set_row(root, &use_members, snapshot, &snapshot->uses.all);
    json_set(root, "waits", json_waits(snapshot, &snapshot->wait));
    json_set(root, "objects",
             json_rows(&object_columns, snapshot, snapshot->objects, snapshot->object_count));
    json_set(root, "objects_left_out", json_whole(snapshot->objects_left_out));
    json_set(root, "code",
             json_rows(&function_columns, snapshot, snapshot->code, snapshot->code_count));
    json_set(root, "matrix", json_matrix(snapshot));
    json_set(root, "sets", json_sets(snapshot));
    json_set(root, "search", json_search(snapshot));
    json_set(root, "window", json_window(snapshot));
    json_set(root, "threads", json_threads(snapshot));
    json_set(root, "heap", json_heap(snapshot));
    json_set(root, "sharing", json_sharing(snapshot));
    json_set(root, "phases", json_phases(snapshot));
    json_set(
        root, "findings",
        json_rows(&finding_columns, snapshot, snapshot->findings.list, snapshot->findings.count));
    if (snapshot->reuse.told)
        json_set(root, "reuse", json_reuse(&snapshot->reuse));
    if (snapshot->watch.on)
        json_set(root, "watch", json_watchpoints(snapshot));
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

/* ---- rows by their tables ---- */

static json_t *value_json(const struct column *column, struct value value)
{
    switch (value.kind) {
    case VALUE_NUMBER:
        return column->form == JSON_COUNT || (!column->form && column->format == format_count)
                   ? json_count(value.number)
                   : json_share(value.number);
    case VALUE_INTEGER:
        return column->format == format_address ? json_address(value.integer)
                                                : json_whole(value.integer);
    case VALUE_YES_NO:
        return json_boolean(value.integer);
    default:
        return json_text(value.text);
    }
}

static json_t *column_json(const struct column *column, const struct snapshot *snapshot,
                           const void *row)
{
    const void *target = columns_target(column, snapshot, row);
    if (column->json)
        return column->json(snapshot, target);
    if (column->words) {
        char words[COLUMN_WORDS_BYTES];
        column->words(snapshot, target, words, sizeof words);
        return json_text(words);
    }
    if (column->rows && column->count.kind == PATH_NONE)
        return json_row(column->rows, snapshot, target);
    if (column->rows) {
        const struct column count = {
            .in = column->in, .target = column->target, .from = column->count};
        return json_rows(column->rows, snapshot, target,
                         columns_element(&count, snapshot, row, 0).integer);
    }
    if (!column->elements)
        return value_json(column, columns_value(column, snapshot, row));
    json_t *out = json_array();
    for (unsigned i = 0; i < column->elements; i++)
        json_array_append_new(out, value_json(column, columns_element(column, snapshot, row, i)));
    return out;
}

/* In the order of the table; after each member those that follow it by `after`. */
static void set_members(json_t *out, const struct columns *columns, const struct snapshot *snapshot,
                        const void *row, const char *after)
{
    for (unsigned i = 0; i < columns->count; i++) {
        const struct column *column = &columns->list[i];
        if (!column->after != !after || (after && strcmp(column->after, after)) ||
            !(column->key || column->members))
            continue;
        if (!column->present || column->present(snapshot, row)) {
            if (column->members)
                json_set_row(out, column->members, snapshot, columns_target(column, snapshot, row));
            else
                json_set(out, column->key, column_json(column, snapshot, row));
        }
        if (column->key)
            set_members(out, columns, snapshot, row, column->key);
    }
}

void json_set_row(json_t *out, const struct columns *columns, const struct snapshot *snapshot,
                  const void *row)
{
    set_members(out, columns, snapshot, row, NULL);
}

json_t *json_row(const struct columns *columns, const struct snapshot *snapshot, const void *row)
{
    json_t *out = row ? json_object() : json_null();
    if (row)
        json_set_row(out, columns, snapshot, row);
    return out;
}

json_t *json_rows(const struct columns *columns, const struct snapshot *snapshot, const void *rows,
                  size_t count)
{
    json_t *out = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(
            out, json_row(columns, snapshot, (const char *)rows + i * columns->row_size));
    return out;
}

/* ---- values ---- */

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

json_t *json_signed(int64_t value)
{
    return json_integer(value);
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
