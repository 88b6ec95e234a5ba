/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A simulated machine to rebuild MemSpy's examples: processors with one cache each (src/sim). Their
 * misses go into a profile with their causes, as those of --sim do. Private to experiments/memspy.
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
    struct model_level_spec cache; /* cache of each processor */
    uint32_t processors;
    uint32_t one_in;                              /* misses per sample */
    struct machine_object objects[MACHINE_NAMES]; /* by id, from 1 */
    const char *functions[MACHINE_NAMES];         /* by id, from 1 */
};

struct machine {
    struct model_rooms rooms; /* first member: allocation functions get the machine as this */
    struct machine_options options;
    struct model *model;
    struct model_thread *processors[16];
    struct profile *profile;
    uint64_t accesses[MACHINE_NAMES]; /* by object id */
    uint64_t reads;
    uint64_t writes;
    uint64_t misses;
    bool missed; /* the last access missed */
};

/* Fails the test if memory runs out. */
void machine_init(struct machine *machine, const struct machine_options *options);
void machine_fini(struct machine *machine);

/* Makes one access by a processor, in a function, to an element of an object. */
void machine_access(struct machine *machine, uint32_t processor, uint32_t function, uint32_t object,
                    uint64_t offset_bytes, uint32_t size_bytes, uint32_t kind);

/* Free with snapshot_free(). */
const struct snapshot *machine_snapshot(struct machine *machine);

/* Return the causes of an object by its name, and those of a function on it; NULL: no misses. */
const struct snapshot_causes_row *machine_causes(const struct snapshot *snapshot,
                                                 const char *object);
const struct snapshot_causes_figures *machine_cell(const struct snapshot *snapshot,
                                                   const char *function, const char *object);
/* Returns the share of evictions by `by` among the cell's misses with a known evictor. */
double machine_evicted_by(const struct snapshot *snapshot, const char *function, const char *object,
                          const char *by);

#endif
