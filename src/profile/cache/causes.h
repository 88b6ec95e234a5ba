/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Causes of misses and evictors of the missed lines, per event: by object, function, thread, field,
 * instruction on an object and, through these, matrix cell. Implements MemSpy's "Causes of
 * Replacements" (Martonosi, Gupta, Anderson 1992, Figure 3) and DTrack's premature evictions
 * (Agaram et al. 2006, 3.5). Evictors are in bounded tables that keep the most frequent pairs
 * (tally.h); the difference between `evicted` and the sum of the pairs is the dropped pairs.
 * Private to src/profile; allocates no memory before the first cause.
 */
#ifndef MISSTOP_PROFILE_CACHE_CAUSES_H
#define MISSTOP_PROFILE_CACHE_CAUSES_H

#include <stdbool.h>
#include <stddef.h>

#include "place.h"
#include "profile/tables/tally.h"
#include "profile/time/decay.h"

/* A row of struct count_rows (tally.h). All members except `samples` are weights. */
struct causes_row {
    struct counted samples;
    struct counted weight[CAUSE_COUNT]; /* [CAUSE_NOT_KNOWN] is unused */
    struct counted evicted;             /* misses with a known evictor */
    struct counted self_evicted;        /* evicted by the row's own object, function or thread */
    struct counted early_same;          /* evicted by accesses to the same object */
    struct counted early_other;         /* evicted by accesses to another object */
};

/* Returns true if the evictor is known. */
static inline bool causes_evicted(const struct place *place)
{
    return place->evictor_function || place->evictor_object;
}

enum { EVICTOR_PAIRS = 1 << 15, EVICTOR_THREADS = 1 << 14 };

struct causes {
    /* Slots: CAUSES_SLOT() of object ids, function ids, and thread numbers. */
    struct count_rows objects;
    struct count_rows functions;
    struct count_rows threads;
    /* Slots and keys of the pairs that count offsets, and instructions on an object. */
    struct count_rows offsets;
    struct count_rows code;
    /* Owner: object and event; key: EVICTOR_KEY(). The cells are also hashed by the function that
     * missed, which is their `extra`. */
    struct pairs evictors;
    struct pairs cell_evictors;
    /* Owner: id of what missed, and event; key: EVICTOR_THREAD_KEY(). */
    struct pairs thread_evictors;
};

#define CAUSES_SLOT(id, event) PAIR_OWNER(id, event)

#define EVICTOR_KEY(object, function) ((uint64_t)(object) << 32 | (function))
#define EVICTOR_OBJECT(key)           ((uint32_t)((key) >> 32))
#define EVICTOR_FUNCTION(key)         ((uint32_t)(key))

/* `of`: enum causes_of, or a higher value for cells: objects with the function that missed
 * (otherwise 0). `thread`: dense number of the evicting thread. */
#define EVICTOR_THREAD_KEY(of, function, thread)                                                   \
    ((uint64_t)(of) << 60 | (uint64_t)(function) << 16 | (thread))
#define EVICTOR_THREAD_OF(key)       ((unsigned)((key) >> 60))
#define EVICTOR_THREAD_FUNCTION(key) ((uint32_t)((key) >> 16))
#define EVICTOR_THREAD(key)          ((uint32_t)(key)&0xffff)

/* The rows that count a miss. Ids as returned by tallies_reserve(). */
struct causes_bins {
    uint32_t object;
    uint32_t function;
    uint32_t thread;
    uint32_t evictor_thread; /* UINT32_MAX: not known */
    size_t offset;           /* of the pair; CAUSES_NO_PAIR: not hot enough for a row */
    size_t code;
    uint64_t offset_hash;
    uint64_t code_hash;
};

#define CAUSES_NO_PAIR SIZE_MAX

void causes_fini(struct causes *causes);
void causes_rescale(struct causes *causes, double factor);

/* Ignores accesses without a cause. Counts nothing if memory runs out. */
void causes_add(struct causes *causes, const struct causes_bins *bins, const struct place *place,
                double scale);

/* Returns true if a cause was counted since the start or the last reset. */
static inline bool causes_any(const struct causes *causes)
{
    return causes->objects.count;
}

#endif
