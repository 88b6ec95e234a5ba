/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/search_part.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SAMPLES_PER_REGION = 30 };

static const uint64_t interval_first_ns = 100000000;
static const uint64_t interval_longest_ns = 30000000000;
static const uint64_t interval_too_long_ns = 5000000000; /* fewer ways then */

void search_init(struct search *search, const struct place_names *names, uint32_t ways,
                 uint32_t line_bytes)
{
    *search = (struct search){.names = *names, .line_bytes = line_bytes};
    search->ways = ways < 2 ? 2 : ways > SEARCH_WAYS_MAX ? SEARCH_WAYS_MAX : ways;
}

static int by_base(const void *left, const void *right)
{
    const struct region *a = left;
    const struct region *b = right;
    return a->base < b->base ? -1 : a->base > b->base;
}

static void begin_interval(struct search *search, uint64_t now_ns)
{
    qsort(search->active, search->active_count, sizeof search->active[0], by_base);
    for (uint32_t i = 0; i < search->active_count; i++) {
        search->active[i].weight = 0;
        search->active[i].samples = 0;
    }
    search->all_weight = 0;
    search->all_samples = 0;
    search->started_ns = now_ns;
}

void search_measure_again(struct search *search, uint64_t now_ns)
{
    begin_interval(search, now_ns);
}

static uint64_t recent_known(const struct search *search)
{
    return search->recent_count < SEARCH_RECENT ? search->recent_count : SEARCH_RECENT;
}

/* What a region had among the newest samples is its first measurement. */
static void count_recent(const struct search *search, struct region *region)
{
    for (uint64_t i = 0; i < recent_known(search); i++) {
        double weight = search->recent_weight[i];
        region->total += weight;
        if (search->recent_address[i] >= region->base && search->recent_address[i] < region->bound)
            region->hits += weight;
    }
    region->total_samples += (double)recent_known(search);
}

void search_measure(struct search *search, const struct region *region)
{
    struct region *measured = &search->active[search->active_count++];
    *measured = *region;
    if (!measured->total_samples)
        count_recent(search, measured);
}

/* Replaces `region` by its two halves; false if it cannot be split. */
static bool measure_halves(struct search *search, const struct region *region)
{
    uint64_t point;
    if (!region_split_point(region, &search->names, search->line_bytes, &point))
        return false;
    struct region half = {.depth = region->depth + 1,
                          .parent = ++search->splits,
                          .ranked_share = region->share};
    for (int upper = 0; upper < 2; upper++) {
        half.base = upper ? point : region->base;
        half.bound = upper ? region->bound : point;
        struct region identified = half;
        region_identify(&identified, &search->names, search->inside, search->line_bytes);
        search_measure(search, &identified);
    }
    return true;
}

/* The first round: the range in n parts, by halving the largest that is not one object. */
static void first_regions(struct search *search)
{
    struct region whole = {
        .base = search->base, .bound = search->bound, .parent = ++search->splits};
    region_identify(&whole, &search->names, search->inside, search->line_bytes);
    search->active_count = 0;
    if (search_inside_wants(&whole)) {
        search_inside_begin(search, &whole);
        search_inside_measure(search);
        return;
    }
    search_measure(search, &whole);
    for (bool more = true; more && search->active_count < search->ways_now;) {
        struct region *largest = NULL;
        for (uint32_t i = 0; i < search->active_count; i++)
            if (!search->active[i].object &&
                (!largest || region_size(&search->active[i]) > region_size(largest)))
                largest = &search->active[i];
        struct region region = largest ? *largest : (struct region){.final = true};
        more = measure_halves(search, &region);
        if (more)
            *largest = search->active[--search->active_count];
    }
}

static void begin_search(struct search *search, uint64_t now_ns)
{
    search->state = SEARCH_SEARCHING;
    search->queue.count = 0;
    search->interval_ns = search->shortest_ns = interval_first_ns;
    search->judged = (struct search_judged){0};
    search->frame.count = 0;
    search->recent_count = 0;
    search->rounds = 0;
    first_regions(search);
    begin_interval(search, now_ns);
}

void search_start(struct search *search, uint64_t base, uint64_t bound, const char *what,
                  uint64_t now_ns)
{
    struct object_extent extent;
    search->base = base < bound ? base : bound;
    search->bound = base < bound ? bound : base;
    search->inside = search->names.extent &&
                     search->names.extent(search->names.context, search->base, &extent) &&
                     extent.object && extent.base <= search->base && extent.bound >= search->bound;
    search->ways_now = search->ways;
    search->iteration = search->restarts = search->dropped_count = 0;
    snprintf(search->what, sizeof search->what, "%s", what ? what : "");
    begin_search(search, now_ns);
}

void search_stop(struct search *search)
{
    search->state = SEARCH_OFF;
    search->active_count = search->queue.count = search->dropped_count = 0;
}

void search_anew(struct search *search, uint64_t now_ns)
{
    search->ways_now = search->ways;
    begin_search(search, now_ns);
}

static void restart(struct search *search, uint64_t now_ns)
{
    search->restarts++;
    search_anew(search, now_ns);
}

/* The best of the queue into the counters: pieces or halves of what can be split, the rest as it
 * is. */
static void choose(struct search *search)
{
    search->active_count = 0;
    if (search->frame.count)
        search_inside_measure(search);
    for (uint32_t i = 0; i < search->queue.count && search->active_count < search->ways_now;) {
        struct region *best = &search->queue.at[i];
        bool split = !best->final && best->state != REGION_KEPT;
        bool inside = search_inside_wants(best);
        if (inside && search->frame.count) {
            i++;
            continue;
        }
        if (inside) {
            struct region whole = search_queue_take(&search->queue, i);
            if (search_inside_begin(search, &whole))
                search_inside_measure(search);
            continue;
        }
        if (split && search->active_count + 2 > search->ways_now) {
            i++;
            continue;
        }
        struct region region = search_queue_take(&search->queue, i);
        region.ranked_share = region.share;
        if (split && measure_halves(search, &region))
            continue;
        region.final |= split; /* cannot be split after all */
        region.state =
            region.state == REGION_KEPT ? REGION_KEPT : search_found_state(search, &region);
        search_measure(search, &region);
    }
}

/* A region that one noisy interval put on top sinks as it is measured again: what is then
 * above it and not searched yet takes its counters, and the search goes on. */
static void settle_or_choose(struct search *search)
{
    search_join_neighbours(search);
    if (!search->frame.count && search_finished(search)) {
        search_settle(search);
    } else {
        search->state = SEARCH_SEARCHING;
        choose(search);
    }
}

static void go_on_settled(struct search *search, uint64_t now_ns)
{
    if (!search_still_explains(search, now_ns)) {
        restart(search, now_ns);
        return;
    }
    for (uint32_t i = 0; i < search->active_count; i++)
        search_queue_put(&search->queue, &search->active[i]);
    settle_or_choose(search);
    begin_interval(search, now_ns);
}

static void go_on_searching(struct search *search, uint64_t now_ns)
{
    if (search->forgetful)
        search->queue.count = 0;
    bool kept = search_queue_measured(search);
    if (kept) {
        search->shortest_ns += search->shortest_ns / 2;
        if (search->shortest_ns > interval_longest_ns)
            search->shortest_ns = interval_longest_ns;
    }
    if (!search->queue.count && !search->frame.count) {
        restart(search, now_ns);
        return;
    }
    settle_or_choose(search);
    begin_interval(search, now_ns);
}

/* Fewer ways where samples are rare. */
static void adapt(struct search *search, uint64_t elapsed_ns, uint64_t needed)
{
    search->interval_ns = elapsed_ns;
    if (elapsed_ns > interval_too_long_ns && search->all_samples < 2 * needed &&
        search->ways_now > 3)
        search->ways_now -= 2;
    else if (elapsed_ns < interval_too_long_ns / 4 && search->ways_now < search->ways)
        search->ways_now++;
}

/* Samples that the region measured least would have if the interval ended now. */
static double samples_so_far(const struct search *search)
{
    double least = INFINITY;
    for (uint32_t i = 0; i < search->active_count; i++)
        if (!search->active[i].iterations && search->active[i].total_samples < least)
            least = search->active[i].total_samples;
    return (double)search->all_samples + (isfinite(least) ? least : 0);
}

void search_tick(struct search *search, uint64_t now_ns)
{
    /* What is played has no time before its first sample. */
    if (!search->started_ns)
        search->started_ns = now_ns;
    if (search->state == SEARCH_OFF || now_ns < search->started_ns + search->shortest_ns)
        return;
    uint64_t needed =
        (uint64_t)SAMPLES_PER_REGION * (search->active_count ? search->active_count : 1);
    if (!search->all_samples || samples_so_far(search) < (double)needed)
        return;
    adapt(search, now_ns - search->started_ns, needed);
    search->iteration++;
    search->rounds++;
    if (search->state == SEARCH_SETTLED)
        go_on_settled(search, now_ns);
    else
        go_on_searching(search, now_ns);
}
