/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A span is a stretch of memory that is one chain of chunks: the main arena's heap, a heap of
 * a thread arena, or a mapping the main arena took where brk failed. For each KiB of it a
 * mark remembers the first chunk that starts there, so that a lookup need not chain from the
 * start. Private to the walk.
 */
#ifndef MISSTOP_RESOLVE_WALK_SPAN_H
#define MISSTOP_RESOLVE_WALK_SPAN_H

#include "resolve/walk_arena.h"

enum { WALK_SPANS_MAX = 65536, WALK_MARK_BYTES = 1024 };

struct walk_span {
    uint64_t first;      /* chunk */
    uint64_t end;        /* no chunk ends behind it */
    uint64_t top;        /* the arena's top chunk; 0: not in this span */
    uint64_t limit;      /* how far the span could grow */
    uint64_t mapped_end; /* where its mapping ended when last told */
    uint32_t arena;
    uint8_t *marks; /* of each KiB: the first chunk's place in 16 bytes, plus 1; 0: unknown */
    size_t mark_count;
    uint32_t backoff; /* finds that will not chain from the start, after one that failed */
    uint32_t waiting; /* of them to come */
    uint32_t unrest;  /* finds to come that want more proof: boundaries were seen to change */
};

/* What speaks for a chain that did not begin at the span's start. */
struct walk_trust {
    bool proved;       /* began there, or passed a free chunk that is in its list */
    uint32_t agreed;   /* marks met */
    uint32_t differed; /* marks that the chain went past */
};

static inline bool walk_trusted(const struct walk_trust *trust)
{
    return trust->proved || (trust->agreed > 2 && !trust->differed);
}

struct walk_spans {
    struct walk_span *spans; /* by ascending `first` */
    size_t count;
    size_t room;
};

void walk_spans_fini(struct walk_spans *spans);

/* The span whose limits hold the address, or NULL. Valid until one is added or removed. */
struct walk_span *walk_spans_find(const struct walk_spans *spans, uint64_t address);

/* The span that starts so, made if need be; NULL: out of memory or too many. */
struct walk_span *walk_spans_add(struct walk_spans *spans, uint64_t first, uint64_t mapped_end,
                                 uint64_t limit, uint32_t arena);

void walk_spans_remove(struct walk_spans *spans, struct walk_span *span);

/* Reads end and top anew. False: it is no span of that arena any more. */
bool walk_span_refresh(struct walk_span *span, const struct walk_arenas *arenas,
                       struct walk_memory *memory);

/* The last marked chunk at or before the address, or the first one. */
uint64_t walk_span_below(const struct walk_span *span, uint64_t address);

/* Out of line part of walk_span_pass(). */
void walk_span_mark(struct walk_span *span, uint64_t from, uint64_t at, struct walk_trust *trust);

/* The chain went from one chunk to the next. Trusted chains write marks. */
static inline void walk_span_pass(struct walk_span *span, uint64_t from, uint64_t at,
                                  struct walk_trust *trust)
{
    if ((from ^ at) & ~(uint64_t)(WALK_MARK_BYTES - 1))
        walk_span_mark(span, from, at, trust);
}

#endif
