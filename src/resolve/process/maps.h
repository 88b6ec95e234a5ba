/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The mappings: a sorted table without overlaps, from /proc/PID/maps and records. */
#ifndef MISSTOP_RESOLVE_PROCESS_MAPS_H
#define MISSTOP_RESOLVE_PROCESS_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "sample.h"

/* Not MAP_: <sys/mman.h> has macros of those names. */
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
    uint8_t heap;    /* 0 not looked at, 1 no, 2 malloc arena, 3 one malloc block */
    uint32_t name;   /* offset into maps->names: path as the kernel has it, "" if none */
    uint32_t binary; /* of a recording: number in struct binaries, 0 none */
    int32_t module;  /* index given by the resolver; -1 none, -2 not looked for yet */
};

struct maps {
    struct map *maps;
    size_t count;
    size_t room;
    char *names; /* NUL-ended strings behind each other, raw */
    size_t names_used;
    size_t names_room;
    uint64_t changes; /* grows with each change */
};

void maps_fini(struct maps *maps);

/* Reads /proc/PID/maps in place of what was known. 0 or a negative errno. */
int maps_read(struct maps *maps, pid_t pid);

/* The same from an open file of that form; other lines are skipped. */
int maps_read_file(struct maps *maps, FILE *in);

/* Adds one mapping: overlapped parts of others are cut out. */
int maps_add(struct maps *maps, const struct sample_mapping *mapping);

/* The mapping that holds the address; NULL: none. Valid until the next change. */
struct map *maps_find(const struct maps *maps, uint64_t address);

/* Index of the first mapping that ends after the address; count if none does. */
size_t maps_after(const struct maps *maps, uint64_t address);

const char *maps_name(const struct maps *maps, const struct map *map);

#endif
