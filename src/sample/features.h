/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a recording says of the machine and the command that made it: its feature sections, or in
 * a piped recording its feature records. Every byte is untrusted; strings come out printable.
 * Format: tools/perf/Documentation/perf.data-file-format.txt. For perfdata*.c.
 */
#ifndef MISSTOP_SAMPLE_FEATURES_H
#define MISSTOP_SAMPLE_FEATURES_H

#include "sample/attributes.h"
#include "sample/build_ids.h"
#include "sample/cursor.h"
#include "sample/perfdata.h"

/* Numbers of the features that are read or written. */
enum feature {
    FEATURE_BUILD_ID = 2,
    FEATURE_HOSTNAME = 3,
    FEATURE_OSRELEASE = 4,
    FEATURE_VERSION = 5,
    FEATURE_ARCH = 6,
    FEATURE_NRCPUS = 7,
    FEATURE_CPUDESC = 8,
    FEATURE_CPUID = 9,
    FEATURE_TOTAL_MEM = 10,
    FEATURE_CMDLINE = 11,
    FEATURE_EVENT_DESC = 12,
    FEATURE_CPU_TOPOLOGY = 13,
    FEATURE_NUMA_TOPOLOGY = 14,
    FEATURE_PMU_MAPPINGS = 16,
    FEATURE_CACHE = 20,
    FEATURE_SAMPLE_TIME = 21,
    FEATURE_MEM_TOPOLOGY = 22,
    FEATURE_CLOCKID = 23,
    FEATURE_CLOCK_DATA = 29,
    FEATURE_COUNT
};

enum {
    FEATURE_CACHE_VERSION = 1,
    FEATURE_MEM_TOPOLOGY_VERSION = 1,
    FEATURE_CLOCK_DATA_VERSION = 1
};

/* Where features go to. */
struct features {
    struct perfdata_machine *machine;
    struct attributes *attributes;
    struct build_ids *build_ids;
};

/* What one section says; those that are damaged or unknown say nothing. 0 or -ENOMEM. */
int features_take(const struct features *features, unsigned feature, struct cursor *cursor);

#endif
