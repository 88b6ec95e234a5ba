/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Part of struct snapshot (its rules are in snapshot.h): cache sets. */
#ifndef MISSTOP_SNAPSHOT_CACHE_H
#define MISSTOP_SNAPSHOT_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sets_verdict { SETS_TOO_FEW, SETS_UNIFORM, SETS_CONCENTRATED };

/* An object's part in one set. */
struct snapshot_set_part {
    uint32_t set;
    uint32_t object; /* index into objects, UINT32_MAX: not listed there */
    double samples;  /* of mean weight */
};

struct snapshot_sets {
    const char *level; /* "L1d" */
    const char *index; /* "virtual", "physical" */
    const char *note;  /* why the index may be wrong, or its limits; NULL */
    uint32_t sets;
    uint32_t ways;
    uint32_t line;
    double *counts;    /* [sets] under the basis */
    uint32_t *lines;   /* [sets] distinct lines that missed, in the window; NULL: not known */
    double chi2;       /* NAN: too few */
    double p_value;    /* of a uniform distribution */
    uint32_t hot_sets; /* sets above their expected 99.9 % bound */
    enum sets_verdict verdict;
    bool conflict;       /* concentrated, and on more lines than the hot sets have ways */
    const char *reading; /* one sentence: capacity or conflict, and why */
    struct snapshot_set_part *parts; /* by set, most samples first; from the window */
    size_t part_count;
};

/* As in JSON. */
const char *sets_verdict_name(enum sets_verdict verdict);

/* Part of struct snapshot (its rules are in snapshot.h): the window of recent misses: what
 * recurs, what misses together. */
/* An address (line) that recurs in the window. */
struct snapshot_recurrence {
    uint64_t address; /* of the cache line */
    uint32_t count;
    uint32_t set;
    uint32_t object; /* index into objects, UINT32_MAX: none */
    uint64_t offset;
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

/* Part of struct snapshot (its rules are in snapshot.h): the n-way search. */
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

#endif
