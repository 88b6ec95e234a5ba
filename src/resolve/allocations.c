/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/allocations.h"

#include "base/clock.h"
#include "resolve/walked.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bins of walked blocks come after those of call paths. */
enum { WALKED_BINS = 1 << 30 };

struct allocations {
    struct allocations_options options;
    struct walked walked;
    bool walks;
    uint64_t marked_ns; /* 0: no mark yet */
    uint64_t now_ns;    /* of the last tick */
    uint64_t asked;     /* lookups on the heap */
    uint64_t failed;
    char source[96];
};

int allocations_new(struct allocations **out, const struct allocations_options *options,
                    struct error *error)
{
    struct allocations *allocations = calloc(1, sizeof *allocations);
    int code = allocations ? 0 : -ENOMEM;
    if (!code) {
        allocations->options = *options;
        allocations->walks = options->walk;
    }
    if (!code && options->walk)
        code = walked_init(&allocations->walked, options->pid);
    if (code) {
        free(allocations);
        return error_set(error, code, "no memory for the index of heap blocks");
    }
    *out = allocations;
    return 0;
}

void allocations_free(struct allocations *allocations)
{
    if (!allocations)
        return;
    if (allocations->walks)
        walked_fini(&allocations->walked);
    free(allocations);
}

long allocations_follow(struct allocations *allocations, uint64_t until_ns)
{
    (void)allocations;
    (void)until_ns;
    return 0;
}

void allocations_forget(struct allocations *allocations)
{
    if (allocations->walks)
        walked_forget(&allocations->walked);
    allocations->marked_ns = 0;
}

bool allocations_find(struct allocations *allocations, const struct space *space, uint64_t address,
                      uint64_t time_ns, struct allocation *found)
{
    struct block block;
    allocations->asked++;
    if (allocations->walks && walked_find(&allocations->walked, space, address, time_ns, &block)) {
        *found = (struct allocation){block.start, block.start + block.usable_bytes,
                                     WALKED_BINS + block.bin};
        return true;
    }
    allocations->failed++;
    return false;
}

/* No block there: what is between the blocks that the walk can tell is not searched further. */
bool allocations_extent(struct allocations *allocations, const struct space *space,
                        uint64_t address, uint64_t now_ns, struct allocation *extent)
{
    struct block block;
    if (!allocations->walks || !walked_find(&allocations->walked, space, address, now_ns, &block))
        return false;
    *extent =
        (struct allocation){block.start, block.start + block.usable_bytes, WALKED_BINS + block.bin};
    return true;
}

void allocations_tick(struct allocations *allocations, const struct space *space, uint64_t now_ns)
{
    allocations->now_ns = now_ns;
    if (allocations->walks)
        walked_tick(&allocations->walked, space, now_ns);
}

void allocations_mark(struct allocations *allocations, uint64_t now_ns)
{
    allocations->marked_ns = now_ns;
    if (allocations->walks)
        walked_mark(&allocations->walked);
}

int allocations_rename(struct allocations *allocations, uint32_t bin, const char *name)
{
    (void)allocations;
    (void)name;
    return bin >= WALKED_BINS ? -EOPNOTSUPP : -ENOENT;
}

int allocations_combine(struct allocations *allocations, const uint32_t *bins, uint32_t count)
{
    (void)allocations;
    (void)bins;
    return count ? -ENOENT : -EINVAL;
}

int allocations_separate(struct allocations *allocations, uint32_t bin)
{
    (void)allocations;
    (void)bin;
    return -ENOENT;
}

const char *allocations_bin_name(const struct allocations *allocations, uint32_t bin)
{
    if (bin >= WALKED_BINS && bin - WALKED_BINS < allocations->walked.class_count)
        return allocations->walked.classes[bin - WALKED_BINS].name;
    return "heap";
}

static void summarise_walk(const struct walked *walked, struct heap_summary *summary)
{
    const char *status = walk_status(walked->walk);
    summary->feed = status ? HEAP_FEED_NONE : HEAP_FEED_WALK;
    summary->note = status;
    summary->live_blocks = walked->live_blocks;
    summary->usable_bytes = walked->usable_bytes;
    summary->bins = walked->class_count;
}

void allocations_summary(const struct allocations *allocations, struct heap_summary *summary)
{
    *summary = (struct heap_summary){.mark_age_s = NAN, .note = allocations->options.note};
    if (allocations->walks) {
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
    const struct walked_class *class = &allocations->walked.classes[index];
    *bin = (struct heap_bin){.id = WALKED_BINS + index,
                             .name = class->name,
                             .walked = true,
                             .live_blocks = class->live_blocks,
                             .usable_bytes = class->usable_bytes,
                             .allocations_per_s = NAN,
                             .frees_per_s = NAN,
                             .lifetime_s = NAN,
                             .age_s = NAN,
                             .quiet_s = NAN,
                             .growth_blocks = NAN,
                             .growth_bytes = NAN};
    memcpy(bin->sizes, class->sizes, sizeof bin->sizes);
    if (allocations->walked.marked) {
        bin->growth_blocks = (double)class->live_blocks - (double)class->marked_blocks;
        bin->growth_bytes = (double)class->usable_bytes - (double)class->marked_bytes;
    }
}

bool allocations_bin(const struct allocations *allocations, uint32_t index, struct heap_bin *bin)
{
    if (!allocations->walks || index >= allocations->walked.class_count)
        return false;
    describe_walked(allocations, index, bin);
    return true;
}
