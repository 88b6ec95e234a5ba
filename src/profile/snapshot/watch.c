/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "profile/cache/reuse.h"
#include "profile/findings/findings.h"
#include "profile/snapshot/builders.h"
#include "profile/tables/statistics.h"

/* The code that touched watched lines next. */

static bool is_touch(const struct reuse_leg *leg)
{
    return leg->kind != WATCH_VISIT && leg->was_touched;
}

/* Sorts touches first, by instruction. */
static int compare_leg_code(const void *left, const void *right)
{
    const struct reuse_leg *a = *(const struct reuse_leg *const *)left;
    const struct reuse_leg *b = *(const struct reuse_leg *const *)right;
    if (is_touch(a) != is_touch(b))
        return is_touch(a) ? -1 : 1;
    return (a->ip > b->ip) - (a->ip < b->ip);
}

static void watch_describe_code(struct build *build, const struct reuse_leg *leg,
                                struct snapshot_watch_code *code)
{
    struct function_desc function;
    code->id = leg->function;
    build_describe_function(build, leg->function, &function);
    code->function = arena_string(build->arena, function.name);
    code->module = arena_string(build->arena, function.module);
    if (leg->ip >> 63)
        code->function = arena_string(build->arena, "the kernel");
    if (!code->function || !*code->function)
        code->function = arena_printf(build->arena, "0x%" PRIx64, leg->ip);
    code->file = build_locate(build, leg->ip, &code->line);
    code->text = code->file ? arena_printf(build->arena, "%s (%s)", code->function,
                                           build_line_name(build, code->file, code->line))
                            : code->function;
    build->failed |= !code->function || !code->text;
}

/* Instructions by touches, most first. More than are shown, because some share a line. */
struct touched_by {
    const struct reuse_leg *leg;
    size_t touches;
};

struct leading {
    struct touched_by list[2 * SNAPSHOT_WATCH_CODES];
    size_t count;
};

static void keep_leading_touch(struct leading *leading, const struct reuse_leg *leg, size_t touches)
{
    enum { MOST = sizeof leading->list / sizeof *leading->list };
    KEEP(leading->list, &leading->count, MOST, (&(struct touched_by){leg, touches}),
         LARGEST(struct touched_by, touches));
}

/* Returns the index of the row of the same function and line, or the insertion point. */
static size_t find_code(const struct snapshot_watch_object *object,
                        const struct snapshot_watch_code *code)
{
    size_t at = 0;
    while (at < object->code_count &&
           (object->codes[at].id != code->id || strcmp(object->codes[at].text, code->text) != 0))
        at++;
    return at;
}

static void add_code(struct snapshot_watch_object *object, struct snapshot_watch_code code)
{
    size_t at = find_code(object, &code);
    if (at == SNAPSHOT_WATCH_CODES)
        return;
    if (at < object->code_count)
        code.share += object->codes[at].share;
    else
        object->code_count++;
    for (; at > 0 && object->codes[at - 1].share < code.share; at--)
        object->codes[at] = object->codes[at - 1];
    object->codes[at] = code;
}

/* Lists functions and source lines of touches, most first. Sorts the legs. */
static void watch_fill_codes(struct build *build, const struct reuse_leg **legs, size_t count,
                             struct snapshot_watch_object *object)
{
    struct leading leading = {.count = 0};
    size_t touches = 0;
    qsort(legs, count, sizeof *legs, compare_leg_code);
    while (touches < count && is_touch(legs[touches]))
        touches++;
    for (size_t first = 0, end; first < touches; first = end) {
        for (end = first; end < touches && legs[end]->ip == legs[first]->ip; end++)
            continue;
        keep_leading_touch(&leading, legs[first], end - first);
    }
    for (size_t i = 0; i < leading.count; i++) {
        struct snapshot_watch_code code = {.share =
                                               (double)leading.list[i].touches / (double)touches};
        watch_describe_code(build, leading.list[i].leg, &code);
        if (build->failed)
            return;
        add_code(object, code);
    }
}

/* The watches an object still needs for a verdict, and the time they take at this pace. */

/* Upper bound of watches to wait for. */
enum { MOST_NEEDED = 512 };

/* Returns the number of watches after which the interval is narrow enough for a verdict. */
static uint64_t watches_needed(const struct snapshot_share *again)
{
    uint64_t count = REUSE_MIN;
    if (isnan(again->value))
        return count;
    while (count < MOST_NEEDED && !reuse_decided(interval_share(again->value, (double)count)))
        count++;
    return count;
}

/* Returns the time covered by the stored legs. */
static double legs_period_s(const struct reuse *reuse)
{
    double passed =
        reuse->now_ns > reuse->began_ns ? (double)(reuse->now_ns - reuse->began_ns) / 1e9 : 0;
    return reuse->leg_count > REUSE_LEGS ? passed * REUSE_LEGS / (double)reuse->leg_count : passed;
}

/* Computes the watches still needed for a verdict on the object, once its verdict and its share
 * touched again are set. */
static void watch_fill_pace(const struct build *build, struct snapshot_watch_object *object)
{
    double passed = legs_period_s(build->profile->reuse);
    object->settled_needed = object->settled;
    object->verdict_in_s = 0;
    if (object->verdict != WATCH_TOO_FEW)
        return;
    /* Censored legs can make the estimate less precise than the same number of complete ones. */
    object->settled_needed = watches_needed(&object->touched_again_share);
    if (object->settled_needed <= object->settled)
        object->settled_needed = object->settled + 1;
    object->verdict_in_s = NAN;
    if (object->settled && passed > 0)
        object->verdict_in_s =
            (double)(object->settled_needed - object->settled) * passed / (double)object->settled;
}

/* Returns true if most of the budget is used and there was more to watch. */
static bool budget_limits(const struct snapshot_watch *watch)
{
    static const double nearly = 0.75;
    return watch->over_budget && watch->overhead >= nearly * watch->budget;
}

static void watch_sum_pace(struct snapshot_watch *watch)
{
    watch->is_limited_by_budget = budget_limits(watch);
    watch->next_s = NAN;
    watch->verdicts = 0;
    for (size_t i = 0; i < watch->count; i++) {
        const struct snapshot_watch_object *object = &watch->objects[i];
        watch->verdicts += object->verdict != WATCH_TOO_FEW;
        if (object->verdict == WATCH_TOO_FEW)
            watch->next_s = fmin(watch->next_s, object->verdict_in_s);
    }
}

/* Returns true if a finding says that the object's lines conflict in a few sets. */
static bool watch_has_conflict(const struct snapshot *snapshot, uint32_t object)
{
    const struct snapshot_findings *findings = &snapshot->findings;
    for (size_t i = 0; i < findings->count; i++)
        if (findings->list[i].kind == FINDING_CONFLICT && findings->list[i].object == object &&
            object != UINT32_MAX)
            return true;
    return false;
}

/* Returns the cache level of the misses that the event counts; the last one if the event does not
 * specify a level. */
static unsigned watch_level(enum event_role role)
{
    return role == EVENT_MISS_L1                                                ? 0
           : role == EVENT_MISS_L2 || role == EVENT_STALL || role == EVENT_TIME ? 1
                                                                                : 2;
}

/* Returns the measure of the ranking event and the cache that misses. */
static struct reuse_question watch_question(const struct build *build)
{
    const struct snapshot_source *source = &build->snapshot->source;
    const struct snapshot_event *event = &source->events[build->event];
    unsigned level = watch_level(event->role);
    bool misses = event->role == EVENT_MISS_L1 || event->role == EVENT_MISS_L2 ||
                  event->role == EVENT_MEM_FILL ||
                  (event->role == EVENT_OTHER && event->name && strstr(event->name, "miss"));
    return (struct reuse_question){.counts_misses = misses,
                                   .period = (double)event->period,
                                   .lines = build->profile->options.cache_lines[level]};
}

/* Sets the parts of the question that depend on the object. The range of sampled lines is taken as
 * the object's size; the lines of a heap bin are mixed with other data. */
static void watch_question_of_object(const struct build *build, uint32_t object, uint32_t id,
                                     struct reuse_question *question)
{
    const struct findings *findings = build->findings;
    const struct spread *spread =
        object != UINT32_MAX && findings ? findings_spread(findings, object) : NULL;
    double line_bytes = build->profile->sets.geometry.line_bytes;
    enum spread_order now = spread ? findings_order(findings, object) : SPREAD_UNKNOWN;
    question->order = reuse_order(build->profile->reuse, id, now);
    question->object_lines = question->other_data_share = NAN;
    question->last_lines = (double)build->profile->options.cache_lines[2];
    if (!spread || !(line_bytes > 0))
        return;
    question->object_lines = (double)(spread->highest - spread->lowest) / line_bytes + 1;
    question->other_data_share = 1 - findings_share(findings, object);
}

enum { LISTED = 64, WORDS = 8 /* words of a line */ };

/* The legs of one object, and scratch memory for sorted times. */
struct legs {
    const struct reuse_leg **at;
    size_t count;
    struct survival_time *times;
    /* minimum time in which a touch can be seen: the time to set the registers */
    double min_observable_s;
};

typedef double leg_time(const struct legs *legs, const struct reuse_leg *leg);

static double leg_seconds(const struct legs *legs, const struct reuse_leg *leg)
{
    (void)legs;
    return leg->seconds;
}

/* Returns the time of a leg; 0: too short to measure. */
static double seen_seconds(const struct legs *legs, const struct reuse_leg *leg)
{
    return leg->was_touched && leg->waited_s <= legs->min_observable_s ? 0 : leg->seconds;
}

static double leg_waited(const struct legs *legs, const struct reuse_leg *leg)
{
    (void)legs;
    return leg->waited_s;
}

static double leg_misses(const struct legs *legs, const struct reuse_leg *leg)
{
    (void)legs;
    return leg->misses;
}

static double thread_misses(const struct legs *legs, const struct reuse_leg *leg)
{
    (void)legs;
    return leg->thread_misses;
}

/* Collects the known times of one kind of leg, sorted. */
static size_t collect_leg_times(const struct legs *legs, enum watch_kind kind, leg_time *time)
{
    size_t count = 0;
    for (size_t i = 0; i < legs->count; i++) {
        const struct reuse_leg *leg = legs->at[i];
        if (leg->kind == kind && !isnan(time(legs, leg)))
            legs->times[count++] = (struct survival_time){time(legs, leg), leg->was_touched};
    }
    survival_sort(legs->times, count);
    return count;
}

/* Returns the median of second legs, which are blind for less time; of first legs if too few. */
static struct snapshot_median legs_median(const struct legs *legs, leg_time *time)
{
    size_t count = collect_leg_times(legs, WATCH_AGAIN, time);
    if (count < REUSE_MIN)
        count = collect_leg_times(legs, WATCH_FIRST, time);
    struct survival_median found = survival_median(legs->times, count);
    if (count < REUSE_MIN)
        return (struct snapshot_median){NAN, NAN, NAN};
    return (struct snapshot_median){found.value, found.low, found.high};
}

/*
 * Detects bursts: a line that is touched continuously for a while and then left alone for longer.
 * Watches that start within a burst are touched at once. If these are many more than expected by
 * chance at one touch per `reuse_s`, nearly all touches follow another one as closely, however many
 * watches had to wait for the next burst: a register is set at a random time, not at a random touch
 * (length-biased sampling; Cox, Renewal Theory, ch. 5). Returns the upper bound of these short
 * intervals; 0: no bursts.
 */
static double burst_seconds(const struct legs *legs, double reuse_s)
{
    static const double least = 0.1;
    static const double beyond_chance = 4;
    double touched = 0;
    double at_once = 0;
    double longest_s = 0;
    for (size_t i = 0; i < legs->count; i++) {
        const struct reuse_leg *leg = legs->at[i];
        if (leg->kind == WATCH_VISIT || !leg->was_touched)
            continue;
        touched++;
        if (leg->waited_s > legs->min_observable_s)
            continue;
        at_once++;
        longest_s = fmax(longest_s, leg->seconds);
    }
    double low = touched > 0 ? interval_share(at_once / touched, touched).low : 0;
    return low > fmax(least, beyond_chance * legs->min_observable_s / reuse_s) ? longest_s : 0;
}

/*
 * Returns the reuse time. A line that is touched continuously is touched as soon as its register is
 * set, which takes some time: such a wait only gives an upper bound of the reuse time. These times
 * are left-censored, all at the same limit and below all others, so the order of the other times,
 * and thus the product-limit estimate, is unchanged (Helsel, Statistics for Censored Environmental
 * Data Using Minitab and R, 2012, ch. 2). If the median is one of them, only its upper bound is
 * known.
 */
static struct snapshot_median reuse_time(const struct legs *legs)
{
    struct snapshot_median bound = legs_median(legs, leg_seconds);
    struct snapshot_median reuse = legs_median(legs, seen_seconds);
    if (reuse.value <= 0)
        return (struct snapshot_median){NAN, 0, bound.high};
    double burst_s = burst_seconds(legs, reuse.value);
    return burst_s > 0 ? (struct snapshot_median){NAN, 0, burst_s} : reuse;
}

/* ---- one object ---- */

/* Returns the longest time of the curve: as long as enough observations remain. With only the
 * minimum number, it is limited to the threshold of streaming. */
static double legs_reach_s(const struct legs *legs, size_t count)
{
    double many = survival_reach(legs->times, count, REUSE_MANY);
    double few = survival_reach(legs->times, count, REUSE_MIN);
    return fmax(many, fmin(few, reuse_long_s));
}

static void fill_reuse(const struct legs *legs, struct snapshot_watch_object *object)
{
    size_t count = collect_leg_times(legs, WATCH_FIRST, leg_waited);
    double reach = legs_reach_s(legs, count);
    object->watched = count;
    for (size_t i = 0; i < count; i++) {
        object->touched += legs->times[i].was_observed;
        object->settled += legs->times[i].was_observed || legs->times[i].time >= reuse_long_s;
    }
    object->again_within_s = count < REUSE_MIN ? NAN : reach;
    object->touched_again_share = object->touched_within_long =
        (struct snapshot_share){NAN, NAN, NAN};
    if (count >= REUSE_MIN) {
        object->touched_again_share = survival_happened(legs->times, count, reach);
        object->touched_within_long = survival_happened(legs->times, count, reuse_long_s);
    }
}

/* The sampled word is used in every visit, the other words as often as the one drawn. */
static double used_share_of_line(double part)
{
    return (1 + (WORDS - 1) * part) / WORDS;
}

static void fill_line_use(const struct legs *legs, struct snapshot_watch_object *object)
{
    uint64_t used = 0;
    for (size_t i = 0; i < legs->count; i++) {
        bool visit = legs->at[i]->kind == WATCH_VISIT;
        object->visits += visit;
        used += visit && legs->at[i]->was_touched;
    }
    double visits = (double)object->visits;
    object->used = object->visits < REUSE_MIN ? (struct snapshot_share){NAN, NAN, NAN}
                                              : interval_share((double)used / visits, visits);
    object->used.value = used_share_of_line(object->used.value);
    object->used.low = used_share_of_line(object->used.low);
    object->used.high = used_share_of_line(object->used.high);
}

static void fill_elsewhere_share(const struct legs *legs, struct snapshot_watch_object *object)
{
    double touches = 0;
    double by_another_thread = 0;
    for (size_t i = 0; i < legs->count; i++) {
        bool touch = legs->at[i]->kind != WATCH_VISIT && legs->at[i]->was_touched;
        touches += touch;
        by_another_thread += touch && legs->at[i]->by_another_thread;
    }
    object->by_another_thread = touches > 0 ? by_another_thread / touches : NAN;
}

static void watch_describe_object(struct build *build, uint32_t id,
                                  struct snapshot_watch_object *object)
{
    object->id = id;
    object->object = build_object_index(build, id);
    object->name = build_object_name(build, id);
}

static void fill_object(struct build *build, const struct legs *legs, uint32_t id,
                        const struct reuse_question *question, struct snapshot_watch_object *object)
{
    watch_describe_object(build, id, object);
    fill_reuse(legs, object);
    object->reuse_s = reuse_time(legs);
    object->misses = (struct snapshot_median){NAN, NAN, NAN};
    object->thread_misses = NAN;
    if (question->counts_misses) {
        object->misses = legs_median(legs, leg_misses);
        object->thread_misses = legs_median(legs, thread_misses).value;
    }
    fill_line_use(legs, object);
    fill_elsewhere_share(legs, object);
    watch_fill_codes(build, legs->at, legs->count, object);
    struct reuse_question own = *question;
    own.crowded_sets = watch_has_conflict(build->snapshot, object->object);
    watch_question_of_object(build, object->object, id, &own);
    object->verdict = reuse_verdict(object, &own);
    watch_fill_pace(build, object);
}

/* ---- all of them ---- */

static size_t count_objects(const struct legs *all)
{
    size_t count = 0;
    for (size_t i = 0; i < all->count; i++)
        count += !i || all->at[i]->object != all->at[i - 1]->object;
    return count;
}

static void fill_all(struct build *build, const struct legs *all)
{
    struct snapshot_watch *watch = &build->snapshot->watch;
    struct reuse_question question = watch_question(build);
    size_t count = count_objects(all);
    watch->counts_misses = question.counts_misses;
    watch->level = watch_level(build->snapshot->source.events[build->event].role) + 1;
    watch->level_lines = question.lines;
    watch->long_s = reuse_long_s;
    watch->objects = build_array(build, count, sizeof *watch->objects);
    for (size_t first = 0; first < all->count && !build->failed;) {
        size_t end = first;
        while (end < all->count && all->at[end]->object == all->at[first]->object)
            end++;
        struct legs own = {all->at + first, end - first, all->times, all->min_observable_s};
        fill_object(build, &own, all->at[first]->object, &question,
                    &watch->objects[watch->count++]);
        first = end;
    }
    if (build->failed)
        return;
    SORT(watch->objects, watch->count, LARGEST(struct snapshot_watch_object, watched),
         SMALLEST(struct snapshot_watch_object, id));
    watch->count = watch->count < LISTED ? watch->count : LISTED;
    watch_sum_pace(watch);
}

void build_watch(struct build *build)
{
    const struct reuse *reuse = build->profile->reuse;
    struct snapshot_watch *watch = &build->snapshot->watch;
    watch->failure = arena_string(build->arena, watch->failure);
    if (!reuse || !watch->is_on)
        return;
    size_t count = reuse->leg_count < REUSE_LEGS ? (size_t)reuse->leg_count : REUSE_LEGS;
    struct legs all = {.at = build_scratch(build, count + 1, sizeof *all.at),
                       .count = count,
                       .times = build_scratch(build, count + 1, sizeof *all.times),
                       .min_observable_s = (1 + (double)watch->threads) * watch->arm_ns / 1e9};
    for (size_t i = 0; i < count && !build->failed; i++)
        all.at[i] = &reuse->legs[i];
    if (!build->failed) {
        SORT_POINTERS(all.at, count, SMALLEST(struct reuse_leg, object));
        fill_all(build, &all);
    }
    free(all.at);
    free(all.times);
}
