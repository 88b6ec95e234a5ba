/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "profile/snapshot/builders.h"
#include "profile/tables/statistics.h"

/* Maximum rows for regions of other phases, and their minimum share of the misses there. */
enum { ELSEWHERE = 32 };
static const double elsewhere_share = 0.01;

static struct snapshot_region show_region(struct build *build, const struct region *region)
{
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
    if (region->object && build_describe_object(build, region->object, &desc))
        shown.object = arena_string(build->arena, desc.name ? desc.name : "");
    return shown;
}

/* Finds a final region of a search; `shown` NULL: the one with most misses. */
static const struct region *find_final_region(const struct search *search,
                                              const struct region *shown)
{
    const struct region *best = NULL;
    for (uint32_t i = 0; i < search->active_count + search->queue.count; i++) {
        const struct region *region = i < search->active_count
                                          ? &search->active[i]
                                          : &search->queue.at[i - search->active_count];
        if (!region->final || !(region->share > 0))
            continue;
        if (shown && region->base == shown->base && region->bound == shown->bound)
            return region;
        if (!shown && (!best || region->share > best->share))
            best = region;
    }
    return best;
}

static bool build_region_phase(const struct search *search, uint8_t phase,
                               const struct region *region, struct snapshot_region_phase *out)
{
    const struct region *found = find_final_region(search, region);
    if (!found)
        return false;
    *out = (struct snapshot_region_phase){.share = found->share,
                                          .is_largest = find_final_region(search, NULL) == found};
    out->name[0] = (char)('A' + phase);
    return true;
}

/* Lists the phases in which a region was found: the current phase from the running search, others
 * from the saved searches. */
static void build_region_phases(struct build *build, const struct region *region,
                                struct snapshot_region *shown)
{
    const struct search_phases *phases = &build->profile->search_phases;
    struct snapshot_region_phase list[SEARCH_KEPT + 1];
    size_t count = 0;
    if (phases->phase != PHASES_NONE)
        count += build_region_phase(&build->profile->search, phases->phase, region, &list[count]);
    for (unsigned i = 0; i < SEARCH_KEPT; i++) {
        const struct search_kept *kept = &phases->kept[i];
        if (kept->mark && kept->phase != phases->phase)
            count += build_region_phase(&kept->mark->search, kept->phase, region, &list[count]);
    }
    struct snapshot_region_phase *copy = arena_array(build->arena, count + 1, sizeof *copy);
    build->failed |= count && !copy;
    if (!copy || !count)
        return;
    memcpy(copy, list, count * sizeof *copy);
    SORT(copy, count, LARGEST(struct snapshot_region_phase, share),
         SMALLEST(struct snapshot_region_phase, name[0]));
    shown->phases = copy;
    shown->phase_count = count;
}

/* Lists the regions found only in other phases. */
static void list_regions_of_phases(struct build *build, const struct search *other,
                                   struct snapshot_search *shown, size_t room)
{
    for (uint32_t i = 0; i < other->active_count + other->queue.count; i++) {
        const struct region *region =
            i < other->active_count ? &other->active[i] : &other->queue.at[i - other->active_count];
        bool listed = !region->final || !(region->share >= elsewhere_share);
        for (size_t k = 0; k < shown->region_count && !listed; k++)
            listed =
                shown->regions[k].base == region->base && shown->regions[k].bound == region->bound;
        if (listed || shown->region_count == room)
            continue;
        struct snapshot_region *row = &shown->regions[shown->region_count++];
        *row = show_region(build, region);
        row->share = row->low = row->high = NAN;
        row->state = region_size(region) <= other->line_bytes ? REGION_LINE : REGION_OBJECT;
        row->reason = REGION_IN_OTHER_PHASE;
        build_region_phases(build, region, row);
    }
}

static int compare_region_share(const void *left, const void *right)
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
                         struct snapshot_search *shown, size_t room)
{
    const struct search_phases *phases = &build->profile->search_phases;
    for (uint32_t i = 0; i < search->active_count; i++) {
        struct snapshot_region region = show_region(build, &search->active[i]);
        if (!search->active[i].final && region.state != REGION_KEPT)
            region.state = REGION_SPLIT;
        if (search->active[i].final)
            build_region_phases(build, &search->active[i], &region);
        shown->regions[shown->region_count++] = region;
    }
    for (uint32_t i = 0; i < search->queue.count; i++) {
        struct snapshot_region *row = &shown->regions[shown->region_count++];
        *row = show_region(build, &search->queue.at[i]);
        if (search->queue.at[i].final)
            build_region_phases(build, &search->queue.at[i], row);
    }
    for (unsigned i = 0; i < SEARCH_KEPT; i++)
        if (phases->kept[i].mark && phases->kept[i].phase != phases->phase)
            list_regions_of_phases(build, &phases->kept[i].mark->search, shown, room);
    for (uint32_t i = 0; i < search->dropped_count; i++)
        shown->dropped[shown->dropped_count++] = show_region(build, &search->dropped[i]);
    qsort(shown->regions, shown->region_count, sizeof *shown->regions, compare_region_share);
}

void build_search(struct build *build)
{
    const struct search *search = &build->profile->search;
    struct snapshot_search *shown = &build->snapshot->search;
    *shown = (struct snapshot_search){
        .state = search->state, .ways = search->ways, .range_name = "", .explained = NAN};
    if (search->state == SEARCH_OFF)
        return;
    shown->iteration = search->iteration;
    shown->restarts = search->restarts;
    shown->interval_s = (double)search->interval_ns / 1e9;
    shown->explained = search_explained(search);
    shown->base = search->base;
    shown->bound = search->bound;
    shown->range_name = arena_string(build->arena, search->range_name);
    shown->previous_range_name =
        arena_string(build->arena, search_history_what(&build->profile->search_history));
    size_t room = search->active_count + search->queue.count + ELSEWHERE;
    shown->regions = build_array(build, room, sizeof *shown->regions);
    shown->dropped = build_array(build, SEARCH_DROPPED, sizeof *shown->dropped);
    build->failed |= !shown->range_name;
    if (!build->failed)
        list_regions(build, search, shown, room);
}
