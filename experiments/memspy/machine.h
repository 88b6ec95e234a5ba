/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A machine to rebuild MemSpy's examples on: processors with a cache each (src/sim), whose misses
 * go into a profile as those of --sim do, with their causes. For experiments/memspy only.
 */
#ifndef MISSTOP_TESTS_MEMSPY_MACHINE_H
#define MISSTOP_TESTS_MEMSPY_MACHINE_H

#include "unit/sim/model_host.h"
#include "profile/profile.h"
#include "snapshot.h"

enum { MACHINE_NAMES = 8 };

struct machine_object {
    const char *name;
    uint64_t base;
    uint64_t size_bytes;
};

struct machine_options {
    struct model_level_spec cache; /* of each processor */
    uint32_t processors;
    uint32_t one_in;                              /* misses that become a sample */
    struct machine_object objects[MACHINE_NAMES]; /* from id 1 on */
    const char *functions[MACHINE_NAMES];         /* the same */
};

struct machine {
    struct model_rooms rooms; /* first: what allocates takes the machine for it */
    struct machine_options options;
    struct model *model;
    struct model_thread *processors[16];
    struct profile *profile;
    uint64_t accesses[MACHINE_NAMES]; /* by object */
    uint64_t reads;
    uint64_t writes;
    uint64_t misses;
    bool missed; /* the last access */
};

/* Fails the test where there is no memory. */
void machine_init(struct machine *machine, const struct machine_options *options);
void machine_fini(struct machine *machine);

/* One access by a processor in a function to an element of an object. */
void machine_access(struct machine *machine, uint32_t processor, uint32_t function, uint32_t object,
                    uint64_t offset_bytes, uint32_t size_bytes, uint32_t kind);

/* To be given back by snapshot_free(). */
const struct snapshot *machine_snapshot(struct machine *machine);

/* Causes of an object by its name; NULL: it never missed. The same of a function on it. */
const struct snapshot_causes_row *machine_causes(const struct snapshot *snapshot,
                                                 const char *object);
const struct snapshot_causes_figures *machine_cell(const struct snapshot *snapshot,
                                                   const char *function, const char *object);
/* Of the misses in that cell whose evictor is known, the part thrown out for `by`. */
double machine_evicted_by(const struct snapshot *snapshot, const char *function, const char *object,
                          const char *by);

#endif
