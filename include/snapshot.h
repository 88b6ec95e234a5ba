/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * profile -> view: everything that can be shown at one moment. Created once per refresh and never
 * changed afterwards. All of it is allocated from one arena that snapshot_free()
 * (src/profile/profile.h) frees. Freezing means keeping an old snapshot.
 *
 * Unknown is not zero: a share or figure that was not measured is NAN, a string NULL. The views
 * then print a blank (screen, text) or null (JSON). All strings are printable UTF-8.
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

struct snapshot_set_part {
    uint32_t set;
    uint32_t object; /* index into objects; UINT32_MAX: not listed there */
    double samples;  /* weighted: samples of mean weight */
};

/* Why the sets shown may differ from the real ones. */
enum sets_doubt {
    SETS_EXACT,
    SETS_WITHIN_PAGE, /* indexed by physical addresses, but only virtual ones are known */
    SETS_GUESSED /* the recording does not describe its caches: those of this machine are used */
};

enum sets_content {
    SETS_CONTENT_UNKNOWN, /* no set is above the bound */
    SETS_HOT_LINES,       /* no more lines than a set has ways */
    SETS_LARGE_OBJECT,    /* lines of an object larger than the cache */
    SETS_MANY_LINES       /* more lines than ways, but fewer than the cache holds */
};

struct snapshot_sets {
    const char *level; /* "L1d" */
    const char *index; /* "virtual", "physical" */
    enum sets_doubt doubt;
    uint32_t sets;
    uint32_t ways;
    uint32_t line;
    double *counts;    /* [sets] samples, under the basis */
    uint32_t *lines;   /* [sets] distinct missed lines in the window; NULL: not known */
    double chi2;       /* NAN: too few samples */
    double p_value;    /* probability under a uniform distribution */
    uint32_t hot_sets; /* sets above the 99.9 % bound of their expected count */
    enum sets_verdict verdict;
    double samples;   /* counted */
    double excess;    /* share of the samples above an even distribution */
    double hot_share; /* share of the samples in the hot sets */
    /* Share of the hot sets' excess on as many lines as a set has ways; NAN: not known. */
    double fitting_share;
    enum sets_content content;
    bool conflict;                   /* SETS_MANY_LINES, and misses are counted */
    struct snapshot_set_part *parts; /* sorted by set, most samples first; from the window */
    size_t part_count;
};

const char *sets_verdict_name(enum sets_verdict verdict);

struct snapshot_recurrence {
    uint64_t address; /* address of the cache line */
    uint32_t count;
    uint32_t set;
    uint32_t object;    /* index into objects, UINT32_MAX: none */
    int64_t offset;     /* offset of the line in the object */
    uint32_t functions; /* distinct functions with misses on the line */
};

/* Two objects or lines with misses close together more often than by chance. */
struct snapshot_pair {
    uint64_t line_a; /* 0 if the pair is of objects */
    uint64_t line_b;
    uint32_t object_a; /* index into objects */
    uint32_t object_b;
    uint32_t pair_count; /* times seen within the neighbourhood */
    double lift;         /* seen / expected if independent */
};

#define SNAPSHOT_RECURRENCE_BINS 8 /* lines with 1, 2, 3-4, 5-8, ... 65+ samples */

enum { SNAPSHOT_WINDOW_MIN = 200 };

struct snapshot_window {
    uint64_t entries;   /* size of the table */
    uint64_t used;      /* active entries */
    uint64_t addresses; /* distinct */
    uint64_t singletons;
    uint64_t recurring;
    double span_s; /* time between oldest and newest entry */
    uint64_t histogram[SNAPSHOT_RECURRENCE_BINS];
    double lines; /* estimate, with lines not sampled; NAN: fewer than SNAPSHOT_WINDOW_MIN */
    double cache_multiple; /* the estimate as a multiple of the cache of `sets` */
    struct snapshot_recurrence *top;
    size_t top_count;
    struct snapshot_pair *pairs;
    size_t pair_count;
};

enum search_state { SEARCH_OFF, SEARCH_SEARCHING, SEARCH_SETTLED };
enum region_state {
    REGION_SPLIT,
    REGION_KEPT,
    REGION_OBJECT,
    REGION_LINE,
    REGION_DROPPED,
    REGION_QUEUED
};

enum region_reason {
    REGION_NO_REASON,
    REGION_NO_SAMPLES,
    REGION_QUIET,          /* no samples for too many rounds */
    REGION_WAS_BEST,       /* no samples now, but it was among the best */
    REGION_TOO_FEW,        /* too few samples to search inside */
    REGION_EVEN,           /* no part has more samples than the others */
    REGION_SEVERAL,        /* several lines are used */
    REGION_IN_OTHER_PHASE, /* found in another phase */
    REGION_REASON_COUNT
};

struct snapshot_region_phase {
    char name[4];    /* "A" */
    double share;    /* fraction of all misses in the searched range, in that phase */
    bool is_largest; /* no region found in that phase has more */
};

struct snapshot_region {
    uint64_t base;
    uint64_t bound;
    double share; /* fraction of all misses in the searched range */
    double low;
    double high;
    uint32_t iterations; /* number of measurements averaged */
    uint32_t depth;
    enum region_state state;
    const char *object; /* name of the object in it; "" if several */
    enum region_reason reason;
    /* Found regions, most misses first, with phases. Share NAN: found only in other phases. */
    /* Terminated by an entry without a name; NULL: none. */
    const struct snapshot_region_phase *phases;
    size_t phase_count;
};

struct snapshot_search {
    enum search_state state;
    uint32_t ways;
    uint32_t iteration;
    uint32_t restarts;
    double interval_s; /* current length of one interval */
    double explained;  /* share of the misses in the found regions */
    uint64_t base;     /* searched range */
    uint64_t bound;
    const char *range_name;          /* "all", or the object's name */
    const char *previous_range_name; /* `range_name` of the search to go back to; NULL: none */
    struct snapshot_region *regions; /* measured, queued or found; most misses first */
    size_t region_count;
    struct snapshot_region *dropped; /* newest first */
    size_t dropped_count;
};

const char *search_state_name(enum search_state state);
const char *region_state_name(enum region_state state);

struct snapshot_recording {
    const char *host;
    const char *cpu;     /* "Intel(R) Xeon(R) ..." */
    const char *kernel;  /* "5.4.0-42-generic x86_64" */
    const char *command; /* command line of the recorder */
    const char *date;    /* "2026-11-21 12:03:11" local time */
    bool date_exact;     /* true: the recording's start time; false: the file's modification time */
    double position_s;   /* time since the first sample of the process; NAN: no timestamps */
    double length_s;     /* time until its last sample; NAN: not known */
    uint32_t processes;  /* number of processes with samples; 0: not known */
    double process_share;  /* fraction of all samples in the displayed process; NAN: not known */
    const char *others;    /* "12 (xz), 13 (cat)": the other processes with the most samples */
    const char *addresses; /* how many samples have an address, or registers to compute it from */
    const char *note;      /* missing, damaged or unusable parts */
};

/* A thread, from its newest samples. */
struct snapshot_thread {
    uint32_t tid;
    const char *name; /* current name; NULL: the thread has ended, or names are not known */
    double samples;   /* samples of the ranking event with an object */
    struct snapshot_share share; /* fraction of the samples of all threads */
    uint32_t object; /* object with most of its samples, index into objects; UINT32_MAX: none */
    const char *object_name;
    double object_share; /* fraction of the thread's samples */
    const char *function_name;
    double function_share;
};

/* Threads of the newest samples, whatever the basis. */
struct snapshot_threads {
    struct snapshot_thread *list; /* most samples first */
    size_t count;
    size_t left_out; /* number of threads with fewer samples, not listed */
    uint64_t recent;
};

/* Returns NULL if the thread is not listed. */
const struct snapshot_thread *snapshot_thread(const struct snapshot_threads *threads, uint32_t tid);

/* Time range of the tables, if it is not the run up to now. Live data (heap, lost records, rates,
 * histories) is not known then. The timeline shows the whole run. */
struct snapshot_time_range {
    double start_s; /* time from the start of the run */
    double end_s;
    double length_s; /* total of its pieces */
    size_t pieces;   /* number of occurrences of the phase */
    char phase[4];   /* "A"; "": not a phase */
    uint64_t kept;   /* samples that are counted */
    uint64_t seen;   /* samples recorded; old samples are thinned, keeping the total weight */
    bool loading;    /* more of it is still being loaded */
};

/* The time that the displayed weights cover. */
enum snapshot_basis {
    BASIS_DECAYED /* recent past, with half-life -H */,
    BASIS_RUN /* since the start or the last reset */
};

struct snapshot_event {
    const char *name; /* name in the syntax of -e */
    enum event_role role;
    uint64_t period;  /* current, events per sample */
    uint64_t samples; /* number since the start or the last reset */
    double events;    /* sum of the samples' periods; NAN: not known */
    /* Fraction of the time that it was counted: events may take turns. NAN or 0: not known. */
    double running_share;
};

struct snapshot_source {
    const char *name;        /* "counter", "clock", ... */
    const char *weight_unit; /* unit of a share: "cache misses", "time at the access" */
    bool precise;
    bool live;
    size_t event_count;
    uint16_t ranking; /* event that ranks at present */
    struct snapshot_event events[SAMPLE_EVENTS_MAX];
};

struct snapshot_target {
    uint32_t pid;
    uint32_t threads;
    uint32_t cpus; /* number of CPUs it may run on; 0: not known */
    double cpu;    /* CPU time used per second, over the last second or interval; NAN: not known */
    const char *comm;
    const char *exe;
    /* "running", "idle" (no CPU time used), "stopped" (signal, debugger), "not counted" (on
     * request), "not sampled" (running, but without samples), "exited", "recorded" */
    const char *state;
};

/* Counts since the start or the last reset, all events; total = attributed + sum of reasons. */
struct snapshot_totals {
    uint64_t samples;
    uint64_t attributed;
    uint64_t reasons[REASON_COUNT];
    uint64_t how[ACCESS_HOW_COUNT];
    uint64_t typed[TYPED_COUNT];     /* attributed samples by enum typed */
    uint64_t untyped[UNTYPED_COUNT]; /* samples of typed[TYPED_NONE] by reason */
    uint64_t agent;                  /* samples of misstop's own agent; not included in `samples` */
    uint64_t lost;
    uint64_t throttled;
    double reason_weight[REASON_COUNT];   /* like `weight`, for samples without an object */
    double typed_weight[TYPED_COUNT];     /* like `weight`, for attributed samples */
    double untyped_weight[UNTYPED_COUNT]; /* components of typed_weight[TYPED_NONE] */
    double total_weight;                  /* weight of all samples; 0: not known */
    double weight; /* events represented by the attributed samples of the ranking event */
    /* number of samples of equal weight with the same statistical error */
    double effective_samples;
    double rate; /* samples per second of the ranking event, over the last interval */
};

struct snapshot {
    uint32_t iteration; /* number of the snapshot, from 1 */
    double elapsed_s;
    /* Time that counts of the whole run cover: since the start or the last reset. */
    double counted_s;
    double interval_s;  /* refresh interval */
    double half_life_s; /* 0: no decay */
    enum snapshot_basis basis;
    const char *status; /* one line for the user; NULL: none */
    struct snapshot_target target;
    struct snapshot_source source;
    const struct snapshot_recording *recording;   /* NULL: live */
    const struct snapshot_time_range *time_range; /* NULL: the run up to now */
    struct snapshot_simulation simulation;
    struct snapshot_totals totals;
    struct snapshot_levels *levels; /* levels of all attributed samples; NULL: not known */
    struct snapshot_rates *rates;   /* rates of all attributed samples; NULL: not known */
    struct snapshot_wait wait;      /* fraction of the process's CPU time spent waiting */
    /* All with a share of objects_min_share or more, most samples first. */
    struct snapshot_object *objects;
    size_t object_count;
    size_t objects_left_out;
    double objects_left_share; /* total share of the objects left out; NAN: no samples */
    double objects_min_share;  /* smallest share that is listed; 0: all are listed */
    bool lists_all_objects;    /* the user asked for objects of less than 0.001 */
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
    struct snapshot_access *accesses; /* only on request, see struct snapshot_access */
    size_t access_count;
    struct loading_state loading; /* strings in the arena */
    struct snapshot_binaries binaries;
    struct snapshot_refused refused; /* files that were named and not opened */
};

#endif
