/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/search.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SAMPLES_PER_REGION = 30, KEEP_ROUNDS = 6, EVEN_SPLITS = 3, POOLED_ROUNDS = 3 };

static const uint64_t interval_first_ns = 100000000;
static const uint64_t interval_longest_ns = 30000000000;
static const uint64_t interval_too_long_ns = 5000000000; /* fewer ways then */
static const double unsearched_enough = 0.01;
static const double explained_lost = 0.75; /* of what was explained: below, restart */

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

static void measure(struct search *search, const struct region *region)
{
    search->active[search->active_count++] = *region;
}

/* Replaces `region` by its two halves; false if it cannot be split. */
static bool measure_halves(struct search *search, const struct region *region)
{
    uint64_t point;
    if (!region_split_point(region, &search->names, search->line_bytes, &point))
        return false;
    struct region half = {.depth = region->depth + 1,
                          .parent = ++search->splits,
                          .even = region->even,
                          .even_base = region->even_base,
                          .even_bound = region->even_bound,
                          .ranked_share = region->share};
    if (!half.even) {
        half.even_base = region->base;
        half.even_bound = region->bound;
    }
    for (int upper = 0; upper < 2; upper++) {
        half.base = upper ? point : region->base;
        half.bound = upper ? region->bound : point;
        struct region identified = half;
        region_identify(&identified, &search->names, search->inside, search->line_bytes);
        measure(search, &identified);
    }
    return true;
}

/* The first round: the range in n parts, by halving the largest. */
static void first_regions(struct search *search)
{
    struct region whole = {
        .base = search->base, .bound = search->bound, .parent = ++search->splits};
    region_identify(&whole, &search->names, search->inside, search->line_bytes);
    search->active_count = 0;
    measure(search, &whole);
    for (bool more = true; more && search->active_count < search->ways_now;) {
        uint32_t largest = 0;
        for (uint32_t i = 1; i < search->active_count; i++)
            if (region_size(&search->active[i]) > region_size(&search->active[largest]))
                largest = i;
        struct region region = search->active[largest];
        more = measure_halves(search, &region);
        if (more)
            search->active[largest] = search->active[--search->active_count];
    }
}

static void begin_search(struct search *search, uint64_t now_ns)
{
    search->state = SEARCH_SEARCHING;
    search->queue.count = 0;
    search->interval_ns = search->shortest_ns = interval_first_ns;
    search->pooled_hits = search->pooled_total = search->pooled_samples = 0;
    search->pooled_rounds = 0;
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

static void drop(struct search *search, const struct region *region, const char *reason)
{
    uint32_t count =
        search->dropped_count < SEARCH_DROPPED - 1 ? search->dropped_count : SEARCH_DROPPED - 1;
    for (uint32_t i = count; i > 0; i--)
        search->dropped[i] = search->dropped[i - 1];
    search->dropped[0] = *region;
    search->dropped[0].state = REGION_DROPPED;
    search->dropped[0].reason = reason;
    search->dropped_count = count + 1;
}

/* This interval's counter into the average of all its measurements. */
static void average(const struct search *search, struct region *region)
{
    region->hits += region->weight;
    region->total += search->all_weight;
    region->total_samples += (double)search->all_samples;
    region->share = region->total > 0 ? region->hits / region->total : 0;
    region->iterations++;
}

/* Whether the other half of the same split had no miss either: then it is the whole parent,
 * which was among the best, that went quiet. */
static bool sibling_silent(const struct search *search, const struct region *region)
{
    for (uint32_t i = 0; i < search->active_count; i++)
        if (&search->active[i] != region && search->active[i].parent == region->parent)
            return !search->active[i].samples;
    return true;
}

/* A region without a miss is dropped, unless it was among the best before: then it may be
 * in a quiet phase, and is kept for some rounds. */
static bool keep_silent(struct search *search, struct region *region)
{
    bool was_best =
        region->ranked_share > 0 && (region->iterations > 1 || sibling_silent(search, region));
    if (!was_best) {
        drop(search, region, "no misses");
        return false;
    }
    if (++region->zero_rounds > KEEP_ROUNDS) {
        drop(search, region, "quiet for too many rounds");
        return false;
    }
    region->state = REGION_KEPT;
    region->reason = "no misses now, but was among the best";
    if (region->share <= 0)
        region->share = region->ranked_share / 2;
    return true;
}

static enum region_state found_state(const struct search *search, const struct region *region)
{
    if (!region->final)
        return REGION_QUEUED;
    return region_size(region) <= search->line_bytes ? REGION_LINE : REGION_OBJECT;
}

/* Returns whether a region without misses was kept. */
static bool queue_measured(struct search *search)
{
    bool kept = false;
    for (uint32_t i = 0; i < search->active_count; i++)
        average(search, &search->active[i]);
    for (uint32_t i = 0; i < search->active_count; i++) {
        struct region *region = &search->active[i];
        if (!region->samples) {
            if (!keep_silent(search, region))
                continue;
            kept = true;
        } else {
            region->zero_rounds = 0;
            region->reason = NULL;
            region->state = found_state(search, region);
        }
        search_queue_put(&search->queue, region);
    }
    return kept;
}

/* Two halves with as good as the same count. */
static bool halves_even(const struct region *a, const struct region *b)
{
    double low = (double)(a->samples < b->samples ? a->samples : b->samples);
    double high = (double)(a->samples < b->samples ? b->samples : a->samples);
    return low >= 8 && high - low <= 3 * sqrt(high + low) && high <= 2 * low;
}

/* The range has no hotter part: one final region stands for all of it again. */
static void close_range(struct search *search, struct region *piece)
{
    struct region whole = {.base = piece->even_base,
                           .bound = piece->even_bound,
                           .object = piece->object,
                           .final = true,
                           .state = REGION_OBJECT,
                           .reason = "evenly spread: no hotter part",
                           .ranked_share = 1};
    double share = 0;
    for (uint32_t i = 0; i < search->queue.count; i++)
        if (search->queue.at[i].base >= whole.base && search->queue.at[i].bound <= whole.bound)
            share += search->queue.at[i].share;
    whole.share = share;
    search_queue_remove(&search->queue, whole.base, whole.bound);
    search_queue_put(&search->queue, &whole);
}

/* Follows evenness down inside opened objects, before the halves go into the queue. */
static void note_evenness(struct search *search)
{
    for (uint32_t i = 0; i + 1 < search->active_count; i++) {
        struct region *a = &search->active[i];
        struct region *b = a + 1;
        if (!a->open || a->iterations || a->parent != b->parent)
            continue;
        bool even = region_size(a) >= SEARCH_PAGE && halves_even(a, b);
        a->even = b->even = even ? a->even + 1 : 0;
    }
}

static void close_even_ranges(struct search *search)
{
    for (uint32_t i = 0; i < search->queue.count; i++)
        if (search->queue.at[i].open && !search->queue.at[i].final &&
            search->queue.at[i].even >= EVEN_SPLITS) {
            struct region piece = search->queue.at[i];
            close_range(search, &piece);
            i = UINT32_MAX; /* the queue has changed: from the start */
        }
}

/* The best of the queue into the counters: halves of what can be split, the rest as it is. */
static void choose(struct search *search)
{
    search->active_count = 0;
    for (uint32_t i = 0; i < search->queue.count && search->active_count < search->ways_now;) {
        struct region *best = &search->queue.at[i];
        bool split = !best->final && best->state != REGION_KEPT;
        if (split && search->active_count + 2 > search->ways_now) {
            i++;
            continue;
        }
        struct region region = search_queue_take(&search->queue, i);
        region.ranked_share = region.share;
        if (split && measure_halves(search, &region))
            continue;
        region.final |= split; /* cannot be split after all */
        region.state = region.state == REGION_KEPT ? REGION_KEPT : found_state(search, &region);
        measure(search, &region);
    }
}

/* Half of all counters, at least: what the paper calls n - 1 of the top regions. */
static bool finished(const struct search *search)
{
    uint32_t finals = search_queue_finals(&search->queue);
    return finals && (finals >= search->ways_now - 1 || finals == search->queue.count ||
                      search_queue_unsearched(&search->queue) < unsearched_enough);
}

/* Settled: the found regions, and only they, stay in the counters. */
static void settle(struct search *search)
{
    search->state = SEARCH_SETTLED;
    search->active_count = 0;
    for (uint32_t i = 0; i < search->queue.count && search->active_count < search->ways_now;)
        if (search->queue.at[i].final) {
            struct region region = search_queue_take(&search->queue, i);
            measure(search, &region);
        } else {
            i++;
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

/* What the regions in the counters explained so far. */
static double measured_share(const struct search *search)
{
    double sum = 0;
    for (uint32_t i = 0; i < search->active_count; i++)
        sum += search->active[i].share;
    return sum;
}

/* Whether the measured regions have lost what they explained when they were found. */
static bool explains_too_little(struct search *search, double before)
{
    if (search->pooled_rounds < POOLED_ROUNDS || search->pooled_total <= 0)
        return false;
    double now = search->pooled_hits / search->pooled_total;
    double noise = 3 * sqrt(now * (1 - now) / search->pooled_samples);
    search->pooled_hits = search->pooled_total = search->pooled_samples = 0;
    search->pooled_rounds = 0;
    return now + noise < explained_lost * before;
}

/* A region that one noisy interval put on top sinks as it is measured again: what is then
 * above it and not searched yet takes its counters, and the search goes on. */
static void settle_or_choose(struct search *search)
{
    if (finished(search)) {
        settle(search);
    } else {
        search->state = SEARCH_SEARCHING;
        choose(search);
    }
}

static void go_on_settled(struct search *search, uint64_t now_ns)
{
    double before = measured_share(search);
    for (uint32_t i = 0; i < search->active_count; i++) {
        search->pooled_hits += search->active[i].weight;
        average(search, &search->active[i]);
    }
    search->pooled_total += search->all_weight;
    search->pooled_samples += (double)search->all_samples;
    search->pooled_rounds++;
    if (explains_too_little(search, before)) {
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
    note_evenness(search);
    bool kept = queue_measured(search);
    close_even_ranges(search);
    if (kept) {
        search->interval_ns += search->interval_ns / 2;
        if (search->interval_ns > interval_longest_ns)
            search->interval_ns = interval_longest_ns;
        search->shortest_ns = search->interval_ns;
    }
    if (!search->queue.count) {
        restart(search, now_ns);
        return;
    }
    settle_or_choose(search);
    begin_interval(search, now_ns);
}

/* The interval follows the rate of samples, and so does n where they are rare. */
static void adapt(struct search *search, uint64_t elapsed_ns, uint64_t needed)
{
    if (elapsed_ns > search->interval_ns)
        search->interval_ns = elapsed_ns < interval_longest_ns ? elapsed_ns : interval_longest_ns;
    if (search->all_samples > 4 * needed && search->interval_ns / 2 >= search->shortest_ns)
        search->interval_ns /= 2;
    if (elapsed_ns > interval_too_long_ns && search->all_samples < 2 * needed &&
        search->ways_now > 3)
        search->ways_now -= 2;
    else if (elapsed_ns < interval_too_long_ns / 4 && search->ways_now < search->ways)
        search->ways_now++;
}

void search_tick(struct search *search, uint64_t now_ns)
{
    if (search->state == SEARCH_OFF || now_ns < search->started_ns + search->interval_ns)
        return;
    uint64_t needed =
        (uint64_t)SAMPLES_PER_REGION * (search->active_count ? search->active_count : 1);
    if (search->all_samples < needed)
        return;
    adapt(search, now_ns - search->started_ns, needed);
    search->iteration++;
    search->rounds++;
    if (search->state == SEARCH_SETTLED)
        go_on_settled(search, now_ns);
    else
        go_on_searching(search, now_ns);
}
