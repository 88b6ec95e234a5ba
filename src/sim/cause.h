/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Why a line was missed, and the counts of it. Used inside src/sim only. */
#ifndef MISSTOP_SIM_CAUSE_H
#define MISSTOP_SIM_CAUSE_H

#include "sim/state.h"

static inline bool cause_is_asked(const struct model *model, uint32_t served)
{
    const struct model_host *host = &model->memory.host;
    return !host->asks_causes || host->asks_causes(host->context, served);
}

/*
 * An access, of which bytes [address, address + size) are in the line, missed it in a cache.
 * `in_shadow`: the fully associative cache beside had it. Fills access->miss.level[].
 */
void cause_of(struct state_access *access, const struct cache *cache, uint64_t address,
              uint32_t size_bytes, bool in_shadow);

/* The line was referenced by this thread: it will not be a first reference again. */
void cause_referenced(struct state_access *access, uint64_t address);

/* Counts the levels that the access missed, once each, and tells the host. */
void cause_report(struct state_access *access);

#endif
