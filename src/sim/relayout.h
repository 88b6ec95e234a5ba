/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * "What if the struct were split here, padded so, aligned so": addresses of an array of elements
 * moved to where its fields would lie then. Give a second model the mapped addresses. Whoever asks
 * the question owns the struct; it holds no memory.
 */
#ifndef MISSTOP_SIM_RELAYOUT_H
#define MISSTOP_SIM_RELAYOUT_H

#include <stdint.h>

enum { RELAYOUT_PARTS_MAX = 32 };

/* Bytes [from, end) of each element, and where those of element i go: base + i * stride. */
struct relayout_part {
    uint32_t from_bytes;
    uint32_t end_bytes;
    uint64_t base;
    uint32_t stride_bytes;
};

struct relayout {
    uint64_t start; /* of the array, or of one struct */
    uint64_t end;
    uint32_t element_bytes;
    uint32_t count;
    struct relayout_part part[RELAYOUT_PARTS_MAX]; /* by from_bytes; do not overlap */
};

/* NULL: it is as it has to be. Else why not. Bases are the caller's: memory that nothing uses. */
const char *relayout_refuse(const struct relayout *relayout);

/* Where an address lies then; addresses of no part, and outside, stay. */
uint64_t relayout_map(const struct relayout *relayout, uint64_t address);

/* Elements of `stride_bytes` instead, the first at `base`: padded, packed elsewhere or aligned. */
struct relayout relayout_padded(uint64_t start, uint64_t end, uint32_t element_bytes,
                                uint32_t stride_bytes, uint64_t base);

/* The first `split_bytes` of all elements together from `base` on, the rest together behind them,
 * from the next multiple of 4096 on. */
struct relayout relayout_split(uint64_t start, uint64_t end, uint32_t element_bytes,
                               uint32_t split_bytes, uint64_t base);

#endif
