/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/heap/allocations.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/text.h"
#include "resolve/heap/bin_rules.h"
#include "resolve/heap/blocks.h"
#include "resolve/heap/walked_heap.h"

enum {
    WALKED_BINS = 1 << 30, /* bins of walked blocks come after those of call paths */
    PATHS_FIRST = 1024,
    DEPTH_SHOWN = 64,
    EVENTS_MAX = BLOCKS_PREFETCH_MAX,
    PAIR_BITS = 9,
    SITES_MAX = 1 << 18
};

#define UNSEEN_NS          (2 * CLOCK_NS_PER_S)
#define MAPPINGS_BYTES_MAX (UINT64_C(64) << 20)

static const uint64_t settle_ns = 100000000;

struct site {
    const char *text;   /* "function (file:line)" */
    bool is_incomplete; /* file and line may still become known */
};

struct allocations {
    struct allocations_options options;
    uint64_t marked_ns; /* 0: no mark yet */
    uint64_t ticked_ns;
    uint64_t settled_ns;
    uint64_t failed;      /* lookups on the heap */
    struct walked walked; /* where options.walk is set */
    /*
     * Records of the agent, if there is a feed: an index of live blocks, and bins by call path.
     * Mappings that the program makes itself, for its own allocator, are used where no block is
     * known.
     */
    struct blocks *blocks;   /* of malloc and related functions */
    struct blocks *mappings; /* of mmap */
    struct bins *bins;
    struct bin_rules rules;
    struct wrappers wrappers;
    uint32_t *bin_of_path; /* [path_room], by path * 2, + 1 for mappings; 0: none yet */
    size_t path_room;
    uint32_t *lead_bins; /* bins that represented their groups at the last tick */
    uint32_t lead_count;
    size_t lead_room;
    struct hash site_of; /* return address -> index into sites */
    struct site *sites;
    uint32_t site_count;
    size_t site_room;
    struct arena strings;
    const char *shown[DEPTH_SHOWN]; /* the call path returned last */
    uint64_t event_ns;              /* of the newest event */
    uint64_t unseen_events;         /* events lost and blocks displaced, at the last check */
    uint64_t unseen_ns;             /* time of the last event when `unseen_events` grew */
    unsigned event_count;
    struct feed_event events[EVENTS_MAX]; /* read but not yet in the index */
};

/* Counts a displaced block as freed: its free was lost. */
static void on_block_displaced(void *context, const struct block *gone)
{
    struct allocations *allocations = context;
    bins_count_free(allocations->bins, gone, allocations->event_ns);
}

static int open_records(struct allocations *allocations)
{
    int code = wrappers_init(&allocations->wrappers);
    if (!code)
        code = wrappers_add_settings(&allocations->wrappers);
    bin_rules_open(&allocations->rules, "bins");
    if (!code)
        code = blocks_new(&allocations->blocks, 0);
    if (!code)
        code = blocks_new(&allocations->mappings, MAPPINGS_BYTES_MAX);
    if (!code)
        code = bins_new(&allocations->bins, 0);
    if (code)
        return code;
    blocks_on_displaced(allocations->blocks, on_block_displaced, allocations);
    blocks_on_displaced(allocations->mappings, on_block_displaced, allocations);
    return 0;
}

int allocations_new(struct allocations **out, const struct allocations_options *options,
                    struct error *error)
{
    struct allocations *allocations = calloc(1, sizeof *allocations);
    int code = allocations ? 0 : -ENOMEM;
    if (!code && options->feed)
        code = open_records(allocations);
    if (!code && options->walk)
        code = walked_init(&allocations->walked, options->pid);
    if (code) {
        allocations_free(allocations);
        return error_set(error, code, "out of memory for the index of heap blocks");
    }
    allocations->options = *options;
    *out = allocations;
    return 0;
}

void allocations_free(struct allocations *allocations)
{
    if (!allocations)
        return;
    if (allocations->options.walk)
        walked_fini(&allocations->walked);
    blocks_free(allocations->blocks);
    blocks_free(allocations->mappings);
    bins_free(allocations->bins);
    bin_rules_fini(&allocations->rules);
    wrappers_fini(&allocations->wrappers);
    hash_fini(&allocations->site_of);
    arena_fini(&allocations->strings);
    free(allocations->bin_of_path);
    free(allocations->lead_bins);
    free(allocations->sites);
    free(allocations);
}

/* Returns the bin of a path. A path to a mapping has another bin than the same path to malloc. It
 * is also cut shorter, because it is chance which call makes an allocator take the next mapping. */
static uint32_t bin_of_path(struct allocations *allocations, uint32_t path, bool mapping)
{
    const uint64_t *frames;
    uint64_t marked[2] = {BINS_MAPPING};
    uint32_t index = path * 2 + mapping;
    if (!path || path > UINT32_MAX / 4 ||
        !array_reserve_index(&allocations->bin_of_path, &allocations->path_room, index,
                             sizeof *allocations->bin_of_path, PATHS_FIRST))
        return BINS_REST;
    if (allocations->bin_of_path[index])
        return allocations->bin_of_path[index];
    uint32_t depth = feed_path(allocations->options.feed, path, &frames);
    if (!depth)
        return BINS_REST;
    if (mapping) {
        marked[1] = frames[0];
        frames = marked;
        depth = 2;
    }
    allocations->bin_of_path[index] = bins_of_path(allocations->bins, frames, depth);
    return allocations->bin_of_path[index];
}

static struct block block_of(struct allocations *allocations, const struct feed_event *event,
                             bool mapping)
{
    return (struct block){.start = event->address,
                          .usable_bytes = event->usable,
                          .requested_bytes = event->requested,
                          .born_ns = event->is_timed ? event->time_ns : 0,
                          .bin = bin_of_path(allocations, event->path, mapping)};
}

static void add_block(struct allocations *allocations, struct blocks *blocks,
                      const struct feed_event *event)
{
    struct block block = block_of(allocations, event, blocks == allocations->mappings);
    if (!blocks_add(blocks, &block))
        bins_count_alloc(allocations->bins, &block, event->time_ns);
}

/* Removes a range from the mappings; what remains of a mapping keeps its bin. */
static void unmap_range(struct allocations *allocations, uint64_t start, uint64_t end)
{
    struct block block;
    struct block rest;
    bool into = blocks_find(allocations->mappings, start, &block) && block.start < start;
    uint64_t last = into ? block.start + block.usable_bytes : 0;
    if (into && blocks_remove(allocations->mappings, block.start, NULL)) {
        bins_count_free(allocations->bins, &block, allocations->event_ns);
        rest = block;
        rest.usable_bytes = rest.requested_bytes = start - block.start;
        if (!blocks_add(allocations->mappings, &rest))
            bins_count_alloc(allocations->bins, &rest, allocations->event_ns);
    } else if (blocks_find(allocations->mappings, end - 1, &block)) {
        last = block.start + block.usable_bytes;
    }
    blocks_remove_range(allocations->mappings, start, end, on_block_displaced, allocations);
    if (last <= end)
        return;
    rest = block;
    rest.start = end;
    rest.usable_bytes = rest.requested_bytes = last - end;
    if (!blocks_add(allocations->mappings, &rest))
        bins_count_alloc(allocations->bins, &rest, allocations->event_ns);
}

static void take_event(struct allocations *allocations, const struct feed_event *event)
{
    struct block gone;
    allocations->event_ns = event->time_ns;
    switch (event->kind) {
    case FEED_ALLOC:
        add_block(allocations, allocations->blocks, event);
        break;
    case FEED_FREE:
        if (blocks_remove(allocations->blocks, event->address, &gone))
            bins_count_free(allocations->bins, &gone, event->time_ns);
        break;
    case FEED_MAP:
        add_block(allocations, allocations->mappings, event);
        break;
    case FEED_UNMAP:
        if (event->usable && event->address + event->usable > event->address)
            unmap_range(allocations, event->address, event->address + event->usable);
        break;
    case FEED_NOTHING:
        break;
    }
}

/* Counts a block allocated and freed without a sample between; it is never in the index. */
static void count_pair(struct allocations *allocations, const struct feed_event *alloc,
                       const struct feed_event *end)
{
    struct block block = block_of(allocations, alloc, false);
    bins_count_alloc(allocations->bins, &block, alloc->time_ns);
    bins_count_free(allocations->bins, &block, end->time_ns);
}

static unsigned pair_hash_slot(uint64_t address)
{
    return (uint32_t)(address >> 4) * UINT32_C(0x9e3779b1) >> (32 - PAIR_BITS);
}

/* Finds, for each allocation of a block that is freed among the same events, the index of its free.
 * All other events get their own index. */
static void find_pairs(const struct allocations *allocations, uint8_t end[EVENTS_MAX])
{
    uint8_t latest[1 << PAIR_BITS]; /* allocation with this address hash, + 1 */
    memset(latest, 0, sizeof latest);
    for (unsigned i = 0; i < allocations->event_count; i++) {
        const struct feed_event *event = &allocations->events[i];
        uint8_t *place = &latest[pair_hash_slot(event->address)];
        bool same = *place && allocations->events[*place - 1].address == event->address;
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
 * Blocks that were allocated and freed since the last sample, or EVENTS_MAX events ago, are only
 * counted: no sample looks for them. Not for UNSEEN_NS after a free was not seen (lost, or an
 * allocator has functions that are not ours): an allocation then also says which block is gone.
 */
static void count_pairs(struct allocations *allocations)
{
    uint8_t end[EVENTS_MAX];
    unsigned rest = 0;
    find_pairs(allocations, end);
    for (unsigned i = 0; i < allocations->event_count; i++) {
        struct feed_event *event = &allocations->events[i];
        if (end[i] != i) {
            count_pair(allocations, event, &allocations->events[end[i]]);
            allocations->events[end[i]].kind = FEED_NOTHING;
        } else if (event->kind != FEED_NOTHING) {
            allocations->events[rest++] = *event;
        }
    }
    allocations->event_count = rest;
}

static void take_events(struct allocations *allocations)
{
    uint64_t starts[EVENTS_MAX];
    if (!allocations->event_count)
        return;
    uint64_t now_ns = allocations->events[allocations->event_count - 1].time_ns;
    if (!allocations->unseen_events || now_ns > allocations->unseen_ns + UNSEEN_NS)
        count_pairs(allocations);
    for (unsigned i = 0; i < allocations->event_count; i++)
        starts[i] = allocations->events[i].address;
    blocks_prefetch(allocations->blocks, starts, allocations->event_count);
    for (unsigned i = 0; i < allocations->event_count; i++)
        take_event(allocations, &allocations->events[i]);
    allocations->event_ns = now_ns;
    allocations->event_count = 0;
}

static void keep_event(void *context, const struct feed_event *event)
{
    struct allocations *allocations = context;
    allocations->events[allocations->event_count++] = *event;
    if (allocations->event_count == EVENTS_MAX)
        take_events(allocations);
}

long allocations_follow(struct allocations *allocations, uint64_t until_ns)
{
    if (!allocations->options.feed)
        return 0;
    uint64_t unseen = feed_lost(allocations->options.feed) + blocks_displaced(allocations->blocks);
    if (unseen != allocations->unseen_events)
        allocations->unseen_ns = allocations->event_ns;
    allocations->unseen_events = unseen;
    long count = feed_read(allocations->options.feed, until_ns, keep_event, allocations);
    take_events(allocations);
    return count;
}

void allocations_await(struct allocations *allocations, uint64_t patience_ns)
{
    if (allocations->options.walk)
        walked_settle(&allocations->walked, patience_ns);
}

static void name_bins(struct allocations *allocations)
{
    const struct allocations_options *options = &allocations->options;
    bins_update_names(allocations->bins, &allocations->wrappers, &allocations->rules, options->name,
                      options->assigned, options->context);
}

void allocations_settle(struct allocations *allocations, uint64_t now_ns)
{
    allocations_await(allocations, 0);
    if (!allocations->bins || now_ns < allocations->settled_ns + settle_ns)
        return;
    name_bins(allocations);
    allocations->settled_ns = now_ns;
}

void allocations_retry_names(struct allocations *allocations)
{
    if (allocations->bins)
        bins_retry_names(allocations->bins);
}

/* Drops all records: addresses mean other code now, so bins and their names are reset too. */
static void forget_records(struct allocations *allocations)
{
    struct bins *fresh;
    blocks_remove_range(allocations->blocks, 0, BLOCKS_ADDRESS_END, on_block_displaced,
                        allocations);
    blocks_remove_range(allocations->mappings, 0, BLOCKS_ADDRESS_END, on_block_displaced,
                        allocations);
    if (bins_new(&fresh, 0))
        return;
    bins_free(allocations->bins);
    allocations->bins = fresh;
    if (allocations->path_room)
        memset(allocations->bin_of_path, 0,
               allocations->path_room * sizeof *allocations->bin_of_path);
    hash_clear(&allocations->site_of);
    allocations->site_count = allocations->lead_count = 0;
}

void allocations_forget(struct allocations *allocations)
{
    if (allocations->bins)
        forget_records(allocations);
    if (allocations->options.walk)
        walked_forget(&allocations->walked);
    allocations->marked_ns = 0;
}

/* Finds the block around an address, otherwise the mapping. Returns false if there is neither. */
static bool find_record(const struct allocations *allocations, uint64_t address,
                        struct allocation *found)
{
    struct block block;
    bool of_malloc = blocks_find(allocations->blocks, address, &block);
    if (!of_malloc && !blocks_find(allocations->mappings, address, &block))
        return false;
    *found = (struct allocation){block.start, block.start + block.usable_bytes, block.bin,
                                 of_malloc ? ALLOCATION_RECORDED : ALLOCATION_MAPPING, true};
    return true;
}

bool allocations_find(struct allocations *allocations, const struct space *space, uint64_t address,
                      uint64_t time_ns, struct allocation *found)
{
    struct block block;
    if (allocations->bins && find_record(allocations, address, found))
        return true;
    if (allocations->options.walk &&
        walked_find(&allocations->walked, space, address, time_ns, &block)) {
        bool own = block.bin == WALKED_HEADERS || block.bin == WALKED_GO;
        *found = (struct allocation){
            block.start, block.start + block.usable_bytes, WALKED_BINS + block.bin,
            own ? ALLOCATION_HEADER : ALLOCATION_WALKED, block.bin >= WALKED_SIZES};
        return true;
    }
    allocations->failed++;
    return false;
}

bool allocations_holds(struct allocations *allocations, const struct space *space, uint64_t now_ns,
                       uint64_t start, uint64_t end)
{
    struct block block;
    return allocations->options.walk &&
           walked_find(&allocations->walked, space, start, now_ns, &block) &&
           block.bin >= WALKED_SIZES && block.start == start &&
           block.start + block.usable_bytes == end;
}

bool allocations_bin_walked(uint32_t bin)
{
    return bin >= WALKED_BINS;
}

static bool narrow_to_blocks(const struct blocks *blocks, uint64_t address, uint64_t *base,
                             uint64_t *bound)
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

bool allocations_gap(const struct allocations *allocations, uint64_t address, uint64_t *base,
                     uint64_t *bound)
{
    if (!allocations->bins)
        return false;
    bool mapped = narrow_to_blocks(allocations->mappings, address, base, bound);
    return narrow_to_blocks(allocations->blocks, address, base, bound) || mapped;
}

/* A function that mapped memory with blocks in it is an allocator, also for its other mappings. */
static void find_allocator_bins(struct allocations *allocations)
{
    struct block mapping;
    struct block block;
    for (uint64_t at = 0; blocks_next(allocations->mappings, at, &mapping);) {
        at = mapping.start + mapping.usable_bytes;
        if (mapping.bin > BINS_REST)
            bins_at(allocations->bins, mapping.bin)->is_of_allocator |=
                blocks_next(allocations->blocks, mapping.start, &block) && block.start < at;
    }
}

/* A mapping that an allocator cuts into blocks is counted by its blocks only. */
static bool group_stats(const struct allocations *allocations, uint32_t lead,
                        struct bin_stats *stats)
{
    if (!bins_stats(allocations->bins, lead, stats))
        return false;
    const struct bin *bin;
    for (uint32_t id = lead; (bin = bins_at(allocations->bins, id)); id = bin->next) {
        const struct bin_stats *own = &bin->stats;
        if (!bin->is_of_allocator)
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

static void list_lead_bins(struct allocations *allocations)
{
    uint32_t count = bins_count(allocations->bins);
    allocations->lead_count = 0;
    if (count > allocations->lead_room &&
        !array_reserve_exact(&allocations->lead_bins, &allocations->lead_room, (size_t)count * 2,
                             sizeof *allocations->lead_bins))
        return;
    for (uint32_t id = 1; id <= count; id++)
        if (bins_at(allocations->bins, id)->lead_bin == id)
            allocations->lead_bins[allocations->lead_count++] = id;
}

void allocations_tick(struct allocations *allocations, const struct space *space,
                      const struct tcbs *tcbs, bool alive, uint64_t now_ns)
{
    allocations->ticked_ns = now_ns;
    if (allocations->bins) {
        bins_tick(allocations->bins, now_ns);
        find_allocator_bins(allocations);
        name_bins(allocations);
        list_lead_bins(allocations);
    }
    if (allocations->options.walk && alive)
        walked_tick(&allocations->walked, space, tcbs, now_ns);
}

void allocations_mark(struct allocations *allocations, uint64_t now_ns)
{
    allocations->marked_ns = now_ns;
    if (allocations->bins)
        bins_mark(allocations->bins, now_ns);
    if (allocations->options.walk)
        walked_mark(&allocations->walked);
}

/* Applies changed rules: other bins now represent their groups. */
static int keep_rules(struct allocations *allocations)
{
    int code = bins_regroup(allocations->bins, &allocations->rules);
    bin_rules_keep(&allocations->rules);
    list_lead_bins(allocations);
    return code;
}

static const char *full_name(const struct allocations *allocations, uint32_t bin)
{
    const struct bin *at = bins_at(allocations->bins, bin);
    return at ? at->full_name : NULL;
}

/* Rules are about call paths, which walked blocks do not have. */
static int can_change(const struct allocations *allocations, uint32_t bin)
{
    return bin >= WALKED_BINS ? -EOPNOTSUPP : allocations->bins ? 0 : -ENOENT;
}

int allocations_rename(struct allocations *allocations, uint32_t bin, const char *name)
{
    int code = can_change(allocations, bin);
    const char *full = code ? NULL : full_name(allocations, bin);
    if (!code)
        code = full ? bin_rules_rename(&allocations->rules, full, name) : -ENOENT;
    return code ? code : keep_rules(allocations);
}

int allocations_combine(struct allocations *allocations, const uint32_t *bins, uint32_t count)
{
    int code = count > 1 ? 0 : -EINVAL;
    for (uint32_t i = 0; i < count && !code; i++)
        code = can_change(allocations, bins[i]);
    if (code)
        return code;
    bin_rules_begin_step(&allocations->rules);
    for (uint32_t i = 1; i < count && !code; i++) {
        const char *into = full_name(allocations, bins[0]);
        const char *from = full_name(allocations, bins[i]);
        code = into && from ? bin_rules_combine(&allocations->rules, into, from) : -ENOENT;
    }
    code = bin_rules_end_step(&allocations->rules, code);
    return code ? code : keep_rules(allocations);
}

int allocations_undo(struct allocations *allocations)
{
    return allocations->bins && bin_rules_undo(&allocations->rules) ? keep_rules(allocations)
                                                                    : -ENOENT;
}

/* Returns NULL if the bin has no call path, or is not known. */
static const struct bin *find_bin(const struct allocations *allocations, uint32_t bin)
{
    return allocations->bins ? bins_at(allocations->bins, bin) : NULL;
}

/* Returns the size class of a bin; NULL: it is a call path. */
static const struct walked_class *find_walked_class(const struct allocations *allocations,
                                                    uint32_t bin)
{
    const struct walked_classes *classes = &allocations->walked.classes;
    return bin >= WALKED_BINS && bin - WALKED_BINS < classes->count
               ? &classes->list[bin - WALKED_BINS]
               : NULL;
}

const char *allocations_bin_name(const struct allocations *allocations, uint32_t bin)
{
    const struct walked_class *class = find_walked_class(allocations, bin);
    if (class)
        return class->name;
    const struct bin *at = find_bin(allocations, bin);
    const char *name = at ? bin_name(at) : NULL;
    return name ? name : "heap (not named yet)";
}

const char *allocations_bin_maker(const struct allocations *allocations, uint32_t bin)
{
    const struct walked_class *class = find_walked_class(allocations, bin);
    return class && walk_class_is_go(class->size_class) ? "new" : "malloc";
}

void allocations_bin_live(const struct allocations *allocations, uint32_t bin, uint64_t *blocks,
                          uint64_t *bytes)
{
    struct bin_stats stats = {0};
    const struct walked_class *class = find_walked_class(allocations, bin);
    if (class)
        stats = class->stats;
    else if (allocations->bins)
        bins_stats(allocations->bins, bin, &stats);
    *blocks = stats.live_blocks;
    *bytes = stats.live_usable_bytes;
}

uint32_t allocations_bin_lead(const struct allocations *allocations, uint32_t bin)
{
    const struct bin *at = find_bin(allocations, bin);
    return at ? at->lead_bin : bin;
}

uint32_t allocations_bin_type(const struct allocations *allocations, uint32_t bin)
{
    const struct bin *at = find_bin(allocations, bin);
    return at ? at->type : 0;
}

static void each_block(const struct allocations *allocations, const struct blocks *blocks,
                       uint32_t lead, allocations_block *block, void *context)
{
    struct block found;
    for (uint64_t at = 0; blocks_next(blocks, at, &found); at = found.start + 1)
        if (allocations_bin_lead(allocations, found.bin) == lead)
            block(context, found.start,
                  found.requested_bytes ? found.requested_bytes : found.usable_bytes);
}

int allocations_blocks(const struct allocations *allocations, uint32_t bin,
                       allocations_block *block, void *context)
{
    if (!allocations->bins || bin >= WALKED_BINS)
        return -ENOTSUP;
    uint32_t lead = allocations_bin_lead(allocations, bin);
    each_block(allocations, allocations->blocks, lead, block, context);
    each_block(allocations, allocations->mappings, lead, block, context);
    return 0;
}

/* Considers only paths of malloc: the pair index of mappings, path * 2 + 1, is not used. */
enum allocation_path allocations_path(const struct allocations *allocations, uint32_t bin,
                                      uint32_t path)
{
    uint32_t its = path < allocations->path_room / 2 ? allocations->bin_of_path[path * 2] : 0;
    if (!allocations->bins)
        return ALLOCATION_PATH_OTHER;
    if (!bins_at(allocations->bins, its))
        return ALLOCATION_PATH_UNKNOWN;
    return allocations_bin_lead(allocations, its) == allocations_bin_lead(allocations, bin)
               ? ALLOCATION_PATH_MATCHES
               : ALLOCATION_PATH_OTHER;
}

static void summarise_walk(const struct walked *walked, struct heap_summary *summary)
{
    const char *status = walk_status(walked->walk);
    summary->feed = status ? HEAP_FEED_NONE : HEAP_FEED_WALK;
    summary->note = status ? status : walked->counted_ns ? NULL : "its blocks are being counted";
    summary->live_blocks = walked->classes.live_blocks;
    summary->usable_bytes = walked->classes.usable_bytes;
    summary->bins = walked->classes.count;
}

static const char *feed_state_note(const struct feed *feed, const char *note)
{
    const char *why = NULL;
    enum feed_state state = feed_state(feed, &why);
    if (why)
        return why;
    return state == FEED_NOT_STARTED ? "the program has not loaded the agent (yet)" : note;
}

static void summarise_recorded(const struct allocations *allocations, struct heap_summary *summary)
{
    const struct feed *feed = allocations->options.feed;
    summary->feed = HEAP_FEED_AGENT;
    summary->source = "agent";
    summary->note = feed_state_note(feed, summary->note);
    summary->lost = feed_lost(feed) + blocks_refused(allocations->blocks);
    summary->bins = allocations->lead_count;
    for (uint32_t i = 0; i < allocations->lead_count; i++) {
        struct bin_stats stats;
        if (!group_stats(allocations, allocations->lead_bins[i], &stats))
            continue;
        summary->live_blocks += stats.live_blocks;
        summary->usable_bytes += stats.live_usable_bytes;
        summary->requested_bytes += stats.live_requested_bytes;
    }
}

void allocations_summary(const struct allocations *allocations, struct heap_summary *summary)
{
    *summary = (struct heap_summary){.mark_age_s = NAN, .note = allocations->options.note};
    if (allocations->bins) {
        summarise_recorded(allocations, summary);
    } else if (allocations->options.walk) {
        summarise_walk(&allocations->walked, summary);
        summary->source = walk_source(allocations->walked.walk);
    }
    summary->failed = allocations->failed;
    if (allocations->marked_ns && allocations->ticked_ns >= allocations->marked_ns)
        summary->mark_age_s =
            (double)(allocations->ticked_ns - allocations->marked_ns) / CLOCK_NS_PER_S;
}

static void describe_walked(const struct allocations *allocations, uint32_t index,
                            struct heap_bin *bin)
{
    const struct walked_class *class = &allocations->walked.classes.list[index];
    *bin = (struct heap_bin){.id = WALKED_BINS + index, .name = class->name, .is_size_class = true};
    bin_stats_show(&class->stats, 0, allocations->walked.marked, bin);
    bin->allocations_per_s = bin->frees_per_s = NAN; /* a walk does not see allocations and frees */
}

/* Formats a return address; repeated until file and line are known. */
static void describe_site(struct allocations *allocations, uint64_t address, struct site *site)
{
    const char *function = NULL;
    const char *module = NULL;
    const char *file = NULL;
    uint32_t line = 0;
    /* A return address follows the call, and may be after the last line of the function. */
    bool known = allocations->options.name(allocations->options.context, address - 1, &function,
                                           &module, &file, &line);
    bool later = known && line == BINS_LINE_LATER;
    if (later && site->text)
        return;
    site->is_incomplete = later;
    if (!known || !function)
        site->text = arena_printf(&allocations->strings, "0x%llx", (unsigned long long)address);
    else if (file && line && !later)
        site->text =
            arena_printf(&allocations->strings, "%s (%s:%u)", function, text_base_name(file), line);
    else if (module && *module)
        site->text = arena_printf(&allocations->strings, "%s (%s)", function, module);
    else
        site->text = arena_string(&allocations->strings, function);
}

static const char *site_text(struct allocations *allocations, uint64_t address)
{
    bool created = false;
    uint32_t *index =
        array_reserve_next(&allocations->sites, &allocations->site_room, allocations->site_count,
                           sizeof *allocations->sites, SITES_MAX)
            ? hash_insert(&allocations->site_of, address, &created)
            : hash_find(&allocations->site_of, address);
    if (!index)
        return "?";
    if (created) {
        *index = allocations->site_count++;
        allocations->sites[*index] = (struct site){.is_incomplete = true};
    }
    struct site *site = &allocations->sites[*index];
    if (site->is_incomplete)
        describe_site(allocations, address, site);
    return site->text ? site->text : "?";
}

static void describe_bin(struct allocations *allocations, uint32_t id, struct heap_bin *bin)
{
    struct bin_stats stats;
    const struct bin *lead = bins_at(allocations->bins, id);
    *bin = (struct heap_bin){.id = id};
    if (!lead || !group_stats(allocations, id, &stats))
        return;
    bin->name = bin_name(lead) ? bin_name(lead) : "heap";
    bin->path = lead->full_name;
    bin->renamed = lead->new_name;
    bin->type_id = lead->type;
    for (uint32_t next = lead->next; next; next = bins_at(allocations->bins, next)->next)
        bin->combined++;
    unsigned depth = lead->depth < DEPTH_SHOWN ? lead->depth : DEPTH_SHOWN;
    for (unsigned i = 0; i < depth; i++)
        allocations->shown[i] = site_text(allocations, bins_path(allocations->bins, lead)[i]);
    bin->site = allocations->shown;
    bin->site_count = depth;
    bin_stats_show(&stats, allocations->event_ns, bins_mark_ns(allocations->bins), bin);
}

bool allocations_bin(struct allocations *allocations, uint32_t index, struct heap_bin *bin)
{
    uint32_t count = allocations->bins           ? allocations->lead_count
                     : allocations->options.walk ? allocations->walked.classes.count
                                                 : 0;
    if (index >= count)
        return false;
    if (allocations->bins)
        describe_bin(allocations, allocations->lead_bins[index], bin);
    else
        describe_walked(allocations, index, bin);
    return true;
}
