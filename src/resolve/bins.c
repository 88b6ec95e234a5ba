/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/bins_state.h"

#include "resolve/packed.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static unsigned log_class(uint64_t value)
{
    unsigned class = value ? 64 - (unsigned)__builtin_clzll(value) : 0;
    return class < BINS_CLASSES ? class : BINS_CLASSES - 1;
}

/* A zeroed bin; 0: the table is full, or there is no memory. */
static uint32_t bins_make(struct bins *bins)
{
    if (bins->count >= bins->most)
        return 0;
    if (bins->count + 1 >= bins->room) {
        uint32_t room = bins->room * 2;
        struct bin *bigger = realloc(bins->at, room * sizeof *bigger);
        if (!bigger)
            return 0;
        bins->at = bigger;
        bins->room = room;
    }
    uint32_t id = ++bins->count;
    bins->at[id] = (struct bin){.lead = id};
    bins->at[id].stats.allocations_per_s = bins->at[id].stats.frees_per_s = NAN;
    return id;
}

int bins_new(struct bins **bins, uint32_t most)
{
    *bins = NULL;
    struct bins *made = calloc(1, sizeof *made);
    struct bin *at = calloc(64, sizeof *at);
    if (!made || !at) {
        free(made);
        free(at);
        return -ENOMEM;
    }
    made->at = at;
    made->room = 64;
    made->most = most ? most : BINS_MOST_DEFAULT;
    if (made->most >= BLOCKS_BINS_END)
        made->most = BLOCKS_BINS_END - 1;
    hash_init(&made->by_path);
    bins_make(made); /* BINS_REST */
    *bins = made;
    return 0;
}

void bins_free(struct bins *bins)
{
    if (!bins)
        return;
    for (uint32_t id = 1; id <= bins->count; id++) {
        free(bins->at[id].full_name);
        free(bins->at[id].short_name);
        free(bins->at[id].new_name);
    }
    hash_fini(&bins->by_path);
    free(bins->words);
    free(bins->at);
    free(bins);
}

static bool words_reserve(struct bins *bins, unsigned depth)
{
    if (bins->words_count + depth <= bins->words_room)
        return true;
    uint64_t room = bins->words_room * 2 + BINS_DEPTH_MAX;
    uint64_t *bigger = realloc(bins->words, room * sizeof *bigger);
    if (!bigger)
        return false;
    bins->words = bigger;
    bins->words_room = room;
    return true;
}

static bool path_is(const struct bins *bins, uint32_t id, const uint64_t *path, unsigned depth)
{
    const struct bin *bin = &bins->at[id];
    return bin->depth == depth && !memcmp(&bins->words[bin->path_at], path, depth * sizeof path[0]);
}

static uint32_t bins_make_path(struct bins *bins, const uint64_t *path, unsigned depth,
                               uint64_t hash)
{
    if (bins->count >= bins->most || !words_reserve(bins, depth))
        return 0;
    uint32_t *newest = hash_insert(&bins->by_path, hash, NULL);
    uint32_t id = newest ? bins_make(bins) : 0;
    if (!id)
        return 0;
    struct bin *bin = &bins->at[id];
    bin->path_at = bins->words_count;
    bin->depth = (uint16_t)depth;
    bin->next_same = *newest;
    *newest = id;
    memcpy(&bins->words[bins->words_count], path, depth * sizeof path[0]);
    bins->words_count += depth;
    return id;
}

uint32_t bins_of_path(struct bins *bins, const uint64_t *path, unsigned depth)
{
    if (!depth)
        return BINS_REST;
    if (depth > BINS_DEPTH_MAX)
        depth = BINS_DEPTH_MAX;
    uint64_t hash = depth;
    for (unsigned i = 0; i < depth; i++)
        hash = hash_mix(hash ^ path[i]);
    const uint32_t *newest = hash_find(&bins->by_path, hash);
    for (uint32_t id = newest ? *newest : 0; id; id = bins->at[id].next_same)
        if (path_is(bins, id, path, depth))
            return id;
    uint32_t id = bins_make_path(bins, path, depth, hash);
    return id ? id : BINS_REST;
}

static struct bin *bin_of(const struct bins *bins, uint32_t id)
{
    return id && id <= bins->count ? &bins->at[id] : NULL;
}

/* Requested bytes as the index hands them out later, lest the sums drift apart. */
static uint64_t kept_requested_bytes(const struct block *block)
{
    struct block kept;
    struct packed packed = packed_from(block, 0);
    packed_to(&packed, block->start, 0, &kept);
    return kept.requested_bytes;
}

void bins_born(struct bins *bins, const struct block *block)
{
    struct bin *bin = bin_of(bins, block->bin);
    if (!bin)
        return;
    struct bin_stats *stats = &bin->stats;
    stats->live_blocks++;
    stats->live_usable_bytes += block->usable_bytes;
    stats->live_requested_bytes += kept_requested_bytes(block);
    stats->sizes[log_class(block->usable_bytes)]++;
    stats->allocations++;
    if (block->born_ns && (!stats->first_ns || block->born_ns < stats->first_ns))
        stats->first_ns = block->born_ns;
    if (block->born_ns > stats->last_ns)
        stats->last_ns = block->born_ns;
}

void bins_died(struct bins *bins, const struct block *block, uint64_t now_ns)
{
    struct bin *bin = bin_of(bins, block->bin);
    if (!bin)
        return;
    struct bin_stats *stats = &bin->stats;
    assert(stats->live_blocks && stats->sizes[log_class(block->usable_bytes)]);
    stats->live_blocks--;
    stats->live_usable_bytes -= block->usable_bytes;
    stats->live_requested_bytes -= kept_requested_bytes(block);
    stats->sizes[log_class(block->usable_bytes)]--;
    stats->frees++;
    if (!block->born_ns)
        return;
    uint64_t lifetime_ns = now_ns > block->born_ns ? now_ns - block->born_ns : 0;
    stats->lifetime_sum_ns += lifetime_ns;
    stats->lifetime_count++;
    stats->lifetimes[log_class(lifetime_ns)]++;
}

void bins_tick(struct bins *bins, uint64_t now_ns)
{
    if (now_ns <= bins->tick_ns)
        return;
    double seconds = (double)(now_ns - bins->tick_ns) / 1e9;
    for (uint32_t id = 1; id <= bins->count; id++) {
        struct bin *bin = &bins->at[id];
        if (bins->tick_ns) {
            uint64_t allocations = bin->stats.allocations - bin->tick_allocations;
            uint64_t frees = bin->stats.frees - bin->tick_frees;
            bin->stats.allocations_per_s = (double)allocations / seconds;
            bin->stats.frees_per_s = (double)frees / seconds;
        }
        bin->tick_allocations = bin->stats.allocations;
        bin->tick_frees = bin->stats.frees;
    }
    bins->tick_ns = now_ns;
}

void bins_mark(struct bins *bins, uint64_t now_ns)
{
    bins->mark_ns = now_ns;
    for (uint32_t id = 1; id <= bins->count; id++) {
        struct bin_stats *stats = &bins->at[id].stats;
        stats->mark_blocks = stats->live_blocks;
        stats->mark_usable_bytes = stats->live_usable_bytes;
    }
}

uint64_t bins_mark_ns(const struct bins *bins)
{
    return bins->mark_ns;
}

uint32_t bins_count(const struct bins *bins)
{
    return bins->count;
}

bool bins_own_stats(const struct bins *bins, uint32_t id, struct bin_stats *stats)
{
    const struct bin *bin = bin_of(bins, id);
    if (bin)
        *stats = bin->stats;
    return bin;
}

bool bins_info(const struct bins *bins, uint32_t id, struct bin_info *info)
{
    const struct bin *bin = bin_of(bins, id);
    if (!bin)
        return false;
    *info = (struct bin_info){.name = bin->new_name ? bin->new_name : bin->short_name,
                              .full_name = bin->full_name,
                              .renamed = bin->new_name,
                              .path = bin->depth ? &bins->words[bin->path_at] : NULL,
                              .depth = bin->depth,
                              .type = bin->type,
                              .lead = bin->lead,
                              .next = bin->next};
    return true;
}
