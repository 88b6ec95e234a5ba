/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The target's address space: the mappings and the ELF file behind each. Kept current by records;
 * /proc is read at the start, for addresses without a record, and when records were lost. For the
 * files of the resolver.
 */
#ifndef MISSTOP_RESOLVE_PROCESS_SPACE_H
#define MISSTOP_RESOLVE_PROCESS_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "resolve/elf/binaries.h"
#include "resolve/elf/module.h"
#include "resolve/process/maps.h"
#include "resolve/process/threads.h"

/*
 * Which object anonymous memory without a name is, however its mappings grow, split and are made
 * anew: a run of mappings side by side is one, and stays the one it was as it grows. Many apart
 * from each other of one size are an allocator's (pages of a garbage collector): together they are
 * one. Where two turn out to be one, a join says so. Owned by the space.
 */
enum { REGIONS_MAX = 4096, REGIONS_SAME_SIZE = 3 };

struct region {
    uint64_t start;
    uint64_t end;
    uint64_t key;   /* of the object */
    bool is_of_bin; /* one of many of this size */
    bool resized;   /* it was of another size before: it is none of them */
};

/* Objects by their keys: counts of the one go to the other. */
struct region_join {
    uint64_t from;
    uint64_t to;
};

struct regions {
    struct region *list;
    size_t count;
    size_t room;
    struct region_join *joins;
    size_t join_count;
    size_t join_room;
    uint64_t changes; /* grows with each change */
};

/* The whole that anonymous memory is part of. */
struct region_found {
    uint64_t key;
    uint64_t start;      /* of the run of mappings, or of the mapping where it is one of many */
    uint64_t size_bytes; /* of the whole object */
    uint32_t blocks;     /* it has */
    bool is_of_bin;
};

void regions_fini(struct regions *regions);

/* The object of [start, end), which is what `map` has around an address beside stacks. `key`: of a
 * new one; 0: any that is not used. false: there is no room for more. */
bool regions_find(struct regions *regions, const struct maps *maps, const struct stacks *stacks,
                  const struct map *map, uint64_t start, uint64_t end, uint64_t key,
                  struct region_found *found);

struct space {
    struct lookup_from from;
    struct maps maps;
    struct modules modules;
    struct stacks stacks;
    struct regions regions;
    struct binaries binaries; /* of a recording; kept through programs */
    uint64_t reread_ns;       /* no rereading before */
    uint32_t programs;        /* run before this one */
    bool data_recorded;       /* a recording reports mappings without code: perf record -d */
};

/* Kinds of addresses without a mapping in the recording. */
enum space_unrecorded {
    SPACE_NOTHING, /* none of the program's */
    SPACE_STACK,   /* below the stack's mapping, which has grown since */
    SPACE_HEAP,    /* shortly behind the program; data mappings were not recorded */
    SPACE_SOMETHING
};

/* 0 or a negative errno: the maps of a live process cannot be read. */
int space_init(struct space *space, const struct lookup_from *from);
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

/* Another number whenever something in the same place may be another object. */
uint64_t space_version(const struct space *space);

/* Whether an address of a mapping may be in the file of the mapping before, as .bss is. */
bool space_continues_file(const struct space *space, const struct map *map);

enum space_unrecorded space_unrecorded(const struct space *space, uint64_t address);

/* Where only code was recorded, the rest of a file with mapped code is given its mapping. Mappings
 * found before have moved. */
void space_complete(struct space *space, const struct map *map);

/* The same for an address, .bss behind the file's own mappings included. */
struct module *space_module_at(struct space *space, struct map *map, uint64_t address);

/*
 * The thread-local images of every thread: one block for each module that has one and each
 * thread that has touched it, static ones below the thread control block, those of libraries
 * loaded later wherever the dynamic linker put them; and the control block. For the files of the
 * resolver.
 */

struct tls_block {
    uint64_t start;
    uint64_t end;
    const struct module *module; /* NULL: the control block */
    uint32_t tid;
};

struct tls {
    struct tls_block *blocks; /* ascending by start */
    size_t count;
    size_t room;
};

void tls_fini(struct tls *tls);

/* Looks again, in the modules opened so far. Some system calls a thread: not per sample. */
void tls_refresh(struct tls *tls, struct space *space, const struct tcbs *tcbs);

/* The block around an address; NULL: none. */
const struct tls_block *tls_find(const struct tls *tls, uint64_t address);

#endif
