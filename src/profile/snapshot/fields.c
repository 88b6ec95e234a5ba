/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fields of the listed objects: members of types if these are known, otherwise offsets, folded
 * to one array element if its size could be inferred. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/cache/spread.h"
#include "profile/snapshot/builders.h"
#include "profile/state.h"
#include "resolve/members.h"

/* How the untyped offsets of an object are folded. */
struct folding {
    struct type_desc type; /* type of its elements; name NULL: not known */
    uint32_t type_id;
    uint32_t element;
    bool exact; /* see find_members() */
};

static bool build_same_field(const struct snapshot_field *a, const struct snapshot_field *b)
{
    return a->type_id == b->type_id && a->member == b->member && a->offset == b->offset &&
           a->unit == b->unit;
}

/* The sums are large, so they exist only for the fields that are kept. */

struct field_sums {
    struct build_sums sums;
    struct snapshot_use use;
    struct snapshot_causes_figures causes;
};

static void sum_pair(const struct build *build, const struct pair *pair, struct field_sums *sums)
{
    const struct profile *profile = build->profile;
    size_t slot = (size_t)(pair - profile->offsets.at);
    uint64_t key = pairs_hash(pair->owner, pair->key);
    build_sum_offset(build, pair, &sums->sums);
    build_sum_causes(build, count_rows_find(&profile->causes.offsets, slot, key), &sums->causes);
}

/* Returns the index of the field with a pair's place; object->field_count: not kept. */
static size_t find_field_index(const struct snapshot_object *object,
                               const struct snapshot_field *place)
{
    size_t field = 0;
    while (field < object->field_count && !build_same_field(&object->fields[field], place))
        field++;
    return field;
}

/* A member that is counted in several fields, or not listed, has none. */
static void fill_layout(const struct snapshot_object *object, struct snapshot_layout *layout)
{
    for (size_t i = 0; i < layout->row_count; i++) {
        struct snapshot_layout_row *row = &layout->rows[i];
        size_t matches = 0;
        for (size_t k = 0; k < object->field_count && !row->has_members; k++) {
            const struct snapshot_field *field = &object->fields[k];
            if (field->type_id != layout->type || field->member != row->index ||
                (row->index == TYPE_NO_MEMBER && (uint64_t)field->offset != row->member.offset))
                continue;
            row->levels = field->levels;
            row->rates = field->rates;
            row->use = field->use;
            matches++;
        }
        if (matches > 1) {
            row->levels = NULL;
            row->rates = NULL;
            row->use = NULL;
        }
    }
}

static void build_field_figures(struct build *build, struct snapshot_object *object,
                                const struct snapshot_field *places, const struct pair **pairs,
                                size_t count)
{
    if (!object->levels && !object->rates && !object->use && !causes_any(&build->profile->causes))
        return;
    struct field_sums *sums = build_scratch(build, object->field_count + 1, sizeof *sums);
    for (size_t i = 0; sums && i < count; i++) {
        size_t field = find_field_index(object, &places[i]);
        if (field == object->field_count)
            continue;
        sum_pair(build, pairs[i], &sums[field]);
        build_sum_offset_use(build, pairs[i], &sums[field].use);
    }
    for (size_t i = 0; sums && i < object->field_count; i++) {
        object->fields[i].levels = build_levels(build, &sums[i].sums);
        object->fields[i].rates = build_rates(build, &sums[i].sums.rates);
        object->fields[i].use = build_use_of(build, &sums[i].use);
        object->fields[i].causes = build_figures_of(build, &sums[i].causes);
    }
    for (size_t i = 0; i < object->layout_count; i++)
        fill_layout(object, &object->layouts[i]);
    free(sums);
}

enum { NAME_BYTES = 256 };

/* Returns true for a short array of scalars: each element is shown like a member. */
static bool field_is_short_array(const struct type_desc *type, uint32_t member)
{
    enum { SHORT = 16 };
    const struct type_member *array = &type->members[member];
    bool parts = member + 1 < type->member_count && type->members[member + 1].parent == member;
    return array->stride && array->count && array->count <= SHORT && !parts;
}

/* Changes "words[*]" to "words[5]". */
static void name_element(const struct type_member *member, const struct snapshot_field *field,
                         char *name, size_t size)
{
    size_t length = strlen(name);
    if (length >= 3 && !strcmp(name + length - 3, "[*]"))
        snprintf(name + length - 3, size - (length - 3), "[%llu]",
                 (unsigned long long)((field->offset - member->offset) / member->stride));
}

static void name_member(struct build *build, const struct folding *folding,
                        struct snapshot_field *field)
{
    struct type_desc type;
    char name[NAME_BYTES];
    if (!build_type(build, field->type_id, &type))
        return;
    if (field->member == TYPE_NO_MEMBER)
        type_field_name(&type, field->offset, field->size, name, sizeof name);
    else if (field->unit)
        type_bits_name(&type, field->offset, field->unit, name, sizeof name);
    else
        type_member_name(&type, field->member, name, sizeof name);
    if (folding->exact && field->member != TYPE_NO_MEMBER &&
        field_is_short_array(&type, field->member))
        name_element(&type.members[field->member], field, name, sizeof name);
    field->name = arena_string(build->arena, name);
    if (field->member != TYPE_NO_MEMBER)
        field->type = arena_string(build->arena, type.members[field->member].type);
}

/* Names an offset: "[12]" in an array of scalars, "[*]+8" in an element, otherwise "+40". */
static void name_offset(struct build *build, const struct folding *folding,
                        struct snapshot_field *field)
{
    long long offset = field->offset;
    long long size =
        folding->type_id && !folding->type.member_count ? (long long)folding->type.size : 0;
    if (size && offset % size == 0)
        field->name = arena_printf(build->arena, "[%lld]", offset / size);
    else
        field->name = arena_printf(build->arena,
                                   !size && folding->element > 8 ? "[*]%+lld" : "%+lld", offset);
    if (size)
        field->type = arena_string(build->arena, folding->type.name);
}

/* Sets the name and the type, in the build's arena; the name stays NULL if memory runs out. */
static void field_name(struct build *build, const struct folding *folding,
                       struct snapshot_field *field)
{
    if (field->type_id)
        name_member(build, folding, field);
    if (!field->name)
        name_offset(build, folding, field);
}

enum { FIELDS = 64, INFERRED_PER_SNAPSHOT = 8, PAGE_BYTES = 4096 };

static const double trusted = 0.5; /* minimum confidence for folding offsets */
/* Maximum share of typed samples on an object with an inferred element. */
static const double typed_max = 0.1;

/* Copies the offsets of one object from the window, newest first. */
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

/* True if a mapping, or an equally large block, may be memory that an allocator divides: strides in
 * it are the allocator's. */
static bool may_be_allocator_memory(const struct snapshot_object *object)
{
    return object->kind == OBJECT_ANON || object->kind == OBJECT_MAP ||
           object->kind == OBJECT_STACK ||
           (object->kind == OBJECT_HEAP && object->address % PAGE_BYTES == 0 &&
            object->size >= PAGE_BYTES);
}

/* Returns true if a stride can be an element; if the type is known, a stride is only a walk. */
static bool has_elements(const struct snapshot_object *object)
{
    double typed = 0;
    for (int how = TYPED_NONE + 1; how < TYPED_COUNT; how++)
        typed += object->typed[how];
    return !object->type_id && typed <= typed_max * object->samples &&
           !may_be_allocator_memory(object);
}

/* Infers the stride again once the samples have doubled, because it takes a millisecond. */
static bool infer_stride(struct build *build, const struct snapshot_object *object)
{
    struct object_extra *extra = &build->profile->extras[object->id];
    double samples =
        tallies_at(&build->profile->objects, object->id, build->event)->samples.at[BASIS_RUN];
    uint64_t offsets[STRIDE_OFFSETS_MAX];
    uint32_t line_phase = 0;
    if (!has_elements(object)) {
        extra->element_bytes = 0;
        extra->confidence = 0;
        return false;
    }
    if (samples < STRIDE_OFFSETS_MIN || samples < 2.0 * extra->inferred_at)
        return false;
    extra->inferred_at = samples < UINT32_MAX / 2 ? (uint32_t)samples : UINT32_MAX / 2;
    size_t count = window_offsets(&build->profile->window, object->id, offsets, &line_phase);
    struct stride stride = stride_infer(offsets, count, line_phase);
    extra->element_bytes = stride.confidence >= trusted ? stride.element : 0;
    extra->confidence = (float)stride.confidence;
    return true;
}

void build_inferred(struct build *build)
{
    struct snapshot *snapshot = build->snapshot;
    int inferred = 0;
    for (size_t i = 0; i < snapshot->object_count && inferred < INFERRED_PER_SNAPSHOT; i++)
        inferred += infer_stride(build, &snapshot->objects[i]);
}

bool build_type(const struct build *build, uint32_t type, struct type_desc *desc)
{
    union place_answer answer;
    bool known = type && build_ask(build, PLACE_TYPE, type, &answer);
    if (known)
        *desc = answer.type;
    return known;
}

/* True if the offsets are exact. In a declared object every offset is that of the access; for other
 * objects the code may give the type without the index. */
static bool has_exact_offsets(const struct snapshot_object *object)
{
    return object->type_id && !object->type_votes && object->kind != OBJECT_HEAP;
}

static struct folding make_folding(const struct build *build, const struct snapshot_object *object)
{
    struct folding folding = {.element = build->profile->extras[object->id].element_bytes,
                              .exact = has_exact_offsets(object)};
    if (build_type(build, object->type_id, &folding.type) && folding.type.size)
        folding.type_id = object->type_id;
    return folding;
}

void build_offset_in_whole(const struct build *build, const struct type_desc *whole,
                           uint32_t whole_id, uint32_t *type, uint32_t *offset)
{
    struct type_desc part;
    uint64_t at;
    if (!whole_id || *type == whole_id || !build_type(build, *type, &part) ||
        !type_find_part(whole, &part, &at))
        return;
    *type = whole_id;
    *offset += (uint32_t)at;
}

enum { WHOLES = 16 }; /* types considered per object */

/* Returns the largest of the types that has `part` as a part, and all others that have it; 0: none.
 */
static uint32_t whole_of(const struct build *build, const uint32_t *types, size_t count,
                         uint32_t part)
{
    struct type_desc inner;
    struct type_desc whole = {0};
    struct type_desc outer;
    uint64_t at;
    uint32_t found = 0;
    if (!build_type(build, part, &inner))
        return 0;
    for (size_t i = 0; i < count; i++)
        if (types[i] != part && build_type(build, types[i], &outer) && outer.size > whole.size &&
            type_find_part(&outer, &inner, &at)) {
            whole = outer;
            found = types[i];
        }
    for (size_t i = 0; found && i < count; i++)
        if (types[i] != part && types[i] != found && build_type(build, types[i], &outer) &&
            type_find_part(&outer, &inner, &at) && !type_find_part(&whole, &outer, &at))
            return 0;
    return found;
}

/* Does the same for an object with elements of several types, as in an arena: the whole is the type
 * of other samples on it. */
static void find_wholes(const struct build *build, struct snapshot_field *fields, size_t count)
{
    uint32_t types[WHOLES];
    size_t known = 0;
    for (size_t i = 0; i < count; i++) {
        size_t at = 0;
        while (at < known && types[at] != fields[i].type_id)
            at++;
        if (at == known && known < WHOLES && fields[i].type_id)
            types[known++] = fields[i].type_id;
    }
    for (size_t i = 0; i < known; i++) {
        struct type_desc whole;
        uint32_t id = whole_of(build, types, known, types[i]);
        if (!id || !build_type(build, id, &whole))
            continue;
        for (size_t k = 0; k < count; k++) {
            uint32_t offset = (uint32_t)fields[k].offset;
            if (fields[k].type_id != types[i])
                continue;
            build_offset_in_whole(build, &whole, id, &fields[k].type_id, &offset);
            fields[k].offset = offset;
        }
    }
}

/* Returns false if it was folded by an element size that is no longer used. */
static bool locate_field(const struct build *build, const struct folding *folding, uint64_t key,
                         struct snapshot_field *field)
{
    field->member = TYPE_NO_MEMBER;
    if (key & OFFSET_FOLDED) {
        field->offset = (uint32_t)key;
        return folding->element == (uint32_t)((key & ~OFFSET_FOLDED) >> OFFSET_SHIFT);
    }
    if (key & OFFSET_TYPED) {
        field->type_id = offset_key_type(key);
        field->unit = offset_key_unit(key);
        uint32_t at = (uint32_t)key;
        build_offset_in_whole(build, &folding->type, folding->type_id, &field->type_id, &at);
        field->offset = at;
    } else if (folding->type_id && folding->type.member_count) {
        field->type_id = folding->type_id;
        field->offset = type_in_element(&folding->type, key);
    } else {
        field->offset =
            folding->element > 8 ? (int64_t)(key % folding->element) : offset_key_signed(key);
    }
    return true;
}

static int compare_field_place(const void *left, const void *right)
{
    const struct snapshot_field *a = left;
    const struct snapshot_field *b = right;
    if (a->type_id != b->type_id)
        return a->type_id < b->type_id ? -1 : 1;
    if (a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    return a->member < b->member ? -1 : a->member > b->member; /* union members */
}

static int compare_field_samples(const void *left, const void *right)
{
    const struct snapshot_field *a = left;
    const struct snapshot_field *b = right;
    if (a->samples != b->samples)
        return a->samples > b->samples ? -1 : 1;
    return compare_field_place(left, right);
}

/* Returns the index of the element of a short array at an offset. */
static uint64_t element_at(const struct type_desc *type, uint32_t member, uint64_t offset)
{
    const struct type_member *array = &type->members[member];
    if (!field_is_short_array(type, member) || offset < array->offset)
        return 0;
    uint64_t into = offset - array->offset;
    uint64_t size = array->size;
    /* An array that contains this one has larger strides. */
    for (uint32_t up = array->parent; up != TYPE_NO_MEMBER; up = type->members[up].parent)
        if (type->members[up].stride)
            into = into < size ? into : into % type->members[up].stride;
    return into < size ? into / array->stride : 0;
}

/* Returns a key of a member's name, type, size and place, and its type's name. */
static uint64_t member_key(const struct type_desc *type, const struct snapshot_field *field)
{
    const struct type_member *member = &type->members[field->member];
    char name[NAME_BYTES];
    type_member_name(type, field->member, name, sizeof name);
    uint64_t key = hash_mix((uint64_t)field->offset ^ (uint64_t)field->unit << 56) ^ member->size;
    key = hash_mix(key) ^ hash_bytes(type->name, strlen(type->name));
    key = hash_mix(key) ^ hash_bytes(member->type, strlen(member->type));
    return hash_mix(key) ^ hash_bytes(name, strlen(name));
}

/* Merges identical members of shapes of one class, or of structs that units declare differently. */
static void share_members(const struct build *build, struct snapshot_field *fields, size_t count)
{
    struct hash lowest = {0}; /* member -> its field of the lowest type */
    size_t of_first = 0;
    while (of_first < count && fields[of_first].type_id == fields[0].type_id)
        of_first++;
    for (unsigned pass = 0; pass < 2 && of_first < count; pass++)
        for (size_t i = 0; i < count; i++) {
            struct snapshot_field *field = &fields[i];
            struct type_desc type;
            bool created;
            if (field->member == TYPE_NO_MEMBER || !build_type(build, field->type_id, &type))
                continue;
            uint32_t *at = hash_insert(&lowest, member_key(&type, field), &created);
            if (at && (created || field->type_id < fields[*at].type_id))
                *at = (uint32_t)i;
            if (at && pass) {
                field->type_id = fields[*at].type_id;
                field->member = fields[*at].member;
            }
        }
    hash_fini(&lowest);
}

/* Finds the member at each field's offset, and sets the offset to the member's. Fields are sorted
 * by place. `exact`: offsets are those of the accesses, not of element 0 of an indexed array. */
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
    share_members(build, fields, count);
}

static size_t merge_fields(struct snapshot_field *fields, size_t count)
{
    size_t kept = 0;
    qsort(fields, count, sizeof *fields, compare_field_place);
    for (size_t i = 0; i < count; i++) {
        if (kept && build_same_field(&fields[kept - 1], &fields[i])) {
            struct snapshot_field *into = &fields[kept - 1];
            into->samples += fields[i].samples;
            into->count_excess += fields[i].count_excess;
            into->loads += fields[i].loads;
            into->stores += fields[i].stores;
            into->size = fields[i].size > into->size ? fields[i].size : into->size;
        } else {
            fields[kept++] = fields[i];
        }
    }
    return kept;
}

static void fields_keep(struct build *build, struct snapshot_object *object,
                        const struct folding *folding, struct snapshot_field *fields, size_t count)
{
    qsort(fields, count, sizeof *fields, compare_field_samples);
    object->field_count = count < FIELDS ? count : FIELDS;
    object->fields = build_array(build, object->field_count, sizeof *fields);
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
    struct folding folding = make_folding(build, object);
    /* Two copies: one sorted and merged, one in the order of the pairs. */
    struct snapshot_field *fields = build_scratch(build, 2 * count + 1, sizeof *fields);
    size_t used = 0;
    for (size_t i = 0; fields && i < count; i++) {
        struct snapshot_field *field = &fields[used];
        *field = (struct snapshot_field){.size = (uint32_t)pairs[i]->size};
        if (!locate_field(build, &folding, pairs[i]->key, field))
            continue;
        field->samples = build_samples(build, &pairs[i]->weight);
        field->count_excess = build_samples_over(build, &pairs[i]->samples, &pairs[i]->weight);
        field->loads = build_samples(build, &pairs[i]->loads);
        field->stores = build_samples(build, &pairs[i]->stores);
        pairs[used++] = pairs[i];
    }
    if (!folding.type_id) {
        object->element_size = extra->element_bytes;
        object->element_confidence = extra->confidence;
    }
    if (fields) {
        if (!folding.type_id)
            find_wholes(build, fields, used);
        memcpy(fields + used, fields, used * sizeof *fields);
        qsort(fields, used, sizeof *fields, compare_field_place);
        build_layouts(build, object, fields, used);
        find_members(build, folding.exact, fields, used);
        fields_keep(build, object, &folding, fields, merge_fields(fields, used));
        find_members(build, folding.exact, fields + used, used);
        if (object->fields)
            build_field_figures(build, object, fields + used, pairs, used);
    }
    free(fields);
}
