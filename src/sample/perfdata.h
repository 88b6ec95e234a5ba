/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Replay of a perf.data file. Format: tools/perf/Documentation/perf.data-file-format.txt.
 * This version reads files of this byte order, not piped, not compressed; the rest is refused
 * by name. Every byte is untrusted.
 */
#ifndef MISSTOP_SAMPLE_PERFDATA_H
#define MISSTOP_SAMPLE_PERFDATA_H

#include "base/error.h"
#include "sample/sampler.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct perfdata;

/* `pid`: the process to show, 0: the one with most samples. */
int perfdata_open(struct perfdata **perfdata, const char *path, pid_t pid, struct error *error);
void perfdata_close(struct perfdata *perfdata);

/* As sampler_read() in replay. */
long perfdata_read(struct perfdata *perfdata, uint64_t until_ns, sampler_sink sink, void *context);

void perfdata_describe(const struct perfdata *perfdata, struct sampler_info *info);

#endif
