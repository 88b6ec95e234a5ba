/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/walk_cache.h"

#include "base/array.h"
#include "resolve/walk_lists.h"

#include <stdlib.h>
#include <string.h>

enum {
    CACHES_MAX = 1 << 16,
    KEY_VOTES_MAX = 16,
    SMALL_BINS = 64,
    STORAGE_BYTES = 64 * 1024, /* below a thread's control block: its static storage */
    STORAGE_ALIGN = 64,
    SMALL_MAP_BYTES = 128 * 1024, /* searched whole: ld.so's block for the first thread */
    SEARCH_BYTES_MAX = 64 << 20,
    SEARCH_POINTERS_MAX = 1 << 16,
    LOOK_AGAIN_FINDS = 256
};

/* 16-bit counts, then entries: 2.30 to 2.41, and since 2.42 with bins for large blocks. */
static const struct {
    uint64_t chunk_bytes;
    size_t bins;
    bool room_left; /* counts are of room, not of entries */
} shapes[] = {{0x290, 64, false}, {0x300, 76, true}};

/* malloc gives a chunk 16 bytes larger where the rest of it would be too small to be one. */
static int shape_of(uint64_t chunk_bytes)
{
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (shapes[i].chunk_bytes == chunk_bytes || shapes[i].chunk_bytes + 16 == chunk_bytes)
            return (int)i;
    return -1;
}

bool walk_cache_size(uint64_t chunk_bytes)
{
    return shape_of(chunk_bytes) >= 0;
}

uint64_t walk_cache_bin_bytes(size_t bin)
{
    return bin < SMALL_BINS ? WALK_CHUNK_MIN + bin * 16 : 0;
}

static bool entry_fits(const struct walk *walk, const struct walk_cache *cache, size_t bin,
                       bool room_left)
{
    uint64_t entry = cache->entries[bin];
    if (!entry)
        return room_left || !cache->counts[bin];
    return (room_left || cache->counts[bin]) && walk_lists_in_heap(walk, entry);
}

bool walk_cache_read(struct walk *walk, uint64_t start, struct walk_cache *cache)
{
    uint64_t words[1 + WALK_CACHE_BINS_MAX / 4 + WALK_CACHE_BINS_MAX];
    int shape = walk_memory_read(&walk->memory, start - 8, words, 8)
                    ? shape_of(words[0] & ~(uint64_t)7)
                    : -1;
    if (shape < 0)
        return false;
    size_t bins = shapes[shape].bins;
    if (!walk_memory_read(&walk->memory, start, words, bins * 10))
        return false;
    cache->bin_count = bins;
    memcpy(cache->counts, words, bins * 2);
    memcpy(cache->entries, (char *)words + bins * 2, bins * 8);
    for (size_t bin = 0; bin < bins; bin++)
        if (!entry_fits(walk, cache, bin, shapes[shape].room_left))
            return false;
    return true;
}

static void learn_key(struct walk *walk, uint64_t cache, uint64_t key)
{
    struct walk_lists *lists = &walk->lists;
    if (key == cache)
        lists->own_keys = true;
    if (!key || lists->own_keys)
        return;
    /* The majority's (Boyer and Moore 1981): an entry may be in use by the time it is read. */
    if (!lists->key_votes) {
        lists->key = key;
        lists->key_votes = 1;
    } else if (key != lists->key) {
        lists->key_votes--;
    } else if (lists->key_votes < KEY_VOTES_MAX) {
        lists->key_votes++;
    }
}

/* Whether the first entry of some bin is a chunk of that bin; 0: there is no entry at all. */
static int has_entries(struct walk *walk, uint64_t start, const struct walk_cache *cache)
{
    int found = 0;
    for (size_t bin = 0; bin < cache->bin_count; bin++) {
        uint64_t words[3]; /* head, next, key */
        uint64_t bytes = walk_cache_bin_bytes(bin);
        if (!cache->entries[bin])
            continue;
        if (!walk_memory_read(&walk->memory, cache->entries[bin] - 8, words, sizeof words) ||
            (bytes && (words[0] & ~(uint64_t)7) != bytes))
            return -1;
        learn_key(walk, start, words[2]);
        found = 1;
    }
    return found;
}

static bool remember(struct walk_lists *lists, uint64_t start)
{
    bool created;
    if (hash_find(&lists->known, start))
        return true;
    uint64_t *more =
        array_more(lists->caches, &lists->cache_room, lists->cache_count, sizeof *more, CACHES_MAX);
    if (!more)
        return false;
    lists->caches = more;
    if (!hash_insert(&lists->known, start, &created))
        return false;
    lists->caches[lists->cache_count++] = start;
    return true;
}

bool walk_cache_consider(struct walk *walk, uint64_t start, bool sure)
{
    struct walk_cache cache;
    if (!walk_lists_in_heap(walk, start) || !walk_cache_read(walk, start, &cache))
        return false;
    int entries = has_entries(walk, start, &cache);
    return (entries > 0 || (!entries && sure)) && remember(&walk->lists, start);
}

/* What words of a thread's static storage point at: one of them is its cache. */
static void search_storage(struct walk *walk, const uint64_t *words, size_t count,
                           struct hash *seen)
{
    for (size_t i = 0; i < count && seen->count < SEARCH_POINTERS_MAX; i++) {
        bool created;
        if (!walk_lists_in_heap(walk, words[i]) || !hash_insert(seen, words[i], &created) ||
            !created)
            continue;
        walk_cache_consider(walk, words[i], true);
    }
}

/* Thread control blocks hold their own address twice (ELF Handling for Thread-Local Storage,
 * 3.4.6; glibc's tcbhead_t); the static storage stands below them. */
static void search_words(struct walk *walk, const uint64_t *words, size_t count, uint64_t start,
                         struct hash *seen)
{
    size_t from = 0;
    for (size_t i = (STORAGE_ALIGN - start % STORAGE_ALIGN) % STORAGE_ALIGN / 8; i + 3 <= count;
         i += STORAGE_ALIGN / 8) {
        if (words[i] != start + i * 8 || words[i + 2] != words[i])
            continue;
        if (i - from > STORAGE_BYTES / 8)
            from = i - STORAGE_BYTES / 8;
        search_storage(walk, words + from, i - from, seen);
        from = i;
    }
}

static void search_mapping(struct walk *walk, const struct walk_mapping *map, struct hash *seen,
                           uint64_t *bytes_left)
{
    uint64_t size = map->end - map->start;
    uint64_t bytes = size <= SMALL_MAP_BYTES ? size : STORAGE_BYTES;
    /* A static program's first thread has its block where brk starts, others at the end of
     * their stack. */
    uint64_t start = map->kind == WALK_MAPPING_HEAP ? map->start : map->end - bytes;
    if (!map->writable || map->kind < WALK_MAPPING_ANON || bytes > *bytes_left)
        return;
    uint64_t *words = walk->probe.words;
    walk_window_reset(&walk->probe, 0);
    size_t got = walk_memory_read_some(&walk->memory, start, words, bytes);
    *bytes_left -= got;
    search_words(walk, words, got / 8, start, seen);
}

/* Right below a control block that is known. */
static void search_thread(struct walk *walk, uint64_t base, struct hash *seen, uint64_t *bytes_left)
{
    uint64_t *words = walk->probe.words;
    if (base % 8 || base < STORAGE_BYTES || *bytes_left < STORAGE_BYTES)
        return;
    walk_window_reset(&walk->probe, 0);
    /* The storage is small as a rule, and what lies below it may be no memory. */
    for (uint64_t bytes = STORAGE_BYTES; bytes >= 4096; bytes /= 4) {
        if (!walk_memory_read(&walk->memory, base - bytes, words, bytes))
            continue;
        *bytes_left -= bytes;
        search_storage(walk, words, bytes / 8, seen);
        return;
    }
}

void walk_cache_search(struct walk *walk)
{
    struct hash seen;
    uint64_t bytes_left = SEARCH_BYTES_MAX;
    hash_init(&seen);
    walk->lists.look_again = walk->stats.finds + LOOK_AGAIN_FINDS;
    for (size_t i = 0; i < walk->spans.count; i++)
        walk_cache_consider(walk, walk->spans.spans[i].first + WALK_CHUNK_HEADER, true);
    for (size_t i = 0; i < walk->thread_count; i++)
        search_thread(walk, walk->threads[i], &seen, &bytes_left);
    for (size_t i = 0; i < walk->memory.map_count; i++)
        search_mapping(walk, &walk->memory.maps[i], &seen, &bytes_left);
    hash_fini(&seen);
}
