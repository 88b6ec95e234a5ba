/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/cache/spread.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    ORDER_SAMPLES = 64, /* steps at which a share of 0.7 is 3 standard deviations from 0.5 */
    PASS_SAMPLES = 3    /* samples per pass over the data; with two, a pass shows no order */
};

static const double in_order = 0.7;
static const double no_order = 0.06;    /* maximum distance from 0.5 */
static const double seen_again = 0.1;   /* share of the lines; below, most lines were not sampled */
static const double bytes_per_s = 20e9; /* upper bound of what a core reads from memory */

/* Adds the step from the last address of the same thread. */
static void spread_step(struct spread *spread, const struct window_entry *entry)
{
    unsigned at = entry->tid % SPREAD_THREADS;
    if (spread->last[at].tid == entry->tid && spread->last[at].address) {
        uint64_t half = (spread->highest - spread->lowest) / 2;
        uint64_t last = spread->last[at].address;
        spread->up += entry->address > last;
        spread->down += entry->address < last;
        spread->far_up += entry->address > last && entry->address - last > half;
        spread->far_down += entry->address < last && last - entry->address > half;
        uint64_t length = entry->address > last ? entry->address - last : last - entry->address;
        if (length >= SPREAD_STEP_MIN && length <= SPREAD_STEP_MAX)
            spread->steps[spread->step_count++ % SPREAD_STEPS] = (uint32_t)length;
    }
    spread->last[at].tid = entry->tid;
    spread->last[at].address = entry->address;
}

static bool is_in_array_member(const struct spread_target *of, uint64_t into)
{
    for (size_t i = 0; i < of->array_count; i++)
        if (into >= of->arrays[i].first && into < of->arrays[i].end)
            return true;
    return false;
}

static void count_element_place(struct spread *spread, const struct spread_target *of,
                                const struct window_entry *entry, uint32_t line_bytes)
{
    if (!of->element_size || entry->type != of->type || line_bytes > SPREAD_LINE_MAX)
        return;
    uint64_t into = of->type ? entry->type_offset : entry->offset % of->element_size;
    if (of->type && is_in_array_member(of, into))
        return;
    uint64_t begin = (entry->address - into) % line_bytes;
    spread->begin_counts[begin]++;
    bool crosses = (begin + of->hot_first) / line_bytes != (begin + of->hot_end - 1) / line_bytes;
    spread->crossing_samples += crosses;
    spread->crossing_on_later_line +=
        crosses && (begin + of->hot_first) / line_bytes != (begin + into) / line_bytes;
    spread->typed++;
}

static void spread_take(struct spread *spread, const struct spread_target *of,
                        const struct window_entry *entry, uint32_t line_bytes)
{
    spread->samples++;
    spread->spill_samples += entry->is_spill_slot;
    spread->stored_in_loop_samples += entry->is_stored_in_loop;
    spread->widest = entry->size > spread->widest ? entry->size : spread->widest;
    if (entry->mapped) {
        spread->lines++;
        spread->singles += entry->count == 1;
        spread->doubles += entry->count == 2;
    }
    if (entry->address < spread->lowest)
        spread->lowest = entry->address;
    if (entry->address > spread->highest)
        spread->highest = entry->address;
    spread_step(spread, entry);
    count_element_place(spread, of, entry, line_bytes);
}

void spread_gather(struct spread *spreads, const struct spread_target *of, size_t count,
                   const struct window *window, uint32_t line_bytes)
{
    for (size_t i = 0; i < count; i++)
        spreads[i] = (struct spread){.lowest = UINT64_MAX};
    for (uint32_t i = 0; i < window->used; i++) {
        const struct window_entry *entry = window_at(window, i);
        for (size_t k = 0; k < count; k++)
            if (of[k].object == entry->object) {
                spread_take(&spreads[k], &of[k], entry, line_bytes);
                spreads[k].slices[(uint64_t)i * SPREAD_SLICES / window->used]++;
                break;
            }
    }
}

static double share_of_up_steps(const struct spread *spread)
{
    uint32_t steps = spread->up + spread->down;
    return steps < ORDER_SAMPLES ? NAN : (double)spread->up / steps;
}

static bool passes_through_lines(const struct spread *spread)
{
    double up = share_of_up_steps(spread);
    return (up >= in_order || up <= 1 - in_order) &&
           spread->lines - spread->singles <= seen_again * spread->lines;
}

double spread_bytes(const struct spread *spread, uint32_t line_bytes)
{
    double once = spread->singles;
    double unseen = once * (once - 1) / (2.0 * (spread->doubles + 1.0));
    double lines = spread->lines + fmax(0, unseen);
    if (!spread->samples)
        return 0;
    double most = (double)((spread->highest - spread->lowest) / line_bytes + 1);
    /* A pass over an array misses at the first lines of each page, where prefetching restarts; the
     * estimate would leave out the other lines. */
    return (passes_through_lines(spread) ? most : fmin(lines, most)) * line_bytes;
}

double spread_passes(const struct spread *spread, enum spread_order order)
{
    double net = (double)spread->far_down - spread->far_up;
    return fmax(0, order == SPREAD_FORWARD ? net : order == SPREAD_BACKWARD ? -net : 0);
}

double spread_pass_samples(const struct spread *spread, double rate)
{
    return (double)(spread->highest - spread->lowest) / bytes_per_s * rate;
}

enum spread_order spread_order(const struct spread *spread, double pass_samples)
{
    double up = share_of_up_steps(spread);
    if (up >= in_order)
        return SPREAD_FORWARD;
    if (up <= 1 - in_order)
        return SPREAD_BACKWARD;
    return fabs(up - 0.5) <= no_order && pass_samples >= PASS_SAMPLES ? SPREAD_SCATTERED
                                                                      : SPREAD_UNKNOWN;
}

double spread_time_overlap(const struct spread *a, const struct spread *b)
{
    double shared = 0;
    for (int i = 0; i < SPREAD_SLICES; i++)
        shared += fmin((double)a->slices[i] / a->samples, (double)b->slices[i] / b->samples);
    return a->samples && b->samples ? shared : 0;
}

enum { LINE = 64, SCALAR_MAX = 8, STEP = 4, SAMPLES_PER_BIN = 4 };

/* In bits: the minimum advantage of an element size over plain scalars, and the differences within
 * which element sizes, or scalar sizes, count as equal. */
static const double margin_bits = 0.30;
static const double same_bits = 0.30;
static const double same_scalar_bits = 0.10;
static const double aligned_min = 0.98; /* in an array of scalars; a few samples may precede it */

static int compare_offsets(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left;
    uint64_t b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

/* A hot scalar repeats one offset many times and says nothing about a stride. */
static size_t sort_and_deduplicate(uint64_t *offsets, size_t count)
{
    size_t kept = 0;
    qsort(offsets, count, sizeof *offsets, compare_offsets);
    for (size_t i = 0; i < count; i++)
        if (!kept || offsets[kept - 1] != offsets[i])
            offsets[kept++] = offsets[i];
    return kept;
}

static void count_residues(uint16_t *bins, const uint64_t *offsets, size_t count, uint32_t size)
{
    memset(bins, 0, size * sizeof *bins);
    for (size_t i = 0; i < count; i++)
        bins[offsets[i] % size]++;
}

/* Returns log2(size) minus the entropy of the offset within an element, with Miller and Madow's
 * correction for the bias of few samples. */
static double entropy_saving_bits(const uint64_t *offsets, size_t count, uint32_t size)
{
    uint16_t bins[STRIDE_ELEMENT_MAX];
    double sum = 0;
    uint32_t occupied = 0;
    count_residues(bins, offsets, count, size);
    for (uint32_t i = 0; i < size; i++)
        if (bins[i]) {
            occupied++;
            sum += bins[i] * log2(bins[i]);
        }
    double entropy = log2((double)count) - sum / (double)count;
    double hidden = (occupied - 1) / (2 * (double)count * M_LN2);
    return log2(size) - entropy - hidden;
}

/* Returns the share of offsets at positions with at least twice the count expected by chance;
 * *at_line: the hottest position is the start of a cache line. */
static double share_at_hot_residues(const uint64_t *offsets, size_t count, uint32_t size,
                                    uint32_t scalar, uint32_t line_phase, bool *at_line)
{
    uint16_t bins[STRIDE_ELEMENT_MAX];
    double even = (double)count * scalar / size;
    double hot = 0;
    uint32_t top = 0;
    count_residues(bins, offsets, count, size);
    for (uint32_t i = 0; i < size; i++) {
        hot += bins[i] >= 2 * even || (bins[i] > 1.2 * even && bins[i] > even + 5 * sqrt(even))
                   ? bins[i]
                   : 0;
        top = bins[i] > bins[top] ? i : top;
    }
    *at_line = size % LINE == 0 && top % LINE == line_phase % LINE;
    return hot / (double)count;
}

static double share_aligned(const uint64_t *offsets, size_t count, uint32_t scalar)
{
    uint16_t bins[SCALAR_MAX];
    uint16_t most = 0;
    count_residues(bins, offsets, count, scalar);
    for (uint32_t i = 0; i < scalar; i++)
        most = bins[i] > most ? bins[i] : most;
    return (double)most / (double)count;
}

static double best_scalar(const uint64_t *offsets, size_t count, uint32_t *scalar)
{
    double best = -1;
    for (uint32_t size = 1; size <= SCALAR_MAX; size *= 2) {
        double bits = entropy_saving_bits(offsets, count, size);
        if (bits > best + same_scalar_bits) {
            best = bits;
            *scalar = size;
        }
    }
    return best;
}

static uint32_t largest_size(const uint64_t *offsets, size_t count, uint32_t scalar)
{
    /* Several samples per position, which have to span a few elements. */
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
        bits[size / STEP] = entropy_saving_bits(offsets, count, size);
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
    count = sort_and_deduplicate(offsets, count);
    if (count < STRIDE_OFFSETS_MIN)
        return (struct stride){0, 0};
    double floor = best_scalar(offsets, count, &scalar) + margin_bits;
    uint32_t largest = largest_size(offsets, count, scalar);
    uint32_t element = best_element(offsets, count, largest, floor);
    double share = share_aligned(offsets, count, scalar);
    if (!element)
        return scalar > 1 && share >= aligned_min ? (struct stride){scalar, share}
                                                  : (struct stride){0, 0};
    share = share_at_hot_residues(offsets, count, element, scalar, line_phase, &at_line);
    if (at_line)
        return (struct stride){0, 0};
    return (struct stride){element, share};
}
