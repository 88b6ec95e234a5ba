/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/walk_lists.h"

#include "resolve/walk_cache.h"

#include <errno.h>
#include <stdlib.h>

enum {
    LIST_FIND_MAX = 4096,       /* entries of a list followed for one lookup */
    LIST_COLLECT_MAX = 1 << 22, /* and for a whole walk */
    FAST_BINS = 10,             /* the words before `top`; none in the newest glibc */
    FAST_CHUNK_MAX = 176
};

void walk_lists_init(struct walk_lists *lists)
{
    *lists = (struct walk_lists){0};
    hash_init(&lists->known);
}

void walk_lists_fini(struct walk_lists *lists)
{
    hash_fini(&lists->known);
    free(lists->caches);
    *lists = (struct walk_lists){0};
}

bool walk_lists_in_heap(const struct walk *walk, uint64_t address)
{
    if (address < WALK_PAGE_BYTES || address & 15)
        return false;
    if (walk_spans_find(&walk->spans, address))
        return true;
    const struct walk_mapping *map = walk_memory_mapping(&walk->memory, address);
    return map && map->writable && map->kind >= WALK_MAPPING_ANON;
}

static bool plausible(const struct walk *walk, uint64_t pointer)
{
    return !pointer || walk_lists_in_heap(walk, pointer);
}

/*
 * The pointer in a list entry's first word. Since 2.32 it is mangled with the address where it
 * stands; which of the two ways a process uses is learnt from the first that fits only one.
 */
static bool reveal(struct walk *walk, uint64_t position, uint64_t word, uint64_t *pointer)
{
    struct walk_lists *lists = &walk->lists;
    uint64_t clear = word ^ position >> 12;
    bool as_mangled = !lists->plain && plausible(walk, clear);
    bool as_plain = !lists->mangled && plausible(walk, word);
    *pointer = as_mangled ? clear : word;
    return as_mangled || as_plain;
}

/* Learns the way from an entry that is known to be one. */
static void learn(struct walk *walk, uint64_t position, uint64_t word)
{
    struct walk_lists *lists = &walk->lists;
    bool as_mangled = plausible(walk, word ^ position >> 12);
    bool as_plain = plausible(walk, word);
    if (lists->mangled || lists->plain || as_mangled == as_plain)
        return;
    lists->mangled = as_mangled;
    lists->plain = as_plain;
}

/* A list under way: `at` is the chunk, 0 at the end or where it stops to be a list. */
struct list {
    uint64_t at;
    uint64_t bytes;  /* of each chunk; 0: any */
    uint64_t offset; /* of what the pointers point at, in the chunk: 16 in caches */
    uint64_t words[3];
};

static bool list_read(struct walk *walk, struct list *list)
{
    if (!list->at)
        return false;
    if (!walk_lists_in_heap(walk, list->at) ||
        !walk_memory_read(&walk->memory, list->at + 8, list->words, sizeof list->words))
        return false;
    uint64_t bytes = list->words[0] & ~(uint64_t)7;
    return list->bytes ? bytes == list->bytes : bytes >= WALK_CHUNK_MIN;
}

static void list_next(struct walk *walk, struct list *list)
{
    uint64_t pointer;
    learn(walk, list->at + 16, list->words[1]);
    if (!reveal(walk, list->at + 16, list->words[1], &pointer) || !pointer)
        list->at = 0;
    else
        list->at = pointer - list->offset;
}

static enum walk_listed list_holds(struct walk *walk, struct list list, uint64_t chunk)
{
    unsigned entries = 0;
    while (list_read(walk, &list)) {
        if (list.at == chunk)
            return WALK_LISTED_YES;
        if (++entries == LIST_FIND_MAX)
            return WALK_LISTED_UNSURE;
        list_next(walk, &list);
    }
    return WALK_LISTED_NO;
}

static int list_collect(struct walk *walk, struct list list, struct hash *chunks)
{
    while (list_read(walk, &list) && chunks->count < LIST_COLLECT_MAX) {
        bool created;
        if (!hash_insert(chunks, list.at, &created))
            return -ENOMEM;
        if (!created)
            break; /* a ring, or a list met twice */
        if (!list.offset)
            list.bytes = list.words[0] & ~(uint64_t)7; /* a fast bin has one size */
        list_next(walk, &list);
    }
    return 0;
}

/* Heads of an arena's fast bins. */
static void fast_heads(struct walk *walk, uint32_t arena, uint64_t heads[FAST_BINS])
{
    uint64_t before = walk->arenas.bins_offset - 16;
    uint64_t top = walk->arenas.starts[arena] + before;
    size_t count = before / 8 < FAST_BINS + 1 ? before / 8 - 1 : FAST_BINS;
    for (size_t i = 0; i < FAST_BINS; i++)
        heads[i] = 0;
    walk_memory_read(&walk->memory, top - count * 8, heads, count * 8);
}

static struct list fast_list(uint64_t head, uint64_t bytes)
{
    return (struct list){.at = head, .bytes = bytes, .offset = 0};
}

static enum walk_listed in_fast_bin(struct walk *walk, const struct walk_chunk *chunk,
                                    uint32_t arena)
{
    uint64_t heads[FAST_BINS];
    uint64_t pointer;
    uint64_t bytes = walk_chunk_bytes(chunk);
    if (bytes > FAST_CHUNK_MAX || !reveal(walk, chunk->at + 16, chunk->words[0], &pointer))
        return WALK_LISTED_NO;
    fast_heads(walk, arena, heads);
    for (size_t i = 0; i < FAST_BINS; i++) {
        enum walk_listed listed = list_holds(walk, fast_list(heads[i], bytes), chunk->at);
        if (listed != WALK_LISTED_NO)
            return listed;
    }
    return WALK_LISTED_NO;
}

static enum walk_listed in_caches(struct walk *walk, const struct walk_chunk *chunk)
{
    for (size_t i = 0; i < walk->lists.cache_count; i++) {
        struct walk_cache cache;
        if (walk->lists.own_keys && walk->lists.caches[i] != chunk->words[1])
            continue;
        if (!walk_cache_read(walk, walk->lists.caches[i], &cache))
            continue;
        for (size_t bin = 0; bin < cache.bin_count; bin++) {
            uint64_t bytes = walk_cache_bin_bytes(bin);
            if ((bytes && bytes != walk_chunk_bytes(chunk)) || !cache.entries[bin])
                continue;
            struct list list = {.at = cache.entries[bin] - 16, .bytes = bytes, .offset = 16};
            enum walk_listed listed = list_holds(walk, list, chunk->at);
            if (listed != WALK_LISTED_NO)
                return listed;
        }
    }
    return WALK_LISTED_NO;
}

bool walk_lists_suspect(const struct walk *walk, const struct walk_chunk *chunk)
{
    const struct walk_lists *lists = &walk->lists;
    if (lists->own_keys)
        return hash_find(&lists->known, chunk->words[1]);
    return lists->key && chunk->words[1] == lists->key;
}

enum walk_listed walk_lists_hold(struct walk *walk, const struct walk_chunk *chunk, uint32_t arena)
{
    struct walk_lists *lists = &walk->lists;
    bool again = walk->stats.finds >= lists->look_again;
    if (again && !lists->key && !lists->own_keys)
        walk_cache_search(walk);
    enum walk_listed listed = in_fast_bin(walk, chunk, arena);
    if (listed != WALK_LISTED_NO || !walk_lists_suspect(walk, chunk))
        return listed;
    listed = in_caches(walk, chunk);
    if (listed == WALK_LISTED_NO && again) {
        walk_cache_search(walk);
        listed = in_caches(walk, chunk);
    }
    /* The key may be left over from an earlier life of the memory, or the cache be unknown. */
    return listed == WALK_LISTED_NO ? WALK_LISTED_UNSURE : listed;
}

int walk_lists_collect_cache(struct walk *walk, uint64_t start, struct hash *chunks)
{
    struct walk_cache cache;
    int code = 0;
    if (!walk_cache_read(walk, start, &cache))
        return 0;
    for (size_t bin = 0; !code && bin < cache.bin_count; bin++) {
        struct list list = {
            .at = cache.entries[bin] - 16, .bytes = walk_cache_bin_bytes(bin), .offset = 16};
        if (cache.entries[bin])
            code = list_collect(walk, list, chunks);
    }
    return code;
}

int walk_lists_collect(struct walk *walk, struct hash *chunks)
{
    int code = 0;
    for (size_t i = 0; !code && i < walk->lists.cache_count; i++)
        code = walk_lists_collect_cache(walk, walk->lists.caches[i], chunks);
    for (uint32_t arena = 0; !code && arena < walk->arenas.count; arena++) {
        uint64_t heads[FAST_BINS];
        fast_heads(walk, arena, heads);
        for (size_t i = 0; !code && i < FAST_BINS; i++)
            code = list_collect(walk, fast_list(heads[i], 0), chunks);
    }
    return code;
}
