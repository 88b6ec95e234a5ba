/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A fully associative LRU cache of line numbers, beside a real one of the same size: what misses
 * there but not here is a conflict (Hill and Smith 1989). A hash and a list: constant time. Used
 * inside src/sim only.
 */
#ifndef MISSTOP_SIM_SHADOW_H
#define MISSTOP_SIM_SHADOW_H

#include "sim/memory.h"

struct shadow_node {
    uint64_t tag; /* line number + 1; 0: never used */
    uint32_t newer;
    uint32_t older;
    uint32_t next; /* in its bucket */
};

struct shadow {
    struct shadow_node *nodes; /* [0] ends lists and stands for both ends of the order */
    uint32_t *buckets;
    uint32_t capacity;
    uint32_t count;
    uint32_t bucket_shift;
};

/* -1: no memory. `lines` is not 0. */
int shadow_init(struct shadow *shadow, uint32_t lines, struct memory *memory);

/*
 * Whether a line was there; it becomes the newest, and if `fetch` comes in when it was not.
 * *node: where it may have been the last time, and then is.
 */
bool shadow_touch(struct shadow *shadow, uint64_t number, bool fetch, uint32_t *node);

#endif
