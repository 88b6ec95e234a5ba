/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files for other viewers: a profile for pprof (--pprof), and the whole run as one page for a
 * browser (--html). The page has no references outside the file and is also well-formed XML. */
#ifndef MISSTOP_VIEW_EXPORT_FILES_H
#define MISSTOP_VIEW_EXPORT_FILES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "snapshot.h"
#include "view/view.h"

/* Data that is not in a snapshot; text of any origin, "" if not known. */
struct html_run {
    const char *command; /* the command that was started */
    const char *host;    /* host of a live run */
    const char *date;    /* when the page was made */
    const char *version; /* "misstop 1.0" */
};

/* Checks before the run that the file can be created. Returns 0 or a negative errno. */
int html_check(const char *path, struct error *error);

/* Writes the file completely or not at all, mode 0600. Returns 0 or a negative errno. */
int html_write(const char *path, const struct snapshot *snapshot,
               const struct view_sources *sources, const struct html_run *run, struct error *error);

/* Prints the page. Returns 0 or a negative errno. */
int html_print(FILE *out, const struct snapshot *snapshot, const struct view_sources *sources,
               const struct html_run *run);

/*
 * Writes a snapshot with its accesses (snapshot_objects.h) as a profile for pprof and tools that
 * read its format: protobuf in gzip. Each instruction is one location, with inlined functions as
 * its lines; the object, its kind, type and module, and the field are labels. For src/main.c.
 */

/* Checks before the run that the file can be created. Returns 0 or a negative errno. */
int pprof_check(const char *path, struct error *error);

/* Writes a temporary file and renames it, so that the profile is never incomplete; only its owner
 * can read it. now_ns: CLOCK_REALTIME; 0 for a recording. Returns 0 or a negative errno. */
int pprof_write(const char *path, const struct snapshot *snapshot, uint64_t now_ns,
                struct error *error);

/* Returns the profile before compression, allocated by malloc(). Returns 0 or -ENOMEM. */
int pprof_pack(const struct snapshot *snapshot, uint64_t now_ns, unsigned char **bytes,
               size_t *size_bytes);

#endif
