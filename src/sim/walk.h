/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A line on its way from level to level. Used inside src/sim only. */
#ifndef MISSTOP_SIM_WALK_H
#define MISSTOP_SIM_WALK_H

#include "sim/state.h"

/*
 * Looks for the line of `address`, from the access's first cache on; levels that missed it have it
 * afterwards. Returns the level that had it.
 */
uint32_t walk_line(struct state_access *access, uint64_t address, uint32_t size_bytes);

/* The same as cachegrind does it: a level at a time, each asked for all lines of the access. */
uint32_t walk_whole(struct state_access *access, uint64_t address, uint32_t size_bytes);

/* Fetches a line ahead, from the spec's prefetch_level on. */
void walk_ahead(struct state_access *access, uint64_t address);

/* The fully associative cache beside one hears of a line that it has not, used there. */
void walk_shadow(struct model *model, struct cache *cache, uint32_t index, bool fetch);

/* Which kinds of access to a line may not take the fast path. */
void walk_set_slow(const struct model *model, struct cache *cache, uint32_t index);

#endif
