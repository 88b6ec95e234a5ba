/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/model/reuse.h"

#include "sim/model/state.h"

uint64_t reuse_bucket_start(uint32_t bucket)
{
    if (bucket < REUSE_STEPS)
        return bucket;
    return (uint64_t)(REUSE_STEPS + bucket % REUSE_STEPS) << (bucket / REUSE_STEPS - 1);
}

static bool sampled(const struct reuse_histogram *histogram)
{
    bool any = histogram->first_256ths != 0;
    for (int i = 0; i < REUSE_BUCKETS && !any; i++)
        any = histogram->accesses_256ths[i] != 0;
    return any;
}

const struct reuse_histogram *reuse_total(const struct model *model)
{
    return sampled(&model->reuse.total) ? &model->reuse.total : NULL;
}

static const struct reuse_histogram *of_id(const struct model *model, const struct ids *ids,
                                           uint32_t id)
{
    struct reuse_histogram *const *place = model->reuse.table ? ids_find(ids, id) : NULL;
    return place ? *place : NULL;
}

const struct reuse_histogram *reuse_of_ip(const struct model *model, uint32_t ip)
{
    return of_id(model, &model->reuse.ips, ip);
}

const struct reuse_histogram *reuse_of_bin(const struct model *model, uint32_t bin)
{
    return of_id(model, &model->reuse.bins, bin);
}

/* Part of a bucket's distances that are at least `lines`. */
static double part_beyond(uint32_t bucket, uint64_t lines)
{
    uint64_t start = reuse_bucket_start(bucket), end = reuse_bucket_start(bucket + 1);
    if (lines <= start)
        return 1;
    return lines >= end ? 0 : (double)(end - lines) / (double)(end - start);
}

double reuse_miss_ratio(const struct reuse_histogram *histogram, uint64_t lines, uint64_t accesses)
{
    double misses = (double)histogram->first_256ths;
    double all = misses;
    for (uint32_t i = 0; i < REUSE_BUCKETS; i++) {
        all += (double)histogram->accesses_256ths[i];
        misses += (double)histogram->accesses_256ths[i] * part_beyond(i, lines);
    }
    if (!all)
        return __builtin_nan("");
    if (accesses)
        all = 256.0 * (double)accesses;
    return misses < all ? misses / all : 1;
}

/* Room for stamps per line: they are numbered again when a line was used three times on average. */
enum { STAMPS_PER_LINE = 4, HISTOGRAMS_MAX = 1 << 14 };

int sampling_init(struct sampling *sampling, const struct model_spec *spec, struct memory *memory)
{
    uint64_t max = spec->reuse_lines;
    uint32_t one_in = spec->reuse_one_in ? spec->reuse_one_in : 1;
    *sampling = (struct sampling){.memory = memory,
                                  .max = (uint32_t)max,
                                  .stamps = (uint32_t)(max + 1) * STAMPS_PER_LINE,
                                  .threshold = (1u << SAMPLING_HASH_BITS) / one_in,
                                  .histograms_left = HISTOGRAMS_MAX};
    sampling->mask = memory_power_of_two((max + 1) * 2) - 1;
    sampling->table = memory_new(memory, sampling->mask + 1, sizeof *sampling->table);
    sampling->heap = memory_new(memory, max + 2, sizeof *sampling->heap);
    sampling->heap_tags = memory_new(memory, max + 2, sizeof *sampling->heap_tags);
    sampling->tree = memory_new(memory, sampling->stamps + 1, sizeof *sampling->tree);
    sampling->order = memory_new(memory, sampling->stamps + 1, sizeof *sampling->order);
    if (ids_init(&sampling->ips, spec->ips_max, sizeof(struct reuse_histogram *), memory) ||
        ids_init(&sampling->bins, spec->bins_max, sizeof(struct reuse_histogram *), memory))
        return -1;
    return sampling->table && sampling->heap && sampling->heap_tags && sampling->tree &&
                   sampling->order
               ? 0
               : -1;
}

static void tree_add(struct sampling *sampling, uint32_t stamp, uint32_t change)
{
    for (; stamp <= sampling->stamps; stamp += stamp & -stamp)
        sampling->tree[stamp] += change;
}

static uint32_t tree_up_to(const struct sampling *sampling, uint32_t stamp)
{
    uint32_t sum = 0;
    for (; stamp; stamp &= stamp - 1)
        sum += sampling->tree[stamp];
    return sum;
}

static uint64_t home(const struct sampling *sampling, uint64_t tag)
{
    return memory_hash(tag) & sampling->mask;
}

/* Slot of a line, or the empty slot for it. */
static struct sampling_line *sampling_find(const struct sampling *sampling, uint64_t tag)
{
    uint64_t slot = home(sampling, tag);
    while (sampling->table[slot].tag && sampling->table[slot].tag != tag)
        slot = (slot + 1) & sampling->mask;
    return &sampling->table[slot];
}

static void close_hole(struct sampling *sampling, uint64_t hole)
{
    for (uint64_t slot = (hole + 1) & sampling->mask; sampling->table[slot].tag;
         slot = (slot + 1) & sampling->mask) {
        uint64_t wanted = home(sampling, sampling->table[slot].tag);
        if (((slot - wanted) & sampling->mask) < ((slot - hole) & sampling->mask))
            continue;
        sampling->table[hole] = sampling->table[slot];
        hole = slot;
    }
    sampling->table[hole].tag = 0;
}

static void swap(struct sampling *sampling, uint32_t a, uint32_t b)
{
    uint32_t hash = sampling->heap[a];
    uint64_t tag = sampling->heap_tags[a];
    sampling->heap[a] = sampling->heap[b];
    sampling->heap_tags[a] = sampling->heap_tags[b];
    sampling->heap[b] = hash;
    sampling->heap_tags[b] = tag;
}

/* The heap begins at 1. */
static void heap_push(struct sampling *sampling, uint64_t tag)
{
    uint32_t at = sampling->count;
    sampling->heap[at] = sampling_hash(tag - 1);
    sampling->heap_tags[at] = tag;
    for (; at > 1 && sampling->heap[at / 2] < sampling->heap[at]; at /= 2)
        swap(sampling, at, at / 2);
}

static void heap_pop(struct sampling *sampling)
{
    uint32_t last = sampling->count, at = 1;
    swap(sampling, 1, last);
    for (;;) {
        uint32_t child = at * 2;
        if (child + 1 < last && sampling->heap[child + 1] > sampling->heap[child])
            child++;
        if (child >= last || sampling->heap[child] <= sampling->heap[at])
            break;
        swap(sampling, at, child);
        at = child;
    }
}

/* Lines with the largest hash go, and from now on none like them is watched. */
static void watch_fewer(struct sampling *sampling)
{
    sampling->threshold = sampling->heap[1];
    while (sampling->count && sampling->heap[1] >= sampling->threshold) {
        struct sampling_line *line = sampling_find(sampling, sampling->heap_tags[1]);
        tree_add(sampling, line->stamp, -1u);
        close_hole(sampling, (uint64_t)(line - sampling->table));
        heap_pop(sampling);
        sampling->count--;
    }
}

/* Stamps 1 .. count in the same order. */
static void renumber(struct sampling *sampling)
{
    for (uint32_t stamp = 0; stamp <= sampling->stamps; stamp++)
        sampling->order[stamp] = sampling->tree[stamp] = 0;
    for (uint32_t slot = 0; slot <= sampling->mask; slot++)
        if (sampling->table[slot].tag)
            sampling->order[sampling->table[slot].stamp] = slot + 1;
    sampling->now = 0;
    for (uint32_t stamp = 1; stamp <= sampling->stamps; stamp++)
        if (sampling->order[stamp]) {
            sampling->table[sampling->order[stamp] - 1].stamp = ++sampling->now;
            tree_add(sampling, sampling->now, 1);
        }
}

static struct reuse_histogram *histogram_of(struct sampling *sampling, struct ids *ids, uint32_t id)
{
    struct reuse_histogram **place = ids_make(ids, id, sampling->memory);
    if (place && !*place && sampling->histograms_left) {
        *place = memory_new(sampling->memory, 1, sizeof **place);
        sampling->histograms_left -= *place != NULL;
    }
    sampling->dropped += !place || !*place;
    return place ? *place : NULL;
}

/* Below REUSE_STEPS each distance for itself, then as many steps of each power of two. */
static uint32_t bucket_of(uint64_t distance)
{
    if (distance == MODEL_NO_DISTANCE)
        return REUSE_BUCKETS;
    if (distance < REUSE_STEPS)
        return (uint32_t)distance;
    uint32_t octave = 63 - (uint32_t)__builtin_clzll(distance);
    uint32_t above = octave - (uint32_t)__builtin_ctz(REUSE_STEPS);
    uint64_t bucket = above * REUSE_STEPS + (distance >> above);
    return bucket < REUSE_BUCKETS ? (uint32_t)bucket : REUSE_BUCKETS - 1;
}

static void sampling_count(struct sampling *sampling, struct model_who who, uint64_t distance)
{
    const struct model_host *host = &sampling->memory->host;
    uint64_t weight = (UINT64_C(256) << SAMPLING_HASH_BITS) / sampling->threshold;
    uint32_t bucket = bucket_of(distance);
    struct reuse_histogram *histograms[] = {&sampling->total, NULL, NULL};
    if (host->reuse) {
        host->reuse(host->context, &(struct model_reuse){who, distance, weight});
    } else {
        histograms[1] = histogram_of(sampling, &sampling->ips, who.ip);
        histograms[2] = histogram_of(sampling, &sampling->bins, who.bin);
    }
    for (int i = 0; i < 3; i++) {
        if (!histograms[i])
            continue;
        if (bucket == REUSE_BUCKETS)
            histograms[i]->first_256ths += weight;
        else
            histograms[i]->accesses_256ths[bucket] += weight;
    }
}

static void use_first(struct sampling *sampling, struct sampling_line *line, uint64_t tag,
                      struct model_who who)
{
    *line = (struct sampling_line){.tag = tag, .stamp = ++sampling->now};
    sampling->count++;
    tree_add(sampling, sampling->now, 1);
    heap_push(sampling, tag);
    sampling_count(sampling, who, MODEL_NO_DISTANCE);
    if (sampling->count > sampling->max)
        watch_fewer(sampling);
}

void sampling_use(struct sampling *sampling, uint64_t number, struct model_who who)
{
    if (!sampling->threshold)
        return;
    if (sampling->now == sampling->stamps)
        renumber(sampling);
    struct sampling_line *line = sampling_find(sampling, number + 1);
    if (!line->tag) {
        use_first(sampling, line, number + 1, who);
        return;
    }
    if (line->stamp == sampling->now) {
        sampling_count(sampling, who, 0);
        return;
    }
    uint64_t between = sampling->count - tree_up_to(sampling, line->stamp);
    sampling_count(sampling, who, (between << SAMPLING_HASH_BITS) / sampling->threshold);
    tree_add(sampling, line->stamp, -1u);
    line->stamp = ++sampling->now;
    tree_add(sampling, line->stamp, 1);
}
