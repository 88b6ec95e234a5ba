/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * profile -> view: everything that can be shown at one moment. Made once per
 * refresh, never changed after; all of it lives in one arena and is freed at once
 * by snapshot_free() (src/profile/profile.h). Freezing is keeping an old one.
 *
 * Unknown is not zero: a share or figure that was not measured is NAN, a string
 * NULL, and the views print a blank (screen, text) or null (JSON).
 * All strings are printable UTF-8.
 */
#ifndef MISSTOP_SNAPSHOT_H
#define MISSTOP_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "access.h"
#include "place.h"
#include "sample.h"
#include "snapshot_causes.h"
#include "snapshot_code.h"
#include "snapshot_findings.h"
#include "snapshot_objects.h"
#include "snapshot_share.h"
#include "snapshot_sharing.h"
#include "snapshot_simulation.h"
#include "snapshot_time.h"
#include "snapshot_watch.h"

enum sets_verdict { SETS_TOO_FEW, SETS_UNIFORM, SETS_CONCENTRATED };

/* An object's part in one set. */
struct snapshot_set_part {
    uint32_t set;
    uint32_t object; /* index into objects, UINT32_MAX: not listed there */
    double samples;  /* of mean weight */
};

/* Why the sets may be others than those counted. */
enum sets_doubt {
    SETS_SURE,
    SETS_WITHIN_PAGE, /* the level is indexed by physical addresses, and virtual ones are known */
    SETS_GUESSED      /* the recording does not hold its caches: those of this machine */
};

/* The content of the hot sets. */
enum sets_content {
    SETS_CONTENT_UNKNOWN, /* no set is above the bound */
    SETS_HOT_LINES,       /* no more lines than a set has ways */
    SETS_LARGE_OBJECT,    /* lines of an object that the cache does not hold */
    SETS_MANY_LINES       /* more lines than ways, of less than the cache holds */
};

struct snapshot_sets {
    const char *level; /* "L1d" */
    const char *index; /* "virtual", "physical" */
    enum sets_doubt doubt;
    uint32_t sets;
    uint32_t ways;
    uint32_t line;
    double *counts;    /* [sets] under the basis */
    uint32_t *lines;   /* [sets] distinct lines that missed, in the window; NULL: not known */
    double chi2;       /* NAN: too few */
    double p_value;    /* of a uniform distribution */
    uint32_t hot_sets; /* sets above their expected 99.9 % bound */
    enum sets_verdict verdict;
    double samples;   /* counted */
    double excess;    /* share of them above an even share */
    double hot_share; /* of them, in the hot sets */
    double
        held; /* share of the hot sets' excess on as many lines as a set has ways; NAN: unknown */
    enum sets_content content;
    bool conflict;                   /* SETS_MANY_LINES, and misses are counted */
    struct snapshot_set_part *parts; /* by set, most samples first; from the window */
    size_t part_count;
};

/* As in JSON. */
const char *sets_verdict_name(enum sets_verdict verdict);

/* An address (line) that recurs in the window. */
struct snapshot_recurrence {
    uint64_t address; /* of the cache line */
    uint32_t count;
    uint32_t set;
    uint32_t object;    /* index into objects, UINT32_MAX: none */
    int64_t offset;     /* of the line into the object */
    uint32_t functions; /* distinct functions that missed on it */
};

/* Two objects or lines with misses close together more often than by chance. */
struct snapshot_pair {
    uint64_t line_a; /* 0 when the pair is of objects */
    uint64_t line_b;
    uint32_t object_a; /* index into objects */
    uint32_t object_b;
    uint32_t together; /* times seen within the neighbourhood */
    double lift;       /* seen / expected if independent */
};

#define SNAPSHOT_RECURRENCE_BINS 8 /* lines seen 1, 2, 3-4, 5-8, ... 65+ times */

enum { SNAPSHOT_WINDOW_LEAST = 200 };

struct snapshot_window {
    uint64_t entries;   /* size of the table */
    uint64_t used;      /* active entries */
    uint64_t addresses; /* distinct */
    uint64_t singletons;
    uint64_t recurring;
    double span_s; /* time between oldest and newest entry */
    uint64_t histogram[SNAPSHOT_RECURRENCE_BINS];
    double lines;  /* estimated, seen or not; NAN: fewer samples than SNAPSHOT_WINDOW_LEAST */
    double caches; /* the same as a multiple of the cache of `sets` */
    struct snapshot_recurrence *top;
    size_t top_count;
    struct snapshot_pair *pairs;
    size_t pair_count;
};

/* The n-way search. */
enum search_state { SEARCH_OFF, SEARCH_SEARCHING, SEARCH_SETTLED };
enum region_state {
    REGION_SPLIT,
    REGION_KEPT,
    REGION_OBJECT,
    REGION_LINE,
    REGION_DROPPED,
    REGION_QUEUED
};

/* Why a region is kept, dropped or final. */
enum region_reason {
    REGION_NO_REASON,
    REGION_NO_SAMPLES,
    REGION_QUIET,     /* kept without samples for too many rounds */
    REGION_WAS_BEST,  /* no samples now, but was among the best */
    REGION_TOO_FEW,   /* samples to look inside */
    REGION_EVEN,      /* no part has more than the others */
    REGION_SEVERAL,   /* lines are used */
    REGION_ELSEWHERE, /* found in another phase */
    REGION_REASON_COUNT
};

/* The share of a region found, in one phase. */
struct snapshot_region_phase {
    char name[4]; /* "A" */
    double share; /* of all misses in the range searched, in that phase */
    bool leads;   /* none found there has more */
};

struct snapshot_region {
    uint64_t base;
    uint64_t bound;
    double share; /* of all misses in the range searched */
    double low;
    double high;
    uint32_t iterations; /* measurements averaged */
    uint32_t depth;
    enum region_state state;
    const char *object; /* name of what it holds, "" if several */
    enum region_reason reason;
    /* Regions found, where phases are distinguished: most misses first. Share NAN: found in other
     * phases only, not measured now. */
    const struct snapshot_region_phase *phases; /* one more follows, without a name; NULL: none */
    size_t phase_count;
};

struct snapshot_search {
    enum search_state state;
    uint32_t ways;
    uint32_t iteration;
    uint32_t restarts;
    double interval_s; /* current length of one interval */
    double explained;  /* share of the misses in the found regions */
    uint64_t base;     /* range that is searched */
    uint64_t bound;
    const char *what;                /* "all", or the object's name */
    const char *before;              /* the same of the one to go back to; NULL: there is none */
    struct snapshot_region *regions; /* being measured, queued, found; most misses first */
    size_t region_count;
    struct snapshot_region *dropped; /* newest first */
    size_t dropped_count;
};

/* As in JSON. */
const char *search_state_name(enum search_state state);
const char *region_state_name(enum region_state state);

/* The recording that is replayed. */
struct snapshot_recording {
    const char *host;
    const char *cpu;       /* "Intel(R) Xeon(R) ..." */
    const char *kernel;    /* "5.4.0-42-generic x86_64" */
    const char *command;   /* of the recorder */
    const char *date;      /* "2026-11-21 12:03:11" local time */
    bool date_exact;       /* when it began; else when the file was last written */
    double position_s;     /* since the process was first sampled; NAN: without times */
    double length_s;       /* to its last sample; NAN: not known */
    uint32_t processes;    /* with samples; 0: not known */
    double process_share;  /* of the process shown, of all their samples; NAN: not known */
    const char *others;    /* "12 (xz), 13 (cat)": the strongest of the others */
    const char *addresses; /* how many samples have one, or registers to compute it from */
    const char *note;      /* missing, damaged or unusable parts */
};

/* A thread, by its newest samples. */
struct snapshot_thread {
    uint32_t tid;
    const char *name;            /* its name now; NULL: it has ended, or names are unknown */
    double samples;              /* of the ranking event, with an object */
    struct snapshot_share share; /* of those of all threads */
    uint32_t object;             /* that most of them fell on, index into objects; UINT32_MAX */
    const char *object_name;
    double object_share; /* part of the thread's */
    const char *function_name;
    double function_share;
};

/* Of the newest samples, whatever the basis: `recent` of them. */
struct snapshot_threads {
    struct snapshot_thread *list; /* most samples first */
    size_t count;
    size_t left_out; /* with fewer samples than those listed */
    uint64_t recent;
};

/* NULL: not listed. */
const struct snapshot_thread *snapshot_thread(const struct snapshot_threads *threads, uint32_t tid);

/* The time range of the tables, where it is not the run up to now. Of what goes on live (the heap,
 * records lost, rates, histories) nothing is known then; the timeline is of the whole run. */
struct snapshot_time_range {
    double start_s; /* from the start of the run */
    double end_s;
    double length_s; /* of its pieces together */
    size_t pieces;   /* as often as the phase came */
    char phase[4];   /* "A"; "": it is no phase's */
    uint64_t kept;   /* samples that are counted */
    uint64_t seen;   /* samples there were; old ones are thinned, with the same total weight */
    bool loading;    /* there is more of it to come */
};

/* The time that the shown weights cover. */
enum snapshot_basis {
    BASIS_DECAYED /* recent past, half-life -H */,
    BASIS_RUN /* since start or zero */
};

struct snapshot_event {
    const char *name; /* as the user would write it for -e */
    enum event_role role;
    uint64_t period;  /* current, events per sample */
    uint64_t samples; /* since start or zero */
    double events;    /* events represented: sum of the samples' periods; NAN: not known */
    double counted; /* part of the time that it was counted: events take turns where there are more
                       than counters; NAN, 0: not known */
};

struct snapshot_source {
    const char *name;   /* "counter", "clock", ... */
    const char *weighs; /* unit of a share: "cache misses", "time at the access" */
    bool precise;
    bool live;
    size_t event_count;
    uint16_t ranking; /* the event that ranks now */
    struct snapshot_event events[SAMPLE_EVENTS_MAX];
};

struct snapshot_target {
    uint32_t pid;
    uint32_t threads;
    uint32_t cpus; /* that it may use; 0: not known */
    double cpu;    /* CPU time used per second, over the last second or interval; NAN: not known */
    const char *comm;
    const char *exe;
    /* "running", "idle" (no CPU time used), "stopped" (signal, debugger), "not counted" (on
     * request), "not sampled" (it runs, and no sample comes), "exited", "recorded" */
    const char *state;
};

/* Exact counts since start or zero, all events; total = attributed + sum of reasons. */
struct snapshot_totals {
    uint64_t samples;
    uint64_t attributed;
    uint64_t reasons[REASON_COUNT];
    uint64_t how[ACCESS_HOW_COUNT];
    uint64_t typed[TYPED_COUNT];     /* of those attributed */
    uint64_t untyped[UNTYPED_COUNT]; /* of those typed[TYPED_NOT] */
    uint64_t agent;                  /* of misstop's own agent: beside the samples, not of them */
    uint64_t lost;
    uint64_t throttled;
    double reason_weight[REASON_COUNT];   /* as `weight`, of those without an object */
    double typed_weight[TYPED_COUNT];     /* as `weight`, of those attributed */
    double untyped_weight[UNTYPED_COUNT]; /* of typed_weight[TYPED_NOT] */
    double everything;                    /* of all samples; 0: not known */
    double weight; /* events represented by the attributed samples of the ranking event, and how */
    double effective; /* many samples of equal weight would be as sure; under the basis */
    double rate;      /* samples per second of the ranking event, over the last interval */
};

struct snapshot {
    uint32_t iteration; /* from 1 */
    double elapsed_s;
    double counted_s;   /* since start or zero: what counts of the whole run cover */
    double interval_s;  /* refresh interval */
    double half_life_s; /* 0: nothing decays */
    enum snapshot_basis basis;
    const char *status; /* one line for the user, NULL */
    struct snapshot_target target;
    struct snapshot_source source;
    const struct snapshot_recording *recording;   /* NULL: live */
    const struct snapshot_time_range *time_range; /* NULL: it is of the run up to now */
    struct snapshot_simulation simulation;
    struct snapshot_totals totals;
    struct snapshot_levels *levels;  /* of everything attributed; NULL */
    struct snapshot_rates *rates;    /* the same */
    struct snapshot_wait wait;       /* of the process' CPU time */
    struct snapshot_object *objects; /* all with a share of 0.001 or more, most samples first */
    size_t object_count;
    size_t objects_left_out;
    double objects_left_share; /* of those, together; NAN: there are no samples */
    double objects_least;      /* share from which on they are listed; 0: all */
    bool objects_all;          /* those of less than 0.001 were asked for */
    struct snapshot_code *code;
    size_t code_count;
    struct snapshot_matrix matrix;
    struct snapshot_sets sets;
    struct snapshot_search search;
    struct snapshot_window window;
    struct snapshot_threads threads;
    struct snapshot_timeline timeline;
    struct snapshot_heap heap;
    struct snapshot_sharing sharing;
    struct snapshot_findings findings;
    struct snapshot_watch watch;
    struct snapshot_causes causes;
    struct snapshot_uses uses;
    struct snapshot_reuse reuse;
    struct snapshot_whatifs whatif;
    struct snapshot_access *accesses; /* only where they are asked for; see there */
    size_t access_count;
    struct loading_state loading; /* strings in the arena */
    struct snapshot_binaries binaries;
    struct snapshot_refused refused; /* files that were named and not opened */
};

#endif
