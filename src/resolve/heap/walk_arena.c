/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdlib.h>

#include "resolve/heap/walk_state.h"

#define ADDRESS_END ((uint64_t)1 << 47)

enum {
    LIKE_BINS_WORDS = 12,
    PAIRS_MIN = 64, /* 127 in every glibc so far; shorter runs are other ring lists */
    PAIRS_MAX = 256,
    BEHIND_BINS_WORDS = 16,  /* words after the bins to search for `next` */
    BEFORE_BINS_BYTES = 512, /* an arena starts at most this far before its bins */
    DATA_BYTES = 1 << 20,    /* searched at once; pieces overlap, so that no arena is missed */
    DATA_OVERLAP = 8192
};

/* A copy of words of the process's memory, and their address. */
struct words {
    const uint64_t *words;
    size_t count;
    uint64_t start;
};

/* A run of bins in a copy: index of the first pair, and of the first word after the run. */
struct bins {
    size_t first;
    size_t behind;
};

/* Returns the arena's index, or -1. */
static int walk_arenas_index(const struct walk_arenas *arenas, uint64_t start)
{
    for (size_t i = 0; i < arenas->count; i++)
        if (arenas->starts[i] == start)
            return (int)i;
    return -1;
}

static bool empty_bin(const struct words *data, size_t pair)
{
    uint64_t bin = data->start + pair * 8 - 16;
    return data->words[pair] == bin && data->words[pair + 1] == bin;
}

static bool may_be_chunk(uint64_t address)
{
    return address >= WALK_PAGE_BYTES && !(address & 15) && address < ADDRESS_END;
}

/* A filled bin points at its first and last chunk. Does not check that these point back: in a
 * process that allocates all the time, one bin in a hundred is changing. */
static bool is_bin(const struct words *data, size_t pair)
{
    return empty_bin(data, pair) ||
           (may_be_chunk(data->words[pair]) && may_be_chunk(data->words[pair + 1]));
}

/* Returns true if the pointer leads to a top chunk, which ends on a page boundary. */
static bool is_top(struct walk *walk, uint64_t pointer_at)
{
    uint64_t top, head;
    return walk_memory_read(walk, pointer_at, &top, 8) && may_be_chunk(top) &&
           walk_memory_read(walk, top + 8, &head, 8) && head & 1 && !(head & 0xe) &&
           !((top + (head & ~(uint64_t)7)) & (WALK_PAGE_BYTES - 1));
}

/* Finds the next run of possible bins at or after *at, and moves *at past it. */
static bool find_bins(const struct words *data, size_t *at, struct bins *bins)
{
    size_t i = *at;
    while (i + 1 < data->count && !empty_bin(data, i))
        i++;
    if (i + 1 >= data->count)
        return false;
    size_t first = i, behind = i + 2;
    while (first >= 4 && i - first < PAIRS_MAX * 2 && is_bin(data, first - 2))
        first -= 2;
    while (behind + 1 < data->count && behind - first < PAIRS_MAX * 2 && is_bin(data, behind))
        behind += 2;
    *bins = (struct bins){first, behind};
    *at = behind;
    return true;
}

/* Returns true if a run belongs to an arena: it is long enough and follows a top chunk. Skips the
 * pointers before the bins that may look like bins (fast bins, top, last remainder). */
static bool is_arena(struct walk *walk, const struct words *data, struct bins *bins)
{
    size_t first = bins->first;
    for (size_t i = first; i >= 2 && i <= first + LIKE_BINS_WORDS; i += 2) {
        size_t pairs = (bins->behind - i) / 2;
        if (i >= bins->behind || pairs < PAIRS_MIN || pairs > PAIRS_MAX)
            return false;
        bins->first = i;
        if (is_top(walk, data->start + i * 8 - 16))
            return true;
    }
    return false;
}

/* Returns the offset of the bins in the arena that starts at `start`; 0: no arena. */
static uint64_t arena_bins_offset(struct walk *walk, uint64_t start)
{
    uint64_t words[512];
    struct bins bins;
    size_t at = 0;
    struct words data = {words, sizeof words / 8, start};
    if (start & 7 || !walk_memory_read(walk, start, words, sizeof words))
        return 0;
    if (!find_bins(&data, &at, &bins) || !is_arena(walk, &data, &bins) ||
        bins.first * 8 > BEFORE_BINS_BYTES)
        return 0;
    return bins.first * 8;
}

/* Follows `next` from the main arena. Returns true if the ring closes. glibc inserts a new arena
 * right after the main one; here it is appended, so that an arena keeps its index. */
static bool follow_arena_ring(struct walk *walk)
{
    struct walk_arenas *arenas = &walk->arenas;
    uint64_t at = arenas->starts[0];
    for (size_t steps = 0; steps < WALK_ARENAS_MAX; steps++) {
        if (walk_arenas_index(arenas, at) < 0) {
            if (arenas->count == WALK_ARENAS_MAX)
                return false;
            arenas->starts[arenas->count++] = at;
        }
        if (!walk_memory_read(walk, at + arenas->next_offset, &at, 8) || !at || at & 7)
            return false;
        if (at == arenas->starts[0])
            return true;
    }
    return false;
}

/* Finds `next` among the words after the bins. It leads back to the start of this arena if it is
 * the only one; otherwise the next arena's bins show how far before them an arena starts. */
static bool walk_arena_settle(struct walk *walk, const struct words *data, const struct bins *bins)
{
    struct walk_arenas *arenas = &walk->arenas;
    uint64_t first_bin = data->start + bins->first * 8;
    /* `next` may itself look like a bin. */
    for (size_t i = bins->behind - LIKE_BINS_WORDS;
         i < bins->behind + BEHIND_BINS_WORDS && i < data->count; i++) {
        uint64_t next = data->words[i];
        bool self = next < first_bin && first_bin - next <= BEFORE_BINS_BYTES && !(next & 7);
        uint64_t offset = self ? first_bin - next : arena_bins_offset(walk, next);
        if (!offset)
            continue;
        arenas->starts[0] = first_bin - offset;
        arenas->count = 1;
        arenas->bins_offset = offset;
        arenas->next_offset = data->start + i * 8 - arenas->starts[0];
        if (follow_arena_ring(walk))
            return true;
    }
    arenas->count = 0;
    return false;
}

static bool search_words(struct walk *walk, const struct words *data)
{
    struct bins bins;
    size_t at = 0;
    while (find_bins(data, &at, &bins))
        if (is_arena(walk, data, &bins) && walk_arena_settle(walk, data, &bins))
            return true;
    return false;
}

bool walk_arenas_search(struct walk *walk, uint64_t start, uint64_t end)
{
    uint64_t *words = malloc(DATA_BYTES);
    bool found = false;
    for (uint64_t at = start; words && !found && at < end;) {
        size_t bytes = end - at < DATA_BYTES ? (size_t)(end - at) : DATA_BYTES;
        struct words data = {words, walk_memory_read_some(walk, at, words, bytes) / 8, at};
        found = search_words(walk, &data);
        if (bytes < DATA_BYTES)
            break;
        at += DATA_BYTES - DATA_OVERLAP;
    }
    free(words);
    return found;
}

void walk_arenas_follow(struct walk *walk)
{
    /* `next` of a new arena is set before the arena is linked into the ring, so the part that was
     * read is valid even if the remaining arenas could not be read. */
    if (walk->arenas.count)
        follow_arena_ring(walk);
}

uint64_t walk_arenas_top(struct walk *walk, uint32_t arena)
{
    uint64_t top = 0;
    uint64_t at = walk->arenas.starts[arena] + walk->arenas.bins_offset - 16;
    return walk_memory_read(walk, at, &top, 8) && !(top & 15) ? top : 0;
}

/* In the first heap of an arena, the arena follows the heap_info and the first chunk follows the
 * arena: after `next` come next_free, attached_threads, system_mem, max_system_mem. */
static uint64_t first_chunk(const struct walk_arenas *arenas, uint64_t start, uint64_t arena)
{
    uint64_t info_bytes = arena & (WALK_HEAP_MAX - 1);
    if (arena - info_bytes != start)
        return start + ((info_bytes + 15) & ~(uint64_t)15);
    return (arena + arenas->next_offset + 40 + 15) & ~(uint64_t)15;
}

bool walk_heap_read(struct walk *walk, uint64_t start, struct walk_heap *heap)
{
    const struct walk_arenas *arenas = &walk->arenas;
    uint64_t words[4]; /* arena, previous heap, size, bytes ever writable */
    if (start & (WALK_HEAP_MAX - 1) || !walk_memory_read(walk, start, words, sizeof words))
        return false;
    int arena = walk_arenas_index(arenas, words[0]);
    uint64_t info_bytes = words[0] & (WALK_HEAP_MAX - 1);
    if (arena <= 0 || info_bytes < 32 || info_bytes > 256 || words[1] & (WALK_HEAP_MAX - 1) ||
        words[2] > WALK_HEAP_MAX || words[2] & (WALK_PAGE_BYTES - 1) || words[2] < WALK_PAGE_BYTES)
        return false;
    *heap = (struct walk_heap){start, words[1], words[2], first_chunk(arenas, start, words[0]),
                               (uint32_t)arena};
    return true;
}
