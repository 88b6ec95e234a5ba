/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A fully associative LRU cache of line numbers, beside a real one of the same size: what misses
 * there but not here is a conflict (Hill and Smith 1989). Of a line that is in both the real one
 * keeps the time of its last use, so that a hit there costs nothing here; the order is only put
 * right when something has to go. Used inside src/sim only.
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
    uint64_t stamp; /* when it was last used, no two are the same; not while the real one knows */
    uint32_t next;  /* in its bucket */
    uint32_t index; /* in the real one, if its tag is there */
};

struct shadow_waiting {
    uint64_t stamp; /* when it was sorted; of those behind: not valid */
    uint32_t node;
};

/* Of the real cache, by index. */
struct shadow_real {
    const uint64_t *tags;
    const uint64_t *stamps;
    uint32_t *nodes; /* 0: the shadow has not the line */
};

struct shadow {
    struct shadow_real real;
    struct shadow_node *nodes; /* [0] ends lists */
    uint32_t *buckets;
    struct shadow_waiting *waiting; /* [0] .. [behind - 1] behind, [head] .. [end - 1] the row */
    struct shadow_waiting *spare;   /* as long, for sorting */
    uint32_t thrown_index;          /* of a line that the last touch threw out here alone */
    uint32_t head;
    uint32_t end;
    uint32_t behind;
    uint32_t capacity;
    uint32_t count;
    uint32_t bucket_shift;
};

enum { SHADOW_NONE = UINT32_MAX };

/* -1: no memory. `lines` is not 0. */
int shadow_init(struct shadow *shadow, struct shadow_real real, uint32_t lines,
                struct memory *memory);

/*
 * Whether a line was there that shadow_has() not by index; it is used at `stamp`, which only grows,
 * and if `fetch` comes in when it was not. *node: where it is then; 0: it is not.
 */
bool shadow_touch(struct shadow *shadow, uint64_t number, bool fetch, uint64_t stamp,
                  uint32_t *node);

/* The line of a node, not 0, lies in the real cache from now on. */
static inline void shadow_join(struct shadow *shadow, uint32_t node, uint32_t index)
{
    shadow->nodes[node].index = index;
    shadow->real.nodes[index] = node;
}

/* It is about to leave the real cache. */
static inline void shadow_part(struct shadow *shadow, uint32_t index)
{
    shadow->nodes[shadow->real.nodes[index]].stamp = shadow->real.stamps[index];
    shadow->real.nodes[index] = 0;
}

#endif
