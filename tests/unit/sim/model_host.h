/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory for models in tests and benches, all of it given back at once; and counts of their
 * reports. */
#ifndef MISSTOP_UNIT_SIM_MODEL_HOST_H
#define MISSTOP_UNIT_SIM_MODEL_HOST_H

#include "sim/model/model.h"
#include "sim/model/tables.h"

/* Of one level, by its reports. */
struct figures {
    uint64_t misses; /* accesses */
    uint64_t causes[MODEL_CAUSES];
    uint64_t left;          /* lines; two where a miss straddled */
    uint64_t used_bytes;    /* different bytes of them that were touched: SIP's spatial use */
    uint64_t touched_bytes; /* every touch counted: SIP's reuse count */
    uint64_t uses[MODEL_USE_CLASSES];
    uint64_t written; /* lines */
};

void figures_miss(struct figures *figures, const struct model_missed *missed);
void figures_line(struct figures *figures, const struct model_eviction *eviction);

struct model_rooms {
    void *rooms[4096];
    unsigned count;
    unsigned refuse_from; /* rooms from this one on are not there; 0: all are */
    const char *failed;   /* what the model said; NULL: nothing */
    uint64_t bytes;       /* of them all */
    struct figures seen[MODEL_LEVELS_MAX];
    const struct tally_pair *pairs[MODEL_PAIRS][MODEL_LEVELS_MAX];
    uint64_t pair_places;
};

/* A host whose context is `rooms`, which counts there. */
struct model_host model_host_of(struct model_rooms *rooms);

void model_rooms_free(struct model_rooms *rooms);

/* How often a pair was counted. */
uint64_t model_rooms_pair(const struct model_rooms *rooms, enum model_pairs which, uint32_t level,
                          uint32_t first, uint32_t second);

#endif
