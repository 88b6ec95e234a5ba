/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reuse distances of the accesses to each object, and of each instruction: how many
 * other lines were used since the line was used last. The part that is at least as large as a cache
 * has lines is what misses that cache, if it is fully associative with LRU (Mattson, Gecsei, Slutz,
 * Traiger 1970). Sampled by the simulation (src/sim/model/reuse.c). Private to src/profile. Memory is
 * taken when the first is told; what finds no row counts in the whole only.
 */
#ifndef MISSTOP_PROFILE_DISTANCES_H
#define MISSTOP_PROFILE_DISTANCES_H

#include "simulated_line.h"
#include "profile/decay.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    DISTANCE_STEPS = 4, /* of a factor of two */
    DISTANCE_BUCKETS = 28 * DISTANCE_STEPS,
    DISTANCE_ROWS = 1 << 12
};

struct distances_row {
    uint64_t key; /* 0: empty */
    uint64_t id;
    uint32_t of;          /* enum distances_of */
    uint32_t function;    /* of an instruction */
    struct counted told;  /* uses that were told */
    struct counted all;   /* uses that these stand for */
    struct counted first; /* of lines that were not used before */
    struct counted bucket[DISTANCE_BUCKETS];
};

struct distances {
    struct distances_row *rows; /* [DISTANCE_ROWS] */
    struct distances_row all;
    uint32_t line_bytes; /* that distances are counted in; 0: none told */
    size_t count;
    bool failed;
};

/* Ids: of an object; the address of an instruction. */
enum distances_of { DISTANCES_OBJECT = 1, DISTANCES_INSTRUCTION };

void distances_fini(struct distances *distances);
void distances_clear(struct distances *distances);
void distances_rescale(struct distances *distances, double factor);

void distances_add(struct distances *distances, const struct line_told *line, uint32_t object,
                   uint32_t function, double scale);

/* NULL: nothing was told of it. */
const struct distances_row *distances_find(const struct distances *distances, enum distances_of of,
                                           uint64_t id);

/* Adds up what is counted of both. */
void distances_sum(struct distances_row *into, const struct distances_row *more);

/* What is counted of one object was of the other. */
void distances_join(struct distances *distances, uint32_t object, uint32_t into);

/* Part of the accesses that a fully associative LRU cache of `lines` lines would miss, under a
 * basis; NAN: none were told. */
double distances_miss_ratio(const struct distances_row *row, enum snapshot_basis basis,
                            double lines);

/* The smallest size up from `lines`, and the largest down, between which counts are not told apart.
 */
double distances_step_up(double lines);
double distances_step_down(double lines);

#endif
