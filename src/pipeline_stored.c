/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Replay of what misstop recorded: places go straight to the tables. Played to its end with nobody
 * looking on, the tables are brought up to date where they were while it was recorded, so that
 * what depends on that (histories, sizes of elements, the search) comes out the same.
 */
#include "pipeline_state.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* At once, while names are what they were then; but the last is the one that is asked for. */
static void catch_up_refresh(struct pipeline *pipeline)
{
    if (pipeline->to_the_end && store_reader_more(pipeline->store))
        snapshot_free(pipeline_snapshot(pipeline, pipeline->stored_interval_s));
}

static void take_place(struct pipeline *pipeline, const struct place *place)
{
    if (place->access.event >= pipeline->stored.event_count)
        return;
    pipeline->samples[place->access.event]++;
    pipeline->events[place->access.event] += (double)place->access.weight;
    profile_add(pipeline->profile, place);
    past_add_all(pipeline->past, place, 1);
}

void pipeline_stored_facts(struct pipeline *pipeline)
{
    struct store_facts facts;
    store_reader_facts(pipeline->store, &facts);
    replay_info(pipeline->store, &pipeline->stored);
    pipeline->stored_simulation = facts.simulation;
    pipeline->stored_watch = facts.watch;
    pipeline->stored_whatif = facts.whatif;
    memcpy(pipeline->watch_lines, facts.watch_lines, sizeof facts.watch_lines);
}

/* One after the other in the file; done together, for the tables are gone over each time. */
static void flush_renames(struct pipeline *pipeline)
{
    pipeline_rename(pipeline, pipeline->renames, pipeline->rename_count);
    pipeline->rename_count = 0;
}

static void take_rename(struct pipeline *pipeline, const struct object_rename *rename)
{
    if (pipeline->rename_count == PIPELINE_RENAMES)
        flush_renames(pipeline);
    pipeline->renames[pipeline->rename_count++] = *rename;
}

static void take_item(void *context, const struct store_item *item)
{
    struct pipeline *pipeline = context;
    pipeline->refresh_due = false;
    if (item->kind != STORE_ITEM_RENAME && pipeline->rename_count)
        flush_renames(pipeline);
    pipeline->record_ns = item->time_ns;
    switch (item->kind) {
    case STORE_ITEM_PLACE:
        take_place(pipeline, &item->place);
        break;
    case STORE_ITEM_LOST:
        profile_lost(pipeline->profile, item->count);
        break;
    case STORE_ITEM_THROTTLED:
        profile_throttled(pipeline->profile, item->count);
        break;
    case STORE_ITEM_WATCH:
        profile_watch(pipeline->profile, &item->watch.result, item->watch.function, item->watch.ip);
        break;
    case STORE_ITEM_RENAME:
        take_rename(pipeline, &item->rename);
        break;
    case STORE_ITEM_RANKING:
        if (!pipeline->event_chosen)
            pipeline_rank(pipeline, item->ranking);
        break;
    case STORE_ITEM_LINE:
        profile_add_lines(pipeline->profile, &item->line, 1);
        break;
    case STORE_ITEM_REFRESH:
        pipeline_stored_facts(pipeline);
        pipeline->stored_interval_s = item->interval_s;
        pipeline->refresh_due = true;
        catch_up_refresh(pipeline);
    }
}

long pipeline_stored_drain(struct pipeline *pipeline, uint64_t until_ns)
{
    uint64_t until = pipeline->first_ns + until_ns;
    pipeline->to_the_end = until < until_ns || until_ns == UINT64_MAX;
    long count = store_reader_read(pipeline->store, pipeline->to_the_end ? UINT64_MAX : until,
                                   take_item, pipeline);
    flush_renames(pipeline);
    if (pipeline->to_the_end)
        count = -ENODATA;
    if (count == -ENODATA && store_reader_damage(pipeline->store)[0])
        snprintf(pipeline->status, sizeof pipeline->status, "%s",
                 store_reader_damage(pipeline->store));
    return count;
}
