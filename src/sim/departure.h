/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A line leaves a level: its use is told to the level below, counted for who fetched it, and who
 * sent it away is remembered. Used inside src/sim only.
 */
#ifndef MISSTOP_SIM_DEPARTURE_H
#define MISSTOP_SIM_DEPARTURE_H

#include "sim/state.h"

/* `who` sent it away. Nothing stands at `index` afterwards. */
void departure_of(struct model *model, struct cache *cache, uint32_t index, struct model_who who,
                  enum model_reason reason);

/* Adds what was done to a line since the last time to the next level that has it. */
void departure_tell_below(struct model *model, struct cache *cache, uint32_t index);

/* The same by all levels above that have parts of the line at `address`, which one gets or loses.
 */
void departure_tell_above(struct model *model, struct cache *cache, uint64_t address);

#endif
