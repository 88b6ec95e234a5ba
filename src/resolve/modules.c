/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/modules.h"

#include "resolve/files.h"
#include "resolve/process.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MODULES_PARTS_MAX = 16 }; /* mappings of one file in a row */

void modules_forget(struct modules *modules)
{
    for (size_t i = 0; i < modules->count; i++) {
        module_free(modules->entries[i].module);
        free(modules->entries[i].name);
    }
    modules->count = 0;
}

void modules_fini(struct modules *modules)
{
    modules_forget(modules);
    free(modules->entries);
    *modules = (struct modules){0};
}

/* overlayfs shows another device than the mapping does; the inode must agree at least. */
static int same_file(int fd, const struct map *map)
{
    struct stat status;
    if (fd >= 0 && map->inode && (fstat(fd, &status) || status.st_ino != map->inode)) {
        close(fd);
        return -1;
    }
    return fd;
}

static int open_live(const struct map *map, const char *name, pid_t pid)
{
    char path[64];
    int fd = same_file(files_open_in_root(pid, name, false), map);
    /* Deleted or replaced meanwhile: the mapping itself still leads to the file. */
    if (fd < 0) {
        snprintf(path, sizeof path, "/proc/%d/map_files/%lx-%lx", (int)pid,
                 (unsigned long)map->start, (unsigned long)map->end);
        fd = same_file(files_open(path), map);
    }
    /* map_files needs privilege; the program itself can always be had. */
    if (fd < 0) {
        snprintf(path, sizeof path, "/proc/%d/exe", (int)pid);
        fd = same_file(files_open(path), map);
    }
    return fd;
}

/* The vdso has no file: its bytes are copied into one in memory. */
static int open_vdso(const struct map *map, pid_t pid)
{
    size_t size = map->end - map->start;
    unsigned char *bytes = size <= 1 << 20 ? malloc(size) : NULL;
    int fd = bytes && process_read(pid, map->start, bytes, size)
                 ? memfd_create("misstop-vdso", MFD_CLOEXEC)
                 : -1;
    if (fd >= 0 && write(fd, bytes, size) != (ssize_t)size) {
        close(fd);
        fd = -1;
    }
    free(bytes);
    return fd;
}

static int open_file(const struct maps *maps, const struct map *map,
                     const struct modules_from *from)
{
    char path[PATH_MAX];
    const char *name = maps_name(maps, map);
    if (map->kind == MAPPING_VDSO)
        return from->live ? open_vdso(map, from->pid) : -1;
    if (from->live)
        return open_live(map, name, from->pid);
    snprintf(path, sizeof path, "%s%s", from->symfs ? from->symfs : "", name);
    return files_open(path);
}

/* The name tells only where there is no inode: it changes when the file is deleted. */
static bool is_same(const struct modules_entry *entry, const struct maps *maps,
                    const struct map *map)
{
    return entry->vdso == (map->kind == MAPPING_VDSO) && entry->inode == map->inode &&
           entry->major == map->major && entry->minor == map->minor &&
           (map->inode || !strcmp(entry->name, maps_name(maps, map)));
}

/* One already opened that this mapping is another part of: unmapped and mapped again, a file
 * may lie a little beside where it was. */
static int find_entry(const struct modules *modules, const struct maps *maps, const struct map *map)
{
    for (size_t i = modules->count; i-- > 0;) {
        const struct modules_entry *entry = &modules->entries[i];
        if (is_same(entry, maps, map) && map->start < entry->end && map->end > entry->start &&
            (!entry->module || module_fits(entry->module, map->start, map->offset)))
            return (int)i;
    }
    return -1;
}

static bool make_room(struct modules *modules)
{
    if (modules->count < modules->room)
        return true;
    size_t room = modules->room ? modules->room * 2 : 64;
    struct modules_entry *more = realloc(modules->entries, room * sizeof *more);
    if (!more)
        return false;
    modules->entries = more;
    modules->room = room;
    return true;
}

/* The mapping that holds the file's head, which tells the place without doubt: two segments may
 * share a page of the file, and then one mapping goes with either. */
static const struct map *head_of(const struct maps *maps, const struct map *map)
{
    size_t last = (size_t)(map - maps->maps);
    for (size_t i = last + 1; i-- > 0 && last - i < MODULES_PARTS_MAX;) {
        const struct map *part = &maps->maps[i];
        if (!part->offset && part->inode == map->inode && part->major == map->major &&
            part->minor == map->minor && part->kind == map->kind)
            return part;
    }
    return map;
}

static struct module *open_module(struct modules *modules, const struct maps *maps,
                                  const struct map *map, const struct map *part,
                                  const struct modules_from *from)
{
    struct module_source source = {
        .fd = open_file(maps, map, from),
        .path = maps_name(maps, map),
        .mapping = {part->start, part->offset, part->writable, part->executable},
        .serial = ++modules->serials,
        .debug = {.root_of = from->live ? from->pid : 0,
                  .root = from->debug_root,
                  .debuginfod = from->debuginfod}};
    struct module *module = source.fd >= 0 ? module_new(&source) : NULL;
    if (!module || module_fits(module, map->start, map->offset))
        return module;
    module_free(module);
    return part == map ? NULL : open_module(modules, maps, map, map, from);
}

static int add_entry(struct modules *modules, const struct maps *maps, const struct map *map,
                     const struct modules_from *from)
{
    struct modules_entry entry = {.name = strdup(maps_name(maps, map)),
                                  .inode = map->inode,
                                  .major = map->major,
                                  .minor = map->minor,
                                  .start = map->start,
                                  .end = map->end,
                                  .vdso = map->kind == MAPPING_VDSO};
    if (!entry.name || !make_room(modules)) {
        free(entry.name);
        return -1;
    }
    entry.module = open_module(modules, maps, map, head_of(maps, map), from);
    if (entry.module)
        module_range(entry.module, &entry.start, &entry.end);
    modules->entries[modules->count] = entry;
    return (int)modules->count++;
}

struct module *modules_of(struct modules *modules, const struct maps *maps, struct map *map,
                          const struct modules_from *from)
{
    if (map->module == -2) {
        map->module = find_entry(modules, maps, map);
        if (map->module < 0)
            map->module = add_entry(modules, maps, map, from);
    }
    return map->module >= 0 ? modules->entries[map->module].module : NULL;
}
