/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/distances.h"

#include "base/hash.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PROBES = 32, MOVED = 2 /* no key_of(): its row is passed over */ };

void distances_fini(struct distances *distances)
{
    free(distances->rows);
    *distances = (struct distances){0};
}

void distances_clear(struct distances *distances)
{
    distances_fini(distances);
}

static void rescale_row(struct distances_row *row, double factor)
{
    row->told.at[BASIS_DECAYED] *= factor;
    row->all.at[BASIS_DECAYED] *= factor;
    row->first.at[BASIS_DECAYED] *= factor;
    for (int i = 0; i < DISTANCE_BUCKETS; i++)
        row->bucket[i].at[BASIS_DECAYED] *= factor;
}

void distances_rescale(struct distances *distances, double factor)
{
    rescale_row(&distances->all, factor);
    for (size_t i = 0; distances->rows && i < DISTANCE_ROWS; i++)
        if (distances->rows[i].key)
            rescale_row(&distances->rows[i], factor);
}

/* Smallest distance of a bucket: below DISTANCE_STEPS each has its own. */
static double start_of(unsigned bucket)
{
    if (bucket < DISTANCE_STEPS)
        return bucket;
    return ldexp(DISTANCE_STEPS + bucket % DISTANCE_STEPS, (int)(bucket / DISTANCE_STEPS) - 1);
}

static unsigned bucket_of(uint64_t distance)
{
    if (distance < DISTANCE_STEPS)
        return (unsigned)distance;
    unsigned octave = 63 - (unsigned)__builtin_clzll(distance);
    unsigned above = octave - (unsigned)__builtin_ctz(DISTANCE_STEPS);
    uint64_t bucket = above * DISTANCE_STEPS + (distance >> above);
    return bucket < DISTANCE_BUCKETS ? (unsigned)bucket : DISTANCE_BUCKETS - 1;
}

static uint64_t key_of(enum distances_of of, uint64_t id)
{
    return hash_mix(hash_mix((uint64_t)of) ^ id) | 1;
}

static struct distances_row *find(const struct distances *distances, uint64_t key)
{
    for (size_t i = 0; i < PROBES; i++) {
        struct distances_row *row = &distances->rows[(key + i) & (DISTANCE_ROWS - 1)];
        if (!row->key || row->key == key)
            return row;
    }
    return NULL;
}

static void add(struct distances_row *row, const struct line_told *line, double scale)
{
    double weight = (double)line->weight;
    counted_add(&row->told, 1, scale);
    counted_add(&row->all, weight, scale);
    if (line->distance == LINE_NO_DISTANCE)
        counted_add(&row->first, weight, scale);
    else
        counted_add(&row->bucket[bucket_of(line->distance)], weight, scale);
}

static void add_to(struct distances *distances, enum distances_of of, uint64_t id,
                   uint32_t function, const struct line_told *line, double scale)
{
    uint64_t key = key_of(of, id);
    struct distances_row *row = find(distances, key);
    if (!row)
        return;
    distances->count += !row->key;
    row->key = key;
    row->id = id;
    row->of = of;
    row->function = function;
    add(row, line, scale);
}

void distances_add(struct distances *distances, const struct line_told *line, uint32_t object,
                   uint32_t function, double scale)
{
    if (!distances->rows && !distances->failed) {
        distances->rows = calloc(DISTANCE_ROWS, sizeof *distances->rows);
        distances->failed = !distances->rows;
    }
    if (distances->failed)
        return;
    distances->line_bytes = line->line_bytes;
    add(&distances->all, line, scale);
    add_to(distances, DISTANCES_OBJECT, object, function, line, scale);
    add_to(distances, DISTANCES_INSTRUCTION, line->ip, function, line, scale);
}

const struct distances_row *distances_find(const struct distances *distances, enum distances_of of,
                                           uint64_t id)
{
    const struct distances_row *row = distances->rows ? find(distances, key_of(of, id)) : NULL;
    return row && row->key ? row : NULL;
}

static void sum_counted(struct counted *into, const struct counted *more)
{
    into->at[BASIS_RUN] += more->at[BASIS_RUN];
    into->at[BASIS_DECAYED] += more->at[BASIS_DECAYED];
}

void distances_sum(struct distances_row *into, const struct distances_row *more)
{
    sum_counted(&into->told, &more->told);
    sum_counted(&into->all, &more->all);
    sum_counted(&into->first, &more->first);
    for (int i = 0; i < DISTANCE_BUCKETS; i++)
        sum_counted(&into->bucket[i], &more->bucket[i]);
}

void distances_join(struct distances *distances, uint32_t object, uint32_t into)
{
    uint64_t key = key_of(DISTANCES_OBJECT, into);
    struct distances_row *from =
        distances->rows ? find(distances, key_of(DISTANCES_OBJECT, object)) : NULL;
    struct distances_row *to = from && from->key ? find(distances, key) : NULL;
    if (!to)
        return;
    if (!to->key)
        *to = (struct distances_row){
            .key = key, .id = into, .of = DISTANCES_OBJECT, .function = from->function};
    distances_sum(to, from);
    *from = (struct distances_row){.key = MOVED};
}

/* Part of a bucket's distances that are at least `lines`. */
static double part_beyond(unsigned bucket, double lines)
{
    double start = start_of(bucket);
    double end = start_of(bucket + 1);
    return lines <= start ? 1 : lines >= end ? 0 : (end - lines) / (end - start);
}

double distances_step_up(double lines)
{
    unsigned bucket = bucket_of((uint64_t)fmax(lines, 0));
    return bucket + 1 < DISTANCE_BUCKETS ? fmax(lines, start_of(bucket + 1)) : lines;
}

double distances_step_down(double lines)
{
    return fmin(lines, start_of(bucket_of((uint64_t)fmax(lines, 0))));
}

double distances_miss_ratio(const struct distances_row *row, enum snapshot_basis basis,
                            double lines)
{
    double all = row->all.at[basis];
    double misses = row->first.at[basis];
    for (unsigned i = 0; i < DISTANCE_BUCKETS; i++)
        misses += row->bucket[i].at[basis] * part_beyond(i, lines);
    return all > 0 ? fmin(misses / all, 1) : NAN;
}
