/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory for models in tests and benchmarks, freed all at once, and counts of their reports. */
#ifndef MISSTOP_UNIT_SIM_MODEL_HOST_H
#define MISSTOP_UNIT_SIM_MODEL_HOST_H

#include "sim/model/model.h"
#include "sim/model/tables.h"

/* Counts of one level, from its reports. */
struct figures {
    uint64_t misses; /* in accesses */
    uint64_t causes[MODEL_CAUSES];
    uint64_t left;          /* evicted lines; two if a miss straddled */
    uint64_t used_bytes;    /* distinct bytes of them that were touched: SIP's spatial use */
    uint64_t touched_bytes; /* all touches counted: SIP's reuse count */
    uint64_t uses[MODEL_USE_CLASSES];
    uint64_t written; /* written lines */
};

void figures_miss(struct figures *figures, const struct model_missed *missed);
void figures_line(struct figures *figures, const struct model_eviction *eviction);

struct model_rooms {
    void *rooms[4096];
    unsigned count;
    unsigned refuse_from; /* allocations fail from this one on; 0: none fail */
    const char *failed;   /* message of the model; NULL: none */
    uint64_t bytes;       /* total size */
    struct figures seen[MODEL_LEVELS_MAX];
    const struct tally_pair *pairs[MODEL_PAIRS][MODEL_LEVELS_MAX];
    uint64_t pair_places;
};

/* Returns a host with `rooms` as its context, which counts there. */
struct model_host model_host_of(struct model_rooms *rooms);

void model_rooms_free(struct model_rooms *rooms);

/* Returns how often a pair was counted. */
uint64_t model_rooms_pair(const struct model_rooms *rooms, enum model_pairs which, uint32_t level,
                          uint32_t first, uint32_t second);

#endif
