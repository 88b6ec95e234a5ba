/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/space.h"

#include "base/clock.h"

enum { SPACE_REREAD_PER_S = 4, SPACE_USER_BITS = 47 };
_Static_assert(SPACE_RECENT == 1 << (64 - 58),
               "the hint is found by the upper 6 bits of a product");

int space_init(struct space *space, const struct modules_from *from)
{
    *space = (struct space){.from = *from};
    return from->live ? maps_read(&space->maps, from->pid) : 0;
}

void space_fini(struct space *space)
{
    modules_fini(&space->modules);
    maps_fini(&space->maps);
}

void space_forget(struct space *space)
{
    modules_forget(&space->modules);
    maps_fini(&space->maps);
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
    maps_add(&space->maps, mapping);
    return mapping->executable;
}

bool space_reread(struct space *space, uint64_t now_ns)
{
    if (!space->from.live || now_ns < space->reread_ns)
        return false;
    space->reread_ns = now_ns + CLOCK_NS_PER_S / SPACE_REREAD_PER_S;
    return !maps_read(&space->maps, space->from.pid);
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
    if (!map && space->from.live && address < UINT64_C(1) << SPACE_USER_BITS &&
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
