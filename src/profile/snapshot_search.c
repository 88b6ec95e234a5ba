/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The search, as a snapshot shows it. */
#include "profile/interval.h"
#include "profile/state.h"

#include <math.h>
#include <stdlib.h>

static struct snapshot_region show_region(struct build *build, const struct region *region)
{
    const struct place_names *names = &build->profile->options.names;
    struct object_desc desc;
    struct snapshot_share share =
        interval_share(region->iterations ? region->share : NAN, region->total_samples);
    struct snapshot_region shown = {.base = region->base,
                                    .bound = region->bound,
                                    .share = share.value,
                                    .low = share.low,
                                    .high = share.high,
                                    .iterations = region->iterations,
                                    .depth = region->depth,
                                    .state = region->state,
                                    .object = "",
                                    .reason = region->reason};
    if (region->object && names->object && names->object(names->context, region->object, &desc))
        shown.object = arena_string(build->arena, desc.name ? desc.name : "");
    return shown;
}

static int most_misses(const void *left, const void *right)
{
    const struct snapshot_region *a = left;
    const struct snapshot_region *b = right;
    double share_a = isnan(a->share) ? -1 : a->share;
    double share_b = isnan(b->share) ? -1 : b->share;
    if (share_a != share_b)
        return share_a > share_b ? -1 : 1;
    return a->base < b->base ? -1 : a->base > b->base;
}

static void list_regions(struct build *build, const struct search *search,
                         struct snapshot_search *shown)
{
    for (uint32_t i = 0; i < search->active_count; i++) {
        struct snapshot_region region = show_region(build, &search->active[i]);
        if (!search->active[i].final && region.state != REGION_KEPT)
            region.state = REGION_SPLIT;
        shown->regions[shown->region_count++] = region;
    }
    for (uint32_t i = 0; i < search->queue.count; i++)
        shown->regions[shown->region_count++] = show_region(build, &search->queue.at[i]);
    for (uint32_t i = 0; i < search->dropped_count; i++)
        shown->dropped[shown->dropped_count++] = show_region(build, &search->dropped[i]);
    qsort(shown->regions, shown->region_count, sizeof *shown->regions, most_misses);
}

void build_search(struct build *build)
{
    const struct search *search = &build->profile->search;
    struct snapshot_search *shown = &build->snapshot->search;
    *shown = (struct snapshot_search){
        .state = search->state, .ways = search->ways, .what = "", .explained = NAN};
    if (search->state == SEARCH_OFF)
        return;
    shown->iteration = search->iteration;
    shown->restarts = search->restarts;
    shown->interval_s = (double)search->interval_ns / 1e9;
    shown->explained = search_explained(search);
    shown->base = search->base;
    shown->bound = search->bound;
    shown->what = arena_string(build->arena, search->what);
    size_t count = search->active_count + search->queue.count;
    shown->regions = arena_array(build->arena, count + 1, sizeof *shown->regions);
    shown->dropped = arena_array(build->arena, SEARCH_DROPPED, sizeof *shown->dropped);
    build->failed |= !shown->regions || !shown->dropped || !shown->what;
    if (!build->failed)
        list_regions(build, search, shown);
}
