/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/elf/modules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "resolve/elf/binaries.h"
#include "resolve/process/process.h"

enum { VDSO_BYTES_MAX = 1 << 20 };

/* The vdso of a live process, from the mapping. A descriptor, or -1. */
static int vdso_open(const struct map *map, pid_t pid)
{
    size_t size = map->end - map->start;
    unsigned char *bytes = size <= VDSO_BYTES_MAX ? malloc(size) : NULL;
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

int vdso_open_own(void)
{
    struct maps maps = {0};
    int fd = -1;
    if (!maps_read(&maps, getpid()))
        for (size_t i = 0; i < maps.count && fd < 0; i++)
            if (maps.maps[i].kind == MAPPING_VDSO)
                fd = vdso_open(&maps.maps[i], getpid());
    maps_fini(&maps);
    return fd;
}

enum { MODULES_PARTS_MAX = 16 }; /* mappings of one file in a row */
/* Bound for a program or library; those with the debug information of a browser have 5 GiB. */
#define MODULES_BYTES_MAX (UINT64_C(64) << 30)

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

static int open_live(const struct map *map, const char *name, const struct modules_from *from)
{
    char path[64];
    /* The mapping itself leads to the file that the process has, wherever its name leads by now;
     * that needs privilege. */
    snprintf(path, sizeof path, "/proc/%d/map_files/%lx-%lx", (int)files_shown_by(from->pid),
             (unsigned long)map->start, (unsigned long)map->end);
    int fd = same_file(files_open(path), map);
    /* The program itself can always be had. */
    if (fd < 0) {
        snprintf(path, sizeof path, "/proc/%d/exe", (int)files_shown_by(from->pid));
        fd = same_file(files_open(path), map);
    }
    if (fd < 0)
        fd = same_file(
            files_open_in_root(from->pid, name, from->files, FILES_NOFOLLOW, MODULES_BYTES_MAX),
            map);
    /* A short-lived process is gone before its first sample is looked at. */
    if (fd < 0 && from->root >= 0)
        fd = same_file(
            files_open_below(from->root, name, from->files, FILES_NOFOLLOW, MODULES_BYTES_MAX),
            map);
    return fd;
}

static int open_file(const struct maps *maps, const struct map *map,
                     const struct modules_from *from)
{
    if (!from->live)
        return binaries_open(from->binaries, map->binary);
    if (map->kind == MAPPING_VDSO)
        return vdso_open(map, from->pid);
    return open_live(map, maps_name(maps, map), from);
}

/* The name counts only where there is no inode: it changes when the file is deleted. */
static bool is_same(const struct modules_entry *entry, const struct maps *maps,
                    const struct map *map)
{
    return entry->vdso == (map->kind == MAPPING_VDSO) && entry->inode == map->inode &&
           entry->major == map->major && entry->minor == map->minor &&
           entry->binary == map->binary &&
           (map->inode || !strcmp(entry->name, maps_name(maps, map)));
}

/* An opened file that this mapping is another part of: unmapped and mapped again, a file may be a
 * little beside its earlier place. */
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

static bool modules_make_room(struct modules *modules)
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

/* The mapping that holds the file's head, which fixes the place without doubt: two segments may
 * share a page of the file, and then one mapping matches either. */
static const struct map *head_of(const struct maps *maps, const struct map *map)
{
    size_t last = (size_t)(map - maps->maps);
    for (size_t i = last + 1; i-- > 0 && last - i < MODULES_PARTS_MAX;) {
        const struct map *part = &maps->maps[i];
        if (!part->offset && part->inode == map->inode && part->major == map->major &&
            part->minor == map->minor && part->kind == map->kind && part->binary == map->binary)
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
        .found = from->live ? NULL : binaries_found(from->binaries, map->binary),
        .mapping = {part->start, part->offset, part->writable, part->executable},
        .serial = ++modules->serials,
        .debug = {.root_of = from->live ? from->pid : 0,
                  .files = from->files,
                  .root = from->debug_root,
                  .symfs = from->live ? NULL : from->symfs,
                  .cache = from->live ? NULL : from->binaries->cache,
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
                                  .binary = map->binary,
                                  .start = map->start,
                                  .end = map->end,
                                  .vdso = map->kind == MAPPING_VDSO};
    if (!entry.name || !modules_make_room(modules)) {
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
