/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * profile -> view: everything that can be shown at one moment. Made once per
 * refresh, never changed after; all of it lives in one arena and is freed at once
 * by snapshot_free() (src/profile/snapshot.h). Freezing is keeping an old one.
 *
 * Unknown is not zero: a share or figure that was not measured is NAN, a string
 * NULL, and the views print a blank (screen, text) or null (JSON).
 * All strings are printable UTF-8.
 */
#ifndef MISSTOP_SNAPSHOT_H
#define MISSTOP_SNAPSHOT_H

#include "access.h"
#include "data_source.h"
#include "heap_bin.h"
#include "place.h"
#include "sample.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SNAPSHOT_HISTORY 32 /* refreshes in an object's sparkline */

/* What the shown weights cover. */
enum snapshot_basis {
    BASIS_DECAYED /* recent past, half-life -H */,
    BASIS_RUN /* since start or zero */
};

/* What an event stands for, so that columns know which of them they need. */
enum event_role {
    EVENT_MISS_L1,
    EVENT_MISS_L2,
    EVENT_MEM_FILL,
    EVENT_STALL,
    EVENT_ACCESS,
    EVENT_OTHER
};

/* A share with its 95 % interval (Wilson, on the effective number of samples). */
struct snapshot_share {
    double value; /* 0..1 */
    double low;
    double high;
};

struct snapshot_event {
    const char *name; /* as the user would write it for -e */
    enum event_role role;
    uint64_t period;  /* current, events per sample */
    uint64_t samples; /* since start or zero */
};

struct snapshot_source {
    const char *name;   /* "counter", "clock", ... */
    const char *weighs; /* what a share means: "cache misses", "time stalled at the access" */
    bool precise;
    bool live;
    size_t event_count;
    uint16_t ranking; /* the event that ranks now */
    struct snapshot_event events[SAMPLE_EVENTS_MAX];
};

struct snapshot_target {
    uint32_t pid;
    uint32_t threads;
    const char *comm;
    const char *exe;
    const char *state; /* "running", "exited", "exec" ... */
};

/* Exact counts since start or zero, all events; total = attributed + sum of reasons. */
struct snapshot_totals {
    uint64_t samples;
    uint64_t attributed;
    uint64_t reasons[REASON_COUNT];
    uint64_t how[ACCESS_HOW_COUNT];
    uint64_t typed[TYPED_COUNT];     /* of those attributed */
    uint64_t untyped[UNTYPED_COUNT]; /* of those typed[TYPED_NOT] */
    uint64_t lost;
    uint64_t throttled;
    double rate; /* samples per second of the ranking event, over the last interval */
};

/* Where the levels of struct snapshot_levels are from. */
enum levels_from {
    LEVELS_RECORDED, /* the hardware told it of each sample */
    LEVELS_COUNTED   /* worked out from how often each of several miss events was sampled */
};

#define SNAPSHOT_LATENCY_CLASSES 16 /* 1, 2-3, 4-7, ... cycles; the last: 32768 and more */

/*
 * Where accesses found their data and how long that took: of an object, of a field, of
 * everything. Counts are accesses estimated (weights: a sample stands for its period), of the
 * event that ranks if recorded. NAN: the source cannot say.
 *
 * What they are counts of is what the source samples (struct snapshot_source, `weighs`): pebs
 * counts loads of at least so many cycles, evenly among those; ibs every op alike. A level's
 * share of one is not its share of the other.
 */
struct snapshot_levels {
    enum levels_from from;
    double accesses;                /* sum of `level`, level[DATA_UNKNOWN] included */
    double level[DATA_LEVEL_COUNT]; /* data_level_name() names them */
    double hitm;                    /* accesses that found the line modified in another cache */
    double tlb_miss;                /* share of those whose TLB is known: page walks, faults */
    double locked;                  /* share of those of which it is known, like the next */
    double blocked;
    double latency;                           /* mean, cycles */
    double histogram[SNAPSHOT_LATENCY_CLASSES]; /* accesses by latency */
    double stall; /* share of latency x accesses of all attributed: an estimate of its part in
                     waiting, for waits overlap */
};

/* One offset, or one field-like column of an array of equal elements. */
struct snapshot_field {
    const char *name; /* "particle.vy"; "+40", "[*]+40" without a type */
    const char *type; /* of the field: "double"; NULL: not known */
    uint32_t type_id; /* of the type it is a member of; 0: not known */
    uint32_t member;  /* index of the member; TYPE_NO_MEMBER: none */
    uint64_t offset;  /* into the element where one is inferred, else into the object */
    uint32_t size;    /* widest access seen, bytes */
    double samples;   /* under the basis; whole numbers when nothing decays */
    double share;     /* of its object */
    double loads;
    double stores;
    struct snapshot_levels *levels; /* NULL: the source tells nothing of it */
};

/* One row of a type's picture, in order of offset: a member, or bytes that belong to none. */
enum layout_row_kind {
    LAYOUT_MEMBER,
    LAYOUT_HOLE,    /* padding before the next member */
    LAYOUT_PADDING, /* ... at the end */
    LAYOUT_UNKNOWN  /* without debugging information: an offset that was sampled */
};

struct snapshot_layout_row {
    enum layout_row_kind kind;
    struct type_member member; /* name "" and type NULL in a hole */
    uint32_t index;            /* of the member in its type; TYPE_NO_MEMBER: none */
    bool has_members;          /* rows of its own members follow; its heat is theirs together */
    double samples;
    double share; /* of the object's samples of this type */
    double loads;
    double stores;
    uint32_t line; /* cache line it begins in, under the leading phase, from 0 */
};

/* A cache line of the element, as the leading phase cuts it. */
struct snapshot_layout_line {
    uint64_t start; /* first and last byte + 1, as offsets into the element */
    uint64_t end;
    double share;  /* of the samples on the type that fall here */
    uint32_t used; /* bytes of members that were sampled */
    uint32_t cold; /* bytes fetched that never were */
};

/* A type as the samples on one object see it: the Layout screen. */
struct snapshot_layout {
    uint32_t type;    /* id */
    const char *name; /* "struct particle" */
    uint64_t size;    /* of one element */
    bool inferred;    /* no type: element size and offsets are worked out from samples */
    double samples;
    double share; /* of the object's samples */
    struct snapshot_layout_row *rows;
    size_t row_count;
    struct snapshot_layout_line *lines;
    size_t line_count;
    uint32_t phase;      /* where in a cache line elements begin most often, bytes */
    double phase_share;  /* of the samples in the window; NAN: too few */
    uint32_t phases;     /* different ones seen */
    double straddling;   /* share of samples whose access crosses a line; NAN */
    uint64_t hot_span;   /* lines that the members with most of the heat lie in */
    uint64_t hot_lines;  /* lines they would need side by side */
    const char *reading; /* one or two sentences: what the picture says; NULL */
};

/* A piece of code that touches an object, or, in `code`, all of its accesses. */
/* One accessing instruction of a function. */
struct snapshot_instruction {
    uint64_t address;
    const char *file;    /* NULL: not known */
    uint32_t line;       /* 0: not known */
    const char *inlined; /* "min < clamp": functions inlined there; NULL: none */
    double samples;
    double share; /* of its function's */
    double loads;
    double stores;
    uint32_t object;     /* index into objects of the one it missed on most; UINT32_MAX */
    double object_share; /* of the instruction's samples */
    uint32_t objects;    /* different ones */
    const char *field;   /* "particle.vy"; NULL: not known */
    uint32_t type_id;    /* as in struct snapshot_field */
    uint32_t member;
};

struct snapshot_code {
    uint32_t id;
    const char *function;
    const char *module;
    const char *file; /* NULL: not known */
    uint32_t line;
    uint64_t address; /* hottest accessing instruction */
    double samples;
    struct snapshot_share share; /* of its object; of everything in `code` */
    uint32_t sites;              /* distinct accessing instructions seen */
    uint32_t top_object;         /* index into objects, UINT32_MAX if none */
    double top_object_share;
    struct snapshot_instruction *instructions; /* in `code` only; by address */
    size_t instruction_count;
};

struct snapshot_instance {
    uint64_t base;
    uint64_t size;
    double samples;
    double share; /* of its object */
    uint32_t tid; /* thread that missed most on it */
};

struct snapshot_object {
    uint32_t id;
    const char *name;
    const char *module;
    const char *type;          /* NULL: not known */
    uint32_t type_id; /* of its elements; 0: not known */
    uint32_t type_votes;       /* accesses by code that gave it; 0: declared */
    uint32_t type_against;     /* that say another */
    double typed[TYPED_COUNT]; /* parts of samples */
    enum object_kind kind;
    uint64_t address;
    uint64_t size;
    uint32_t blocks;
    uint32_t bin;                /* index into heap.bins, UINT32_MAX: no heap bin */
    double samples;              /* ranking event, under the basis */
    struct snapshot_share share; /* of all attributed weight of the ranking event */
    double loads;                /* parts of samples; the rest is of unknown kind */
    double stores;
    double inferred; /* part of samples whose address is inferred, not computed */
    double event_share[SAMPLE_EVENTS_MAX]; /* of each event's attributed weight; NAN: none */
    double latency;                        /* mean, cycles; NAN */
    struct snapshot_levels *levels;        /* NULL: the source tells nothing of it */
    uint64_t element_size;                 /* inferred stride; 0: none */
    double element_confidence;             /* 0..1 */
    uint32_t threads;                      /* distinct threads seen, capped at 255 */
    float history[SNAPSHOT_HISTORY]; /* weight per refresh as a share of the refresh, oldest first;
                                        NAN before start */
    struct snapshot_field *fields;   /* most samples first */
    size_t field_count;
    struct snapshot_layout *layouts; /* types seen in it, most samples first */
    size_t layout_count;
    struct snapshot_code *code;
    size_t code_count;
    struct snapshot_instance *instances;
    size_t instance_count;
};

enum sets_verdict { SETS_TOO_FEW, SETS_UNIFORM, SETS_CONCENTRATED };

/* An object's part in one set. */
struct snapshot_set_part {
    uint32_t set;
    uint32_t object; /* index into objects, UINT32_MAX: not listed there */
    uint32_t samples;
};

struct snapshot_sets {
    const char *level; /* "L1d" */
    const char *index; /* "virtual", "physical" */
    const char *note;  /* NULL, or why the index is what it is / may be wrong */
    uint32_t sets;
    uint32_t ways;
    uint32_t line;
    double *counts;    /* [sets] under the basis */
    uint32_t *lines;   /* [sets] distinct lines that missed, in the window; NULL: not known */
    double chi2;       /* NAN: too few */
    double p_value;    /* of a uniform distribution */
    uint32_t hot_sets; /* sets above their expected 99.9 % bound */
    enum sets_verdict verdict;
    const char *reading;             /* one sentence: capacity or conflict, and why */
    struct snapshot_set_part *parts; /* by set, most samples first; from the window */
    size_t part_count;
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
    const char *reason; /* why dropped or kept; NULL */
};

struct snapshot_search {
    enum search_state state;
    uint32_t ways;
    uint32_t iteration;
    uint32_t restarts;
    double interval_s; /* current length of one interval */
    double explained;  /* share of the misses in the found regions */
    uint64_t base;     /* what is searched */
    uint64_t bound;
    const char *what;                /* "all", or the object's name */
    struct snapshot_region *regions; /* being measured, queued, found; most misses first */
    size_t region_count;
    struct snapshot_region *dropped; /* newest first */
    size_t dropped_count;
};

/* An address (line) that recurs in the window. */
struct snapshot_recurrence {
    uint64_t address; /* of the cache line */
    uint32_t count;
    uint32_t set;
    uint32_t object; /* index into objects, UINT32_MAX: none */
    uint64_t offset;
    uint32_t functions; /* distinct functions that missed on it */
};

/* Two objects or lines whose misses come close together more often than by chance. */
struct snapshot_pair {
    uint64_t line_a; /* 0 when the pair is of objects */
    uint64_t line_b;
    uint32_t object_a; /* index into objects */
    uint32_t object_b;
    uint32_t together; /* times seen within the neighbourhood */
    double lift;       /* seen / expected if independent */
};

#define SNAPSHOT_RECURRENCE_BINS 8 /* lines seen 1, 2, 3-4, 5-8, ... 65+ times */

struct snapshot_window {
    uint64_t entries;   /* size of the table */
    uint64_t used;      /* active entries */
    uint64_t addresses; /* distinct */
    uint64_t singletons;
    uint64_t recurring;
    double span_s; /* time between oldest and newest entry */
    uint64_t histogram[SNAPSHOT_RECURRENCE_BINS];
    const char *reading; /* one sentence: capacity or conflict */
    struct snapshot_recurrence *top;
    size_t top_count;
    struct snapshot_pair *pairs;
    size_t pair_count;
};

/* One bin of the heap beside its misses. */
struct snapshot_bin {
    struct heap_bin heap; /* strings in the snapshot's arena */
    uint32_t object;      /* index into objects, UINT32_MAX: not listed there */
    double samples;       /* under the basis */
    double share;         /* of all attributed weight of the ranking event */
    bool touched;         /* a sample has fallen on it since start or zero */
    bool suspect;         /* grows, is old, never touched: perhaps a leak */
};

struct snapshot_heap {
    struct heap_summary summary;
    struct snapshot_bin *bins; /* most samples first, then most bytes */
    size_t bin_count;
    size_t bins_left_out;
};

struct snapshot {
    uint32_t iteration; /* from 1 */
    double elapsed_s;
    double interval_s;  /* refresh interval */
    double half_life_s; /* 0: nothing decays */
    enum snapshot_basis basis;
    const char *status; /* one line for the user, NULL */
    struct snapshot_target target;
    struct snapshot_source source;
    struct snapshot_totals totals;
    struct snapshot_levels *levels; /* of everything attributed; NULL */
    struct snapshot_object *objects; /* all with a share of 0.001 or more, most samples first */
    size_t object_count;
    size_t objects_left_out;
    struct snapshot_code *code;
    size_t code_count;
    struct snapshot_sets sets;
    struct snapshot_search search;
    struct snapshot_window window;
    struct snapshot_heap heap;
    struct reading_state reading; /* strings in the arena */
};

/* Names as in JSON. */
const char *sets_verdict_name(enum sets_verdict verdict);
const char *search_state_name(enum search_state state);
const char *region_state_name(enum region_state state);

#endif
