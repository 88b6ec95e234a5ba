/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef MISSTOP_PROFILE_CACHE_GEOMETRY_H
#define MISSTOP_PROFILE_CACHE_GEOMETRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "sample/perfdata/perfdata.h"

struct geometry {
    char level[8]; /* "L1d", "L2", "L3" */
    uint64_t size_bytes;
    uint32_t sets; /* size = sets * ways * line */
    uint32_t ways;
    uint32_t line_bytes; /* a power of two */
    bool virtual_exact;  /* sets * line <= page: the virtual index equals the physical one */
    bool guessed;        /* not this machine's data, or a default; set by the caller */
};

/*
 * Parses `spec` and fills in the geometry. `spec`: "L1", "L2", "L3" (that level of CPU 0 under
 * `sysfs_root`, normally "/sys/devices/system/cpu"), or "LEVEL=SIZE,WAYS,LINE" with K, M suffixes;
 * NULL: L1d. Returns -EINVAL with the cause, or -ENOENT if sysfs has no such level. The number of
 * sets need not be a power of two (L3 slices): the set is the line number modulo the number of
 * sets.
 */
int geometry_parse(struct geometry *geometry, const char *spec, const char *sysfs_root,
                   struct error *error);

/* Like geometry_parse(), from a recording's caches. Returns false if it has no such level. */
bool geometry_among(struct geometry *geometry, const char *spec,
                    const struct perfdata_machine *machine);

uint32_t geometry_set(const struct geometry *geometry, uint64_t address);

#endif
