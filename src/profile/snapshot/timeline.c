/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The run over time, at the period chosen by its volatility, and its phases. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "profile/snapshot/builders.h"
#include "profile/time/streams.h"

/* The streams of each kind in a snapshot. */
enum { STREAMS_SHOWN = 12 }; /* of objects, functions, thread groups */

/* All streams of one kind and measure, largest first. The caller frees the list. */
struct streams_sorted {
    const struct stream **list;
    size_t count;
};

/* Returns the timeline to show; for a time range it is that of the whole run. */
static inline const struct timeline *build_timeline_of(const struct build *build)
{
    const struct profile *run = build->profile->options.run;
    return run ? &run->timeline : &build->profile->timeline;
}

enum {
    FIELDS_SHOWN = 36,
    FIELDS_OF_ONE = 9, /* per object */
    NAME_BYTES = 256
};

static struct streams_sorted streams_sort(struct build *build, const struct streams *streams,
                                          unsigned kind)
{
    struct streams_sorted sorted = {
        build_scratch(build, streams->count + 1, sizeof(struct stream *)), 0};
    for (size_t i = 0; sorted.list && i < streams->count; i++)
        if (STREAM_KIND(streams->list[i].key) == kind)
            sorted.list[sorted.count++] = &streams->list[i];
    if (sorted.list)
        SORT_POINTERS(sorted.list, sorted.count, LARGEST(struct stream, total));
    return sorted;
}

static double *curve_of(struct build *build, const struct streams *streams,
                        const struct stream *stream, size_t by)
{
    double *curve = build_array(build, streams->points / by, sizeof *curve);
    if (curve && stream)
        streams_curve(streams, stream, by, curve);
    return curve;
}

static double *volatilities_of(struct build *build, const struct stream *stream, size_t count)
{
    struct volatility profile[VOLATILITY_PERIODS_MAX];
    struct volatility_curve curve = {stream->at, 1};
    double *values = build_array(build, count, sizeof *values);
    volatility_profile_of(&curve, 1, timeline_ranking(build_timeline_of(build))->points, profile);
    for (size_t i = 0; values && i < count; i++)
        values[i] = profile[i].value;
    return values;
}

/* The streams of one measure to list, at a period in base periods. */
struct listing {
    const struct streams *streams;
    size_t period_steps;
    bool ranks;
    const struct snapshot_timeline *shown;
};

static struct snapshot_stream build_stream(struct build *build, const struct listing *listing,
                                           const struct stream *stream)
{
    const struct stream *all = streams_find(listing->streams, STREAM_KEY(STREAM_ALL, 0));
    double *curve = curve_of(build, listing->streams, stream, listing->period_steps);
    bool profiled = listing->ranks && STREAM_KIND(stream->key) == STREAM_OBJECT;
    return (struct snapshot_stream){
        .object = UINT32_MAX,
        .weight = curve,
        .share = all && all->total > 0 ? stream->total / all->total : NAN,
        .volatility = curve ? volatility_of(curve, listing->shown->periods) : NAN,
        .volatilities =
            profiled ? volatilities_of(build, stream, listing->shown->profile_count) : NULL};
}

static void streams_name(struct build *build, const struct stream *stream,
                         struct snapshot_stream *shown)
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
        shown->name = build_function_name(build, id);
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

/* Returns true if a field is to be listed: of a listed object with fewer than FIELDS_OF_ONE. */
static bool is_field_wanted(const struct snapshot_streams *so_far,
                            const struct snapshot_stream *field)
{
    unsigned of_it = 0;
    for (size_t i = 0; i < so_far->count; i++)
        of_it += so_far->list[i].object == field->object;
    return field->object != UINT32_MAX && of_it < FIELDS_OF_ONE;
}

/* Returns the curve of the same row: several objects of one row share a curve. */
static struct snapshot_stream *find_stream_of_row(const struct build *build, unsigned kind,
                                                  const struct snapshot_streams *so_far,
                                                  uint32_t object)
{
    for (size_t i = 0; build->parts && kind == STREAM_OBJECT && i < so_far->count; i++)
        if (object != UINT32_MAX && so_far->list[i].object == object)
            return &so_far->list[i];
    return NULL;
}

static void add_curve(struct build *build, const struct listing *listing,
                      const struct stream *stream, struct snapshot_stream *sum)
{
    struct snapshot_stream more = build_stream(build, listing, stream);
    for (size_t i = 0; more.weight && sum->weight && i < listing->shown->periods; i++)
        sum->weight[i] += more.weight[i];
    sum->share += more.share;
    if (sum->weight)
        sum->volatility = volatility_of(sum->weight, listing->shown->periods);
}

static struct snapshot_streams streams_list(struct build *build, const struct listing *listing,
                                            const struct streams_sorted *sorted, size_t most)
{
    size_t room = sorted->count < most ? sorted->count : most;
    struct snapshot_streams streams = {build_array(build, room, sizeof *streams.list), 0};
    for (size_t i = 0; i < sorted->count && streams.count < most && !build->failed; i++) {
        struct snapshot_stream one = {.object = UINT32_MAX};
        streams_name(build, sorted->list[i], &one);
        if (STREAM_KIND(sorted->list[i]->key) == STREAM_FIELD && !is_field_wanted(&streams, &one))
            continue;
        struct snapshot_stream *same =
            find_stream_of_row(build, STREAM_KIND(sorted->list[i]->key), &streams, one.object);
        if (same) {
            add_curve(build, listing, sorted->list[i], same);
            continue;
        }
        struct snapshot_stream *stream = &streams.list[streams.count++];
        *stream = build_stream(build, listing, sorted->list[i]);
        stream->object = one.object;
        stream->name = one.name;
    }
    return streams;
}

static struct snapshot_streams list_kind(struct build *build, const struct listing *listing,
                                         unsigned kind, size_t most)
{
    struct streams_sorted sorted = streams_sort(build, listing->streams, kind);
    struct snapshot_streams streams = {NULL, 0};
    if (!build->failed)
        streams = streams_list(build, listing, &sorted, most);
    free(sorted.list);
    return streams;
}

/* Lists the streams of a measure; those of a measure that is not sampled stay empty. */
static void list_measure(struct build *build, const struct listing *listing,
                         struct snapshot_measured *measured)
{
    const struct stream *all = streams_find(listing->streams, STREAM_KEY(STREAM_ALL, 0));
    const struct stream *no_object = streams_find(listing->streams, STREAM_KEY(STREAM_NONE, 0));
    if (!all && !listing->ranks)
        return;
    measured->all = curve_of(build, listing->streams, all, listing->period_steps);
    if (no_object)
        measured->no_object = curve_of(build, listing->streams, no_object, listing->period_steps);
    measured->objects = list_kind(build, listing, STREAM_OBJECT, STREAMS_SHOWN);
    measured->functions = list_kind(build, listing, STREAM_FUNCTION, STREAMS_SHOWN);
    measured->fields = list_kind(build, listing, STREAM_FIELD, FIELDS_SHOWN);
    measured->threads = list_kind(build, listing, STREAM_THREADS, STREAMS_SHOWN);
}

/* Lists all kinds of all measures in `shown`, which already has its profile, at `by` base periods.
 * Returns the objects of the ranking event; build->failed: out of memory. */
static struct streams_sorted build_streams(struct build *build, size_t by,
                                           struct snapshot_timeline *shown)
{
    const struct timeline *timeline = build_timeline_of(build);
    shown->periods = timeline_ranking(timeline)->points / by;
    shown->ranking_measure = timeline->ranking_measure;
    for (int i = 0; i < SNAPSHOT_MEASURES && !build->failed; i++) {
        bool ranks = i == (int)timeline->ranking_measure;
        list_measure(build, &(struct listing){&timeline->by_measure[i], by, ranks, shown},
                     &shown->by_measure[i]);
    }
    return streams_sort(build, timeline_ranking(timeline), STREAM_OBJECT);
}

enum { PHASES_SHOWN = 500, COMPARED = 256 };

/* The base points of a phase, and the total of all objects in them. */
struct span {
    size_t first;
    size_t end;
    double all;
    double no_object; /* samples without an object */
};

/* Returns the elapsed time in seconds at a time of the samples' clock. */
static double build_seconds(const struct build *build, uint64_t now_ns, uint64_t at_ns)
{
    double back = now_ns >= at_ns ? (double)(now_ns - at_ns) : -(double)(at_ns - now_ns);
    return build->snapshot->elapsed_s - back / 1e9;
}

static double sum_over_span(const struct stream *stream, const struct span *span)
{
    double sum = 0;
    for (size_t i = span->first; i < span->end; i++)
        sum += stream->at[i];
    return sum;
}

/* Returns the points that are completely within a segment, because others include misses of its
 * neighbours; if there are none, the point in the middle. */
static struct span phase_span(const struct streams *streams, const struct phases_segment *segment)
{
    const struct stream *all = streams_find(streams, STREAM_KEY(STREAM_ALL, 0));
    const struct stream *no_object = streams_find(streams, STREAM_KEY(STREAM_NONE, 0));
    uint64_t period_ns = streams->period_ns;
    uint64_t from_ns = segment->start_ns - streams->start_ns;
    uint64_t to_ns = segment->end_ns - streams->start_ns;
    if (segment->start_ns < streams->start_ns)
        from_ns = 0;
    if (segment->end_ns < streams->start_ns)
        to_ns = 0;
    struct span span = {(size_t)((from_ns + period_ns - 1) / period_ns),
                        (size_t)(to_ns / period_ns), 0, 0};
    if (span.end <= span.first) {
        span.first = (size_t)((from_ns + to_ns) / 2 / period_ns);
        span.end = span.first + 1;
    }
    if (span.end > streams->points + 1)
        span.end = streams->points + 1;
    if (all)
        span.all = sum_over_span(all, &span);
    if (no_object)
        span.no_object = sum_over_span(no_object, &span);
    return span;
}

/* Returns the stream with most misses in a phase; NULL: none has any. */
static const struct stream *find_phase_leader(const struct streams_sorted *objects,
                                              const struct span *span, double *weight)
{
    const struct stream *leader = NULL;
    *weight = 0;
    for (size_t i = 0; i < objects->count; i++) {
        /* Sorted by total: no later stream has more. */
        if (objects->list[i]->total <= *weight)
            break;
        double sum = sum_over_span(objects->list[i], span);
        if (sum > *weight) {
            *weight = sum;
            leader = objects->list[i];
        }
    }
    return leader;
}

/* Returns the stream with the largest gain of share from `less` to `more`, and the gain. */
static const struct stream *find_largest_gain(const struct streams_sorted *objects,
                                              const struct span *more, const struct span *less,
                                              double *by)
{
    const struct stream *found = NULL;
    *by = 0;
    for (size_t i = 0; i < objects->count && more->all > 0 && less->all > 0; i++) {
        const struct stream *stream = objects->list[i];
        /* Sorted by total: no later stream can have a larger share. */
        if (stream->total / more->all <= *by)
            break;
        double apart =
            sum_over_span(stream, more) / more->all - sum_over_span(stream, less) / less->all;
        if (apart > *by) {
            *by = apart;
            found = stream;
        }
    }
    return found;
}

/* Returns the share of the misses that moved (total variation); streams beyond the first COMPARED
 * count as one. */
static double span_distance(const struct streams_sorted *objects, const struct span *before,
                            const struct span *span)
{
    double rest = 0;
    double apart = 0;
    if (!(before->all > 0) || !(span->all > 0))
        return NAN;
    for (size_t i = 0; i < objects->count && i < COMPARED; i++) {
        double more = sum_over_span(objects->list[i], span) / span->all -
                      sum_over_span(objects->list[i], before) / before->all;
        apart += fabs(more) / 2;
        rest -= more;
    }
    return fmin(apart + fabs(rest) / 2, 1);
}

static const char *stream_object_name(struct build *build, const struct stream *stream)
{
    return stream ? build_object_name(build, STREAM_ID(stream->key)) : NULL;
}

static void set_phase_leader(struct build *build, const struct streams_sorted *objects,
                             const struct span *span, struct snapshot_phase *shown)
{
    double weight;
    const struct stream *leader = find_phase_leader(objects, span, &weight);
    shown->object = leader ? build_object_index(build, STREAM_ID(leader->key)) : UINT32_MAX;
    shown->leader = stream_object_name(build, leader);
    shown->leader_share = leader && span->all > 0 ? weight / span->all : NAN;
}

static void phases_compare(struct build *build, const struct streams_sorted *objects,
                           const struct span *before, const struct span *span,
                           struct snapshot_phase *shown)
{
    double by;
    shown->distance = span_distance(objects, before, span);
    shown->gained_object = stream_object_name(build, find_largest_gain(objects, span, before, &by));
    shown->gained_share = shown->gained_object ? by : NAN;
    shown->lost_object = stream_object_name(build, find_largest_gain(objects, before, span, &by));
    shown->lost_share = shown->lost_object ? by : NAN;
}

static void phases_share(struct build *build, const struct streams_sorted *objects, size_t count,
                         const struct span *span, struct snapshot_phase *shown)
{
    double everything = span->all + span->no_object;
    shown->no_object = everything > 0 ? span->no_object / everything : NAN;
    if (!(span->all > 0))
        return;
    shown->shares = build_array(build, count, sizeof *shown->shares);
    for (size_t i = 0; i < count && shown->shares; i++)
        shown->shares[i] = sum_over_span(objects->list[i], span) / span->all;
}

/* Returns true if a phase with the same letter was listed before. */
static bool is_repeated(const struct phases_segment *segments, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (segments[i].phase == segments[index].phase && segments[i].phase != PHASES_NONE)
            return true;
    return false;
}

static void phases_list(struct build *build, const struct streams_sorted *objects, uint64_t now_ns,
                        struct snapshot_timeline *shown)
{
    const struct timeline *timeline = build_timeline_of(build);
    const struct phases *phases = &timeline->phases;
    size_t count = phases->segment_count < PHASES_SHOWN ? phases->segment_count : PHASES_SHOWN;
    struct phases_segment *segments = build_array(build, count, sizeof *segments);
    count = segments ? phases_newest(phases, segments, count) : 0;
    struct span before = {0, 0, 0, 0};
    shown->phases = build_array(build, count, sizeof *shown->phases);
    for (size_t i = 0; i < count && !build->failed; i++) {
        struct snapshot_phase *phase = &shown->phases[shown->phase_count++];
        struct span span = phase_span(timeline_ranking(timeline), &segments[i]);
        *phase = (struct snapshot_phase){
            .start_s = build_seconds(build, now_ns, segments[i].start_ns),
            .end_s = build_seconds(build, now_ns, segments[i].end_ns),
            .samples = segments[i].samples,
            .detected_s = segments[i].detected_ns
                              ? build_seconds(build, now_ns, segments[i].detected_ns)
                              : NAN,
            .distance = NAN,
            .gained_share = NAN,
            .lost_share = NAN};
        uint8_t letter = segments[i].phase;
        phase->has_recurred =
            i + 1 == count ? letter < phases->known_count : is_repeated(segments, i);
        if (letter != PHASES_NONE)
            snprintf(phase->name, sizeof phase->name, "%c", 'A' + letter);
        set_phase_leader(build, objects, &span, phase);
        phases_share(build, objects, snapshot_timeline_ranking(shown)->objects.count, &span, phase);
        if (i)
            phases_compare(build, objects, &before, &span, phase);
        phase->leader_changed =
            i && phase->leader && phase[-1].leader && phase->object != phase[-1].object;
        before = span;
    }
}

/* Lists and counts the phases; the streams are already in `shown`. `objects`: from build_streams().
 * build->failed: out of memory. */
static void build_phases(struct build *build, const struct streams_sorted *objects, uint64_t now_ns,
                         struct snapshot_timeline *shown)
{
    const struct phases *phases = &build_timeline_of(build)->phases;
    phases_list(build, objects, now_ns, shown);
    /* The current time range is another phase, unless it matches a known one. */
    shown->distinct_phases = phases->known_count + (phases_now(phases) == PHASES_NONE);
}

enum {
    STREAMS_PROFILED = 8,
    ALTERNATIONS_SHOWN = 8,
    ALTERNATION_POINTS = 12 /* minimum points for a meaningful correlation */
};

/* Maximum correlation of two shares that take turns. */
static const double turns_at = -0.6;
static const double turns_share = 0.05; /* minimum share of the misses of both */

/* Returns Pearson's correlation of the shares of two streams over time. */
static double share_correlation(const struct snapshot_timeline *shown, const double *left,
                                const double *right)
{
    double sums[5] = {0};
    double count = 0;
    const double *all = snapshot_timeline_ranking(shown)->all;
    for (size_t i = 0; i < shown->periods; i++) {
        if (!(all[i] > 0))
            continue;
        double x = left[i] / all[i];
        double y = right[i] / all[i];
        sums[0] += x;
        sums[1] += y;
        sums[2] += x * x;
        sums[3] += y * y;
        sums[4] += x * y;
        count++;
    }
    double x_spread = sums[2] - sums[0] * sums[0] / count;
    double y_spread = sums[3] - sums[1] * sums[1] / count;
    if (count < ALTERNATION_POINTS || !(x_spread > 1e-9) || !(y_spread > 1e-9))
        return 0;
    return (sums[4] - sums[0] * sums[1] / count) / sqrt(x_spread * y_spread);
}

static void list_turns(struct build *build, struct snapshot_timeline *shown)
{
    struct snapshot_alternation all[STREAMS_SHOWN * STREAMS_SHOWN / 2];
    const struct snapshot_streams *objects = &snapshot_timeline_ranking(shown)->objects;
    size_t count = 0;
    for (uint32_t i = 0; i < objects->count; i++) {
        for (uint32_t k = i + 1; k < objects->count; k++) {
            double r = share_correlation(shown, objects->list[i].weight, objects->list[k].weight);
            if (r <= turns_at && objects->list[k].share >= turns_share)
                all[count++] = (struct snapshot_alternation){i, k, r};
        }
    }
    SORT(all, count, SMALLEST(struct snapshot_alternation, correlation));
    shown->alternation_count = count < ALTERNATIONS_SHOWN ? count : ALTERNATIONS_SHOWN;
    shown->alternations = build_array(build, shown->alternation_count, sizeof *shown->alternations);
    for (size_t i = 0; i < shown->alternation_count && shown->alternations; i++)
        shown->alternations[i] = all[i];
}

static struct snapshot_volatility *
copy_profile(struct build *build, const struct volatility *profile, size_t count, double base_s)
{
    struct snapshot_volatility *copy = build_array(build, count, sizeof *copy);
    for (size_t i = 0; i < count && copy; i++)
        copy[i] = (struct snapshot_volatility){(double)profile[i].period_steps * base_s,
                                               profile[i].value};
    return copy;
}

/* Returns the longest period that still gives two points in the shortest phase, because longer ones
 * would hide that phase in the chart. 0: no phase has ended. */
static size_t longest_phase_period(const struct timeline *timeline)
{
    const struct phases *phases = &timeline->phases;
    uint64_t shortest_ns = phases_shortest_ns(phases);
    /* The first phase may have started before the observation, but it is drawn. */
    if (phases->segment_count > 1) {
        uint64_t first_ns = phases->segments[0].end_ns - phases->segments[0].start_ns;
        if (!shortest_ns || first_ns < shortest_ns)
            shortest_ns = first_ns;
    }
    size_t most = (size_t)(shortest_ns / (2 * timeline_ranking(timeline)->period_ns));
    return most || !shortest_ns ? most : 1;
}

/* Limits the period if no period damps the noise: the calmest one could reduce the chart to a few
 * coarse blocks. */
static size_t limit_period(const struct streams *streams, size_t by)
{
    enum { POINTS_MIN = 60 };
    size_t most = streams->points / POINTS_MIN;
    by = by < most ? by : most;
    return by ? by : 1;
}

static size_t list_profile(struct build *build, struct snapshot_timeline *shown)
{
    const struct timeline *timeline = build_timeline_of(build);
    const struct streams *streams = timeline_ranking(timeline);
    struct volatility profile[VOLATILITY_PERIODS_MAX];
    size_t count = volatility_profile(streams, STREAM_OBJECT, STREAMS_PROFILED, profile);
    size_t by = volatility_period(profile, count, SNAPSHOT_VOLATILITY_DAMPED);
    size_t most = longest_phase_period(timeline);
    shown->profile = copy_profile(build, profile, count, shown->base_s);
    shown->profile_count = shown->profile ? count : 0;
    for (size_t i = 0; i < count; i++)
        if (profile[i].period_steps == by && profile[i].value <= SNAPSHOT_VOLATILITY_DAMPED)
            shown->damping_period_s = (double)by * shown->base_s;
    if (isnan(shown->damping_period_s))
        by = limit_period(streams, by);
    return most && most < by ? most : by;
}

/* Recommends a refresh interval. An interval longer than half of the shortest phase would miss that
 * phase. If no period damps the noise, a longer interval does not help. */
static void list_recent(struct build *build, struct snapshot_timeline *shown)
{
    const struct timeline *timeline = build_timeline_of(build);
    const struct recent *recent = &timeline->recent;
    const double base_s = (double)TIMELINE_BASE_NS / 1e9;
    double shortest_s = (double)phases_shortest_ns(&timeline->phases) / 1e9;
    shown->recent = copy_profile(build, recent->profile, recent->profile_count, base_s);
    shown->recent_count = shown->recent ? recent->profile_count : 0;
    shown->recent_is_damped = recent_is_damped(recent);
    if (!recent->period_steps)
        return;
    shown->recent_s = (double)recent->period_steps * base_s;
    if (shown->recent_is_damped)
        shown->display_s = shortest_s > 0 ? fmin(shown->recent_s, shortest_s / 2) : shown->recent_s;
}

void build_timeline(struct build *build)
{
    uint64_t now_ns = build->now_ns;
    const struct timeline *timeline = build_timeline_of(build);
    struct snapshot_timeline *shown = &build->snapshot->timeline;
    *shown = (struct snapshot_timeline){.start_s = NAN,
                                        .period_s = NAN,
                                        .base_s = NAN,
                                        .damping_period_s = NAN,
                                        .recent_s = NAN,
                                        .display_s = NAN};
    if (!timeline->started || !timeline->phases.segments)
        return;
    const struct streams *streams = timeline_ranking(timeline);
    if (build->profile->options.run)
        now_ns = build->profile->options.run->decay.now_ns;
    shown->start_s = build_seconds(build, now_ns, streams->start_ns);
    shown->start_ns = streams->start_ns;
    shown->base_s = (double)streams->period_ns / 1e9;
    size_t by = list_profile(build, shown);
    shown->period_s = (double)by * shown->base_s;
    list_recent(build, shown);
    struct streams_sorted objects = build_streams(build, by, shown);
    if (!build->failed)
        build_phases(build, &objects, now_ns, shown);
    if (!build->failed)
        list_turns(build, shown);
    free(objects.list);
}
