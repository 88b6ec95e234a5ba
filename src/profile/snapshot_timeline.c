/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The run over time, at the period that its volatility speaks for, and its phases. */
#include "profile/snapshot_streams.h"
#include "profile/volatility.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    STREAMS_PROFILED = 8,
    PHASES_SHOWN = 500,
    TURNS_SHOWN = 8,
    TURNS_POINTS = 12 /* of a curve, for a correlation to mean something */
};

/* Shares that go against each other like this take turns. */
static const double turns_at = -0.6;
static const double turns_share = 0.05; /* of the misses that both must have */

static double seconds(const struct build *build, uint64_t now_ns, uint64_t at_ns)
{
    double back = now_ns >= at_ns ? (double)(now_ns - at_ns) : -(double)(at_ns - now_ns);
    return build->snapshot->elapsed_s - back / 1e9;
}

/* The stream with most misses in a stretch of base points. */
static const struct stream *leader_of(const struct streams_sorted *sorted, size_t first, size_t end,
                                      double *weight)
{
    const struct stream *leader = NULL;
    *weight = 0;
    for (size_t i = 0; i < sorted->count; i++) {
        double sum = 0;
        /* They come by their totals: none that follows has more. */
        if (sorted->list[i]->total <= *weight)
            break;
        for (size_t k = first; k < end; k++)
            sum += sorted->list[i]->at[k];
        if (sum > *weight) {
            *weight = sum;
            leader = sorted->list[i];
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

static void lead(struct build *build, const struct streams_sorted *sorted,
                 const struct phases_segment *segment, struct snapshot_phase *shown)
{
    const struct timeline *timeline = build_timeline_of(build);
    const struct streams *streams = &timeline->streams;
    const struct stream *all = streams_find(streams, STREAM_KEY(STREAM_ALL, 0));
    size_t first = point_at(streams, segment->start_ns);
    size_t end = point_at(streams, segment->end_ns);
    double weight;
    double whole = 0;
    /* Shorter than a point: the one it lies in. */
    if (end <= first)
        end = first + 1;
    const struct stream *leader = leader_of(sorted, first, end, &weight);
    for (size_t k = first; all && k < end; k++)
        whole += all->at[k];
    shown->object = leader ? build_object_index(build, STREAM_ID(leader->key)) : UINT32_MAX;
    shown->leader = leader ? build_object_name(build, STREAM_ID(leader->key)) : NULL;
    shown->leader_share = leader && whole > 0 ? weight / whole : NAN;
}

/* A phase of its letter was listed before. */
static bool is_repeated(const struct phases_segment *segments, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (segments[i].phase == segments[index].phase && segments[i].phase != PHASES_NONE)
            return true;
    return false;
}

static void list_phases(struct build *build, const struct streams_sorted *sorted, uint64_t now_ns,
                        struct snapshot_timeline *shown)
{
    const struct phases *phases = &build_timeline_of(build)->phases;
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
        uint8_t name = i + 1 == count ? phases_letter(phases) : segments[i].phase;
        phase->again = i + 1 == count ? name < phases->known_count : is_repeated(segments, i);
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

static struct snapshot_volatility *
copy_profile(struct build *build, const struct volatility *profile, size_t count, double base_s)
{
    struct snapshot_volatility *copy = arena_array(build->arena, count, sizeof *copy);
    build->failed |= !copy;
    for (size_t i = 0; i < count && copy; i++)
        copy[i] = (struct snapshot_volatility){(double)profile[i].by * base_s, profile[i].value};
    return copy;
}

/* Where no period damps the noise, the calmest is no reason to draw a few coarse blocks: as many
 * points as the eye can use, and two in the shortest phase. */
static size_t keep_phases(const struct build *build, size_t by)
{
    enum { POINTS_LEAST = 60 };
    const struct timeline *timeline = build_timeline_of(build);
    const struct streams *streams = &timeline->streams;
    size_t most = streams->points / POINTS_LEAST;
    size_t of_phase = (size_t)(phases_shortest_ns(&timeline->phases) / (2 * streams->period_ns));
    if (of_phase && of_phase < most)
        most = of_phase;
    by = by < most ? by : most;
    return by ? by : 1;
}

static size_t list_profile(struct build *build, struct snapshot_timeline *shown)
{
    const struct streams *streams = &build_timeline_of(build)->streams;
    struct volatility profile[VOLATILITY_PERIODS_MAX];
    size_t count = volatility_profile(streams, STREAM_OBJECT, STREAMS_PROFILED, profile);
    size_t by = volatility_period(profile, count, SNAPSHOT_VOLATILITY_DAMPED);
    shown->profile = copy_profile(build, profile, count, shown->base_s);
    shown->profile_count = shown->profile ? count : 0;
    for (size_t i = 0; i < count; i++)
        if (profile[i].by == by && profile[i].value <= SNAPSHOT_VOLATILITY_DAMPED)
            return by;
    return keep_phases(build, by);
}

/* What is refreshed at more than half of the shortest phase would miss it. Where nothing damps the
 * noise, waiting longer shows nothing better. */
static void list_recent(struct build *build, struct snapshot_timeline *shown)
{
    const struct timeline *timeline = build_timeline_of(build);
    const struct recent *recent = &timeline->recent;
    const double base_s = (double)TIMELINE_BASE_NS / 1e9;
    double shortest_s = (double)phases_shortest_ns(&timeline->phases) / 1e9;
    shown->recent = copy_profile(build, recent->profile, recent->profile_count, base_s);
    shown->recent_count = shown->recent ? recent->profile_count : 0;
    shown->recent_damped = recent_is_damped(recent);
    if (!recent->by)
        return;
    shown->recent_s = (double)recent->by * base_s;
    if (shown->recent_damped)
        shown->display_s = shortest_s > 0 ? fmin(shown->recent_s, shortest_s / 2) : shown->recent_s;
}

static const char *read_phases(struct build *build, const struct snapshot_timeline *shown)
{
    const struct phases *phases = &build_timeline_of(build)->phases;
    /* What goes on is one more, unless it is known already. */
    size_t different = phases->known_count + (phases_now(phases) == PHASES_NONE);
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
                        "%zu stretches of %zu phases; another object leads after %zu of the "
                        "changes. %s leads since %.1f s.",
                        shown->phase_count, different, inversions, now->leader, now->start_s);
}

void build_timeline(struct build *build, uint64_t now_ns)
{
    const struct timeline *timeline = build_timeline_of(build);
    struct snapshot_timeline *shown = &build->snapshot->timeline;
    *shown = (struct snapshot_timeline){
        .start_s = NAN, .period_s = NAN, .base_s = NAN, .recent_s = NAN, .display_s = NAN};
    if (!timeline->started || !timeline->phases.segments)
        return;
    if (build->profile->options.run)
        now_ns = build->profile->options.run->decay.now_ns;
    shown->start_s = seconds(build, now_ns, timeline->streams.start_ns);
    shown->start_ns = timeline->streams.start_ns;
    shown->base_s = (double)timeline->streams.period_ns / 1e9;
    size_t by = list_profile(build, shown);
    shown->period_s = (double)by * shown->base_s;
    list_recent(build, shown);
    struct streams_sorted objects = build_streams(build, by, shown);
    if (!build->failed)
        list_phases(build, &objects, now_ns, shown);
    if (!build->failed)
        list_turns(build, shown);
    shown->reading = build->failed ? NULL : read_phases(build, shown);
    free(objects.list);
}
