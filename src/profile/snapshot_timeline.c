/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The run over time, at the period that its volatility speaks for, and its phases. */
#include "profile/state.h"
#include "profile/volatility.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    STREAMS_SHOWN = 12,
    STREAMS_PROFILED = 8,
    PHASES_SHOWN = 500,
    TURNS_SHOWN = 8,
    TURNS_POINTS = 12 /* of a curve, for a correlation to mean something */
};

/* DTrack selects by a threshold on volatility (4.3), of which it names none. */
static const double quiet = 0.25;

/* Shares that go against each other like this take turns. */
static const double turns_at = -0.6;
static const double turns_share = 0.05; /* of the misses that both must have */

/* Beside the tables of a stretch stands the run that it is of. */
static const struct timeline *timeline_of(const struct build *build)
{
    const struct profile *run = build->profile->options.run;
    return run ? &run->timeline : &build->profile->timeline;
}

static double seconds(const struct build *build, uint64_t now_ns, uint64_t at_ns)
{
    double back = now_ns >= at_ns ? (double)(now_ns - at_ns) : -(double)(at_ns - now_ns);
    return build->snapshot->elapsed_s - back / 1e9;
}

static const char *object_name(const struct build *build, uint32_t id)
{
    const struct place_names *names = &build->profile->options.names;
    struct object_desc desc;
    bool known = names->object && names->object(names->context, id, &desc);
    return arena_string(build->arena, known && desc.name ? desc.name : "unknown");
}

static int most(const void *left, const void *right)
{
    const struct stream *a = *(const struct stream *const *)left;
    const struct stream *b = *(const struct stream *const *)right;
    return a->total > b->total ? -1 : a->total < b->total;
}

/* All streams, most misses first; NULL: out of memory. */
static const struct stream **sorted_streams(const struct streams *streams)
{
    const struct stream **sorted = calloc(streams->count + 1, sizeof(struct stream *));
    for (size_t i = 0; sorted && i < streams->count; i++)
        sorted[i] = &streams->list[i];
    if (sorted)
        qsort(sorted, streams->count, sizeof *sorted, most);
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

static void list_streams(struct build *build, const struct stream **sorted, size_t by,
                         struct snapshot_timeline *shown)
{
    const struct timeline *timeline = timeline_of(build);
    const struct stream *all = streams_find(&timeline->all, 0);
    size_t count =
        timeline->objects.count < STREAMS_SHOWN ? timeline->objects.count : (size_t)STREAMS_SHOWN;
    shown->periods = timeline->objects.points / by;
    shown->all = curve_of(build, &timeline->all, all, by);
    shown->streams = arena_array(build->arena, count, sizeof *shown->streams);
    build->failed |= !shown->streams;
    for (size_t i = 0; i < count && !build->failed; i++) {
        double *curve = curve_of(build, &timeline->objects, sorted[i], by);
        shown->streams[shown->stream_count++] = (struct snapshot_stream){
            .object = build_object_index(build, (uint32_t)sorted[i]->key),
            .name = object_name(build, (uint32_t)sorted[i]->key),
            .weight = curve,
            .share = all && all->total > 0 ? sorted[i]->total / all->total : NAN,
            .volatility = curve ? volatility_of(curve, shown->periods) : NAN};
    }
}

/* The stream with most misses in a stretch of base points. */
static const struct stream *leader_of(const struct streams *streams, const struct stream **sorted,
                                      size_t first, size_t end, double *weight)
{
    const struct stream *leader = NULL;
    *weight = 0;
    for (size_t i = 0; i < streams->count; i++) {
        double sum = 0;
        /* They come by their totals: none that follows has more. */
        if (sorted[i]->total <= *weight)
            break;
        for (size_t k = first; k < end; k++)
            sum += sorted[i]->at[k];
        if (sum > *weight) {
            *weight = sum;
            leader = sorted[i];
        }
    }
    return leader;
}

static size_t point_at(const struct streams *streams, uint64_t at_ns)
{
    uint64_t since = at_ns > streams->start_ns ? at_ns - streams->start_ns : 0;
    size_t point = (size_t)((since + streams->period_ns / 2) / streams->period_ns);
    return point < streams->points ? point : streams->points;
}

static void lead(struct build *build, const struct stream **sorted,
                 const struct phases_segment *segment, struct snapshot_phase *shown)
{
    const struct timeline *timeline = timeline_of(build);
    const struct streams *streams = &timeline->objects;
    const struct stream *all = streams_find(&timeline->all, 0);
    size_t first = point_at(streams, segment->start_ns);
    size_t end = point_at(streams, segment->end_ns);
    double weight;
    double whole = 0;
    /* Shorter than a point: the one it lies in. */
    if (end <= first)
        end = first + 1;
    const struct stream *leader = leader_of(streams, sorted, first, end, &weight);
    for (size_t k = first; all && k < end; k++)
        whole += all->at[k];
    shown->object = leader ? build_object_index(build, (uint32_t)leader->key) : UINT32_MAX;
    shown->leader = leader ? object_name(build, (uint32_t)leader->key) : NULL;
    shown->leader_share = leader && whole > 0 ? weight / whole : NAN;
}

static void list_phases(struct build *build, const struct stream **sorted, uint64_t now_ns,
                        struct snapshot_timeline *shown)
{
    const struct phases *phases = &timeline_of(build)->phases;
    size_t count = phases->segment_count < PHASES_SHOWN ? phases->segment_count : PHASES_SHOWN;
    const struct phases_segment *segments = phases->segments + (phases->segment_count - count);
    shown->phases = arena_array(build->arena, count, sizeof *shown->phases);
    build->failed |= !shown->phases;
    for (size_t i = 0; i < count && !build->failed; i++) {
        struct snapshot_phase *phase = &shown->phases[shown->phase_count++];
        *phase = (struct snapshot_phase){.start_s = seconds(build, now_ns, segments[i].start_ns),
                                         .end_s = seconds(build, now_ns, segments[i].end_ns),
                                         .samples = segments[i].samples,
                                         .distance = segments[i].distance};
        uint8_t name = segments[i].phase;
        if (i + 1 == count)
            name = phases_now(phases);
        if (name != PHASES_NONE)
            snprintf(phase->name, sizeof phase->name, "%c", 'A' + name);
        lead(build, sorted, &segments[i], phase);
        phase->inversion =
            i && phase->leader && phase[-1].leader && phase->object != phase[-1].object;
    }
}

/* Pearson's, of the shares that two streams have of each period. */
static double correlation(const struct snapshot_timeline *shown, const double *left,
                          const double *right)
{
    double sums[5] = {0};
    double count = 0;
    for (size_t i = 0; i < shown->periods; i++) {
        if (!(shown->all[i] > 0))
            continue;
        double x = left[i] / shown->all[i];
        double y = right[i] / shown->all[i];
        sums[0] += x;
        sums[1] += y;
        sums[2] += x * x;
        sums[3] += y * y;
        sums[4] += x * y;
        count++;
    }
    double x_spread = sums[2] - sums[0] * sums[0] / count;
    double y_spread = sums[3] - sums[1] * sums[1] / count;
    if (count < TURNS_POINTS || !(x_spread > 1e-9) || !(y_spread > 1e-9))
        return 0;
    return (sums[4] - sums[0] * sums[1] / count) / sqrt(x_spread * y_spread);
}

static int strongest(const void *left, const void *right)
{
    const struct snapshot_turns *a = left;
    const struct snapshot_turns *b = right;
    return (a->correlation > b->correlation) - (a->correlation < b->correlation);
}

static void list_turns(struct build *build, struct snapshot_timeline *shown)
{
    struct snapshot_turns all[STREAMS_SHOWN * STREAMS_SHOWN / 2];
    size_t count = 0;
    for (uint32_t i = 0; i < shown->stream_count; i++) {
        for (uint32_t k = i + 1; k < shown->stream_count; k++) {
            double r = correlation(shown, shown->streams[i].weight, shown->streams[k].weight);
            if (r <= turns_at && shown->streams[k].share >= turns_share)
                all[count++] = (struct snapshot_turns){i, k, r};
        }
    }
    qsort(all, count, sizeof *all, strongest);
    shown->turn_count = count < TURNS_SHOWN ? count : TURNS_SHOWN;
    shown->turns = arena_array(build->arena, shown->turn_count, sizeof *shown->turns);
    build->failed |= !shown->turns;
    for (size_t i = 0; i < shown->turn_count && shown->turns; i++)
        shown->turns[i] = all[i];
}

static size_t list_profile(struct build *build, struct snapshot_timeline *shown)
{
    const struct streams *streams = &timeline_of(build)->objects;
    struct volatility profile[VOLATILITY_PERIODS_MAX];
    size_t count = volatility_profile(streams, STREAMS_PROFILED, profile);
    size_t by = volatility_period(profile, count, quiet);
    shown->profile = arena_array(build->arena, count, sizeof *shown->profile);
    build->failed |= !shown->profile;
    for (size_t i = 0; i < count && shown->profile; i++)
        shown->profile[shown->profile_count++] =
            (struct snapshot_volatility){(double)profile[i].by * shown->base_s, profile[i].value};
    return by ? by : 1;
}

static const char *read_phases(struct build *build, const struct snapshot_timeline *shown)
{
    size_t different = timeline_of(build)->phases.known_count;
    size_t inversions = 0;
    const struct snapshot_phase *now =
        shown->phase_count ? &shown->phases[shown->phase_count - 1] : NULL;
    for (size_t i = 0; i < shown->phase_count; i++)
        inversions += shown->phases[i].inversion;
    if (!now || !now->leader)
        return "No misses yet.";
    if (shown->phase_count == 1)
        return arena_printf(build->arena,
                            "One phase so far: the shares of the objects have not changed; %s "
                            "leads.",
                            now->leader);
    return arena_printf(build->arena,
                        "%zu stretches of %zu phases that have ended; another object leads after "
                        "%zu of the changes. Since %.1f s %s leads.",
                        shown->phase_count, different, inversions, now->start_s, now->leader);
}

void build_timeline(struct build *build, uint64_t now_ns)
{
    const struct timeline *timeline = timeline_of(build);
    struct snapshot_timeline *shown = &build->snapshot->timeline;
    *shown = (struct snapshot_timeline){.start_s = NAN, .period_s = NAN, .base_s = NAN};
    if (!timeline->started || !timeline->phases.segments)
        return;
    if (build->profile->options.run)
        now_ns = build->profile->options.run->decay.now_ns;
    const struct stream **sorted = sorted_streams(&timeline->objects);
    build->failed |= !sorted;
    if (build->failed)
        return;
    shown->start_s = seconds(build, now_ns, timeline->objects.start_ns);
    shown->base_s = (double)timeline->objects.period_ns / 1e9;
    size_t by = list_profile(build, shown);
    shown->period_s = (double)by * shown->base_s;
    list_streams(build, sorted, by, shown);
    if (!build->failed)
        list_phases(build, sorted, now_ns, shown);
    if (!build->failed)
        list_turns(build, shown);
    shown->reading = build->failed ? NULL : read_phases(build, shown);
    free(sorted);
}
