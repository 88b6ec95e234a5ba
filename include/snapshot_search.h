/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Part of struct snapshot (snapshot.h, where its rules stand): the n-way search. */
#ifndef MISSTOP_SNAPSHOT_SEARCH_H
#define MISSTOP_SNAPSHOT_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum search_state { SEARCH_OFF, SEARCH_SEARCHING, SEARCH_SETTLED };
enum region_state {
    REGION_SPLIT,
    REGION_KEPT,
    REGION_OBJECT,
    REGION_LINE,
    REGION_DROPPED,
    REGION_QUEUED
};

/* What a region found had in a phase. */
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
    const char *reason; /* why dropped or kept; NULL */
    /* Of those found, where phases were told apart: most misses first. A region that was found in
     * other phases only has a share of NAN: there is no measurement of it now. */
    const struct snapshot_region_phase *phases;
    size_t phase_count;
    const char *phase_words; /* the same: "A 62% leads, B 3%"; NULL */
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
