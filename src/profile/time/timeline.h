/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The run over time: at the end of each base period the counts of each measure by object,
 * function, field and group of threads go into their streams, and the increase of the ranking
 * event to the finder of phases. Private to src/profile.
 */
#ifndef MISSTOP_PROFILE_TIME_TIMELINE_H
#define MISSTOP_PROFILE_TIME_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "place.h"
#include "profile/tables/levels.h"
#include "profile/tables/tally.h"
#include "profile/time/phases.h"
#include "profile/time/streams.h"
#include "snapshot.h"
#include "snapshot_time.h"

/*
 * The fields of the leading objects, for the run over time: the count of each place in an element
 * is added per sample in a small table of its own; at the end of a period it goes to the member
 * there, once its type is known. Private to src/profile.
 */
enum {
    FIELD_OBJECTS = 16, /* that fields are counted of, at the most */
    FIELD_ROWS = 2048,  /* a power of two: 80 KiB */
    FIELD_PROBES = 8,
    FIELDS_MAX = 512 /* different ones; those beyond are not counted */
};

/* Something that is called one name: a member of a type, or an offset in elements without one. */
struct counted_field {
    uint64_t key; /* as offset_key(), of where it begins */
    uint32_t object;
    uint32_t member; /* TYPE_NO_MEMBER */
};

struct field_row {
    uint64_t key; /* as offset_key() */
    uint32_t object;
    uint32_t field;                   /* index + 1; 0: not known yet */
    double weight[SNAPSHOT_MEASURES]; /* since it was taken last */
    bool counted;
};

struct field_counts {
    struct field_row rows[FIELD_ROWS]; /* key 0: free, as only folded and typed keys are counted */
    struct counted_field fields[FIELDS_MAX];
    uint32_t count;
    struct touched followed; /* the objects */
    uint32_t followed_count;
};

/* From here on its fields are counted, if there is room. */
void field_counts_follow(struct field_counts *counts, uint32_t object);

static inline bool field_counts_follows(const struct field_counts *counts, uint32_t object)
{
    return touched_has(&counts->followed, object);
}

/* `key` as offset_key() has it; those of objects without a type or elements are passed over. */
void field_counts_add(struct field_counts *counts, uint32_t object, uint64_t key,
                      enum snapshot_measure measure, double weight);

/* "particle.vy", "+16" of an element. Returns out. */
const char *field_counts_name(const struct counted_field *field, const struct place_names *names,
                              char *out, size_t out_size);

/*
 * Threads by their names, for the run over time: names that differ only in a number at the end are
 * one group, as the threads of a pool are. The count of a thread is added per sample under its
 * dense number; at the end of a period it goes to the group of its name at that time. Private to
 * src/profile.
 */
enum {
    THREAD_NUMBERS = 256,   /* dense numbers; the last one is of all threads beyond */
    THREAD_GROUPS_MAX = 64, /* those beyond count in the last one */
    THREAD_NAME_BYTES = 24  /* TASK_COMM_LEN is 16; a character more, and room to sanitise */
};

struct thread_groups {
    struct {
        uint32_t tid; /* the last one to count */
        bool counted; /* anything since it was taken last */
        double weight[SNAPSHOT_MEASURES];
    } threads[THREAD_NUMBERS];
    char names[THREAD_GROUPS_MAX][THREAD_NAME_BYTES];
    uint32_t count;
};

static inline void thread_groups_note(struct thread_groups *groups, uint32_t number, uint32_t tid)
{
    groups->threads[number].tid = tid;
}

static inline void thread_groups_add(struct thread_groups *groups, uint32_t number,
                                     enum snapshot_measure measure, double weight)
{
    groups->threads[number].counted = true;
    groups->threads[number].weight[measure] += weight;
}

/* "worker-*" of "worker-12": what groups go by. `out` may be `name`. */
void thread_groups_name(const char *name, char out[THREAD_NAME_BYTES]);

/*
 * The last two minutes at the shortest period, whatever the streams of the whole run have folded
 * to: the volatility of what the program does now, and the period at which its noise is damped
 * (DTrack, section 4.3), chosen anew as that changes. Of the counts by column that the finder of
 * phases gets. Private to src/profile.
 */
enum {
    RECENT_STEPS = STREAMS_POINTS, /* of the shortest base period */
    RECENT_CURVES = 8              /* the columns that count most */
};

struct recent {
    float counts[RECENT_STEPS][PHASES_COLUMNS]; /* a ring */
    uint64_t steps;                             /* ever */
    struct volatility profile[VOLATILITY_PERIODS_MAX];
    size_t profile_count;
    size_t by; /* the period chosen, in steps; 0: too early to say */
};

/* One step; true: the profile has been worked out anew, which is done after 16, 32 ... steps and
 * then after each 64, for it costs 0.1 ms. */
bool recent_add(struct recent *recent, const double counts[PHASES_COLUMNS]);

/* Whether the volatility at the period chosen is below the threshold; else nothing damps it. */
bool recent_is_damped(const struct recent *recent);

/*
 * The events of misses, accesses and waiting, for the run over time: each measure by an event of
 * its own where there is one; else, of the ranking event, waiting by the latencies of its samples,
 * and misses by where these found their data. Private to src/profile.
 */
struct measures {
    uint8_t of_event[SAMPLE_EVENTS_MAX]; /* enum snapshot_measure; SNAPSHOT_MEASURES: of none */
    int event[SNAPSHOT_MEASURES];        /* that counts it; -1: none */
    uint16_t ranking;                    /* event */
    enum snapshot_measure ranks;         /* the measure of that event */
};

/* `roles`: enum event_role of each of `events` events. An event of no role that ranks counts as
 * misses. */
void measures_plan(struct measures *measures, const uint8_t *roles, uint16_t events,
                   uint16_t ranking);

/* Another measure in a sample of the ranking event; 0 where that has an event of its own, or the
 * sample does not carry it. */
static inline double measures_waited(const struct measures *measures, const struct access *access)
{
    return measures->event[MEASURE_WAITING] < 0 ? (double)access->latency * tally_weight(access)
                                                : 0;
}
double measures_missed(const struct measures *measures, const struct access *access);

/* Kinds of streams; the first so that an object's key is its id. STREAM_NOBODY: of samples without
 * an object, whatever the reason. */
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

/* The object, function, field and thread of a sample. */
struct timeline_part {
    uint32_t object; /* as counted in the tallies, as the next */
    uint32_t function;
    uint32_t thread; /* its dense number */
    uint32_t tid;
    uint64_t offset; /* as offset_key() */
};

/* Samples count so much of one measure: one below SNAPSHOT_MEASURES. */
static inline void timeline_count(struct timeline *timeline, uint32_t object, uint32_t function,
                                  uint32_t thread, enum snapshot_measure measure, double weight)
{
    touched_add(&timeline->objects, object);
    touched_add(&timeline->functions, function);
    thread_groups_add(&timeline->threads, thread, measure, weight);
}

/* Each of these, besides, in the order of time. */
static inline void timeline_count_sample(struct timeline *timeline,
                                         const struct timeline_part *part,
                                         enum snapshot_measure measure, double weight)
{
    thread_groups_note(&timeline->threads, part->thread, part->tid);
    if (field_counts_follows(&timeline->fields, part->object))
        field_counts_add(&timeline->fields, part->object, part->offset, measure, weight);
}

/* Samples of the event that ranks: memory that is called after a type once that is known goes by
 * what holds it, so that a name that changes is no phase. */
static inline void timeline_count_phases(struct timeline *timeline, uint32_t holder, double samples)
{
    timeline->counts[phases_column(holder)] += samples;
}

/* By id and event, with other measures in samples of the ranking event. */
struct timeline_counted {
    const struct tallies *tallies;
    const struct count_rows *levels;
};

/* Counts up to a time, and the names of their objects. */
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
