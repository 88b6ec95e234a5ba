/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The run over time: at the end of each base period what objects, functions, fields and groups of
 * threads have counted of each measure goes into their streams, and what is new since the last one
 * of the event that ranks to the finder of phases. Private to src/profile.
 */
#ifndef MISSTOP_PROFILE_TIMELINE_H
#define MISSTOP_PROFILE_TIMELINE_H

#include "profile/field_counts.h"
#include "profile/measures.h"
#include "profile/phases.h"
#include "profile/recent.h"
#include "profile/streams.h"
#include "profile/tally.h"
#include "profile/thread_groups.h"
#include "profile/touched.h"

/* What streams are of; the first so that an object's key is its id. STREAM_NOBODY: of samples
 * without an object, whatever the reason. */
enum { STREAM_OBJECT, STREAM_FUNCTION, STREAM_FIELD, STREAM_THREADS, STREAM_ALL, STREAM_NOBODY };

struct timeline {
    /* By STREAM_KEY(), all of one period; of everything there is one, with id 0. */
    struct streams by[SNAPSHOT_MEASURES];
    struct streams_budget budget;
    enum snapshot_measure ranks;
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

/* The streams of what ranks. */
static inline const struct streams *timeline_ranking(const struct timeline *timeline)
{
    return &timeline->by[timeline->ranks];
}

/* What a sample is of. */
struct timeline_part {
    uint32_t object; /* as counted in the tallies, as the next */
    uint32_t function;
    uint32_t thread; /* its dense number */
    uint32_t tid;
    uint64_t offset; /* as offset_key() */
};

/* A sample counts so much of one measure: one below SNAPSHOT_MEASURES. */
static inline void timeline_count(struct timeline *timeline, const struct timeline_part *part,
                                  enum snapshot_measure measure, double weight)
{
    touched_add(&timeline->objects, part->object);
    touched_add(&timeline->functions, part->function);
    thread_groups_add(&timeline->threads, part->thread, part->tid, measure, weight);
    if (field_counts_follows(&timeline->fields, part->object))
        field_counts_add(&timeline->fields, part->object, part->offset, measure, weight);
}

/* A sample of the event that ranks: memory that is called after a type once that is known goes by
 * what holds it, so that a name that changes is no phase. */
static inline void timeline_count_phases(struct timeline *timeline, const struct place *place)
{
    timeline->counts[phases_column(place->holder ? place->holder : place->object)]++;
}

/* By id and event, with what samples of the event that ranks told beside. */
struct timeline_counted {
    const struct tallies *tallies;
    const struct levels_table *levels;
};

/* What has been counted up to a time, and who names it. */
struct timeline_totals {
    const struct measures *measures;
    struct timeline_counted objects;
    struct timeline_counted functions;
    const struct tally *all; /* [events] */
    const struct levels *all_levels;
    const struct tally *unplaced; /* [events] */
    const struct place_names *names;
};

/* The first sample, or one at or after next_ns: the totals up to that time, without it. true:
 * another phase has begun, perhaps a while ago. */
bool timeline_step(struct timeline *timeline, const struct timeline_totals *totals,
                   uint64_t now_ns);

#endif
