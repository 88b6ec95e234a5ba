/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where on this machine the program or library is that a recording names, which may have been
 * made elsewhere: the user's --symfs folder, perf's cache (~/.debug, where `perf archive` is
 * unpacked), debug roots, its own path, debuginfod. A file counts only if its build-id is the one
 * recorded; where none was recorded, a file of that path counts and is not verified.
 * Layout of perf's cache: tools/perf/util/build-id.c. For binaries.c.
 */
#ifndef MISSTOP_RESOLVE_LOOKUP_H
#define MISSTOP_RESOLVE_LOOKUP_H

#include "base/files.h"
#include "resolve/buildid.h"

#include <stdbool.h>

enum { LOOKUP_PATH_MAX = 4096 };

struct lookup_from {
    const char *symfs;          /* NULL: none */
    const char *cache;          /* perf's; NULL: none */
    const char *debug_root;     /* NULL: /usr/lib/debug */
    struct files_client *files; /* on whose behalf; NULL: ours */
    bool debuginfod;            /* servers may be asked, and waited for */
    bool elsewhere;             /* recorded on another machine: paths alone say nothing */
    bool host_unknown;          /* on which is not known: a path counts with the inode recorded */
};

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

/* Whether a recorded path can be a file's at all: not "//anon", "[heap]", "/dev/zero". */
bool lookup_is_file(const char *path);

#endif
