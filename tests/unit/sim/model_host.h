/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory for models in tests and benches, all of it given back at once. */
#ifndef MISSTOP_UNIT_SIM_MODEL_HOST_H
#define MISSTOP_UNIT_SIM_MODEL_HOST_H

#include "sim/model/model.h"

struct model_rooms {
    void *rooms[4096];
    unsigned count;
    unsigned refuse_from; /* rooms from this one on are not there; 0: all are */
    const char *failed;   /* what the model said; NULL: nothing */
};

/* A host whose context is `rooms`. */
struct model_host model_host_of(struct model_rooms *rooms);

void model_rooms_free(struct model_rooms *rooms);

#endif
