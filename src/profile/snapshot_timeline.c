/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The run over time, at the period that its volatility speaks for, and its phases. */
#include "profile/snapshot_phases.h"
#include "profile/volatility.h"

#include <math.h>
#include <stdlib.h>

enum {
    STREAMS_PROFILED = 8,
    TURNS_SHOWN = 8,
    TURNS_POINTS = 12 /* of a curve, for a correlation to mean something */
};

/* Shares that go against each other like this take turns. */
static const double turns_at = -0.6;
static const double turns_share = 0.05; /* of the misses that both must have */

/* Pearson's, of the shares that two streams have of each period. */
static double correlation(const struct snapshot_timeline *shown, const double *left,
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
    const struct snapshot_streams *objects = &snapshot_timeline_ranking(shown)->objects;
    size_t count = 0;
    for (uint32_t i = 0; i < objects->count; i++) {
        for (uint32_t k = i + 1; k < objects->count; k++) {
            double r = correlation(shown, objects->list[i].weight, objects->list[k].weight);
            if (r <= turns_at && objects->list[k].share >= turns_share)
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

/* Two points in the shortest phase, or the picture would show none; as many more as there is room
 * for where the shortest is longer. 0: no phase has ended. */
static size_t most_of_phase(const struct timeline *timeline)
{
    const struct phases *phases = &timeline->phases;
    uint64_t shortest_ns = phases_shortest_ns(phases);
    /* Its beginning may not have been seen, but it is drawn. */
    if (phases->segment_count > 1) {
        uint64_t first_ns = phases->segments[0].end_ns - phases->segments[0].start_ns;
        if (!shortest_ns || first_ns < shortest_ns)
            shortest_ns = first_ns;
    }
    size_t most = (size_t)(shortest_ns / (2 * timeline_ranking(timeline)->period_ns));
    return most || !shortest_ns ? most : 1;
}

/* Where no period damps the noise, the calmest is no reason to draw a few coarse blocks, but
 * reason to draw as many points as the eye can use. */
static size_t keep_detail(const struct streams *streams, size_t by)
{
    enum { POINTS_LEAST = 60 };
    size_t most = streams->points / POINTS_LEAST;
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
    size_t most = most_of_phase(timeline);
    shown->profile = copy_profile(build, profile, count, shown->base_s);
    shown->profile_count = shown->profile ? count : 0;
    for (size_t i = 0; i < count; i++)
        if (profile[i].by == by && profile[i].value <= SNAPSHOT_VOLATILITY_DAMPED)
            shown->damped_s = (double)by * shown->base_s;
    if (isnan(shown->damped_s))
        by = keep_detail(streams, by);
    return most && most < by ? most : by;
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

void build_timeline(struct build *build, uint64_t now_ns)
{
    const struct timeline *timeline = build_timeline_of(build);
    struct snapshot_timeline *shown = &build->snapshot->timeline;
    *shown = (struct snapshot_timeline){.start_s = NAN,
                                        .period_s = NAN,
                                        .base_s = NAN,
                                        .damped_s = NAN,
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
