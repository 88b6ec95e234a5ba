/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/walk_locate.h"

#include "resolve/walk_lists.h"

#include <string.h>

enum {
    ATTEMPTS = 5,
    ATTEMPTS_NEAR = 3, /* the rest chain from the span's start */
    AGREED_MANY = 16,  /* marks met that stand for a proof where there is none */
    UNREST_FINDS = 256,
    CHECK_BYTES = 2048, /* block and neighbours read at once up to here */
    AHEAD_MIN_BYTES = 1024,
    AHEAD_MAX_BYTES = 1 << 16,
    BACKOFF_MAX = 1024
};

static const uint64_t back_bytes[ATTEMPTS_NEAR] = {2048, 1 << 16, 1 << 20};

#define BUDGET_BYTES ((uint64_t)256 << 20)

/* Where to chain from: so far before the address that the chain meets marks on its way. The
 * further attempts take more room for what may have changed since. */
static uint64_t anchor(const struct walk_span *span, uint64_t target, unsigned attempt)
{
    uint64_t near = walk_span_below(span, target);
    if (attempt >= ATTEMPTS_NEAR || near - span->first < back_bytes[attempt])
        return span->first;
    near = walk_span_below(span, near - back_bytes[attempt]);
    return near == span->first ? near : walk_span_below(span, near - 1);
}

/*
 * A boundary remembered may be one no more: chunks that were merged and cut up anew leave
 * their old headers in the blocks that came after, and these lead from one to the next as they
 * did. A free chunk settles it: what its list holds is a chunk now. Fd and bk of a free chunk
 * are its neighbours' in its list, which point back (at +24 and +16) only if it is in it.
 */
static bool in_list(struct walk *walk, uint64_t chunk)
{
    uint64_t links[2], back, forth;
    return walk_memory_read(&walk->memory, chunk + 16, links, sizeof links) &&
           !((links[0] | links[1]) & 15) &&
           walk_memory_read(&walk->memory, links[0] + 24, &back, 8) && back == chunk &&
           walk_memory_read(&walk->memory, links[1] + 16, &forth, 8) && forth == chunk;
}

/* False: the chain leads through what was a free chunk once. */
static bool prove(struct walk *walk, struct walk_chain *chain)
{
    if (chain->in_use || chain->trust.proved)
        return true;
    chain->trust.proved = in_list(walk, chain->chunk.at) || in_list(walk, chain->chunk.at);
    return chain->trust.proved;
}

/* Whether a chain speaks for its end. Where nothing was seen to change a few marks will do. */
static bool enough(struct walk_span *span, const struct walk_trust *trust, unsigned attempt)
{
    if (trust->differed)
        span->unrest = UNREST_FINDS;
    if (trust->proved || (walk_trusted(trust) && !span->unrest))
        return true;
    return trust->agreed >= AGREED_MANY && (!trust->differed || attempt + 1 >= ATTEMPTS_NEAR);
}

/* Behind fence posts, memory that another took from brk; then perhaps the heap again. */
static enum walk_failure over_gap(struct walk *walk, struct walk_chain *chain, uint64_t target)
{
    uint64_t fence = chain->chunk.at;
    uint64_t at = 0;
    if (!chain->span->arena && target >= fence + WALK_CHUNK_MIN && target < chain->span->end)
        at = walk_chain_resume(chain, &walk->probe, fence + WALK_CHUNK_HEADER);
    if (!at || at > target)
        return WALK_FAIL_FOREIGN;
    walk_span_pass(chain->span, fence, at, &chain->trust);
    walk_window_reset(&walk->window, AHEAD_MIN_BYTES);
    return walk_chain_start(chain, at) ? WALK_FAIL_NONE : WALK_FAIL_UNREADABLE;
}

/* Chains to the chunk that holds the target; *top: it is the top chunk. */
static enum walk_failure follow(struct walk *walk, struct walk_chain *chain, uint64_t target,
                                bool *top)
{
    uint64_t budget_end = walk->memory.bytes_read + BUDGET_BYTES;
    enum walk_failure failure = WALK_FAIL_NONE;
    while (!failure && chain->chunk.at <= target) {
        switch (walk_chain_look(chain)) {
        case WALK_CHAIN_ON:
            if (!prove(walk, chain))
                return WALK_FAIL_CHANGED;
            if (target < chain->next.at)
                return WALK_FAIL_NONE;
            walk_chain_step(chain);
            break;
        case WALK_CHAIN_TOP:
            *top = true;
            return target < chain->span->end ? WALK_FAIL_NONE : WALK_FAIL_UNMAPPED;
        case WALK_CHAIN_FENCE:
            failure = over_gap(walk, chain, target);
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

/* Headers as they are now: of the chunk before (if known), this and the next one. */
static bool read_heads(struct walk *walk, const struct walk_chain *chain, uint64_t heads[3])
{
    unsigned char bytes[CHECK_BYTES];
    uint64_t at = chain->chunk.at;
    uint64_t next = at + walk_chunk_bytes(&chain->chunk);
    uint64_t before = chain->before ? chain->before : at;
    if (next + 16 - before <= CHECK_BYTES) {
        if (!walk_memory_read(&walk->memory, before, bytes, next + 16 - before))
            return false;
        memcpy(&heads[0], bytes + 8, 8);
        memcpy(&heads[1], bytes + (at - before) + 8, 8);
        memcpy(&heads[2], bytes + (next - before) + 8, 8);
        return true;
    }
    return walk_memory_read(&walk->memory, before + 8, &heads[0], 8) &&
           walk_memory_read(&walk->memory, at + 8, &heads[1], 8) &&
           walk_memory_read(&walk->memory, next + 8, &heads[2], 8);
}

/* Whether the block is still there, between the same neighbours. */
static bool verify(struct walk *walk, struct walk_chain *chain)
{
    uint64_t heads[3];
    uint64_t sizes = ~(uint64_t)7;
    uint64_t before = chain->before ? chain->before : chain->chunk.at;
    if (!read_heads(walk, chain, heads))
        return false;
    bool meets = !chain->before || before + (heads[0] & sizes) == chain->chunk.at;
    chain->in_use = heads[2] & WALK_PREV_IN_USE;
    return meets && (heads[1] & sizes) == walk_chunk_bytes(&chain->chunk) && !(heads[2] & 8) &&
           (heads[2] & sizes || heads[2] & WALK_PREV_IN_USE);
}

static enum walk_failure answer(struct walk *walk, struct walk_chain *chain, bool top,
                                struct walk_block *block)
{
    enum walk_listed listed = WALK_LISTED_NO;
    if (!top && !verify(walk, chain))
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

static enum walk_failure attempt(struct walk *walk, struct walk_span *span, uint64_t target,
                                 unsigned number, struct walk_block *block)
{
    uint64_t from = anchor(span, target, number);
    /* With room for the header behind a block of usual size. */
    uint64_t ahead = target - from + 512;
    ahead = ahead < AHEAD_MIN_BYTES ? AHEAD_MIN_BYTES : ahead;
    ahead = ahead > AHEAD_MAX_BYTES ? AHEAD_MAX_BYTES : ahead;
    struct walk_chain chain = walk_chain_of(walk, span, ahead);
    chain.trust.proved = from == span->first;
    bool top = false;
    if (!walk_chain_start(&chain, from))
        return WALK_FAIL_UNREADABLE;
    enum walk_failure failure = follow(walk, &chain, target, &top);
    if (failure == WALK_FAIL_BROKEN || failure == WALK_FAIL_CHANGED)
        span->unrest = UNREST_FINDS;
    if (failure)
        return failure;
    if (!enough(span, &chain.trust, number))
        return WALK_FAIL_CHANGED;
    return answer(walk, &chain, top, block);
}

/* A span whose chain from the start is broken stays so for a while: it is not read whole for
 * each sample. */
static bool must_wait(struct walk_span *span)
{
    if (!span->waiting)
        return false;
    span->waiting--;
    return true;
}

static void back_off(struct walk_span *span)
{
    span->backoff = span->backoff < BACKOFF_MAX ? span->backoff * 2 + 1 : BACKOFF_MAX;
    span->waiting = span->backoff;
}

enum walk_failure walk_locate(struct walk *walk, struct walk_span *span, uint64_t address,
                              struct walk_block *block)
{
    /* The first word of the next chunk is this block's as long as it is in use. */
    uint64_t target = address - 8;
    enum walk_failure failure = WALK_FAIL_FOREIGN;
    if (target < span->first)
        return WALK_FAIL_FOREIGN;
    for (unsigned i = 0; i < ATTEMPTS; i++) {
        if (i == ATTEMPTS_NEAR && must_wait(span))
            return failure;
        failure = attempt(walk, span, target, i, block);
        if (!failure || failure == WALK_FAIL_BUDGET) {
            span->backoff = 0;
            span->unrest -= !!span->unrest;
            return failure;
        }
        walk->stats.retries++;
        if (!walk_span_refresh(span, &walk->arenas, &walk->memory)) {
            walk_spans_remove(&walk->spans, span);
            return failure;
        }
    }
    back_off(span);
    return failure;
}
