/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Spread of the window's misses on one object: how many lines, in which order, and where in a line
 * its elements begin. Input of the findings. Owned by findings.c, for one snapshot.
 */
#ifndef MISSTOP_PROFILE_CACHE_SPREAD_H
#define MISSTOP_PROFILE_CACHE_SPREAD_H

#include <stddef.h>
#include <stdint.h>

#include "profile/cache/window.h"

enum { SPREADS_MAX = 16, SPREAD_THREADS = 8, SPREAD_LINE_MOST = 256, SPREAD_ARRAYS = 8 };

/* Steps within an object that may lead from one row of a matrix to another. */
enum {
    SPREAD_STEPS = 64,
    SPREAD_STEP_LEAST = 1 << 10,
    SPREAD_STEP_MOST = 8 << 20,
    SPREAD_SLICES = 16
};

enum spread_order {
    SPREAD_UNKNOWN, /* too few samples, or a pass may be too short to be seen in them */
    SPREAD_FORWARD, /* each miss is mostly at a higher address than the one before */
    SPREAD_BACKWARD,
    SPREAD_SCATTERED /* before it as often as behind it */
};

struct spread {
    uint32_t samples; /* in the window */
    uint32_t lines;   /* distinct ones */
    uint32_t singles; /* seen once, twice */
    uint32_t doubles;
    uint64_t lowest; /* addresses */
    uint64_t highest;
    uint32_t up; /* samples of a thread behind, before its last one on the object */
    uint32_t down;
    uint32_t far_up; /* of these, over more than half of what was seen by then */
    uint32_t far_down;
    uint32_t begins[SPREAD_LINE_MOST]; /* where in a line the elements hit begin, of the type */
    uint32_t crossing;                 /* samples of elements with hot bytes that cross a line, */
    uint32_t behind;                   /* ... and that fell behind the first line of these */
    uint32_t typed;                    /* samples that begins counts */
    uint32_t widest;                   /* access, bytes; 0: not known */
    uint32_t kept;                     /* samples of slots, in loops that call (struct access) */
    uint32_t rewritten;                /* ... in loops that store to them */
    uint32_t slices[SPREAD_SLICES];    /* samples by when they came */
    uint32_t steps[SPREAD_STEPS];      /* the newest, bytes; a ring */
    uint32_t step_count;
    struct {
        uint32_t tid;
        uint64_t address;
    } last[SPREAD_THREADS];
};

/* The object to gather, by its id, and the bytes of its elements that are hot. */
struct spread_of {
    uint32_t object;
    uint32_t type;         /* 0: elements as inferred */
    uint64_t element_size; /* 0: begins is not counted */
    uint64_t hot_first;    /* offsets into the element: first hot byte, and one after the last */
    uint64_t hot_end;
    /* Members that are arrays, offset and first byte after: the accessed element of the array is
     * not known, so the start of the type's element is not known there either. */
    struct {
        uint64_t first;
        uint64_t end;
    } arrays[SPREAD_ARRAYS];
    size_t array_count;
};

/* Walks the window once, after window_count(). `line_bytes`: a power of two. */
void spread_gather(struct spread *spreads, const struct spread_of *of, size_t count,
                   const struct window *window, uint32_t line_bytes);

/* Bytes of all lines that miss, seen or not. In order: all from the first to the last. Else at
 * least so many: Chao's estimate (Scand. J. Statist. 11, 1984) is a lower bound. */
double spread_bytes(const struct spread *spread, uint32_t line_bytes);

/* Passes that ended between samples. An object in two places is gone back and forth between, so
 * what leads far back counts less what leads as far in order. */
double spread_passes(const struct spread *spread, enum spread_order order);

/* Part of the samples on two objects that came in the same stretches of time, in both alike. */
double spread_together(const struct spread *a, const struct spread *b);

/* Samples of one pass from end to end, at least, where `rate` a second fall on the object; NAN. */
double spread_pass_samples(const struct spread *spread, double rate);

/* `pass_samples`: of one pass, at least; NAN: not known. */
enum spread_order spread_order(const struct spread *spread, double pass_samples);

/*
 * Element size of an array, from the offsets sampled in it. In an array of structs with a
 * few hot fields, offsets modulo the element size fall on few values. How few is measured
 * in bits: knowing an offset's element of size s saves log2(s) bits, naming the place
 * inside costs its entropy; the size that saves most explains the offsets best, and of
 * equal ones (all multiples of the true size) the smallest is taken. It must beat plain
 * scalars of 1, 2, 4 or 8 bytes clearly, or there is no struct.
 */
enum { STRIDE_OFFSETS_MAX = 512, STRIDE_OFFSETS_MIN = 48, STRIDE_ELEMENT_MAX = 1024 };

struct stride {
    uint32_t element;  /* bytes; 0: none found; 1 to 8: an array of plain scalars */
    double confidence; /* share of the offsets that the hot places of the element explain */
};

/*
 * `offsets` is sorted and made distinct in place. `line_phase`: offset at which a cache line
 * starts, modulo 64: a walk through an array misses at line starts only, which looks like
 * 64-byte elements and is not.
 */
struct stride stride_infer(uint64_t *offsets, size_t count, uint32_t line_phase);

#endif
