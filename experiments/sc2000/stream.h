/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The instruments of the experiment, all on one stream of misses: what each object really has,
 * counters that interrupt every so many misses, and n-way searches on region counters. They stand
 * outside the simulated cache, so unlike the paper's they disturb nothing.
 */
#ifndef MISSTOP_TESTS_SC2000_STREAM_H
#define MISSTOP_TESTS_SC2000_STREAM_H

#include "profile/cache/search.h"

#include "program.h"

enum { SAMPLERS = 3, SEARCHES = 2 };

struct sampler {
    const char *name;
    uint32_t period; /* in misses */
    bool jittered;   /* by up to an eighth of the period either way, as misstop's own */
    uint64_t left;
    uint64_t samples;
    uint64_t of[OBJECTS_MAX];
};

struct stream {
    const struct sc_program *program;
    uint64_t cycles; /* of a virtual RISC: one an access, and WORK() */
    uint64_t accesses;
    uint64_t misses;
    uint64_t elsewhere; /* misses on no listed object */
    uint64_t of[OBJECTS_MAX];
    struct sampler samplers[SAMPLERS];
    struct search searches[SEARCHES]; /* ten-way, two-way */
    uint64_t next_tick;
};

/* Object ids of the search are indices plus one. */
void stream_init(struct stream *stream, const struct sc_program *program);
void stream_miss(struct stream *stream, uint64_t address);
void stream_tick(struct stream *stream); /* now and then: timers of the searches */

/* Percent of all misses that the search found in the object; NAN where it reports none. */
double stream_found(const struct search *search, uint32_t object);

#endif
