/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside the listed objects: offsets and fields, code, instances. */

#include "profile/state.h"
#include "profile/stride.h"

#include <math.h>
#include <stdlib.h>

enum { FIELDS = 64, INSTANCES = 32, INFERRED_PER_SNAPSHOT = 8 };

static const double trusted = 0.5; /* confidence from which offsets are folded */

/* Offsets of one object from the window, the newest first. */
static size_t window_offsets(const struct window *window, uint32_t object, uint64_t *offsets,
                             uint32_t *line_phase)
{
    size_t count = 0;
    for (uint32_t i = window->used; i > 0 && count < STRIDE_OFFSETS_MAX; i--) {
        const struct window_entry *entry = window_at(window, i - 1);
        if (entry->object != object)
            continue;
        *line_phase = (uint32_t)(entry->offset - entry->address) % 64;
        offsets[count++] = entry->offset;
    }
    return count;
}

/* A stride is inferred anew when the samples have doubled: it costs a millisecond. */
static bool infer(struct build *build, const struct snapshot_object *object)
{
    struct object_extra *extra = &build->profile->extras[object->id];
    double samples =
        tallies_at(&build->profile->objects, object->id, build->event)->samples.at[BASIS_RUN];
    uint64_t offsets[STRIDE_OFFSETS_MAX];
    uint32_t line_phase = 0;
    if (samples < STRIDE_OFFSETS_MIN || samples < 2.0 * extra->inferred_at ||
        object->kind == OBJECT_STACK)
        return false;
    extra->inferred_at = samples < UINT32_MAX / 2 ? (uint32_t)samples : UINT32_MAX / 2;
    size_t count = window_offsets(&build->profile->window, object->id, offsets, &line_phase);
    struct stride stride = stride_infer(offsets, count, line_phase);
    extra->element = stride.confidence >= trusted ? stride.element : 0;
    extra->confidence = (float)stride.confidence;
    return true;
}

static int most_samples(const void *left, const void *right)
{
    const struct snapshot_field *a = left;
    const struct snapshot_field *b = right;
    if (a->samples != b->samples)
        return a->samples > b->samples ? -1 : 1;
    return a->offset < b->offset ? -1 : a->offset > b->offset;
}

static int by_offset(const void *left, const void *right)
{
    const struct snapshot_field *a = left;
    const struct snapshot_field *b = right;
    return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* Where a pair belongs among the fields; false: folded by an element given up since. */
static bool field_offset(uint64_t key, uint32_t element, uint64_t *offset)
{
    *offset = key;
    if (key & OFFSET_FOLDED) {
        *offset = (uint32_t)key;
        return element == (uint32_t)((key & ~OFFSET_FOLDED) >> OFFSET_ELEMENT_SHIFT);
    }
    if (element > 8)
        *offset = key % element;
    return true;
}

static size_t merge_fields(struct snapshot_field *fields, size_t count)
{
    size_t kept = 0;
    qsort(fields, count, sizeof *fields, by_offset);
    for (size_t i = 0; i < count; i++) {
        if (kept && fields[kept - 1].offset == fields[i].offset) {
            struct snapshot_field *into = &fields[kept - 1];
            into->samples += fields[i].samples;
            into->loads += fields[i].loads;
            into->stores += fields[i].stores;
            into->size = fields[i].size > into->size ? fields[i].size : into->size;
        } else {
            fields[kept++] = fields[i];
        }
    }
    qsort(fields, kept, sizeof *fields, most_samples);
    return kept;
}

static void keep_fields(struct build *build, struct snapshot_object *object,
                        const struct snapshot_field *fields, size_t count, bool folded)
{
    object->field_count = count < FIELDS ? count : FIELDS;
    object->fields = arena_array(build->arena, object->field_count, sizeof *fields);
    build->failed |= !object->fields;
    for (size_t i = 0; object->fields && i < object->field_count; i++) {
        struct snapshot_field *field = &object->fields[i];
        *field = fields[i];
        field->share = object->samples > 0 ? field->samples / object->samples : NAN;
        field->name = arena_printf(build->arena, folded ? "[*]+%llu" : "+%llu",
                                   (unsigned long long)field->offset);
        build->failed |= !field->name;
    }
}

static void build_fields(struct build *build, struct snapshot_object *object,
                         const struct pair **sorted, size_t all)
{
    const struct object_extra *extra = &build->profile->extras[object->id];
    size_t first;
    size_t count = pairs_of(sorted, all, PAIR_OWNER(object->id, build->event), &first);
    struct snapshot_field *fields = calloc(count + 1, sizeof *fields);
    build->failed |= !fields;
    size_t used = 0;
    for (size_t i = 0; fields && i < count; i++) {
        const struct pair *pair = sorted[first + i];
        struct snapshot_field *field = &fields[used];
        if (!field_offset(pair->key, extra->element, &field->offset))
            continue;
        field->samples = build_read(build, &pair->samples);
        field->loads = build_read(build, &pair->loads);
        field->stores = build_read(build, &pair->stores);
        field->size = (uint32_t)pair->size;
        used++;
    }
    if (fields)
        keep_fields(build, object, fields, merge_fields(fields, used), extra->element > 8);
    object->element_size = extra->element;
    object->element_confidence = extra->confidence;
    free(fields);
}

static int most_in_instance(const void *left, const void *right)
{
    const struct snapshot_instance *a = left;
    const struct snapshot_instance *b = right;
    if (a->samples != b->samples)
        return a->samples > b->samples ? -1 : 1;
    return a->base < b->base ? -1 : a->base > b->base;
}

static void build_instances(struct build *build, struct snapshot_object *object,
                            const struct pair **sorted, size_t all)
{
    size_t first;
    size_t count = pairs_of(sorted, all, PAIR_OWNER(object->id, build->event), &first);
    object->instances = arena_array(build->arena, count, sizeof *object->instances);
    build->failed |= !object->instances;
    for (size_t i = 0; object->instances && i < count; i++) {
        const struct pair *pair = sorted[first + i];
        double samples = build_read(build, &pair->samples);
        object->instances[i] = (struct snapshot_instance){
            .base = pair->key,
            .size = pair->size,
            .samples = samples,
            .tid = pair->extra,
            .share = object->samples > 0 ? samples / object->samples : NAN};
    }
    if (object->instances)
        qsort(object->instances, count, sizeof *object->instances, most_in_instance);
    object->instance_count = count < INSTANCES ? count : INSTANCES;
}

void build_details(struct build *build)
{
    struct profile *profile = build->profile;
    struct snapshot *snapshot = build->snapshot;
    int inferred = 0;
    for (size_t i = 0; i < snapshot->object_count && inferred < INFERRED_PER_SNAPSHOT; i++)
        inferred += infer(build, &snapshot->objects[i]);
    size_t all = pairs_sorted(&profile->offsets, build->event, profile->sorted);
    for (size_t i = 0; i < snapshot->object_count && !build->failed; i++)
        build_fields(build, &snapshot->objects[i], profile->sorted, all);
    all = pairs_sorted(&profile->instances, build->event, profile->sorted);
    for (size_t i = 0; i < snapshot->object_count && !build->failed; i++)
        build_instances(build, &snapshot->objects[i], profile->sorted, all);
}
