/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where in the listed objects the samples fell: members of types where these are known, else
 * offsets, folded to one element of an array where its size could be inferred. */
#include "profile/state.h"

#include "profile/snapshot_field_names.h"
#include "profile/stride.h"
#include "resolve/members.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS = 64, INFERRED_PER_SNAPSHOT = 8, PAGE_BYTES = 4096 };

static const double trusted = 0.5;       /* confidence from which offsets are folded */
static const double typed_at_most = 0.1; /* of the samples of what has an inferred element */

/* Offsets of one object from the window, the newest first. */
static size_t window_offsets(const struct window *window, uint32_t object, uint64_t *offsets,
                             uint32_t *line_phase)
{
    size_t count = 0;
    for (uint32_t i = window->used; i > 0 && count < STRIDE_OFFSETS_MAX; i--) {
        const struct window_entry *entry = window_at(window, i - 1);
        if (entry->object != object || entry->type)
            continue;
        *line_phase = (uint32_t)(entry->offset - entry->address) % 64;
        offsets[count++] = entry->offset;
    }
    return count;
}

/* A mapping, or as large a part of one, may be memory that an allocator deals out: distances in it
 * are the allocator's. */
static bool is_dealt_out(const struct snapshot_object *object)
{
    return object->kind == OBJECT_ANON || object->kind == OBJECT_MAP ||
           object->kind == OBJECT_STACK ||
           (object->kind == OBJECT_HEAP && object->address % PAGE_BYTES == 0 &&
            object->size >= PAGE_BYTES);
}

/* Where the type is known, a stride is how the program goes through an array of it, and no element.
 */
static bool has_elements(const struct snapshot_object *object)
{
    double typed = 0;
    for (int how = TYPED_NOT + 1; how < TYPED_COUNT; how++)
        typed += object->typed[how];
    return !object->type_id && typed <= typed_at_most * object->samples && !is_dealt_out(object);
}

/* A stride is inferred anew when the samples have doubled: it costs a millisecond. */
static bool infer(struct build *build, const struct snapshot_object *object)
{
    struct object_extra *extra = &build->profile->extras[object->id];
    double samples =
        tallies_at(&build->profile->objects, object->id, build->event)->samples.at[BASIS_RUN];
    uint64_t offsets[STRIDE_OFFSETS_MAX];
    uint32_t line_phase = 0;
    if (!has_elements(object)) {
        extra->element = 0;
        extra->confidence = 0;
        return false;
    }
    if (samples < STRIDE_OFFSETS_MIN || samples < 2.0 * extra->inferred_at)
        return false;
    extra->inferred_at = samples < UINT32_MAX / 2 ? (uint32_t)samples : UINT32_MAX / 2;
    size_t count = window_offsets(&build->profile->window, object->id, offsets, &line_phase);
    struct stride stride = stride_infer(offsets, count, line_phase);
    extra->element = stride.confidence >= trusted ? stride.element : 0;
    extra->confidence = (float)stride.confidence;
    return true;
}

void build_inferred(struct build *build)
{
    struct snapshot *snapshot = build->snapshot;
    int inferred = 0;
    for (size_t i = 0; i < snapshot->object_count && inferred < INFERRED_PER_SNAPSHOT; i++)
        inferred += infer(build, &snapshot->objects[i]);
}

bool build_type(const struct build *build, uint32_t type, struct type_desc *desc)
{
    const struct place_names *names = &build->profile->options.names;
    return type && names->type && names->type(names->context, type, desc);
}

/* Of what is declared, every offset is that of the access itself; elsewhere the code may have told
 * the type, and not the index. */
static bool is_exact(const struct snapshot_object *object)
{
    return object->type_id && !object->type_votes && object->kind != OBJECT_HEAP;
}

static struct folding folding_of(const struct build *build, const struct snapshot_object *object)
{
    struct folding folding = {.element = build->profile->extras[object->id].element,
                              .exact = is_exact(object)};
    if (build_type(build, object->type_id, &folding.type) && folding.type.size)
        folding.type_id = object->type_id;
    return folding;
}

/* Where a pair belongs among the fields; false: folded by an element given up since. */
static bool locate(const struct folding *folding, uint64_t key, struct snapshot_field *field)
{
    field->member = TYPE_NO_MEMBER;
    if (key & OFFSET_FOLDED) {
        field->offset = (uint32_t)key;
        return folding->element == (uint32_t)((key & ~OFFSET_FOLDED) >> OFFSET_SHIFT);
    }
    if (key & OFFSET_TYPED) {
        field->type_id = offset_key_type(key);
        field->unit = offset_key_unit(key);
        field->offset = (uint32_t)key;
    } else if (folding->type_id && folding->type.member_count) {
        field->type_id = folding->type_id;
        field->offset = type_in_element(&folding->type, key);
    } else {
        field->offset = folding->element > 8 ? key % folding->element : key;
    }
    return true;
}

static int by_place(const void *left, const void *right)
{
    const struct snapshot_field *a = left;
    const struct snapshot_field *b = right;
    if (a->type_id != b->type_id)
        return a->type_id < b->type_id ? -1 : 1;
    if (a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    return a->member < b->member ? -1 : a->member > b->member; /* of a union */
}

static int most_samples(const void *left, const void *right)
{
    const struct snapshot_field *a = left;
    const struct snapshot_field *b = right;
    if (a->samples != b->samples)
        return a->samples > b->samples ? -1 : 1;
    return by_place(left, right);
}

/* Which element of a short array an offset falls on. */
static uint64_t element_at(const struct type_desc *type, uint32_t member, uint64_t offset)
{
    const struct type_member *array = &type->members[member];
    if (!field_is_short_array(type, member) || offset < array->offset)
        return 0;
    uint64_t into = offset - array->offset;
    uint64_t size = array->size;
    /* What it is an element of, arrays of arrays of structs, has larger steps. */
    for (uint32_t up = array->parent; up != TYPE_NO_MEMBER; up = type->members[up].parent)
        if (type->members[up].stride)
            into = into < size ? into : into % type->members[up].stride;
    return into < size ? into / array->stride : 0;
}

/* The member at each field's offset; its offset then is the member's. Fields are by place.
 * `exact`: offsets are of the accesses themselves, not of element 0 of what an index moves over. */
static void find_members(const struct build *build, bool exact, struct snapshot_field *fields,
                         size_t count)
{
    struct type_desc type = {0};
    uint32_t known = 0;
    for (size_t i = 0; i < count; i++) {
        struct snapshot_field *field = &fields[i];
        if (!field->type_id)
            continue;
        if (known != field->type_id && !build_type(build, field->type_id, &type)) {
            field->type_id = 0;
            continue;
        }
        known = field->type_id;
        field->member = type_member_at(&type, field->offset, field->size);
        if (field->member == TYPE_NO_MEMBER)
            continue;
        const struct type_member *member = &type.members[field->member];
        uint64_t folded = type_fold(&type, field->offset);
        if (!field->unit)
            field->unit = type_shares_byte(&type, field->member, folded);
        if (field->unit) {
            field->offset = folded;
            continue;
        }
        uint64_t element = exact ? element_at(&type, field->member, field->offset) : 0;
        field->offset = member->offset + element * member->stride;
    }
}

bool build_same_field(const struct snapshot_field *a, const struct snapshot_field *b)
{
    return a->type_id == b->type_id && a->member == b->member && a->offset == b->offset &&
           a->unit == b->unit;
}

static size_t merge(struct snapshot_field *fields, size_t count)
{
    size_t kept = 0;
    qsort(fields, count, sizeof *fields, by_place);
    for (size_t i = 0; i < count; i++) {
        if (kept && build_same_field(&fields[kept - 1], &fields[i])) {
            struct snapshot_field *into = &fields[kept - 1];
            into->samples += fields[i].samples;
            into->count_over += fields[i].count_over;
            into->loads += fields[i].loads;
            into->stores += fields[i].stores;
            into->size = fields[i].size > into->size ? fields[i].size : into->size;
        } else {
            fields[kept++] = fields[i];
        }
    }
    return kept;
}

static void keep(struct build *build, struct snapshot_object *object, const struct folding *folding,
                 struct snapshot_field *fields, size_t count)
{
    qsort(fields, count, sizeof *fields, most_samples);
    object->field_count = count < FIELDS ? count : FIELDS;
    object->fields = arena_array(build->arena, object->field_count, sizeof *fields);
    build->failed |= !object->fields;
    for (size_t i = 0; object->fields && i < object->field_count; i++) {
        struct snapshot_field *field = &object->fields[i];
        *field = fields[i];
        field->share = object->samples > 0 ? field->samples / object->samples : NAN;
        field_name(build, folding, field);
        build->failed |= !field->name;
    }
}

void build_fields(struct build *build, struct snapshot_object *object, const struct pair **pairs,
                  size_t count)
{
    const struct object_extra *extra = &build->profile->extras[object->id];
    struct folding folding = folding_of(build, object);
    /* Twice: sorted and merged, and in the order of the pairs. */
    struct snapshot_field *fields = calloc(2 * count + 1, sizeof *fields);
    build->failed |= !fields;
    size_t used = 0;
    for (size_t i = 0; fields && i < count; i++) {
        struct snapshot_field *field = &fields[used];
        *field = (struct snapshot_field){.size = (uint32_t)pairs[i]->size};
        if (!locate(&folding, pairs[i]->key, field))
            continue;
        field->samples = build_samples(build, &pairs[i]->weight);
        field->count_over = build_over(build, &pairs[i]->samples, &pairs[i]->weight);
        field->loads = build_samples(build, &pairs[i]->loads);
        field->stores = build_samples(build, &pairs[i]->stores);
        pairs[used++] = pairs[i];
    }
    if (!folding.type_id) {
        object->element_size = extra->element;
        object->element_confidence = extra->confidence;
    }
    if (fields) {
        memcpy(fields + used, fields, used * sizeof *fields);
        qsort(fields, used, sizeof *fields, by_place);
        build_layouts(build, object, fields, used);
        find_members(build, folding.exact, fields, used);
        keep(build, object, &folding, fields, merge(fields, used));
        find_members(build, folding.exact, fields + used, used);
        if (object->fields)
            build_field_figures(build, object, fields + used, pairs, used);
    }
    free(fields);
}
