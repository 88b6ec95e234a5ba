/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/heap/allocations.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "resolve/heap/recorded_heap.h"
#include "resolve/heap/walked_heap.h"

/* Bins of walked blocks come after those of call paths. */
enum { WALKED_BINS = 1 << 30 };

static const uint64_t settle_ns = 100000000;

struct allocations {
    struct allocations_options options;
    struct recorded_heap recorded;
    struct walked walked;
    bool has_agent;
    bool walks;
    uint64_t marked_ns; /* 0: no mark yet */
    uint64_t now_ns;    /* of the last tick */
    uint64_t settled_ns;
    uint64_t failed; /* failed lookups on the heap */
    char source[96];
};

int allocations_new(struct allocations **out, const struct allocations_options *options,
                    struct error *error)
{
    struct allocations *allocations = calloc(1, sizeof *allocations);
    int code = allocations ? 0 : -ENOMEM;
    if (!code)
        allocations->options = *options;
    if (!code && options->feed) {
        code = recorded_heap_init(&allocations->recorded, options->feed, options->name,
                                  options->assigned, options->context);
        allocations->has_agent = !code;
    }
    if (!code && options->walk) {
        code = walked_init(&allocations->walked, options->pid);
        allocations->walks = !code;
    }
    if (code) {
        allocations_free(allocations);
        return error_set(error, code, "out of memory for the index of heap blocks");
    }
    *out = allocations;
    return 0;
}

void allocations_free(struct allocations *allocations)
{
    if (!allocations)
        return;
    if (allocations->has_agent)
        recorded_heap_fini(&allocations->recorded);
    if (allocations->walks)
        walked_fini(&allocations->walked);
    free(allocations);
}

long allocations_follow(struct allocations *allocations, uint64_t until_ns)
{
    return allocations->has_agent ? recorded_heap_follow(&allocations->recorded, until_ns) : 0;
}

void allocations_await(struct allocations *allocations, uint64_t patience_ns)
{
    if (allocations->walks)
        walked_settle(&allocations->walked, patience_ns);
}

void allocations_settle(struct allocations *allocations, uint64_t now_ns)
{
    allocations_await(allocations, 0);
    if (!allocations->has_agent || now_ns < allocations->settled_ns + settle_ns)
        return;
    recorded_heap_name_bins(&allocations->recorded);
    allocations->settled_ns = now_ns;
}

void allocations_ask_again(struct allocations *allocations)
{
    if (allocations->has_agent)
        bins_ask_again(allocations->recorded.bins);
}

void allocations_forget(struct allocations *allocations)
{
    if (allocations->has_agent)
        recorded_heap_forget(&allocations->recorded);
    if (allocations->walks)
        walked_forget(&allocations->walked);
    allocations->marked_ns = 0;
}

bool allocations_find(struct allocations *allocations, const struct space *space, uint64_t address,
                      uint64_t time_ns, struct allocation *found)
{
    struct block block;
    bool mapping;
    if (allocations->has_agent &&
        recorded_heap_find(&allocations->recorded, address, &block, &mapping)) {
        *found = (struct allocation){block.start, block.start + block.usable_bytes, block.bin,
                                     mapping ? ALLOCATION_MAPPING : ALLOCATION_RECORDED, true};
        return true;
    }
    if (allocations->walks && walked_find(&allocations->walked, space, address, time_ns, &block)) {
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
    return allocations->walks && walked_find(&allocations->walked, space, start, now_ns, &block) &&
           block.bin >= WALKED_SIZES && block.start == start &&
           block.start + block.usable_bytes == end;
}

bool allocations_bin_walked(uint32_t bin)
{
    return bin >= WALKED_BINS;
}

bool allocations_gap(const struct allocations *allocations, uint64_t address, uint64_t *base,
                     uint64_t *bound)
{
    return allocations->has_agent &&
           recorded_heap_gap(&allocations->recorded, address, base, bound);
}

void allocations_tick(struct allocations *allocations, const struct space *space,
                      const struct tcbs *tcbs, bool alive, uint64_t now_ns)
{
    allocations->now_ns = now_ns;
    if (allocations->has_agent)
        recorded_heap_tick(&allocations->recorded, now_ns);
    if (allocations->walks && alive)
        walked_tick(&allocations->walked, space, tcbs, now_ns);
}

void allocations_mark(struct allocations *allocations, uint64_t now_ns)
{
    allocations->marked_ns = now_ns;
    if (allocations->has_agent)
        bins_mark(allocations->recorded.bins, now_ns);
    if (allocations->walks)
        walked_mark(&allocations->walked);
}

/* Walked blocks have no call path that a rule could name. */
static int can_change(const struct allocations *allocations, uint32_t bin)
{
    return bin >= WALKED_BINS ? -EOPNOTSUPP : allocations->has_agent ? 0 : -ENOENT;
}

int allocations_rename(struct allocations *allocations, uint32_t bin, const char *name)
{
    int code = can_change(allocations, bin);
    return code ? code : recorded_heap_rename(&allocations->recorded, bin, name);
}

int allocations_combine(struct allocations *allocations, const uint32_t *bins, uint32_t count)
{
    int code = count ? 0 : -EINVAL;
    for (uint32_t i = 0; i < count && !code; i++)
        code = can_change(allocations, bins[i]);
    return code ? code : recorded_heap_combine(&allocations->recorded, bins, count);
}

int allocations_undo(struct allocations *allocations)
{
    return allocations->has_agent ? recorded_heap_undo(&allocations->recorded) : -ENOENT;
}

/* Returns the size class of a bin; NULL: it is a call path. */
static const struct walked_class *walked_class_at(const struct allocations *allocations,
                                                  uint32_t bin)
{
    const struct walked_classes *classes = &allocations->walked.classes;
    return bin >= WALKED_BINS && bin - WALKED_BINS < classes->count
               ? &classes->list[bin - WALKED_BINS]
               : NULL;
}

const char *allocations_bin_name(const struct allocations *allocations, uint32_t bin)
{
    const struct walked_class *class = walked_class_at(allocations, bin);
    if (class)
        return class->name;
    const struct bin *at = allocations->has_agent ? bins_at(allocations->recorded.bins, bin) : NULL;
    const char *name = at ? bin_name(at) : NULL;
    return name ? name : "heap (not named yet)";
}

const char *allocations_bin_maker(const struct allocations *allocations, uint32_t bin)
{
    const struct walked_class *class = walked_class_at(allocations, bin);
    return class && walk_class_is_go(class->size_class) ? "new" : "malloc";
}

void allocations_bin_live(const struct allocations *allocations, uint32_t bin, uint64_t *blocks,
                          uint64_t *bytes)
{
    struct bin_stats stats = {0};
    const struct walked_class *class = walked_class_at(allocations, bin);
    if (class)
        stats = class->stats;
    else if (allocations->has_agent)
        bins_stats(allocations->recorded.bins, bin, &stats);
    *blocks = stats.live_blocks;
    *bytes = stats.live_usable_bytes;
}

uint32_t allocations_bin_lead(const struct allocations *allocations, uint32_t bin)
{
    return allocations->has_agent && bin < WALKED_BINS
               ? recorded_heap_lead(&allocations->recorded, bin)
               : bin;
}

uint32_t allocations_bin_type(const struct allocations *allocations, uint32_t bin)
{
    const struct bin *at = allocations->has_agent ? bins_at(allocations->recorded.bins, bin) : NULL;
    return at ? at->type : 0;
}

int allocations_blocks(const struct allocations *allocations, uint32_t bin,
                       allocations_block *block, void *context)
{
    if (!allocations->has_agent || bin >= WALKED_BINS)
        return -ENOTSUP;
    recorded_heap_blocks(&allocations->recorded, bin, block, context);
    return 0;
}

enum allocation_path allocations_path(const struct allocations *allocations, uint32_t bin,
                                      uint32_t path)
{
    return allocations->has_agent ? recorded_heap_path(&allocations->recorded, bin, path)
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

static const char *feed_note(const struct recorded_heap *recorded, const char *note)
{
    const char *why = NULL;
    enum feed_state state = feed_state(recorded->feed, &why);
    if (why)
        return why;
    return state == FEED_NOT_STARTED ? "the program has not loaded the agent (yet)" : note;
}

static void summarise_recorded(const struct allocations *allocations, struct heap_summary *summary)
{
    const struct recorded_heap *recorded = &allocations->recorded;
    summary->feed = HEAP_FEED_AGENT;
    summary->source = "agent";
    summary->note = feed_note(recorded, summary->note);
    summary->lost = feed_lost(recorded->feed) + blocks_refused(recorded->blocks);
    summary->bins = recorded->lead_count;
    for (uint32_t i = 0; i < recorded->lead_count; i++) {
        struct bin_stats stats;
        if (!recorded_heap_stats(recorded, recorded->leads[i], &stats))
            continue;
        summary->live_blocks += stats.live_blocks;
        summary->usable_bytes += stats.live_usable_bytes;
        summary->requested_bytes += stats.live_requested_bytes;
    }
}

void allocations_summary(const struct allocations *allocations, struct heap_summary *summary)
{
    *summary = (struct heap_summary){.mark_age_s = NAN, .note = allocations->options.note};
    if (allocations->has_agent) {
        summarise_recorded(allocations, summary);
    } else if (allocations->walks) {
        summarise_walk(&allocations->walked, summary);
        summary->source = walk_source(allocations->walked.walk);
    }
    summary->failed = allocations->failed;
    if (allocations->marked_ns && allocations->now_ns >= allocations->marked_ns)
        summary->mark_age_s =
            (double)(allocations->now_ns - allocations->marked_ns) / CLOCK_NS_PER_S;
}

static void describe_walked(const struct allocations *allocations, uint32_t index,
                            struct heap_bin *bin)
{
    const struct walked_class *class = &allocations->walked.classes.list[index];
    *bin = (struct heap_bin){.id = WALKED_BINS + index, .name = class->name, .walked = true};
    bin_stats_show(&class->stats, 0, allocations->walked.marked, bin);
    bin->allocations_per_s = bin->frees_per_s = NAN; /* a walk does not see allocations and frees */
}

bool allocations_bin(struct allocations *allocations, uint32_t index, struct heap_bin *bin)
{
    if (allocations->has_agent)
        return recorded_heap_bin(&allocations->recorded, index, bin);
    if (!allocations->walks || index >= allocations->walked.classes.count)
        return false;
    describe_walked(allocations, index, bin);
    return true;
}
