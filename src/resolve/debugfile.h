/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Separate debug files: by build-id below a debug root, by the name in .gnu_debuglink beside
 * the program, in .debug beside it and below the root. A file found counts only if its
 * build-id agrees, or where there is none its checksum (GDB manual, "Debugging Information in
 * Separate Files"). The target's own root is asked too, then debuginfod. For module.c.
 */
#ifndef MISSTOP_RESOLVE_DEBUGFILE_H
#define MISSTOP_RESOLVE_DEBUGFILE_H

#include "base/files.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { DEBUGFILE_PATH_MAX = 4096 };

struct debugfile_from {
    pid_t root_of;              /* the process whose root the program was read through; 0: none */
    struct files_client *files; /* on whose behalf; NULL: ours */
    const char *root;           /* of debug files; NULL: /usr/lib/debug */
    const char *symfs;          /* a folder of such files for a recording; NULL: none */
    const char *cache;          /* perf's; NULL: none */
    bool cut_short;  /* a file that is cut short under elfutils does no harm: not copied */
    bool debuginfod; /* the user lets us ask servers; misstop itself takes what is cached */
    bool may_wait;   /* ... and this process asks */
};

struct debugfile_wanted {
    const unsigned char *id; /* build-id */
    size_t id_size;          /* 0: none */
    const char *path;        /* of the file that wants it */
    const char *link;        /* .gnu_debuglink's or .gnu_debugaltlink's name; NULL: none */
    uint32_t crc;            /* ignored where there is a build-id */
};

/* A descriptor, or -1. `found`, if not NULL, gets the path that led to it. */
int debugfile_open(const struct debugfile_from *from, const struct debugfile_wanted *wanted,
                   char found[DEBUGFILE_PATH_MAX]);

#endif
