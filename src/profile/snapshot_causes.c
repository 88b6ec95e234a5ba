/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Causes of misses by object, and who threw its lines out. */
#include "profile/state.h"

#include <math.h>
#include <stdlib.h>

enum { LISTED = 64 };

static const char *object_name(struct build *build, uint32_t id)
{
    const struct place_names *names = &build->profile->options.names;
    struct object_desc desc = {0};
    uint32_t index = build_object_index(build, id);
    if (index != UINT32_MAX)
        return build->snapshot->objects[index].name;
    if (names->object && names->object(names->context, id, &desc) && desc.name)
        return arena_string(build->arena, desc.name);
    return NULL;
}

static const char *function_name(struct build *build, uint32_t id)
{
    const struct place_names *names = &build->profile->options.names;
    struct function_desc desc = {0};
    bool known = names->function && names->function(names->context, id, &desc) && desc.name;
    return arena_string(build->arena, known ? desc.name : "unknown");
}

/* Shares of the whole, and the whole. */
static double share_out(double share[CAUSE_COUNT])
{
    double all = 0;
    for (int i = 0; i < CAUSE_COUNT; i++)
        all += share[i];
    for (int i = 0; i < CAUSE_COUNT; i++)
        share[i] = all > 0 ? share[i] / all : NAN;
    return all;
}

/* ---- who threw them out ---- */

static void keep(struct snapshot_causes_object *object, const struct snapshot_evictor *evictor)
{
    size_t at = object->evictor_count;
    if (at == SNAPSHOT_EVICTORS && object->evictors[--at].share >= evictor->share)
        return;
    object->evictor_count = at + 1;
    for (; at > 0 && object->evictors[at - 1].share < evictor->share; at--)
        object->evictors[at] = object->evictors[at - 1];
    object->evictors[at] = *evictor;
}

static void fill_evictors(struct build *build, struct snapshot_causes_object *object,
                          const struct pair **pairs, size_t count)
{
    double known = 0;
    object->by_itself = 0;
    for (size_t i = 0; i < count; i++) {
        double share = build_read(build, &pairs[i]->weight) / object->evicted;
        uint32_t by = EVICTOR_OBJECT(pairs[i]->key);
        struct snapshot_evictor evictor = {
            .object_id = by, .function_id = EVICTOR_FUNCTION(pairs[i]->key), .share = share};
        known += share;
        object->by_itself += by == object->id ? share : 0;
        keep(object, &evictor);
    }
    object->unlisted = fmax(1 - known, 0);
    for (size_t i = 0; i < object->evictor_count; i++) {
        struct snapshot_evictor *evictor = &object->evictors[i];
        evictor->function = function_name(build, evictor->function_id);
        evictor->object = evictor->object_id ? object_name(build, evictor->object_id) : NULL;
        build->failed |= !evictor->function;
    }
}

/* ---- objects ---- */

static bool fill_object(struct build *build, uint32_t id, struct snapshot_causes_object *object)
{
    const struct causes_row *row = causes_row(&build->profile->causes, id, build->event);
    if (!row)
        return false;
    *object = (struct snapshot_causes_object){.id = id, .by_itself = NAN, .unlisted = NAN};
    for (int i = 0; i < CAUSE_COUNT; i++)
        object->share[i] = build_read(build, &row->weight[i]);
    object->samples = build_read(build, &row->samples);
    object->misses = share_out(object->share);
    object->evicted = build_read(build, &row->evicted);
    return object->misses > 0;
}

static int most_misses(const void *left, const void *right)
{
    const struct snapshot_causes_object *a = left;
    const struct snapshot_causes_object *b = right;
    if (a->misses != b->misses)
        return a->misses > b->misses ? -1 : 1;
    return (a->id > b->id) - (a->id < b->id);
}

static void list_objects(struct build *build, size_t most)
{
    struct snapshot_causes *causes = &build->snapshot->causes;
    for (uint32_t id = 0; id < build->profile->causes.objects && causes->count < most; id++) {
        struct snapshot_causes_object *object = &causes->objects[causes->count];
        if (!fill_object(build, id, object))
            continue;
        causes->count++;
        for (int i = 0; i < CAUSE_COUNT; i++)
            causes->share[i] += object->share[i] * object->misses;
    }
    share_out(causes->share);
    qsort(causes->objects, causes->count, sizeof *causes->objects, most_misses);
    causes->count = causes->count < LISTED ? causes->count : LISTED;
}

static void describe_objects(struct build *build)
{
    struct profile *profile = build->profile;
    struct snapshot_causes *causes = &build->snapshot->causes;
    const struct pair **sorted = profile->sorted;
    size_t count = pairs_sorted(&profile->causes.evictors, build->event, sorted);
    for (size_t i = 0; i < causes->count && !build->failed; i++) {
        struct snapshot_causes_object *object = &causes->objects[i];
        size_t first;
        size_t own = pairs_of(sorted, count, PAIR_OWNER(object->id, build->event), &first);
        object->object = build_object_index(build, object->id);
        object->name = object_name(build, object->id);
        if (!object->name)
            object->name = "unknown";
        if (object->evicted > 0)
            fill_evictors(build, object, sorted + first, own);
    }
}

void build_causes(struct build *build)
{
    struct snapshot_causes *causes = &build->snapshot->causes;
    size_t most = build->profile->causes.objects;
    *causes = (struct snapshot_causes){0};
    if (!most)
        return;
    causes->objects = arena_array(build->arena, most, sizeof *causes->objects);
    build->failed |= !causes->objects;
    if (build->failed)
        return;
    list_objects(build, most);
    causes->told = causes->count > 0;
    describe_objects(build);
}
