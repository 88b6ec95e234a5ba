/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lines of a first level that the fast path finds by itself (struct model_fast): a hit writes down
 * when it was, which is all that LRU and the shadow want; of a tree only the set's most recent line
 * is there, so that a hit changes no order. What stands in the table is what needs nobody to be
 * told; what is not there costs a call and nothing else. Used inside src/sim only.
 */
#ifndef MISSTOP_SIM_FAST_H
#define MISSTOP_SIM_FAST_H

#include "sim/cache.h"

enum { FAST_MAX = 1 << 16 };

/* -1: no memory. */
int fast_init(struct cache *cache, struct memory *memory);

/* The line at `index` is not to be found any more; nothing happens if it was not. */
void fast_forget(struct cache *cache, uint32_t index);

/* The line at `index` is found by the kinds of access that are not slow there; not if the shadow
 * beside has yet to hear of it. */
void fast_admit(struct cache *cache, uint32_t index);

#endif
