/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A fully associative LRU cache of line numbers, beside a real one of the same size: what misses
 * there but not here is a conflict (Hill and Smith 1989). A use of what is here costs one store, of
 * the time; the order is only put right when something has to go. Used inside src/sim only.
 *
 * Lines wait in a row, the oldest first by the times they had when it was sorted. One that has been
 * used since goes behind; when the row is used up, those behind are sorted and become the row. Each
 * line in it was then used or came in since the last time, so a sort is paid by as many uses.
 */
#ifndef MISSTOP_SIM_SHADOW_H
#define MISSTOP_SIM_SHADOW_H

#include "sim/memory.h"

struct shadow_node {
    uint64_t tag;   /* line number + 1; 0: never used */
    uint64_t stamp; /* when it was last used; no two are the same */
    uint32_t next;  /* in its bucket */
};

struct shadow_waiting {
    uint64_t stamp; /* when it was sorted; of those behind: not valid */
    uint32_t node;
};

struct shadow {
    struct shadow_node *nodes; /* [0] ends lists */
    uint32_t *buckets;
    struct shadow_waiting *waiting; /* [0] .. [behind - 1] behind, [head] .. [end - 1] the row */
    struct shadow_waiting *spare;   /* as long, for sorting */
    uint64_t thrown_tag;            /* what the last touch threw out; 0: nothing */
    uint32_t head;
    uint32_t end;
    uint32_t behind;
    uint32_t capacity;
    uint32_t count;
    uint32_t bucket_shift;
};

/* -1: no memory. `lines` is not 0. */
int shadow_init(struct shadow *shadow, uint32_t lines, struct memory *memory);

/*
 * Whether a line was there; it is used at `stamp`, which only grows, and if `fetch` comes in when
 * it was not. *node: where it may have been the last time, and then is.
 */
bool shadow_touch(struct shadow *shadow, uint64_t number, bool fetch, uint64_t stamp,
                  uint32_t *node);

/* Whether a line stands there. */
static inline bool shadow_has(const struct shadow *shadow, uint32_t node, uint64_t number)
{
    return node <= shadow->capacity && shadow->nodes[node].tag == number + 1;
}

#endif
