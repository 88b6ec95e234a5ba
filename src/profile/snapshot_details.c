/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside the listed objects: fields and layouts, and instances. */
#include "profile/state.h"

#include <math.h>
#include <stdlib.h>

enum { INSTANCES = 32 };

static int most_in_instance(const void *left, const void *right)
{
    const struct snapshot_instance *a = left;
    const struct snapshot_instance *b = right;
    if (a->samples != b->samples)
        return a->samples > b->samples ? -1 : 1;
    return a->base < b->base ? -1 : a->base > b->base;
}

static void build_instances(struct build *build, struct snapshot_object *object,
                            const struct pair **pairs, size_t count)
{
    object->instances = arena_array(build->arena, count, sizeof *object->instances);
    build->failed |= !object->instances;
    for (size_t i = 0; object->instances && i < count; i++) {
        double samples = build_read(build, &pairs[i]->samples);
        object->instances[i] = (struct snapshot_instance){
            .base = pairs[i]->key,
            .size = pairs[i]->size,
            .samples = samples,
            .tid = pairs[i]->extra,
            .share = object->samples > 0 ? samples / object->samples : NAN};
    }
    if (object->instances)
        qsort(object->instances, count, sizeof *object->instances, most_in_instance);
    object->instance_count = count < INSTANCES ? count : INSTANCES;
}

typedef void build_part(struct build *build, struct snapshot_object *object,
                        const struct pair **pairs, size_t count);

static void build_from(struct build *build, const struct pairs *pairs, build_part *part)
{
    struct snapshot *snapshot = build->snapshot;
    const struct pair **sorted = build->profile->sorted;
    size_t all = pairs_sorted(pairs, build->event, sorted);
    for (size_t i = 0; i < snapshot->object_count && !build->failed; i++) {
        size_t first;
        uint32_t owner = PAIR_OWNER(snapshot->objects[i].id, build->event);
        size_t count = pairs_of(sorted, all, owner, &first);
        part(build, &snapshot->objects[i], sorted + first, count);
    }
}

void build_details(struct build *build)
{
    build_inferred(build);
    build_from(build, &build->profile->offsets, build_fields);
    build_from(build, &build->profile->instances, build_instances);
}
