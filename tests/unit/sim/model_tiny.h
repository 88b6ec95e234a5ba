/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tiny caches for traces computed by hand, and their reports. */
#ifndef MISSTOP_UNIT_SIM_MODEL_TINY_H
#define MISSTOP_UNIT_SIM_MODEL_TINY_H

#include "unit/sim/model_host.h"

enum { TINY_LINE = 16, TINY_EVICTIONS = 64, TINY_IPS = 32 };

/* One level: 2 sets of 2 ways. */
extern const struct model_spec tiny_two_by_two;

extern struct model_miss tiny_last_miss;
extern struct model_eviction tiny_evictions[TINY_EVICTIONS];
extern uint32_t tiny_eviction_count;
extern struct model_rooms tiny_rooms;
extern struct figures tiny_of_ip[TINY_IPS][MODEL_LEVELS_MAX];

/* Makes a model with causes and use. */
struct model *tiny_model(struct model_spec spec);

/* Teardown function for cmocka. */
int tiny_free(void **state);

#endif
