/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The number of other lines used between two uses of a line. SHARDS with a fixed number of lines
 * (Waldspurger, Park, Garthwaite, Ahmad, FAST 2015): a line is watched if its hash is below a
 * threshold, which drops when there are too many; distances are scaled by the sampling rate.
 */
#include "sim/model/state.h"

/* Stamps per line: they are renumbered once a line was used three times on average. */
enum { STAMPS_PER_LINE = 4 };

int sampling_init(struct sampling *sampling, const struct model_spec *spec, struct memory *memory)
{
    uint64_t max = spec->reuse_lines;
    uint32_t one_in = spec->reuse_one_in ? spec->reuse_one_in : 1;
    *sampling = (struct sampling){.memory = memory,
                                  .max = (uint32_t)max,
                                  .stamps = (uint32_t)(max + 1) * STAMPS_PER_LINE,
                                  .threshold = (1u << SAMPLING_HASH_BITS) / one_in};
    sampling->mask = memory_power_of_two((max + 1) * 2) - 1;
    sampling->table = memory_new(memory, sampling->mask + 1, sizeof *sampling->table);
    sampling->heap = memory_new(memory, max + 2, sizeof *sampling->heap);
    sampling->heap_tags = memory_new(memory, max + 2, sizeof *sampling->heap_tags);
    sampling->tree = memory_new(memory, sampling->stamps + 1, sizeof *sampling->tree);
    sampling->order = memory_new(memory, sampling->stamps + 1, sizeof *sampling->order);
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

static uint64_t sampling_home(const struct sampling *sampling, uint64_t tag)
{
    return memory_hash(tag) & sampling->mask;
}

/* Returns the slot of a line, or the empty slot for it. */
static struct sampling_line *sampling_find(const struct sampling *sampling, uint64_t tag)
{
    uint64_t slot = sampling_home(sampling, tag);
    while (sampling->table[slot].tag && sampling->table[slot].tag != tag)
        slot = (slot + 1) & sampling->mask;
    return &sampling->table[slot];
}

static void close_hole(struct sampling *sampling, uint64_t hole)
{
    for (uint64_t slot = (hole + 1) & sampling->mask; sampling->table[slot].tag;
         slot = (slot + 1) & sampling->mask) {
        uint64_t wanted = sampling_home(sampling, sampling->table[slot].tag);
        if (((slot - wanted) & sampling->mask) < ((slot - hole) & sampling->mask))
            continue;
        sampling->table[hole] = sampling->table[slot];
        hole = slot;
    }
    sampling->table[hole].tag = 0;
}

static void swap_heap_entries(struct sampling *sampling, uint32_t a, uint32_t b)
{
    uint32_t hash = sampling->heap[a];
    uint64_t tag = sampling->heap_tags[a];
    sampling->heap[a] = sampling->heap[b];
    sampling->heap_tags[a] = sampling->heap_tags[b];
    sampling->heap[b] = hash;
    sampling->heap_tags[b] = tag;
}

/* Adds a line to the heap, which starts at 1. */
static void heap_push(struct sampling *sampling, uint64_t tag)
{
    uint32_t at = sampling->count;
    sampling->heap[at] = sampling_hash(tag - 1);
    sampling->heap_tags[at] = tag;
    for (; at > 1 && sampling->heap[at / 2] < sampling->heap[at]; at /= 2)
        swap_heap_entries(sampling, at, at / 2);
}

static void heap_pop(struct sampling *sampling)
{
    uint32_t last = sampling->count, at = 1;
    swap_heap_entries(sampling, 1, last);
    for (;;) {
        uint32_t child = at * 2;
        if (child + 1 < last && sampling->heap[child + 1] > sampling->heap[child])
            child++;
        if (child >= last || sampling->heap[child] <= sampling->heap[at])
            break;
        swap_heap_entries(sampling, at, child);
        at = child;
    }
}

/* Lowers the threshold: drops the lines with the largest hash, and watches no such line again. */
static void lower_threshold(struct sampling *sampling)
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

/* Renumbers the stamps 1 .. count, in the same order. */
static void renumber_stamps(struct sampling *sampling)
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

static void sampling_count(struct sampling *sampling, struct model_who who, uint64_t distance)
{
    const struct model_host *host = &sampling->memory->host;
    uint64_t weight = (UINT64_C(256) << SAMPLING_HASH_BITS) / sampling->threshold;
    if (host->reuse)
        host->reuse(host->context, &(struct model_reuse){who, distance, weight});
}

static void add_sampled_line(struct sampling *sampling, struct sampling_line *line, uint64_t tag,
                             struct model_who who)
{
    *line = (struct sampling_line){.tag = tag, .stamp = ++sampling->now};
    sampling->count++;
    tree_add(sampling, sampling->now, 1);
    heap_push(sampling, tag);
    sampling_count(sampling, who, MODEL_NO_DISTANCE);
    if (sampling->count > sampling->max)
        lower_threshold(sampling);
}

void sampling_use(struct sampling *sampling, uint64_t number, struct model_who who)
{
    if (!sampling->threshold)
        return;
    if (sampling->now == sampling->stamps)
        renumber_stamps(sampling);
    struct sampling_line *line = sampling_find(sampling, number + 1);
    if (!line->tag) {
        add_sampled_line(sampling, line, number + 1, who);
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
