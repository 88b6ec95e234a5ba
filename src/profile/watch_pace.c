/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far an object is from a verdict, and how long that takes at this pace; declared in
 * watch_part.h. */
#include "profile/watch_part.h"

#include "profile/interval.h"

#include <inttypes.h>
#include <math.h>

/* More than anybody waits for. */
enum { MOST_NEEDED = 512 };

/* Of that many the interval says which side of the verdict's limits the part is on. */
static uint64_t needed(const struct snapshot_share *again)
{
    uint64_t count = REUSE_LEAST;
    if (isnan(again->value))
        return count;
    while (count < MOST_NEEDED && !reuse_decided(interval_share(again->value, (double)count)))
        count++;
    return count;
}

/* Time that the legs which are still known took. */
static double passed_s(const struct reuse *reuse)
{
    double passed =
        reuse->now_ns > reuse->began_ns ? (double)(reuse->now_ns - reuse->began_ns) / 1e9 : 0;
    return reuse->leg_count > REUSE_LEGS ? passed * REUSE_LEGS / (double)reuse->leg_count : passed;
}

void watch_fill_pace(struct build *build, struct snapshot_watch_object *object)
{
    double passed = passed_s(build->profile->reuse);
    object->needed = object->told;
    object->wait_s = 0;
    if (object->verdict != WATCH_TOO_FEW)
        return;
    /* Those that were cut short may leave the estimate less sure than so many would. */
    object->needed = needed(&object->again);
    if (object->needed <= object->told)
        object->needed = object->told + 1;
    object->wait_s = NAN;
    if (object->told && passed > 0)
        object->wait_s = (double)(object->needed - object->told) * passed / (double)object->told;
    object->progress =
        arena_printf(build->arena, "%" PRIu64 " of %" PRIu64, object->told, object->needed);
    build->failed |= !object->progress;
}

/* Nearly all of it is spent, and there was more to be watched. */
static bool budget_limits(const struct snapshot_watch *watch)
{
    static const double nearly = 0.75;
    return watch->unpaid && watch->overhead >= nearly * watch->budget;
}

void watch_sum_pace(struct snapshot_watch *watch)
{
    watch->budget_limits = budget_limits(watch);
    watch->next_s = NAN;
    watch->verdicts = 0;
    for (size_t i = 0; i < watch->count; i++) {
        const struct snapshot_watch_object *object = &watch->objects[i];
        watch->verdicts += object->verdict != WATCH_TOO_FEW;
        if (object->verdict == WATCH_TOO_FEW)
            watch->next_s = fmin(watch->next_s, object->wait_s);
    }
}
