/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/told.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

enum { PATHS_FIRST = 1024 };

#define MAPPINGS_BYTES_MAX (UINT64_C(64) << 20)

/* A block that was displaced: its free was lost. */
static void block_gone(void *context, const struct block *gone)
{
    struct told *told = context;
    bins_died(told->bins, gone, told->now_ns);
}

int told_init(struct told *told, struct feed *feed, bins_namer *namer, bins_assigned *assigned,
              void *context)
{
    *told = (struct told){.feed = feed, .namer = namer, .assigned = assigned, .context = context};
    arena_init(&told->strings);
    hash_init(&told->site_of);
    told_load_rules(told);
    int code = blocks_new(&told->blocks, 0);
    if (!code)
        code = blocks_new(&told->mappings, MAPPINGS_BYTES_MAX);
    if (!code)
        code = bins_new(&told->bins, 0);
    if (code) {
        told_fini(told);
        return code;
    }
    blocks_on_displaced(told->blocks, block_gone, told);
    blocks_on_displaced(told->mappings, block_gone, told);
    return 0;
}

void told_fini(struct told *told)
{
    blocks_free(told->blocks);
    blocks_free(told->mappings);
    bins_free(told->bins);
    bin_rules_fini(&told->rules);
    wrappers_fini(&told->wrappers);
    hash_fini(&told->site_of);
    arena_fini(&told->strings);
    free(told->bin_of_path);
    free(told->leads);
    free(told->sites);
    free(told->deals);
    *told = (struct told){.feed = NULL};
}

static bool make_path_room(struct told *told, uint32_t path)
{
    uint32_t *more =
        array_reach(told->bin_of_path, &told->path_room, path, sizeof *more, PATHS_FIRST);
    if (more)
        told->bin_of_path = more;
    return more;
}

/*
 * A path that ends in a mapping has other bins than the same one that ends in malloc; and
 * shorter ones, for whose call made an allocator take the next mapping is chance.
 */
static uint32_t bin_of(struct told *told, uint32_t path, bool mapping)
{
    const uint64_t *frames;
    uint64_t marked[2] = {TOLD_MAPPING};
    uint32_t index = path * 2 + mapping;
    if (!path || path > UINT32_MAX / 4 || !make_path_room(told, index))
        return BINS_REST;
    if (told->bin_of_path[index])
        return told->bin_of_path[index];
    uint32_t depth = feed_path(told->feed, path, &frames);
    if (!depth)
        return BINS_REST;
    if (mapping) {
        marked[1] = frames[0];
        frames = marked;
        depth = 2;
    }
    told->bin_of_path[index] = bins_of_path(told->bins, frames, depth);
    return told->bin_of_path[index];
}

/* The namer of our own, which knows the mark of a mapping. */
bool told_name_address(void *context, uint64_t address, const char **function, const char **module,
                       const char **file, uint32_t *line)
{
    const struct told *told = context;
    if (address != TOLD_MAPPING - 1)
        return told->namer(told->context, address, function, module, file, line);
    *function = BINS_MAPPING_NAME;
    *module = *file = NULL;
    *line = 0;
    return true;
}

static int told_assigned(void *context, uint64_t return_address, char *out, size_t out_size,
                         uint32_t *type)
{
    const struct told *told = context;
    return told->assigned(told->context, return_address, out, out_size, type);
}

static void add_block(struct told *told, struct blocks *blocks, const struct feed_event *event)
{
    bool mapping = blocks == told->mappings;
    struct block block = {.start = event->address,
                          .usable_bytes = event->usable,
                          .requested_bytes = event->requested,
                          .born_ns = event->time_ns,
                          .bin = bin_of(told, event->path, mapping)};
    if (!blocks_add(blocks, &block))
        bins_born(told->bins, &block);
}

/* What an unmapping leaves of a mapping stays, under the same bin. */
static void unmap(struct told *told, uint64_t start, uint64_t end)
{
    struct block block;
    struct block rest;
    bool into = blocks_find(told->mappings, start, &block) && block.start < start;
    uint64_t last = into ? block.start + block.usable_bytes : 0;
    if (into && blocks_remove(told->mappings, block.start, NULL)) {
        bins_died(told->bins, &block, told->now_ns);
        rest = block;
        rest.usable_bytes = rest.requested_bytes = start - block.start;
        if (!blocks_add(told->mappings, &rest))
            bins_born(told->bins, &rest);
    } else if (blocks_find(told->mappings, end - 1, &block)) {
        last = block.start + block.usable_bytes;
    }
    blocks_remove_range(told->mappings, start, end, block_gone, told);
    if (last <= end)
        return;
    rest = block;
    rest.start = end;
    rest.usable_bytes = rest.requested_bytes = last - end;
    if (!blocks_add(told->mappings, &rest))
        bins_born(told->bins, &rest);
}

static void take_event(void *context, const struct feed_event *event)
{
    struct told *told = context;
    struct block gone;
    told->now_ns = event->time_ns;
    switch (event->kind) {
    case FEED_ALLOC:
        add_block(told, told->blocks, event);
        break;
    case FEED_FREE:
        if (blocks_remove(told->blocks, event->address, &gone))
            bins_died(told->bins, &gone, event->time_ns);
        break;
    case FEED_MAP:
        add_block(told, told->mappings, event);
        break;
    case FEED_UNMAP:
        if (event->usable && event->address + event->usable > event->address)
            unmap(told, event->address, event->address + event->usable);
        break;
    }
}

long told_follow(struct told *told, uint64_t until_ns)
{
    return feed_read(told->feed, until_ns, take_event, told);
}

/* Its addresses mean other code now: bins and their names start anew too. */
void told_forget(struct told *told)
{
    struct bins *fresh;
    blocks_remove_range(told->blocks, 0, BLOCKS_ADDRESS_END, block_gone, told);
    blocks_remove_range(told->mappings, 0, BLOCKS_ADDRESS_END, block_gone, told);
    if (!bins_new(&fresh, 0)) {
        bins_free(told->bins);
        told->bins = fresh;
        if (told->path_room)
            memset(told->bin_of_path, 0, told->path_room * sizeof *told->bin_of_path);
        hash_clear(&told->site_of);
        told->site_count = told->lead_count = 0;
        if (told->deals_room)
            memset(told->deals, 0, told->deals_room * sizeof *told->deals);
    }
}

bool told_find(const struct told *told, uint64_t address, struct block *block, bool *mapping)
{
    *mapping = !blocks_find(told->blocks, address, block);
    return !*mapping || blocks_find(told->mappings, address, block);
}

static bool narrow(const struct blocks *blocks, uint64_t address, uint64_t *base, uint64_t *bound)
{
    struct block block;
    bool before = blocks_previous(blocks, address, &block) && block.start >= *base;
    uint64_t end = before ? block.start + block.usable_bytes : 0;
    if (before && end > *base && end <= address)
        *base = end;
    bool after = blocks_next(blocks, address, &block) && block.start < *bound;
    if (after)
        *bound = block.start;
    return before || after;
}

bool told_gap(const struct told *told, uint64_t address, uint64_t *base, uint64_t *bound)
{
    bool mapped = narrow(told->mappings, address, base, bound);
    return narrow(told->blocks, address, base, bound) || mapped;
}

uint32_t told_lead(const struct told *told, uint32_t bin)
{
    struct bin_info info;
    return bins_info(told->bins, bin, &info) && info.lead ? info.lead : bin;
}

void told_list_leads(struct told *told)
{
    uint32_t count = bins_count(told->bins);
    struct bin_info info;
    told->lead_count = 0;
    if (count > told->lead_room) {
        uint32_t *more = realloc(told->leads, count * 2 * sizeof *more);
        if (!more)
            return;
        told->leads = more;
        told->lead_room = count * 2;
    }
    for (uint32_t id = 1; id <= count; id++)
        if (bins_info(told->bins, id, &info) && info.lead == id)
            told->leads[told->lead_count++] = id;
}

void told_name_bins(struct told *told)
{
    bins_update_names(told->bins, &told->wrappers, &told->rules, told_name_address,
                      told->assigned ? told_assigned : NULL, told);
}

/* Whoever mapped memory that has blocks in it is an allocator, and so are its other mappings. */
static void find_dealers(struct told *told)
{
    struct block mapping;
    struct block block;
    for (uint64_t at = 0; blocks_next(told->mappings, at, &mapping);) {
        at = mapping.start + mapping.usable_bytes;
        bool *deals =
            array_reach(told->deals, &told->deals_room, mapping.bin, sizeof *deals, PATHS_FIRST);
        if (!deals)
            return;
        told->deals = deals;
        if (mapping.bin > BINS_REST && !deals[mapping.bin])
            deals[mapping.bin] = blocks_next(told->blocks, mapping.start, &block) &&
                                 block.start < at;
    }
}

bool told_stats(const struct told *told, uint32_t lead, struct bin_stats *stats)
{
    struct bin_info info;
    struct bin_stats own;
    if (!bins_stats(told->bins, lead, stats))
        return false;
    for (uint32_t id = lead; id && bins_info(told->bins, id, &info); id = info.next) {
        if (id >= told->deals_room || !told->deals[id] || !bins_own_stats(told->bins, id, &own))
            continue;
        stats->live_blocks -= own.live_blocks;
        stats->live_usable_bytes -= own.live_usable_bytes;
        stats->live_requested_bytes -= own.live_requested_bytes;
        stats->mark_blocks -= own.mark_blocks;
        stats->mark_usable_bytes -= own.mark_usable_bytes;
        for (int i = 0; i < BINS_CLASSES; i++)
            stats->sizes[i] -= own.sizes[i];
    }
    return true;
}

void told_tick(struct told *told, uint64_t now_ns)
{
    bins_tick(told->bins, now_ns);
    find_dealers(told);
    told_name_bins(told);
    told_list_leads(told);
}

const char *told_name(const struct told *told, uint32_t bin)
{
    struct bin_info info;
    return bins_info(told->bins, bin, &info) ? info.name : NULL;
}
