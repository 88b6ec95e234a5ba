/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * resolve -> profile -> view: a program or library that a recording has code of, and whether it was
 * found here; and files that were not opened. Without it samples that carry registers only cannot
 * be decoded, and nothing in it has a name.
 */
#ifndef MISSTOP_BINARY_H
#define MISSTOP_BINARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum binary_state {
    BINARY_FOUND,      /* with the build-id that was recorded */
    BINARY_UNVERIFIED, /* by its path: the recording tells no build-id */
    BINARY_OTHER,      /* not found, but a file of its name that is another build */
    BINARY_MISSING     /* not found */
};

struct binary_desc {
    const char *path;     /* as recorded, printable */
    const char *build_id; /* that was recorded, in hexadecimal; NULL: none */
    const char *found;    /* file that was opened; of BINARY_OTHER the one that was refused; NULL */
    const char *found_id; /* build-id of a refused one; NULL: it has none */
    uint64_t samples;     /* of user mode whose instruction lies in it */
    bool elsewhere; /* recorded on another machine, or one not known: no file is it by its path */
    enum binary_state state;
};

#define BINARIES_SHOWN 64

/* Those of a recording, in a snapshot. */
struct snapshot_binaries {
    const struct binary_desc *list; /* most samples first, at most BINARIES_SHOWN; NULL: live */
    size_t count;
    uint64_t samples; /* of the recording so far, all events */
    uint64_t nowhere; /* of these, in code that no recorded mapping holds: functions of no name */
    bool code_only;   /* it tells of mappings of code only: perf record without -d */
};

/* A file that the program, its debugging information or the recording names, that is here, and that
 * was not opened. Printable. */
struct file_refused {
    const char *path;
    const char *why;
};

struct snapshot_refused {
    const struct file_refused *list;
    size_t count;
};

#endif
