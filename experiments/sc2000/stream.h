/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The instruments of the experiment, all on one stream of misses: the actual counts by object,
 * counters that interrupt after a number of misses, and n-way searches on region counters. They are
 * outside the simulated cache and therefore, unlike the paper's, do not perturb it.
 */
#ifndef MISSTOP_TESTS_SC2000_STREAM_H
#define MISSTOP_TESTS_SC2000_STREAM_H

#include "profile/cache/search.h"

#include "program.h"

enum { SAMPLERS = 3, SEARCHES = 2 };

struct sampler {
    const char *name;
    uint32_t period; /* in misses */
    bool jittered;   /* by up to an eighth of the period in either direction, as in misstop */
    uint64_t left;
    uint64_t samples;
    uint64_t of[OBJECTS_MAX];
};

struct stream {
    const struct sc_program *program;
    uint64_t cycles; /* cycles of a virtual RISC: one per access, plus WORK() */
    uint64_t accesses;
    uint64_t misses;
    uint64_t elsewhere; /* misses outside the listed objects */
    uint64_t of[OBJECTS_MAX];
    struct sampler samplers[SAMPLERS];
    struct search searches[SEARCHES]; /* ten-way, two-way */
    uint64_t next_tick;
};

/* Object ids of the search are the index plus one. */
void stream_init(struct stream *stream, const struct sc_program *program);
void stream_miss(struct stream *stream, uint64_t address);
void stream_tick(struct stream *stream); /* called periodically: timers of the searches */

/*
 * Returns the percentage of all misses that the search found in the object; NAN if it reports none.
 */
double stream_found(const struct search *search, uint32_t object);

#endif
