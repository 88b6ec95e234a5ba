/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The mappings of the process: a sorted table without overlaps, from /proc/PID/maps and records. */
#ifndef MISSTOP_RESOLVE_PROCESS_MAPS_H
#define MISSTOP_RESOLVE_PROCESS_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "sample.h"

/* Named MAPPING_ because <sys/mman.h> has macros that begin with MAP_. */
enum map_kind {
    MAPPING_FILE,
    MAPPING_ANON,
    MAPPING_HEAP,
    MAPPING_STACK,
    MAPPING_VDSO,
    MAPPING_SPECIAL
};

struct map {
    uint64_t start;
    uint64_t end;
    uint64_t offset; /* in the file */
    uint64_t inode;
    uint32_t major;
    uint32_t minor;
    uint8_t kind; /* enum map_kind */
    bool readable;
    bool writable;
    bool executable;
    uint8_t heap;    /* 0 not checked, 1 no, 2 malloc arena, 3 one malloc block */
    uint32_t name;   /* offset into maps->names: path as the kernel reports it, "" if none */
    uint32_t binary; /* recording: number in struct binaries, 0 none */
    int32_t module;  /* index assigned by the resolver; -1 none, -2 not searched for yet */
};

struct maps {
    struct map *maps;
    size_t count;
    size_t room;
    char *names; /* concatenated NUL-terminated strings, raw */
    size_t names_used;
    size_t names_room;
    uint64_t changes; /* incremented with each change */
};

void maps_fini(struct maps *maps);

/* Replaces the table by /proc/PID/maps. 0 or a negative errno. */
int maps_read(struct maps *maps, pid_t pid);

/* Like maps_read(), from an open file in that format; other lines are skipped. */
int maps_read_file(struct maps *maps, FILE *in);

/* Adds a mapping and removes the parts of others that it overlaps. */
int maps_add(struct maps *maps, const struct sample_mapping *mapping);

/* Returns the mapping that holds the address; NULL: none. Valid until the next change. */
struct map *maps_find(const struct maps *maps, uint64_t address);

/* Returns the index of the first mapping that ends after the address; count if none does. */
size_t maps_after(const struct maps *maps, uint64_t address);

const char *maps_name(const struct maps *maps, const struct map *map);

#endif
