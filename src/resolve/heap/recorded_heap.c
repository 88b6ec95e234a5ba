/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/heap/recorded_heap.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "resolve/heap/bin_rules.h"

static void recorded_list_leads(struct recorded_heap *recorded);

/* The user's names and combinations of bins, which are kept in a file. */

/* Applies changed rules: other bins now represent their groups. */
static int keep_rules(struct recorded_heap *recorded)
{
    int code = bins_regroup(recorded->bins, &recorded->rules);
    bin_rules_keep(&recorded->rules);
    recorded_list_leads(recorded);
    return code;
}

static const char *full_name(const struct recorded_heap *recorded, uint32_t bin)
{
    const struct bin *at = bins_at(recorded->bins, bin);
    return at ? at->full_name : NULL;
}

int recorded_heap_rename(struct recorded_heap *recorded, uint32_t bin, const char *name)
{
    const char *full = full_name(recorded, bin);
    int code = full ? bin_rules_rename(&recorded->rules, full, name) : -ENOENT;
    return code ? code : keep_rules(recorded);
}

int recorded_heap_combine(struct recorded_heap *recorded, const uint32_t *bins, uint32_t count)
{
    int code = count > 1 ? 0 : -EINVAL;
    bin_rules_begin_step(&recorded->rules);
    for (uint32_t i = 1; i < count && !code; i++) {
        const char *into = full_name(recorded, bins[0]);
        const char *from = full_name(recorded, bins[i]);
        code = into && from ? bin_rules_combine(&recorded->rules, into, from) : -ENOENT;
    }
    code = bin_rules_end_step(&recorded->rules, code);
    return code ? code : keep_rules(recorded);
}

int recorded_heap_undo(struct recorded_heap *recorded)
{
    return bin_rules_undo(&recorded->rules) ? keep_rules(recorded) : -ENOENT;
}

enum { PATHS_FIRST = 1024 };

#define UNSEEN_NS (2 * CLOCK_NS_PER_S)

#define MAPPINGS_BYTES_MAX (UINT64_C(64) << 20)

/* Counts a displaced block as freed: its free was lost. */
static void block_gone(void *context, const struct block *gone)
{
    struct recorded_heap *recorded = context;
    bins_died(recorded->bins, gone, recorded->now_ns);
}

int recorded_heap_init(struct recorded_heap *recorded, struct feed *feed, bins_namer *namer,
                       bins_assigned *assigned, void *context)
{
    *recorded = (struct recorded_heap){
        .feed = feed, .namer = namer, .assigned = assigned, .context = context};
    arena_init(&recorded->strings);
    hash_init(&recorded->site_of);
    wrappers_init(&recorded->wrappers);
    wrappers_add_settings(&recorded->wrappers);
    bin_rules_open(&recorded->rules, "bins");
    int code = blocks_new(&recorded->blocks, 0);
    if (!code)
        code = blocks_new(&recorded->mappings, MAPPINGS_BYTES_MAX);
    if (!code)
        code = bins_new(&recorded->bins, 0);
    if (code) {
        recorded_heap_fini(recorded);
        return code;
    }
    blocks_on_displaced(recorded->blocks, block_gone, recorded);
    blocks_on_displaced(recorded->mappings, block_gone, recorded);
    return 0;
}

void recorded_heap_fini(struct recorded_heap *recorded)
{
    blocks_free(recorded->blocks);
    blocks_free(recorded->mappings);
    bins_free(recorded->bins);
    bin_rules_fini(&recorded->rules);
    wrappers_fini(&recorded->wrappers);
    hash_fini(&recorded->site_of);
    arena_fini(&recorded->strings);
    free(recorded->bin_of_path);
    free(recorded->leads);
    free(recorded->sites);
    free(recorded->deals);
    *recorded = (struct recorded_heap){.feed = NULL};
}

static bool make_path_room(struct recorded_heap *recorded, uint32_t path)
{
    return array_reach(&recorded->bin_of_path, &recorded->path_room, path,
                       sizeof *recorded->bin_of_path, PATHS_FIRST);
}

/*
 * Returns the bin of a path. A path to a mapping has another bin than the same path to malloc. It
 * is also cut shorter, because it is chance which call makes an allocator take the next mapping.
 */
static uint32_t recorded_bin_of(struct recorded_heap *recorded, uint32_t path, bool mapping)
{
    const uint64_t *frames;
    uint64_t marked[2] = {BINS_MAPPING};
    uint32_t index = path * 2 + mapping;
    if (!path || path > UINT32_MAX / 4 || !make_path_room(recorded, index))
        return BINS_REST;
    if (recorded->bin_of_path[index])
        return recorded->bin_of_path[index];
    uint32_t depth = feed_path(recorded->feed, path, &frames);
    if (!depth)
        return BINS_REST;
    if (mapping) {
        marked[1] = frames[0];
        frames = marked;
        depth = 2;
    }
    recorded->bin_of_path[index] = bins_of_path(recorded->bins, frames, depth);
    return recorded->bin_of_path[index];
}

static struct block block_of(struct recorded_heap *recorded, const struct feed_event *event,
                             bool mapping)
{
    return (struct block){.start = event->address,
                          .usable_bytes = event->usable,
                          .requested_bytes = event->requested,
                          .born_ns = event->is_timed ? event->time_ns : 0,
                          .bin = recorded_bin_of(recorded, event->path, mapping)};
}

static void add_block(struct recorded_heap *recorded, struct blocks *blocks,
                      const struct feed_event *event)
{
    struct block block = block_of(recorded, event, blocks == recorded->mappings);
    if (!blocks_add(blocks, &block))
        bins_born(recorded->bins, &block, event->time_ns);
}

/* Removes a range from the mappings; what remains of a mapping keeps its bin. */
static void unmap(struct recorded_heap *recorded, uint64_t start, uint64_t end)
{
    struct block block;
    struct block rest;
    bool into = blocks_find(recorded->mappings, start, &block) && block.start < start;
    uint64_t last = into ? block.start + block.usable_bytes : 0;
    if (into && blocks_remove(recorded->mappings, block.start, NULL)) {
        bins_died(recorded->bins, &block, recorded->now_ns);
        rest = block;
        rest.usable_bytes = rest.requested_bytes = start - block.start;
        if (!blocks_add(recorded->mappings, &rest))
            bins_born(recorded->bins, &rest, recorded->now_ns);
    } else if (blocks_find(recorded->mappings, end - 1, &block)) {
        last = block.start + block.usable_bytes;
    }
    blocks_remove_range(recorded->mappings, start, end, block_gone, recorded);
    if (last <= end)
        return;
    rest = block;
    rest.start = end;
    rest.usable_bytes = rest.requested_bytes = last - end;
    if (!blocks_add(recorded->mappings, &rest))
        bins_born(recorded->bins, &rest, recorded->now_ns);
}

static void take_event(struct recorded_heap *recorded, const struct feed_event *event)
{
    struct block gone;
    recorded->now_ns = event->time_ns;
    switch (event->kind) {
    case FEED_ALLOC:
        add_block(recorded, recorded->blocks, event);
        break;
    case FEED_FREE:
        if (blocks_remove(recorded->blocks, event->address, &gone))
            bins_died(recorded->bins, &gone, event->time_ns);
        break;
    case FEED_MAP:
        add_block(recorded, recorded->mappings, event);
        break;
    case FEED_UNMAP:
        if (event->usable && event->address + event->usable > event->address)
            unmap(recorded, event->address, event->address + event->usable);
        break;
    case FEED_NOTHING:
        break;
    }
}

/* Counts a block allocated and freed without a sample between; it is never in the index. */
static void count_pair(struct recorded_heap *recorded, const struct feed_event *alloc,
                       const struct feed_event *end)
{
    struct block block = block_of(recorded, alloc, false);
    bins_born(recorded->bins, &block, alloc->time_ns);
    bins_died(recorded->bins, &block, end->time_ns);
}

static unsigned pair_place(uint64_t address)
{
    return (uint32_t)(address >> 4) * UINT32_C(0x9e3779b1) >> (32 - RECORDED_PAIR_BITS);
}

/* Finds, for each allocation of a block that is freed among the same events, the index of its free.
 * All other events get their own index. */
static void find_pairs(const struct recorded_heap *recorded, uint8_t end[RECORDED_EVENTS])
{
    uint8_t latest[1 << RECORDED_PAIR_BITS]; /* allocation with this address hash, + 1 */
    memset(latest, 0, sizeof latest);
    for (unsigned i = 0; i < recorded->event_count; i++) {
        const struct feed_event *event = &recorded->events[i];
        uint8_t *place = &latest[pair_place(event->address)];
        bool same = *place && recorded->events[*place - 1].address == event->address;
        end[i] = (uint8_t)i;
        if (event->kind == FEED_ALLOC) {
            *place = same ? 0 : (uint8_t)(i + 1); /* the free of the earlier block was not seen */
        } else if (event->kind == FEED_FREE && same) {
            end[*place - 1] = (uint8_t)i;
            *place = 0;
        }
    }
}

/*
 * Only counts the blocks that were allocated and freed since the last sample, or within the last
 * RECORDED_EVENTS: no sample looks them up in the index. Not done for UNSEEN_NS after a missing
 * free (lost, or in an allocator with functions that the agent does not intercept), because an
 * allocation then also shows which block is gone. The other events go to the index.
 */
static void count_pairs(struct recorded_heap *recorded)
{
    uint8_t end[RECORDED_EVENTS];
    unsigned rest = 0;
    find_pairs(recorded, end);
    for (unsigned i = 0; i < recorded->event_count; i++) {
        struct feed_event *event = &recorded->events[i];
        if (end[i] != i) {
            count_pair(recorded, event, &recorded->events[end[i]]);
            recorded->events[end[i]].kind = FEED_NOTHING;
        } else if (event->kind != FEED_NOTHING) {
            recorded->events[rest++] = *event;
        }
    }
    recorded->event_count = rest;
}

static void take_events(struct recorded_heap *recorded)
{
    uint64_t starts[RECORDED_EVENTS];
    if (!recorded->event_count)
        return;
    uint64_t now_ns = recorded->events[recorded->event_count - 1].time_ns;
    if (!recorded->unseen || now_ns > recorded->unseen_ns + UNSEEN_NS)
        count_pairs(recorded);
    for (unsigned i = 0; i < recorded->event_count; i++)
        starts[i] = recorded->events[i].address;
    blocks_prefetch(recorded->blocks, starts, recorded->event_count);
    for (unsigned i = 0; i < recorded->event_count; i++)
        take_event(recorded, &recorded->events[i]);
    recorded->now_ns = now_ns;
    recorded->event_count = 0;
}

static void keep_event(void *context, const struct feed_event *event)
{
    struct recorded_heap *recorded = context;
    recorded->events[recorded->event_count++] = *event;
    if (recorded->event_count == RECORDED_EVENTS)
        take_events(recorded);
}

long recorded_heap_follow(struct recorded_heap *recorded, uint64_t until_ns)
{
    uint64_t unseen = feed_lost(recorded->feed) + blocks_displaced(recorded->blocks);
    if (unseen != recorded->unseen)
        recorded->unseen_ns = recorded->now_ns;
    recorded->unseen = unseen;
    long count = feed_read(recorded->feed, until_ns, keep_event, recorded);
    take_events(recorded);
    return count;
}

/* Drops all blocks, bins and names: the addresses now belong to other code. */
void recorded_heap_forget(struct recorded_heap *recorded)
{
    struct bins *fresh;
    blocks_remove_range(recorded->blocks, 0, BLOCKS_ADDRESS_END, block_gone, recorded);
    blocks_remove_range(recorded->mappings, 0, BLOCKS_ADDRESS_END, block_gone, recorded);
    if (!bins_new(&fresh, 0)) {
        bins_free(recorded->bins);
        recorded->bins = fresh;
        if (recorded->path_room)
            memset(recorded->bin_of_path, 0, recorded->path_room * sizeof *recorded->bin_of_path);
        hash_clear(&recorded->site_of);
        recorded->site_count = recorded->lead_count = 0;
        if (recorded->deals_room)
            memset(recorded->deals, 0, recorded->deals_room * sizeof *recorded->deals);
    }
}

bool recorded_heap_find(const struct recorded_heap *recorded, uint64_t address, struct block *block,
                        bool *mapping)
{
    *mapping = !blocks_find(recorded->blocks, address, block);
    return !*mapping || blocks_find(recorded->mappings, address, block);
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

bool recorded_heap_gap(const struct recorded_heap *recorded, uint64_t address, uint64_t *base,
                       uint64_t *bound)
{
    bool mapped = narrow(recorded->mappings, address, base, bound);
    return narrow(recorded->blocks, address, base, bound) || mapped;
}

uint32_t recorded_heap_lead(const struct recorded_heap *recorded, uint32_t bin)
{
    const struct bin *at = bins_at(recorded->bins, bin);
    return at ? at->lead : bin;
}

static void recorded_list_leads(struct recorded_heap *recorded)
{
    uint32_t count = bins_count(recorded->bins);
    recorded->lead_count = 0;
    if (count > recorded->lead_room && !array_fit(&recorded->leads, &recorded->lead_room,
                                                  (size_t)count * 2, sizeof *recorded->leads))
        return;
    for (uint32_t id = 1; id <= count; id++)
        if (bins_at(recorded->bins, id)->lead == id)
            recorded->leads[recorded->lead_count++] = id;
}

void recorded_heap_name_bins(struct recorded_heap *recorded)
{
    bins_update_names(recorded->bins, &recorded->wrappers, &recorded->rules, recorded->namer,
                      recorded->assigned, recorded->context);
}

/* Marks bins of allocators. A function that mapped memory with blocks in it is an allocator, also
 * for its other mappings. */
static void find_dealers(struct recorded_heap *recorded)
{
    struct block mapping;
    struct block block;
    for (uint64_t at = 0; blocks_next(recorded->mappings, at, &mapping);) {
        at = mapping.start + mapping.usable_bytes;
        if (!array_reach(&recorded->deals, &recorded->deals_room, mapping.bin,
                         sizeof *recorded->deals, PATHS_FIRST))
            return;
        if (mapping.bin > BINS_REST && !recorded->deals[mapping.bin])
            recorded->deals[mapping.bin] =
                blocks_next(recorded->blocks, mapping.start, &block) && block.start < at;
    }
}

bool recorded_heap_stats(const struct recorded_heap *recorded, uint32_t lead,
                         struct bin_stats *stats)
{
    if (!bins_stats(recorded->bins, lead, stats))
        return false;
    for (uint32_t id = lead; id; id = bins_at(recorded->bins, id)->next) {
        const struct bin_stats *own = &bins_at(recorded->bins, id)->stats;
        if (id >= recorded->deals_room || !recorded->deals[id])
            continue;
        stats->live_blocks -= own->live_blocks;
        stats->live_usable_bytes -= own->live_usable_bytes;
        stats->live_requested_bytes -= own->live_requested_bytes;
        stats->mark_blocks -= own->mark_blocks;
        stats->mark_usable_bytes -= own->mark_usable_bytes;
        for (int i = 0; i < HEAP_SIZES; i++)
            stats->sizes[i] -= own->sizes[i];
    }
    return true;
}

void recorded_heap_tick(struct recorded_heap *recorded, uint64_t now_ns)
{
    bins_tick(recorded->bins, now_ns);
    find_dealers(recorded);
    recorded_heap_name_bins(recorded);
    recorded_list_leads(recorded);
}

/* Public view of the bins: statistics, and the call path as text. */

enum { SITES_MAX = 1 << 18 };

/* Formats a return address; repeated until file and line are known. */
static void describe_site(struct recorded_heap *recorded, uint64_t address,
                          struct recorded_site *site)
{
    const char *function = NULL;
    const char *module = NULL;
    const char *file = NULL;
    uint32_t line = 0;
    /* A return address follows the call, and may be after the last line of the function. */
    bool known = recorded->namer(recorded->context, address - 1, &function, &module, &file, &line);
    bool later = known && line == BINS_LINE_LATER;
    const char *slash = file ? strrchr(file, '/') : NULL;
    if (later && site->words)
        return;
    site->unsure = later;
    if (!known || !function)
        site->words = arena_printf(&recorded->strings, "0x%llx", (unsigned long long)address);
    else if (file && line && !later)
        site->words = arena_printf(&recorded->strings, "%s (%s:%u)", function,
                                   slash ? slash + 1 : file, line);
    else if (module && *module)
        site->words = arena_printf(&recorded->strings, "%s (%s)", function, module);
    else
        site->words = arena_string(&recorded->strings, function);
}

static const char *site_of(struct recorded_heap *recorded, uint64_t address)
{
    bool created = false;
    uint32_t *index = array_more(&recorded->sites, &recorded->site_room, recorded->site_count,
                                 sizeof *recorded->sites, SITES_MAX)
                          ? hash_insert(&recorded->site_of, address, &created)
                          : hash_find(&recorded->site_of, address);
    if (!index)
        return "?";
    if (created) {
        *index = recorded->site_count++;
        recorded->sites[*index] = (struct recorded_site){.unsure = true};
    }
    struct recorded_site *site = &recorded->sites[*index];
    if (site->unsure)
        describe_site(recorded, address, site);
    return site->words ? site->words : "?";
}

bool recorded_heap_bin(struct recorded_heap *recorded, uint32_t index, struct heap_bin *bin)
{
    struct bin_stats stats;
    if (index >= recorded->lead_count)
        return false;
    uint32_t id = recorded->leads[index];
    const struct bin *lead = bins_at(recorded->bins, id);
    *bin = (struct heap_bin){.id = id};
    if (!lead || !recorded_heap_stats(recorded, id, &stats))
        return true;
    bin->name = bin_name(lead) ? bin_name(lead) : "heap";
    bin->path = lead->full_name;
    bin->renamed = lead->new_name;
    bin->type_id = lead->type;
    for (uint32_t next = lead->next; next; next = bins_at(recorded->bins, next)->next)
        bin->combined++;
    unsigned depth = lead->depth < RECORDED_DEPTH_SHOWN ? lead->depth : RECORDED_DEPTH_SHOWN;
    for (unsigned i = 0; i < depth; i++)
        recorded->shown[i] = site_of(recorded, bins_path(recorded->bins, lead)[i]);
    bin->site = recorded->shown;
    bin->site_count = depth;
    bin_stats_show(&stats, recorded->now_ns, bins_mark_ns(recorded->bins), bin);
    return true;
}

/* The blocks of a bin, and the paths that allocate them. */

static void each_block(const struct recorded_heap *recorded, const struct blocks *blocks,
                       uint32_t lead, void (*block)(void *context, uint64_t start, uint64_t bytes),
                       void *context)
{
    struct block found;
    for (uint64_t at = 0; blocks_next(blocks, at, &found); at = found.start + 1)
        if (recorded_heap_lead(recorded, found.bin) == lead)
            block(context, found.start,
                  found.requested_bytes ? found.requested_bytes : found.usable_bytes);
}

void recorded_heap_blocks(const struct recorded_heap *recorded, uint32_t bin,
                          void (*block)(void *context, uint64_t start, uint64_t bytes),
                          void *context)
{
    uint32_t lead = recorded_heap_lead(recorded, bin);
    each_block(recorded, recorded->blocks, lead, block, context);
    each_block(recorded, recorded->mappings, lead, block, context);
}

/* Considers only paths of malloc: the pair index of mappings, path * 2 + 1, is not used. */
enum allocation_path recorded_heap_path(const struct recorded_heap *recorded, uint32_t bin,
                                        uint32_t path)
{
    uint32_t its = path < recorded->path_room / 2 ? recorded->bin_of_path[path * 2] : 0;
    if (!bins_at(recorded->bins, its))
        return ALLOCATION_PATH_UNKNOWN;
    return recorded_heap_lead(recorded, its) == recorded_heap_lead(recorded, bin)
               ? ALLOCATION_PATH_ITS
               : ALLOCATION_PATH_OTHER;
}
