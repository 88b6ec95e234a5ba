/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file that is there as a whole or not at all: written beside its path and renamed once all of it
 * is on disk. What stood there before is left as it is on failure. For the files that are written
 * at the end of a run (pprof.c, html.c). */
#ifndef MISSTOP_VIEW_EXPORT_WHOLE_FILE_H
#define MISSTOP_VIEW_EXPORT_WHOLE_FILE_H

#include <limits.h>

#include "base/error.h"

struct whole_file {
    const char *option; /* "--pprof": for what is told to the user */
    const char *path;
    int fd; /* open for writing, mode 0600 */
    char beside[PATH_MAX];
};

/* Whether the file can be made, told before there is a run to lose. 0 or a negative errno. */
int whole_file_check(const char *option, const char *path, struct error *error);

/* The strings are kept. 0 or a negative errno; then there is nothing to close. */
int whole_file_open(struct whole_file *file, const char *option, const char *path,
                    struct error *error);

/* `code`: 0, or the negative errno that writing gave. Puts the file in its place, or leaves none.
 * 0 or a negative errno. */
int whole_file_close(struct whole_file *file, int code, struct error *error);

#endif
