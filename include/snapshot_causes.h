/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Part of struct snapshot (snapshot.h, where its rules stand): why misses happened and what had
 * thrown the lines out, by object, of the ranking event; a simulation tells (--sim). */
#ifndef MISSTOP_SNAPSHOT_CAUSES_H
#define MISSTOP_SNAPSHOT_CAUSES_H

#include "access.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SNAPSHOT_EVICTORS = 8 };

/* A function's accesses to an object that needed the room. */
struct snapshot_evictor {
    const char *function;
    const char *object; /* NULL: not known */
    uint32_t object_id;
    uint32_t function_id;
    double share; /* of the misses whose evictor is known */
};

struct snapshot_causes_object {
    uint32_t object; /* index into objects; UINT32_MAX: not listed there */
    uint32_t id;
    const char *name;
    double samples;
    double misses;             /* that these stand for */
    double share[CAUSE_COUNT]; /* of the misses; [CAUSE_NOT_TOLD]: 0 */
    double evicted;            /* misses whose evictor is known */
    double by_itself;          /* part of these thrown out by accesses to the object itself; NAN */
    double unlisted;           /* part of these that found no room in the table; NAN */
    struct snapshot_evictor evictors[SNAPSHOT_EVICTORS]; /* largest share first */
    size_t evictor_count;
};

struct snapshot_causes {
    bool told; /* causes of misses of the ranking event came in; else the rest is empty */
    double share[CAUSE_COUNT];              /* of all of them */
    struct snapshot_causes_object *objects; /* most misses first */
    size_t count;
};

#endif
