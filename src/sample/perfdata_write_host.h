/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a recording says of the machine and the command that made it, as feature sections: of this
 * machine from /proc and /sys, or of the one where an older recording was made. What is not known
 * is left out. For perfdata_write*.c. Formats: perf.data-file-format.txt.
 */
#ifndef MISSTOP_SAMPLE_PERFDATA_WRITE_HOST_H
#define MISSTOP_SAMPLE_PERFDATA_WRITE_HOST_H

#include "sample/features.h"
#include "sample/kernel.h"
#include "sample/perfdata.h"
#include "sample/perfdata_write_bytes.h"

/* The sections, each empty where there is nothing to say. */
struct perfdata_sections {
    struct perfdata_bytes of[FEATURE_COUNT];
};

void perfdata_sections_fini(struct perfdata_sections *sections);

void perfdata_host_describe(struct perfdata_sections *sections, const struct kernel *kernel);
void perfdata_host_copy(struct perfdata_sections *sections, const struct perfdata_machine *machine);

/* Parts of the first, in perfdata_write_topology.c. */
void perfdata_host_topology(struct perfdata_sections *sections, const struct kernel *kernel,
                            unsigned cpus);
void perfdata_host_caches(struct perfdata_bytes *section, const struct kernel *kernel,
                          unsigned cpus);
void perfdata_host_nodes(struct perfdata_bytes *section, const struct kernel *kernel);
void perfdata_host_memory(struct perfdata_bytes *section, const struct kernel *kernel);
void perfdata_host_pmus(struct perfdata_bytes *section, const struct kernel *kernel);

#endif
