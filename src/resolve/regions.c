/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/regions.h"

#include "base/array.h"
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

enum { KEY_SIZE = 2 /* beside those of finding.c and provisional.c, in the place of a kind */ };

void regions_fini(struct regions *regions)
{
    free(regions->list);
    free(regions->joins);
    *regions = (struct regions){0};
}

void regions_forget(struct regions *regions)
{
    regions->count = regions->join_count = 0;
}

static bool continues(const struct maps *maps, const struct map *map, const struct map *next)
{
    return next->kind == MAPPING_ANON && next->readable && next->writable && !next->executable &&
           map->executable == next->executable &&
           !strcmp(maps_name(maps, next), maps_name(maps, map));
}

/* How far memory goes from `at` within its mapping before it comes to a thread's stack. What only stack
 * pointers tell of (coroutines, goroutines) is in the middle of something else. */
static uint64_t lower_end(const struct stacks *stacks, const struct map *map, uint64_t at)
{
    for (size_t i = stacks->count; i-- > 0;) {
        const struct stack *stack = &stacks->stacks[i];
        if (stack->end <= map->start)
            break;
        if (stack->start < at && stack->tid)
            return stack->end;
    }
    return map->start;
}

static uint64_t upper_end(const struct stacks *stacks, const struct map *map, uint64_t at)
{
    for (size_t i = 0; i < stacks->count && stacks->stacks[i].start < map->end; i++)
        if (stacks->stacks[i].end > at && stacks->stacks[i].tid)
            return stacks->stacks[i].start;
    return map->end;
}

/* The run of mappings side by side around [*start, *end), as far as there is no thread's stack in it. */
static void find_run(const struct maps *maps, const struct stacks *stacks, const struct map *map,
                     uint64_t *start, uint64_t *end)
{
    enum { FAR = 4096 };
    size_t at = (size_t)(map - maps->maps);
    *start = lower_end(stacks, map, *start);
    *end = upper_end(stacks, map, *end);
    for (size_t i = at; i && at - i < FAR && *start == maps->maps[i].start; i--) {
        const struct map *next = &maps->maps[i - 1];
        uint64_t to = next->end == *start && continues(maps, map, next)
                          ? lower_end(stacks, next, next->end)
                          : *start;
        if (to >= *start)
            break;
        *start = to;
    }
    for (size_t i = at; i + 1 < maps->count && i - at < FAR && *end == maps->maps[i].end; i++) {
        const struct map *next = &maps->maps[i + 1];
        uint64_t to = next->start == *end && continues(maps, map, next)
                          ? upper_end(stacks, next, next->start)
                          : *end;
        if (to <= *end)
            break;
        *end = to;
    }
}

static void join(struct regions *regions, uint64_t from, uint64_t to)
{
    if (from == to)
        return;
    struct region_join *more = array_more(regions->joins, &regions->join_room, regions->join_count,
                                          sizeof *more, REGIONS_MAX);
    if (!more)
        return;
    regions->joins = more;
    regions->joins[regions->join_count++] = (struct region_join){from, to};
    for (size_t i = 0; i < regions->count; i++)
        if (regions->list[i].key == from)
            regions->list[i].key = to;
}

/* The regions that [start, end) touches become one, which now has these bounds. NULL: it touches none. */
static struct region *grow(struct regions *regions, uint64_t start, uint64_t end)
{
    struct region *first = NULL;
    for (size_t i = 0; i < regions->count;) {
        struct region *region = &regions->list[i];
        if (region->end <= start || region->start >= end) {
            i++;
        } else if (!first) {
            first = region;
            i++;
        } else {
            /* What is one of many gives way to what is large, and takes no other with it. */
            if (!region->is_of_bin && !first->is_of_bin)
                join(regions, region->key, first->key);
            else if (!region->is_of_bin)
                *first = *region;
            *region = regions->list[--regions->count];
        }
    }
    if (first) {
        first->start = start;
        first->end = end;
    }
    return first;
}

static bool is_same_size(const struct region *region, uint64_t start, uint64_t end)
{
    return region->end - region->start == end - start;
}

static void put_in_bin(struct regions *regions, struct region *region)
{
    size_t same = 0;
    uint64_t size = region->end - region->start;
    for (size_t i = 0; i < regions->count; i++)
        same += is_same_size(&regions->list[i], region->start, region->end);
    if (same <= REGIONS_SAME_SIZE)
        return;
    uint64_t key = (hash_mix(size) & ~UINT64_C(15)) | KEY_SIZE;
    for (size_t i = 0; i < regions->count; i++) {
        struct region *other = &regions->list[i];
        if (!is_same_size(other, region->start, region->end) || other->is_of_bin)
            continue;
        other->is_of_bin = true;
        join(regions, other->key, key);
        other->key = key;
    }
}

static struct region *add(struct regions *regions, uint64_t start, uint64_t end, uint64_t key)
{
    struct region *more =
        array_more(regions->list, &regions->room, regions->count, sizeof *more, REGIONS_MAX);
    if (!more)
        return NULL;
    regions->list = more;
    struct region *region = &regions->list[regions->count++];
    *region = (struct region){.start = start, .end = end, .key = key};
    put_in_bin(regions, region);
    return region;
}

static void describe(const struct regions *regions, const struct region *region,
                     struct region_found *found)
{
    *found = (struct region_found){.key = region->key,
                                   .start = region->start,
                                   .size_bytes = region->end - region->start,
                                   .blocks = 1,
                                   .is_of_bin = region->is_of_bin};
    if (!region->is_of_bin)
        return;
    found->blocks = 0;
    found->size_bytes = 0;
    for (size_t i = 0; i < regions->count; i++)
        if (regions->list[i].key == region->key) {
            found->blocks++;
            found->size_bytes += regions->list[i].end - regions->list[i].start;
        }
}

bool regions_find(struct regions *regions, const struct maps *maps, const struct stacks *stacks,
                  const struct map *map, uint64_t start, uint64_t end, uint64_t key,
                  struct region_found *found)
{
    find_run(maps, stacks, map, &start, &end);
    struct region *region = regions->recent < regions->count ? &regions->list[regions->recent] : NULL;
    if (!region || region->start != start || region->end != end)
        region = grow(regions, start, end);
    if (!region)
        region = add(regions, start, end, key);
    if (!region)
        return false;
    regions->recent = (size_t)(region - regions->list);
    describe(regions, region, found);
    return true;
}
