/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/process/space.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/hash.h"

enum {
    KEY_SIZE = 2,
    KEY_ANON = 3 /* in place of a kind; objects.c and provisional.c use other values */
};

void regions_fini(struct regions *regions)
{
    free(regions->list);
    free(regions->joins);
    *regions = (struct regions){0};
}

static void regions_forget(struct regions *regions)
{
    regions->count = regions->join_count = 0;
    regions->changes++;
}

static bool map_continues(const struct maps *maps, const struct map *map, const struct map *next)
{
    const char *name = maps_name(maps, map);
    const char *other = maps_name(maps, next);
    return next->kind == MAPPING_ANON && next->readable && next->writable && !next->executable &&
           map->executable == next->executable && *name == *other &&
           (!*name || !strcmp(name, other));
}

/* Returns the end of the nearest thread's stack below `at`, or the mapping's start. Ignores stacks
 * known only from stack pointers (coroutines, goroutines), which are inside other memory. */
static uint64_t lower_stack_end(const struct stacks *stacks, const struct map *map, uint64_t at)
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

static uint64_t upper_stack_start(const struct stacks *stacks, const struct map *map, uint64_t at)
{
    for (size_t i = 0; i < stacks->count && stacks->stacks[i].start < map->end; i++)
        if (stacks->stacks[i].end > at && stacks->stacks[i].tid)
            return stacks->stacks[i].start;
    return map->end;
}

/* Finds the run of adjacent mappings around [*start, *end), up to the nearest thread stacks. */
static void find_run(const struct maps *maps, const struct stacks *stacks, const struct map *map,
                     uint64_t *start, uint64_t *end)
{
    enum { FAR = 4096 };
    size_t at = (size_t)(map - maps->maps);
    *start = lower_stack_end(stacks, map, *start);
    *end = upper_stack_start(stacks, map, *end);
    for (size_t i = at; i && at - i < FAR && *start == maps->maps[i].start; i--) {
        const struct map *next = &maps->maps[i - 1];
        uint64_t to = next->end == *start && map_continues(maps, map, next)
                          ? lower_stack_end(stacks, next, next->end)
                          : *start;
        if (to >= *start)
            break;
        *start = to;
    }
    for (size_t i = at; i + 1 < maps->count && i - at < FAR && *end == maps->maps[i].end; i++) {
        const struct map *next = &maps->maps[i + 1];
        uint64_t to = next->start == *end && map_continues(maps, map, next)
                          ? upper_stack_start(stacks, next, next->start)
                          : *end;
        if (to <= *end)
            break;
        *end = to;
    }
}

static void regions_join(struct regions *regions, uint64_t from, uint64_t to)
{
    if (from == to)
        return;
    if (!array_reserve_next(&regions->joins, &regions->join_room, regions->join_count,
                            sizeof *regions->joins, REGIONS_MAX))
        return;
    regions->joins[regions->join_count++] = (struct region_join){from, to};
    for (size_t i = 0; i < regions->count; i++)
        if (regions->list[i].key == from)
            regions->list[i].key = to;
}

static bool is_same_size(const struct region *region, uint64_t start, uint64_t end)
{
    return region->end - region->start == end - start && !region->resized;
}

static void join_same_size_regions(struct regions *regions, struct region *region)
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
        regions_join(regions, other->key, key);
        other->key = key;
    }
}

static uint64_t new_key(const struct regions *regions, uint64_t start)
{
    return (hash_mix(start ^ hash_mix(regions->changes)) & ~UINT64_C(15)) | KEY_ANON;
}

/* Merges the regions that [start, end) touches into one with these bounds; NULL: there are none. */
static struct region *grow_region(struct regions *regions, uint64_t start, uint64_t end)
{
    struct region *first = NULL;
    uint64_t was[2] = {0, 0};
    for (size_t i = 0; i < regions->count;) {
        struct region *region = &regions->list[i];
        if (region->end <= start || region->start >= end) {
            i++;
        } else if (!first) {
            first = region;
            was[0] = region->start;
            was[1] = region->end;
            i++;
        } else {
            regions->changes++;
            /* A region of a size bin is absorbed by a larger region, without a join. */
            if (!region->is_of_bin && !first->is_of_bin)
                regions_join(regions, region->key, first->key);
            else if (!region->is_of_bin)
                *first = *region;
            *region = regions->list[--regions->count];
        }
    }
    if (!first)
        return NULL;
    regions->changes += was[0] != start || was[1] != end;
    first->start = start;
    first->end = end;
    first->resized |= was[1] - was[0] != end - start;
    if (first->is_of_bin && first->resized) {
        first->is_of_bin = false;
        first->key = new_key(regions, start);
    }
    return first;
}

static struct region *regions_add(struct regions *regions, uint64_t start, uint64_t end,
                                  uint64_t key)
{
    if (!array_reserve_next(&regions->list, &regions->room, regions->count, sizeof *regions->list,
                            REGIONS_MAX))
        return NULL;
    struct region *region = &regions->list[regions->count++];
    regions->changes++;
    *region =
        (struct region){.start = start, .end = end, .key = key ? key : new_key(regions, start)};
    join_same_size_regions(regions, region);
    return region;
}

static void region_describe(const struct regions *regions, const struct region *region,
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
    struct region *region = grow_region(regions, start, end);
    if (!region)
        region = regions_add(regions, start, end, key);
    if (!region)
        return false;
    region_describe(regions, region, found);
    return true;
}

enum { SPACE_REREAD_MS_MIN = 20, SPACE_REREAD_MS_MAX = 250, SPACE_REREAD_PART = 50 };
enum { SPACE_USER_BITS = 47 };

#define SPACE_FIRST        UINT64_C(0x10000)     /* nothing is mapped below: vm.mmap_min_addr */
#define SPACE_MMAP_AREA    (UINT64_C(0x7) << 44) /* mmap() places mappings from above down to here */
#define SPACE_HEAP_WITHIN  (UINT64_C(1) << 40)   /* distance of brk's heap from the program */
#define SPACE_STACK_GROWTH (UINT64_C(8) << 20)   /* the usual limit of a stack */
#define SPACE_FILE_MAX     (UINT64_C(1) << 36)   /* larger files are not plausible */

int space_init(struct space *space, const struct lookup_from *from)
{
    *space = (struct space){.from = *from, .modules.binaries = &space->binaries};
    if (!from->live)
        binaries_init(&space->binaries, &space->from);
    space->from.root = from->live ? files_root(from->pid) : -1;
    return from->live ? maps_read(&space->maps, from->pid) : 0;
}

void space_fini(struct space *space)
{
    if (space->from.live && space->from.root >= 0)
        close(space->from.root);
    modules_fini(&space->modules);
    binaries_fini(&space->binaries);
    maps_fini(&space->maps);
    stacks_fini(&space->stacks);
    regions_fini(&space->regions);
}

void space_forget(struct space *space)
{
    modules_forget(&space->modules);
    maps_fini(&space->maps);
    stacks_fini(&space->stacks);
    regions_forget(&space->regions);
    space->reread_ns = 0;
    space->exec_count++;
}

/* Returns true if /proc already listed the mapping; /proc has more detail. */
static bool mapping_is_known(const struct space *space, const struct sample_mapping *mapping)
{
    const struct map *known = maps_find(&space->maps, mapping->start);
    return space->from.live && known && known->start <= mapping->start &&
           known->end >= mapping->start + mapping->length && known->inode == mapping->inode &&
           known->executable == mapping->executable;
}

bool space_take(struct space *space, const struct sample_mapping *mapping)
{
    if (mapping_is_known(space, mapping))
        return false;
    stacks_forget(&space->stacks, mapping->start, mapping->start + mapping->length);
    if (!maps_add(&space->maps, mapping) && !space->from.live)
        maps_find(&space->maps, mapping->start)->binary = binaries_note(&space->binaries, mapping);
    space->data_recorded |= !mapping->executable;
    return mapping->executable;
}

/* Limits reading to a fiftieth of the time. Some mappings have no record (mremap, a heap or stack
 * that grew), and samples in them are lost until the next read. */
static uint64_t reread_pause_ns(uint64_t took_ns)
{
    uint64_t pause_ns = took_ns * SPACE_REREAD_PART;
    uint64_t min_ns = SPACE_REREAD_MS_MIN * UINT64_C(1000000);
    uint64_t most_ns = SPACE_REREAD_MS_MAX * UINT64_C(1000000);
    return pause_ns < min_ns ? min_ns : pause_ns > most_ns ? most_ns : pause_ns;
}

bool space_reread(struct space *space, uint64_t now_ns)
{
    uint64_t began_ns = clock_now_ns();
    if (!space->from.live || now_ns < space->reread_ns)
        return false;
    bool read = !maps_read(&space->maps, space->from.pid);
    space->reread_ns = now_ns + reread_pause_ns(clock_now_ns() - began_ns);
    return read;
}

struct map *space_map(struct space *space, uint64_t address)
{
    struct map *map = maps_find(&space->maps, address);
    if (!map && space->from.live && address >= SPACE_FIRST && !(address >> SPACE_USER_BITS) &&
        space_reread(space, clock_now_ns()))
        map = maps_find(&space->maps, address);
    return map;
}

struct module *space_module(struct space *space, struct map *map)
{
    if (map->kind != MAPPING_FILE && map->kind != MAPPING_VDSO)
        return NULL;
    return modules_of(&space->modules, &space->maps, map, &space->from);
}

uint64_t space_version(const struct space *space)
{
    return ((uint64_t)space->exec_count << 40) + space->maps.changes + space->stacks.changes +
           space->regions.changes;
}

bool space_continues_file(const struct space *space, const struct map *map)
{
    return map != space->maps.maps && map->kind == MAPPING_ANON && map[-1].end == map->start &&
           (map[-1].kind == MAPPING_FILE || map[-1].kind == MAPPING_VDSO);
}

/* Returns the module of .bss, which continues in an anonymous mapping directly after the file's. */
static struct module *module_before_bss(struct space *space, const struct map *map,
                                        uint64_t address)
{
    uint64_t start;
    uint64_t end;
    struct module *module =
        space_continues_file(space, map) ? space_module(space, (struct map *)map - 1) : NULL;
    if (!module)
        return NULL;
    module_range(module, &start, &end);
    return address < end ? module : NULL;
}

struct module *space_module_at(struct space *space, struct map *map, uint64_t address)
{
    struct module *module = space_module(space, map);
    return module ? module : module_before_bss(space, map, address);
}

enum space_unrecorded space_unrecorded(const struct space *space, uint64_t address)
{
    const struct maps *maps = &space->maps;
    size_t next = maps_after(maps, address);
    if (space->from.live || address < SPACE_FIRST || address >> SPACE_USER_BITS || !maps->count)
        return SPACE_NOTHING;
    if (next < maps->count && maps->maps[next].kind == MAPPING_STACK &&
        maps->maps[next].start - address <= SPACE_STACK_GROWTH)
        return SPACE_STACK;
    if (space->data_recorded)
        return SPACE_NOTHING;
    bool behind = next && address < SPACE_MMAP_AREA && maps->maps[next - 1].kind == MAPPING_FILE &&
                  address - maps->maps[next - 1].end < SPACE_HEAP_WITHIN;
    return behind ? SPACE_HEAP : SPACE_SOMETHING;
}

/* Adds a range between mappings as part of the file. */
static bool space_fill(struct space *space, uint64_t start, uint64_t end, const char *path,
                       const struct map *map)
{
    struct sample_mapping hole = {
        .start = start, .length = end - start, .protection = PROT_READ | PROT_WRITE, .path = path};
    if (maps_add(&space->maps, &hole))
        return false;
    struct map *made = maps_find(&space->maps, start);
    made->module = map->module;
    made->binary = map->binary;
    return true;
}

void space_complete(struct space *space, const struct map *map)
{
    char path[LOOKUP_PATH_MAX];
    struct map like = *map;
    uint64_t at;
    uint64_t end;
    if (space->from.live || space->data_recorded || like.module < 0 ||
        space->modules.entries[like.module].completed)
        return;
    struct modules_entry *entry = &space->modules.entries[like.module];
    entry->completed = true;
    if (!entry->module)
        return;
    snprintf(path, sizeof path, "%s", maps_name(&space->maps, map));
    module_range(entry->module, &at, &end);
    while (at < end && end - at < SPACE_FILE_MAX) {
        size_t next = maps_after(&space->maps, at);
        const struct map *after = next < space->maps.count ? &space->maps.maps[next] : NULL;
        uint64_t stop = after && after->start < end ? after->start : end;
        if (stop > at && !space_fill(space, at, stop, path, &like))
            return;
        at = stop > at ? stop : after->end;
    }
}
