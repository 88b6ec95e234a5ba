/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/heap/recorded_heap.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "resolve/heap/bin_rules.h"

static void told_list_leads(struct told *told);

/* What the user wants bins of recorded_heap.c called and combined, kept in a file of theirs. */

/* The rules as the user's files have them, and the bins that stand for
 * their groups after rules or bins were new. */
static void told_load_rules(struct told *told)
{
    struct error unread;
    wrappers_init(&told->wrappers);
    bin_rules_init(&told->rules);
    wrappers_add_settings(&told->wrappers);
    if (rc_path(told->rules_path, sizeof told->rules_path, "bins"))
        told->rules_path[0] = '\0';
    else if (bin_rules_load(&told->rules, told->rules_path, &unread))
        told->rules_path[0] = '\0'; /* not ours to write over */
}

/* Rules are about full names; a change is kept at once, for misstop may be killed. */
static int keep_rules(struct told *told)
{
    struct error unwritten;
    int code = bins_regroup(told->bins, &told->rules);
    if (told->rules_path[0])
        bin_rules_save(&told->rules, told->rules_path, &unwritten);
    told_list_leads(told);
    return code;
}

static const char *full_name(const struct told *told, uint32_t bin)
{
    struct bin_info info;
    return bins_info(told->bins, bin, &info) ? info.full_name : NULL;
}

int told_rename(struct told *told, uint32_t bin, const char *name)
{
    const char *full = full_name(told, bin);
    int code = full ? bin_rules_rename(&told->rules, full, name) : -ENOENT;
    return code ? code : keep_rules(told);
}

int told_combine(struct told *told, const uint32_t *bins, uint32_t count)
{
    int code = count > 1 ? 0 : -EINVAL;
    uint32_t before = told->rules.count;
    bin_rules_begin_step(&told->rules);
    for (uint32_t i = 1; i < count && !code; i++) {
        const char *into = full_name(told, bins[0]);
        const char *from = full_name(told, bins[i]);
        code = into && from ? bin_rules_combine(&told->rules, into, from) : -ENOENT;
    }
    bin_rules_end_step(&told->rules);
    if (code && told->rules.count > before)
        bin_rules_undo(&told->rules);
    return code ? code : keep_rules(told);
}

int told_undo(struct told *told)
{
    return bin_rules_undo(&told->rules) ? keep_rules(told) : -ENOENT;
}

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
static uint32_t recorded_bin_of(struct told *told, uint32_t path, bool mapping)
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
static bool told_name_address(void *context, uint64_t address, const char **function,
                              const char **module, const char **file, uint32_t *line)
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
                          .bin = recorded_bin_of(told, event->path, mapping)};
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

static void told_list_leads(struct told *told)
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
            deals[mapping.bin] =
                blocks_next(told->blocks, mapping.start, &block) && block.start < at;
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

/* The bins of recorded_heap.c as others see them: figures, and the call path in words. */

enum { SITES_FIRST = 1024, SITES_MAX = 1 << 18 };

/* In words; again as long as file and line are still to come. */
static void describe_site(struct told *told, uint64_t address, struct told_site *site)
{
    const char *function = NULL;
    const char *module = NULL;
    const char *file = NULL;
    uint32_t line = 0;
    /* A return address is behind its call, perhaps behind the last line of the function. */
    bool known = told_name_address(told, address - 1, &function, &module, &file, &line);
    bool later = known && line == BINS_LINE_LATER;
    const char *slash = file ? strrchr(file, '/') : NULL;
    if (later && site->words)
        return;
    site->unsure = later;
    if (!known || !function)
        site->words = arena_printf(&told->strings, "0x%llx", (unsigned long long)address);
    else if (file && line && !later)
        site->words =
            arena_printf(&told->strings, "%s (%s:%u)", function, slash ? slash + 1 : file, line);
    else if (module && *module)
        site->words = arena_printf(&told->strings, "%s (%s)", function, module);
    else
        site->words = arena_string(&told->strings, function);
}

static bool make_site_room(struct told *told)
{
    if (told->site_count < told->site_room)
        return true;
    uint32_t room = told->site_room ? told->site_room * 2 : SITES_FIRST;
    struct told_site *more = realloc(told->sites, room * sizeof *more);
    if (!more)
        return false;
    told->sites = more;
    told->site_room = room;
    return true;
}

static const char *site_of(struct told *told, uint64_t address)
{
    bool created = false;
    uint32_t *index = told->site_count < SITES_MAX && make_site_room(told)
                          ? hash_insert(&told->site_of, address, &created)
                          : hash_find(&told->site_of, address);
    if (!index)
        return "?";
    if (created) {
        *index = told->site_count++;
        told->sites[*index] = (struct told_site){.unsure = true};
    }
    struct told_site *site = &told->sites[*index];
    if (site->unsure)
        describe_site(told, address, site);
    return site->words ? site->words : "?";
}

static void fill_figures(const struct told *told, const struct bin_stats *stats,
                         struct heap_bin *bin)
{
    uint64_t now = told->now_ns;
    bin->live_blocks = stats->live_blocks;
    bin->usable_bytes = stats->live_usable_bytes;
    bin->requested_bytes = stats->live_requested_bytes;
    bin->allocations = stats->allocations;
    bin->frees = stats->frees;
    bin->allocations_per_s = stats->allocations_per_s;
    bin->frees_per_s = stats->frees_per_s;
    bin->lifetime_s = bin_stats_lifetime_ns(stats) / CLOCK_NS_PER_S;
    bin->age_s = stats->first_ns && now > stats->first_ns
                     ? (double)(now - stats->first_ns) / CLOCK_NS_PER_S
                     : NAN;
    bin->quiet_s = stats->last_ns && now >= stats->last_ns
                       ? (double)(now - stats->last_ns) / CLOCK_NS_PER_S
                       : NAN;
    bin->growth_blocks = bin->growth_bytes = NAN;
    if (bins_mark_ns(told->bins)) {
        bin->growth_blocks = (double)stats->live_blocks - (double)stats->mark_blocks;
        bin->growth_bytes = (double)stats->live_usable_bytes - (double)stats->mark_usable_bytes;
    }
}

/* From classes by powers of two from 1 to those from 32 (place.h). */
static void fill_sizes(const struct bin_stats *stats, struct heap_bin *bin)
{
    for (unsigned i = 0; i < BINS_CLASSES; i++) {
        /* Class i reaches to below 2^i. */
        unsigned to = i <= 5 ? 0 : i - 5;
        bin->sizes[to < HEAP_SIZES ? to : HEAP_SIZES - 1] += stats->sizes[i];
    }
}

bool told_bin(struct told *told, uint32_t index, struct heap_bin *bin)
{
    struct bin_stats stats;
    struct bin_info info;
    if (index >= told->lead_count)
        return false;
    uint32_t id = told->leads[index];
    *bin = (struct heap_bin){.id = id};
    if (!bins_info(told->bins, id, &info) || !told_stats(told, id, &stats))
        return true;
    bin->name = info.name ? info.name : "heap";
    bin->path = info.full_name;
    bin->renamed = info.renamed;
    bin->type_id = info.type;
    for (uint32_t next = info.next; next; bin->combined++) {
        struct bin_info other;
        next = bins_info(told->bins, next, &other) ? other.next : 0;
    }
    unsigned depth = info.depth < TOLD_DEPTH_SHOWN ? info.depth : TOLD_DEPTH_SHOWN;
    for (unsigned i = 0; i < depth; i++)
        told->shown[i] = site_of(told, info.path[i]);
    bin->site = told->shown;
    bin->site_count = depth;
    fill_figures(told, &stats, bin);
    fill_sizes(&stats, bin);
    return true;
}

/* The blocks of a bin, and the paths that make them; declared in recorded_heap.h. */

static void each_block(const struct told *told, const struct blocks *blocks, uint32_t lead,
                       void (*block)(void *context, uint64_t start, uint64_t bytes), void *context)
{
    struct block found;
    for (uint64_t at = 0; blocks_next(blocks, at, &found); at = found.start + 1)
        if (told_lead(told, found.bin) == lead)
            block(context, found.start,
                  found.requested_bytes ? found.requested_bytes : found.usable_bytes);
}

void told_blocks(const struct told *told, uint32_t bin,
                 void (*block)(void *context, uint64_t start, uint64_t bytes), void *context)
{
    uint32_t lead = told_lead(told, bin);
    each_block(told, told->blocks, lead, block, context);
    each_block(told, told->mappings, lead, block, context);
}

/* Those of malloc: of mappings the pair index, path * 2 + 1, is not asked for. */
enum allocation_path told_path(const struct told *told, uint32_t bin, uint32_t path)
{
    struct bin_info info;
    uint32_t its = path < told->path_room / 2 ? told->bin_of_path[path * 2] : 0;
    if (!its || !bins_info(told->bins, its, &info) || !info.lead)
        return ALLOCATION_PATH_UNKNOWN;
    return info.lead == told_lead(told, bin) ? ALLOCATION_PATH_ITS : ALLOCATION_PATH_OTHER;
}
