/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/search_region.h"

enum { EXTENTS_LOOKED_AT = 8 };

enum holds { HOLDS_NOTHING_KNOWN, HOLDS_ONE, HOLDS_SEVERAL };

static bool extent_at(const struct place_names *names, uint64_t address,
                      struct object_extent *extent)
{
    return names->extent && names->extent(names->context, address, extent) &&
           extent->base <= address && address < extent->bound;
}

static enum holds region_holds(const struct region *region, const struct place_names *names,
                               struct object_extent *only)
{
    enum holds holds = HOLDS_NOTHING_KNOWN;
    uint64_t address = region->base;
    for (int i = 0; i < EXTENTS_LOOKED_AT && address < region->bound; i++) {
        struct object_extent extent;
        if (!extent_at(names, address, &extent))
            return holds == HOLDS_ONE ? HOLDS_SEVERAL : HOLDS_NOTHING_KNOWN;
        if (extent.object && holds == HOLDS_ONE)
            return HOLDS_SEVERAL;
        if (extent.object) {
            *only = extent;
            holds = HOLDS_ONE;
        }
        address = extent.bound;
    }
    return address < region->bound ? HOLDS_SEVERAL : holds;
}

/* Regions that a program manages itself, of some size: one name says too little. */
static bool worth_opening(const struct place_names *names, const struct object_extent *extent)
{
    struct object_desc desc;
    if (extent->bound - extent->base < SEARCH_OPEN_BYTES || !names->object ||
        !names->object(names->context, extent->object, &desc))
        return false;
    return desc.kind == OBJECT_HEAP || desc.kind == OBJECT_ANON || desc.kind == OBJECT_MAP;
}

/* Nothing can be missed on where nothing is mapped: the ends of a region are those of what is in
 * it. One that holds nothing stays as it is. */
static void leave_gaps(struct region *region, const struct place_names *names)
{
    struct object_extent extent;
    if (extent_at(names, region->base, &extent) && !extent.object && extent.bound < region->bound)
        region->base = extent.bound;
    if (extent_at(names, region->bound - 1, &extent) && !extent.object &&
        extent.base > region->base)
        region->bound = extent.base;
}

void region_identify(struct region *region, const struct place_names *names, bool inside,
                     uint32_t line_bytes)
{
    struct object_extent only = {0};
    region->object = 0;
    region->open = region->final = false;
    leave_gaps(region, names);
    if (region_holds(region, names, &only) == HOLDS_ONE) {
        region->object = only.object;
        region->base = only.base > region->base ? only.base : region->base;
        region->bound = only.bound < region->bound ? only.bound : region->bound;
        region->open = inside || worth_opening(names, &only);
        region->final = !region->open;
    }
    if (region_size(region) <= line_bytes)
        region->final = true;
}

static bool inside_region(const struct region *region, uint64_t point)
{
    return point > region->base && point < region->bound;
}

static bool nearest_edge(const struct region *region, const struct object_extent *extent,
                         uint64_t middle, uint64_t *point)
{
    bool low = inside_region(region, extent->base);
    bool high = inside_region(region, extent->bound);
    if (low && high)
        *point = middle - extent->base < extent->bound - middle ? extent->base : extent->bound;
    else
        *point = low ? extent->base : extent->bound;
    return low || high;
}

static bool aligned_middle(const struct region *region, uint64_t middle, uint32_t line_bytes,
                           uint64_t *point)
{
    uint64_t unit = region_size(region) > 2 * SEARCH_PAGE ? SEARCH_PAGE : line_bytes;
    *point = middle & ~(unit - 1);
    if (!inside_region(region, *point))
        *point += unit;
    return inside_region(region, *point);
}

bool region_split_point(const struct region *region, const struct place_names *names,
                        uint32_t line_bytes, uint64_t *point)
{
    struct object_extent extent;
    uint64_t middle = region->base + region_size(region) / 2;
    if (region->final || region_size(region) <= line_bytes)
        return false;
    if (extent_at(names, middle, &extent)) {
        /* An object that starts in the middle needs no moving. In a gap, an edge of the gap
         * is the better point: it costs no round to find out that the gap is empty. */
        if (extent.object && extent.base == middle && inside_region(region, middle)) {
            *point = middle;
            return true;
        }
        if (nearest_edge(region, &extent, middle, point))
            return true;
        if (extent.object)
            return false;
    }
    return aligned_middle(region, middle, line_bytes, point);
}
