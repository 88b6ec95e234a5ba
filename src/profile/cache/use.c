/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/cache/use.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void use_fini(struct use *use)
{
    hash_fini(&use->index);
    free(use->rows);
    free(use->fetches);
    *use = (struct use){0};
}

/* Keeps the fetches: lines that are in the caches now were fetched before. */
void use_clear(struct use *use)
{
    hash_clear(&use->index);
    memset(use->all, 0, sizeof use->all);
    use->count = 0;
}

uint64_t use_key(enum use_of of, uint8_t level, uint32_t id, uint64_t offset)
{
    return hash_mix(hash_mix((uint64_t)of << 40 | (uint64_t)level << 32 | id) ^ offset) | 1;
}

void use_rescale(struct use *use, double factor)
{
    for (int level = 0; level < USE_LEVELS; level++)
        counted_rescale(&use->all[level], sizeof use->all[level], factor);
    for (size_t i = 0; i < use->count; i++)
        counted_rescale(&use->rows[i], sizeof use->rows[i], factor);
}

/* ---- fetches by address ---- */

static struct use_fetch *fetch_at(const struct use *use, uint64_t address, uint16_t event)
{
    return &use->fetches[hash_mix(address ^ (uint64_t)event << 56) >> 32 & (USE_FETCHES - 1)];
}

void use_fetched(struct use *use, const struct place *place, uint32_t object, uint64_t offset)
{
    const struct access *access = &place->access;
    if (!use->fetches)
        use->fetches = calloc(USE_FETCHES, sizeof *use->fetches);
    if (use->fetches)
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

/* Finds or adds a row; adds one only if there are fewer than `most`. NULL: none. */
static struct use_sums *use_row_make(struct use *use, uint64_t key, size_t most)
{
    const uint32_t *found = hash_find(&use->index, key);
    if (found)
        return &use->rows[*found];
    if (use->count >= most ||
        !array_reserve_next(&use->rows, &use->room, use->count, sizeof *use->rows, USE_ROWS) ||
        !hash_put(&use->index, key, (uint32_t)use->count))
        return NULL;
    struct use_sums *row = &use->rows[use->count++];
    *row = (struct use_sums){0};
    return row;
}

static void use_sums_add(struct use_sums *sums, const struct line_event *line, double scale)
{
    double weight = (double)line->weight;
    counted_add(&sums->followed_lines, 1, scale);
    counted_add(&sums->squares, weight * line->used_bytes * line->used_bytes, scale);
    counted_add(&sums->lines, weight, scale);
    counted_add(&sums->fetched_bytes, weight * line->line_bytes, scale);
    counted_add(&sums->used_bytes, weight * line->used_bytes, scale);
    counted_add(&sums->touched_bytes, weight * line->touched_bytes, scale);
    for (int i = 0; i < LINE_USES; i++)
        counted_add(&sums->uses[i], weight * line->uses[i], scale);
}

void use_add(struct use *use, const struct line_event *line, uint32_t object, uint64_t offset,
             uint32_t function, double scale)
{
    uint8_t level = line->level;
    if (level >= USE_LEVELS || line->event >= SAMPLE_EVENTS_MAX)
        return;
    use->level_of[line->event] = (uint8_t)(level + 1);
    use_sums_add(&use->all[level], line, scale);
    /* Arrays can have an unlimited number of fields. */
    const struct {
        uint64_t key;
        size_t most;
    } counts[] = {{use_key(USE_OBJECT, level, object, 0), USE_ROWS},
                  {use_key(USE_FIELD, level, object, offset), USE_ROWS / 3 * 2},
                  {use_key(USE_FUNCTION, level, function, 0), USE_ROWS},
                  {use_key(USE_INSTRUCTION, level, 0, line->ip), USE_ROWS}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct use_sums *row = use_row_make(use, counts[i].key, counts[i].most);
        if (row)
            use_sums_add(row, line, scale);
    }
}

void use_join(struct use *use, uint64_t key, uint64_t into)
{
    const uint32_t *found = key != into ? hash_find(&use->index, key) : NULL;
    size_t from = found ? *found : 0;
    struct use_sums *to = found ? use_row_make(use, into, USE_ROWS) : NULL;
    if (!to)
        return;
    counted_sum(to, &use->rows[from], sizeof *to);
    use->rows[from] = (struct use_sums){0};
    hash_remove(&use->index, key);
}

const struct use_sums *use_row(const struct use *use, uint64_t key)
{
    const uint32_t *found = hash_find(&use->index, key);
    return found ? &use->rows[*found] : NULL;
}

void distances_fini(struct distances *distances)
{
    hash_fini(&distances->index);
    free(distances->rows);
    *distances = (struct distances){0};
}

void distances_rescale(struct distances *distances, double factor)
{
    counted_rescale(&distances->all, sizeof distances->all, factor);
    for (size_t i = 0; i < distances->count; i++)
        counted_rescale(&distances->rows[i].counts, sizeof distances->rows[i].counts, factor);
}

/* Returns a bucket's smallest distance. Distances below DISTANCE_STEPS have a bucket each. */
static double bucket_start(unsigned bucket)
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

/* Finds or adds a row; NULL: no room. */
static struct distances_row *distances_make(struct distances *distances, enum distances_of of,
                                            uint64_t id)
{
    uint64_t key = hash_mix((uint64_t)of) ^ id;
    const uint32_t *found = hash_find(&distances->index, key);
    if (found)
        return &distances->rows[*found];
    if (!array_reserve_next(&distances->rows, &distances->room, distances->count,
                            sizeof *distances->rows, DISTANCE_ROWS) ||
        !hash_put(&distances->index, key, (uint32_t)distances->count))
        return NULL;
    struct distances_row *row = &distances->rows[distances->count++];
    *row = (struct distances_row){.id = id, .counted_by = of};
    return row;
}

static void distances_counts_add(struct distances_counts *counts, const struct line_event *line,
                                 double scale)
{
    double weight = (double)line->weight;
    counted_add(&counts->uses, 1, scale);
    counted_add(&counts->weight, weight, scale);
    if (line->distance == LINE_NO_DISTANCE)
        counted_add(&counts->first, weight, scale);
    else
        counted_add(&counts->bucket[bucket_of(line->distance)], weight, scale);
}

void distances_add(struct distances *distances, const struct line_event *line, uint32_t object,
                   uint32_t function, double scale)
{
    distances->line_bytes = line->line_bytes;
    distances_counts_add(&distances->all, line, scale);
    for (enum distances_of of = DISTANCES_OBJECT; of <= DISTANCES_INSTRUCTION; of++) {
        struct distances_row *row =
            distances_make(distances, of, of == DISTANCES_OBJECT ? object : line->ip);
        if (!row)
            continue;
        row->function = function;
        distances_counts_add(&row->counts, line, scale);
    }
}

void distances_join(struct distances *distances, uint32_t object, uint32_t into)
{
    uint64_t key = hash_mix((uint64_t)DISTANCES_OBJECT) ^ object;
    const uint32_t *found = hash_find(&distances->index, key);
    size_t from = found ? *found : 0;
    struct distances_row *to = found ? distances_make(distances, DISTANCES_OBJECT, into) : NULL;
    if (!to)
        return;
    counted_sum(&to->counts, &distances->rows[from].counts, sizeof to->counts);
    distances->rows[from] = (struct distances_row){.counted_by = DISTANCES_MOVED};
    hash_remove(&distances->index, key);
}

/* Returns the part of the distances in the bucket of `lines` that are at least `lines`. */
static double bucket_share_beyond(unsigned bucket, double lines)
{
    double start = bucket_start(bucket);
    double end = bucket_start(bucket + 1);
    return lines <= start ? 1 : lines >= end ? 0 : (end - lines) / (end - start);
}

double distances_step_up(double lines)
{
    unsigned bucket = bucket_of((uint64_t)fmax(lines, 0));
    return bucket + 1 < DISTANCE_BUCKETS ? fmax(lines, bucket_start(bucket + 1)) : lines;
}

double distances_step_down(double lines)
{
    return fmin(lines, bucket_start(bucket_of((uint64_t)fmax(lines, 0))));
}

double distances_miss_ratio(const struct distances_counts *counts, enum snapshot_basis basis,
                            double lines)
{
    double all = counts->weight.at[basis];
    unsigned own = bucket_of((uint64_t)fmax(lines, 0));
    double misses =
        counts->first.at[basis] + counts->bucket[own].at[basis] * bucket_share_beyond(own, lines);
    for (unsigned i = own + 1; i < DISTANCE_BUCKETS; i++)
        misses += counts->bucket[i].at[basis];
    return all > 0 ? fmin(misses / all, 1) : NAN;
}
