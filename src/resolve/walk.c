/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/walk.h"

#include "base/text.h"
#include "resolve/walk_cache.h"
#include "resolve/walk_lists.h"
#include "resolve/walk_locate.h"
#include "resolve/walk_mapped.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPAN_LIMIT_BYTES ((uint64_t)1 << 40)

enum { THREADS_MAX = 1024 }; /* whose caches are looked for */

enum {
    DATA_BYTES_MUCH = 1 << 20,
    DATA_BYTES_MAX = 64 << 20, /* of a program's data, searched for arenas */
    /* A process that allocates in that moment may not look sound; malloc may not have been used. */
    SEARCH_TRIES = 16,
    SEARCH_TRIES_WITHOUT = 2 /* libc */
};

/* What the paths of the mappings tell. */
struct seen {
    char libc[64];   /* file name of glibc's, "" if none */
    char other[64];  /* of another allocator */
    char loader[64]; /* of a program that is not static, and has another libc */
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
    walk_lists_init(&walk->lists);
    snprintf(walk->status, sizeof walk->status, "no mappings known yet");
    if (walk_window_init(&walk->window) || walk_window_init(&walk->probe) ||
        walk_arenas_init(&walk->arenas)) {
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
    free(walk->threads);
    walk_mapped_fini(&walk->mapped);
    walk_lists_fini(&walk->lists);
    walk_spans_fini(&walk->spans);
    walk_arenas_fini(&walk->arenas);
    walk_window_fini(&walk->probe);
    walk_window_fini(&walk->window);
    walk_memory_fini(&walk->memory);
    free(walk);
}

static const char *file_name(const struct walk_mapping *map)
{
    const char *slash = map->path ? strrchr(map->path, '/') : NULL;
    return slash ? slash + 1 : "";
}

static bool starts(const char *text, const char *with)
{
    return !strncmp(text, with, strlen(with));
}

static bool is_libc(const char *name)
{
    return starts(name, "libc.so.6") || starts(name, "libc-2.");
}

static void keep(char out[64], const char *name)
{
    if (!*out)
        text_sanitise(out, 64, name, strlen(name));
}

static void look_at(struct seen *seen, const struct walk_mapping *map)
{
    static const char *const allocators[] = {"libjemalloc", "libtcmalloc", "libmimalloc",
                                             "libsnmalloc", "libhoard",    "libscudo",
                                             "libtbbmalloc"};
    const char *name = file_name(map);
    if (is_libc(name))
        keep(seen->libc, name);
    /* Its loader is its libc; Debian has it as libc.so in a folder of its own. */
    if (starts(name, "ld-musl-") || starts(name, "libc.musl-") ||
        (!strcmp(name, "libc.so") && strstr(map->path, "musl")))
        seen->musl = true;
    for (size_t i = 0; i < sizeof allocators / sizeof *allocators; i++)
        if (starts(name, allocators[i]))
            keep(seen->other, name);
    if (starts(name, "ld-") || starts(name, "ld.so") || starts(name, "linker64"))
        keep(seen->loader, name);
    if (*seen->program && strstr(name, ".so"))
        keep(seen->library, name);
    if (*name)
        keep(seen->program, name);
}

/* Arenas in the initialised data of libc; in a program without libc in its own. */
static bool search(struct walk *walk, const struct walk_mapping *mappings, size_t count, bool libc)
{
    uint64_t bytes = 0;
    walk->search_costly = false;
    for (size_t i = 0; i < count && bytes < DATA_BYTES_MAX; i++) {
        const struct walk_mapping *map = &mappings[i];
        if (!map->writable || map->kind != WALK_MAPPING_FILE || (libc && !is_libc(file_name(map))))
            continue;
        uint64_t size = map->end - map->start;
        size = size < DATA_BYTES_MAX - bytes ? size : DATA_BYTES_MAX - bytes;
        bytes += size;
        walk->search_costly |= bytes > DATA_BYTES_MUCH;
        if (walk_arenas_search(&walk->arenas, &walk->memory, map->start, map->start + size))
            return true;
    }
    return false;
}

static void say_why_not(struct walk *walk, const struct seen *seen, bool mapped)
{
    char *out = walk->status;
    size_t size = sizeof walk->status;
    if (seen->musl)
        snprintf(out, size, "musl: its allocator has no chunks that could be walked");
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
    else if (starts(seen->program, "qemu-"))
        snprintf(out, size, "no glibc heap: %s runs a program of another architecture",
                 seen->program);
    else if (*seen->loader || *seen->library)
        snprintf(out, size, "no glibc heap: the program has another C library (%s)",
                 *seen->loader ? seen->loader : seen->library);
    else
        snprintf(out, size, "static program: no glibc allocator found in %s",
                 *seen->program ? seen->program : "it");
}

static void find_arenas(struct walk *walk, const struct walk_mapping *mappings, size_t count)
{
    struct seen seen = {0};
    for (size_t i = 0; i < count; i++)
        look_at(&seen, &mappings[i]);
    bool found = false;
    unsigned tries = *seen.libc ? SEARCH_TRIES : SEARCH_TRIES_WITHOUT;
    for (unsigned i = 0; i < tries && !found && count && !seen.musl; i++)
        found = search(walk, mappings, count, *seen.libc);
    if (!found) {
        say_why_not(walk, &seen, count > 0);
        /* A program's own data may be large: gone through ever more seldom. */
        walk->search_backoff = walk->search_backoff * 2 + walk->search_costly;
        walk->search_waiting = walk->search_backoff;
        return;
    }
    *walk->status = '\0';
    if (*seen.libc)
        snprintf(walk->source, sizeof walk->source, "glibc malloc in %s", seen.libc);
    else
        snprintf(walk->source, sizeof walk->source, "static program with glibc malloc");
}

/* The main arena's heap: from the start of brk's memory, or where others that took some from
 * brk before malloc did have left off. */
static uint64_t first_chunk(struct walk *walk, const struct walk_chain *chain, uint64_t start)
{
    uint64_t head;
    /* As a rule the first thing that malloc makes is a thread's cache. */
    if (walk_memory_read(&walk->memory, start + 8, &head, 8) && (head & 15) == WALK_PREV_IN_USE &&
        walk_cache_size(head & ~(uint64_t)7))
        return start;
    return walk_chain_resume(chain, &walk->probe, start);
}

static void find_main(struct walk *walk)
{
    const struct walk_memory *memory = &walk->memory;
    size_t first = 0;
    while (first < memory->map_count && memory->maps[first].kind != WALK_MAPPING_HEAP)
        first++;
    if (first == memory->map_count)
        return;
    size_t last = first;
    while (last + 1 < memory->map_count && memory->maps[last + 1].kind == WALK_MAPPING_HEAP)
        last++;
    uint64_t start = memory->maps[first].start;
    uint64_t end = memory->maps[last].end;
    uint64_t limit = last + 1 < memory->map_count ? memory->maps[last + 1].start : UINT64_MAX;
    if (limit - start > SPAN_LIMIT_BYTES)
        limit = start + SPAN_LIMIT_BYTES;
    end = end < limit ? end : limit;
    struct walk_span whole = {.first = start, .limit = limit, .mapped_end = end};
    struct walk_chain chain = walk_chain_of(walk, &whole, WALK_PAGE_BYTES);
    struct walk_span *known = walk_spans_find(&walk->spans, end - 1);
    if (!known && walk_span_refresh(&whole, &walk->arenas, &walk->memory))
        start = first_chunk(walk, &chain, start);
    else
        start = known ? known->first : 0;
    free(whole.marks);
    struct walk_span *span = start ? walk_spans_add(&walk->spans, start, end, limit, 0) : NULL;
    if (span)
        walk_span_refresh(span, &walk->arenas, &walk->memory);
}

static void drop_unmapped(struct walk *walk)
{
    for (size_t i = walk->spans.count; i-- > 0;) {
        struct walk_span *span = &walk->spans.spans[i];
        if (!walk_memory_mapping(&walk->memory, span->first))
            walk_spans_remove(&walk->spans, span);
    }
}

int walk_update(struct walk *walk, const struct walk_mapping *mappings, size_t count)
{
    int code = walk_memory_map(&walk->memory, mappings, count);
    if (code)
        return code;
    if (!walk->arenas.count && !walk->search_waiting)
        find_arenas(walk, mappings, count);
    else if (!walk->arenas.count)
        walk->search_waiting--;
    if (!walk->arenas.count)
        return 0;
    walk_arenas_follow(&walk->arenas, &walk->memory);
    drop_unmapped(walk);
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
    return *walk->status ? walk->status : NULL;
}

const char *walk_source(const struct walk *walk)
{
    return walk->source;
}

static enum walk_failure outside(const struct walk *walk, uint64_t address)
{
    return walk_memory_mapping(&walk->memory, address) ? WALK_FAIL_FOREIGN : WALK_FAIL_UNMAPPED;
}

static enum walk_failure find(struct walk *walk, uint64_t address, struct walk_block *block)
{
    enum walk_failure failure = WALK_FAIL_FOREIGN;
    if (*walk->status)
        return WALK_FAIL_NO_HEAP;
    if (address < WALK_PAGE_BYTES || address >> 56)
        return WALK_FAIL_UNMAPPED;
    struct walk_span *span = walk_mapped_span(walk, address);
    if (span)
        failure = walk_locate(walk, span, address, block);
    /* Without a span, or with one that is gone now. */
    if (!failure || walk_spans_find(&walk->spans, address))
        return failure;
    if (walk_mapped_find(walk, address, block))
        return WALK_FAIL_NONE;
    span = walk_spans_find(&walk->spans, address);
    return span ? walk_locate(walk, span, address, block) : outside(walk, address);
}

bool walk_find(struct walk *walk, uint64_t address, struct walk_block *block)
{
    walk->stats.finds++;
    enum walk_failure failure = find(walk, address, block);
    walk->stats.failures[failure]++;
    return !failure;
}

const struct walk_stats *walk_stats(struct walk *walk)
{
    walk->stats.reads = walk->memory.reads;
    walk->stats.bytes_read = walk->memory.bytes_read;
    walk->stats.arenas = (uint32_t)walk->arenas.count;
    walk->stats.thread_caches = (uint32_t)walk->lists.cache_count;
    return &walk->stats;
}
