/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables of a stretch filled from the past, in slices, so that sampling and keys do not wait
 * for it; declared in pipeline.h and pipeline_state.h. */
#include "pipeline_state.h"

#include <string.h>

/* A slice is shorter than a key takes to be noticed; a search that has not settled when it has
 * seen the stretch so often will not. */
enum { SLICE_PLACES = 256, SLICE_NS = 20000000, SEARCH_ROUNDS = 40 };

void pipeline_fill_start(struct pipeline *pipeline)
{
    struct pipeline_stretch *stretch = &pipeline->stretch;
    memset(stretch->samples, 0, sizeof stretch->samples);
    memset(stretch->events, 0, sizeof stretch->events);
    stretch->shown.kept = stretch->shown.seen = 0;
    stretch->fills = stretch->shown.reading = true;
    stretch->searches = false;
    past_read_begin(pipeline->past, stretch->list, stretch->shown.pieces);
}

void pipeline_fill_search(struct pipeline *pipeline)
{
    struct pipeline_stretch *stretch = &pipeline->stretch;
    stretch->searches = profile_search_state(stretch->profile) == SEARCH_SEARCHING;
    stretch->rounds = 0;
    if (stretch->searches && !stretch->fills)
        past_read_begin(pipeline->past, stretch->list, stretch->shown.pieces);
}

static void count_slice(struct pipeline_stretch *stretch, const struct place *places, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint16_t event = places[i].access.event;
        if (event >= SAMPLE_EVENTS_MAX)
            continue;
        stretch->samples[event]++;
        stretch->events[event] += (double)places[i].access.weight;
    }
    stretch->shown.kept += count;
    profile_add_all(stretch->profile, places, count);
}

/* The search sees the pieces one behind the other, over and over. */
static uint64_t search_time(const struct pipeline_stretch *stretch, uint64_t at_ns)
{
    double length_ns = stretch->shown.length_s * CLOCK_NS_PER_S;
    uint64_t time_ns = pipeline_stretch_end_ns(stretch) + (uint64_t)(length_ns * stretch->rounds);
    for (size_t i = 0; i < stretch->shown.pieces && stretch->list[i].start_ns <= at_ns; i++) {
        const struct stretch *piece = &stretch->list[i];
        time_ns += (at_ns < piece->end_ns ? at_ns : piece->end_ns) - piece->start_ns;
    }
    return time_ns;
}

static void search_slice(struct pipeline_stretch *stretch, const struct place *places, size_t count)
{
    for (size_t i = 0; i < count; i++)
        profile_search_add(stretch->profile, &places[i],
                           search_time(stretch, places[i].access.time_ns));
}

/* All places have been read: there may be more to do with them. */
static void end_round(struct pipeline *pipeline)
{
    struct pipeline_stretch *stretch = &pipeline->stretch;
    bool filled = stretch->fills;
    stretch->fills = stretch->shown.reading = false;
    if (filled) {
        profile_search_as(stretch->profile, pipeline->profile, pipeline_stretch_end_ns(stretch));
        pipeline_fill_search(pipeline);
        return;
    }
    stretch->searches = ++stretch->rounds < SEARCH_ROUNDS && stretch->shown.kept &&
                        profile_search_state(stretch->profile) == SEARCH_SEARCHING;
    if (stretch->searches)
        past_read_begin(pipeline->past, stretch->list, stretch->shown.pieces);
}

bool pipeline_fills(const struct pipeline *pipeline)
{
    return pipeline->stretch.fills || pipeline->stretch.searches;
}

bool pipeline_fill(struct pipeline *pipeline)
{
    struct place places[SLICE_PLACES];
    struct pipeline_stretch *stretch = &pipeline->stretch;
    uint64_t until_ns = clock_now_ns() + SLICE_NS;
    uint64_t searched;
    while (pipeline_fills(pipeline) && clock_now_ns() < until_ns) {
        uint64_t *seen = stretch->fills ? &stretch->shown.seen : &searched;
        size_t count = past_read(pipeline->past, places, SLICE_PLACES, seen);
        if (!count)
            end_round(pipeline);
        else if (stretch->fills)
            count_slice(stretch, places, count);
        else
            search_slice(stretch, places, count);
    }
    return !pipeline_fills(pipeline);
}
