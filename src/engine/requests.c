/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the views and --search ask of the tables; declared in engine.h and state.h. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "engine/state.h"
#include "sample/attributes.h"
#include "sample/event.h"
#include "sample/sim_whatif.h"

static bool find_object(struct pipeline *pipeline, const char *name, struct object_extent *extent)
{
    return pipeline->store ? store_reader_find(pipeline->store, name, extent)
                           : resolver_find(pipeline->resolver, name, extent);
}

void pipeline_search_start(struct pipeline *pipeline, const char *what)
{
    struct object_extent extent;
    unsigned long long base;
    unsigned long long bound;
    int used = 0;
    pipeline->search = NULL;
    if (!strcmp(what, "all")) {
        profile_search_start(pipeline->profile, 0, SEARCH_BOUND, "all", pipeline_now(pipeline));
    } else if (sscanf(what, "%llx-%llx%n", &base, &bound, &used) == 2 && !what[used] &&
               base < bound) {
        profile_search_start(pipeline->profile, base, bound, what, pipeline_now(pipeline));
    } else if (find_object(pipeline, what, &extent)) {
        profile_search_start(pipeline->profile, extent.base, extent.bound, what,
                             pipeline_now(pipeline));
    } else {
        pipeline->search = what;
        snprintf(pipeline->status, sizeof pipeline->status,
                 "--search: no object named %.100s seen yet; still looking", what);
    }
}

/* A range that makes no sense is bad usage; a name may still turn up. */
int pipeline_search_check(const char *what, struct error *error)
{
    unsigned long long base;
    unsigned long long bound;
    int used = 0;
    if (what && sscanf(what, "%llx-%llx%n", &base, &bound, &used) == 2 && !what[used] &&
        base >= bound)
        return error_set(error, -EINVAL, "--search %s: the range is empty; START must be below END",
                         what);
    return 0;
}

void pipeline_rank(struct pipeline *pipeline, uint16_t event)
{
    if (event == pipeline->ranking || event >= pipeline_info(pipeline)->event_count)
        return;
    pipeline->ranking = event;
    pipeline->ranked_before = pipeline->samples[event];
    profile_set_ranking(pipeline->profile, event);
    if (!pipeline->store)
        sampler_rank(pipeline->sampler, event);
    pipeline_stretch_rank(pipeline);
}

/* Of the events that a simulation has by itself, deepest first. */
void pipeline_rank_costliest(struct pipeline *pipeline)
{
    if (!pipeline->options.sim || pipeline->options.events || pipeline->event_chosen)
        return;
    struct snapshot_simulation simulation = sampler_simulation(pipeline->sampler);
    uint32_t last = simulation.level_count - 1;
    if (pipeline->ranking > last)
        return;
    uint32_t level = whatif_costliest_level(&simulation, last - pipeline->ranking);
    if (level == last - pipeline->ranking)
        return;
    pipeline_rank(pipeline, (uint16_t)(last - level));
    if (pipeline->recorder)
        recorder_ranking(pipeline->recorder, pipeline->ranking);
    if (!pipeline->status[0])
        snprintf(pipeline->status, sizeof pipeline->status,
                 "ranked by %s: most cycles are lost there; e ranks by another event",
                 pipeline_info(pipeline)->events[pipeline->ranking].name);
}

/* -e of a recording: by name with or without modifiers, or by what it counts. */
static bool is_event(const struct sampler_event *event, const char *word, size_t length)
{
    static const char *const roles[] = {[EVENT_MISS_L1] = "l1-miss",
                                        [EVENT_MISS_L2] = "l2-miss",
                                        [EVENT_MEM_FILL] = "mem-fill",
                                        [EVENT_STALL] = "stall",
                                        [EVENT_ACCESS] = "access"};
    char wanted[sizeof event->name];
    char raw[sizeof event->name];
    char name[sizeof event->name];
    snprintf(raw, sizeof raw, "%.*s", (int)(length < sizeof raw ? length : sizeof raw - 1), word);
    attributes_plain_name(raw, wanted, sizeof wanted);
    attributes_plain_name(event->name, name, sizeof name);
    size_t bare = strcspn(name, ":,");
    size_t size = strlen(wanted);
    if (!strcasecmp(raw, event->name) || !strcasecmp(wanted, name) ||
        (size == bare && !strncasecmp(wanted, name, size)))
        return true;
    return event->role < sizeof roles / sizeof *roles && roles[event->role] &&
           !strcmp(raw, roles[event->role]);
}

static int refuse_event(const struct sampler_info *info, const char *word, size_t length,
                        struct error *error)
{
    char list[256];
    size_t used = 0;
    for (unsigned i = 0; i < info->event_count && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "",
                                 info->events[i].name);
    return error_set(error, -EINVAL, "-e: the recording has no event '%.*s'; it has %s",
                     (int)length, word, list);
}

/* Number of the event; their number: there is none. */
static unsigned find_event(const struct sampler_info *info, const char *word, size_t length)
{
    unsigned found = 0;
    while (found < info->event_count && !is_event(&info->events[found], word, length))
        found++;
    return found;
}

int pipeline_rank_recorded(struct pipeline *pipeline, const char *events, struct error *error)
{
    const struct sampler_info *info = pipeline_info(pipeline);
    const unsigned none = info->event_count;
    const char *word = events;
    size_t length = strlen(events);
    unsigned first = find_event(info, word, length); /* a name may hold commas */
    bool whole = !length || first != none;
    while (!whole && event_next_word(&events, &word, &length)) {
        unsigned found = find_event(info, word, length);
        if (found == none)
            return refuse_event(info, word, length, error);
        first = first == none ? found : first;
    }
    if (first == none)
        return refuse_event(info, word, length, error);
    pipeline->event_chosen = true;
    pipeline_rank(pipeline, (uint16_t)first);
    return 0;
}

static const char *next_event(struct pipeline *pipeline)
{
    const struct sampler_info *info = pipeline_info(pipeline);
    if (info->event_count < 2)
        return pipeline->live ? "only one event is sampled; name more with -e"
                              : "only one event was recorded";
    pipeline->event_chosen = true;
    pipeline_rank(pipeline, (uint16_t)((pipeline->ranking + 1) % info->event_count));
    snprintf(pipeline->status, sizeof pipeline->status, "ranked by %s",
             info->events[pipeline->ranking].name);
    return pipeline->status;
}

static const char *other_basis(struct pipeline *pipeline)
{
    bool run = profile_basis(pipeline->profile) == BASIS_RUN;
    profile_set_basis(pipeline->profile, run ? BASIS_DECAYED : BASIS_RUN);
    return run ? "showing the recent past" : "showing the whole run";
}

static const char *other_objects(struct pipeline *pipeline)
{
    pipeline->objects_all = !pipeline->objects_all;
    return pipeline->objects_all ? "objects of less than 0.1% are listed too"
                                 : "objects of 0.1% and more are listed";
}

static const char *bin_answer(int code, const char *done)
{
    switch (code) {
    case 0:
        return done;
    case -EOPNOTSUPP:
        return "size classes of a walked heap keep their names";
    case -ENOENT:
        return "there is nothing to take back";
    default:
        return "that cannot be done with these bins";
    }
}

static const char *heap_request(struct pipeline *pipeline, const struct request *request)
{
    switch (request->kind) {
    case REQUEST_HEAP_MARK:
        resolver_heap_mark(pipeline->resolver, pipeline_now(pipeline));
        return "marked: GROWTH counts from now";
    case REQUEST_BIN_RENAME:
        return bin_answer(resolver_bin_rename(pipeline->resolver, request->bins[0], request->name),
                          "renamed");
    case REQUEST_BIN_COMBINE:
        return bin_answer(
            resolver_bin_combine(pipeline->resolver, request->bins, request->bin_count),
            "combined; U takes it back");
    default:
        return bin_answer(resolver_bin_undo(pipeline->resolver), "taken back");
    }
}

static const char *other_counting(struct pipeline *pipeline)
{
    if (!pipeline->live)
        return "a recording has been counted";
    pipeline->paused = !pipeline->paused;
    if (pipeline_enable(pipeline, !pipeline->paused))
        return "counting cannot be stopped";
    return pipeline->paused ? "nothing is counted now; T counts on" : "counting goes on";
}

const char *pipeline_request(struct pipeline *pipeline, const struct request *request)
{
    uint64_t now = pipeline_now(pipeline);
    const char *of_stretch = pipeline_stretch_request(pipeline, request);
    if (of_stretch)
        return of_stretch;
    switch (request->kind) {
    case REQUEST_ALL_OBJECTS:
        return other_objects(pipeline);
    case REQUEST_BASIS:
        return other_basis(pipeline);
    case REQUEST_COUNTING:
        return other_counting(pipeline);
    case REQUEST_ZERO:
        profile_zero(pipeline->profile, now);
        past_clear(pipeline->past);
        memset(pipeline->samples, 0, sizeof pipeline->samples);
        memset(pipeline->events, 0, sizeof pipeline->events);
        pipeline->zeroed_s = fmax(0, pipeline_elapsed_s(pipeline));
        pipeline->ranked_before = 0;
        if (pipeline->options.sim)
            sim_whatif_zero(pipeline->options.sim);
        return "counts set to zero";
    case REQUEST_NEXT_EVENT:
        return next_event(pipeline);
    case REQUEST_SEARCH_ALL:
        profile_search_start(pipeline->profile, 0, SEARCH_BOUND, "all", now);
        return "searching the whole address space";
    case REQUEST_SEARCH_RANGE:
        profile_search_start(pipeline->profile, request->base, request->bound, request->name, now);
        return "searching inside the selection";
    case REQUEST_HEAP_MARK:
    case REQUEST_BIN_RENAME:
    case REQUEST_BIN_COMBINE:
    case REQUEST_BIN_UNDO:
        return pipeline->store ? "the heap is as it was recorded" : heap_request(pipeline, request);
    case REQUEST_SEARCH_BACK:
        return profile_search_back(pipeline->profile, now) ? "back at the search before"
                                                           : "there was no other search";
    case REQUEST_WHATIF:
    case REQUEST_WHATIF_END:
        return pipeline_whatif_request(pipeline, request);
    case REQUEST_SEARCH_STOP:
        profile_search_stop(pipeline->profile);
        return "search ended";
    default:
        return "";
    }
}
