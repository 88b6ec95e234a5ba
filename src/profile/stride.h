/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Element size of an array, from the offsets sampled in it. In an array of structs with a
 * few hot fields, offsets modulo the element size fall on few values. How few is measured
 * in bits: knowing an offset's element of size s saves log2(s) bits, naming the place
 * inside costs its entropy; the size that saves most explains the offsets best, and of
 * equal ones (all multiples of the true size) the smallest is taken. It must beat plain
 * scalars of 1, 2, 4 or 8 bytes clearly, or there is no struct.
 */
#ifndef MISSTOP_PROFILE_STRIDE_H
#define MISSTOP_PROFILE_STRIDE_H

#include <stddef.h>
#include <stdint.h>

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
