/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "resolve/heap/walk_state.h"

/* Returns true if a list pointer can have this value: in a heap, or in a possible one. */
static bool walk_lists_in_heap(const struct walk *walk, uint64_t address)
{
    if (address < WALK_PAGE_BYTES || address & 15)
        return false;
    return walk_spans_find(walk, address) || walk_is_data(maps_find(&walk->memory.maps, address));
}

enum {
    CACHES_MAX = 1 << 16,
    KEY_VOTES_MAX = 16,
    SMALL_BINS = 64,
    STORAGE_BYTES = 64 * 1024, /* static storage, below a thread's control block */
    STORAGE_ALIGN = 64,
    SMALL_MAP_BYTES = 128 * 1024, /* searched completely: ld.so's block for the first thread */
    SEARCH_BYTES_MAX = 64 << 20,
    SEARCH_POINTERS_MAX = 1 << 16,
    CACHE_SEARCH_FINDS = 256
};

/* 16-bit counts, then entries: glibc 2.30 to 2.41; since 2.42 with bins for large blocks. */
static const struct {
    uint64_t chunk_bytes;
    size_t bins;
    bool room_left; /* counts are of free room, not of entries */
} shapes[] = {{0x290, 64, false}, {0x300, 76, true}};

/* Accepts chunks 16 bytes larger: malloc does not split off a remainder that is too small. */
static int find_cache_shape(uint64_t chunk_bytes)
{
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (shapes[i].chunk_bytes == chunk_bytes || shapes[i].chunk_bytes + 16 == chunk_bytes)
            return (int)i;
    return -1;
}

bool walk_cache_size(uint64_t chunk_bytes)
{
    return find_cache_shape(chunk_bytes) >= 0;
}

/* Returns the size of the chunks in a bin; 0: several sizes. */
static uint64_t walk_cache_bin_bytes(size_t bin)
{
    return bin < SMALL_BINS ? WALK_CHUNK_MIN + bin * 16 : 0;
}

static bool cache_entry_is_valid(const struct walk *walk, const struct walk_cache *cache,
                                 size_t bin, bool room_left)
{
    uint64_t entry = cache->entries[bin];
    if (!entry)
        return room_left || !cache->counts[bin];
    return (room_left || cache->counts[bin]) && walk_lists_in_heap(walk, entry);
}

/* Reads a possible cache. Returns false if it is not a cache, or no longer one. */
static bool walk_cache_read(struct walk *walk, uint64_t start, struct walk_cache *cache)
{
    uint64_t words[1 + WALK_CACHE_BINS_MAX / 4 + WALK_CACHE_BINS_MAX];
    int shape = walk_memory_read(walk, start - 8, words, 8)
                    ? find_cache_shape(words[0] & ~(uint64_t)7)
                    : -1;
    if (shape < 0)
        return false;
    size_t bins = shapes[shape].bins;
    if (!walk_memory_read(walk, start, words, bins * 10))
        return false;
    cache->bin_count = bins;
    memcpy(cache->counts, words, bins * 2);
    memcpy(cache->entries, (char *)words + bins * 2, bins * 8);
    for (size_t bin = 0; bin < bins; bin++)
        if (!cache_entry_is_valid(walk, cache, bin, shapes[shape].room_left))
            return false;
    return true;
}

static void learn_cache_key(struct walk *walk, uint64_t cache, uint64_t key)
{
    struct walk_lists *lists = &walk->lists;
    if (key == cache)
        lists->key_is_cache_address = true;
    if (!key || lists->key_is_cache_address)
        return;
    /* Majority vote (Boyer and Moore 1981): an entry may be in use by the time it is read. */
    if (!lists->key_votes) {
        lists->key = key;
        lists->key_votes = 1;
    } else if (key != lists->key) {
        lists->key_votes--;
    } else if (lists->key_votes < KEY_VOTES_MAX) {
        lists->key_votes++;
    }
}

/* Returns 1 if the first entry of every filled bin is a chunk of that bin, -1 if one is not, 0 if
 * there are no entries. */
static int has_entries(struct walk *walk, uint64_t start, const struct walk_cache *cache)
{
    int found = 0;
    for (size_t bin = 0; bin < cache->bin_count; bin++) {
        uint64_t words[3]; /* head, next, key */
        uint64_t bytes = walk_cache_bin_bytes(bin);
        if (!cache->entries[bin])
            continue;
        if (!walk_memory_read(walk, cache->entries[bin] - 8, words, sizeof words) ||
            (bytes && (words[0] & ~(uint64_t)7) != bytes))
            return -1;
        learn_cache_key(walk, start, words[2]);
        found = 1;
    }
    return found;
}

static bool walk_cache_remember(struct walk_lists *lists, uint64_t start)
{
    bool created;
    if (hash_find(&lists->known, start))
        return true;
    if (!array_reserve_next(&lists->caches, &lists->cache_room, lists->cache_count,
                            sizeof *lists->caches, CACHES_MAX))
        return false;
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
    return (entries > 0 || (!entries && sure)) && walk_cache_remember(&walk->lists, start);
}

/* Follows each word of a thread's static storage: one of them points to its cache. */
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

/* Searches for thread control blocks, which hold their own address twice (ELF Handling for
 * Thread-Local Storage, 3.4.6; glibc's tcbhead_t). The static storage is below them. */
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

static void search_mapping(struct walk *walk, const struct map *map, struct hash *seen,
                           uint64_t *bytes_left)
{
    uint64_t size = map->end - map->start;
    uint64_t bytes = size <= SMALL_MAP_BYTES ? size : STORAGE_BYTES;
    /* The control block of a static program's first thread is at the start of brk's memory, that of
     * other threads at the end of their stack. */
    uint64_t start = map->kind == MAPPING_HEAP ? map->start : map->end - bytes;
    if (!walk_is_data(map) || bytes > *bytes_left)
        return;
    uint64_t *words = walk->probe.words;
    walk_window_reset(&walk->probe, 0);
    size_t got = walk_memory_read_some(walk, start, words, bytes);
    *bytes_left -= got;
    search_words(walk, words, got / 8, start, seen);
}

/* Searches the memory just below a known control block. */
static void search_thread(struct walk *walk, uint64_t base, struct hash *seen, uint64_t *bytes_left)
{
    uint64_t *words = walk->probe.words;
    if (base % 8 || base < STORAGE_BYTES || *bytes_left < STORAGE_BYTES)
        return;
    walk_window_reset(&walk->probe, 0);
    /* The storage is usually small, and the addresses below it may be unmapped. */
    for (uint64_t bytes = STORAGE_BYTES; bytes >= 4096; bytes /= 4) {
        if (!walk_memory_read(walk, base - bytes, words, bytes))
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
    walk->lists.search_at_find_count = walk->stats.find_count + CACHE_SEARCH_FINDS;
    for (size_t i = 0; i < walk->spans.count; i++)
        walk_cache_consider(walk, walk->spans.spans[i].first + WALK_CHUNK_HEADER, true);
    for (size_t i = 0; i < walk->thread_count; i++)
        search_thread(walk, walk->threads[i], &seen, &bytes_left);
    for (size_t i = 0; i < walk->memory.maps.count; i++)
        search_mapping(walk, &walk->memory.maps.maps[i], &seen, &bytes_left);
    hash_fini(&seen);
}

enum {
    LIST_FIND_MAX = 4096,       /* upper bound of list entries followed per lookup */
    LIST_FIND_MIN = 16,         /* always followed: a list of a thread cache has 7 entries */
    LIST_FIND_MEAN = 4,         /* on average per lookup; what a lookup does not use carries over */
    LIST_COLLECT_MAX = 1 << 22, /* per list, for a walk of the whole heap */
    FAST_BINS = 10,             /* words before `top`; none in the newest glibc */
    FAST_CHUNK_MAX = 176
};

void walk_lists_init(struct walk_lists *lists)
{
    *lists = (struct walk_lists){.entries_left = LIST_FIND_MAX};
}

static bool is_list_pointer(const struct walk *walk, uint64_t pointer)
{
    return !pointer || walk_lists_in_heap(walk, pointer);
}

/* Decodes the pointer in a list entry's first word. Since glibc 2.32 it is mangled with its own
 * address. Which form a process uses is known from the first entry that fits only one. */
static bool demangle_pointer(struct walk *walk, uint64_t position, uint64_t word, uint64_t *pointer)
{
    struct walk_lists *lists = &walk->lists;
    uint64_t clear = word ^ position >> 12;
    bool as_mangled = !lists->plain && is_list_pointer(walk, clear);
    bool as_plain = !lists->mangled && is_list_pointer(walk, word);
    *pointer = as_mangled ? clear : word;
    return as_mangled || as_plain;
}

/* Learns the pointer form from a known entry. */
static void learn_pointer_form(struct walk *walk, uint64_t position, uint64_t word)
{
    struct walk_lists *lists = &walk->lists;
    bool as_mangled = is_list_pointer(walk, word ^ position >> 12);
    bool as_plain = is_list_pointer(walk, word);
    if (lists->mangled || lists->plain || as_mangled == as_plain)
        return;
    lists->mangled = as_mangled;
    lists->plain = as_plain;
}

/* Position in a list. `at` is the chunk; 0: at the end, or the list is invalid. */
struct list {
    uint64_t at;
    uint64_t bytes;  /* of each chunk; 0: any */
    uint64_t offset; /* offset of the pointers' targets in the chunk: 16 in caches */
    uint64_t words[3];
};

static bool list_read(struct walk *walk, struct list *list)
{
    if (!list->at)
        return false;
    if (!walk_lists_in_heap(walk, list->at) ||
        !walk_memory_read(walk, list->at + 8, list->words, sizeof list->words))
        return false;
    uint64_t bytes = list->words[0] & ~(uint64_t)7;
    return list->bytes ? bytes == list->bytes : bytes >= WALK_CHUNK_MIN;
}

static void list_next(struct walk *walk, struct list *list)
{
    uint64_t pointer;
    learn_pointer_form(walk, list->at + 16, list->words[1]);
    if (!demangle_pointer(walk, list->at + 16, list->words[1], &pointer) || !pointer)
        list->at = 0;
    else
        list->at = pointer - list->offset;
}

static enum walk_listed list_holds(struct walk *walk, struct list list, uint64_t chunk)
{
    unsigned *left = &walk->lists.entries_left;
    unsigned surely = LIST_FIND_MIN;
    for (; list_read(walk, &list); list_next(walk, &list)) {
        if (list.at == chunk)
            return WALK_LISTED_YES;
        if (!surely && !*left)
            return WALK_LISTED_UNSURE;
        unsigned *from = surely ? &surely : left;
        --*from;
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
            break; /* a cycle, or a list seen before */
        if (!list.offset)
            list.bytes = list.words[0] & ~(uint64_t)7; /* all chunks of a fast bin have one size */
        list_next(walk, &list);
    }
    return 0;
}

static void read_fast_heads(struct walk *walk, uint32_t arena, uint64_t heads[FAST_BINS])
{
    uint64_t before = walk->arenas.bins_offset - 16;
    uint64_t top = walk->arenas.starts[arena] + before;
    size_t count = before / 8 < FAST_BINS + 1 ? before / 8 - 1 : FAST_BINS;
    for (size_t i = 0; i < FAST_BINS; i++)
        heads[i] = 0;
    walk_memory_read(walk, top - count * 8, heads, count * 8);
}

static struct list fast_bin_list(uint64_t head, uint64_t bytes)
{
    return (struct list){.at = head, .bytes = bytes, .offset = 0};
}

static enum walk_listed check_fast_bin(struct walk *walk, const struct walk_chunk *chunk,
                                       uint32_t arena)
{
    uint64_t heads[FAST_BINS];
    uint64_t pointer;
    uint64_t bytes = walk_chunk_bytes(chunk);
    if (bytes > FAST_CHUNK_MAX ||
        !demangle_pointer(walk, chunk->at + 16, chunk->words[0], &pointer))
        return WALK_LISTED_NO;
    read_fast_heads(walk, arena, heads);
    for (size_t i = 0; i < FAST_BINS; i++) {
        enum walk_listed listed = list_holds(walk, fast_bin_list(heads[i], bytes), chunk->at);
        if (listed != WALK_LISTED_NO)
            return listed;
    }
    return WALK_LISTED_NO;
}

static enum walk_listed check_caches(struct walk *walk, const struct walk_chunk *chunk)
{
    for (size_t i = 0; i < walk->lists.cache_count; i++) {
        struct walk_cache cache;
        if (walk->lists.key_is_cache_address && walk->lists.caches[i] != chunk->words[1])
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
    if (lists->key_is_cache_address)
        return hash_find(&lists->known, chunk->words[1]);
    return lists->key && chunk->words[1] == lists->key;
}

enum walk_listed walk_lists_hold(struct walk *walk, const struct walk_chunk *chunk, uint32_t arena)
{
    struct walk_lists *lists = &walk->lists;
    bool again = walk->stats.find_count >= lists->search_at_find_count;
    uint64_t earned =
        lists->entries_left + (walk->stats.find_count - lists->last_find) * LIST_FIND_MEAN;
    lists->entries_left = earned < LIST_FIND_MAX ? (unsigned)earned : LIST_FIND_MAX;
    lists->last_find = walk->stats.find_count;
    if (again && !lists->key && !lists->key_is_cache_address)
        walk_cache_search(walk);
    enum walk_listed listed = check_fast_bin(walk, chunk, arena);
    if (listed != WALK_LISTED_NO || !walk_lists_suspect(walk, chunk))
        return listed;
    listed = check_caches(walk, chunk);
    if (listed == WALK_LISTED_NO && again) {
        walk_cache_search(walk);
        listed = check_caches(walk, chunk);
    }
    /* The key may be left over from an earlier use of the memory, or the cache may be unknown. */
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
        read_fast_heads(walk, arena, heads);
        for (size_t i = 0; !code && i < FAST_BINS; i++)
            code = list_collect(walk, fast_bin_list(heads[i], 0), chunks);
    }
    return code;
}
