/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A stretch of the run shown by itself: which one, its tables, its snapshots; the run goes on
 * beside them. Declared in engine.h and state.h.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/state.h"

/* The tables of a stretch filled from the past, in slices, so that sampling and keys do not wait
 * for it; declared in engine.h and state.h. */

/* A slice is shorter than a key takes to be noticed; a search that has not settled when it has
 * seen the stretch so often will not. */
enum { SLICE_PLACES = 256, SLICE_NS = 20000000, SEARCH_ROUNDS = 40 };

/* In time_range.c: the tables are filled from the first place on; and the search that has been
 * started in them goes on until it has settled. */
static void engine_fill_start(struct engine *engine)
{
    struct engine_stretch *stretch = &engine->stretch;
    memset(stretch->samples, 0, sizeof stretch->samples);
    memset(stretch->events, 0, sizeof stretch->events);
    stretch->shown.kept = stretch->shown.seen = 0;
    stretch->fills = stretch->shown.reading = true;
    stretch->searches = false;
    past_read_begin(engine->past, stretch->list, stretch->shown.pieces);
}

static void engine_fill_search(struct engine *engine)
{
    struct engine_stretch *stretch = &engine->stretch;
    stretch->searches = profile_search_state(stretch->profile) == SEARCH_SEARCHING;
    stretch->rounds = 0;
    if (stretch->searches && !stretch->fills)
        past_read_begin(engine->past, stretch->list, stretch->shown.pieces);
}

static void count_slice(struct engine_stretch *stretch, const struct place *places, size_t count)
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
static uint64_t search_time(const struct engine_stretch *stretch, uint64_t at_ns)
{
    double length_ns = stretch->shown.length_s * CLOCK_NS_PER_S;
    uint64_t time_ns = engine_stretch_end_ns(stretch) + (uint64_t)(length_ns * stretch->rounds);
    for (size_t i = 0; i < stretch->shown.pieces && stretch->list[i].start_ns <= at_ns; i++) {
        const struct stretch *piece = &stretch->list[i];
        time_ns += (at_ns < piece->end_ns ? at_ns : piece->end_ns) - piece->start_ns;
    }
    return time_ns;
}

static void search_slice(struct engine_stretch *stretch, const struct place *places, size_t count)
{
    for (size_t i = 0; i < count; i++)
        profile_search_add(stretch->profile, &places[i],
                           search_time(stretch, places[i].access.time_ns));
}

/* All places have been read: there may be more to do with them. */
static void end_round(struct engine *engine)
{
    struct engine_stretch *stretch = &engine->stretch;
    bool filled = stretch->fills;
    stretch->fills = stretch->shown.reading = false;
    if (filled) {
        profile_search_as(stretch->profile, engine->profile, engine_stretch_end_ns(stretch));
        engine_fill_search(engine);
        return;
    }
    stretch->searches = ++stretch->rounds < SEARCH_ROUNDS && stretch->shown.kept &&
                        profile_search_state(stretch->profile) == SEARCH_SEARCHING;
    if (stretch->searches)
        past_read_begin(engine->past, stretch->list, stretch->shown.pieces);
}

bool engine_fills(const struct engine *engine)
{
    return engine->stretch.fills || engine->stretch.searches;
}

bool engine_fill(struct engine *engine)
{
    struct place places[SLICE_PLACES];
    struct engine_stretch *stretch = &engine->stretch;
    uint64_t until_ns = clock_now_ns() + SLICE_NS;
    uint64_t searched;
    while (engine_fills(engine) && clock_now_ns() < until_ns) {
        uint64_t *seen = stretch->fills ? &stretch->shown.seen : &searched;
        size_t count = past_read(engine->past, places, SLICE_PLACES, seen);
        if (!count)
            end_round(engine);
        else if (stretch->fills)
            count_slice(stretch, places, count);
        else
            search_slice(stretch, places, count);
    }
    return !engine_fills(engine);
}

static uint64_t origin_ns(const struct engine *engine)
{
    return engine->kind->live ? engine->opened_ns : engine_start_ns(engine);
}

static uint64_t time_of(const struct engine *engine, double seconds)
{
    double ns = fmin(fmax(seconds, 0) * CLOCK_NS_PER_S, 1e18);
    return origin_ns(engine) + (uint64_t)ns;
}

static double seconds_of(const struct engine *engine, uint64_t at_ns)
{
    return (double)(int64_t)(at_ns - origin_ns(engine)) / CLOCK_NS_PER_S;
}

void engine_stretch_leave(struct engine *engine)
{
    struct engine_stretch *stretch = &engine->stretch;
    if (stretch->profile)
        profile_free(stretch->profile);
    if (engine->past)
        past_read_end(engine->past);
    free(stretch->list);
    *stretch = (struct engine_stretch){0};
}

static int open_tables(struct engine *engine, struct error *error)
{
    const struct engine_options *options = &engine->options;
    struct profile_options wanted = {.names = engine->kind->names(engine),
                                     .window_entries = options->window,
                                     .ways = options->ways,
                                     .geometry = engine->geometry,
                                     .event_count = (uint16_t)engine_info(engine)->event_count,
                                     .ranking = engine->ranking,
                                     .simulated = !strcmp(engine_info(engine)->source, "sim"),
                                     .run = engine->profile};
    engine_roles(engine, wanted.roles);
    /* Where pages lie now says nothing of then, nor does what stands there. */
    wanted.names.page_nodes = NULL;
    wanted.names.word = NULL;
    int code = profile_new(&engine->stretch.profile, &wanted, error);
    if (!code) {
        profile_set_basis(engine->stretch.profile, BASIS_RUN);
        profile_rename_as(engine->stretch.profile, engine->profile);
    }
    return code;
}

void engine_rename(struct engine *engine, const struct object_rename *list, size_t count)
{
    if (!count)
        return;
    profile_rename(engine->profile, list, count);
    if (engine->stretch.profile)
        profile_rename(engine->stretch.profile, list, count);
}

/* Pieces in a list of their own, none of which goes on beyond now. */
static int list_pieces(struct engine *engine, char letter, struct stretch one)
{
    struct engine_stretch *stretch = &engine->stretch;
    size_t count = letter ? profile_stretches(engine->profile, letter, NULL, 0) : 1;
    stretch->list = calloc(count ? count : 1, sizeof *stretch->list);
    if (!stretch->list)
        return -ENOMEM;
    if (letter)
        profile_stretches(engine->profile, letter, stretch->list, count);
    else
        stretch->list[0] = one;
    stretch->shown.pieces = count;
    return count ? 0 : -ENOENT;
}

static void measure_pieces(struct engine *engine)
{
    struct engine_stretch *stretch = &engine->stretch;
    uint64_t now_ns = engine_now(engine) + 1;
    for (size_t i = 0; i < stretch->shown.pieces; i++) {
        struct stretch *piece = &stretch->list[i];
        piece->end_ns = piece->end_ns < now_ns ? piece->end_ns : now_ns;
        if (piece->end_ns < piece->start_ns)
            piece->end_ns = piece->start_ns;
        stretch->shown.length_s += (double)(piece->end_ns - piece->start_ns) / CLOCK_NS_PER_S;
    }
    stretch->shown.start_s = seconds_of(engine, stretch->list[0].start_ns);
    stretch->shown.end_s = seconds_of(engine, engine_stretch_end_ns(stretch));
}

/* `phase` "": from start_s to end_s. */
static int show(struct engine *engine, const char *phase, double start_s, double end_s,
                struct error *error)
{
    struct stretch one = {time_of(engine, start_s), time_of(engine, end_s)};
    engine_stretch_leave(engine);
    if (!origin_ns(engine))
        return error_set(error, -ENODATA, "the samples of this recording have no times");
    int code = list_pieces(engine, *phase, one);
    if (code == -ENOENT)
        code = error_set(error, code, "no phase %s has been seen", phase);
    else if (code)
        code = error_set(error, code, "no memory for the stretch");
    if (!code)
        code = open_tables(engine, error);
    if (code) {
        engine_stretch_leave(engine);
        return code;
    }
    snprintf(engine->stretch.shown.phase, sizeof engine->stretch.shown.phase, "%.1s", phase);
    measure_pieces(engine);
    engine_fill_start(engine);
    engine_fill(engine);
    return 0;
}

static const char *show_requested(struct engine *engine, const struct request *request)
{
    struct error error = {0};
    if (show(engine, request->name, request->start_s, request->end_s, &error))
        snprintf(engine->status, sizeof engine->status, "%s", error.text);
    return "";
}

void engine_stretch_rank(struct engine *engine)
{
    struct engine_stretch *stretch = &engine->stretch;
    if (!stretch->profile)
        return;
    profile_free(stretch->profile);
    stretch->profile = NULL;
    if (open_tables(engine, NULL))
        engine_stretch_leave(engine);
    else
        engine_fill_start(engine);
}

static const char *search_requested(struct engine *engine, const struct request *request)
{
    struct engine_stretch *stretch = &engine->stretch;
    bool all = request->kind == REQUEST_SEARCH_ALL;
    profile_search_start(stretch->profile, all ? 0 : request->base,
                         all ? SEARCH_BOUND : request->bound, all ? "all" : request->name,
                         engine_stretch_end_ns(stretch));
    engine_fill_search(engine);
    return "searching in this stretch of the run, read over and over";
}

const char *engine_stretch_request(struct engine *engine, const struct request *request)
{
    struct engine_stretch *stretch = &engine->stretch;
    if (request->kind == REQUEST_STRETCH)
        return show_requested(engine, request);
    if (!stretch->profile)
        return NULL;
    switch (request->kind) {
    case REQUEST_NOW:
        engine_stretch_leave(engine);
        return "back to now";
    case REQUEST_BASIS:
        return "a stretch of the run is shown as a whole; N: back to now";
    case REQUEST_ZERO:
        return "a stretch of the run is shown; N: back to now, then z sets the counts to zero";
    case REQUEST_SEARCH_ALL:
    case REQUEST_SEARCH_RANGE:
        return search_requested(engine, request);
    case REQUEST_SEARCH_BACK:
        if (!profile_search_back(stretch->profile, engine_stretch_end_ns(stretch)))
            return "there was no other search";
        engine_fill_search(engine);
        return "back at the search before";
    case REQUEST_SEARCH_STOP:
        profile_search_stop(stretch->profile);
        stretch->searches = false;
        return "search ended";
    case REQUEST_HEAP_MARK:
    case REQUEST_BIN_RENAME:
    case REQUEST_BIN_COMBINE:
    case REQUEST_BIN_UNDO:
        return "the heap is known as it is now; N: back to now";
    default:
        return NULL;
    }
}

const struct snapshot *engine_stretch_snapshot(struct engine *engine, const struct snapshot *of_run)
{
    struct engine_stretch *stretch = &engine->stretch;
    struct snapshot head = *of_run;
    head.stretch = &stretch->shown;
    head.simulation = (struct snapshot_simulation){0}; /* its totals are of the whole run */
    head.counted_s = stretch->shown.length_s;
    for (size_t i = 0; i < head.source.event_count; i++) {
        head.source.events[i].samples = stretch->samples[i];
        head.source.events[i].events = stretch->events[i] > 0 ? stretch->events[i] : NAN;
    }
    return profile_snapshot(stretch->profile, &head, engine_stretch_end_ns(stretch));
}

/* The letter of "phase=B", or the two times. */
static int parse(const char *spec, char phase[4], double *start_s, double *end_s,
                 struct error *error)
{
    static const char named[] = "phase=";
    int used = 0;
    phase[0] = phase[1] = '\0';
    *start_s = *end_s = 0;
    if (!strncmp(spec, named, strlen(named))) {
        phase[0] = spec[strlen(named)];
        if (phase[0] >= 'A' && phase[0] <= 'Z' && !spec[strlen(named) + 1])
            return 0;
    } else if (sscanf(spec, "%lf-%lf%n", start_s, end_s, &used) == 2 && !spec[used] &&
               *start_s >= 0 && *start_s < *end_s) {
        return 0;
    }
    return error_set(error, -EINVAL,
                     "--stretch wants seconds of the run, as 12-31.5, or a phase, as phase=B; not "
                     "'%s'",
                     spec);
}

int engine_check_stretch(const char *spec, struct error *error)
{
    char phase[4];
    double start_s;
    double end_s;
    return spec ? parse(spec, phase, &start_s, &end_s, error) : 0;
}

int engine_show_stretch(struct engine *engine, const char *spec, struct error *error)
{
    char phase[4];
    double start_s;
    double end_s;
    int code = parse(spec, phase, &start_s, &end_s, error);
    if (!code)
        code = show(engine, phase, start_s, end_s, error);
    while (!code && engine_fills(engine))
        engine_fill(engine);
    if (!code && !engine->stretch.shown.kept)
        code = error_set(error, -ENODATA, "--stretch %s: nothing was sampled then", spec);
    return code;
}
