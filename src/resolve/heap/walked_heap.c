/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/heap/walked_heap.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "resolve/process/process.h"

enum {
    CACHE_BYTES_MAX = 64 << 20,
    FOREIGN_SHIFT = 20 /* regions of 1 MiB */,
    REFRESH_BYTES = 64 << 20
};

static const uint64_t look_ns = 20000000;
static const uint64_t foreign_ns = 60000000000;

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

static int new_walk(struct walked *walked)
{
    struct walk_target target = {
        .context = walked, .read = walked_read_all, .read_some = read_some};
    return walk_new(&walked->walk, &target);
}

static void start_anew(struct walked *walked)
{
    blocks_remove_range(walked->cache, 0, BLOCKS_ADDRESS_END, NULL, NULL);
    hash_clear(&walked->class_of);
    memset(walked->classes, 0, sizeof walked->classes);
    snprintf(walked->classes[WALKED_FREE].name, WALKED_NAME_BYTES, "malloc (free blocks)");
    snprintf(walked->classes[WALKED_HEADERS].name, WALKED_NAME_BYTES, "malloc (block headers)");
    walked->class_count = WALKED_HEADERS + 1;
    walked->seen_maps = walked->looked_ns = walked->counted_ns = walked->next_ns = 0;
    walked->live_blocks = walked->usable_bytes = 0;
    walked->marked = false;
}

int walked_init(struct walked *walked, pid_t pid)
{
    *walked = (struct walked){.pid = pid};
    int code = new_walk(walked);
    if (!code)
        code = blocks_new(&walked->cache, CACHE_BYTES_MAX);
    if (code) {
        walked_fini(walked);
        return code;
    }
    start_anew(walked);
    return 0;
}

void walked_fini(struct walked *walked)
{
    walk_free(walked->walk);
    blocks_free(walked->cache);
    hash_fini(&walked->class_of);
    walked->walk = NULL;
    walked->cache = NULL;
}

void walked_forget(struct walked *walked)
{
    struct walk *before = walked->walk;
    if (new_walk(walked))
        walked->walk = before; /* no memory: its blocks are gone, and lookups report that */
    else
        walk_free(before);
    start_anew(walked);
}

/* Class of a histogram (place.h) that a size falls into. */
static unsigned walked_size_bin(uint64_t bytes)
{
    unsigned bin = 0;
    while (bin < HEAP_SIZES - 1 && bytes >= UINT64_C(32) << bin)
        bin++;
    return bin;
}

/* Index of the class of a size; sizes beyond the table share the last one. */
static uint32_t walked_class_of(struct walked *walked, uint64_t usable_bytes)
{
    uint64_t size_class = walk_size_class(usable_bytes);
    bool created = false;
    uint32_t *index = hash_insert(&walked->class_of, size_class, &created);
    if (!index)
        return WALKED_FREE;
    if (created && walked->class_count < WALKED_CLASSES_MAX) {
        struct walked_class *class = &walked->classes[walked->class_count];
        *class = (struct walked_class){.size_class = size_class};
        walk_class_name(class->name, size_class);
        *index = walked->class_count++;
    } else if (created) {
        *index = WALKED_CLASSES_MAX - 1;
    }
    return *index;
}

static enum walk_mapping_kind walked_kind_of(const struct map *map)
{
    return map->kind == MAPPING_HEAP   ? WALK_MAPPING_HEAP
           : map->kind == MAPPING_ANON ? WALK_MAPPING_ANON
           : map->kind == MAPPING_FILE ? WALK_MAPPING_FILE
                                       : WALK_MAPPING_OTHER;
}

/* While no block is known one is looked for again and again: malloc may not have been used yet, or
 * its first heap was being made when it was looked at. */
static void show_maps(struct walked *walked, const struct maps *maps, uint64_t now_ns)
{
    bool arenas = walk_stats(walked->walk)->arenas;
    bool found = arenas && (walked->live_blocks || !walked->counted_ns);
    uint64_t again_ns = walked->looked_ns + (arenas ? CLOCK_NS_PER_S : look_ns);
    if (walked->seen_maps == maps->changes && (found || now_ns < again_ns))
        return;
    walked->looked_ns = now_ns;
    struct walk_mapping *mappings = calloc(maps->count ? maps->count : 1, sizeof *mappings);
    if (!mappings)
        return;
    for (size_t i = 0; i < maps->count; i++)
        mappings[i] = (struct walk_mapping){.start = maps->maps[i].start,
                                            .end = maps->maps[i].end,
                                            .file_offset = maps->maps[i].offset,
                                            .inode = maps->maps[i].inode,
                                            .path = maps_name(maps, &maps->maps[i]),
                                            .kind = walked_kind_of(&maps->maps[i]),
                                            .writable = maps->maps[i].writable};
    if (!walk_update(walked->walk, mappings, maps->count))
        walked->seen_maps = maps->changes;
    free(mappings);
}

static void walked_remember(struct walked *walked, const struct walk_block *found, uint64_t now_ns,
                            struct block *block)
{
    *block = (struct block){.start = found->start,
                            .usable_bytes = found->usable_bytes,
                            .requested_bytes = found->usable_bytes,
                            .born_ns = now_ns,
                            .bin = found->state == WALK_IN_USE
                                       ? walked_class_of(walked, found->usable_bytes)
                                       : WALKED_FREE,
                            .walked = true};
    /* Full: start again rather than grow. */
    if (blocks_add(walked->cache, block) == -ENOMEM)
        blocks_remove_range(walked->cache, 0, BLOCKS_ADDRESS_END, NULL, NULL);
}

/* Memory that is not malloc's costs most: all of it is searched for a large block's header, a
 * tenth of a second for 64 MiB. So the answer is believed for a minute. */
static struct walked_foreign *foreign_at(struct walked *walked, const struct space *space,
                                         uint64_t address)
{
    const struct map *map = maps_find(&space->maps, address);
    uint64_t region = address >> FOREIGN_SHIFT;
    uint64_t mapping = map ? map->start : 0;
    struct walked_foreign *foreign = &walked->foreign[hash_mix(region) % WALKED_FOREIGN];
    if (foreign->region != region || foreign->mapping != mapping)
        *foreign = (struct walked_foreign){.region = region, .mapping = mapping};
    return foreign;
}

static bool ask_walk(struct walked *walked, const struct space *space, uint64_t address,
                     uint64_t now_ns, struct walk_block *found)
{
    struct walked_foreign *foreign = foreign_at(walked, space, address);
    if (now_ns < foreign->until_ns)
        return false;
    uint64_t before = walk_stats(walked->walk)->failures[WALK_FAIL_FOREIGN];
    if (walk_find(walked->walk, address, found))
        return true;
    if (walk_stats(walked->walk)->failures[WALK_FAIL_FOREIGN] > before)
        foreign->until_ns = now_ns + foreign_ns;
    return false;
}

bool walked_find(struct walked *walked, const struct space *space, uint64_t address,
                 uint64_t now_ns, struct block *block)
{
    struct walk_block found;
    if (blocks_find(walked->cache, address, block) && now_ns < block->born_ns + WALKED_FRESH_NS)
        return true;
    bool answered = ask_walk(walked, space, address, now_ns, &found);
    if (!answered) {
        uint64_t seen = walked->seen_maps;
        show_maps(walked, &space->maps, now_ns);
        answered = seen != walked->seen_maps && walk_find(walked->walk, address, &found);
    }
    if (!answered || address >= found.start + found.usable_bytes)
        return false;
    if (address < found.start) {
        *block = (struct block){.start = address & ~(uint64_t)15,
                                .usable_bytes = found.start - (address & ~(uint64_t)15),
                                .bin = WALKED_HEADERS,
                                .walked = true};
        return true;
    }
    walked_remember(walked, &found, now_ns, block);
    return true;
}

static bool count_block(void *context, const struct walk_block *found)
{
    struct walked *walked = context;
    struct walked_class *class = &walked->classes[walked_class_of(walked, found->usable_bytes)];
    class->live_blocks++;
    class->usable_bytes += found->usable_bytes;
    class->sizes[walked_size_bin(found->usable_bytes)]++;
    walked->live_blocks++;
    walked->usable_bytes += found->usable_bytes;
    return true;
}

static void count_all(struct walked *walked)
{
    for (uint32_t i = 0; i < walked->class_count; i++) {
        struct walked_class *class = &walked->classes[i];
        class->live_blocks = class->usable_bytes = 0;
        memset(class->sizes, 0, sizeof class->sizes);
    }
    walked->live_blocks = walked->usable_bytes = 0;
    walk_all(walked->walk, count_block, walked);
}

static void show_threads(struct walked *walked, const struct tcbs *tcbs)
{
    uint64_t *bases = malloc(tcbs->count * sizeof *bases);
    for (size_t i = 0; bases && i < tcbs->count; i++)
        bases[i] = tcbs->tcbs[i].base;
    if (bases)
        walk_threads(walked->walk, bases, tcbs->count);
    free(bases);
}

void walked_tick(struct walked *walked, const struct space *space, const struct tcbs *tcbs,
                 uint64_t now_ns)
{
    show_threads(walked, tcbs);
    show_maps(walked, &space->maps, now_ns);
    /* Not before the first screen: it would wait for all of a large heap. */
    if (!walked->next_ns)
        walked->next_ns = now_ns + look_ns;
    if (walk_status(walked->walk) || now_ns < walked->next_ns)
        return;
    uint64_t start = clock_now_ns();
    walk_refresh(walked->walk, REFRESH_BYTES);
    count_all(walked);
    uint64_t end = clock_now_ns();
    walked->counted_ns = end;
    walked->next_ns = now_ns + (uint64_t)((double)(end - start) / WALKED_COST);
}

void walked_mark(struct walked *walked)
{
    for (uint32_t i = 0; i < walked->class_count; i++) {
        walked->classes[i].marked_blocks = walked->classes[i].live_blocks;
        walked->classes[i].marked_bytes = walked->classes[i].usable_bytes;
    }
    walked->marked = true;
}
