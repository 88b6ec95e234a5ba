/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The streams of each kind as they are shown. Private to snapshot_timeline.c. */
#ifndef MISSTOP_PROFILE_SNAPSHOT_STREAMS_H
#define MISSTOP_PROFILE_SNAPSHOT_STREAMS_H

#include "profile/state.h"

enum { STREAMS_SHOWN = 12 }; /* of objects, functions, groups of threads */

/* All streams of one kind and measure, most first. The caller frees the list. */
struct streams_sorted {
    const struct stream **list;
    size_t count;
};

/* Beside the tables of a stretch stands the run that it is of. */
static inline const struct timeline *build_timeline_of(const struct build *build)
{
    const struct profile *run = build->profile->options.run;
    return run ? &run->timeline : &build->profile->timeline;
}

/* Lists all kinds of all measures in `shown`, whose profile stands already, at `by` base periods.
 * Returns the objects of what ranks; build->failed: out of memory. */
struct streams_sorted build_streams(struct build *build, size_t by,
                                    struct snapshot_timeline *shown);

/* In the arena. */
const char *build_object_name(const struct build *build, uint32_t id);

#endif
