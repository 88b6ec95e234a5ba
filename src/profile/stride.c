/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/stride.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 64, SCALAR_MAX = 8, STEP = 4, SAMPLES_PER_BIN = 4 };

/* Bits by which an element size must beat plain scalars, and be within of the best. */
static const double margin_bits = 0.30;
static const double same_bits = 0.30;
static const double same_scalar_bits = 0.10;

static int order(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left;
    uint64_t b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

/* A hot scalar gives one offset many times: that says nothing about a stride. */
static size_t make_distinct(uint64_t *offsets, size_t count)
{
    size_t kept = 0;
    qsort(offsets, count, sizeof *offsets, order);
    for (size_t i = 0; i < count; i++)
        if (!kept || offsets[kept - 1] != offsets[i])
            offsets[kept++] = offsets[i];
    return kept;
}

static void residues(uint16_t *bins, const uint64_t *offsets, size_t count, uint32_t size)
{
    memset(bins, 0, size * sizeof *bins);
    for (size_t i = 0; i < count; i++)
        bins[offsets[i] % size]++;
}

/* log2(size) less the entropy of the place inside, with Miller and Madow's correction
 * for the entropy that few samples hide. */
static double saved_bits(const uint64_t *offsets, size_t count, uint32_t size)
{
    uint16_t bins[STRIDE_ELEMENT_MAX];
    double sum = 0;
    uint32_t occupied = 0;
    residues(bins, offsets, count, size);
    for (uint32_t i = 0; i < size; i++)
        if (bins[i]) {
            occupied++;
            sum += bins[i] * log2(bins[i]);
        }
    double entropy = log2((double)count) - sum / (double)count;
    double hidden = (occupied - 1) / (2 * (double)count * M_LN2);
    return log2(size) - entropy - hidden;
}

/* Share of offsets on places that hold at least twice what chance gives; whether the
 * hottest place is where cache lines start. */
static double explained(const uint64_t *offsets, size_t count, uint32_t size, uint32_t scalar,
                        uint32_t line_phase, bool *at_line)
{
    uint16_t bins[STRIDE_ELEMENT_MAX];
    double even = (double)count * scalar / size;
    double hot = 0;
    uint32_t top = 0;
    residues(bins, offsets, count, size);
    for (uint32_t i = 0; i < size; i++) {
        hot += bins[i] >= 2 * even || (bins[i] > 1.2 * even && bins[i] > even + 5 * sqrt(even))
                   ? bins[i]
                   : 0;
        top = bins[i] > bins[top] ? i : top;
    }
    *at_line = size % LINE == 0 && top % LINE == line_phase % LINE;
    return hot / (double)count;
}

static double best_scalar(const uint64_t *offsets, size_t count, uint32_t *scalar)
{
    double best = -1;
    for (uint32_t size = 1; size <= SCALAR_MAX; size *= 2) {
        double bits = saved_bits(offsets, count, size);
        if (bits > best + same_scalar_bits) {
            best = bits;
            *scalar = size;
        }
    }
    return best;
}

static uint32_t largest_size(const uint64_t *offsets, size_t count, uint32_t scalar)
{
    /* An element needs several samples per place, and a few repetitions in what was seen. */
    uint64_t span = (offsets[count - 1] - offsets[0]) / 8;
    uint64_t bins = count / SAMPLES_PER_BIN * scalar;
    uint64_t size = span < bins ? span : bins;
    return size < STRIDE_ELEMENT_MAX ? (uint32_t)size : STRIDE_ELEMENT_MAX;
}

static uint32_t best_element(const uint64_t *offsets, size_t count, uint32_t largest, double floor)
{
    double bits[STRIDE_ELEMENT_MAX / STEP + 1];
    double best = floor;
    for (uint32_t size = SCALAR_MAX + STEP; size <= largest; size += STEP) {
        bits[size / STEP] = saved_bits(offsets, count, size);
        best = fmax(best, bits[size / STEP]);
    }
    for (uint32_t size = SCALAR_MAX + STEP; size <= largest; size += STEP)
        if (bits[size / STEP] > floor && bits[size / STEP] >= best - same_bits)
            return size;
    return 0;
}

struct stride stride_infer(uint64_t *offsets, size_t count, uint32_t line_phase)
{
    uint32_t scalar = 1;
    bool at_line = false;
    if (count > STRIDE_OFFSETS_MAX)
        count = STRIDE_OFFSETS_MAX;
    count = make_distinct(offsets, count);
    if (count < STRIDE_OFFSETS_MIN)
        return (struct stride){0, 0};
    double floor = best_scalar(offsets, count, &scalar) + margin_bits;
    uint32_t largest = largest_size(offsets, count, scalar);
    uint32_t element = best_element(offsets, count, largest, floor);
    if (!element)
        return scalar > 1 ? (struct stride){scalar, 1} : (struct stride){0, 0};
    double share = explained(offsets, count, element, scalar, line_phase, &at_line);
    if (at_line)
        return (struct stride){0, 0};
    return (struct stride){element, share};
}
