/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The programs and libraries that a recording has mapped, each with the build-id recorded of it:
 * looked for once, when first asked for, and how many samples fell on its code, so that it can
 * be reported what the missing ones cost. Owned by the space of a recording; a live process has
 * none.
 */
#ifndef MISSTOP_RESOLVE_ELF_BINARIES_H
#define MISSTOP_RESOLVE_ELF_BINARIES_H

#include <stdbool.h>

#include "base/files.h"
#include "base/hash.h"
#include "place.h"
#include "resolve/elf/debuginfo.h"
#include "sample.h"

/*
 * Finds the program or library that a recording names on this machine; it may have been recorded
 * elsewhere: in the user's --symfs folder, perf's cache (~/.debug, where `perf archive` is
 * unpacked), debug roots, its own path, debuginfod. A file counts only if its build-id is the one
 * recorded; where none was recorded, a file of that path counts and is not verified. Layout of
 * perf's cache: tools/perf/util/build-id.c.
 */
enum { LOOKUP_PATH_MAX = 4096 };

struct lookup_wanted {
    const char *path; /* as recorded, raw; "[vdso]" */
    struct buildid id;
    uint64_t inode; /* of the file that was mapped; 0: not recorded */
};

struct lookup_found {
    bool verified;
    char path[LOOKUP_PATH_MAX]; /* of the file opened; else of one of another build; "" */
    struct buildid id;          /* of that */
};

/* A descriptor, or -1. */
int lookup_binary(const struct lookup_from *from, const struct lookup_wanted *wanted,
                  struct lookup_found *found);

struct binary {
    char *path; /* as recorded, raw */
    char *shown;
    char *found; /* file opened or refused; raw; NULL */
    char *found_shown;
    struct buildid wanted;
    struct buildid found_id;
    char wanted_text[BUILDID_TEXT];
    char found_text[BUILDID_TEXT];
    uint64_t inode; /* of the file that was mapped; 0: not recorded */
    uint64_t samples;
    enum binary_state state;
    bool looked_for;
};

struct binaries {
    struct lookup_from *from;
    struct binary *list;
    uint32_t count;
    uint64_t nowhere; /* samples of user mode with code in no mapping */
    size_t room;
    struct hash index_of; /* by path and build-id */
};

/* `from` outlives them, and gets the cache: perf's below $HOME. */
void binaries_init(struct binaries *binaries, struct lookup_from *from);
void binaries_fini(struct binaries *binaries);

/* A number, from 1, for the file of a mapping; 0: no file that could be looked for. */
uint32_t binaries_note(struct binaries *binaries, const struct sample_mapping *mapping);

/* Opens it, wherever it is. A descriptor, or -1. */
int binaries_open(struct binaries *binaries, uint32_t binary);

/* Path of the file that was opened, raw; NULL: none. */
const char *binaries_found(const struct binaries *binaries, uint32_t binary);

/* A sample fell on its code. */
void binaries_sample(struct binaries *binaries, uint32_t binary);

/* Those with samples, most first, at most `most`; how many. */
size_t binaries_list(const struct binaries *binaries, struct binary_desc *out, size_t most);

#endif
