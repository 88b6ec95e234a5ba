/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/space.h"

#include "base/clock.h"
#include "base/files.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SPACE_REREAD_MS_MIN = 20, SPACE_REREAD_MS_MAX = 250, SPACE_REREAD_PART = 50 };
enum { SPACE_USER_BITS = 47 };
_Static_assert(SPACE_RECENT == 1 << (64 - 58),
               "the hint is found by the upper 6 bits of a product");

#define SPACE_FIRST        UINT64_C(0x10000)     /* nothing is mapped below: vm.mmap_min_addr */
#define SPACE_MMAP_AREA    (UINT64_C(0x7) << 44) /* mappings are made from above down to here */
#define SPACE_HEAP_WITHIN  (UINT64_C(1) << 40)   /* of the program: brk's heap */
#define SPACE_STACK_GROWTH (UINT64_C(8) << 20)   /* the usual limit of a stack */
#define SPACE_FILE_MAX     (UINT64_C(1) << 36)   /* a larger file is made up */

int space_init(struct space *space, const struct modules_from *from)
{
    struct lookup_from lookup = {.symfs = from->symfs,
                                 .debug_root = from->debug_root,
                                 .files = from->files,
                                 .debuginfod = from->debuginfod,
                                 .elsewhere = from->elsewhere,
                                 .host_unknown = from->host_unknown};
    *space = (struct space){.from = *from};
    if (!from->live)
        binaries_init(&space->binaries, &lookup);
    space->from.binaries = &space->binaries;
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
    space->programs++;
}

/* What /proc already told is not news, and says more. */
static bool is_known(const struct space *space, const struct sample_mapping *mapping)
{
    const struct map *known = maps_find(&space->maps, mapping->start);
    return space->from.live && known && known->start <= mapping->start &&
           known->end >= mapping->start + mapping->length && known->inode == mapping->inode &&
           known->executable == mapping->executable;
}

bool space_take(struct space *space, const struct sample_mapping *mapping)
{
    if (is_known(space, mapping))
        return false;
    stacks_forget(&space->stacks, mapping->start, mapping->start + mapping->length);
    if (!maps_add(&space->maps, mapping) && !space->from.live)
        maps_find(&space->maps, mapping->start)->binary = binaries_note(&space->binaries, mapping);
    space->data_recorded |= !mapping->executable;
    return mapping->executable;
}

/* So that reading takes a fiftieth of the time at most: of some mappings no record tells (mremap,
 * a heap or stack that grew), and until the next reading all samples there are lost. */
static uint64_t pause_after(uint64_t took_ns)
{
    uint64_t pause_ns = took_ns * SPACE_REREAD_PART;
    uint64_t least_ns = SPACE_REREAD_MS_MIN * UINT64_C(1000000);
    uint64_t most_ns = SPACE_REREAD_MS_MAX * UINT64_C(1000000);
    return pause_ns < least_ns ? least_ns : pause_ns > most_ns ? most_ns : pause_ns;
}

bool space_reread(struct space *space, uint64_t now_ns)
{
    uint64_t began_ns = clock_now_ns();
    if (!space->from.live || now_ns < space->reread_ns)
        return false;
    bool read = !maps_read(&space->maps, space->from.pid);
    space->reread_ns = now_ns + pause_after(clock_now_ns() - began_ns);
    return read;
}

/* Where a mapping was found before for an address near by; MiBs share a hint. */
static uint32_t *hint_for(struct space *space, uint64_t address)
{
    return &space->recent[(address >> 20) * UINT64_C(0x9e3779b97f4a7c15) >> 58];
}

struct map *space_map(struct space *space, uint64_t address)
{
    uint32_t *hint = hint_for(space, address);
    struct map *map = *hint < space->maps.count ? &space->maps.maps[*hint] : NULL;
    if (map && map->start <= address && address < map->end)
        return map;
    map = maps_find(&space->maps, address);
    if (map)
        *hint = (uint32_t)(map - space->maps.maps);
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

/* .bss goes on in an anonymous mapping right behind the file's: that file's module. */
static struct module *module_behind(struct space *space, const struct map *map, uint64_t address)
{
    uint64_t start;
    uint64_t end;
    if (map == space->maps.maps || map->kind != MAPPING_ANON)
        return NULL;
    struct map *before = (struct map *)map - 1;
    struct module *module = before->end == map->start ? space_module(space, before) : NULL;
    if (!module)
        return NULL;
    module_range(module, &start, &end);
    return address < end ? module : NULL;
}

struct module *space_module_at(struct space *space, struct map *map, uint64_t address)
{
    struct module *module = space_module(space, map);
    return module ? module : module_behind(space, map, address);
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

/* One stretch between mappings, as part of the file at `index`. */
static bool fill(struct space *space, uint64_t start, uint64_t end, const char *path,
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
        if (stop > at && !fill(space, at, stop, path, &like))
            return;
        at = stop > at ? stop : after->end;
    }
}
