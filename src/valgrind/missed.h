/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A miss, or an access that is a sample, on its way from the model to the exact counts and to
 * tell.c. One access is under way at a time. For access.c.
 */
#ifndef MISSTOP_VALGRIND_MISSED_H
#define MISSTOP_VALGRIND_MISSED_H

#include "sim/model.h"
#include "sim_abi.h"

/* What struct model_host asks for: `miss` and `asks_causes`. Nobody but who is told counts causes.
 */
void missed_by_model(void *context, const struct model_miss *miss);
bool missed_asks_causes(void *context, uint32_t served);

/* An access that missed, after the model said why. `kind`: enum model_kind. */
void missed_take(struct sim_thread *thread, struct sim_instruction *place, uint64_t address,
                 uint32_t size_bytes, uint32_t kind, uint32_t served);

/* An access that stands for `weight`, whether it missed or not. */
void missed_sample(const struct sim_thread *thread, const struct sim_instruction *place,
                   uint64_t address, uint32_t size_bytes, uint32_t kind, uint32_t served,
                   uint32_t weight);

#endif
