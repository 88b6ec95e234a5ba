/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The stretches of a run as they are shown: who leads in each, what rose and what fell. Private to
 * snapshot_timeline.c. */
#ifndef MISSTOP_PROFILE_SNAPSHOT_PHASES_H
#define MISSTOP_PROFILE_SNAPSHOT_PHASES_H

#include "profile/snapshot_streams.h"

/* Lists the phases and writes the reading; the streams are in `shown` already. `objects` as
 * build_streams() gave them. build->failed: out of memory. */
void build_phases(struct build *build, const struct streams_sorted *objects, uint64_t now_ns,
                  struct snapshot_timeline *shown);

/* Elapsed time, s, at a time of the samples' clock. */
double build_seconds(const struct build *build, uint64_t now_ns, uint64_t at_ns);

#endif
