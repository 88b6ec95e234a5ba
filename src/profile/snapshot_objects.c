/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rows of objects: which are listed, and their figures. */
#include "profile/interval.h"
#include "profile/state.h"

#include <math.h>
#include <stdlib.h>

/* A share of 0.001 or more can be had by 1,000 objects at most, and rounding. Where all are asked
 * for, the least of these shares is taken from which on there are no more than so many. */
enum { LISTED_MOST = 1001, LISTED_ALL_MOST = 4000 };
static const double listed_shares[] = {0.001, 0.0001, 0.00001, 0};
enum { LISTED_SHARES = sizeof listed_shares / sizeof *listed_shares };

static double object_share(const struct build *build, uint32_t id, uint16_t event)
{
    double all = build_read(build, &build->profile->all[event].weight);
    double own = build_read(build, &tallies_at(&build->profile->objects, id, event)->weight);
    return all > 0 ? own / all : NAN;
}

/* Squares went with the scale squared. */
static double effective(const struct build *build, const struct tally *tally)
{
    double squares =
        counted_read(&tally->squares, build->snapshot->basis, build->scale * build->scale);
    return decay_effective(build_read(build, &tally->weight), squares);
}

static void describe(struct build *build, struct snapshot_object *object)
{
    const struct place_names *names = &build->profile->options.names;
    struct object_desc desc = {0};
    bool known = names->object && names->object(names->context, object->id, &desc);
    object->name = arena_string(build->arena, known && desc.name ? desc.name : "unknown");
    object->module = arena_string(build->arena, known && desc.module ? desc.module : "");
    object->type = known ? arena_string(build->arena, desc.type) : NULL;
    object->type_id = desc.type_id;
    object->type_votes = desc.type_votes;
    object->type_against = desc.type_against;
    object->kind = known ? desc.kind : OBJECT_UNKNOWN;
    object->address = desc.address;
    object->size = desc.size_bytes;
    object->blocks = desc.blocks;
    build->failed |= !object->name || !object->module;
}

/* Counted since the start, told as parts of what is shown. */
static void fill_typed(struct snapshot_object *object, const struct object_extra *extra)
{
    double all = 0;
    for (int i = 0; i < TYPED_COUNT; i++)
        all += extra->typed[i];
    for (int i = 0; i < TYPED_COUNT; i++)
        object->typed[i] = all > 0 ? object->samples * extra->typed[i] / all : 0;
}

static void fill_figures(struct build *build, struct snapshot_object *object)
{
    struct profile *profile = build->profile;
    const struct tally *tally = tallies_at(&profile->objects, object->id, build->event);
    const struct object_extra *extra = &profile->extras[object->id];
    object->samples = build_read(build, &tally->samples);
    object->loads = build_read(build, &tally->loads);
    object->stores = build_read(build, &tally->stores);
    object->inferred = build_read(build, &tally->inferred);
    object->share = interval_share(object_share(build, object->id, build->event),
                                   effective(build, &profile->all[build->event]));
    for (uint16_t i = 0; i < SAMPLE_EVENTS_MAX; i++)
        object->event_share[i] =
            i < profile->options.event_count ? object_share(build, object->id, i) : NAN;
    for (int i = 0; i < 4; i++)
        object->threads += (uint32_t)__builtin_popcountll(extra->threads[i]);
    object->threads = object->threads > THREADS_MAX ? THREADS_MAX : object->threads;
    for (int i = 0; i < SNAPSHOT_HISTORY; i++)
        object->history[i] = extra->history[i];
    fill_typed(object, extra);
    struct levels_sums sums = {0};
    build_sum_object(build, object->id, &sums);
    object->levels = build_levels(build, &sums);
    object->latency = object->levels ? object->levels->latency : NAN;
    object->rates = build_object_rates(build, object->id);
    object->use = build_object_use(build, object->id);
}

static int most_samples(const void *left, const void *right)
{
    const struct snapshot_object *a = left;
    const struct snapshot_object *b = right;
    if (a->samples != b->samples)
        return a->samples > b->samples ? -1 : 1;
    return a->id < b->id ? -1 : a->id > b->id;
}

/* Objects that have ever had a sample of the event that ranks; NAN for the others. */
static double share_of(const struct build *build, uint32_t id)
{
    const struct tallies *objects = &build->profile->objects;
    bool any = tallies_at(objects, id, build->event)->samples.at[BASIS_RUN] > 0;
    return any ? object_share(build, id, build->event) : NAN;
}

static double least_listed(const struct build *build)
{
    size_t counts[LISTED_SHARES] = {0};
    unsigned least = 0;
    if (!build->snapshot->objects_all)
        return listed_shares[0];
    for (uint32_t id = 0; id < build->profile->objects.ids; id++)
        for (unsigned i = 0; i < LISTED_SHARES; i++)
            counts[i] += share_of(build, id) >= listed_shares[i];
    while (least + 1 < LISTED_SHARES && counts[least + 1] <= LISTED_ALL_MOST)
        least++;
    return listed_shares[least];
}

static void index_objects(struct build *build)
{
    struct snapshot *snapshot = build->snapshot;
    qsort(snapshot->objects, snapshot->object_count, sizeof *snapshot->objects, most_samples);
    for (size_t i = 0; i < snapshot->object_count; i++) {
        uint32_t *index = hash_insert(&build->index, snapshot->objects[i].id, NULL);
        if (index)
            *index = (uint32_t)i + 1;
        build->failed |= !index;
    }
}

void build_objects(struct build *build)
{
    struct snapshot *snapshot = build->snapshot;
    size_t room = snapshot->objects_all ? LISTED_ALL_MOST : LISTED_MOST;
    snapshot->objects = arena_array(build->arena, room, sizeof *snapshot->objects);
    build->failed = !snapshot->objects;
    snapshot->levels = build_all_levels(build);
    snapshot->rates = build_all_rates(build);
    snapshot->objects_least = least_listed(build);
    for (uint32_t id = 0; id < build->profile->objects.ids && !build->failed; id++) {
        double share = share_of(build, id);
        if (isnan(share))
            continue;
        if (share < snapshot->objects_least || snapshot->object_count == room) {
            snapshot->objects_left_out++;
            snapshot->objects_left_share += share;
            continue;
        }
        struct snapshot_object *object = &snapshot->objects[snapshot->object_count++];
        object->id = id;
        describe(build, object);
        fill_figures(build, object);
    }
    index_objects(build);
}
