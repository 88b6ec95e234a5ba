/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The target's address space: what is mapped where and which ELF file stands behind it.
 * Kept current by records; /proc is read at the start, for addresses that no record told of,
 * and when records were lost. For the files of the resolver.
 */
#ifndef MISSTOP_RESOLVE_SPACE_H
#define MISSTOP_RESOLVE_SPACE_H

#include "resolve/binaries.h"
#include "resolve/maps.h"
#include "resolve/modules.h"
#include "resolve/regions.h"
#include "resolve/stacks.h"

#include <stdbool.h>
#include <stdint.h>

enum { SPACE_RECENT = 64 };

struct space {
    struct modules_from from;
    struct maps maps;
    struct modules modules;
    struct stacks stacks;
    struct regions regions;
    struct binaries binaries;      /* of a recording; kept through programs */
    uint64_t reread_ns;            /* no rereading before */
    uint32_t recent[SPACE_RECENT]; /* indices into maps, by address: only hints */
    uint32_t programs;             /* run before this one */
    bool data_recorded;            /* a recording tells of mappings without code: perf record -d */
};

/* What an address may be that a recording has no mapping around. */
enum space_unrecorded {
    SPACE_NOTHING, /* none of the program's */
    SPACE_STACK,   /* below the stack's mapping, which has grown since */
    SPACE_HEAP,    /* shortly behind the program; data mappings were not recorded */
    SPACE_SOMETHING
};

/* 0 or a negative errno: the maps of a live process cannot be read. */
int space_init(struct space *space, const struct modules_from *from);
void space_fini(struct space *space);

/* The process runs another program now: nothing known holds. */
void space_forget(struct space *space);

/* A mapping was made. True: code may have changed in its range. */
bool space_take(struct space *space, const struct sample_mapping *mapping);

/* Maps from /proc, so seldom that it costs little; false: too soon, or gone. */
bool space_reread(struct space *space, uint64_t now_ns);

/* The mapping around an address, asking /proc if none is known; NULL: none. */
struct map *space_map(struct space *space, uint64_t address);

/* The ELF file behind a mapping; NULL: none. */
struct module *space_module(struct space *space, struct map *map);

enum space_unrecorded space_unrecorded(const struct space *space, uint64_t address);

/* Where only code was recorded, the rest of a file whose code is mapped is given its mapping.
 * Mappings found before are not where they were. */
void space_complete(struct space *space, const struct map *map);

/* The same for an address, .bss behind the file's own mappings included. */
struct module *space_module_at(struct space *space, struct map *map, uint64_t address);

#endif
