/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/heap/walked_heap.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/lane.h"
#include "resolve/process/process.h"

enum {
    CACHE_BYTES_MAX = 64 << 20,
    FOREIGN_SHIFT = 20,     /* regions of 1 MiB */
    FOREIGN_BRK_SHIFT = 16, /* there, malloc's blocks are next to the memory of others */
};

static const uint64_t look_ns = 20000000;
static const uint64_t foreign_ns = 60000000000;
/* Reach of lookups before and after the first count. */
static const uint64_t reach_uncounted_bytes = 1 << 20;
static const uint64_t reach_bytes = 32 << 20;

struct walked_count {
    struct walk *walk; /* NULL: not made yet for this program */
    struct walked_classes classes;
    uint64_t maps_version; /* version of the maps */
    uint64_t cpu_ns;
    long blocks; /* or a negative errno */
};

static bool walked_read_all(void *context, uint64_t address, void *out, size_t size)
{
    const struct walked *walked = context;
    return process_read(walked->pid, address, out, size);
}

static size_t read_some(void *context, uint64_t address, void *out, size_t size)
{
    const struct walked *walked = context;
    return process_read_some(walked->pid, address, out, size);
}

static int new_walk(struct walked *walked, struct walk **walk)
{
    struct walk_target target = {
        .context = walked, .read = walked_read_all, .read_some = read_some};
    return walk_new(walk, &target);
}

static void classes_start(struct walked_classes *classes)
{
    hash_clear(&classes->index);
    memset(classes->list, 0, sizeof classes->list);
    snprintf(classes->list[WALKED_FREE].name, WALKED_NAME_BYTES, "malloc (free blocks)");
    snprintf(classes->list[WALKED_HEADERS].name, WALKED_NAME_BYTES, "malloc's own data");
    snprintf(classes->list[WALKED_GO].name, WALKED_NAME_BYTES, "Go's own data");
    classes->count = WALKED_SIZES;
    classes->live_blocks = classes->usable_bytes = 0;
}

static void walked_restart(struct walked *walked)
{
    blocks_remove_range(walked->cache, 0, BLOCKS_ADDRESS_END, NULL, NULL);
    classes_start(&walked->classes);
    walk_limit_chain(walked->walk, reach_uncounted_bytes);
    walked->maps_version = walked->maps_read_ns = walked->counted_ns = walked->next_ns = 0;
    walked->marked = false;
}

static void count_all(void *context, void *batch);

int walked_init(struct walked *walked, pid_t pid)
{
    *walked = (struct walked){.pid = pid};
    walked->count = calloc(1, sizeof *walked->count);
    int code = walked->count ? new_walk(walked, &walked->walk) : -ENOMEM;
    if (!code)
        code = blocks_new(&walked->cache, CACHE_BYTES_MAX);
    if (!code)
        code = lane_open(&walked->counter, 2, sizeof(struct walked_count *), count_all, walked);
    if (code) {
        walked_fini(walked);
        return code;
    }
    walked_restart(walked);
    return 0;
}

void walked_fini(struct walked *walked)
{
    atomic_store(&walked->stop_counting, true);
    lane_close(walked->counter);
    if (walked->count) {
        walk_free(walked->count->walk);
        hash_fini(&walked->count->classes.index);
    }
    free(walked->count);
    walk_free(walked->walk);
    blocks_free(walked->cache);
    hash_fini(&walked->classes.index);
    walked->counter = NULL;
    walked->count = NULL;
    walked->walk = NULL;
    walked->cache = NULL;
}

static void drop_spare_walk(struct walked *walked)
{
    walk_free(walked->count->walk);
    walked->count->walk = NULL;
}

void walked_forget(struct walked *walked)
{
    struct walk *before = walked->walk;
    if (new_walk(walked, &walked->walk))
        walked->walk = before; /* out of memory: the old walk finds no blocks, so lookups fail */
    else
        walk_free(before);
    walked->outdated = walked->is_counting;
    atomic_store(&walked->stop_counting, walked->is_counting);
    if (!walked->is_counting)
        drop_spare_walk(walked);
    walked_restart(walked);
}

/* Returns the index of the class of a size; classes beyond the table share the last entry. */
static uint32_t walked_class_of(struct walked_classes *classes, uint64_t size_class)
{
    bool created = false;
    uint32_t *index = hash_insert(&classes->index, size_class, &created);
    if (!index)
        return WALKED_FREE;
    if (created && classes->count < WALKED_CLASSES_MAX) {
        struct walked_class *class = &classes->list[classes->count];
        *class = (struct walked_class){.size_class = size_class};
        walk_class_name(class->name, size_class);
        *index = classes->count++;
    } else if (created) {
        *index = WALKED_CLASSES_MAX - 1;
    }
    return *index;
}

/* Passes the maps to the walk. Searches again periodically while no block is known: malloc may not
 * have been used yet, or its first heap was being set up during the search. */
static void update_walk_maps(struct walked *walked, const struct maps *maps, uint64_t now_ns)
{
    bool arenas = walk_stats(walked->walk)->arenas;
    bool found = arenas && (walked->classes.live_blocks || !walked->counted_ns);
    uint64_t again_ns = walked->maps_read_ns + (arenas ? CLOCK_NS_PER_S : look_ns);
    if (walked->maps_version == maps->changes && (found || now_ns < again_ns))
        return;
    walked->maps_read_ns = now_ns;
    if (!walk_update(walked->walk, maps))
        walked->maps_version = maps->changes;
}

static void walked_remember(struct walked *walked, const struct walk_block *found, uint64_t now_ns,
                            struct block *block)
{
    uint64_t size_class = walk_size_class(found->usable_bytes, found->go);
    *block = (struct block){.start = found->start,
                            .usable_bytes = found->usable_bytes,
                            .requested_bytes = found->usable_bytes,
                            .born_ns = now_ns,
                            .bin = found->state == WALK_IN_USE
                                       ? walked_class_of(&walked->classes, size_class)
                                       : WALKED_FREE};
    /* The cache is full: empty it instead of growing it. */
    if (blocks_add(walked->cache, block) == -ENOMEM)
        blocks_remove_range(walked->cache, 0, BLOCKS_ADDRESS_END, NULL, NULL);
}

/* Memory that is not malloc's is the slowest case: all of it is searched for the header of a large
 * block, a tenth of a second for 64 MiB. The answer is cached for a minute. */
static struct walked_foreign *foreign_region(struct walked *walked, const struct space *space,
                                             uint64_t address)
{
    const struct map *map = maps_find(&space->maps, address);
    bool brk = map && map->kind == MAPPING_HEAP;
    uint64_t region = address >> (brk ? FOREIGN_BRK_SHIFT : FOREIGN_SHIFT);
    uint64_t start = map ? map->start : 0;
    uint64_t end = map ? map->end : 0;
    struct walked_foreign *foreign = &walked->foreign[hash_mix(region) % WALKED_FOREIGN];
    bool same_or_grown = foreign->start >= start && foreign->end <= end;
    if (foreign->region != region || !same_or_grown)
        *foreign = (struct walked_foreign){.region = region, .start = start, .end = end};
    return foreign;
}

/* Schedules an early count, because a lookup was too far from the known boundaries. */
static void schedule_early_count(struct walked *walked)
{
    uint64_t soon_ns =
        walked->counted_ns + (uint64_t)((double)walked->last_count_cpu_ns / WALKED_COST_ASKED);
    if (walked->counted_ns && soon_ns < walked->next_ns)
        walked->next_ns = soon_ns;
}

static bool find_walked_block(struct walked *walked, const struct space *space, uint64_t address,
                              uint64_t now_ns, struct walk_block *found)
{
    struct walked_foreign *foreign = foreign_region(walked, space, address);
    if (now_ns < foreign->until_ns)
        return false;
    const struct walk_stats *stats = walk_stats(walked->walk);
    uint64_t foreign_before = stats->failures[WALK_FAIL_FOREIGN];
    uint64_t far_before = stats->failures[WALK_FAIL_BUDGET];
    if (walk_find(walked->walk, address, found))
        return true;
    if (stats->failures[WALK_FAIL_FOREIGN] > foreign_before &&
        walked->maps_version == space->maps.changes)
        foreign->until_ns = now_ns + foreign_ns;
    if (stats->failures[WALK_FAIL_BUDGET] > far_before)
        schedule_early_count(walked);
    return false;
}

bool walked_find(struct walked *walked, const struct space *space, uint64_t address,
                 uint64_t now_ns, struct block *block)
{
    struct walk_block found;
    unsigned char byte;
    bool known = blocks_find(walked->cache, address, block);
    if (known && now_ns < block->born_ns + WALKED_FRESH_NS)
        return true;
    bool answered = find_walked_block(walked, space, address, now_ns, &found);
    if (!answered) {
        uint64_t seen = walked->maps_version;
        update_walk_maps(walked, &space->maps, now_ns);
        answered = seen != walked->maps_version && walk_find(walked->walk, address, &found);
    }
    /* The process has ended, or has freed the block's mapping, since the sample. */
    if (!answered)
        return known && !walked_read_all(walked, address, &byte, 1);
    if (address >= found.start + found.usable_bytes)
        return false;
    if (address < found.start || found.state == WALK_OWN_DATA) {
        *block = (struct block){.start = address & ~(uint64_t)15,
                                .usable_bytes = address < found.start
                                                    ? found.start - (address & ~(uint64_t)15)
                                                    : found.usable_bytes,
                                .bin = found.go ? WALKED_GO : WALKED_HEADERS};
        return true;
    }
    walked_remember(walked, &found, now_ns, block);
    return true;
}

static bool count_block(void *context, const struct walk_block *found)
{
    struct walked *walked = context;
    struct walked_classes *classes = &walked->count->classes;
    uint64_t size_class = walk_size_class(found->usable_bytes, found->go);
    struct walked_class *class = &classes->list[walked_class_of(classes, size_class)];
    class->stats.live_blocks += found->count;
    class->stats.live_usable_bytes += found->count * found->usable_bytes;
    class->stats.sizes[bins_size_class(found->usable_bytes)] += found->count;
    classes->live_blocks += found->count;
    classes->usable_bytes += found->count * found->usable_bytes;
    return !atomic_load_explicit(&walked->stop_counting, memory_order_relaxed);
}

/* Counts all blocks. This and everything called from here runs in the counter's thread. */
static void count_all(void *context, void *batch)
{
    struct walked_count *count = *(struct walked_count **)batch;
    uint64_t start_ns = clock_thread_cpu_ns();
    classes_start(&count->classes);
    count->blocks = walk_all(count->walk, count_block, context);
    count->cpu_ns = clock_thread_cpu_ns() - start_ns;
}

static void pass_threads_to_walk(struct walk *walk, const struct tcbs *tcbs)
{
    uint64_t *bases = malloc(tcbs->count * sizeof *bases);
    for (size_t i = 0; bases && i < tcbs->count; i++)
        bases[i] = tcbs->tcbs[i].base;
    if (bases)
        walk_threads(walk, bases, tcbs->count);
    free(bases);
}

static void begin_count(struct walked *walked, const struct maps *maps, const struct tcbs *tcbs)
{
    struct walked_count *count = walked->count;
    if (!count->walk && new_walk(walked, &count->walk))
        return;
    pass_threads_to_walk(count->walk, tcbs);
    if (walk_update(count->walk, maps))
        return;
    count->maps_version = maps->changes;
    walked->is_counting = true;
    *(struct walked_count **)lane_next(walked->counter) = count;
    lane_submit(walked->counter);
}

/* Copies the counts of all classes. Classes keep their indexes, which are bin numbers. */
static void take_classes(struct walked_classes *known, const struct walked_classes *counted)
{
    for (uint32_t i = 0; i < known->count; i++) {
        struct bin_stats *stats = &known->list[i].stats;
        *stats = (struct bin_stats){.mark_blocks = stats->mark_blocks,
                                    .mark_usable_bytes = stats->mark_usable_bytes};
    }
    known->live_blocks = counted->live_blocks;
    known->usable_bytes = counted->usable_bytes;
    for (uint32_t i = WALKED_SIZES; i < counted->count; i++) {
        const struct walked_class *from = &counted->list[i];
        bin_stats_add(&known->list[walked_class_of(known, from->size_class)].stats, &from->stats);
    }
}

static void mark_classes(struct walked_classes *classes)
{
    for (uint32_t i = 0; i < classes->count; i++)
        bin_stats_mark(&classes->list[i].stats);
}

/* The walk of the count now does the lookups, and the previous one the next count. */
static void take_count(struct walked *walked, struct walked_count *count, uint64_t now_ns)
{
    struct walk *counted = count->walk;
    walk_limit_chain(walked->walk, reach_bytes);
    walked->last_count_cpu_ns = count->cpu_ns;
    /* A newly started program is still filling its heap. */
    double cost = walked->counted_ns ? WALKED_COST : WALKED_COST_ASKED;
    walked->next_ns = now_ns + (uint64_t)((double)count->cpu_ns / cost);
    if (count->blocks < 0)
        return;
    take_classes(&walked->classes, &count->classes);
    if (!walked->counted_ns && walked->marked)
        mark_classes(&walked->classes);
    walked->counted_ns = now_ns;
    walk_limit_chain(counted, reach_bytes);
    walk_continue_from(counted, walked->walk);
    count->walk = walked->walk;
    walked->walk = counted;
    walked->maps_version = count->maps_version;
}

void walked_settle(struct walked *walked, uint64_t patience_ns)
{
    struct walked_count **taken = lane_take_within(walked->counter, patience_ns);
    if (!taken)
        return;
    walked->is_counting = false;
    if (walked->outdated)
        drop_spare_walk(walked);
    else
        take_count(walked, *taken, clock_now_ns());
    walked->outdated = false;
    atomic_store(&walked->stop_counting, false);
}

void walked_tick(struct walked *walked, const struct space *space, const struct tcbs *tcbs,
                 uint64_t now_ns)
{
    walked_settle(walked, 0);
    pass_threads_to_walk(walked->walk, tcbs);
    update_walk_maps(walked, &space->maps, now_ns);
    if (!walk_status(walked->walk) && !walked->is_counting && now_ns >= walked->next_ns)
        begin_count(walked, &space->maps, tcbs);
}

void walked_mark(struct walked *walked)
{
    mark_classes(&walked->classes);
    walked->marked = true;
}
