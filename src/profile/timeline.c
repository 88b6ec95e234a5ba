/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/timeline.h"

#include <string.h>

/* Memory that cannot be had: no timeline, and the rest goes on. */
static const uint64_t never = UINT64_MAX;

void timeline_fini(struct timeline *timeline)
{
    if (timeline->started) {
        streams_fini(&timeline->objects);
        streams_fini(&timeline->all);
    }
    phases_fini(&timeline->phases);
}

void timeline_clear(struct timeline *timeline)
{
    timeline_fini(timeline);
    *timeline = (struct timeline){0};
}

/* What each has counted so far, with what is to be done with it. */
static void tell(struct timeline *timeline, const struct tallies *objects, const struct tally *all,
                 uint16_t event, void (*take)(struct streams *, uint64_t, double))
{
    take(&timeline->all, 0, all->weight.at[BASIS_RUN]);
    for (uint32_t id = 0; id < objects->ids; id++) {
        double total = tallies_at(objects, id, event)->weight.at[BASIS_RUN];
        if (total > 0)
            take(&timeline->objects, id, total);
    }
}

static void start(struct timeline *timeline, uint64_t now_ns)
{
    streams_init(&timeline->objects, now_ns, TIMELINE_BASE_NS);
    streams_init(&timeline->all, now_ns, TIMELINE_BASE_NS);
    timeline->started = true;
    timeline->stepped_ns = now_ns;
    timeline->next_ns = phases_init(&timeline->phases, now_ns) ? never : now_ns + TIMELINE_BASE_NS;
}

bool timeline_step(struct timeline *timeline, const struct tallies *objects,
                   const struct tally *all, uint16_t event, uint64_t now_ns)
{
    if (!timeline->started) {
        start(timeline, now_ns);
        tell(timeline, objects, all, event, streams_skip);
        return false;
    }
    tell(timeline, objects, all, event, streams_put);
    streams_close(&timeline->objects, now_ns);
    streams_close(&timeline->all, now_ns);
    bool changed =
        phases_add(&timeline->phases, timeline->counts, timeline->stepped_ns, timeline->next_ns);
    memset(timeline->counts, 0, sizeof timeline->counts);
    /* Phases are looked for at the first base period for as long as the run takes. */
    timeline->stepped_ns = timeline->next_ns;
    timeline->next_ns +=
        (now_ns - timeline->next_ns) / TIMELINE_BASE_NS * TIMELINE_BASE_NS + TIMELINE_BASE_NS;
    return changed;
}
