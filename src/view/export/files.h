/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Files for other viewers: a profile for pprof (--pprof), and the whole run as one page for a
 * browser (--html), with no references outside the file and well-formed XML too.
 */
#ifndef MISSTOP_VIEW_EXPORT_FILES_H
#define MISSTOP_VIEW_EXPORT_FILES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "snapshot.h"
#include "view/view.h"

/* Facts that are not in a snapshot; text of any origin, "": not known. */
struct html_run {
    const char *command; /* that was started */
    const char *host;    /* of a live run */
    const char *date;    /* when the page is made */
    const char *version; /* "misstop 1.0" */
};

/* Whether the file can be made, checked before the run. 0 or a negative errno. */
int html_check(const char *path, struct error *error);

/* There as a whole or not at all, mode 0600. 0 or a negative errno. */
int html_write(const char *path, const struct snapshot *snapshot,
               const struct view_sources *sources, const struct html_run *run, struct error *error);

/* The page alone. 0 or a negative errno. */
int html_print(FILE *out, const struct snapshot *snapshot, const struct view_sources *sources,
               const struct html_run *run);

/*
 * A snapshot with its accesses (snapshot_objects.h) as a profile for pprof and what else reads its
 * format: protobuf in gzip. One location for each instruction, inlined functions as its lines; the
 * object, its kind, type and module, and the field are labels. For src/main.c.
 */

/* Whether the file can be made, checked before the run. 0 or a negative errno. */
int pprof_check(const char *path, struct error *error);

/*
 * Writes beside the path and renames, so that the profile is never incomplete; only its owner may
 * read it. now_ns: CLOCK_REALTIME; 0 for a recording. 0 or a negative errno.
 */
int pprof_write(const char *path, const struct snapshot *snapshot, uint64_t now_ns,
                struct error *error);

/* The bytes before gzip, from malloc(). 0 or -ENOMEM. */
int pprof_pack(const struct snapshot *snapshot, uint64_t now_ns, unsigned char **bytes,
               size_t *size_bytes);

#endif
