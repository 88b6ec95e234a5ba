/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/modules.h"

#include "resolve/process.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

void modules_fini(struct modules *modules)
{
    for (size_t i = 0; i < modules->count; i++)
        module_free(modules->entries[i].module);
    free(modules->entries);
    *modules = (struct modules){0};
}

/* Regular files only: opening a device that a process has mapped may have effects. */
static int open_regular(const char *path, const struct map *map, bool check)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return -1;
    /* overlayfs shows another device than the mapping does; the inode must agree at least. */
    bool good = !fstat(fd, &status) && S_ISREG(status.st_mode) &&
                (!check || !map->inode || status.st_ino == map->inode);
    if (!good)
        close(fd);
    return good ? fd : -1;
}

static int open_live(const struct map *map, const char *name, pid_t pid)
{
    char path[PATH_MAX + 64];
    struct stat exe;
    snprintf(path, sizeof path, "/proc/%d/root%s", (int)pid, name);
    int fd = open_regular(path, map, true);
    /* Deleted or replaced meanwhile: the mapping itself still leads to the file. */
    if (fd < 0) {
        snprintf(path, sizeof path, "/proc/%d/map_files/%lx-%lx", (int)pid,
                 (unsigned long)map->start, (unsigned long)map->end);
        fd = open_regular(path, map, true);
    }
    snprintf(path, sizeof path, "/proc/%d/exe", (int)pid);
    if (fd < 0 && !stat(path, &exe) && exe.st_ino == map->inode)
        fd = open_regular(path, map, true);
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
    return open_regular(path, map, false);
}

/* One already opened that this mapping is another part of. */
static int find_entry(const struct modules *modules, const struct map *map)
{
    for (size_t i = 0; i < modules->count; i++) {
        const struct modules_entry *entry = &modules->entries[i];
        bool same_file = entry->vdso == (map->kind == MAPPING_VDSO) && entry->inode == map->inode;
        if (same_file && map->start < entry->end && map->end > entry->start)
            return (int)i;
    }
    return -1;
}

static int add_entry(struct modules *modules, const struct maps *maps, const struct map *map,
                     const struct modules_from *from)
{
    if (modules->count == modules->room) {
        size_t room = modules->room ? modules->room * 2 : 64;
        struct modules_entry *more = realloc(modules->entries, room * sizeof *more);
        if (!more)
            return -1;
        modules->entries = more;
        modules->room = room;
    }
    struct modules_entry entry = {.inode = map->inode,
                                  .start = map->start,
                                  .end = map->end,
                                  .vdso = map->kind == MAPPING_VDSO};
    int fd = open_file(maps, map, from);
    if (fd >= 0)
        entry.module = module_new(fd, maps_name(maps, map), map->start, map->offset);
    if (entry.module)
        module_range(entry.module, &entry.start, &entry.end);
    modules->entries[modules->count] = entry;
    return (int)modules->count++;
}

struct module *modules_of(struct modules *modules, const struct maps *maps, struct map *map,
                          const struct modules_from *from)
{
    if (map->module == -2) {
        map->module = find_entry(modules, map);
        if (map->module < 0)
            map->module = add_entry(modules, maps, map, from);
    }
    return map->module >= 0 ? modules->entries[map->module].module : NULL;
}
