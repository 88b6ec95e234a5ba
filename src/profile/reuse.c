/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/reuse.h"

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

double reuse_between(double blind, double waited)
{
    return fmin(blind + waited, 2 * waited);
}

/* ---- misses in between ---- */

static const struct reuse_miss *miss_at(const struct reuse *reuse, uint64_t index)
{
    return &reuse->misses[index % REUSE_MISSES];
}

static uint64_t oldest(const struct reuse *reuse)
{
    return reuse->miss_count > REUSE_MISSES ? reuse->miss_count - REUSE_MISSES : 0;
}

/* The first one after a time. */
static uint64_t first_after(const struct reuse *reuse, uint64_t time_ns)
{
    uint64_t low = oldest(reuse);
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

static double sum_before(const struct reuse *reuse, uint64_t index)
{
    return index < reuse->miss_count ? miss_at(reuse, index)->before : reuse->sum;
}

static double of_thread(const struct reuse *reuse, uint64_t first, uint64_t end, uint32_t tid)
{
    double sum = 0;
    for (uint64_t i = first; i < end; i++)
        sum += miss_at(reuse, i)->tid == tid ? miss_at(reuse, i)->weight : 0;
    return sum;
}

/* Both are known within the same bounds as the time. */
static void count_between(const struct reuse *reuse, const struct watch_result *result,
                          struct reuse_leg *leg)
{
    uint64_t origin = first_after(reuse, result->origin_ns);
    uint64_t armed = first_after(reuse, result->armed_ns);
    uint64_t end = first_after(reuse, result->end_ns);
    uint32_t tid = result->origin_tid;
    if (oldest(reuse) && origin == oldest(reuse))
        return;
    leg->misses = reuse_between(sum_before(reuse, armed) - sum_before(reuse, origin),
                                sum_before(reuse, end) - sum_before(reuse, armed));
    leg->thread_misses =
        reuse_between(of_thread(reuse, origin, armed, tid), of_thread(reuse, armed, end, tid));
}

/* ---- legs ---- */

static double seconds(uint64_t from_ns, uint64_t to_ns)
{
    return to_ns > from_ns ? (double)(to_ns - from_ns) / 1e9 : 0;
}

void reuse_add(struct reuse *reuse, const struct watch_result *result, uint32_t function,
               uint64_t ip)
{
    double blind_s = seconds(result->origin_ns, result->armed_ns);
    double waited_s = seconds(result->armed_ns + result->off_ns, result->end_ns);
    if (result->end == WATCH_DROPPED)
        return;
    struct reuse_leg leg = {.object = result->object,
                            .function = function,
                            .ip = ip,
                            .kind = result->kind,
                            .happened = result->end == WATCH_TOUCHED,
                            .elsewhere = result->end == WATCH_TOUCHED &&
                                         result->toucher_tid != result->origin_tid,
                            .seconds = reuse_between(blind_s, waited_s),
                            .misses = NAN,
                            .thread_misses = NAN,
                            .waited_s = waited_s};
    if (result->kind != WATCH_VISIT)
        count_between(reuse, result, &leg);
    reuse->legs[reuse->leg_count++ % REUSE_LEGS] = leg;
    note_time(reuse, result->end_ns);
}
