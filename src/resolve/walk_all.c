/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/walk_state.h"

#include "base/array.h"
#include "resolve/walk_cache.h"
#include "resolve/walk_lists.h"
#include "resolve/walk_mapped.h"

#include <errno.h>
#include <stdlib.h>

enum { TRIES = 8, BACK_BYTES = 1 << 16, FAST_CHUNK_MAX = 176, LATER_MAX = 1 << 22 };

/* One walk through everything. */
struct tour {
    struct walk *walk;
    walk_visit visit; /* NULL: only to find thread caches and set marks */
    void *context;
    struct hash listed;       /* chunks in free lists */
    struct walk_block *later; /* blocks that look cached, by no cache known so far */
    size_t later_count;
    size_t later_room;
    uint64_t budget_end; /* of bytes read */
    long passed;
    bool ended;
    int code;
};

static void visit(struct tour *tour, const struct walk_block *block)
{
    tour->passed++;
    if (tour->visit)
        tour->ended = !tour->visit(tour->context, block);
}

static void put_off(struct tour *tour, const struct walk_block *block)
{
    struct walk_block *more =
        array_more(tour->later, &tour->later_room, tour->later_count, sizeof *more, LATER_MAX);
    if (!more) {
        tour->code = -ENOMEM;
        return;
    }
    tour->later = more;
    tour->later[tour->later_count++] = *block;
}

static void look_for_cache(struct tour *tour, uint64_t start)
{
    struct walk *walk = tour->walk;
    if (hash_find(&walk->lists.known, start) || !walk_cache_consider(walk, start, false))
        return;
    if (walk_lists_collect_cache(walk, start, &tour->listed))
        tour->code = -ENOMEM;
}

/* A chunk that looks in use. */
static void pass(struct tour *tour, const struct walk_chain *chain)
{
    const struct walk_chunk *chunk = &chain->chunk;
    uint64_t bytes = walk_chunk_bytes(chunk);
    bool suspect = walk_lists_suspect(tour->walk, chunk);
    if ((suspect || bytes <= FAST_CHUNK_MAX) && hash_find(&tour->listed, chunk->at))
        return;
    struct walk_block block = {.start = chunk->at + WALK_CHUNK_HEADER,
                               .usable_bytes = bytes - 8,
                               .state = WALK_IN_USE,
                               .arena = chain->span->arena};
    if (walk_cache_size(bytes))
        look_for_cache(tour, block.start);
    if (suspect && tour->visit)
        put_off(tour, &block);
    else
        visit(tour, &block);
}

/* Through the span from where the chain stands to its end. */
static enum walk_chain_end follow(struct tour *tour, struct walk_chain *chain, uint64_t *passed_to)
{
    enum walk_chain_end end;
    while ((end = walk_chain_look(chain)) == WALK_CHAIN_ON && !tour->ended && !tour->code &&
           tour->walk->memory.bytes_read < tour->budget_end) {
        if (chain->in_use && chain->chunk.at >= *passed_to)
            pass(tour, chain);
        if (chain->next.at > *passed_to)
            *passed_to = chain->next.at;
        walk_chain_step(chain);
    }
    return end;
}

/*
 * A chain that breaks in a process that runs is most often the process's doing in that
 * moment: it is taken up again from further back, and what was passed is not passed twice.
 * Returns how far it came.
 */
static uint64_t tour_span(struct tour *tour, struct walk_span *span, uint64_t from)
{
    struct walk *walk = tour->walk;
    uint64_t passed_to = from;
    for (unsigned tries = 0; tries < TRIES; tries++) {
        struct walk_chain chain = walk_chain_of(walk, span, WALK_WINDOW_BYTES);
        chain.trust.proved = true;
        enum walk_chain_end end = walk_chain_start(&chain, from) ? follow(tour, &chain, &passed_to)
                                                                 : WALK_CHAIN_UNREADABLE;
        if (end == WALK_CHAIN_FENCE && !span->arena && chain.chunk.at + 64 < span->end) {
            uint64_t at = walk_chain_resume(&chain, &walk->probe, chain.chunk.at + 16);
            if (!at)
                return span->limit;
            passed_to = from = at;
            continue;
        }
        if (end == WALK_CHAIN_TOP || end == WALK_CHAIN_FENCE)
            return span->limit;
        if (end == WALK_CHAIN_ON)
            return passed_to;
        walk->stats.retries++;
        uint64_t back = BACK_BYTES * tries;
        if (!walk_span_refresh(span, &walk->arenas, &walk->memory))
            break;
        from = walk_span_below(span, passed_to > back ? passed_to - back : 0);
    }
    walk->stats.broken_spans++;
    return span->limit;
}

static void tour_all(struct tour *tour)
{
    struct walk *walk = tour->walk;
    for (size_t i = 0; i < walk->spans.count && !tour->ended && !tour->code; i++)
        tour_span(tour, &walk->spans.spans[i], walk->spans.spans[i].first);
    for (size_t i = 0; i < tour->later_count && !tour->ended; i++)
        if (!hash_find(&tour->listed, tour->later[i].start - WALK_CHUNK_HEADER))
            visit(tour, &tour->later[i]);
    for (size_t i = 0; i < walk->mapped.count && !tour->ended; i++) {
        struct walk_block block;
        if (walk_mapped_check(walk, &walk->mapped.blocks[i], &block))
            visit(tour, &block);
    }
}

static long start(struct walk *walk, walk_visit visitor, void *context, uint64_t budget_bytes)
{
    struct tour tour = {.walk = walk,
                        .visit = visitor,
                        .context = context,
                        .budget_end = walk->memory.bytes_read + budget_bytes};
    hash_init(&tour.listed);
    tour.code = walk_lists_collect(walk, &tour.listed);
    tour_all(&tour);
    hash_fini(&tour.listed);
    free(tour.later);
    return tour.code ? tour.code : tour.passed;
}

long walk_all(struct walk *walk, walk_visit visitor, void *context)
{
    if (*walk->status)
        return -ENODATA;
    walk_arenas_follow(&walk->arenas, &walk->memory);
    walk_mapped_search(walk);
    walk_cache_search(walk);
    /* Blocks in a cache that is found only on the way are told by the key all caches share.
     * Where there is none, the way is gone twice. */
    if (visitor && !walk->lists.key) {
        long passed = start(walk, NULL, NULL, UINT64_MAX / 2);
        if (passed < 0)
            return passed;
    }
    return start(walk, visitor, context, UINT64_MAX / 2);
}

long walk_refresh(struct walk *walk, uint64_t budget_bytes)
{
    struct tour tour = {.walk = walk, .budget_end = walk->memory.bytes_read + budget_bytes};
    if (*walk->status)
        return -ENODATA;
    hash_init(&tour.listed);
    for (size_t i = 0; i < walk->spans.count && walk->memory.bytes_read < tour.budget_end; i++) {
        struct walk_span *span = &walk->spans.spans[i];
        if (span->limit > walk->refresh_at)
            walk->refresh_at = tour_span(&tour, span, walk_span_below(span, walk->refresh_at));
    }
    if (walk->memory.bytes_read < tour.budget_end)
        walk->refresh_at = 0;
    hash_fini(&tour.listed);
    return tour.passed;
}
