/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What watches mean, in words; declared in watch_part.h. */
#include "profile/watch_part.h"

#include "base/text.h"
#include "profile/findings.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double mostly = 0.5;

bool watch_crowded(const struct snapshot *snapshot, uint32_t object)
{
    const struct snapshot_findings *findings = &snapshot->findings;
    for (size_t i = 0; i < findings->count; i++)
        if (findings->list[i].kind == FINDING_CONFLICT && findings->list[i].object == object &&
            object != UINT32_MAX)
            return true;
    return false;
}

/* The level whose misses the event counts; the last one for events that name none. */
static unsigned level_of(enum event_role role)
{
    return role == EVENT_MISS_L1 ? 0 : role == EVENT_MISS_L2 || role == EVENT_STALL ? 1 : 2;
}

struct reuse_question watch_question(const struct build *build)
{
    static const char *const levels[] = {"L1", "L2", "L3"};
    const struct snapshot_source *source = &build->snapshot->source;
    const struct snapshot_event *event = &source->events[build->event];
    unsigned level = level_of(event->role);
    bool misses = event->role == EVENT_MISS_L1 || event->role == EVENT_MISS_L2 ||
                  event->role == EVENT_MEM_FILL ||
                  (event->role == EVENT_OTHER && event->name && strstr(event->name, "miss"));
    return (struct reuse_question){.counts_misses = misses,
                                   .period = (double)event->period,
                                   .lines = build->profile->options.cache_lines[level],
                                   .level = levels[level]};
}

/* The lines between the first and the last sampled one are all that the object has, as far as it
 * is sampled; those of a heap bin are spread over other data. */
void watch_ask_of(const struct build *build, uint32_t object, uint32_t id,
                  struct reuse_question *question)
{
    const struct findings *findings = build->findings;
    const struct spread *spread =
        object != UINT32_MAX && findings ? findings_spread(findings, object) : NULL;
    double line_bytes = build->profile->sets.geometry.line_bytes;
    enum spread_order now = spread ? findings_order(findings, object) : SPREAD_UNKNOWN;
    question->order = reuse_order(build->profile->reuse, id, now);
    question->object_lines = question->elsewhere = NAN;
    question->last_lines = (double)build->profile->options.cache_lines[2];
    if (!spread || !(line_bytes > 0))
        return;
    question->object_lines = (double)(spread->highest - spread->lowest) / line_bytes + 1;
    question->elsewhere = 1 - findings_share(findings, object);
}

/* "12 ms" */
static const char *time_text(char out[24], double s)
{
    static const char *const units[] = {"s", "ms", "us", "ns"};
    int unit = 0;
    /* Shorter than what arming takes. */
    if (s < 1e-6)
        return "under 1 us";
    while (unit < 3 && s < 1) {
        s *= 1000;
        unit++;
    }
    snprintf(out, 24, "%.*f %s", s < 9.95 ? 1 : 0, s, units[unit]);
    return out;
}

/* How long it takes until a line is touched again, and what comes in between. */
static const char *between(struct build *build, const struct snapshot_watch_object *object)
{
    char time[24];
    char count[16];
    if (snapshot_reuse_is_bound(&object->reuse_s))
        return arena_printf(build->arena, "touched again within %s, most of them",
                            time_text(time, object->reuse_s.high));
    if (object->again.high < mostly)
        return arena_printf(build->arena, "mostly (%.0f%%) not touched again within %s",
                            (1 - object->again.value) * 100, time_text(time, object->again_s));
    if (isnan(object->reuse_s.value))
        return "touched again";
    time_text(time, object->reuse_s.value);
    if (isnan(object->misses.value))
        return arena_printf(build->arena, "touched again after %s (median)", time);
    return arena_printf(build->arena, "touched again after %s (median), with %s misses in between",
                        time, text_count(count, object->misses.value));
}

static const char *streaming(struct build *build, const struct snapshot_watch_object *object)
{
    return arena_printf(build->arena,
                        "Its lines are %s: they pass through the caches. Prefetch them, pack more "
                        "of what is used into a line, or, where they are written, store past the "
                        "caches.",
                        between(build, object));
}

static const char *capacity(struct build *build, const struct snapshot_watch_object *object,
                            const struct reuse_question *question)
{
    const char *doubt =
        question->counts_misses
            ? ""
            : " That is by time: misses are not counted here, and if little else was touched "
              "meanwhile, it was still there.";
    return arena_printf(build->arena,
                        "Its lines are %s: %s has %" PRIu64 " lines and was filled meanwhile. Work "
                        "on less at a time (blocking), or make it smaller.%s",
                        between(build, object), question->level, question->lines, doubt);
}

static const char *conflict(struct build *build, const struct snapshot_watch_object *object,
                            const struct reuse_question *question)
{
    const char *other = object->elsewhere > mostly
                            ? " Mostly another thread touches next: see Sharing."
                            : " Screen Sets shows which; make rows longer by a line.";
    return arena_printf(build->arena,
                        "Its lines are %s: too soon for the %" PRIu64 " lines of %s to have been "
                        "filled. They lose their place in a few sets, or to another core.%s",
                        between(build, object), question->lines, question->level, other);
}

static const char *cached(struct build *build, const struct snapshot_watch_object *object,
                          const struct reuse_question *question)
{
    return arena_printf(build->arena,
                        "Its lines are %s: too soon to have left %s for want of room, and nothing "
                        "says they did. The time here is work on data at hand; or they are in each "
                        "other's way in a level before it: see Sets.",
                        between(build, object), question->level);
}

static const char *reused(struct build *build, const struct snapshot_watch_object *object)
{
    char low[24];
    char high[24];
    const char *range = "";
    if (object->reuse_s.low > 0 && !isnan(object->reuse_s.high))
        range = arena_printf(build->arena, " (the median is between %s and %s)",
                             time_text(low, object->reuse_s.low),
                             time_text(high, object->reuse_s.high));
    if (!range)
        return NULL;
    return arena_printf(build->arena,
                        "Its lines are %s%s: not known whether the cache was filled in between.",
                        between(build, object), range);
}

static const char *too_few(struct build *build, const struct snapshot_watch_object *object)
{
    char wait[24];
    char time[24];
    const char *pace = "";
    if (!isnan(object->wait_s))
        pace = arena_printf(build->arena, ", about %s more at this pace",
                            time_text(wait, object->wait_s));
    if (!pace)
        return NULL;
    return arena_printf(build->arena,
                        "No verdict yet: of %" PRIu64 " line%s watched %" PRIu64
                        " told something (touched again, or waited for for %s), and about %" PRIu64
                        " are needed%s.",
                        object->watched, object->watched == 1 ? "" : "s", object->told,
                        time_text(time, reuse_long_s), object->needed, pace);
}

const char *watch_words(struct build *build, const struct snapshot_watch_object *object,
                        const struct reuse_question *question)
{
    switch (object->verdict) {
    case WATCH_STREAMING:
        return streaming(build, object);
    case WATCH_CAPACITY:
        return capacity(build, object, question);
    case WATCH_CONFLICT:
        return conflict(build, object, question);
    case WATCH_CACHED:
        return cached(build, object, question);
    case WATCH_REUSED:
        return reused(build, object);
    default:
        return too_few(build, object);
    }
}
