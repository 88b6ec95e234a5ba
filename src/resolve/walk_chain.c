/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/walk_chain.h"

#include <stdlib.h>

enum {
    RESUME_BYTES = 1 << 20, /* searched for a chain */
    RESUME_CHUNKS = 16,     /* that must follow, unless top ends them */
    RESUME_PROBES = 4096
};

static bool load(struct walk_chain *chain, uint64_t at, struct walk_chunk *chunk)
{
    const uint64_t *words = walk_window_at(chain->memory, chain->window, at, sizeof *words * 4);
    if (words) {
        *chunk = (struct walk_chunk){at, words[0], words[1], {words[2], words[3]}};
        return true;
    }
    /* The last fence post has 16 bytes. */
    words = walk_window_at(chain->memory, chain->window, at, sizeof *words * 2);
    if (words)
        *chunk = (struct walk_chunk){at, words[0], words[1], {0, 0}};
    return words;
}

bool walk_chain_start(struct walk_chain *chain, uint64_t at)
{
    chain->before = 0;
    return load(chain, at, &chain->chunk);
}

static enum walk_chain_end successor(struct walk_chain *chain, uint64_t bytes)
{
    if (!load(chain, chain->chunk.at + bytes, &chain->next))
        return WALK_CHAIN_UNREADABLE;
    chain->in_use = chain->next.head & WALK_PREV_IN_USE;
    if (chain->next.head & 8 || (!chain->in_use && chain->next.previous_bytes != bytes))
        return WALK_CHAIN_BROKEN;
    return WALK_CHAIN_ON;
}

/* Top and end move as the heap grows: asked for again once they are reached. */
static bool at_top(struct walk_chain *chain)
{
    return walk_span_refresh(chain->span, chain->arenas, chain->memory) &&
           chain->chunk.at == chain->span->top;
}

static bool inside(const struct walk_chain *chain, uint64_t bytes)
{
    return chain->chunk.at < chain->span->end && bytes < chain->span->end - chain->chunk.at;
}

enum walk_chain_end walk_chain_look(struct walk_chain *chain)
{
    const struct walk_chunk *chunk = &chain->chunk;
    uint64_t bytes = walk_chunk_bytes(chunk);
    if ((chunk->at == chain->span->top || !inside(chain, bytes)) && at_top(chain))
        return WALK_CHAIN_TOP;
    /* Two headers without a block: a size of 16, and another one or 0 behind it. */
    if (bytes < WALK_CHUNK_MIN)
        return bytes == WALK_CHUNK_HEADER || chunk->head == WALK_PREV_IN_USE ? WALK_CHAIN_FENCE
                                                                             : WALK_CHAIN_BROKEN;
    if (bytes & 8 || chunk->head & WALK_MMAPPED || !inside(chain, bytes) ||
        (!chain->span->arena && chunk->head & WALK_NON_MAIN))
        return WALK_CHAIN_BROKEN;
    return successor(chain, bytes);
}

static bool lead_on(struct walk_chain *chain, uint64_t at)
{
    if (!walk_chain_start(chain, at))
        return false;
    for (unsigned i = 0; i < RESUME_CHUNKS; i++) {
        enum walk_chain_end end = walk_chain_look(chain);
        if (end != WALK_CHAIN_ON)
            return end == WALK_CHAIN_TOP || (end == WALK_CHAIN_FENCE && i > 1);
        walk_chain_step(chain);
    }
    return true;
}

/* Whether enough chunks follow one that stands here. Tried on a copy: it may be none. */
static bool leads_on(struct walk_chain chain, struct walk_window *probe, uint64_t at)
{
    struct walk_span span = *chain.span;
    chain.window = probe;
    chain.span = &span;
    chain.trust = (struct walk_trust){0};
    span.marks = NULL;
    span.mark_count = 0;
    walk_window_reset(probe, 512);
    bool leads = lead_on(&chain, at);
    free(span.marks);
    return leads;
}

uint64_t walk_chain_resume(const struct walk_chain *chain, struct walk_window *probe, uint64_t from)
{
    const struct walk_span *span = chain->span;
    uint64_t end = span->end - from > RESUME_BYTES ? from + RESUME_BYTES : span->end;
    unsigned probes = 0;
    for (uint64_t at = from; at < end && probes < RESUME_PROBES; at += 16) {
        const uint64_t *words = walk_window_at(chain->memory, chain->window, at, 16);
        uint64_t head = words ? words[1] : 0;
        /* The first chunk has nothing free before it. */
        if ((head & 0xf) != WALK_PREV_IN_USE || head < WALK_CHUNK_MIN || head > span->end - at)
            continue;
        probes++;
        if (leads_on(*chain, probe, at))
            return at;
    }
    return 0;
}
