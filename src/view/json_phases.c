/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The run over time and its phases; declared in json_part.h. */
#include "view/json_part.h"

#include "view/measure_words.h"

#include <stddef.h>

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

json_t *json_phases(const struct snapshot *snapshot)
{
    const struct snapshot_timeline *timeline = &snapshot->timeline;
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
    json_set(out, "reading", json_text(timeline->reading));
    return out;
}
