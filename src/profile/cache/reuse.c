/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/cache/reuse.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int reuse_init(struct reuse *reuse)
{
    *reuse = (struct reuse){.legs = calloc(REUSE_LEGS, sizeof *reuse->legs),
                            .misses = calloc(REUSE_MISSES, sizeof *reuse->misses)};
    if (reuse->legs && reuse->misses)
        return 0;
    reuse_fini(reuse);
    return -ENOMEM;
}

void reuse_fini(struct reuse *reuse)
{
    free(reuse->legs);
    free(reuse->misses);
    *reuse = (struct reuse){0};
}

void reuse_clear(struct reuse *reuse)
{
    reuse->leg_count = reuse->miss_count = 0;
    reuse->sum = 0;
    memset(reuse->orders, 0, sizeof reuse->orders);
    reuse->began_ns = reuse->now_ns = 0;
}

static void note_time(struct reuse *reuse, uint64_t time_ns)
{
    if (!reuse->began_ns)
        reuse->began_ns = time_ns;
    if (time_ns > reuse->now_ns)
        reuse->now_ns = time_ns;
}

void reuse_count(struct reuse *reuse, uint64_t time_ns, uint32_t tid, double weight)
{
    reuse->misses[reuse->miss_count++ % REUSE_MISSES] = (struct reuse_miss){
        .time_ns = time_ns, .before = reuse->sum, .weight = (float)weight, .tid = tid};
    reuse->sum += weight;
    note_time(reuse, time_ns);
}

enum spread_order reuse_order(struct reuse *reuse, uint32_t object, enum spread_order now)
{
    unsigned at = object % REUSE_ORDERS;
    if (now != SPREAD_UNKNOWN) {
        reuse->orders[at].object = object;
        reuse->orders[at].order = now;
    }
    return reuse->orders[at].object == object ? reuse->orders[at].order : SPREAD_UNKNOWN;
}

double reuse_estimate(double blind, double waited)
{
    return fmin(blind + waited, 2 * waited);
}

/* ---- misses between touches ---- */

static const struct reuse_miss *miss_at(const struct reuse *reuse, uint64_t index)
{
    return &reuse->misses[index % REUSE_MISSES];
}

static uint64_t oldest_miss(const struct reuse *reuse)
{
    return reuse->miss_count > REUSE_MISSES ? reuse->miss_count - REUSE_MISSES : 0;
}

/* Returns the index of the first miss after a time. */
static uint64_t first_miss_after(const struct reuse *reuse, uint64_t time_ns)
{
    uint64_t low = oldest_miss(reuse);
    uint64_t high = reuse->miss_count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (miss_at(reuse, middle)->time_ns <= time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static double miss_weight_before(const struct reuse *reuse, uint64_t index)
{
    return index < reuse->miss_count ? miss_at(reuse, index)->before : reuse->sum;
}

static double thread_miss_weight(const struct reuse *reuse, uint64_t first, uint64_t end,
                                 uint32_t tid)
{
    double sum = 0;
    for (uint64_t i = first; i < end; i++)
        sum += miss_at(reuse, i)->tid == tid ? miss_at(reuse, i)->weight : 0;
    return sum;
}

/* Estimates the misses of a leg, within the same bounds as its time. */
static void count_between(const struct reuse *reuse, const struct watch_result *result,
                          struct reuse_leg *leg)
{
    uint64_t origin = first_miss_after(reuse, result->origin_ns);
    uint64_t armed = first_miss_after(reuse, result->armed_ns);
    uint64_t end = first_miss_after(reuse, result->end_ns);
    uint32_t tid = result->origin_tid;
    if (oldest_miss(reuse) && origin == oldest_miss(reuse))
        return;
    leg->misses =
        reuse_estimate(miss_weight_before(reuse, armed) - miss_weight_before(reuse, origin),
                       miss_weight_before(reuse, end) - miss_weight_before(reuse, armed));
    leg->thread_misses = reuse_estimate(thread_miss_weight(reuse, origin, armed, tid),
                                        thread_miss_weight(reuse, armed, end, tid));
}

/* ---- legs ---- */

static double seconds_between(uint64_t from_ns, uint64_t to_ns)
{
    return to_ns > from_ns ? (double)(to_ns - from_ns) / 1e9 : 0;
}

void reuse_add(struct reuse *reuse, const struct watch_result *result, uint32_t function,
               uint64_t ip)
{
    double blind_s = seconds_between(result->origin_ns, result->armed_ns);
    double waited_s = seconds_between(result->armed_ns + result->off_cpu_ns, result->end_ns);
    if (result->end == WATCH_DROPPED)
        return;
    struct reuse_leg leg = {.object = result->object,
                            .function = function,
                            .ip = ip,
                            .kind = result->kind,
                            .was_touched = result->end == WATCH_TOUCHED,
                            .by_another_thread = result->end == WATCH_TOUCHED &&
                                                 result->toucher_tid != result->origin_tid,
                            .seconds = reuse_estimate(blind_s, waited_s),
                            .misses = NAN,
                            .thread_misses = NAN,
                            .waited_s = waited_s};
    if (result->kind != WATCH_VISIT)
        count_between(reuse, result, &leg);
    reuse->legs[reuse->leg_count++ % REUSE_LEGS] = leg;
    note_time(reuse, result->end_ns);
}

/* Minimum watches for a verdict if the order is not known: it often becomes known soon after. */
enum { LEAST_UNORDERED = 32 };

static const double half = 0.5;
const double reuse_long_s = 0.05; /* long enough to replace the contents of any cache */
/* Share of lines touched again that makes their times representative. */
static const double some = 0.25;
/* Below this share touched again in reuse_long_s, lines are not reused. */
static const double few = 0.02;
static const double next_to_none = 0.002;
/* Object size in caches: read in order, none of it stays cached. */
static const double no_cache_holds = 2;

const char *watch_verdict_name(enum watch_verdict verdict)
{
    static const char *const names[] = {"too-few",  "streaming", "capacity",
                                        "conflict", "cached",    "reused"};
    return (unsigned)verdict < sizeof names / sizeof *names ? names[verdict] : "too-few";
}

/* Returns an upper bound of the lines fetched between two touches, if misses are not counted. */
static double lines_fetched_at_most(const struct snapshot_watch_object *object,
                                    const struct reuse_question *question)
{
    double by_time = object->reuse_s.high * 1e9 / REUSE_FASTEST_NS;
    double by_object = question->object_lines + question->other_data_share * by_time;
    return isnan(by_object) ? by_time : fmin(by_time, by_object);
}

/* Returns true if the cache cannot have been filled between two touches; NAN compares as false. */
static bool is_reused_too_soon(const struct snapshot_watch_object *object,
                               const struct reuse_question *question)
{
    double lines = (double)question->lines;
    /* A sample represents `period` misses; fewer misses may go unsampled. */
    return lines_fetched_at_most(object, question) < lines ||
           (question->counts_misses && object->misses.high + question->period < lines);
}

static bool is_reused_late(const struct snapshot_watch_object *object,
                           const struct reuse_question *question)
{
    double lines = (double)question->lines;
    double filled = object->reuse_s.low * 1e9 / REUSE_SLOWEST_NS;
    return question->counts_misses ? object->misses.low >= lines : filled >= lines;
}

static bool order_is_sequential(enum spread_order order)
{
    return order == SPREAD_FORWARD || order == SPREAD_BACKWARD;
}

bool reuse_decided(struct snapshot_share again)
{
    return again.high < half || again.low >= some;
}

/* Returns the verdict if most lines were not touched again while they were watched. */
static enum watch_verdict verdict_not_reused(const struct snapshot_watch_object *object,
                                             const struct reuse_question *question)
{
    if (object->again_within_s < reuse_long_s)
        return WATCH_TOO_FEW;
    if (order_is_sequential(question->order) || object->touched_within_long.high < few)
        return WATCH_STREAMING;
    return object->touched_within_long.low > next_to_none ? WATCH_CAPACITY : WATCH_TOO_FEW;
}

enum watch_verdict reuse_verdict(const struct snapshot_watch_object *object,
                                 const struct reuse_question *question)
{
    const struct snapshot_share *again = &object->touched_again_share;
    if (object->watched < REUSE_MIN || isnan(again->value))
        return WATCH_TOO_FEW;
    if (order_is_sequential(question->order) && question->last_lines > 0 &&
        !is_reused_too_soon(object, question) &&
        question->object_lines > no_cache_holds * question->last_lines)
        return WATCH_STREAMING;
    if (!reuse_decided(*again) ||
        (question->order == SPREAD_UNKNOWN && object->watched < LEAST_UNORDERED))
        return WATCH_TOO_FEW;
    if (again->high < half)
        return verdict_not_reused(object, question);
    if (!question->lines)
        return WATCH_REUSED;
    if (is_reused_too_soon(object, question))
        return question->counts_misses || question->crowded_sets ? WATCH_CONFLICT : WATCH_CACHED;
    if (is_reused_late(object, question))
        return WATCH_CAPACITY;
    return question->crowded_sets ? WATCH_CONFLICT : WATCH_REUSED;
}
