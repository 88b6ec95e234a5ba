/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/snapshot_streams.h"

#include "profile/volatility.h"

#include <math.h>
#include <stdlib.h>

enum {
    FIELDS_SHOWN = 36,
    FIELDS_OF_ONE = 9, /* object */
    NAME_BYTES = 256
};

const char *build_object_name(const struct build *build, uint32_t id)
{
    const struct place_names *names = &build->profile->options.names;
    struct object_desc desc;
    bool known = names->object && names->object(names->context, id, &desc);
    return arena_string(build->arena, known && desc.name ? desc.name : "unknown");
}

static const char *function_name(const struct build *build, uint32_t id)
{
    const struct place_names *names = &build->profile->options.names;
    struct function_desc desc;
    bool known = names->function && names->function(names->context, id, &desc);
    return arena_string(build->arena, known && desc.name ? desc.name : "unknown");
}

static int most(const void *left, const void *right)
{
    const struct stream *a = *(const struct stream *const *)left;
    const struct stream *b = *(const struct stream *const *)right;
    return a->total > b->total ? -1 : a->total < b->total;
}

static struct streams_sorted sort(struct build *build, const struct streams *streams, unsigned kind)
{
    struct streams_sorted sorted = {calloc(streams->count + 1, sizeof(struct stream *)), 0};
    build->failed |= !sorted.list;
    for (size_t i = 0; sorted.list && i < streams->count; i++)
        if (STREAM_KIND(streams->list[i].key) == kind)
            sorted.list[sorted.count++] = &streams->list[i];
    if (sorted.list)
        qsort(sorted.list, sorted.count, sizeof *sorted.list, most);
    return sorted;
}

static double *curve_of(struct build *build, const struct streams *streams,
                        const struct stream *stream, size_t by)
{
    double *curve = arena_array(build->arena, streams->points / by, sizeof *curve);
    build->failed |= !curve;
    if (curve && stream)
        streams_curve(streams, stream, by, curve);
    return curve;
}

static double *volatilities_of(struct build *build, const struct stream *stream, size_t count)
{
    struct volatility profile[VOLATILITY_PERIODS_MAX];
    struct volatility_curve curve = {stream->at, 1};
    double *values = arena_array(build->arena, count, sizeof *values);
    build->failed |= !values;
    volatility_profile_of(&curve, 1, timeline_ranking(build_timeline_of(build))->points, profile);
    for (size_t i = 0; values && i < count; i++)
        values[i] = profile[i].value;
    return values;
}

/* What is listed: of one measure, at so many base periods. */
struct listing {
    const struct streams *streams;
    size_t by;
    bool ranks;
    const struct snapshot_timeline *shown;
};

static struct snapshot_stream show(struct build *build, const struct listing *listing,
                                   const struct stream *stream)
{
    const struct stream *all = streams_find(listing->streams, STREAM_KEY(STREAM_ALL, 0));
    double *curve = curve_of(build, listing->streams, stream, listing->by);
    bool profiled = listing->ranks && STREAM_KIND(stream->key) == STREAM_OBJECT;
    return (struct snapshot_stream){
        .object = UINT32_MAX,
        .weight = curve,
        .share = all && all->total > 0 ? stream->total / all->total : NAN,
        .volatility = curve ? volatility_of(curve, listing->shown->periods) : NAN,
        .volatilities =
            profiled ? volatilities_of(build, stream, listing->shown->profile_count) : NULL};
}

static void name(struct build *build, const struct stream *stream, struct snapshot_stream *shown)
{
    const struct timeline *timeline = build_timeline_of(build);
    uint32_t id = STREAM_ID(stream->key);
    char text[NAME_BYTES];
    switch (STREAM_KIND(stream->key)) {
    case STREAM_OBJECT:
        shown->object = build_object_index(build, id);
        shown->name = build_object_name(build, id);
        return;
    case STREAM_FUNCTION:
        shown->name = function_name(build, id);
        return;
    case STREAM_FIELD:
        shown->object = build_object_index(build, timeline->fields.fields[id].object);
        shown->name = arena_string(build->arena, field_counts_name(&timeline->fields.fields[id],
                                                                   &build->profile->options.names,
                                                                   text, sizeof text));
        return;
    default:
        shown->name = arena_string(build->arena, timeline->threads.names[id]);
    }
}

/* Of fields no object may have more than its part; those of objects that are not listed are
 * left out. */
static bool is_wanted(const struct snapshot_streams *so_far, const struct snapshot_stream *field)
{
    unsigned of_it = 0;
    for (size_t i = 0; i < so_far->count; i++)
        of_it += so_far->list[i].object == field->object;
    return field->object != UINT32_MAX && of_it < FIELDS_OF_ONE;
}

/* Objects that are one row have one curve. */
static struct snapshot_stream *of_same_row(const struct build *build, unsigned kind,
                                           const struct snapshot_streams *so_far, uint32_t object)
{
    for (size_t i = 0; build->parts && kind == STREAM_OBJECT && i < so_far->count; i++)
        if (object != UINT32_MAX && so_far->list[i].object == object)
            return &so_far->list[i];
    return NULL;
}

static void add_curve(struct build *build, const struct listing *listing,
                      const struct stream *stream, struct snapshot_stream *sum)
{
    struct snapshot_stream more = show(build, listing, stream);
    for (size_t i = 0; more.weight && sum->weight && i < listing->shown->periods; i++)
        sum->weight[i] += more.weight[i];
    sum->share += more.share;
    if (sum->weight)
        sum->volatility = volatility_of(sum->weight, listing->shown->periods);
}

static struct snapshot_streams list(struct build *build, const struct listing *listing,
                                    const struct streams_sorted *sorted, size_t most)
{
    size_t room = sorted->count < most ? sorted->count : most;
    struct snapshot_streams streams = {arena_array(build->arena, room, sizeof *streams.list), 0};
    build->failed |= !streams.list;
    for (size_t i = 0; i < sorted->count && streams.count < most && !build->failed; i++) {
        struct snapshot_stream one = {.object = UINT32_MAX};
        name(build, sorted->list[i], &one);
        if (STREAM_KIND(sorted->list[i]->key) == STREAM_FIELD && !is_wanted(&streams, &one))
            continue;
        struct snapshot_stream *same =
            of_same_row(build, STREAM_KIND(sorted->list[i]->key), &streams, one.object);
        if (same) {
            add_curve(build, listing, sorted->list[i], same);
            continue;
        }
        struct snapshot_stream *stream = &streams.list[streams.count++];
        *stream = show(build, listing, sorted->list[i]);
        stream->object = one.object;
        stream->name = one.name;
    }
    return streams;
}

static struct snapshot_streams list_kind(struct build *build, const struct listing *listing,
                                         unsigned kind, size_t most)
{
    struct streams_sorted sorted = sort(build, listing->streams, kind);
    struct snapshot_streams streams = {NULL, 0};
    if (!build->failed)
        streams = list(build, listing, &sorted, most);
    free(sorted.list);
    return streams;
}

/* A measure that is not sampled has no streams, and stays empty. */
static void list_measure(struct build *build, const struct listing *listing,
                         struct snapshot_measured *measured)
{
    const struct stream *all = streams_find(listing->streams, STREAM_KEY(STREAM_ALL, 0));
    const struct stream *nobody = streams_find(listing->streams, STREAM_KEY(STREAM_NOBODY, 0));
    if (!all && !listing->ranks)
        return;
    measured->all = curve_of(build, listing->streams, all, listing->by);
    if (nobody)
        measured->nobody = curve_of(build, listing->streams, nobody, listing->by);
    measured->objects = list_kind(build, listing, STREAM_OBJECT, STREAMS_SHOWN);
    measured->functions = list_kind(build, listing, STREAM_FUNCTION, STREAMS_SHOWN);
    measured->fields = list_kind(build, listing, STREAM_FIELD, FIELDS_SHOWN);
    measured->threads = list_kind(build, listing, STREAM_THREADS, STREAMS_SHOWN);
}

struct streams_sorted build_streams(struct build *build, size_t by, struct snapshot_timeline *shown)
{
    const struct timeline *timeline = build_timeline_of(build);
    shown->periods = timeline_ranking(timeline)->points / by;
    shown->ranks = timeline->ranks;
    for (int i = 0; i < SNAPSHOT_MEASURES && !build->failed; i++) {
        bool ranks = i == (int)timeline->ranks;
        list_measure(build, &(struct listing){&timeline->by[i], by, ranks, shown}, &shown->by[i]);
    }
    return sort(build, timeline_ranking(timeline), STREAM_OBJECT);
}
