/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reuse distances of a model's accesses: how many other lines were used between two uses of a line.
 * Sampled by lines at bounded cost: SHARDS with a fixed number of lines (Waldspurger, Park,
 * Garthwaite, Ahmad, FAST 2015): a line is watched if its hash is below a threshold, which falls
 * when too many are; distances are scaled by the rate at which lines are watched.
 */
#ifndef MISSTOP_SIM_MODEL_REUSE_H
#define MISSTOP_SIM_MODEL_REUSE_H

#include "sim/model/model.h"
#include "sim/model/tables.h"

/*
 * Reuse distances while the program runs. Watched lines are in a hash; a Fenwick tree over the
 * order of their last uses counts those used since. Used inside src/sim only.
 */
enum { SAMPLING_HASH_BITS = 24 };

struct sampling_line {
    uint64_t tag;   /* line number + 1; 0: empty */
    uint32_t stamp; /* of its last use */
};

struct sampling {
    struct sampling_line *table; /* NULL: not asked for */
    uint64_t mask;
    uint32_t *heap;      /* hashes of the watched lines, the largest first, from [1] */
    uint64_t *heap_tags; /* and which lines they are */
    uint32_t *tree;      /* Fenwick: how many lines have a stamp */
    uint32_t *order;     /* while renumbering: slot + 1 by stamp */
    uint32_t stamps;     /* as many as there are before they are numbered again */
    uint32_t now;
    uint32_t count;
    uint32_t max;
    uint32_t threshold; /* lines with a smaller hash are watched */
    struct memory *memory;
};

/* -1: no memory. */
int sampling_init(struct sampling *sampling, const struct model_spec *spec, struct memory *memory);

static inline uint32_t sampling_hash(uint64_t number)
{
    return (uint32_t)(memory_hash(number) >> (64 - SAMPLING_HASH_BITS));
}

static inline bool sampling_watches(const struct sampling *sampling, uint64_t number)
{
    return sampling->table && sampling_hash(number) < sampling->threshold;
}

/* A line was used; only for lines that sampling_watches(). */
void sampling_use(struct sampling *sampling, uint64_t number, struct model_who who);

#endif
