/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A snapshot as one line of JSON; the man page lists the members. */
#include "view/export/json.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "view/findings.h"
#include "view/levels.h"
#include "view/view.h"
#include "view/words.h"

enum json_kind {
    JSON_IS_UNKNOWN,
    JSON_IS_OBJECT,
    JSON_IS_ARRAY,
    JSON_IS_TEXT,
    JSON_IS_NUMBER,
    JSON_IS_WHOLE,
    JSON_IS_YES_NO
};

struct json {
    struct json *next;  /* in its object or array */
    struct json *first; /* of its own */
    struct json *last;
    const char *key;
    union {
        double number;
        int64_t whole;
    };
    enum json_kind kind;
    bool incomplete; /* there was no memory for one below */
    char text[];
};

struct json_line {
    char *text;
    size_t length;
    size_t room;
};

static bool line_write(struct json_line *line, const char *text, size_t length);
static bool line_put(struct json_line *line, const struct json *value);

/* The process, the source and the numbers of samples. */

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
    MEMBER_KNOWN("counted", struct snapshot_event, counted));

static const void *ranking_event(const struct snapshot *snapshot, const void *row)
{
    const struct snapshot_source *source = row;
    (void)snapshot;
    return source->ranking < source->event_count ? &source->events[source->ranking] : NULL;
}

static const struct columns source_members = MEMBERS(
    struct snapshot_source,
    MEMBER("name", struct snapshot_source, name),
    COLUMN(.key = "event", .target = ranking_event, .from = FIELD(struct snapshot_event, name)),
    COLUMN(.key = "period", .target = ranking_event, .from = KNOWN(struct snapshot_event, period)),
    MEMBER("precise", struct snapshot_source, precise),
    MEMBER("live", struct snapshot_source, live),
    MEMBER("weighs", struct snapshot_source, weighs),
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

/* Records lost have no time in the past. */
static const void *up_to_now(const struct snapshot *snapshot, const void *totals)
{
    return snapshot->time_range ? NULL : totals;
}

/* The agent's are none of the samples. */
static const char *reason_key(unsigned reason)
{
    return reason == REASON_NONE || reason == REASON_AGENT ? NULL : access_reason_name(reason);
}

const char *typed_key(unsigned typed)
{
    return typed == TYPED_NOT ? NULL : typed_name(typed);
}

static const char *untyped_key(unsigned untyped)
{
    return untyped == UNTYPED_NO_REASON ? NULL : untyped_name(untyped);
}

static const struct columns samples_members = MEMBERS(
    struct snapshot_totals,
    MEMBER("total", struct snapshot_totals, samples),
    MEMBER("kernel", struct snapshot_totals, reasons[REASON_KERNEL]),
    COLUMN(.key = "lost", .target = up_to_now, .from = FIELD(struct snapshot_totals, lost)),
    COLUMN(.key = "throttled", .target = up_to_now,
           .from = FIELD(struct snapshot_totals, throttled)),
    MEMBER("agent", struct snapshot_totals, agent),
    MEMBER("attributed", struct snapshot_totals, attributed),
    MEMBER_COUNT("weight", struct snapshot_totals, weight),
    MEMBER_COUNT("effective", struct snapshot_totals, effective),
    MEMBER_COUNT("rate", struct snapshot_totals, rate),
    COLUMN(.key = "unattributed", .from = FIELD(struct snapshot_totals, reasons[0]),
           .elements = REASON_COUNT, .each = reason_key),
    COLUMN(.key = "how", .from = FIELD(struct snapshot_totals, how[0]),
           .elements = ACCESS_HOW_COUNT, .each = access_how_name));

static const struct columns types_members = MEMBERS(
    struct snapshot_totals,
    MEMBER("by-code", struct snapshot_totals, typed[TYPED_CODE]),
    MEMBER("by-data", struct snapshot_totals, typed[TYPED_DATA]),
    MEMBER("agreed", struct snapshot_totals, typed[TYPED_AGREED]),
    MEMBER("disagreed", struct snapshot_totals, typed[TYPED_DISAGREED]),
    COLUMN(.key = "unknown", .from = FIELD(struct snapshot_totals, untyped[0]),
           .elements = UNTYPED_COUNT, .each = untyped_key));

static const struct columns reading_members =
    MEMBERS(
    struct reading_state,
    MEMBER("waiting", struct reading_state, waiting),
    MEMBER("processes", struct reading_state, processes),
    MEMBER("resident_bytes", struct reading_state, resident_bytes),
    MEMBER("busy_with", struct reading_state, busy_with));

static const struct columns refused_members =
    MEMBERS(struct file_refused, MEMBER("path", struct file_refused, path),
            MEMBER("why", struct file_refused, why));

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

static struct json *json_binaries(const struct snapshot *snapshot, const void *row)
{
    const struct snapshot_binaries *from = row;
    return from->list ? json_rows(&binary_members, snapshot, from->list, from->count)
                      : json_unknown();
}

/* Where and how a recording was made. */

static struct json *json_recording(const struct snapshot *snapshot, const void *row)
{
    const struct snapshot_recording *from = row;
    struct json *out = json_new_object();
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

/* The run over time and its phases. */

/* Shares of the objects of the streams of the misses in a phase; null: there are none. */
struct json *json_phase_shares(const struct snapshot *snapshot, const void *row)
{
    const struct snapshot_phase *phase = row;
    if (!phase->shares)
        return json_unknown();
    struct json *out = json_new_array();
    const struct snapshot_streams *objects =
        &snapshot_timeline_ranking(&snapshot->timeline)->objects;
    for (size_t i = 0; i < objects->count; i++) {
        struct json *one = json_new_object();
        json_set(one, "object", json_text(objects->list[i].name));
        json_set(one, "share", json_share(phase->shares[i]));
        json_append(out, one);
    }
    return out;
}

static struct json *numbers(const double *values, size_t count)
{
    struct json *out = json_new_array();
    for (size_t i = 0; i < count; i++)
        json_append(out, json_count(values[i]));
    return out;
}

/* `kind`: the key of its name. */
static struct json *stream_of(const struct snapshot_stream *stream, const char *kind,
                              size_t periods)
{
    struct json *out = json_new_object();
    json_set(out, kind, json_text(stream->name));
    json_set(out, "share", json_share(stream->share));
    json_set(out, "volatility", json_share(stream->volatility));
    json_set(out, "weight", numbers(stream->weight, periods));
    return out;
}

static struct json *streams_of(const struct snapshot_streams *streams, const char *kind,
                               size_t periods)
{
    struct json *out = json_new_array();
    for (size_t i = 0; i < streams->count; i++)
        json_append(out, stream_of(&streams->list[i], kind, periods));
    return out;
}

static struct json *fields_of(const struct snapshot *snapshot,
                              const struct snapshot_streams *fields)
{
    struct json *out = json_new_array();
    for (size_t i = 0; i < fields->count; i++) {
        const struct snapshot_object *object = columns_object(snapshot, fields->list[i].object);
        struct json *one = stream_of(&fields->list[i], "field", snapshot->timeline.periods);
        json_set(one, "object", json_text(object ? object->name : NULL));
        json_append(out, one);
    }
    return out;
}

/* Members of `out`; `objects`: the name of theirs. */
static void set_measured(struct json *out, const struct snapshot *snapshot,
                         const struct snapshot_measured *measured, const char *objects)
{
    size_t periods = snapshot->timeline.periods;
    json_set(out, "all", measured->all ? numbers(measured->all, periods) : json_new_array());
    json_set(out, "unknown",
             measured->nobody ? numbers(measured->nobody, periods) : json_unknown());
    json_set(out, objects, streams_of(&measured->objects, "object", periods));
    json_set(out, "functions", streams_of(&measured->functions, "function", periods));
    json_set(out, "fields", fields_of(snapshot, &measured->fields));
    json_set(out, "threads", streams_of(&measured->threads, "name", periods));
}

/* The measures sampled besides the ranking one, which is in `phases` itself. */
static struct json *measures_of(const struct snapshot *snapshot)
{
    const struct snapshot_timeline *timeline = &snapshot->timeline;
    struct json *out = json_new_array();
    for (int i = 0; i < SNAPSHOT_MEASURES; i++) {
        if (i == (int)timeline->ranks || !timeline->by[i].all)
            continue;
        struct json *one = json_new_object();
        json_set(one, "measure", json_text(measure_key(snapshot, (enum snapshot_measure)i)));
        set_measured(one, snapshot, &timeline->by[i], "objects");
        json_append(out, one);
    }
    return out;
}

static const struct columns volatility_members = MEMBERS(struct snapshot_volatility,
            MEMBER("period", struct snapshot_volatility, period_s),
            MEMBER("volatility", struct snapshot_volatility, value));

/* Of the last two minutes, and what was chosen by it. */
static const struct columns recent_members = MEMBERS(
    struct snapshot_timeline,
    MEMBER_ROWS("volatility", struct snapshot_timeline, recent, recent_count, &volatility_members),
    MEMBER("period", struct snapshot_timeline, recent_s),
    MEMBER("damped", struct snapshot_timeline, recent_damped),
    MEMBER("display", struct snapshot_timeline, display_s));

static struct json *turns_of(const struct snapshot_timeline *timeline)
{
    const struct snapshot_streams *objects = &snapshot_timeline_ranking(timeline)->objects;
    struct json *out = json_new_array();
    for (size_t i = 0; i < timeline->turn_count; i++) {
        const struct snapshot_turns *turns = &timeline->turns[i];
        struct json *one = json_new_object();
        struct json *pair = json_new_array();
        json_append(pair, json_text(objects->list[turns->left].name));
        json_append(pair, json_text(objects->list[turns->right].name));
        json_set(one, "objects", pair);
        json_set(one, "correlation", json_share(turns->correlation));
        json_append(out, one);
    }
    return out;
}

static struct json *json_phases(const struct snapshot *snapshot, const void *row)
{
    const struct snapshot_timeline *timeline = row;
    char reading[PHASES_READING_BYTES];
    phases_reading(timeline, reading, sizeof reading);
    struct json *out = json_new_object();
    json_set(out, "segments",
             json_rows(&phase_columns, snapshot, timeline->phases, timeline->phase_count));
    json_set(out, "start", json_share(timeline->start_s));
    json_set(out, "start_monotonic",
             json_exact(timeline->start_ns ? (double)timeline->start_ns / 1e9 : NAN));
    json_set(out, "period", json_share(timeline->period_s));
    json_set(out, "measure", json_text(measure_key(snapshot, timeline->ranks)));
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

static bool is_recorded(const struct snapshot *snapshot, const void *row)
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
           .given = ROW_OF(struct snapshot, recording)),
    COLUMN(.key = "stretch", .from = ROW_OF(struct snapshot, time_range),
           .rows = &time_range_members),
    COLUMN(.key = "simulation", .in = ROW_IN(struct snapshot, simulation), .target = json_simulated,
           .rows = &simulation_members),
    COLUMN(.key = "causes", .from = ROW_IN(struct snapshot, causes), .rows = &all_causes_members,
           .given = FIELD(struct snapshot, causes.told)),
    MEMBER_ROW("samples", struct snapshot, totals, &samples_members),
    MEMBER_ROW("types", struct snapshot, totals, &types_members),
    MEMBER_ROW("reading", struct snapshot, reading, &reading_members),
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
           .given = FIELD(struct snapshot, reuse.told)),
    COLUMN(.key = "watch", .from = ROW_IN(struct snapshot, watch), .rows = &watch_members,
           .given = FIELD(struct snapshot, watch.on)),
    COLUMN(.from = ROW_IN(struct snapshot, whatif), .members = &whatif_members,
           .given = FIELD(struct snapshot, whatif.count)),
    COLUMN(.key = "binaries", .from = ROW_IN(struct snapshot, binaries), .json = json_binaries,
           .present = is_recorded),
    COLUMN(.key = "not_opened", .from = ROW_OF(struct snapshot, refused.list),
           .count = FIELD(struct snapshot, refused.count), .rows = &refused_members,
           .given = FIELD(struct snapshot, refused.count)));

static struct json *whole(const struct snapshot *snapshot)
{
    struct json *root = json_new_object();
    json_set(root, "version", json_whole(1));
    json_set_row(root, &snapshot_members, snapshot, snapshot);
    return root;
}

json_t *json_snapshot(const struct snapshot *snapshot)
{
    struct json *root = whole(snapshot);
    struct json_line line = {0};
    json_error_t cause;
    json_t *read = line_put(&line, root) ? json_loadb(line.text, line.length, 0, &cause) : NULL;
    json_free(root);
    free(line.text);
    return read;
}

int json_line(FILE *out, struct json *root)
{
    struct json_line line = {0};
    int code = line_put(&line, root) && line_write(&line, "\n", 1) ? 0 : -ENOMEM;
    json_free(root);
    errno = 0;
    if (!code && (fwrite(line.text, 1, line.length, out) < line.length || fflush(out) == EOF))
        code = errno ? -errno : -EIO;
    free(line.text);
    return code;
}

int json_print(FILE *out, const struct snapshot *snapshot)
{
    return json_line(out, whole(snapshot));
}

/* ---- rows by their tables ---- */

static struct json *value_json(const struct column *column, struct value value)
{
    switch (value.kind) {
    case VALUE_NUMBER:
        if (column->form == JSON_EXACT)
            return json_exact(value.number);
        return column->form == JSON_COUNT || (!column->form && column->format == format_count)
                   ? json_count(value.number)
                   : json_share(value.number);
    case VALUE_INTEGER:
        return column->format == format_address ? json_address(value.integer)
                                                : json_whole(value.integer);
    case VALUE_SIGNED:
        return json_signed((int64_t)value.integer);
    case VALUE_YES_NO:
        return json_yes_no(value.integer);
    default:
        return json_text(value.text);
    }
}

/* The elements of an array by their names. */
static struct json *named_json(const struct column *column, const struct snapshot *snapshot,
                               const void *row)
{
    struct json *out = json_new_object();
    bool known = !column->sparse;
    for (unsigned i = 0; i < column->elements; i++) {
        const char *key = column->each(i);
        struct value value = columns_element(column, snapshot, row, i);
        known |= value.kind != VALUE_UNKNOWN;
        if (key && (!column->sparse || value.number > 0))
            json_set(out, key, value_json(column, value));
    }
    if (known)
        return out;
    json_free(out);
    return json_unknown();
}

static struct json *column_json(const struct column *column, const struct snapshot *snapshot,
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
    if (column->each)
        return named_json(column, snapshot, row);
    if (!column->elements)
        return value_json(column, columns_value(column, snapshot, row));
    struct json *out = json_new_array();
    for (unsigned i = 0; i < column->elements; i++)
        json_append(out, value_json(column, columns_element(column, snapshot, row, i)));
    return out;
}

/* In the order of the table; after each member those that follow it by `after`. */
static void set_members(struct json *out, const struct columns *columns,
                        const struct snapshot *snapshot, const void *row, const char *after)
{
    for (unsigned i = 0; i < columns->count; i++) {
        const struct column *column = &columns->list[i];
        if (!column->after != !after || (after && strcmp(column->after, after)) ||
            !(column->key || column->members))
            continue;
        if (columns_given(column, snapshot, row)) {
            if (column->members)
                json_set_row(out, column->members, snapshot, columns_target(column, snapshot, row));
            else
                json_set(out, column->key, column_json(column, snapshot, row));
        }
        if (column->key)
            set_members(out, columns, snapshot, row, column->key);
    }
}

void json_set_row(struct json *out, const struct columns *columns, const struct snapshot *snapshot,
                  const void *row)
{
    set_members(out, columns, snapshot, row, NULL);
}

struct json *json_row(const struct columns *columns, const struct snapshot *snapshot,
                      const void *row)
{
    struct json *out = row ? json_new_object() : json_unknown();
    if (row)
        json_set_row(out, columns, snapshot, row);
    return out;
}

struct json *json_rows(const struct columns *columns, const struct snapshot *snapshot,
                       const void *rows, size_t count)
{
    struct json *out = json_new_array();
    for (size_t i = 0; i < count; i++)
        json_append(out, json_row(columns, snapshot, (const char *)rows + i * columns->row_size));
    return out;
}

/* ---- values ---- */

static struct json *new_value(enum json_kind kind, size_t text_bytes)
{
    struct json *value = malloc(sizeof *value + text_bytes);
    if (value)
        *value = (struct json){.kind = kind};
    return value;
}

struct json *json_new_object(void)
{
    return new_value(JSON_IS_OBJECT, 0);
}

struct json *json_new_array(void)
{
    return new_value(JSON_IS_ARRAY, 0);
}

struct json *json_unknown(void)
{
    return new_value(JSON_IS_UNKNOWN, 0);
}

struct json *json_yes_no(bool yes)
{
    struct json *out = new_value(JSON_IS_YES_NO, 0);
    if (out)
        out->whole = yes;
    return out;
}

struct json *json_exact(double value)
{
    struct json *out = isfinite(value) ? new_value(JSON_IS_NUMBER, 0) : json_unknown();
    if (out)
        out->number = value;
    return out;
}

struct json *json_share(double value)
{
    return json_exact(round(value * 1e6) / 1e6);
}

/* Samples are whole numbers unless they decay. */
struct json *json_count(double value)
{
    if (value == floor(value) && fabs(value) < 1e15)
        return json_signed((int64_t)value);
    return json_exact(round(value * 100) / 100);
}

struct json *json_whole(uint64_t value)
{
    return value <= INT64_MAX ? json_signed((int64_t)value) : json_exact((double)value);
}

struct json *json_signed(int64_t value)
{
    struct json *out = new_value(JSON_IS_WHOLE, 0);
    if (out)
        out->whole = value;
    return out;
}

struct json *json_known(uint64_t value)
{
    return value ? json_whole(value) : json_unknown();
}

struct json *json_address(uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "0x%" PRIx64, value);
    return json_text(text);
}

struct json *json_text(const char *value)
{
    if (!value)
        return json_unknown();
    size_t length = strlen(value);
    struct json *out = new_value(JSON_IS_TEXT, length + 1);
    if (!out)
        return NULL;
    if (text_is_utf8(value, length))
        memcpy(out->text, value, length + 1);
    else /* better a '?' than a line that no reader takes */
        text_sanitise(out->text, length + 1, value, length);
    return out;
}

struct json *json_text_or_null(const char *value)
{
    return json_text(value && *value ? value : NULL);
}

void json_append(struct json *in, struct json *value)
{
    json_set(in, NULL, value);
}

void json_set(struct json *in, const char *key, struct json *value)
{
    if (!in || !value) {
        json_free(value);
        if (in)
            in->incomplete = true;
        return;
    }
    value->key = key;
    in->incomplete |= value->incomplete;
    *(in->last ? &in->last->next : &in->first) = value;
    in->last = value;
}

void json_free(struct json *value)
{
    while (value && value->first) {
        struct json *first = value->first;
        value->first = first->next;
        json_free(first);
    }
    free(value);
}

/* ---- a line of text ---- */

static bool line_write(struct json_line *line, const char *text, size_t length)
{
    if (line->room - line->length < length) {
        size_t room = (line->length + length) * 2;
        char *more = realloc(line->text, room);
        if (!more)
            return false;
        line->text = more;
        line->room = room;
    }
    memcpy(line->text + line->length, text, length);
    line->length += length;
    return true;
}

/* RFC 8259, section 7. */
static bool line_put_text(struct json_line *line, const char *text)
{
    static const char letters[] = "btn\0fr";
    bool good = line_write(line, "\"", 1);
    for (; good && *text; text++) {
        size_t plain = 0;
        char escaped[8];
        while ((unsigned char)text[plain] >= ' ' && text[plain] != '"' && text[plain] != '\\')
            plain++;
        good = line_write(line, text, plain);
        text += plain;
        unsigned char next = (unsigned char)*text;
        if (!next)
            break;
        if (next >= ' ')
            snprintf(escaped, sizeof escaped, "\\%c", next);
        else if (next >= '\b' && next <= '\r' && letters[next - '\b'])
            snprintf(escaped, sizeof escaped, "\\%c", letters[next - '\b']);
        else
            snprintf(escaped, sizeof escaped, "\\u%04X", next);
        good = good && line_write(line, escaped, strlen(escaped));
    }
    return good && line_write(line, "\"", 1);
}

static bool line_put_whole(struct json_line *line, int64_t value)
{
    char digits[24];
    char *at = digits + sizeof digits;
    uint64_t left = value < 0 ? -(uint64_t)value : (uint64_t)value;
    do
        *--at = (char)('0' + left % 10);
    while (left /= 10);
    if (value < 0)
        *--at = '-';
    return line_write(line, at, (size_t)(digits + sizeof digits - at));
}

/* Most numbers are whole millionths: those need no printf(), which takes half of a report's time.
 */
static bool line_put_millionths(struct json_line *line, double value)
{
    enum { DIGITS = 6 };
    char part[DIGITS + 1] = ".";
    double whole = floor(fabs(value));
    uint64_t left = (uint64_t)llrint((fabs(value) - whole) * 1e6);
    int length = 2;
    for (int i = DIGITS; i; i--, left /= 10) {
        part[i] = (char)('0' + left % 10);
        length = part[i] != '0' && i >= length ? i + 1 : length;
    }
    return (value >= 0 || line_write(line, "-", 1)) && line_put_whole(line, (int64_t)whole) &&
           line_write(line, part, (size_t)length);
}

static bool line_put_number(struct json_line *line, double value)
{
    enum { PRECISION = 15 };
    char text[40];
    double size = fabs(value);
    if ((size >= 1e-4 && size < 1e8 && rint(size * 1e6) / 1e6 == size) ||
        (!size && !signbit(value)))
        return line_put_millionths(line, value);
    snprintf(text, sizeof text, "%.*g", PRECISION, value);
    char *exponent = strchr(text, 'e');
    if (!exponent && !strchr(text, '.'))
        strcat(text, ".0"); /* else it would be read as a whole number */
    for (char *digit = exponent + 1; exponent && (*digit == '+' || digit[*digit == '-'] == '0');)
        memmove(digit + (*digit == '-'), digit + (*digit == '-') + 1,
                strlen(digit + (*digit == '-')));
    return line_write(line, text, strlen(text));
}

static bool line_put_list(struct json_line *line, const struct json *list, const char *ends)
{
    bool good = line_write(line, &ends[0], 1);
    for (const struct json *value = list->first; good && value; value = value->next) {
        good = value == list->first || line_write(line, ",", 1);
        if (value->key)
            good = good && line_put_text(line, value->key) && line_write(line, ":", 1);
        good = good && line_put(line, value);
    }
    return good && line_write(line, &ends[1], 1);
}

static bool line_put(struct json_line *line, const struct json *value)
{
    if (!value || value->incomplete)
        return false;
    switch (value->kind) {
    case JSON_IS_OBJECT:
        return line_put_list(line, value, "{}");
    case JSON_IS_ARRAY:
        return line_put_list(line, value, "[]");
    case JSON_IS_TEXT:
        return line_put_text(line, value->text);
    case JSON_IS_NUMBER:
        return line_put_number(line, value->number);
    case JSON_IS_WHOLE:
        return line_put_whole(line, value->whole);
    case JSON_IS_YES_NO:
        return value->whole ? line_write(line, "true", 4) : line_write(line, "false", 5);
    default:
        return line_write(line, "null", 4);
    }
}
