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

static struct streams_sorted sort(struct build *build, unsigned kind)
{
    const struct streams *streams = &build_timeline_of(build)->streams;
    struct streams_sorted sorted = {calloc(streams->count + 1, sizeof(struct stream *)), 0};
    build->failed |= !sorted.list;
    for (size_t i = 0; sorted.list && i < streams->count; i++)
        if (STREAM_KIND(streams->list[i].key) == kind)
            sorted.list[sorted.count++] = &streams->list[i];
    if (sorted.list)
        qsort(sorted.list, sorted.count, sizeof *sorted.list, most);
    return sorted;
}

static double *curve_of(struct build *build, const struct stream *stream, size_t by)
{
    const struct streams *streams = &build_timeline_of(build)->streams;
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
    volatility_profile_of(&curve, 1, build_timeline_of(build)->streams.points, profile);
    for (size_t i = 0; values && i < count; i++)
        values[i] = profile[i].value;
    return values;
}

static struct snapshot_stream show(struct build *build, const struct stream *stream, size_t by,
                                   const struct snapshot_timeline *shown)
{
    const struct stream *all =
        streams_find(&build_timeline_of(build)->streams, STREAM_KEY(STREAM_ALL, 0));
    double *curve = curve_of(build, stream, by);
    return (struct snapshot_stream){
        .object = UINT32_MAX,
        .weight = curve,
        .share = all && all->total > 0 ? stream->total / all->total : NAN,
        .volatility = curve ? volatility_of(curve, shown->periods) : NAN,
        .volatilities = STREAM_KIND(stream->key) == STREAM_OBJECT
                            ? volatilities_of(build, stream, shown->profile_count)
                            : NULL};
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

static struct snapshot_streams list(struct build *build, const struct streams_sorted *sorted,
                                    size_t most, size_t by, const struct snapshot_timeline *shown)
{
    struct snapshot_streams streams = {arena_array(build->arena,
                                                   sorted->count < most ? sorted->count : most,
                                                   sizeof *streams.list),
                                       0};
    build->failed |= !streams.list;
    for (size_t i = 0; i < sorted->count && streams.count < most && !build->failed; i++) {
        struct snapshot_stream one = {.object = UINT32_MAX};
        name(build, sorted->list[i], &one);
        if (STREAM_KIND(sorted->list[i]->key) == STREAM_FIELD && !is_wanted(&streams, &one))
            continue;
        struct snapshot_stream *stream = &streams.list[streams.count++];
        *stream = show(build, sorted->list[i], by, shown);
        stream->object = one.object;
        stream->name = one.name;
    }
    return streams;
}

static struct snapshot_streams list_kind(struct build *build, unsigned kind, size_t most, size_t by,
                                         const struct snapshot_timeline *shown)
{
    struct streams_sorted sorted = sort(build, kind);
    struct snapshot_streams streams = {NULL, 0};
    if (!build->failed)
        streams = list(build, &sorted, most, by, shown);
    free(sorted.list);
    return streams;
}

struct streams_sorted build_streams(struct build *build, size_t by, struct snapshot_timeline *shown)
{
    const struct streams *streams = &build_timeline_of(build)->streams;
    struct streams_sorted objects = sort(build, STREAM_OBJECT);
    shown->periods = streams->points / by;
    shown->all = curve_of(build, streams_find(streams, STREAM_KEY(STREAM_ALL, 0)), by);
    if (build->failed)
        return objects;
    struct snapshot_streams listed = list(build, &objects, STREAMS_SHOWN, by, shown);
    shown->streams = listed.list;
    shown->stream_count = listed.count;
    shown->functions = list_kind(build, STREAM_FUNCTION, STREAMS_SHOWN, by, shown);
    shown->fields = list_kind(build, STREAM_FIELD, FIELDS_SHOWN, by, shown);
    shown->threads = list_kind(build, STREAM_THREADS, STREAMS_SHOWN, by, shown);
    return objects;
}
