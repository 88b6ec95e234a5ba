/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/timeline.h"

#include <string.h>

/* Memory that cannot be had: no timeline, and the rest goes on. */
static const uint64_t never = UINT64_MAX;

/* Of the run so far, for an object's fields to have streams. */
static const double leading_share = 0.02;

void timeline_fini(struct timeline *timeline)
{
    for (int i = 0; timeline->started && i < SNAPSHOT_MEASURES; i++)
        streams_fini(&timeline->by[i]);
    phases_fini(&timeline->phases);
}

void timeline_clear(struct timeline *timeline)
{
    timeline_fini(timeline);
    memset(timeline, 0, sizeof *timeline);
}

static bool leads(const struct streams *streams, uint32_t object)
{
    const struct stream *stream = streams_find(streams, STREAM_KEY(STREAM_OBJECT, object));
    const struct stream *all = streams_find(streams, STREAM_KEY(STREAM_ALL, 0));
    return stream && all && stream->total >= leading_share * all->total;
}

/* The fields of objects that lead by any measure are counted from when they do. */
static void follow(struct timeline *timeline, uint32_t object)
{
    for (int i = 0; i < SNAPSHOT_MEASURES; i++)
        if (leads(&timeline->by[i], object))
            field_counts_follow(&timeline->fields, object);
}

typedef void take_total(struct streams *streams, uint64_t key, double total);

static double total_of(const struct timeline_totals *totals, const struct timeline_counted *counted,
                       uint32_t id, enum snapshot_measure measure)
{
    size_t slot = (size_t)id * counted->tallies->events + totals->measures->ranking;
    return measures_total(totals->measures, measure, tallies_at(counted->tallies, id, 0),
                          levels_find(counted->levels, slot, 1));
}

/* What one thing has counted so far, with what is to be done with it. */
static void tell_one(struct timeline *timeline, const struct timeline_totals *totals,
                     const struct timeline_counted *counted, uint64_t key, take_total *take)
{
    for (int i = 0; i < SNAPSHOT_MEASURES; i++)
        take(&timeline->by[i], key,
             total_of(totals, counted, STREAM_ID(key), (enum snapshot_measure)i));
}

static void tell_all(struct timeline *timeline, const struct timeline_totals *totals,
                     take_total *take)
{
    for (int i = 0; i < SNAPSHOT_MEASURES; i++) {
        int event = totals->measures->event[i];
        take(&timeline->by[i], STREAM_KEY(STREAM_ALL, 0),
             measures_total(totals->measures, (enum snapshot_measure)i, totals->all,
                            totals->all_levels));
        if (event >= 0)
            take(&timeline->by[i], STREAM_KEY(STREAM_NOBODY, 0),
                 totals->unplaced[event].weight.at[BASIS_RUN]);
    }
}

static void tell(struct timeline *timeline, const struct timeline_totals *totals, take_total *take)
{
    uint32_t word = 0;
    tell_all(timeline, totals, take);
    for (uint32_t id; (id = touched_take(&timeline->objects, &word)) != TALLY_IDS_MAX;) {
        tell_one(timeline, totals, &totals->objects, STREAM_KEY(STREAM_OBJECT, id), take);
        follow(timeline, id);
    }
    word = 0;
    for (uint32_t id; (id = touched_take(&timeline->functions, &word)) != TALLY_IDS_MAX;)
        tell_one(timeline, totals, &totals->functions, STREAM_KEY(STREAM_FUNCTION, id), take);
}

static void add_measures(struct timeline *timeline, uint64_t key,
                         const double weight[SNAPSHOT_MEASURES])
{
    for (int i = 0; i < SNAPSHOT_MEASURES; i++)
        if (weight[i] > 0)
            streams_add(&timeline->by[i], key, weight[i]);
}

static void take_group(void *context, uint32_t group, const double weight[SNAPSHOT_MEASURES])
{
    add_measures(context, STREAM_KEY(STREAM_THREADS, group), weight);
}

static void take_field(void *context, uint32_t field, const double weight[SNAPSHOT_MEASURES])
{
    add_measures(context, STREAM_KEY(STREAM_FIELD, field), weight);
}

/* All that was counted before the first step, in any timeline, has streams from here on. */
static void touch_all(struct touched *touched, const struct timeline_totals *totals,
                      const struct timeline_counted *counted)
{
    for (uint32_t id = 0; id < counted->tallies->ids; id++)
        for (int i = 0; i < SNAPSHOT_MEASURES; i++)
            if (total_of(totals, counted, id, (enum snapshot_measure)i) > 0)
                touched_add(touched, id);
}

static void start(struct timeline *timeline, const struct timeline_totals *totals, uint64_t now_ns)
{
    timeline->budget = (struct streams_budget){.most = STREAMS_MAX};
    timeline->ranks = totals->measures->ranks;
    for (int i = 0; i < SNAPSHOT_MEASURES; i++)
        streams_init(&timeline->by[i], &timeline->budget, now_ns, TIMELINE_BASE_NS);
    timeline->started = true;
    timeline->stepped_ns = now_ns;
    timeline->next_ns = phases_init(&timeline->phases, now_ns) ? never : now_ns + TIMELINE_BASE_NS;
    touch_all(&timeline->objects, totals, &totals->objects);
    touch_all(&timeline->functions, totals, &totals->functions);
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
    thread_groups_take(&timeline->threads, totals->names, take_group, timeline);
    field_counts_take(&timeline->fields, totals->names, take_field, timeline);
    for (int i = 0; i < SNAPSHOT_MEASURES; i++)
        streams_close(&timeline->by[i], now_ns);
    bool changed =
        phases_add(&timeline->phases, timeline->counts, timeline->stepped_ns, timeline->next_ns);
    look_back(timeline, periods);
    memset(timeline->counts, 0, sizeof timeline->counts);
    /* Phases are looked for at the first base period for as long as the run takes. */
    timeline->stepped_ns = timeline->next_ns;
    timeline->next_ns += periods * TIMELINE_BASE_NS;
    return changed;
}
