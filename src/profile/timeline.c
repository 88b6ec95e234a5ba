/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/timeline.h"

#include <string.h>

/* Memory that cannot be had: no timeline, and the rest goes on. */
static const uint64_t never = UINT64_MAX;

/* Of the run so far, for an object's fields to have streams. */
static const double leading_share = 0.02;

void timeline_fini(struct timeline *timeline)
{
    if (timeline->started)
        streams_fini(&timeline->streams);
    phases_fini(&timeline->phases);
}

void timeline_clear(struct timeline *timeline)
{
    timeline_fini(timeline);
    memset(timeline, 0, sizeof *timeline);
}

/* The fields of leading objects are counted from when they lead. */
static void follow(struct timeline *timeline, uint32_t object)
{
    const struct streams *streams = &timeline->streams;
    const struct stream *stream = streams_find(streams, STREAM_KEY(STREAM_OBJECT, object));
    const struct stream *all = streams_find(streams, STREAM_KEY(STREAM_ALL, 0));
    if (stream && all && stream->total >= leading_share * all->total)
        field_counts_follow(&timeline->fields, object);
}

typedef void take_total(struct streams *streams, uint64_t key, double total);

static double total_of(const struct tallies *tallies, uint32_t id, uint16_t event)
{
    return tallies_at(tallies, id, event)->weight.at[BASIS_RUN];
}

/* What each has counted so far, with what is to be done with it. */
static void tell(struct timeline *timeline, const struct timeline_totals *totals, take_total *take)
{
    struct streams *streams = &timeline->streams;
    uint16_t event = totals->event;
    uint32_t word = 0;
    take(streams, STREAM_KEY(STREAM_ALL, 0), totals->all->weight.at[BASIS_RUN]);
    for (uint32_t id; (id = touched_take(&timeline->objects, &word)) != TALLY_IDS_MAX;) {
        take(streams, STREAM_KEY(STREAM_OBJECT, id), total_of(totals->objects, id, event));
        follow(timeline, id);
    }
    word = 0;
    for (uint32_t id; (id = touched_take(&timeline->functions, &word)) != TALLY_IDS_MAX;)
        take(streams, STREAM_KEY(STREAM_FUNCTION, id), total_of(totals->functions, id, event));
}

static void take_group(void *context, uint32_t group, double weight)
{
    streams_add(context, STREAM_KEY(STREAM_THREADS, group), weight);
}

static void take_field(void *context, uint32_t field, double weight)
{
    streams_add(context, STREAM_KEY(STREAM_FIELD, field), weight);
}

/* All that was counted before the first step, in any timeline, has streams from here on. */
static void touch_all(struct touched *touched, const struct tallies *tallies, uint16_t event)
{
    for (uint32_t id = 0; id < tallies->ids; id++)
        if (total_of(tallies, id, event) > 0)
            touched_add(touched, id);
}

static void start(struct timeline *timeline, const struct timeline_totals *totals, uint64_t now_ns)
{
    streams_init(&timeline->streams, now_ns, TIMELINE_BASE_NS);
    timeline->started = true;
    timeline->stepped_ns = now_ns;
    timeline->next_ns = phases_init(&timeline->phases, now_ns) ? never : now_ns + TIMELINE_BASE_NS;
    touch_all(&timeline->objects, totals->objects, totals->event);
    touch_all(&timeline->functions, totals->functions, totals->event);
    tell(timeline, totals, streams_skip);
}

/* Periods without a sample are of the program too. */
static void look_back(struct timeline *timeline, uint64_t periods)
{
    static const double nothing[PHASES_COLUMNS];
    bool chosen = recent_add(&timeline->recent, timeline->counts);
    for (uint64_t i = 1; i < periods && i < RECENT_STEPS; i++)
        chosen |= recent_add(&timeline->recent, nothing);
    if (chosen)
        phases_look_over(&timeline->phases, timeline->recent.by * TIMELINE_BASE_NS);
}

bool timeline_step(struct timeline *timeline, const struct timeline_totals *totals, uint64_t now_ns)
{
    if (!timeline->started) {
        start(timeline, totals, now_ns);
        return false;
    }
    uint64_t periods = (now_ns - timeline->next_ns) / TIMELINE_BASE_NS + 1;
    tell(timeline, totals, streams_put);
    thread_groups_take(&timeline->threads, totals->names, take_group, &timeline->streams);
    field_counts_take(&timeline->fields, totals->names, take_field, &timeline->streams);
    streams_close(&timeline->streams, now_ns);
    bool changed =
        phases_add(&timeline->phases, timeline->counts, timeline->stepped_ns, timeline->next_ns);
    look_back(timeline, periods);
    memset(timeline->counts, 0, sizeof timeline->counts);
    /* Phases are looked for at the first base period for as long as the run takes. */
    timeline->stepped_ns = timeline->next_ns;
    timeline->next_ns += periods * TIMELINE_BASE_NS;
    return changed;
}
