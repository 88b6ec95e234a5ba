/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A time range displayed instead of the run, which continues in the background. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/state.h"

/* The tables are filled from the past in slices, so that sampling and keys do not wait. */

/* A slice is too short to be noticed as a key delay. A search that has not settled after
 * SEARCH_ROUNDS passes over the time range never will. */
enum { SLICE_PLACES = 256, SLICE_NS = 20000000, SEARCH_ROUNDS = 40 };

static void engine_fill_start(struct engine *engine)
{
    struct engine_time_range *range = &engine->time_range;
    memset(range->samples, 0, sizeof range->samples);
    memset(range->events, 0, sizeof range->events);
    range->shown.kept = range->shown.seen = 0;
    range->fills = range->shown.loading = true;
    range->searches = false;
    past_read_begin(engine->past, range->list, range->shown.pieces);
}

static void engine_fill_search(struct engine *engine)
{
    struct engine_time_range *range = &engine->time_range;
    range->searches = profile_search_state(range->profile) == SEARCH_SEARCHING;
    range->rounds = 0;
    if (range->searches && !range->fills)
        past_read_begin(engine->past, range->list, range->shown.pieces);
}

static void range_add_places(struct engine_time_range *range, const struct place *places,
                             size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint16_t event = places[i].access.event;
        if (event >= SAMPLE_EVENTS_MAX)
            continue;
        range->samples[event]++;
        range->events[event] += (double)places[i].access.weight;
    }
    range->shown.kept += count;
    profile_add_all(range->profile, places, count);
}

/* The search sees the pieces one after another, repeatedly. */
static uint64_t search_time(const struct engine_time_range *range, uint64_t at_ns)
{
    double length_ns = range->shown.length_s * CLOCK_NS_PER_S;
    uint64_t time_ns = engine_time_range_end_ns(range) + (uint64_t)(length_ns * range->rounds);
    for (size_t i = 0; i < range->shown.pieces && range->list[i].start_ns <= at_ns; i++) {
        const struct time_range *piece = &range->list[i];
        time_ns += (at_ns < piece->end_ns ? at_ns : piece->end_ns) - piece->start_ns;
    }
    return time_ns;
}

static void range_search_places(struct engine_time_range *range, const struct place *places,
                                size_t count)
{
    for (size_t i = 0; i < count; i++)
        profile_search_add(range->profile, &places[i],
                           search_time(range, places[i].access.time_ns));
}

/* Ends a pass over all places; starts the next one if the search needs it. */
static void end_pass(struct engine *engine)
{
    struct engine_time_range *range = &engine->time_range;
    bool filled = range->fills;
    range->fills = range->shown.loading = false;
    if (filled) {
        profile_search_like(range->profile, engine->profile, engine_time_range_end_ns(range));
        engine_fill_search(engine);
        return;
    }
    range->searches = ++range->rounds < SEARCH_ROUNDS && range->shown.kept &&
                      profile_search_state(range->profile) == SEARCH_SEARCHING;
    if (range->searches)
        past_read_begin(engine->past, range->list, range->shown.pieces);
}

bool engine_is_filling(const struct engine *engine)
{
    return engine->time_range.fills || engine->time_range.searches;
}

bool engine_fill(struct engine *engine)
{
    struct place places[SLICE_PLACES];
    struct engine_time_range *range = &engine->time_range;
    uint64_t until_ns = clock_now_ns() + SLICE_NS;
    uint64_t searched;
    while (engine_is_filling(engine) && clock_now_ns() < until_ns) {
        uint64_t *seen = range->fills ? &range->shown.seen : &searched;
        size_t count = past_read(engine->past, places, SLICE_PLACES, seen);
        if (!count)
            end_pass(engine);
        else if (range->fills)
            range_add_places(range, places, count);
        else
            range_search_places(range, places, count);
    }
    return !engine_is_filling(engine);
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

void engine_time_range_leave(struct engine *engine)
{
    struct engine_time_range *range = &engine->time_range;
    if (range->profile)
        profile_free(range->profile);
    if (engine->past)
        past_read_end(engine->past);
    free(range->list);
    *range = (struct engine_time_range){0};
}

static int open_tables(struct engine *engine, struct error *error)
{
    const struct engine_options *options = &engine->options;
    struct profile_options wanted = {.names = engine_names(engine),
                                     .window_entries = options->window,
                                     .ways = options->ways,
                                     .geometry = engine->geometry,
                                     .event_count = (uint16_t)engine_info(engine)->event_count,
                                     .ranking = engine->ranking,
                                     .simulated = !strcmp(engine_info(engine)->source, "sim"),
                                     .run = engine->profile};
    memcpy(wanted.cache_lines, engine->cache_lines, sizeof wanted.cache_lines);
    engine_roles(engine, wanted.roles);
    int code = profile_new(&engine->time_range.profile, &wanted, error);
    if (!code) {
        profile_set_basis(engine->time_range.profile, BASIS_RUN);
        profile_rename_as(engine->time_range.profile, engine->profile);
    }
    return code;
}

void engine_rename(struct engine *engine, const struct object_rename *list, size_t count)
{
    if (!count)
        return;
    profile_rename(engine->profile, list, count);
    if (engine->time_range.profile)
        profile_rename(engine->time_range.profile, list, count);
}

/* Lists the pieces of a phase, or the single piece `one`. */
static int list_pieces(struct engine *engine, char letter, struct time_range one)
{
    struct engine_time_range *range = &engine->time_range;
    size_t count = letter ? profile_time_ranges(engine->profile, letter, NULL, 0) : 1;
    range->list = calloc(count ? count : 1, sizeof *range->list);
    if (!range->list)
        return -ENOMEM;
    if (letter)
        profile_time_ranges(engine->profile, letter, range->list, count);
    else
        range->list[0] = one;
    range->shown.pieces = count;
    return count ? 0 : -ENOENT;
}

static void measure_pieces(struct engine *engine)
{
    struct engine_time_range *range = &engine->time_range;
    uint64_t now_ns = engine_now(engine) + 1;
    for (size_t i = 0; i < range->shown.pieces; i++) {
        struct time_range *piece = &range->list[i];
        piece->end_ns = piece->end_ns < now_ns ? piece->end_ns : now_ns;
        if (piece->end_ns < piece->start_ns)
            piece->end_ns = piece->start_ns;
        range->shown.length_s += (double)(piece->end_ns - piece->start_ns) / CLOCK_NS_PER_S;
    }
    range->shown.start_s = seconds_of(engine, range->list[0].start_ns);
    range->shown.end_s = seconds_of(engine, engine_time_range_end_ns(range));
}

/* Shows a phase, or if `phase` is "", the range from start_s to end_s. */
static int enter_time_range(struct engine *engine, const char *phase, double start_s, double end_s,
                            struct error *error)
{
    struct time_range one = {time_of(engine, start_s), time_of(engine, end_s)};
    engine_time_range_leave(engine);
    if (!origin_ns(engine))
        return error_set(error, -ENODATA, "the samples of this recording have no times");
    int code = list_pieces(engine, *phase, one);
    if (code == -ENOENT)
        code = error_set(error, code, "no phase %s has been seen", phase);
    else if (code)
        code = error_set(error, code, "no memory for the time range");
    if (!code)
        code = open_tables(engine, error);
    if (code) {
        engine_time_range_leave(engine);
        return code;
    }
    snprintf(engine->time_range.shown.phase, sizeof engine->time_range.shown.phase, "%.1s", phase);
    measure_pieces(engine);
    engine_fill_start(engine);
    engine_fill(engine);
    return 0;
}

static const char *show_requested(struct engine *engine, const struct request *request)
{
    struct error error = {0};
    if (enter_time_range(engine, request->name, request->start_s, request->end_s, &error))
        snprintf(engine->status, sizeof engine->status, "%s", error.text);
    return "";
}

void engine_time_range_rank(struct engine *engine)
{
    struct engine_time_range *range = &engine->time_range;
    if (!range->profile)
        return;
    profile_free(range->profile);
    range->profile = NULL;
    if (open_tables(engine, NULL))
        engine_time_range_leave(engine);
    else
        engine_fill_start(engine);
}

static const char *search_requested(struct engine *engine, const struct request *request)
{
    struct engine_time_range *range = &engine->time_range;
    bool all = request->kind == REQUEST_SEARCH_ALL;
    profile_search_start(range->profile, all ? 0 : request->base,
                         all ? SEARCH_BOUND : request->bound, all ? "all" : request->name,
                         engine_time_range_end_ns(range));
    engine_fill_search(engine);
    return "searching in this time range, which is read repeatedly";
}

const char *engine_time_range_request(struct engine *engine, const struct request *request)
{
    struct engine_time_range *range = &engine->time_range;
    if (request->kind == REQUEST_TIME_RANGE)
        return show_requested(engine, request);
    if (!range->profile)
        return NULL;
    switch (request->kind) {
    case REQUEST_NOW:
        engine_time_range_leave(engine);
        return "back to now";
    case REQUEST_BASIS:
        return "a time range is shown as a whole; N: back to the present";
    case REQUEST_ZERO:
        return "a time range is shown; N: back to the present, then z resets the counts";
    case REQUEST_SEARCH_ALL:
    case REQUEST_SEARCH_RANGE:
        return search_requested(engine, request);
    case REQUEST_SEARCH_BACK:
        if (!profile_search_back(range->profile, engine_time_range_end_ns(range)))
            return "there was no earlier search";
        engine_fill_search(engine);
        return "back to the previous search";
    case REQUEST_SEARCH_STOP:
        profile_search_stop(range->profile);
        range->searches = false;
        return "search ended";
    case REQUEST_HEAP_MARK:
    case REQUEST_BIN_RENAME:
    case REQUEST_BIN_COMBINE:
    case REQUEST_BIN_UNDO:
        return "the heap is known only as it is now; N: back to the present";
    default:
        return NULL;
    }
}

const struct snapshot *engine_time_range_snapshot(struct engine *engine,
                                                  const struct snapshot *of_run)
{
    struct engine_time_range *range = &engine->time_range;
    struct snapshot head = *of_run;
    head.time_range = &range->shown;
    head.simulation = (struct snapshot_simulation){0}; /* the totals are of the whole run */
    head.counted_s = range->shown.length_s;
    for (size_t i = 0; i < head.source.event_count; i++) {
        head.source.events[i].samples = range->samples[i];
        head.source.events[i].events = range->events[i] > 0 ? range->events[i] : NAN;
    }
    return profile_snapshot(range->profile, &head, engine_time_range_end_ns(range));
}

static int parse_time_range(const char *spec, char phase[4], double *start_s, double *end_s,
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
                     "--stretch takes seconds of the run (12-31.5) or a phase (phase=B), not '%s'",
                     spec);
}

int engine_check_time_range(const char *spec, struct error *error)
{
    char phase[4];
    double start_s;
    double end_s;
    return spec ? parse_time_range(spec, phase, &start_s, &end_s, error) : 0;
}

int engine_show_time_range(struct engine *engine, const char *spec, struct error *error)
{
    char phase[4];
    double start_s;
    double end_s;
    int code = parse_time_range(spec, phase, &start_s, &end_s, error);
    if (!code)
        code = enter_time_range(engine, phase, start_s, end_s, error);
    while (!code && engine_is_filling(engine))
        engine_fill(engine);
    if (!code && !engine->time_range.shown.kept)
        code = error_set(error, -ENODATA, "--stretch %s: no samples in that time range", spec);
    return code;
}
