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
        double samples = build_samples(build, &pairs[i]->weight);
        object->instances[i] = (struct snapshot_instance){
            .base = pairs[i]->key,
            .size = pairs[i]->size,
            .samples = samples,
            .count_over = build_over(build, &pairs[i]->samples, &pairs[i]->weight),
            .tid = pairs[i]->extra,
            .share = object->samples > 0 ? samples / object->samples : NAN};
    }
    if (object->instances)
        qsort(object->instances, count, sizeof *object->instances, most_in_instance);
    object->instance_count = count < INSTANCES ? count : INSTANCES;
}

typedef void build_part(struct build *build, struct snapshot_object *object,
                        const struct pair **pairs, size_t count);

/* A row of several objects: the pairs of all of them. */
static void build_from_parts(struct build *build, struct snapshot_object *object, size_t all,
                             build_part *part)
{
    const struct pair **sorted = build->profile->sorted;
    const struct pair **list = calloc(all + 1, sizeof *list);
    size_t count = 0;
    build->failed |= !list;
    uint32_t id = object->id;
    do {
        size_t first;
        size_t more = list ? pairs_of(sorted, all, PAIR_OWNER(id, build->event), &first) : 0;
        for (size_t i = 0; i < more; i++)
            list[count++] = sorted[first + i];
    } while ((id = build_next_part(build, id)));
    if (list)
        part(build, object, list, count);
    free(list);
}

static void build_from(struct build *build, const struct pairs *pairs, build_part *part)
{
    struct snapshot *snapshot = build->snapshot;
    const struct pair **sorted = build->profile->sorted;
    size_t all = pairs_sorted(pairs, build->event, sorted);
    for (size_t i = 0; i < snapshot->object_count && !build->failed; i++) {
        size_t first;
        struct snapshot_object *object = &snapshot->objects[i];
        if (build_next_part(build, object->id)) {
            build_from_parts(build, object, all, part);
            continue;
        }
        size_t count = pairs_of(sorted, all, PAIR_OWNER(object->id, build->event), &first);
        part(build, object, sorted + first, count);
    }
}

void build_details(struct build *build)
{
    build_inferred(build);
    build_from(build, &build->profile->offsets, build_fields);
    build_from(build, &build->profile->instances, build_instances);
}
