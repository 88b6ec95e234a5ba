/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rows of objects: which are listed, and their figures. */
#include "profile/interval.h"
#include "profile/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A share of 0.001 or more can be had by 1,000 objects at most, and rounding. Where all are asked
 * for, the least of these shares is taken from which on there are no more than so many. */
enum { LISTED_MOST = 1001, LISTED_ALL_MOST = 4000 };
static const double listed_shares[] = {0.001, 0.0001, 0.00001, 0};
enum { LISTED_SHARES = sizeof listed_shares / sizeof *listed_shares };

uint32_t build_next_part(const struct build *build, uint32_t id)
{
    return build->parts ? build->parts[id] : 0;
}

static bool is_part(const struct build *build, uint32_t id)
{
    return build->part_of && build->part_of[id];
}

static double object_share(const struct build *build, uint32_t id, uint16_t event)
{
    double all = build_read(build, &build->profile->all[event].weight);
    double own = build_read(build, &tallies_at(&build->profile->objects, id, event)->weight);
    while ((id = build_next_part(build, id)))
        own += build_read(build, &tallies_at(&build->profile->objects, id, event)->weight);
    return all > 0 ? own / all : NAN;
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

/* Parts have blocks of their own, or are none. */
static void add_blocks(struct build *build, struct snapshot_object *object)
{
    const struct place_names *names = &build->profile->options.names;
    struct object_desc desc;
    bool has_address = object->address;
    /* The oldest part comes last. */
    for (uint32_t id = object->id; (id = build_next_part(build, id));) {
        if (!names->object(names->context, id, &desc))
            continue;
        object->blocks += desc.blocks;
        object->address = has_address ? object->address : desc.address;
    }
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

static void add_tally(struct build *build, struct snapshot_object *object, uint32_t id)
{
    const struct tally *tally = tallies_at(&build->profile->objects, id, build->event);
    object->samples += build_samples(build, &tally->weight);
    object->count_over += build_over(build, &tally->samples, &tally->weight);
    object->loads += build_samples(build, &tally->loads);
    object->stores += build_samples(build, &tally->stores);
    object->inferred += build_samples(build, &tally->inferred);
}

static void add_extra(struct object_extra *sum, const struct object_extra *more)
{
    for (int i = 0; i < 4; i++)
        sum->threads[i] |= more->threads[i];
    for (int i = 0; i < TYPED_COUNT; i++)
        sum->typed[i] += more->typed[i];
    for (int i = 0; i < SNAPSHOT_HISTORY; i++)
        if (!isnan(more->history[i]))
            sum->history[i] = more->history[i] + (isnan(sum->history[i]) ? 0 : sum->history[i]);
}

static void fill_figures(struct build *build, struct snapshot_object *object)
{
    struct profile *profile = build->profile;
    struct object_extra extra = profile->extras[object->id];
    struct levels_sums sums = {0};
    struct rates_sums rates = {0};
    add_tally(build, object, object->id);
    build_sum_object(build, object->id, &sums);
    build_sum_object_rates(build, object->id, &rates);
    for (uint32_t id = object->id; (id = build_next_part(build, id));) {
        add_tally(build, object, id);
        add_extra(&extra, &profile->extras[id]);
        build_sum_object(build, id, &sums);
        struct rates_sums more = {0};
        build_sum_object_rates(build, id, &more);
        rates_join(&rates, &more);
    }
    object->share = build_widened(
        build, interval_share(object_share(build, object->id, build->event),
                              build_effective(build, &profile->all[build->event])));
    for (uint16_t i = 0; i < SAMPLE_EVENTS_MAX; i++)
        object->event_share[i] =
            i < profile->options.event_count ? object_share(build, object->id, i) : NAN;
    for (int i = 0; i < 4; i++)
        object->threads += (uint32_t)__builtin_popcountll(extra.threads[i]);
    object->threads = object->threads > THREADS_MAX ? THREADS_MAX : object->threads;
    for (int i = 0; i < SNAPSHOT_HISTORY; i++)
        object->history[i] = extra.history[i];
    fill_typed(object, &extra);
    object->levels = build_levels(build, &sums);
    object->latency = object->levels ? object->levels->latency : NAN;
    object->rates = build_next_part(build, object->id) ? build_rates(build, &rates)
                                                 : build_object_rates(build, object->id);
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

static bool has_samples(const struct build *build, uint32_t id)
{
    const struct tallies *objects = &build->profile->objects;
    return tallies_at(objects, id, build->event)->samples.at[BASIS_RUN] > 0;
}

/* Objects that have ever had a sample of the event that ranks; NAN for the others, and for those
 * that are part of another's row. */
static double share_of(const struct build *build, uint32_t id)
{
    bool any = has_samples(build, id) || build_next_part(build, id);
    return any && !is_part(build, id) ? object_share(build, id, build->event) : NAN;
}

/* Which objects are shown under another one, as long as they have no name of their own. */
static void find_parts(struct build *build)
{
    struct profile *profile = build->profile;
    const struct place_names *names = &profile->options.names;
    struct object_desc desc;
    for (uint32_t id = 1; id < profile->objects.ids && names->object; id++) {
        if (!has_samples(build, id))
            continue;
        desc.part_of = 0;
        uint32_t whole = names->object(names->context, id, &desc) ? desc.part_of : 0;
        if (!whole || whole == id || tallies_reserve(&profile->objects, whole) != whole ||
            !profile_grow_extras(profile))
            continue;
        if (!build->parts || build->parts_room < profile->objects.ids) {
            uint32_t *parts = build->parts;
            uint32_t *part_of = build->part_of;
            size_t had = build->parts_room;
            build->parts_room = profile->objects.ids;
            build->parts = arena_array(build->arena, profile->objects.ids, sizeof *build->parts);
            build->part_of = arena_array(build->arena, profile->objects.ids, sizeof *build->part_of);
            if (had && build->parts && build->part_of) {
                memcpy(build->parts, parts, had * sizeof *parts);
                memcpy(build->part_of, part_of, had * sizeof *part_of);
            }
        }
        if (!build->parts || !build->part_of || build->part_of[whole] || build->parts[id])
            continue;
        build->part_of[id] = whole;
        build->parts[id] = build->parts[whole];
        build->parts[whole] = id;
    }
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
        for (uint32_t id = snapshot->objects[i].id; (id = build_next_part(build, id));) {
            uint32_t *same = hash_insert(&build->index, id, NULL);
            if (same)
                *same = (uint32_t)i + 1;
        }
    }
}

void build_objects(struct build *build)
{
    struct snapshot *snapshot = build->snapshot;
    size_t room = snapshot->objects_all ? LISTED_ALL_MOST : LISTED_MOST;
    snapshot->objects = arena_array(build->arena, room, sizeof *snapshot->objects);
    build->failed = !snapshot->objects;
    find_parts(build);
    build_unplaced(build);
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
        add_blocks(build, object);
        fill_figures(build, object);
    }
    index_objects(build);
}
