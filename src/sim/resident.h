/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lines that lie in a model's caches now. For src/sim/whatif.c. */
#ifndef MISSTOP_SIM_RESIDENT_H
#define MISSTOP_SIM_RESIDENT_H

#include "sim/model.h"

typedef void (*resident_told)(void *context, uint64_t address, uint32_t line_bytes);

/* Lines of thread `thread`'s cache of data at `level`, set by set, where the policy knows those
 * used last after those used before. A thread that the model has not seen has none. */
void resident_each(const struct model *model, uint32_t thread, uint32_t level, resident_told told,
                   void *context);

/* Threads from here on were never seen. */
uint32_t resident_threads(const struct model *model);

#endif
