/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The run over time: at the end of each base period what the objects have counted goes into their
 * streams, and what is new since the last one to the finder of phases. Private to src/profile.
 */
#ifndef MISSTOP_PROFILE_TIMELINE_H
#define MISSTOP_PROFILE_TIMELINE_H

#include "profile/phases.h"
#include "profile/streams.h"
#include "profile/tally.h"

struct timeline {
    struct streams objects; /* by id */
    struct streams all;     /* one, of everything: key 0 */
    struct phases phases;
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
 * a name that changes is no phase. */
static inline void timeline_count(struct timeline *timeline, const struct place *place)
{
    timeline->counts[phases_column(place->holder ? place->holder : place->object)]++;
}

/*
 * The first sample, or one at or after next_ns: `tallies` of the objects and of everything, of
 * this event, up to that time, without it. true: another phase has begun, perhaps a while ago.
 */
bool timeline_step(struct timeline *timeline, const struct tallies *objects,
                   const struct tally *all, uint16_t event, uint64_t now_ns);

#endif
