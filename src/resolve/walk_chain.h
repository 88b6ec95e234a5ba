/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Going from chunk to chunk through a span, by the size in each header, with every step
 * checked: the sizes against the span, a free chunk against the copy of its size that stands
 * in its successor (glibc malloc/malloc.c, "Malloc chunks"). Private to the walk.
 */
#ifndef MISSTOP_RESOLVE_WALK_CHAIN_H
#define MISSTOP_RESOLVE_WALK_CHAIN_H

#include "resolve/walk_span.h"

enum walk_chunk_flag { WALK_PREV_IN_USE = 1, WALK_MMAPPED = 2, WALK_NON_MAIN = 4 };

enum { WALK_CHUNK_MIN = 32, WALK_CHUNK_HEADER = 16 };

struct walk_chunk {
    uint64_t at;             /* of its header; the block starts 16 bytes behind */
    uint64_t previous_bytes; /* of the chunk before, if that one is free */
    uint64_t head;           /* size and flags */
    uint64_t words[2];       /* the block's first words: list pointers of free chunks */
};

enum walk_chain_end {
    WALK_CHAIN_ON,     /* a chunk with a sound successor */
    WALK_CHAIN_TOP,    /* the top chunk */
    WALK_CHAIN_FENCE,  /* fence posts: the arena went on elsewhere */
    WALK_CHAIN_BROKEN, /* no chunk */
    WALK_CHAIN_UNREADABLE
};

struct walk_chain {
    struct walk_memory *memory;
    struct walk_window *window;
    const struct walk_arenas *arenas;
    struct walk_span *span;
    struct walk_chunk chunk; /* where the chain is */
    struct walk_chunk next;  /* valid after WALK_CHAIN_ON */
    uint64_t before;         /* the chunk before this one; 0: not known */
    bool in_use;             /* by the successor's flag: cached chunks look in use too */
    struct walk_trust trust;
};

static inline uint64_t walk_chunk_bytes(const struct walk_chunk *chunk)
{
    return chunk->head & ~(uint64_t)7;
}

/* Goes to a chunk. False: unreadable. */
bool walk_chain_start(struct walk_chain *chain, uint64_t at);

/* What the chunk is; reads its successor. */
enum walk_chain_end walk_chain_look(struct walk_chain *chain);

/* Goes on after WALK_CHAIN_ON. */
static inline void walk_chain_step(struct walk_chain *chain)
{
    chain->before = chain->chunk.at;
    walk_span_pass(chain->span, chain->chunk.at, chain->next.at, &chain->trust);
    chain->chunk = chain->next;
}

/*
 * The first chunk at or after `from`, at most a MiB on, from where many sound ones follow; 0:
 * none. For memory that others took from brk before malloc did, or between.
 */
uint64_t walk_chain_resume(const struct walk_chain *chain, struct walk_window *probe,
                           uint64_t from);

#endif
