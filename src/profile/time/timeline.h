/* SPDX-License-Identifier: GPL-3.0-or-later */
/* At the end of each base period the counts of each measure by object, function, field and thread
 * group go into their streams, and the increase of the ranking event goes to phase detection. */
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
 * Counts of the fields of the leading objects, for the run over time. Each sample adds to its
 * offset in a small table; at the end of a period the counts of an offset move to the member there,
 * once the type is known. Private to src/profile.
 */
enum {
    FIELD_OBJECTS = 16, /* maximum number of objects with field counts */
    FIELD_ROWS = 2048,  /* a power of two: 80 KiB */
    FIELD_PROBES = 8,
    FIELDS_MAX = 512 /* different fields; further ones are not counted */
};

/* A field: a member of a type, or an offset if the elements have no type. */
struct counted_field {
    uint64_t key; /* as offset_key(), of its first byte */
    uint32_t object;
    uint32_t member; /* TYPE_NO_MEMBER */
};

struct field_row {
    uint64_t key; /* as offset_key() */
    uint32_t object;
    uint32_t field;                   /* index + 1; 0: not known yet */
    double weight[SNAPSHOT_MEASURES]; /* since the last field_counts_take() */
    bool has_counts;
};

struct field_counts {
    struct field_row rows[FIELD_ROWS]; /* key 0: free, as only folded and typed keys are counted */
    struct counted_field fields[FIELDS_MAX];
    uint32_t count;
    struct touched_ids followed; /* objects with field counts */
    uint32_t followed_count;
};

/* Starts to count the fields of an object, if there is room. */
void field_counts_follow(struct field_counts *counts, uint32_t object);

static inline bool field_counts_follows(const struct field_counts *counts, uint32_t object)
{
    return touched_has(&counts->followed, object);
}

/* Adds to the field at `key` (offset_key()). Ignores objects without a type or elements. */
void field_counts_add(struct field_counts *counts, uint32_t object, uint64_t key,
                      enum snapshot_measure measure, double weight);

/* Returns the name of a field in `out`: "particle.vy", or "+16" of an element. */
const char *field_counts_name(const struct counted_field *field, const struct place_names *names,
                              char *out, size_t out_size);

/*
 * Threads grouped by name, for the run over time: names that differ only in a trailing number are
 * one group, for example a thread pool. Each sample adds to its thread's dense number; at the end
 * of a period the counts move to the group of the thread's current name. Private to src/profile.
 */
enum {
    THREAD_NUMBERS = 256,   /* dense numbers; the last one is for all further threads */
    THREAD_GROUPS_MAX = 64, /* further groups count in the last one */
    THREAD_NAME_BYTES = 24  /* TASK_COMM_LEN is 16; plus the '*' and room to sanitise */
};

struct thread_groups {
    struct {
        uint32_t tid;    /* the last thread that counted under this number */
        bool has_counts; /* has counts since the last thread_groups_take() */
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
    groups->threads[number].has_counts = true;
    groups->threads[number].weight[measure] += weight;
}

/* Makes a group name of a thread name: "worker-*" of "worker-12". `out` may be `name`. */
void thread_groups_name(const char *name, char out[THREAD_NAME_BYTES]);

/* The last two minutes at the shortest period: the current volatility, and the period at which its
 * noise is damped (DTrack, section 4.3). Uses the counts by column of phase detection. */
enum {
    RECENT_STEPS = STREAMS_POINTS, /* steps of the shortest base period */
    RECENT_CURVES = 8              /* columns with the highest counts */
};

struct recent {
    float counts[RECENT_STEPS][PHASES_COLUMNS]; /* ring buffer */
    uint64_t steps;                             /* total number of steps */
    struct volatility profile[VOLATILITY_PERIODS_MAX];
    size_t profile_count;
    size_t period_steps; /* chosen period, in steps; 0: not known yet */
};

/* Adds one step. Returns true if the profile was updated: after 16 and 32 steps, and then every 64
 * steps, because an update takes 0.1 ms. */
bool recent_add(struct recent *recent, const double counts[PHASES_COLUMNS]);

/* Returns true if the chosen period's volatility is below the threshold; otherwise none is. */
bool recent_is_damped(const struct recent *recent);

/* Each measure uses its own event if there is one. Otherwise waiting comes from the latencies of
 * the ranking event's samples, and misses from their data sources. */
struct measures {
    uint8_t of_event[SAMPLE_EVENTS_MAX];   /* enum snapshot_measure; SNAPSHOT_MEASURES: none */
    int event[SNAPSHOT_MEASURES];          /* event that counts the measure; -1: none */
    uint16_t ranking;                      /* event index */
    enum snapshot_measure ranking_measure; /* measure of the ranking event */
};

/* Chooses the event of each measure. `roles`: enum event_role of each of `events` events. A ranking
 * event with no role counts as misses. */
void measures_plan(struct measures *measures, const uint8_t *roles, uint16_t events,
                   uint16_t ranking);

/* Returns the waiting in a sample of the ranking event; 0 if waiting has its own event or the
 * sample has no latency. */
static inline double measures_waited(const struct measures *measures, const struct access *access)
{
    return measures->event[MEASURE_WAITING] < 0 ? (double)access->latency * tally_weight(access)
                                                : 0;
}
double measures_missed(const struct measures *measures, const struct access *access);

/* Kinds of streams. STREAM_OBJECT is first, so that an object's key is its id. STREAM_NONE:
 * samples without an object, whatever the reason. */
enum { STREAM_OBJECT, STREAM_FUNCTION, STREAM_FIELD, STREAM_THREADS, STREAM_ALL, STREAM_NONE };

struct timeline {
    /* By STREAM_KEY(), all with the same period. STREAM_ALL and STREAM_NONE have one stream each,
     * with id 0. */
    struct streams by_measure[SNAPSHOT_MEASURES];
    struct streams_budget budget;
    enum snapshot_measure ranking_measure;
    struct phases phases;
    struct recent recent;
    struct touched_ids objects; /* touched since the last step */
    struct touched_ids functions;
    struct thread_groups threads;
    struct field_counts fields;
    uint64_t next_ns;    /* when the next step is due; UINT64_MAX - 1 or more: never */
    uint64_t stepped_ns; /* time of the last step */
    bool started;
    double counts[PHASES_COLUMNS]; /* samples since the last step, by column */
};

/* The shortest base period; it doubles during long runs. */
#define TIMELINE_BASE_NS UINT64_C(250000000)

void timeline_fini(struct timeline *timeline);

static inline const struct streams *timeline_ranking(const struct timeline *timeline)
{
    return &timeline->by_measure[timeline->ranking_measure];
}

/* The object, function, field and thread of a sample. */
struct timeline_part {
    uint32_t object; /* `object` and `function` as in the tallies */
    uint32_t function;
    uint32_t thread; /* dense number */
    uint32_t tid;
    uint64_t offset; /* as offset_key() */
};

/* Adds `weight` to a measure that is less than SNAPSHOT_MEASURES. */
static inline void timeline_count(struct timeline *timeline, uint32_t object, uint32_t function,
                                  uint32_t thread, enum snapshot_measure measure, double weight)
{
    touched_add(&timeline->objects, object);
    touched_add(&timeline->functions, function);
    thread_groups_add(&timeline->threads, thread, measure, weight);
}

/* Adds the field and thread of one sample, in order of time; in addition to timeline_count(). */
static inline void timeline_count_sample(struct timeline *timeline,
                                         const struct timeline_part *part,
                                         enum snapshot_measure measure, double weight)
{
    thread_groups_note(&timeline->threads, part->thread, part->tid);
    if (field_counts_follows(&timeline->fields, part->object))
        field_counts_add(&timeline->fields, part->object, part->offset, measure, weight);
}

/* Adds samples of the ranking event to phase detection. Memory that gets the name of its type once
 * that is known counts for the object that contains it, so that a rename is not a phase change. */
static inline void timeline_count_phases(struct timeline *timeline, uint32_t holder, double samples)
{
    timeline->counts[phases_column(holder)] += samples;
}

/* Counts by id and event, and the levels of the samples of the ranking event. */
struct timeline_counted {
    const struct tallies *tallies;
    const struct count_rows *levels;
};

/* Totals up to a time, and the names of objects. */
struct timeline_totals {
    const struct measures *measures;
    struct timeline_counted objects;
    struct timeline_counted functions;
    const struct tally *all; /* [events] */
    const struct levels *all_levels;
    const struct tally *unplaced; /* [events] */
    const struct place_names *names;
};

/* Takes the totals up to now_ns at the first sample, or at a sample at or after next_ns, without
 * that sample. Returns true if another phase has begun, possibly some time ago. */
bool timeline_step(struct timeline *timeline, const struct timeline_totals *totals,
                   uint64_t now_ns);

#endif
