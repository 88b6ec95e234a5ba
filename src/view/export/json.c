/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A snapshot as one line of JSON; the man page documents the members. */
#include "view/export/json.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "view/levels.h"
#include "view/view.h"
#include "view/words.h"

/* ---- parts ---- */
static const struct columns target_members = MEMBERS(
    struct snapshot_target,
    MEMBER_KNOWN("pid", struct snapshot_target, pid),
    MEMBER("comm", struct snapshot_target, comm),
    MEMBER("exe", struct snapshot_target, exe),
    MEMBER_KNOWN("threads", struct snapshot_target, threads),
    MEMBER("cpu", struct snapshot_target, cpu),
    MEMBER_KNOWN("cpus", struct snapshot_target, cpus),
    MEMBER("state", struct snapshot_target, state));

static const char *role_name(unsigned role)
{
    static const char *const names[] = {"l1-miss", "l2-miss", "mem-fill",
                                        "stall",   "access",  "other"};
    return role < sizeof names / sizeof *names ? names[role] : "other";
}

static const struct columns event_members = MEMBERS(
    struct snapshot_event,
    MEMBER("name", struct snapshot_event, name),
    COLUMN(.key = "role", .from = FIELD(struct snapshot_event, role), .name = role_name),
    MEMBER_KNOWN("period", struct snapshot_event, period),
    MEMBER("samples", struct snapshot_event, samples),
    MEMBER_COUNT("events", struct snapshot_event, events),
    MEMBER_KNOWN("counted", struct snapshot_event, running_share));

static const void *ranking_of(const struct snapshot *snapshot, const void *source)
{
    (void)snapshot;
    return ranking_event(source);
}

static const struct columns source_members = MEMBERS(
    struct snapshot_source,
    MEMBER("name", struct snapshot_source, name),
    COLUMN(.key = "event", .target = ranking_of, .from = FIELD(struct snapshot_event, name)),
    COLUMN(.key = "period", .target = ranking_of, .from = KNOWN(struct snapshot_event, period)),
    MEMBER("precise", struct snapshot_source, precise),
    MEMBER("live", struct snapshot_source, live),
    MEMBER("weighs", struct snapshot_source, weight_unit),
    COLUMN(.key = "events", .from = ROW_IN(struct snapshot_source, events),
           .count = FIELD(struct snapshot_source, event_count), .rows = &event_members));

static const struct columns time_range_members = MEMBERS(
    struct snapshot_time_range,
    MEMBER("start", struct snapshot_time_range, start_s),
    MEMBER("end", struct snapshot_time_range, end_s),
    MEMBER("length", struct snapshot_time_range, length_s),
    MEMBER_KNOWN("phase", struct snapshot_time_range, phase),
    MEMBER("pieces", struct snapshot_time_range, pieces),
    MEMBER("kept", struct snapshot_time_range, kept),
    MEMBER("seen", struct snapshot_time_range, seen));

/* Lost records have no timestamps, so they are not known for a time range. */
static const void *totals_if_whole_run(const struct snapshot *snapshot, const void *totals)
{
    return snapshot->time_range ? NULL : totals;
}

/* The agent's samples are not counted as samples of the program. */
static const char *reason_key(unsigned reason)
{
    return reason == REASON_NONE || reason == REASON_AGENT ? NULL : access_reason_name(reason);
}

const char *typed_key(unsigned typed)
{
    return typed == TYPED_NONE ? NULL : typed_name(typed);
}

static const char *untyped_key(unsigned untyped)
{
    return untyped == UNTYPED_NO_REASON ? NULL : untyped_name(untyped);
}

static const struct columns samples_members = MEMBERS(
    struct snapshot_totals,
    MEMBER("total", struct snapshot_totals, samples),
    MEMBER("kernel", struct snapshot_totals, reasons[REASON_KERNEL]),
    COLUMN(.key = "lost", .target = totals_if_whole_run, .from = FIELD(struct snapshot_totals, lost)),
    COLUMN(.key = "throttled", .target = totals_if_whole_run,
           .from = FIELD(struct snapshot_totals, throttled)),
    MEMBER("agent", struct snapshot_totals, agent),
    MEMBER("attributed", struct snapshot_totals, attributed),
    MEMBER_COUNT("weight", struct snapshot_totals, weight),
    MEMBER_COUNT("effective", struct snapshot_totals, effective_samples),
    MEMBER_COUNT("rate", struct snapshot_totals, rate),
    COLUMN(.key = "unattributed", .from = FIELD(struct snapshot_totals, reasons[0]),
           .elements = REASON_COUNT, .element_name = reason_key),
    COLUMN(.key = "how", .from = FIELD(struct snapshot_totals, how[0]),
           .elements = ACCESS_HOW_COUNT, .element_name = access_how_name));

static const struct columns types_members = MEMBERS(
    struct snapshot_totals,
    MEMBER("by-code", struct snapshot_totals, typed[TYPED_CODE]),
    MEMBER("by-data", struct snapshot_totals, typed[TYPED_DATA]),
    MEMBER("agreed", struct snapshot_totals, typed[TYPED_AGREED]),
    MEMBER("disagreed", struct snapshot_totals, typed[TYPED_DISAGREED]),
    COLUMN(.key = "unknown", .from = FIELD(struct snapshot_totals, untyped[0]),
           .elements = UNTYPED_COUNT, .element_name = untyped_key));

static const struct columns loading_members =
    MEMBERS(
    struct loading_state,
    MEMBER("waiting", struct loading_state, pending_requests),
    MEMBER("processes", struct loading_state, processes),
    MEMBER("resident_bytes", struct loading_state, resident_bytes),
    MEMBER("busy_with", struct loading_state, slow_file));

static const struct columns refused_members =
    MEMBERS(struct file_refused, MEMBER("path", struct file_refused, path),
            MEMBER("why", struct file_refused, reason));

static const char *binary_state(unsigned state)
{
    static const char *const states[] = {"found", "unverified", "other-build", "missing"};
    return states[state];
}

static const struct columns binary_members =
    MEMBERS(
    struct binary_desc,
    MEMBER("path", struct binary_desc, path),
    MEMBER("build_id", struct binary_desc, build_id),
    COLUMN(.key = "state", .from = FIELD(struct binary_desc, state), .name = binary_state),
    MEMBER("file", struct binary_desc, found),
    MEMBER("samples", struct binary_desc, samples));

static json_t *json_binaries(const struct snapshot *snapshot, const void *row)
{
    const struct snapshot_binaries *from = row;
    return from->list ? json_rows(&binary_members, snapshot, from->list, from->count) : json_null();
}

/* ---- where and how a recording was made ---- */

static json_t *json_recording(const struct snapshot *snapshot, const void *row)
{
    const struct snapshot_recording *from = row;
    json_t *out = json_object();
    (void)snapshot;
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

/* ---- the run over time and its phases ---- */

/* Returns the shares of the listed objects in the misses of a phase; null if there are none. */
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

static json_t *json_numbers(const double *values, size_t count)
{
    json_t *out = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(out, json_count(values[i]));
    return out;
}

/* `kind`: key of the name. */
static json_t *stream_of(const struct snapshot_stream *stream, const char *kind, size_t periods)
{
    json_t *out = json_object();
    json_set(out, kind, json_text(stream->name));
    json_set(out, "share", json_share(stream->share));
    json_set(out, "volatility", json_share(stream->volatility));
    json_set(out, "weight", json_numbers(stream->weight, periods));
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
    for (size_t i = 0; i < json_array_size(out); i++) {
        const struct snapshot_object *object = columns_object(snapshot, fields->list[i].object);
        json_set(json_array_get(out, i), "object", json_text(object ? object->name : NULL));
    }
    return out;
}

/* Adds the members of a measure to `out`; `objects`: key of the object streams. */
static void set_measured(json_t *out, const struct snapshot *snapshot,
                         const struct snapshot_measured *measured, const char *objects)
{
    size_t periods = snapshot->timeline.periods;
    json_set(out, "all", measured->all ? json_numbers(measured->all, periods) : json_array());
    json_set(out, "unknown",
             measured->no_object ? json_numbers(measured->no_object, periods) : json_null());
    json_set(out, objects, streams_of(&measured->objects, "object", periods));
    json_set(out, "functions", streams_of(&measured->functions, "function", periods));
    json_set(out, "fields", fields_of(snapshot, &measured->fields));
    json_set(out, "threads", streams_of(&measured->threads, "name", periods));
}

/* Returns the sampled measures except the ranking one, which is part of `phases`. */
static json_t *measures_of(const struct snapshot *snapshot)
{
    const struct snapshot_timeline *timeline = &snapshot->timeline;
    json_t *out = json_array();
    for (int i = 0; i < SNAPSHOT_MEASURES; i++) {
        if (i == (int)timeline->ranking_measure || !timeline->by_measure[i].all)
            continue;
        json_t *one = json_object();
        json_set(one, "measure", json_text(measure_key(snapshot, (enum snapshot_measure)i)));
        set_measured(one, snapshot, &timeline->by_measure[i], "objects");
        json_array_append_new(out, one);
    }
    return out;
}

static const struct columns volatility_members = MEMBERS(struct snapshot_volatility,
            MEMBER("period", struct snapshot_volatility, period_s),
            MEMBER("volatility", struct snapshot_volatility, value));

/* The last two minutes, and the period chosen from them. */
static const struct columns recent_members = MEMBERS(
    struct snapshot_timeline,
    MEMBER_ROWS("volatility", struct snapshot_timeline, recent, recent_count, &volatility_members),
    MEMBER("period", struct snapshot_timeline, recent_s),
    MEMBER("damped", struct snapshot_timeline, recent_is_damped),
    MEMBER("display", struct snapshot_timeline, display_s));

static json_t *turns_of(const struct snapshot_timeline *timeline)
{
    const struct snapshot_streams *objects = &snapshot_timeline_ranking(timeline)->objects;
    json_t *out = json_array();
    for (size_t i = 0; i < timeline->alternation_count; i++) {
        const struct snapshot_alternation *turns = &timeline->alternations[i];
        json_t *one = json_object();
        json_set(
            one, "objects",
            json_pack("[s,s]", objects->list[turns->left].name, objects->list[turns->right].name));
        json_set(one, "correlation", json_share(turns->correlation));
        json_array_append_new(out, one);
    }
    return out;
}

static json_t *json_phases(const struct snapshot *snapshot, const void *row)
{
    const struct snapshot_timeline *timeline = row;
    char reading[PHASES_READING_BYTES];
    phases_reading(timeline, reading, sizeof reading);
    json_t *out = json_object();
    json_set(out, "segments",
             json_rows(&phase_columns, snapshot, timeline->phases, timeline->phase_count));
    json_set(out, "start", json_share(timeline->start_s));
    json_set(out, "start_monotonic",
             timeline->start_ns ? json_real((double)timeline->start_ns / 1e9) : json_null());
    json_set(out, "period", json_share(timeline->period_s));
    json_set(out, "measure", json_text(measure_key(snapshot, timeline->ranking_measure)));
    set_measured(out, snapshot, snapshot_timeline_ranking(timeline), "streams");
    json_set(out, "measures", measures_of(snapshot));
    json_set(out, "volatility",
             json_rows(&volatility_members, snapshot, timeline->profile, timeline->profile_count));
    json_set(out, "recent", json_row(&recent_members, snapshot, timeline));
    json_set(out, "turns", turns_of(timeline));
    json_set(out, "reading", json_text_or_null(reading));
    return out;
}

static const char *basis_name(unsigned basis)
{
    return basis == BASIS_RUN ? "run" : "decayed";
}

static bool is_recording(const struct snapshot *snapshot, const void *row)
{
    (void)row;
    return !snapshot->source.live;
}

static const struct columns snapshot_members = MEMBERS(
    struct snapshot,
    MEMBER("iteration", struct snapshot, iteration),
    MEMBER("elapsed", struct snapshot, elapsed_s),
    MEMBER("counted", struct snapshot, counted_s),
    MEMBER("interval", struct snapshot, interval_s),
    MEMBER("half_life", struct snapshot, half_life_s),
    COLUMN(.key = "basis", .from = FIELD(struct snapshot, basis), .name = basis_name),
    MEMBER("status", struct snapshot, status),
    MEMBER_ROW("target", struct snapshot, target, &target_members),
    MEMBER_ROW("source", struct snapshot, source, &source_members),
    COLUMN(.key = "recording", .from = ROW_OF(struct snapshot, recording), .json = json_recording,
           .json_if = ROW_OF(struct snapshot, recording)),
    COLUMN(.key = "stretch", .from = ROW_OF(struct snapshot, time_range),
           .rows = &time_range_members),
    COLUMN(.key = "simulation", .in = ROW_IN(struct snapshot, simulation), .known_if = FIELD(struct snapshot_simulation, level_count),
           .rows = &simulation_members),
    COLUMN(.key = "causes", .from = ROW_IN(struct snapshot, causes), .rows = &all_causes_members,
           .json_if = FIELD(struct snapshot, causes.known)),
    MEMBER_ROW("samples", struct snapshot, totals, &samples_members),
    MEMBER_ROW("types", struct snapshot, totals, &types_members),
    MEMBER_ROW("reading", struct snapshot, loading, &loading_members),
    COLUMN(.from = ROW_OF(struct snapshot, levels), .members = &levels_members),
    COLUMN(.from = ROW_OF(struct snapshot, rates), .members = &rates_members),
    COLUMN(.from = ROW_IN(struct snapshot, uses.all), .members = &use_members),
    COLUMN(.key = "waits", .from = ROW_IN(struct snapshot, wait), .json = json_waits),
    MEMBER_ROWS("objects", struct snapshot, objects, object_count, &object_columns),
    MEMBER("objects_left_out", struct snapshot, objects_left_out),
    MEMBER_ROWS("code", struct snapshot, code, code_count, &function_columns),
    COLUMN(.key = "matrix", .from = ROW_IN(struct snapshot, matrix), .json = json_matrix),
    MEMBER_ROW("sets", struct snapshot, sets, &sets_members),
    MEMBER_ROW("search", struct snapshot, search, &search_members),
    MEMBER_ROW("window", struct snapshot, window, &window_members),
    MEMBER_ROW("threads", struct snapshot, threads, &threads_members),
    MEMBER_ROW("heap", struct snapshot, heap, &heap_summary_members),
    MEMBER_ROW("sharing", struct snapshot, sharing, &sharing_members),
    COLUMN(.key = "phases", .from = ROW_IN(struct snapshot, timeline), .json = json_phases),
    MEMBER_ROWS("findings", struct snapshot, findings.list, findings.count, &finding_columns),
    COLUMN(.key = "reuse", .from = ROW_IN(struct snapshot, reuse), .json = json_reuse,
           .json_if = FIELD(struct snapshot, reuse.known)),
    COLUMN(.key = "watch", .from = ROW_IN(struct snapshot, watch), .rows = &watch_members,
           .json_if = FIELD(struct snapshot, watch.is_on)),
    COLUMN(.from = ROW_IN(struct snapshot, whatif), .members = &whatif_members,
           .json_if = FIELD(struct snapshot, whatif.count)),
    COLUMN(.key = "binaries", .from = ROW_IN(struct snapshot, binaries), .json = json_binaries,
           .present = is_recording),
    COLUMN(.key = "not_opened", .from = ROW_OF(struct snapshot, refused.list),
           .count = FIELD(struct snapshot, refused.count), .rows = &refused_members,
           .json_if = FIELD(struct snapshot, refused.count)));

json_t *json_snapshot(const struct snapshot *snapshot)
{
    json_t *root = json_object();
    json_set(root, "version", json_integer(1));
    json_set_row(root, &snapshot_members, snapshot, snapshot);
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
        if (column->form == JSON_EXACT)
            return isfinite(value.number) ? json_real(value.number) : json_null();
        return column->form == JSON_COUNT || (!column->form && column->format == format_count)
                   ? json_count(value.number)
                   : json_share(value.number);
    case VALUE_INTEGER:
        return column->format == format_address ? json_address(value.integer)
                                                : json_whole(value.integer);
    case VALUE_SIGNED:
        return json_signed((int64_t)value.integer);
    case VALUE_YES_NO:
        return json_boolean(value.integer);
    default:
        return json_text(value.text);
    }
}

/* Returns the elements of an array as members with their names. */
static json_t *named_json(const struct column *column, const struct snapshot *snapshot,
                          const void *row)
{
    json_t *out = json_object();
    bool known = !column->sparse;
    for (unsigned i = 0; i < column->elements; i++) {
        const char *key = column->element_name(i);
        struct value value = columns_element(column, snapshot, row, i);
        known |= value.kind != VALUE_UNKNOWN;
        if (key && (!column->sparse || value.number > 0))
            json_set(out, key, value_json(column, value));
    }
    if (known)
        return out;
    json_decref(out);
    return json_null();
}

static json_t *column_json(const struct column *column, const struct snapshot *snapshot,
                           const void *row)
{
    const void *target = columns_target(column, snapshot, row);
    if (column->json)
        return column->json(snapshot, target);
    if (column->format_sentence) {
        char words[COLUMN_WORDS_BYTES];
        column->format_sentence(snapshot, target, words, sizeof words);
        return json_text(words);
    }
    if (column->rows && column->count.kind == PATH_NONE)
        return json_row(column->rows, snapshot, target);
    if (column->element_name)
        return named_json(column, snapshot, row);
    const struct column counted = {
        .in = column->in, .target = column->target, .from = column->count};
    uint64_t count = column->count.kind != PATH_NONE
                         ? columns_element(&counted, snapshot, row, 0).integer
                         : column->elements;
    if (column->rows)
        return json_rows(column->rows, snapshot, target, count);
    if (column->count.kind == PATH_NONE && !column->elements)
        return value_json(column, columns_value(column, snapshot, row));
    json_t *out = target ? json_array() : json_null();
    for (uint64_t i = 0; target && i < count; i++)
        json_array_append_new(
            out, value_json(column, columns_element(column, snapshot, row, (unsigned)i)));
    return out;
}

void json_set_row(json_t *out, const struct columns *columns, const struct snapshot *snapshot,
                  const void *row)
{
    for (unsigned i = 0; i < columns->count; i++) {
        const struct column *column = &columns->list[i];
        if (!(column->key || column->members) || !columns_given(column, snapshot, row))
            continue;
        if (column->members)
            json_set_row(out, column->members, snapshot, columns_target(column, snapshot, row));
        else
            json_set(out, column->key, column_json(column, snapshot, row));
    }
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

/* Samples are integers unless they decay. */
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
    /* jansson rejects invalid UTF-8: replace it by '?' instead of failing. */
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

void json_set(json_t *object, const char *key, json_t *value)
{
    json_object_set_new(object, key, value);
}
