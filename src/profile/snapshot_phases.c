/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/snapshot_phases.h"

#include "base/text.h"

#include <math.h>
#include <stdio.h>

enum { PHASES_SHOWN = 500, COMPARED = 256 };

/* Base points of a stretch, and what all objects have in them. */
struct span {
    size_t first;
    size_t end;
    double all;
    double nobody; /* what has no object */
};

double build_seconds(const struct build *build, uint64_t now_ns, uint64_t at_ns)
{
    double back = now_ns >= at_ns ? (double)(now_ns - at_ns) : -(double)(at_ns - now_ns);
    return build->snapshot->elapsed_s - back / 1e9;
}

static double sum_of(const struct stream *stream, const struct span *span)
{
    double sum = 0;
    for (size_t i = span->first; i < span->end; i++)
        sum += stream->at[i];
    return sum;
}

/* Only points that lie in it as a whole, for the others hold misses of its neighbours; where there
 * is none, the one in its middle. */
static struct span span_of(const struct streams *streams, const struct phases_segment *segment)
{
    const struct stream *all = streams_find(streams, STREAM_KEY(STREAM_ALL, 0));
    const struct stream *nobody = streams_find(streams, STREAM_KEY(STREAM_NOBODY, 0));
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
        span.all = sum_of(all, &span);
    if (nobody)
        span.nobody = sum_of(nobody, &span);
    return span;
}

/* The stream with most misses in a stretch; NULL: none has any. */
static const struct stream *leader_of(const struct streams_sorted *objects, const struct span *span,
                                      double *weight)
{
    const struct stream *leader = NULL;
    *weight = 0;
    for (size_t i = 0; i < objects->count; i++) {
        /* They come by their totals: none that follows has more. */
        if (objects->list[i]->total <= *weight)
            break;
        double sum = sum_of(objects->list[i], span);
        if (sum > *weight) {
            *weight = sum;
            leader = objects->list[i];
        }
    }
    return leader;
}

/* The stream whose share is higher in `more` than in `less` by most, and by how much (0 to 1). */
static const struct stream *most_apart(const struct streams_sorted *objects,
                                       const struct span *more, const struct span *less, double *by)
{
    const struct stream *found = NULL;
    *by = 0;
    for (size_t i = 0; i < objects->count && more->all > 0 && less->all > 0; i++) {
        const struct stream *stream = objects->list[i];
        /* By their totals: no share of those that follow can be higher than that. */
        if (stream->total / more->all <= *by)
            break;
        double apart = sum_of(stream, more) / more->all - sum_of(stream, less) / less->all;
        if (apart > *by) {
            *by = apart;
            found = stream;
        }
    }
    return found;
}

/* The part of the misses that fell elsewhere (total variation); those beyond the first are one. */
static double apart_by(const struct streams_sorted *objects, const struct span *before,
                       const struct span *span)
{
    double rest = 0;
    double apart = 0;
    if (!(before->all > 0) || !(span->all > 0))
        return NAN;
    for (size_t i = 0; i < objects->count && i < COMPARED; i++) {
        double more = sum_of(objects->list[i], span) / span->all -
                      sum_of(objects->list[i], before) / before->all;
        apart += fabs(more) / 2;
        rest -= more;
    }
    return fmin(apart + fabs(rest) / 2, 1);
}

static const char *name_of(const struct build *build, const struct stream *stream)
{
    return stream ? build_object_name(build, STREAM_ID(stream->key)) : NULL;
}

static void lead(struct build *build, const struct streams_sorted *objects, const struct span *span,
                 struct snapshot_phase *shown)
{
    double weight;
    const struct stream *leader = leader_of(objects, span, &weight);
    shown->object = leader ? build_object_index(build, STREAM_ID(leader->key)) : UINT32_MAX;
    shown->leader = name_of(build, leader);
    shown->leader_share = leader && span->all > 0 ? weight / span->all : NAN;
}

static void compare(struct build *build, const struct streams_sorted *objects,
                    const struct span *before, const struct span *span,
                    struct snapshot_phase *shown)
{
    double by;
    shown->distance = apart_by(objects, before, span);
    shown->rose = name_of(build, most_apart(objects, span, before, &by));
    shown->rose_by = shown->rose ? by : NAN;
    shown->fell = name_of(build, most_apart(objects, before, span, &by));
    shown->fell_by = shown->fell ? by : NAN;
}

/* Of the streams that are listed. */
static void share(struct build *build, const struct streams_sorted *objects, size_t count,
                  const struct span *span, struct snapshot_phase *shown)
{
    double everything = span->all + span->nobody;
    shown->nobody = everything > 0 ? span->nobody / everything : NAN;
    if (!(span->all > 0))
        return;
    shown->shares = arena_array(build->arena, count, sizeof *shown->shares);
    build->failed |= !shown->shares;
    for (size_t i = 0; i < count && shown->shares; i++)
        shown->shares[i] = sum_of(objects->list[i], span) / span->all;
}

/* A phase of its letter was listed before. */
static bool is_repeated(const struct phases_segment *segments, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (segments[i].phase == segments[index].phase && segments[i].phase != PHASES_NONE)
            return true;
    return false;
}

static void list(struct build *build, const struct streams_sorted *objects, uint64_t now_ns,
                 struct snapshot_timeline *shown)
{
    const struct timeline *timeline = build_timeline_of(build);
    const struct phases *phases = &timeline->phases;
    size_t count = phases->segment_count < PHASES_SHOWN ? phases->segment_count : PHASES_SHOWN;
    struct phases_segment *segments = arena_array(build->arena, count, sizeof *segments);
    count = segments ? phases_newest(phases, segments, count) : 0;
    build->failed |= !segments;
    struct span before = {0, 0, 0, 0};
    shown->phases = arena_array(build->arena, count, sizeof *shown->phases);
    build->failed |= !shown->phases;
    for (size_t i = 0; i < count && !build->failed; i++) {
        struct snapshot_phase *phase = &shown->phases[shown->phase_count++];
        struct span span = span_of(timeline_ranking(timeline), &segments[i]);
        *phase = (struct snapshot_phase){
            .start_s = build_seconds(build, now_ns, segments[i].start_ns),
            .end_s = build_seconds(build, now_ns, segments[i].end_ns),
            .samples = segments[i].samples,
            .told_s = segments[i].told_ns ? build_seconds(build, now_ns, segments[i].told_ns) : NAN,
            .distance = NAN,
            .rose_by = NAN,
            .fell_by = NAN};
        uint8_t letter = segments[i].phase;
        phase->again = i + 1 == count ? letter < phases->known_count : is_repeated(segments, i);
        if (letter != PHASES_NONE)
            snprintf(phase->name, sizeof phase->name, "%c", 'A' + letter);
        lead(build, objects, &span, phase);
        share(build, objects, snapshot_timeline_ranking(shown)->objects.count, &span, phase);
        if (i)
            compare(build, objects, &before, &span, phase);
        phase->inversion =
            i && phase->leader && phase[-1].leader && phase->object != phase[-1].object;
        before = span;
    }
}

/* What the last change was, in points: it is the one that is felt now. */
static const char *read_change(struct build *build, const struct snapshot_phase *now)
{
    char since[TEXT_TIME_BYTES];
    text_time(since, now->start_s);
    if (now->rose && now->fell)
        return arena_printf(build->arena, "Since %s %s has %.0f points more and %s %.0f fewer.",
                            since, now->rose, now->rose_by * 100, now->fell, now->fell_by * 100);
    return arena_printf(build->arena, "The last one began at %s.", since);
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
        return "No samples yet.";
    if (shown->phase_count == 1)
        return arena_printf(build->arena,
                            "One phase so far: the shares of the objects have not changed; %s "
                            "leads.",
                            now->leader);
    const char *change = read_change(build, now);
    build->failed |= !change;
    if (build->failed)
        return NULL;
    if (!inversions)
        return arena_printf(build->arena, "%zu stretches of %zu phases; %s leads in all. %s",
                            shown->phase_count, different, now->leader, change);
    return arena_printf(build->arena,
                        "%zu stretches of %zu phases; another object leads after %zu of the "
                        "changes, now %s. %s",
                        shown->phase_count, different, inversions, now->leader, change);
}

void build_phases(struct build *build, const struct streams_sorted *objects, uint64_t now_ns,
                  struct snapshot_timeline *shown)
{
    list(build, objects, now_ns, shown);
    if (!build->failed)
        shown->reading = read_phases(build, shown);
}
