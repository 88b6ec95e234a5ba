/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/search_part.h"

enum { KEEP_ROUNDS = 6, EXPECTED_SAMPLES = 6 };

void search_drop(struct search *search, const struct region *region, const char *reason)
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

void search_average(const struct search *search, struct region *region)
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
 * in a quiet phase, and is kept for some rounds. One of which a few samples were expected at most
 * is not quiet yet. */
static bool keep_silent(struct search *search, struct region *region)
{
    if (region->hits > 0 && region->share * (double)search->all_samples < EXPECTED_SAMPLES) {
        region->state = search_found_state(search, region);
        return true;
    }
    bool was_best =
        region->ranked_share > 0 && (region->iterations > 1 || sibling_silent(search, region));
    if (!was_best) {
        search_drop(search, region, "no samples");
        return false;
    }
    if (++region->zero_rounds > KEEP_ROUNDS) {
        search_drop(search, region, "quiet for too many rounds");
        return false;
    }
    region->state = REGION_KEPT;
    region->reason = "no samples now, but was among the best";
    if (region->share <= 0)
        region->share = region->ranked_share / 2;
    return true;
}

enum region_state search_found_state(const struct search *search, const struct region *region)
{
    if (!region->final)
        return REGION_QUEUED;
    return region_size(region) <= search->line_bytes ? REGION_LINE : REGION_OBJECT;
}

bool search_queue_silent(struct search *search, struct region *region)
{
    if (!keep_silent(search, region))
        return false;
    search_queue_put(&search->queue, region);
    return region->state == REGION_KEPT;
}

bool search_queue_measured(struct search *search)
{
    bool kept = false;
    for (uint32_t i = 0; i < search->active_count; i++)
        search_average(search, &search->active[i]);
    search_inside_note(search);
    for (uint32_t i = 0; i < search->active_count; i++) {
        struct region *region = &search->active[i];
        if (!region->samples && (region->iterations > 1 || !(region->hits > 0))) {
            kept |= search_queue_silent(search, region);
            continue;
        }
        region->zero_rounds = 0;
        region->reason = region->open && region->final ? region->reason : NULL;
        region->state = search_found_state(search, region);
        search_queue_put(&search->queue, region);
    }
    return kept;
}
