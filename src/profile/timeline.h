/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The run over time: at the end of each base period what objects, functions, fields and groups of
 * threads have counted goes into their streams, and what is new since the last one to the finder of
 * phases. Private to src/profile.
 */
#ifndef MISSTOP_PROFILE_TIMELINE_H
#define MISSTOP_PROFILE_TIMELINE_H

#include "profile/field_counts.h"
#include "profile/phases.h"
#include "profile/recent.h"
#include "profile/streams.h"
#include "profile/tally.h"
#include "profile/thread_groups.h"
#include "profile/touched.h"

/* What streams are of; the first so that an object's key is its id. */
enum { STREAM_OBJECT, STREAM_FUNCTION, STREAM_FIELD, STREAM_THREADS, STREAM_ALL };

struct timeline {
    struct streams streams; /* by STREAM_KEY(); of everything there is one, with id 0 */
    struct phases phases;
    struct recent recent;
    struct touched objects; /* since the last step */
    struct touched functions;
    struct thread_groups threads;
    struct field_counts fields;
    uint64_t next_ns;    /* a step is due; UINT64_MAX - 1 and more: never */
    uint64_t stepped_ns; /* the last one */
    bool started;
    double counts[PHASES_COLUMNS]; /* samples since the last step */
};

/* The shortest base period: it doubles as the run goes on. */
#define TIMELINE_BASE_NS UINT64_C(250000000)

void timeline_fini(struct timeline *timeline);

/* Forgets everything; begins again with the next sample. */
void timeline_clear(struct timeline *timeline);

/* One sample: memory that is called after a type once that is known goes by what holds it, so that
 * a name that changes is no phase. `object`, `function`: as counted in the tallies; `thread`: its
 * dense number. */
static inline void timeline_count(struct timeline *timeline, const struct place *place,
                                  uint32_t object, uint32_t function, uint32_t thread)
{
    timeline->counts[phases_column(place->holder ? place->holder : place->object)]++;
    touched_add(&timeline->objects, object);
    touched_add(&timeline->functions, function);
    thread_groups_add(&timeline->threads, thread, place->access.tid, tally_weight(&place->access));
}

/* What has been counted of one event up to a time, and who names it. */
struct timeline_totals {
    const struct tallies *objects;
    const struct tallies *functions;
    const struct tally *all;
    const struct place_names *names;
    uint16_t event;
};

/* The first sample, or one at or after next_ns: the totals up to that time, without it. true:
 * another phase has begun, perhaps a while ago. */
bool timeline_step(struct timeline *timeline, const struct timeline_totals *totals,
                   uint64_t now_ns);

#endif
