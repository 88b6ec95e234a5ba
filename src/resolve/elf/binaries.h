/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each program and library is searched for once, on first use. Samples in its code are counted, so
 * that the effect of missing files can be reported. Not used for a live process. */
#ifndef MISSTOP_RESOLVE_ELF_BINARIES_H
#define MISSTOP_RESOLVE_ELF_BINARIES_H

#include <stdbool.h>

#include "base/files.h"
#include "base/hash.h"
#include "place.h"
#include "resolve/elf/debuginfo.h"
#include "sample.h"

/*
 * Finds a program or library of a recording on this machine, which may not be the machine of the
 * recording. Searches the user's --symfs folder, perf's cache (~/.debug, where `perf archive` is
 * unpacked), debug roots, the recorded path, and debuginfod. A file is accepted only if its
 * build-id equals the recorded one. If no build-id was recorded, a file at the recorded path is
 * accepted, but not verified. Layout of perf's cache: tools/perf/util/build-id.c.
 */
enum { LOOKUP_PATH_MAX = 4096 };

struct lookup_wanted {
    const char *path; /* as recorded, raw; "[vdso]" */
    struct buildid id;
    uint64_t inode; /* inode of the mapped file; 0: not recorded */
};

struct lookup_found {
    bool verified;
    char path[LOOKUP_PATH_MAX]; /* path of the opened file, or of a file of another build; "" */
    struct buildid id;          /* build-id of that file */
};

/* Returns a descriptor, or -1. */
int lookup_binary(const struct lookup_from *from, const struct lookup_wanted *wanted,
                  struct lookup_found *found);

struct binary {
    char *path; /* as recorded, raw */
    char *shown;
    char *found; /* file opened or rejected, raw; NULL: none */
    char *found_shown;
    struct buildid wanted;
    struct buildid found_id;
    char wanted_text[BUILDID_TEXT];
    char found_text[BUILDID_TEXT];
    uint64_t inode; /* inode of the mapped file; 0: not recorded */
    uint64_t samples;
    enum binary_state state;
    bool looked_for;
};

struct binaries {
    struct lookup_from *from;
    struct binary *list;
    uint32_t count;
    uint64_t outside_mappings; /* samples in user mode outside all mappings */
    size_t room;
    struct hash index_of; /* by path and build-id */
};

/* `from` outlives them, and gets the cache: perf's below $HOME. */
void binaries_init(struct binaries *binaries, struct lookup_from *from);
void binaries_fini(struct binaries *binaries);

/* Returns a number, from 1, for the file of a mapping; 0: not a file. */
uint32_t binaries_note(struct binaries *binaries, const struct sample_mapping *mapping);

/* Opens the file, wherever it is found. Returns a descriptor, or -1. */
int binaries_open(struct binaries *binaries, uint32_t binary);

/* Returns the path of the opened file, raw; NULL: none. */
const char *binaries_found(const struct binaries *binaries, uint32_t binary);

/* Counts a sample in the file's code. */
void binaries_sample(struct binaries *binaries, uint32_t binary);

/* Lists at most `most` binaries with samples, most samples first. Returns their number. */
size_t binaries_list(const struct binaries *binaries, struct binary_desc *out, size_t most);

#endif
