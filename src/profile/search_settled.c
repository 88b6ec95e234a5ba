/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/search_part.h"

#include <math.h>

static const uint64_t judged_ns = 5000000000;
static const double unsearched_enough = 0.01;
static const double explained_lost = 0.75; /* of what was explained: below, start again */

/* The best n - 1 are found, or all that is worth it (section 2.2). */
bool search_finished(const struct search *search)
{
    uint32_t finals = search_queue_finals(&search->queue);
    return finals && (finals >= search->ways_now - 1 || finals == search->queue.count ||
                      search_queue_unsearched(&search->queue) < unsearched_enough);
}

/* Index of the best found region in the queue, or of the one measured for the fewest misses. */
static uint32_t next_found(const struct search_queue *queue, bool best)
{
    uint32_t next = queue->count;
    for (uint32_t i = 0; i < queue->count; i++) {
        if (!queue->at[i].final)
            continue;
        if (best)
            return i;
        if (next == queue->count || queue->at[i].total < queue->at[next].total)
            next = i;
    }
    return next;
}

/*
 * Where more is found than there are counters, a quarter of these goes round: a region that
 * was measured once, in whatever phase the program was in, would keep that share for good.
 */
void search_settle(struct search *search)
{
    uint32_t fixed = search->ways_now - search->ways_now / 4;
    search->state = SEARCH_SETTLED;
    search->active_count = 0;
    while (search->active_count < search->ways_now) {
        uint32_t next = next_found(&search->queue, search->active_count < fixed);
        if (next == search->queue.count)
            break;
        struct region region = search_queue_take(&search->queue, next);
        search_measure(search, &region);
    }
}

double search_explained(const struct search *search)
{
    double sum = 0;
    for (uint32_t i = 0; i < search->active_count; i++)
        sum += search->active[i].final ? search->active[i].share : 0;
    for (uint32_t i = 0; i < search->queue.count; i++)
        sum += search->queue.at[i].final ? search->queue.at[i].share : 0;
    return fmin(sum, 1);
}

/* Over several seconds: the program may use its objects in turn. */
static bool judge(struct search *search)
{
    struct search_judged *judged = &search->judged;
    if (judged->lasted_ns < judged_ns || judged->total <= 0)
        return true;
    double now = judged->hits / judged->total;
    double before = judged->expected / judged->total;
    double noise = 3 * sqrt(now * (1 - now) / judged->samples);
    *judged = (struct search_judged){0};
    return now + noise >= explained_lost * before;
}

bool search_still_explains(struct search *search, uint64_t now_ns)
{
    struct search_judged *judged = &search->judged;
    for (uint32_t i = 0; i < search->active_count; i++) {
        judged->hits += search->active[i].weight;
        judged->expected += search->active[i].share * search->all_weight;
        search_average(search, &search->active[i]);
    }
    judged->total += search->all_weight;
    judged->samples += (double)search->all_samples;
    judged->lasted_ns += now_ns - search->started_ns;
    return judge(search);
}
