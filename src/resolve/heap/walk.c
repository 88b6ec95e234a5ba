/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/heap/walk.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "resolve/heap/walk_state.h"

enum {
    ATTEMPTS = 6,
    ATTEMPTS_NEAR = 4,       /* further attempts chain from the span's start */
    MARKS_AGREED_PROOF = 16, /* agreeing marks that count as proof */
    MARKS_BACK = 24, /* marks that the last near attempt goes back: large blocks have few per MiB */
    DISTRUSTED_FINDS = 256,
    CHECK_BYTES = 2048, /* up to this size a block and its neighbours are read at once */
    AHEAD_MIN_BYTES = 1024,
    AHEAD_MAX_BYTES = 1 << 16,
    PAUSE_MAX = 1024
};

static const uint64_t back_bytes[ATTEMPTS_NEAR] = {2048, 1 << 16, 1 << 20, 1 << 20};
static const unsigned back_marks[ATTEMPTS_NEAR] = {4, MARKS_BACK, 1, 1};

#define BUDGET_BYTES ((uint64_t)256 << 20)

/* Returns the mark this many marks before a mark, or the first one. */
static uint64_t marks_before(const struct walk_span *span, uint64_t mark, unsigned count)
{
    while (count-- && mark != span->first)
        mark = walk_span_below(span, mark - 1);
    return mark;
}

/* Returns the chunk to chain from: far enough before the address that the chain meets marks on its
 * way. Later attempts start further back, in case more has changed since. */
static uint64_t chain_anchor(const struct walk_span *span, uint64_t target, unsigned attempt)
{
    uint64_t mark = walk_span_below(span, target);
    if (attempt >= ATTEMPTS_NEAR || mark - span->first < back_bytes[attempt])
        return span->first;
    uint64_t by_marks = marks_before(span, mark, back_marks[attempt]);
    uint64_t by_bytes = marks_before(span, walk_span_below(span, mark - back_bytes[attempt]),
                                     attempt + 1 < ATTEMPTS_NEAR ? 1 : MARKS_BACK);
    return by_marks < by_bytes ? by_marks : by_bytes;
}

/*
 * Returns true if a chunk is in a free list. A cached boundary may be stale: when chunks are merged
 * and split again, their old headers remain inside the later blocks and still form a chain. A free
 * chunk settles it, because the entries of its list are current chunks. Its fd and bk point to its
 * neighbours in the list, which point back (at +24 and +16) only if the chunk is in the list.
 */
static bool is_in_free_list(struct walk *walk, uint64_t chunk)
{
    uint64_t links[2], back, forth;
    return walk_memory_read(walk, chunk + 16, links, sizeof links) &&
           !((links[0] | links[1]) & 15) && walk_memory_read(walk, links[0] + 24, &back, 8) &&
           back == chunk && walk_memory_read(walk, links[1] + 16, &forth, 8) && forth == chunk;
}

/* Returns false if the chain leads through a stale free chunk. */
static bool prove_chain(struct walk *walk, struct walk_chain *chain)
{
    if (chain->in_use || chain->trust.proved)
        return true;
    chain->trust.proved =
        is_in_free_list(walk, chain->chunk.at) || is_in_free_list(walk, chain->chunk.at);
    return chain->trust.proved;
}

/* Returns true if a chain is reliable. If nothing was seen to change, a few marks are enough. */
static bool is_chain_reliable(struct walk_span *span, const struct walk_trust *trust,
                              unsigned attempt)
{
    if (trust->marks_differed)
        span->distrusted_finds = DISTRUSTED_FINDS;
    if (trust->proved || (walk_trusted(trust) && !span->distrusted_finds))
        return true;
    return trust->marks_agreed >= MARKS_AGREED_PROOF &&
           (!trust->marks_differed || attempt + 1 >= ATTEMPTS_NEAR);
}

/* Continues after fence posts: memory that other code took from brk, then possibly the heap. */
static enum walk_failure walk_over_gap(struct walk *walk, struct walk_chain *chain, uint64_t target)
{
    uint64_t fence = chain->chunk.at;
    uint64_t at = 0;
    if (!chain->span->arena && target >= fence + WALK_CHUNK_MIN && target < chain->span->end)
        at = walk_chain_resume(chain, fence + WALK_CHUNK_HEADER);
    if (!at || at > target)
        return chain->span->arena ? WALK_FAIL_BROKEN : WALK_FAIL_FOREIGN;
    walk_span_pass(chain->span, fence, at, &chain->trust);
    walk_window_reset(&walk->window, AHEAD_MIN_BYTES);
    return walk_chain_start(chain, at) ? WALK_FAIL_NONE : WALK_FAIL_UNREADABLE;
}

/* Chains to the chunk that holds the target. Sets *top if it is the top chunk. */
static enum walk_failure walk_locate_follow(struct walk *walk, struct walk_chain *chain,
                                            uint64_t target, bool *top)
{
    uint64_t budget_end = walk->memory.bytes_read + BUDGET_BYTES;
    enum walk_failure failure = WALK_FAIL_NONE;
    while (!failure && chain->chunk.at <= target) {
        switch (walk_chain_look(chain)) {
        case WALK_CHAIN_CONTINUES:
            if (!prove_chain(walk, chain))
                return WALK_FAIL_CHANGED;
            if (target < chain->next.at)
                return WALK_FAIL_NONE;
            walk_chain_step(chain);
            break;
        case WALK_CHAIN_TOP:
            *top = true;
            return target < chain->span->end ? WALK_FAIL_NONE : WALK_FAIL_UNMAPPED;
        case WALK_CHAIN_FENCE:
            failure = walk_over_gap(walk, chain, target);
            break;
        case WALK_CHAIN_BROKEN:
            return WALK_FAIL_BROKEN;
        case WALK_CHAIN_UNREADABLE:
            return WALK_FAIL_UNREADABLE;
        }
        if (walk->memory.bytes_read > budget_end)
            return WALK_FAIL_BUDGET;
    }
    return failure ? failure : WALK_FAIL_BROKEN;
}

/* Reads the current headers of the previous chunk (if known), this chunk and the next one. */
static bool read_heads(struct walk *walk, const struct walk_chain *chain, uint64_t heads[3])
{
    unsigned char bytes[CHECK_BYTES];
    uint64_t at = chain->chunk.at;
    uint64_t next = at + walk_chunk_bytes(&chain->chunk);
    uint64_t before = chain->previous ? chain->previous : at;
    if (next + 16 - before <= CHECK_BYTES) {
        if (!walk_memory_read(walk, before, bytes, next + 16 - before))
            return false;
        memcpy(&heads[0], bytes + 8, 8);
        memcpy(&heads[1], bytes + (at - before) + 8, 8);
        memcpy(&heads[2], bytes + (next - before) + 8, 8);
        return true;
    }
    return walk_memory_read(walk, before + 8, &heads[0], 8) &&
           walk_memory_read(walk, at + 8, &heads[1], 8) &&
           walk_memory_read(walk, next + 8, &heads[2], 8);
}

/* Returns true if the block is still there, between the same neighbours. */
static bool verify_block(struct walk *walk, struct walk_chain *chain)
{
    uint64_t heads[3];
    uint64_t sizes = ~(uint64_t)7;
    uint64_t before = chain->previous ? chain->previous : chain->chunk.at;
    if (!read_heads(walk, chain, heads))
        return false;
    bool meets = !chain->previous || before + (heads[0] & sizes) == chain->chunk.at;
    chain->in_use = heads[2] & WALK_PREV_IN_USE;
    return meets && (heads[1] & sizes) == walk_chunk_bytes(&chain->chunk) && !(heads[2] & 8) &&
           (heads[2] & sizes || heads[2] & WALK_PREV_IN_USE);
}

static enum walk_failure walked_block(struct walk *walk, struct walk_chain *chain, bool top,
                                      struct walk_block *block)
{
    enum walk_listed listed = WALK_LISTED_NO;
    if (!top && !verify_block(walk, chain))
        return WALK_FAIL_CHANGED;
    if (!top && chain->in_use)
        listed = walk_lists_hold(walk, &chain->chunk, chain->span->arena);
    if (listed == WALK_LISTED_UNSURE)
        return WALK_FAIL_UNSURE;
    bool in_use = chain->in_use && listed == WALK_LISTED_NO;
    *block = (struct walk_block){.start = chain->chunk.at + WALK_CHUNK_HEADER,
                                 .usable_bytes = walk_chunk_bytes(&chain->chunk) - 8,
                                 .state = top      ? WALK_TOP
                                          : in_use ? WALK_IN_USE
                                                   : WALK_FREE,
                                 .arena = chain->span->arena};
    return WALK_FAIL_NONE;
}

static enum walk_failure attempt_locate(struct walk *walk, struct walk_span *span, uint64_t target,
                                        unsigned number, struct walk_block *block)
{
    uint64_t from = chain_anchor(span, target, number);
    /* Include the header after a block of usual size. */
    uint64_t ahead = target - from + 512;
    ahead = ahead < AHEAD_MIN_BYTES ? AHEAD_MIN_BYTES : ahead;
    ahead = ahead > AHEAD_MAX_BYTES ? AHEAD_MAX_BYTES : ahead;
    struct walk_chain chain = walk_chain_of(walk, span, ahead);
    chain.trust.proved = from == span->first;
    bool top = false;
    if (!walk_chain_start(&chain, from))
        return WALK_FAIL_UNREADABLE;
    enum walk_failure failure = walk_locate_follow(walk, &chain, target, &top);
    if (failure == WALK_FAIL_BROKEN || failure == WALK_FAIL_CHANGED)
        span->distrusted_finds = DISTRUSTED_FINDS;
    if (failure)
        return failure;
    if (!is_chain_reliable(span, &chain.trust, number))
        return WALK_FAIL_CHANGED;
    return walked_block(walk, &chain, top, block);
}

/* Fills *block, or returns the reason for failure. The span may be gone after a failure. */
static enum walk_failure walk_locate(struct walk *walk, struct walk_span *span, uint64_t address,
                                     struct walk_block *block)
{
    /* A block in use includes the first word of the next chunk. */
    uint64_t target = address - 8;
    enum walk_failure failure = WALK_FAIL_FOREIGN;
    if (target < span->first)
        return WALK_FAIL_FOREIGN;
    if (target - walk_span_below(span, target) > walk->reach_bytes)
        return WALK_FAIL_BUDGET;
    for (unsigned i = 0; i < ATTEMPTS; i++) {
        if (i == ATTEMPTS_NEAR && target - span->first > walk->reach_bytes)
            return WALK_FAIL_BUDGET;
        /* A broken chain rarely heals soon, so do not reread the whole span for every sample. */
        if (i == ATTEMPTS_NEAR && walk_pause_pass(&span->pause))
            return failure;
        failure = attempt_locate(walk, span, target, i, block);
        if (!failure || failure == WALK_FAIL_BUDGET) {
            span->pause.length = 0;
            span->distrusted_finds -= !!span->distrusted_finds;
            return failure;
        }
        walk->stats.retries++;
        if (!walk_span_refresh(walk, span)) {
            walk_spans_remove(walk, span);
            return failure;
        }
    }
    walk_pause_lengthen(&span->pause, PAUSE_MAX);
    return failure;
}

#define SPAN_LIMIT_BYTES ((uint64_t)1 << 40)

enum { THREADS_MAX = 1024 }; /* threads searched for caches */

enum {
    DATA_BYTES_MUCH = 1 << 20,
    DATA_BYTES_MAX = 64 << 20, /* limit of a program's data that is searched for arenas */
    /* Retries: arenas may look damaged while the process allocates. Without a libc, malloc may not
     * have been used yet. */
    SEARCH_TRIES = 16,
    SEARCH_TRIES_WITHOUT = 2 /* without a libc */
};

/* Results from the paths of the mappings. */
struct mappings_seen {
    char libc[64];   /* file name of glibc's libc, "" if none */
    char other[64];  /* file name of another allocator */
    char loader[64]; /* loader of a dynamic program with another libc */
    char library[64];
    char program[64];
    bool musl;
};

int walk_new(struct walk **out, const struct walk_target *target)
{
    struct walk *walk = calloc(1, sizeof *walk);
    if (!walk)
        return -ENOMEM;
    walk->memory.target = *target;
    walk->reach_bytes = UINT64_MAX;
    walk_lists_init(&walk->lists);
    snprintf(walk->status, sizeof walk->status, "no mappings known yet");
    walk->window.words = malloc(WALK_WINDOW_BYTES);
    walk->probe.words = malloc(WALK_WINDOW_BYTES);
    walk->arenas.starts = calloc(WALK_ARENAS_MAX, sizeof *walk->arenas.starts);
    if (!walk->window.words || !walk->probe.words || !walk->arenas.starts) {
        walk_free(walk);
        return -ENOMEM;
    }
    *out = walk;
    return 0;
}

void walk_free(struct walk *walk)
{
    if (!walk)
        return;
    for (size_t i = 0; i < walk->spans.count; i++)
        free(walk->spans.spans[i].marks);
    free(walk->spans.spans);
    free(walk->threads);
    free(walk->mapped.blocks);
    free(walk->lists.caches);
    hash_fini(&walk->lists.known);
    free(walk->arenas.starts);
    free(walk->probe.words);
    free(walk->window.words);
    free(walk->memory.maps.maps);
    free(walk->memory.searched);
    free(walk);
}

static const char *file_name(const struct maps *maps, const struct map *map)
{
    const char *slash = strrchr(maps_name(maps, map), '/');
    return slash ? slash + 1 : "";
}

static bool starts_with(const char *text, const char *with)
{
    return !strncmp(text, with, strlen(with));
}

static bool is_libc(const char *name)
{
    return starts_with(name, "libc.so.6") || starts_with(name, "libc-2.");
}

static void walk_keep_name(char out[64], const char *name)
{
    if (!*out)
        text_sanitise(out, 64, name, strlen(name));
}

static void walk_check_mapping(struct mappings_seen *seen, const struct maps *maps,
                               const struct map *map)
{
    static const char *const allocators[] = {"libjemalloc", "libtcmalloc", "libmimalloc",
                                             "libsnmalloc", "libhoard",    "libscudo",
                                             "libtbbmalloc"};
    const char *name = file_name(maps, map);
    if (is_libc(name))
        walk_keep_name(seen->libc, name);
    /* musl's loader is also its libc; Debian has it as libc.so in its own folder. */
    if (starts_with(name, "ld-musl-") || starts_with(name, "libc.musl-") ||
        (!strcmp(name, "libc.so") && strstr(maps_name(maps, map), "musl")))
        seen->musl = true;
    for (size_t i = 0; i < sizeof allocators / sizeof *allocators; i++)
        if (starts_with(name, allocators[i]))
            walk_keep_name(seen->other, name);
    if (starts_with(name, "ld-") || starts_with(name, "ld.so") || starts_with(name, "linker64"))
        walk_keep_name(seen->loader, name);
    if (*seen->program && strstr(name, ".so"))
        walk_keep_name(seen->library, name);
    if (*name)
        walk_keep_name(seen->program, name);
}

/* Searches for arenas in the initialised data of libc, or of the program if it has no libc. */
static bool walk_search_arenas(struct walk *walk, const struct maps *maps, bool libc)
{
    uint64_t bytes = 0;
    walk->search_costly = false;
    for (size_t i = 0; i < maps->count && bytes < DATA_BYTES_MAX; i++) {
        const struct map *map = &maps->maps[i];
        if (!map->writable || map->kind != MAPPING_FILE || (libc && !is_libc(file_name(maps, map))))
            continue;
        uint64_t size = map->end - map->start;
        size = size < DATA_BYTES_MAX - bytes ? size : DATA_BYTES_MAX - bytes;
        bytes += size;
        walk->search_costly |= bytes > DATA_BYTES_MUCH;
        if (walk_arenas_search(walk, map->start, map->start + size))
            return true;
    }
    return false;
}

static void explain_missing_heap(struct walk *walk, const struct mappings_seen *seen, bool mapped)
{
    char *out = walk->status;
    size_t size = sizeof walk->status;
    if (seen->musl)
        snprintf(out, size, "musl: its allocator has no chunks to walk");
    else if (*seen->other)
        snprintf(out, size, "no glibc heap: %s is loaded and %s never used", seen->other,
                 *seen->libc ? "glibc's malloc was" : "glibc is");
    else if (*seen->libc)
        snprintf(out, size, "no glibc heap: the malloc of %s was not used (another allocator?)",
                 seen->libc);
    else if (!mapped)
        snprintf(out, size,
                 "no heap: its memory map cannot be read (a setuid program, or one that "
                 "may not be traced)");
    else if (starts_with(seen->program, "qemu-"))
        snprintf(out, size, "no glibc heap: %s runs a program of another architecture",
                 seen->program);
    else if (*seen->loader || *seen->library)
        snprintf(out, size, "no glibc heap: the program has another C library (%s)",
                 *seen->loader ? seen->loader : seen->library);
    else
        snprintf(out, size, "static program: no glibc allocator found in %s",
                 *seen->program ? seen->program : "it");
}

static void find_arenas(struct walk *walk, const struct maps *maps)
{
    struct mappings_seen seen = {0};
    for (size_t i = 0; i < maps->count; i++)
        walk_check_mapping(&seen, maps, &maps->maps[i]);
    bool found = false;
    unsigned tries = *seen.libc ? SEARCH_TRIES : SEARCH_TRIES_WITHOUT;
    for (unsigned i = 0; i < tries && !found && maps->count && !seen.musl; i++)
        found = walk_search_arenas(walk, maps, *seen.libc);
    if (!found) {
        explain_missing_heap(walk, &seen, maps->count > 0);
        /* A program's own data may be large: back off. */
        if (walk->search_costly)
            walk_pause_lengthen(&walk->pause, WALK_SEARCH_PAUSE_MAX);
        return;
    }
    *walk->status = '\0';
    if (*seen.libc)
        snprintf(walk->source, sizeof walk->source, "glibc malloc in %s", seen.libc);
    else
        snprintf(walk->source, sizeof walk->source, "static program with glibc malloc");
}

/* Returns the first chunk of the main arena's heap: at the start of brk's memory, or after memory
 * that other code took from brk before malloc did. */
static uint64_t first_chunk(struct walk *walk, const struct walk_chain *chain, uint64_t start)
{
    uint64_t head;
    /* Usually the first chunk that malloc makes is a thread's cache. */
    if (walk_memory_read(walk, start + 8, &head, 8) && (head & 15) == WALK_PREV_IN_USE &&
        walk_cache_size(head & ~(uint64_t)7))
        return start;
    return walk_chain_resume(chain, start);
}

static void find_main(struct walk *walk)
{
    const struct maps *maps = &walk->memory.maps;
    size_t first = 0;
    while (first < maps->count && maps->maps[first].kind != MAPPING_HEAP)
        first++;
    if (first == maps->count)
        return;
    size_t last = first;
    while (last + 1 < maps->count && maps->maps[last + 1].kind == MAPPING_HEAP)
        last++;
    uint64_t start = maps->maps[first].start;
    uint64_t end = maps->maps[last].end;
    uint64_t limit = last + 1 < maps->count ? maps->maps[last + 1].start : UINT64_MAX;
    if (limit - start > SPAN_LIMIT_BYTES)
        limit = start + SPAN_LIMIT_BYTES;
    end = end < limit ? end : limit;
    struct walk_span whole = {.first = start, .limit = limit, .mapped_end = end};
    struct walk_chain chain = walk_chain_of(walk, &whole, WALK_PAGE_BYTES);
    struct walk_span *known = walk_spans_find(walk, end - 1);
    if (!known && walk_span_refresh(walk, &whole))
        start = first_chunk(walk, &chain, start);
    else
        start = known ? known->first : 0;
    free(whole.marks);
    struct walk_span *span = start ? walk_spans_add(walk, start, end, limit, 0) : NULL;
    if (span)
        walk_span_refresh(walk, span);
}

static void drop_unmapped_spans(struct walk *walk)
{
    for (size_t i = walk->spans.count; i-- > 0;) {
        struct walk_span *span = &walk->spans.spans[i];
        if (!maps_find(&walk->memory.maps, span->first))
            walk_spans_remove(walk, span);
    }
}

int walk_update(struct walk *walk, const struct maps *maps)
{
    int code = walk_memory_map(walk, maps);
    if (code)
        return code;
    if (!walk->arenas.count && !walk_pause_pass(&walk->pause))
        find_arenas(walk, maps);
    walk_jemalloc_search(walk, maps);
    walk_go_search(walk, maps);
    if (!walk->arenas.count)
        return 0;
    walk_arenas_follow(walk);
    drop_unmapped_spans(walk);
    find_main(walk);
    return 0;
}

int walk_threads(struct walk *walk, const uint64_t *bases, size_t count)
{
    size_t kept = count < THREADS_MAX ? count : THREADS_MAX;
    uint64_t *copy = kept ? malloc(kept * sizeof *copy) : NULL;
    if (kept && !copy)
        return -ENOMEM;
    if (kept)
        memcpy(copy, bases, kept * sizeof *copy);
    free(walk->threads);
    walk->threads = copy;
    walk->thread_count = kept;
    return 0;
}

const char *walk_status(const struct walk *walk)
{
    return *walk->status && !walk->jemalloc.root && !walk->go.table ? walk->status : NULL;
}

const char *walk_source(struct walk *walk)
{
    const char *jemalloc = walk->jemalloc.root ? walk->jemalloc.name : NULL;
    const char *go = walk->go.table ? "Go's runtime" : "";
    snprintf(walk->all_sources, sizeof walk->all_sources, "%s%s%s%s%s%s", walk->source,
             jemalloc && *walk->source ? " and " : "", jemalloc ? "jemalloc in " : "",
             jemalloc ? jemalloc : "", *go && (jemalloc || *walk->source) ? " and " : "", go);
    return walk->all_sources;
}

void walk_limit_chain(struct walk *walk, uint64_t reach_bytes)
{
    walk->reach_bytes = reach_bytes;
}

void walk_continue_from(struct walk *walk, const struct walk *before)
{
    for (size_t i = 0; i < before->spans.count; i++) {
        const struct walk_span *known = &before->spans.spans[i];
        struct walk_span *span = walk_spans_find(walk, known->first);
        if (span && span->distrusted_finds < known->distrusted_finds)
            span->distrusted_finds = known->distrusted_finds;
    }
    for (size_t i = 0; i < walk->memory.maps.count; i++)
        walk->memory.searched[i].at_find_count += before->stats.find_count - walk->stats.find_count;
    walk->stats.find_count = before->stats.find_count;
}

static enum walk_failure failure_outside_spans(const struct walk *walk, uint64_t address)
{
    return maps_find(&walk->memory.maps, address) ? WALK_FAIL_FOREIGN : WALK_FAIL_UNMAPPED;
}

static struct walk_block own_data(uint64_t address, bool go)
{
    return (struct walk_block){
        .start = address & ~(uint64_t)15, .usable_bytes = 16, .state = WALK_OWN_DATA, .go = go};
}

/* Returns true for the header of a thread arena's heap and the arena, which malloc itself uses. */
static bool find_header(struct walk *walk, uint64_t address, struct walk_block *block)
{
    struct walk_heap heap;
    if (!walk_heap_read(walk, address & ~(WALK_HEAP_MAX - 1), &heap) || address >= heap.first_chunk)
        return false;
    *block = own_data(address, false);
    return true;
}

static enum walk_failure walk_find_block(struct walk *walk, uint64_t address,
                                         struct walk_block *block)
{
    enum walk_failure failure = WALK_FAIL_FOREIGN;
    if (*walk->status)
        return WALK_FAIL_NO_HEAP;
    if (address < WALK_PAGE_BYTES || address >> 56)
        return WALK_FAIL_UNMAPPED;
    struct walk_span *span = walk_mapped_span(walk, address);
    if (span)
        failure = walk_locate(walk, span, address, block);
    /* There is no span, or it was removed meanwhile. */
    if (!failure || walk_spans_find(walk, address))
        return failure;
    if (find_header(walk, address, block) || walk_mapped_find(walk, address, block))
        return WALK_FAIL_NONE;
    span = walk_spans_find(walk, address);
    return span ? walk_locate(walk, span, address, block) : failure_outside_spans(walk, address);
}

void walk_own_add(struct walk *walk, uint64_t address, bool go)
{
    struct walk_own *own = &walk->own;
    for (size_t i = 0; i < WALK_OWN; i++)
        if (address - own->at[i].start < own->at[i].end - own->at[i].start)
            return;
    const struct map *map = maps_find(&walk->memory.maps, address);
    if (!walk_is_data(map))
        return;
    uint32_t next = own->next++ % WALK_OWN;
    own->at[next].start = map->start;
    own->at[next].end = map->end;
    own->at[next].go = go;
}

static bool find_block_of_misstop(const struct walk *walk, uint64_t address,
                                  struct walk_block *block)
{
    const struct walk_own *own = &walk->own;
    for (size_t i = 0; i < WALK_OWN; i++) {
        if (address - own->at[i].start >= own->at[i].end - own->at[i].start)
            continue;
        *block = own_data(address, own->at[i].go);
        return true;
    }
    return false;
}

bool walk_find(struct walk *walk, uint64_t address, struct walk_block *block)
{
    walk->stats.find_count++;
    enum walk_failure failure = WALK_FAIL_NONE;
    if (!walk_jemalloc_find(walk, address, block) && !walk_go_find(walk, address, block))
        failure = walk_find_block(walk, address, block);
    if (failure && walk_jemalloc_find_large(walk, address, block))
        failure = WALK_FAIL_NONE;
    if (failure && find_block_of_misstop(walk, address, block))
        failure = WALK_FAIL_NONE;
    if (failure == WALK_FAIL_FOREIGN &&
        (walk_jemalloc_covers(walk, address) || walk_go_covers(walk, address)))
        failure = WALK_FAIL_UNSURE;
    walk->stats.failures[failure]++;
    return !failure;
}

const struct walk_stats *walk_stats(struct walk *walk)
{
    walk->stats.reads = walk->memory.reads;
    walk->stats.bytes_read = walk->memory.bytes_read;
    walk->stats.arenas = (uint32_t)walk->arenas.count + !!walk->jemalloc.root + !!walk->go.table;
    walk->stats.thread_caches = (uint32_t)walk->lists.cache_count;
    return &walk->stats;
}

enum { TRIES = 8, BACK_BYTES = 1 << 16, FAST_CHUNK_MAX = 176, LATER_MAX = 1 << 22 };

struct heap_walk {
    struct walk *walk;
    walk_visit visit; /* NULL: only to find thread caches and set marks */
    void *context;
    struct hash listed;           /* chunks in free lists */
    struct walk_block *undecided; /* blocks that look cached, but by no known cache */
    size_t later_count;
    size_t later_room;
    long visited;
    bool ended;
    int code;
};

static void visit_block(struct heap_walk *tour, const struct walk_block *block)
{
    tour->visited++;
    if (tour->visit)
        tour->ended = !tour->visit(tour->context, block);
}

static void defer_block(struct heap_walk *tour, const struct walk_block *block)
{
    if (!array_reserve_next(&tour->undecided, &tour->later_room, tour->later_count,
                            sizeof *tour->undecided, LATER_MAX)) {
        tour->code = -ENOMEM;
        return;
    }
    tour->undecided[tour->later_count++] = *block;
}

static void check_for_cache(struct heap_walk *tour, uint64_t start)
{
    struct walk *walk = tour->walk;
    if (hash_find(&walk->lists.known, start) || !walk_cache_consider(walk, start, false))
        return;
    if (walk_lists_collect_cache(walk, start, &tour->listed))
        tour->code = -ENOMEM;
}

/* Handles a chunk that looks in use. */
static void walk_all_take_chunk(struct heap_walk *tour, const struct walk_chain *chain)
{
    const struct walk_chunk *chunk = &chain->chunk;
    uint64_t bytes = walk_chunk_bytes(chunk);
    bool suspect = walk_lists_suspect(tour->walk, chunk);
    if ((suspect || bytes <= FAST_CHUNK_MAX) && hash_find(&tour->listed, chunk->at))
        return;
    struct walk_block block = {.start = chunk->at + WALK_CHUNK_HEADER,
                               .usable_bytes = bytes - 8,
                               .state = WALK_IN_USE,
                               .arena = chain->span->arena,
                               .count = 1};
    if (walk_cache_size(bytes))
        check_for_cache(tour, block.start);
    if (suspect && tour->visit)
        defer_block(tour, &block);
    else
        visit_block(tour, &block);
}

static enum walk_chain_end walk_all_follow_chain(struct heap_walk *tour, struct walk_chain *chain,
                                                 uint64_t *passed_to)
{
    enum walk_chain_end end;
    while ((end = walk_chain_look(chain)) == WALK_CHAIN_CONTINUES && !tour->ended && !tour->code) {
        if (chain->in_use && chain->chunk.at >= *passed_to)
            walk_all_take_chunk(tour, chain);
        if (chain->next.at > *passed_to)
            *passed_to = chain->next.at;
        walk_chain_step(chain);
    }
    return end;
}

/* Walks a span. A chain usually breaks because the process is changing it at the time: it is
 * resumed from further back, and no chunk is visited twice. */
static void tour_span(struct heap_walk *tour, struct walk_span *span, uint64_t from)
{
    struct walk *walk = tour->walk;
    uint64_t passed_to = from;
    for (unsigned tries = 0; tries < TRIES; tries++) {
        struct walk_chain chain = walk_chain_of(walk, span, WALK_WINDOW_BYTES);
        chain.trust.proved = true;
        enum walk_chain_end end = walk_chain_start(&chain, from)
                                      ? walk_all_follow_chain(tour, &chain, &passed_to)
                                      : WALK_CHAIN_UNREADABLE;
        if (end == WALK_CHAIN_FENCE && !span->arena && chain.chunk.at + 64 < span->end) {
            uint64_t at = walk_chain_resume(&chain, chain.chunk.at + 16);
            if (!at)
                return;
            passed_to = from = at;
            continue;
        }
        if (end == WALK_CHAIN_TOP || end == WALK_CHAIN_FENCE || end == WALK_CHAIN_CONTINUES)
            return;
        walk->stats.retries++;
        uint64_t back = BACK_BYTES * tries;
        if (!walk_span_refresh(walk, span))
            break;
        from = walk_span_below(span, passed_to > back ? passed_to - back : 0);
    }
    walk->stats.broken_spans++;
}

static void tour_spans_and_mapped(struct heap_walk *tour)
{
    struct walk *walk = tour->walk;
    for (size_t i = 0; i < walk->spans.count && !tour->ended && !tour->code; i++)
        tour_span(tour, &walk->spans.spans[i], walk->spans.spans[i].first);
    for (size_t i = 0; i < tour->later_count && !tour->ended; i++)
        if (!hash_find(&tour->listed, tour->undecided[i].start - WALK_CHUNK_HEADER))
            visit_block(tour, &tour->undecided[i]);
    for (size_t i = 0; i < walk->mapped.count && !tour->ended; i++) {
        struct walk_block block;
        if (walk_mapped_check(walk, &walk->mapped.blocks[i], &block))
            visit_block(tour, &block);
    }
}

static long walk_all_start(struct walk *walk, walk_visit visitor, void *context)
{
    struct heap_walk tour = {.walk = walk, .visit = visitor, .context = context};
    hash_init(&tour.listed);
    tour.code = walk_lists_collect(walk, &tour.listed);
    tour_spans_and_mapped(&tour);
    hash_fini(&tour.listed);
    free(tour.undecided);
    return tour.code ? tour.code : tour.visited;
}

static long walk_all_chunks(struct walk *walk, walk_visit visitor, void *context)
{
    walk_arenas_follow(walk);
    walk_mapped_search(walk);
    walk_cache_search(walk);
    /* Blocks in a cache that is found late are recognised by the key that all caches share. If the
     * key is not known, the heap is walked twice. */
    if (visitor && !walk->lists.key) {
        long passed = walk_all_start(walk, NULL, NULL);
        if (passed < 0)
            return passed;
    }
    return walk_all_start(walk, visitor, context);
}

long walk_all(struct walk *walk, walk_visit visitor, void *context)
{
    if (walk_status(walk))
        return -ENODATA;
    long chunks = *walk->status ? 0 : walk_all_chunks(walk, visitor, context);
    if (chunks < 0)
        return chunks;
    chunks += walk_jemalloc_all(walk, visitor, context);
    return chunks + walk_go_all(walk, visitor, context);
}

enum { SMALL_MAX = 1032, SMALL_MIN = 24, STEP = 16 }; /* usable bytes; 1032: tcache's last */

/* Classes of Go are odd numbers, unlike all others: one per size up to 32 KiB. */
enum { GO_CLASS = 1, GO_SMALL_MAX = 32 << 10 };

/* Rounds up to a quarter of a power of two, from 1 KiB on. */
static uint64_t round_to_quarter(uint64_t bytes)
{
    unsigned log = 63 - (unsigned)__builtin_clzll(bytes - 1);
    uint64_t step = (uint64_t)1 << (log - 2);
    return (bytes + step - 1) & ~(step - 1);
}

/* Returns true for sizes that glibc does not have. */
static bool is_jemalloc_class(uint64_t bytes)
{
    return bytes && bytes < SMALL_MAX && (bytes == 8 || bytes % STEP == 0);
}

uint64_t walk_size_class(uint64_t usable_bytes, bool go)
{
    if (go)
        return (usable_bytes > GO_SMALL_MAX ? round_to_quarter(usable_bytes) : usable_bytes) |
               GO_CLASS;
    if (is_jemalloc_class(usable_bytes))
        return usable_bytes;
    if (usable_bytes <= SMALL_MIN)
        return SMALL_MIN;
    if (usable_bytes <= SMALL_MAX)
        return (usable_bytes - SMALL_MIN + STEP - 1) / STEP * STEP + SMALL_MIN;
    return usable_bytes > (uint64_t)1 << 62 ? UINT64_MAX : round_to_quarter(usable_bytes);
}

/* Returns the smallest size of the class with this largest size. */
static uint64_t class_start(uint64_t size_class)
{
    if (is_jemalloc_class(size_class) && size_class > 128)
        return size_class - (UINT64_C(1) << (61 - __builtin_clzll(size_class - 1))) + 1;
    if (size_class == 16)
        return 9;
    if (size_class <= SMALL_MIN)
        return 1;
    if (size_class <= SMALL_MAX)
        return size_class - STEP + 1;
    unsigned log = 63 - (unsigned)__builtin_clzll(size_class - 1);
    uint64_t start = size_class - ((uint64_t)1 << (log - 2)) + 1;
    return start <= SMALL_MAX ? SMALL_MAX + 1 : start;
}

bool walk_class_is_go(uint64_t size_class)
{
    return size_class & GO_CLASS;
}

const char *walk_class_name(char out[32], uint64_t size_class)
{
    char from[16], to[16];
    uint64_t start = class_start(size_class);
    if (walk_class_is_go(size_class) && size_class <= GO_SMALL_MAX + GO_CLASS)
        snprintf(out, 32, "new(%" PRIu64 ")", size_class - GO_CLASS);
    else if (walk_class_is_go(size_class))
        snprintf(out, 32, "new(..%s)", text_bytes(to, size_class - GO_CLASS));
    else if (size_class <= SMALL_MAX)
        snprintf(out, 32, "malloc(%" PRIu64 "..%" PRIu64 ")", start, size_class);
    else
        snprintf(out, 32, "malloc(%s..%s)", text_bytes(from, start), text_bytes(to, size_class));
    return out;
}
