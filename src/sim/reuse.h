/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reuse distances of a model's accesses: how many other lines were used between two uses of a line.
 * Sampled by lines at bounded cost: SHARDS with a fixed number of lines (Waldspurger, Park,
 * Garthwaite, Ahmad, FAST 2015): a line is watched if its hash is below a threshold, which falls
 * when too many are; distances are scaled by the rate at which lines are watched.
 */
#ifndef MISSTOP_SIM_REUSE_H
#define MISSTOP_SIM_REUSE_H

#include "sim/model.h"

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

#endif
