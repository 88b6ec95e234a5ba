/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Spread of the window's misses over one object: the number of lines, their order, and where in a
 * line its elements begin. Input of the findings. Owned by findings.c, for one snapshot. */
#ifndef MISSTOP_PROFILE_CACHE_SPREAD_H
#define MISSTOP_PROFILE_CACHE_SPREAD_H

#include <stddef.h>
#include <stdint.h>

#include "profile/cache/window.h"

enum { SPREADS_MAX = 16, SPREAD_THREADS = 8, SPREAD_LINE_MAX = 256, SPREAD_ARRAYS = 8 };

/* Steps within an object that may lead from one row of a matrix to the next. */
enum {
    SPREAD_STEPS = 64,
    SPREAD_STEP_MIN = 1 << 10,
    SPREAD_STEP_MAX = 8 << 20,
    SPREAD_SLICES = 16
};

enum spread_order {
    SPREAD_UNKNOWN, /* too few samples, or a pass may be too short to show in them */
    SPREAD_FORWARD, /* most misses are at a higher address than the one before */
    SPREAD_BACKWARD,
    SPREAD_SCATTERED /* up as often as down */
};

struct spread {
    uint32_t samples; /* number in the window */
    uint32_t lines;   /* distinct lines */
    uint32_t singles; /* lines seen once; `doubles`: twice */
    uint32_t doubles;
    uint64_t lowest; /* lowest and highest address */
    uint64_t highest;
    uint32_t up; /* steps of a thread to a higher address; `down`: to a lower one */
    uint32_t down;
    uint32_t far_up; /* of these, steps over more than half of the range seen by then */
    uint32_t far_down;
    /* offsets in a line at which the accessed elements begin */
    uint32_t begin_counts[SPREAD_LINE_MAX];
    uint32_t crossing_samples;       /* samples of elements with hot bytes in several lines */
    uint32_t crossing_on_later_line; /* crossing samples that are not on the first of those lines */
    uint32_t typed;                  /* samples counted in begin_counts */
    uint32_t widest;                 /* widest access, bytes; 0: not known */
    uint32_t spill_samples; /* samples of stack slots in loops with calls (struct access) */
    uint32_t stored_in_loop_samples; /* samples of stack slots in loops that store to them */
    uint32_t slices[SPREAD_SLICES];  /* samples by time of arrival */
    uint32_t steps[SPREAD_STEPS];    /* ring buffer of the newest steps, bytes */
    uint32_t step_count;
    struct {
        uint32_t tid;
        uint64_t address;
    } last[SPREAD_THREADS];
};

struct spread_target {
    uint32_t object;
    uint32_t type;         /* 0: elements are inferred */
    uint64_t element_size; /* 0: begin_counts is not counted */
    uint64_t hot_first;    /* offsets in the element: first hot byte, and one past the last */
    uint64_t hot_end;
    /* Members that are arrays. Which element of the array was accessed is not known, so the start
     * of the type's element is not known either. */
    struct {
        uint64_t first;
        uint64_t end;
    } arrays[SPREAD_ARRAYS];
    size_t array_count;
};

/* Gathers spreads in one pass, after window_count(). `line_bytes`: a power of two. */
void spread_gather(struct spread *spreads, const struct spread_target *of, size_t count,
                   const struct window *window, uint32_t line_bytes);

/* Estimates the bytes of all lines that miss, unsampled ones too: in order, the range from first to
 * last; otherwise a lower bound, Chao's estimate (Scand. J. Statist. 11, 1984). */
double spread_bytes(const struct spread *spread, uint32_t line_bytes);

/*
 * Returns the number of passes that ended between samples. Accesses alternate between the parts of
 * an object in two places, so far steps along the order are subtracted from far steps against it.
 */
double spread_passes(const struct spread *spread, enum spread_order order);

/* Returns the overlap in time of the samples of two objects, 0 to 1. */
double spread_time_overlap(const struct spread *a, const struct spread *b);

/* Returns the minimum number of samples in one pass from end to end, at `rate` samples per second;
 * NAN if the rate is not known. */
double spread_pass_samples(const struct spread *spread, double rate);

/* Returns the order of the accesses. `pass_samples`: minimum in one pass; NAN: not known. */
enum spread_order spread_order(const struct spread *spread, double pass_samples);

/*
 * Infers the element size of an array from the offsets sampled in it. In an array of structs with a
 * few hot fields, the offsets modulo the element size have few values. That is measured in bits: an
 * element of size s saves log2(s) bits, and the position within the element costs its entropy. The
 * size that saves most explains the offsets best; among equal ones (all multiples of the true size)
 * the smallest is used. It must clearly beat plain scalars of 1, 2, 4 or 8 bytes; otherwise there
 * is no struct.
 */
enum { STRIDE_OFFSETS_MAX = 512, STRIDE_OFFSETS_MIN = 48, STRIDE_ELEMENT_MAX = 1024 };

struct stride {
    uint32_t element;  /* bytes; 0: none found; 1 to 8: an array of plain scalars */
    double confidence; /* share of the offsets at the hot positions of the element */
};

/* Sorts `offsets` and removes duplicates. `line_phase`: an offset at which a cache line starts,
 * modulo 64. A walk misses at line starts only, which looks like 64-byte elements but is not. */
struct stride stride_infer(uint64_t *offsets, size_t count, uint32_t line_phase);

#endif
