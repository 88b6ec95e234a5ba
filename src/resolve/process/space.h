/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The target's mappings and their ELF files. Records keep them current; /proc is read at the start,
 * for addresses without a record, and after lost records. */
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
 * Identity of anonymous memory without a name while its mappings grow, split and are remapped. A
 * run of adjacent mappings is one object, and stays the same object as it grows. Many separate
 * mappings of one size belong to an allocator (pages of a garbage collector): together they are one
 * object. If two objects turn out to be one, a join records it. Owned by the space.
 */
enum { REGIONS_MAX = 4096, REGIONS_SAME_SIZE = 3 };

struct region {
    uint64_t start;
    uint64_t end;
    uint64_t key;   /* key of the object */
    bool is_of_bin; /* one of many of this size */
    bool resized;   /* had another size before, so it is not one of many */
};

/* Keys of two objects: the counts of `from` are added to `to`. */
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
    uint64_t changes; /* incremented with each change */
};

struct region_found {
    uint64_t key;
    uint64_t start;      /* start of the run of mappings, or of the mapping if it is one of many */
    uint64_t size_bytes; /* size of the whole object */
    uint32_t blocks;     /* number of blocks in it */
    bool is_of_bin;
};

void regions_fini(struct regions *regions);

/* Finds the object of [start, end), the part of `map` around an address without stacks. `key`: for
 * a new object; 0: any unused key. Returns false if there is no room for more. */
bool regions_find(struct regions *regions, const struct maps *maps, const struct stacks *stacks,
                  const struct map *map, uint64_t start, uint64_t end, uint64_t key,
                  struct region_found *found);

struct space {
    struct lookup_from from;
    struct maps maps;
    struct modules modules;
    struct stacks stacks;
    struct regions regions;
    struct binaries binaries; /* of a recording; kept across execs */
    uint64_t reread_ns;       /* earliest time of the next read */
    uint32_t exec_count;      /* programs run before the current one */
    bool data_recorded;       /* the recording has mappings without code: perf record -d */
};

enum space_unrecorded {
    SPACE_NOTHING, /* not memory of the program */
    SPACE_STACK,   /* below the stack's mapping, which has grown since */
    SPACE_HEAP,    /* just after the program; data mappings were not recorded */
    SPACE_SOMETHING
};

/* Returns 0, or a negative errno if the maps of a live process cannot be read. */
int space_init(struct space *space, const struct lookup_from *from);
void space_fini(struct space *space);

/* Drops all state: the process has executed another program. */
void space_forget(struct space *space);

/* Adds a new mapping. Returns true if code may have changed in its range. */
bool space_take(struct space *space, const struct sample_mapping *mapping);

/* Rereads /proc maps at a limited rate; returns false if it is too early or the process is gone. */
bool space_reread(struct space *space, uint64_t now_ns);

/* Returns the mapping around an address, reading /proc if none is known; NULL: none. */
struct map *space_map(struct space *space, uint64_t address);

/* Returns the ELF file of a mapping; NULL: none. */
struct module *space_module(struct space *space, struct map *map);

/* Returns a number that changes whenever an address may belong to another object. */
uint64_t space_version(const struct space *space);

/* Returns true if an address of a mapping may belong to the file before it, like .bss. */
bool space_continues_file(const struct space *space, const struct map *map);

enum space_unrecorded space_unrecorded(const struct space *space, uint64_t address);

/* If only code was recorded, adds mappings for the other parts of a file with mapped code. Pointers
 * to mappings become invalid. */
void space_complete(struct space *space, const struct map *map);

/* Returns the ELF file of an address, including .bss after the file's own mappings. */
struct module *space_module_at(struct space *space, struct map *map, uint64_t address);

/*
 * The TLS blocks of all threads: one per module with a TLS image and thread that has used it.
 * Static blocks are below the thread control block, blocks of libraries loaded later are wherever
 * the dynamic linker allocated them. Also contains the control blocks. For the files of the
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

/* Rebuilds the blocks from the modules opened so far. Needs some system calls per thread: not to be
 * called per sample. */
void tls_refresh(struct tls *tls, struct space *space, const struct tcbs *tcbs);

/* Returns the block around an address; NULL: none. */
const struct tls_block *tls_find(const struct tls *tls, uint64_t address);

#endif
