/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/cache/use.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

enum { PROBES = 16, USE_MOVED = 2 /* no use_key(): its row is passed over */ };

void use_fini(struct use *use)
{
    free(use->rows);
    free(use->fetches);
    *use = (struct use){0};
}

/* Lines that are in the caches now were fetched before: their places are not forgotten. */
void use_clear(struct use *use)
{
    if (use->rows)
        memset(use->rows, 0, USE_ROWS * sizeof *use->rows);
    memset(use->all, 0, sizeof use->all);
    use->count = use->dropped = 0;
}

uint64_t use_key(enum use_of of, uint8_t level, uint32_t id, uint64_t offset)
{
    return hash_mix(hash_mix((uint64_t)of << 40 | (uint64_t)level << 32 | id) ^ offset) | 1;
}

void use_rescale(struct use *use, double factor)
{
    for (int level = 0; level < USE_LEVELS; level++)
        counted_rescale(&use->all[level], sizeof use->all[level], factor);
    for (size_t i = 0; use->rows && i < USE_ROWS; i++)
        counted_rescale(&use->rows[i].sums, sizeof use->rows[i].sums, factor);
}

static bool use_tables_begin(struct use *use)
{
    if (use->rows || use->failed)
        return !use->failed;
    use->rows = calloc(USE_ROWS, sizeof *use->rows);
    use->fetches = calloc(USE_FETCHES, sizeof *use->fetches);
    use->failed = !use->rows || !use->fetches;
    return !use->failed;
}

/* ---- where fetches fell ---- */

static struct use_fetch *fetch_at(const struct use *use, uint64_t address, uint16_t event)
{
    return &use->fetches[hash_mix(address ^ (uint64_t)event << 56) >> 32 & (USE_FETCHES - 1)];
}

void use_fetched(struct use *use, const struct place *place, uint32_t object, uint64_t offset)
{
    const struct access *access = &place->access;
    if (!use_tables_begin(use))
        return;
    *fetch_at(use, access->address, access->event) =
        (struct use_fetch){access->address, offset, object, access->event};
}

void use_find_fetch(const struct use *use, const struct line_event *line, uint32_t *object,
                    uint64_t *offset)
{
    const struct use_fetch *fetch = use->fetches ? fetch_at(use, line->address, line->event) : NULL;
    if (!fetch || fetch->address != line->address || fetch->event != line->event)
        return;
    *object = fetch->object;
    *offset = fetch->offset;
}

/* ---- sums ---- */

static struct use_row *use_row_find(const struct use *use, uint64_t key, bool *empty)
{
    for (size_t i = 0; i < PROBES; i++) {
        struct use_row *row = &use->rows[(key + i) & (USE_ROWS - 1)];
        *empty = !row->key;
        if (row->key == key || !row->key)
            return row;
    }
    return NULL;
}

static void use_sums_add(struct use_sums *sums, const struct line_event *line, double scale)
{
    double weight = (double)line->weight;
    counted_add(&sums->followed, 1, scale);
    counted_add(&sums->squares, weight * line->used_bytes * line->used_bytes, scale);
    counted_add(&sums->lines, weight, scale);
    counted_add(&sums->fetched_bytes, weight * line->line_bytes, scale);
    counted_add(&sums->used_bytes, weight * line->used_bytes, scale);
    counted_add(&sums->touched_bytes, weight * line->touched_bytes, scale);
    for (int i = 0; i < LINE_USES; i++)
        counted_add(&sums->uses[i], weight * line->uses[i], scale);
}

/* `most`: a row is begun while there are no more than that. Arrays have fields without number. */
static bool use_row_add_to(struct use *use, uint64_t key, size_t most,
                           const struct line_event *line, double scale)
{
    bool empty;
    struct use_row *row = use_row_find(use, key, &empty);
    if (!row || (empty && use->count >= most))
        return false;
    use->count += empty;
    row->key = key;
    use_sums_add(&row->sums, line, scale);
    return true;
}

void use_add(struct use *use, const struct line_event *line, uint32_t object, uint64_t offset,
             uint32_t function, double scale)
{
    uint8_t level = line->level;
    if (level >= USE_LEVELS || line->event >= SAMPLE_EVENTS_MAX || !use_tables_begin(use))
        return;
    use->level_of[line->event] = (uint8_t)(level + 1);
    use_sums_add(&use->all[level], line, scale);
    const size_t most = USE_ROWS / 4 * 3, of_fields = USE_ROWS / 2;
    bool all = use_row_add_to(use, use_key(USE_OBJECT, level, object, 0), most, line, scale);
    all &= use_row_add_to(use, use_key(USE_FIELD, level, object, offset), of_fields, line, scale);
    all &= use_row_add_to(use, use_key(USE_FUNCTION, level, function, 0), most, line, scale);
    all &= use_row_add_to(use, use_key(USE_INSTRUCTION, level, 0, line->ip), most, line, scale);
    use->dropped += !all;
}

void use_join(struct use *use, uint64_t key, uint64_t into)
{
    bool empty = true;
    struct use_row *from = use->rows && key != into ? use_row_find(use, key, &empty) : NULL;
    if (!from || empty)
        return;
    struct use_row *to = use_row_find(use, into, &empty);
    if (!to)
        return;
    to->key = into;
    counted_sum(&to->sums, &from->sums, sizeof to->sums);
    use->count += empty;
    *from = (struct use_row){.key = USE_MOVED};
}

const struct use_sums *use_row(const struct use *use, uint64_t key)
{
    bool empty;
    const struct use_row *row = use->rows ? use_row_find(use, key, &empty) : NULL;
    return row && !empty ? &row->sums : NULL;
}

enum { DISTANCES_PROBES = 32, MOVED = 2 /* no distances_key(): its row is passed over */ };

void distances_fini(struct distances *distances)
{
    free(distances->rows);
    *distances = (struct distances){0};
}

void distances_rescale(struct distances *distances, double factor)
{
    counted_rescale(&distances->all, sizeof distances->all, factor);
    for (size_t i = 0; distances->rows && i < DISTANCE_ROWS; i++)
        counted_rescale(&distances->rows[i].counts, sizeof distances->rows[i].counts, factor);
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

static uint64_t distances_key(enum distances_of of, uint64_t id)
{
    return hash_mix(hash_mix((uint64_t)of) ^ id) | 1;
}

static struct distances_row *distances_row_find(const struct distances *distances, uint64_t key)
{
    for (size_t i = 0; i < DISTANCES_PROBES; i++) {
        struct distances_row *row = &distances->rows[(key + i) & (DISTANCE_ROWS - 1)];
        if (!row->key || row->key == key)
            return row;
    }
    return NULL;
}

static void distances_counts_add(struct distances_counts *counts, const struct line_event *line,
                                 double scale)
{
    double weight = (double)line->weight;
    counted_add(&counts->uses, 1, scale);
    counted_add(&counts->all, weight, scale);
    if (line->distance == LINE_NO_DISTANCE)
        counted_add(&counts->first, weight, scale);
    else
        counted_add(&counts->bucket[bucket_of(line->distance)], weight, scale);
}

static void distances_row_add_to(struct distances *distances, enum distances_of of, uint64_t id,
                                 uint32_t function, const struct line_event *line, double scale)
{
    uint64_t key = distances_key(of, id);
    struct distances_row *row = distances_row_find(distances, key);
    if (!row)
        return;
    distances->count += !row->key;
    row->key = key;
    row->id = id;
    row->of = of;
    row->function = function;
    distances_counts_add(&row->counts, line, scale);
}

void distances_add(struct distances *distances, const struct line_event *line, uint32_t object,
                   uint32_t function, double scale)
{
    if (!distances->rows && !distances->failed) {
        distances->rows = calloc(DISTANCE_ROWS, sizeof *distances->rows);
        distances->failed = !distances->rows;
    }
    if (distances->failed)
        return;
    distances->line_bytes = line->line_bytes;
    distances_counts_add(&distances->all, line, scale);
    distances_row_add_to(distances, DISTANCES_OBJECT, object, function, line, scale);
    distances_row_add_to(distances, DISTANCES_INSTRUCTION, line->ip, function, line, scale);
}

void distances_join(struct distances *distances, uint32_t object, uint32_t into)
{
    uint64_t key = distances_key(DISTANCES_OBJECT, into);
    struct distances_row *from =
        distances->rows ? distances_row_find(distances, distances_key(DISTANCES_OBJECT, object))
                        : NULL;
    struct distances_row *to = from && from->key ? distances_row_find(distances, key) : NULL;
    if (!to)
        return;
    if (!to->key)
        *to = (struct distances_row){
            .key = key, .id = into, .of = DISTANCES_OBJECT, .function = from->function};
    counted_sum(&to->counts, &from->counts, sizeof to->counts);
    *from = (struct distances_row){.key = MOVED};
}

/* Part of the distances in the bucket of `lines` that are at least as many. */
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

double distances_miss_ratio(const struct distances_counts *counts, enum snapshot_basis basis,
                            double lines)
{
    double all = counts->all.at[basis];
    unsigned own = bucket_of((uint64_t)fmax(lines, 0));
    double misses =
        counts->first.at[basis] + counts->bucket[own].at[basis] * part_beyond(own, lines);
    for (unsigned i = own + 1; i < DISTANCE_BUCKETS; i++)
        misses += counts->bucket[i].at[basis];
    return all > 0 ? fmin(misses / all, 1) : NAN;
}
