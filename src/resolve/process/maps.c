/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/process/maps.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/array.h"
#include "base/files.h"

void maps_fini(struct maps *maps)
{
    free(maps->maps);
    free(maps->names);
    *maps = (struct maps){0};
}

const char *maps_name(const struct maps *maps, const struct map *map)
{
    return maps->names ? maps->names + map->name : "";
}

static int intern_name(struct maps *maps, const char *name, uint32_t *offset)
{
    size_t size = strlen(name) + 1;
    /* Mappings of one file are consecutive, so the name is most likely the last one. */
    if (maps->count && !strcmp(maps_name(maps, &maps->maps[maps->count - 1]), name)) {
        *offset = maps->maps[maps->count - 1].name;
        return 0;
    }
    size_t room = (maps->names_room + size) * 2;
    if (maps->names_used + size > maps->names_room &&
        (room >= UINT32_MAX || !array_reserve_exact(&maps->names, &maps->names_room, room, 1)))
        return -ENOMEM;
    *offset = (uint32_t)maps->names_used;
    memcpy(maps->names + maps->names_used, name, size);
    maps->names_used += size;
    return 0;
}

static enum map_kind map_kind_of(const char *name)
{
    if (!*name || !strncmp(name, "[anon", 5) || !strcmp(name, "//anon"))
        return MAPPING_ANON;
    if (!strcmp(name, "[heap]"))
        return MAPPING_HEAP;
    if (!strncmp(name, "[stack", 6))
        return MAPPING_STACK;
    if (!strcmp(name, "[vdso]"))
        return MAPPING_VDSO;
    return *name == '[' ? MAPPING_SPECIAL : MAPPING_FILE;
}

static int maps_make_room(struct maps *maps, size_t more)
{
    return maps->count + more <= maps->room ||
                   array_reserve_exact(&maps->maps, &maps->room, (maps->room + more) * 2,
                                       sizeof *maps->maps)
               ? 0
               : -ENOMEM;
}

static void set_name(struct map *map, const char *name)
{
    map->kind = (uint8_t)map_kind_of(name);
    map->module = -2;
}

static int parse_line(struct maps *maps, char *line)
{
    struct map map = {0};
    unsigned long start, end, offset, inode;
    unsigned major, minor;
    char rights[8];
    int used = 0;
    line[strcspn(line, "\n")] = '\0';
    if (sscanf(line, "%lx-%lx %7s %lx %x:%x %lu %n", &start, &end, rights, &offset, &major, &minor,
               &inode, &used) < 7)
        return 0;
    /* The kernel writes mappings in order, and the lookup relies on it. */
    if (end <= start || (maps->count && start < maps->maps[maps->count - 1].end))
        return 0;
    map.start = start;
    map.end = end;
    map.offset = offset;
    map.inode = inode;
    map.major = major;
    map.minor = minor;
    map.readable = rights[0] == 'r';
    map.writable = rights[1] == 'w';
    map.executable = rights[2] == 'x';
    set_name(&map, line + used);
    if (maps_make_room(maps, 1) || intern_name(maps, line + used, &map.name))
        return -ENOMEM;
    maps->maps[maps->count++] = map;
    return 0;
}

/* Keeps results about unchanged mappings. */
static void keep_findings(struct maps *maps, const struct maps *old)
{
    for (size_t i = 0; i < maps->count; i++) {
        struct map *map = &maps->maps[i];
        const struct map *before = maps_find(old, map->start);
        if (!before || before->start != map->start || before->inode != map->inode)
            continue;
        map->heap = before->heap;
    }
}

int maps_read_file(struct maps *maps, FILE *in)
{
    struct maps fresh = {0};
    char *line = NULL;
    size_t size = 0;
    int code = 0;
    while (!code && getline(&line, &size, in) > 0)
        code = parse_line(&fresh, line);
    free(line);
    if (code || !fresh.count) {
        maps_fini(&fresh);
        return code ? code : -ESRCH;
    }
    keep_findings(&fresh, maps);
    fresh.changes = maps->changes + 1;
    maps_fini(maps);
    *maps = fresh;
    return 0;
}

int maps_read(struct maps *maps, pid_t pid)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/maps", (int)files_proc_tid(pid));
    FILE *in = fopen(path, "re");
    if (!in)
        return -errno;
    int code = maps_read_file(maps, in);
    fclose(in);
    return code;
}

size_t maps_after(const struct maps *maps, uint64_t address)
{
    return SORTED_UP_TO(maps->maps, maps->count, end, address);
}

struct map *maps_find(const struct maps *maps, uint64_t address)
{
    size_t index = maps_after(maps, address);
    return index < maps->count && maps->maps[index].start <= address ? &maps->maps[index] : NULL;
}

static int maps_cut(struct maps *maps, uint64_t start, uint64_t end)
{
    size_t first = maps_after(maps, start);
    if (first < maps->count && maps->maps[first].start < start && maps->maps[first].end > end) {
        if (maps_make_room(maps, 1))
            return -ENOMEM;
        memmove(&maps->maps[first + 1], &maps->maps[first],
                (maps->count - first) * sizeof *maps->maps);
        maps->count++;
        maps->maps[first].end = start;
        maps->maps[first + 1].offset += end - maps->maps[first + 1].start;
        maps->maps[first + 1].start = end;
        return 0;
    }
    if (first < maps->count && maps->maps[first].start < start) {
        maps->maps[first].end = start;
        first++;
    }
    size_t last = first;
    while (last < maps->count && maps->maps[last].end <= end)
        last++;
    if (last < maps->count && maps->maps[last].start < end) {
        maps->maps[last].offset += end - maps->maps[last].start;
        maps->maps[last].start = end;
    }
    memmove(&maps->maps[first], &maps->maps[last], (maps->count - last) * sizeof *maps->maps);
    maps->count -= last - first;
    return 0;
}

int maps_add(struct maps *maps, const struct sample_mapping *mapping)
{
    uint64_t end = mapping->start + mapping->length;
    struct map map = {
        .start = mapping->start,
        .end = end,
        .offset = mapping->file_offset,
        .inode = mapping->inode,
        .major = mapping->device_major,
        .minor = mapping->device_minor,
        .readable = !mapping->protection || mapping->protection & PROT_READ,
        .writable = mapping->protection & PROT_WRITE,
        .executable = mapping->executable,
    };
    if (end <= mapping->start || maps_make_room(maps, 2) || maps_cut(maps, map.start, end))
        return -EINVAL;
    set_name(&map, mapping->path);
    if (map.kind == MAPPING_ANON)
        map.offset = 0;
    size_t at = maps_after(maps, map.start);
    if (intern_name(maps, map.kind == MAPPING_ANON && *mapping->path != '[' ? "" : mapping->path,
                    &map.name))
        return -ENOMEM;
    memmove(&maps->maps[at + 1], &maps->maps[at], (maps->count - at) * sizeof *maps->maps);
    maps->maps[at] = map;
    maps->count++;
    maps->changes++;
    return 0;
}
