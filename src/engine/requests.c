/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "engine/state.h"
#include "sample/perfdata/attributes.h"
#include "sample/perf/event.h"

static bool find_object(const struct engine *engine, const char *name, struct object_extent *extent)
{
    return engine->resolver ? resolver_find(engine->resolver, name, extent)
                            : store_reader_find(engine->stored.reader, name, extent);
}

void engine_search_start(struct engine *engine, const char *what)
{
    struct object_extent extent;
    unsigned long long base;
    unsigned long long bound;
    int used = 0;
    engine->search = NULL;
    if (!strcmp(what, "all")) {
        profile_search_start(engine->profile, 0, SEARCH_BOUND, "all", engine_now(engine));
    } else if (sscanf(what, "%llx-%llx%n", &base, &bound, &used) == 2 && !what[used] &&
               base < bound) {
        profile_search_start(engine->profile, base, bound, what, engine_now(engine));
    } else if (find_object(engine, what, &extent)) {
        profile_search_start(engine->profile, extent.base, extent.bound, what, engine_now(engine));
    } else {
        engine->search = what;
        snprintf(engine->status, sizeof engine->status,
                 "--search: no object named %.100s seen yet; still looking", what);
    }
}

/* An invalid range is a usage error; an unknown name may still appear. */
int engine_search_check(const char *what, struct error *error)
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

void engine_rank(struct engine *engine, uint16_t event)
{
    if (event == engine->ranking || event >= engine_info(engine)->event_count)
        return;
    engine->ranking = event;
    engine->ranked_before = engine->samples[event];
    profile_set_ranking(engine->profile, event);
    if (engine->sampler)
        sampler_rank(engine->sampler, event);
    engine_time_range_rank(engine);
}

/* Matches a word of -e: by name, with or without modifiers, or by what the event counts. */
static bool is_event(const struct sampler_event *event, const char *word, size_t length)
{
    static const char *const roles[] = {
        [EVENT_MISS_L1] = "l1-miss", [EVENT_MISS_L2] = "l2-miss", [EVENT_MEM_FILL] = "mem-fill",
        [EVENT_STALL] = "stall",     [EVENT_ACCESS] = "access",   [EVENT_TIME] = "stall"};
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

static unsigned find_event(const struct sampler_info *info, const char *word, size_t length)
{
    unsigned found = 0;
    while (found < info->event_count && !is_event(&info->events[found], word, length))
        found++;
    return found;
}

int engine_rank_recorded(struct engine *engine, const char *events, struct error *error)
{
    const struct sampler_info *info = engine_info(engine);
    const unsigned none = info->event_count;
    const char *word = events;
    size_t length = strlen(events);
    unsigned first = find_event(info, word, length); /* an event's name can contain commas */
    bool whole = !length || first != none;
    while (!whole && event_next_word(&events, &word, &length)) {
        unsigned found = find_event(info, word, length);
        if (found == none)
            return refuse_event(info, word, length, error);
        first = first == none ? found : first;
    }
    if (first == none)
        return refuse_event(info, word, length, error);
    engine->event_chosen = true;
    engine_rank(engine, (uint16_t)first);
    return 0;
}

static const char *next_event(struct engine *engine)
{
    const struct sampler_info *info = engine_info(engine);
    if (info->event_count < 2)
        return engine->kind->live ? "only one event is sampled; name more with -e"
                                  : "only one event was recorded";
    engine->event_chosen = true;
    engine_rank(engine, (uint16_t)((engine->ranking + 1) % info->event_count));
    snprintf(engine->status, sizeof engine->status, "ranked by %s",
             info->events[engine->ranking].name);
    return engine->status;
}

static const char *toggle_basis(struct engine *engine)
{
    bool run = profile_basis(engine->profile) == BASIS_RUN;
    profile_set_basis(engine->profile, run ? BASIS_DECAYED : BASIS_RUN);
    return run ? "showing the recent past" : "showing the whole run";
}

static const char *toggle_objects_all(struct engine *engine)
{
    engine->lists_all_objects = !engine->lists_all_objects;
    return engine->lists_all_objects ? "objects below 0.1% are listed too"
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
        return "there is nothing to undo";
    default:
        return "not possible with these bins";
    }
}

static const char *heap_request(struct engine *engine, const struct request *request)
{
    switch (request->kind) {
    case REQUEST_HEAP_MARK:
        resolver_heap_mark(engine->resolver, engine_now(engine));
        return "mark set: GROWTH counts from now on";
    case REQUEST_BIN_RENAME:
        return bin_answer(resolver_bin_rename(engine->resolver, request->bins[0], request->name),
                          "renamed");
    case REQUEST_BIN_COMBINE:
        return bin_answer(resolver_bin_combine(engine->resolver, request->bins, request->bin_count),
                          "combined; U undoes it");
    default:
        return bin_answer(resolver_bin_undo(engine->resolver), "taken back");
    }
}

static const char *toggle_counting(struct engine *engine)
{
    if (!engine->kind->live)
        return "a recording cannot be paused this way";
    engine->paused = !engine->paused;
    if (engine_enable(engine, !engine->paused))
        return "counting cannot be stopped";
    return engine->paused ? "counting is paused; T continues it" : "counting goes on";
}

const char *engine_request(struct engine *engine, const struct request *request)
{
    uint64_t now = engine_now(engine);
    const char *of_time_range = engine_time_range_request(engine, request);
    if (of_time_range)
        return of_time_range;
    const char *of_kind = engine->kind->request ? engine->kind->request(engine, request) : NULL;
    if (of_kind)
        return of_kind;
    switch (request->kind) {
    case REQUEST_ALL_OBJECTS:
        return toggle_objects_all(engine);
    case REQUEST_BASIS:
        return toggle_basis(engine);
    case REQUEST_COUNTING:
        return toggle_counting(engine);
    case REQUEST_ZERO:
        profile_zero(engine->profile, now);
        past_clear(engine->past);
        memset(engine->samples, 0, sizeof engine->samples);
        memset(engine->events, 0, sizeof engine->events);
        engine->reset_s = fmax(0, engine_elapsed_s(engine));
        engine->ranked_before = 0;
        return "counts set to zero";
    case REQUEST_NEXT_EVENT:
        return next_event(engine);
    case REQUEST_SEARCH_ALL:
        profile_search_start(engine->profile, 0, SEARCH_BOUND, "all", now);
        return "searching the whole address space";
    case REQUEST_SEARCH_RANGE:
        profile_search_start(engine->profile, request->base, request->bound, request->name, now);
        return "searching inside the selection";
    case REQUEST_HEAP_MARK:
    case REQUEST_BIN_RENAME:
    case REQUEST_BIN_COMBINE:
    case REQUEST_BIN_UNDO:
        return heap_request(engine, request);
    case REQUEST_SEARCH_BACK:
        return profile_search_back(engine->profile, now) ? "back to the previous search"
                                                         : "there was no earlier search";
    case REQUEST_WHATIF:
    case REQUEST_WHATIF_END:
        return "only a simulation can answer this: misstop --sim -- CMD";
    case REQUEST_SEARCH_STOP:
        profile_search_stop(engine->profile);
        return "search ended";
    default:
        return "";
    }
}
