/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A snapshot with its accesses (snapshot_objects.h) as a profile for pprof and what else reads its
 * format: protobuf in gzip. One location for each instruction, inlined functions as its lines; the
 * object, its kind, type and module, and the field are labels. For src/main.c.
 */
#ifndef MISSTOP_VIEW_EXPORT_PPROF_H
#define MISSTOP_VIEW_EXPORT_PPROF_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "snapshot.h"

/* Whether the file can be made, told before there is a run to lose. 0 or a negative errno. */
int pprof_check(const char *path, struct error *error);

/*
 * Writes beside the path and renames, so that there is never half a profile; only its owner may
 * read it. now_ns: CLOCK_REALTIME; 0 for a recording, which does not tell. 0 or a negative errno.
 */
int pprof_write(const char *path, const struct snapshot *snapshot, uint64_t now_ns,
                struct error *error);

/* The bytes before gzip, from malloc(). 0 or -ENOMEM. */
int pprof_pack(const struct snapshot *snapshot, uint64_t now_ns, unsigned char **bytes,
               size_t *size_bytes);

#endif
