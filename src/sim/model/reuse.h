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

enum {
    REUSE_STEPS = 8, /* of a factor of two */
    REUSE_BUCKETS = 38 * REUSE_STEPS
};

/* Accesses by reuse distance; estimates, scaled to all accesses. */
struct reuse_histogram {
    uint64_t accesses_256ths[REUSE_BUCKETS];
    uint64_t first_256ths; /* of lines not used before */
};

/* Smallest distance, in lines, that falls into a bucket. */
uint64_t reuse_bucket_start(uint32_t bucket);

/* NULL: none sampled (yet), or not asked for. */
const struct reuse_histogram *reuse_total(const struct model *model);
const struct reuse_histogram *reuse_of_ip(const struct model *model, uint32_t ip);
const struct reuse_histogram *reuse_of_bin(const struct model *model, uint32_t bin);

/*
 * Part of the accesses that would miss a fully associative LRU cache of `lines` lines: a point of
 * the miss-ratio curve. `accesses`: how many there really were, which evens out hot lines that
 * happen to be watched (SHARDS-adj, section 2.4 of the paper); 0: not known. NAN: none sampled.
 */
double reuse_miss_ratio(const struct reuse_histogram *histogram, uint64_t lines, uint64_t accesses);

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
    struct reuse_histogram total;
    struct ids ips; /* struct reuse_histogram * */
    struct ids bins;
    uint32_t histograms_left;
    uint64_t dropped; /* uses by a statement or bin that found no room */
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
