/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The build-ids of the files that a process has mapped, as a recording lists them: read from
 * the note that the linker put into each. The files are the target's, and hostile: walks are
 * bounded and nothing of them is trusted. For perfdata_write*.c.
 */
#ifndef MISSTOP_SAMPLE_PERFDATA_WRITE_BUILD_ID_H
#define MISSTOP_SAMPLE_PERFDATA_WRITE_BUILD_ID_H

#include "base/hash.h"
#include "sample.h"
#include "sample/build_ids.h"
#include "sample/kernel.h"
#include "sample/perfdata_write_bytes.h"

#include <sys/types.h>

struct perfdata_build_ids {
    struct perfdata_bytes section; /* the entries, as the feature has them */
    struct hash seen;              /* paths by their hash */
};

void perfdata_build_ids_fini(struct perfdata_build_ids *ids);

/*
 * Lists the file of a mapping, unless it is listed: with the id that the record carries, or else,
 * if `pid` is not 0, with that of the file as the process sees it. What has none is left out.
 */
void perfdata_build_ids_note(struct perfdata_build_ids *ids, const struct sample_mapping *mapping,
                             const struct kernel *kernel, pid_t pid);

/* Lists the running kernel. */
void perfdata_build_ids_kernel(struct perfdata_build_ids *ids, const struct kernel *kernel);

/* The id of an open ELF file of 64 or 32 bits; false if it has none. */
bool perfdata_build_id_read(int fd, struct build_id *id);

#endif
