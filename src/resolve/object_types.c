/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/object_types.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "resolve/members.h"

enum {
    INSTANCES = 1 << 13,
    PLACES = 1 << 12,
    COOKIE_BYTES = 16, /* maximum that C++'s new[] stores before an array */
    AGREE_MIN = 8      /* accesses at whole elements for each one between them */
};

/* The type at the start of a block, or after the cookie. */
struct type_instance {
    uint64_t start;
    uint32_t type; /* 0: empty */
    uint32_t size; /* size of the block: if it differs, it is another block; 0: no block */
};

/* Positions of a type in blocks of one size. A single block is soon no longer sampled, so the
 * blocks of its size together show whether they are arrays. */
struct type_places {
    uint32_t type; /* 0: empty */
    uint32_t size;
    uint64_t first; /* offset of the type in the first block */
    bool array;     /* also seen at another offset, a multiple of the size away */
    uint32_t agree; /* accesses at such offsets */
    uint32_t differ;
};

int type_instances_init(struct type_instances *instances)
{
    instances->at = calloc(INSTANCES, sizeof *instances->at);
    instances->places = calloc(PLACES, sizeof *instances->places);
    return instances->at && instances->places ? 0 : -ENOMEM;
}

void type_instances_fini(struct type_instances *instances)
{
    free(instances->at);
    free(instances->places);
}

void type_instances_forget(struct type_instances *instances)
{
    memset(instances->at, 0, INSTANCES * sizeof *instances->at);
    memset(instances->places, 0, PLACES * sizeof *instances->places);
}

/* Returns true if an element begins at `start`, given elements of `size` bytes from the start of
 * the located block. */
static bool type_instances_fit(const struct located *located, uint64_t start, uint64_t size)
{
    return located->allocation != ALLOCATION_MAPPING && size &&
           size <= located->end - located->base && start >= located->base &&
           (start - located->base) % size == 0;
}

static bool is_inside(const struct type_desc *type, int64_t offset)
{
    return type->size && offset >= 0 && ((uint64_t)offset < type->size || type_is_flexible(type));
}

/* Runs for every sample, so no printf. */
static const char *name_array(struct located *located, const char *name)
{
    static const char brackets[] = " []";
    size_t length = strnlen(name, sizeof located->text - sizeof brackets);
    memcpy(located->text, name, length);
    memcpy(located->text + length, brackets, sizeof brackets);
    return located->text;
}

/* Names memory after a type. `start`, `end`: bounds of the instance, or of all elements. */
static void name_after_type(struct located *located, const struct type_desc *type, uint32_t id,
                            uint64_t start, uint64_t end, bool array)
{
    enum { KEY_TYPE = 9 /* other values are in objects.c */ };
    /* Each mapped file or shared memory has types of its own; private memory is the heap. */
    uint64_t owner = located->kind == OBJECT_MAP ? located->key : 0;
    /* One instance per block and an array are different things to a programmer. */
    id = id * 2 + array;
    located->key = (hash_mix(hash_mix(id) + owner) & ~UINT64_C(15)) | KEY_TYPE;
    located->type_base = start;
    /* A block keeps its bounds if the type is in its middle. */
    if (located->allocation != ALLOCATION_WALKED) {
        located->base = start;
        located->end = end;
    }
    located->bin = 0;
    located->module = "";
    located->name = array ? name_array(located, type->name) : type->name;
    located->is_named_by_type = true;
    located->array = array;
    if (located->kind != OBJECT_MAP)
        located->kind = OBJECT_HEAP;
}

/* Returns the larger of the types seen here before and now, if one contains the other. */
static uint32_t type_instances_join(const struct types *types, uint32_t before, uint32_t now)
{
    const struct type_desc *old = types_at(types, before);
    if (!old || before == now)
        return now;
    return types_contains(types, before, now) ? before : now;
}

static struct type_instance *instance_at(struct type_instances *instances, uint64_t start)
{
    return &instances->at[hash_mix(start) % INSTANCES];
}

bool type_instances_apply(const struct located *located)
{
    bool memory =
        located->kind == OBJECT_HEAP || located->kind == OBJECT_ANON || located->kind == OBJECT_MAP;
    return memory && located->allocation != ALLOCATION_RECORDED &&
           located->allocation != ALLOCATION_HEADER;
}

/* Returns the type seen at a position in a block of this size; 0: none. */
static uint32_t instance_type(const struct type_instance *known, uint64_t start, uint32_t size)
{
    return known->start == start && known->size == size ? known->type : 0;
}

static uint32_t block_size(const struct located *located)
{
    return (uint32_t)(located->end - located->base);
}

static struct type_places *type_places_slot(struct type_instances *instances, uint32_t type,
                                            uint32_t size)
{
    return &instances->places[hash_mix((uint64_t)type << 32 | size) % PLACES];
}

static bool is_array(struct type_instances *instances, uint32_t type, uint32_t size)
{
    const struct type_places *places = type_places_slot(instances, type, size);
    return places->type == type && places->size == size && places->array &&
           places->differ <= places->agree / AGREE_MIN;
}

/* Records the position of a type in blocks of one size. One position proves nothing: other data may
 * precede an instance (at a multiple of its size) or follow it (at the start). Only an array has
 * instances at several positions, and none between them: members of the elements of a larger type
 * may also be a multiple of their size apart. Returns true for the first position. */
static bool note_place(struct type_instances *instances, uint32_t id, const struct type_desc *type,
                       uint32_t size, uint64_t into)
{
    struct type_places *places = type_places_slot(instances, id, size);
    bool first = places->type != id || places->size != size;
    if (first)
        *places = (struct type_places){.type = id, .size = size, .first = into};
    bool agrees = into % type->size == places->first % type->size;
    uint32_t *count = agrees ? &places->agree : &places->differ;
    *count += *count < UINT32_MAX;
    if (agrees && into != places->first)
        places->array = into % type->size <= COOKIE_BYTES && !type_is_flexible(type);
    return first;
}

static uint32_t name_block(struct type_instances *instances, const struct types *types,
                           struct located *located, uint32_t id, uint64_t cookie)
{
    bool array = is_array(instances, id, block_size(located));
    name_after_type(located, types_at(types, id), id, located->base + cookie, located->end, array);
    return id;
}

/* Returns true for types of glibc's malloc in its blocks, which are not the program's. */
static bool is_allocators(const struct type_desc *type)
{
    return !strcmp(type->name, "struct malloc_chunk") || !strcmp(type->name, "struct tcache_entry");
}

bool type_instances_array(struct type_instances *instances, const struct types *types,
                          struct located *located, uint32_t type)
{
    return is_array(instances, type, block_size(located)) &&
           name_block(instances, types, located, type, 0);
}

/* Names a walked block after the type seen in it before, because the code has no type. */
static uint32_t rename_by_seen_type(struct type_instances *instances, const struct types *types,
                                    struct located *located)
{
    if (located->allocation != ALLOCATION_WALKED)
        return 0;
    uint32_t size = block_size(located);
    uint32_t known = instance_type(instance_at(instances, located->base), located->base, size);
    const struct type_desc *type = types_at(types, known);
    if (!type)
        return 0;
    bool array = is_array(instances, known, size);
    uint64_t cookie = array ? type_places_slot(instances, known, size)->first % type->size : 0;
    return name_block(instances, types, located, known, cookie);
}

/* Names a walked block after the type of an instance that begins at `start`. */
static uint32_t rename_block(struct type_instances *instances, const struct types *types,
                             struct located *located, uint32_t id, uint64_t start)
{
    const struct type_desc *type = types_at(types, id);
    uint64_t into = start - located->base;
    uint32_t size = block_size(located);
    struct type_instance *known = instance_at(instances, located->base);
    uint32_t before = instance_type(known, located->base, size);
    bool inside = start >= located->base && into < size && type->size <= size - into;
    bool first = inside && note_place(instances, id, type, size, into);
    bool fits = inside && (!into || is_array(instances, id, size));
    located->may_be_array = first && !fits && !before;
    /* A part of a larger type, but not at its start: the larger type gives the name. */
    if (!fits && before && types_contains(types, before, id))
        return rename_by_seen_type(instances, types, located);
    if (!fits) {
        name_after_type(located, type, id, start, start + type->size, false);
        return id;
    }
    uint32_t now = type_instances_join(types, before, id);
    *known = (struct type_instance){located->base, now, size};
    return now == id ? name_block(instances, types, located, id, into % type->size)
                     : rename_by_seen_type(instances, types, located);
}

static uint32_t rename_place(struct type_instances *instances, const struct types *types,
                             struct located *located, uint32_t id, uint64_t start)
{
    struct type_instance *known = instance_at(instances, start);
    uint32_t now = type_instances_join(types, instance_type(known, start, 0), id);
    *known = (struct type_instance){start, now, 0};
    name_after_type(located, types_at(types, now), now, start, start + types_at(types, now)->size,
                    false);
    return now;
}

static bool is_only_element(const struct located *block, uint64_t size)
{
    uint64_t room = block->end - block->base;
    return size <= room && room < 2 * size;
}

uint32_t type_instances_rename(struct type_instances *instances, const struct types *types,
                               struct located *located, const struct access *access,
                               const struct typed_answer *operand)
{
    const struct type_desc *type = operand ? types_at(types, operand->type) : NULL;
    if (!type_instances_apply(located))
        return 0;
    if (!type || !type->member_count || !is_inside(type, operand->offset) || is_allocators(type))
        return rename_by_seen_type(instances, types, located);
    uint64_t start = access->address - (uint64_t)operand->offset;
    bool block = located->allocation == ALLOCATION_WALKED;
    /* The index is not known. If the block has room for only one instance, that is the instance. */
    if (block && operand->indexed && is_only_element(located, type->size) &&
        (start < located->base || start + type->size > located->end))
        start = located->base;
    return block ? rename_block(instances, types, located, operand->type, start)
                 : rename_place(instances, types, located, operand->type, start);
}

bool type_instances_is_whole(const struct located *renamed, const struct located *block)
{
    return renamed->type_base == block->base;
}

enum { OBJECTS_FIRST = 1024 };

void object_types_fini(struct object_types *typed)
{
    arena_fini(&typed->strings);
    free(typed->objects);
}

static struct object_type *object_at(struct object_types *typed, uint32_t object)
{
    if (!array_reserve_index(&typed->objects, &typed->object_count, object, sizeof *typed->objects,
                             OBJECTS_FIRST))
        return NULL;
    return &typed->objects[object];
}

static bool type_holds_operand(const struct types *types, uint32_t outer, uint64_t at,
                               uint32_t inner, uint64_t inner_at)
{
    if (outer != inner)
        return type_holds(types_at(types, outer), at, types_at(types, inner), inner_at);
    return at == inner_at ||
           type_fold(types_at(types, outer), at) == type_fold(types_at(types, inner), inner_at);
}

void object_types_declare(struct object_types *typed, uint32_t object, uint32_t type,
                          uint64_t count)
{
    struct object_type *known = object_at(typed, object);
    if (!known)
        return;
    known->type = type;
    known->count = count;
    known->declared = true;
}

void object_types_call(struct object_types *typed, uint32_t object, uint32_t type)
{
    struct object_type *known = object_at(typed, object);
    if (known)
        known->type = type;
}

uint32_t object_types_called(const struct object_types *typed, uint32_t object)
{
    return object < typed->object_count && !typed->objects[object].declared
               ? typed->objects[object].type
               : 0;
}

void object_types_assign(struct object_types *typed, uint32_t object, uint32_t type)
{
    struct object_type *known = object_at(typed, object);
    if (known)
        known->assigned = type;
}

/*
 * Returns true if a block can be an array of the type that its object got by votes or by
 * assignment. For types with votes, code must have accessed further elements; otherwise the size
 * must fit. A block larger than a base class, or than the links of a node, is not an array.
 */
static bool is_array_of(const struct object_type *object, const struct type_desc *desc,
                        const struct located *located, uint32_t type)
{
    enum { ROUNDED = 16 };
    for (unsigned i = 0; i < VOTES_TYPES; i++)
        if (object->votes.type[i] == type && desc->member_count)
            return object->votes.past_first_element[i];
    return !desc->member_count || (located->end - located->base) % desc->size < ROUNDED;
}

/* A size class may have blocks of several types: only a type common to all accesses is used. */
static uint32_t object_own_type(struct object_type *object, const struct types *types)
{
    uint32_t voted = object->type ? object->type : votes_leader(&object->votes, types);
    if (object->by_size && !object->type && voted && !object->votes.is_unanimous)
        return 0;
    /* Most accesses may be to a base class, or to the value in a node. */
    bool whole = voted && !object->type && types_contains(types, object->assigned, voted);
    return voted && !whole ? voted : object->assigned;
}

/* Mappings and stacks have no single type, nor do blocks of a size class. */
static bool begins_with_type(const struct object_type *object, const struct located *located)
{
    return object->type || located->kind == OBJECT_GLOBAL || located->kind == OBJECT_TLS ||
           located->allocation == ALLOCATION_RECORDED;
}

/* Returns the object's own type if it applies to the object's memory; *offset: the offset in it. */
static uint32_t type_of_data(struct object_type *object, const struct types *types,
                             const struct located *located, const struct place *place,
                             uint64_t *offset)
{
    bool begins = begins_with_type(object, located);
    if (!begins && !votes_due(&object->votes))
        return 0;
    uint32_t type = object_own_type(object, types);
    const struct type_desc *desc = types_at(types, type);
    uint64_t into =
        place->access.address - (located->is_named_by_type ? located->type_base : place->base);
    if (!desc || !desc->size || !begins)
        return 0;
    bool one = object->declared && !object->count;
    if (one && into >= desc->size && !type_is_flexible(desc))
        return 0;
    if (!object->type && into >= desc->size && !type_is_flexible(desc) &&
        !is_array_of(object, desc, located, type))
        return 0;
    *offset = type_in_element(desc, into);
    return type;
}

static void set_type_by_code(const struct types *types, const struct typed_answer *operand,
                             struct place *place)
{
    const struct type_desc *desc = types_at(types, operand->type);
    place->type = operand->type;
    place->type_offset = (uint32_t)type_in_element(desc, (uint64_t)operand->offset);
    place->by_member = desc->member_count;
    place->typed = TYPED_CODE;
}

static void vote_for_operand(struct object_type *object, const struct types *types,
                             const struct located *located, const struct typed_answer *operand,
                             const struct place *place)
{
    const struct type_desc *desc = types_at(types, operand->type);
    if (is_allocators(desc))
        return;
    uint64_t start = place->access.address - (uint64_t)operand->offset;
    bool block =
        located->allocation == ALLOCATION_RECORDED || located->allocation == ALLOCATION_WALKED;
    unsigned slot =
        votes_add(&object->votes, types, operand->type,
                  !block || operand->indexed || type_instances_fit(located, start, desc->size));
    if (slot < VOTES_TYPES && (operand->indexed || start >= located->base + desc->size))
        object->votes.past_first_element[slot] = true;
}

static bool is_size_class(const struct located *located)
{
    return located->allocation == ALLOCATION_WALKED && !located->is_named_by_type;
}

void object_types_vote(struct object_types *typed, const struct types *types,
                       const struct located *bin, uint32_t object, uint32_t type, bool fits)
{
    struct object_type *known = object_at(typed, object);
    if (!known || known->declared)
        return;
    known->by_size = is_size_class(bin);
    votes_add(&known->votes, types, type, fits);
}

/* Returns true for the part of a section without known variables, which contains many variables. */
static bool is_nameless(const struct located *located)
{
    return located->in_module && !located->variable_of;
}

static void place_type(struct object_types *typed, const struct types *types,
                       const struct located *located, const struct typed_answer *operand,
                       struct place *place)
{
    struct object_type *object = object_at(typed, place->object);
    bool coded = operand && types_at(types, operand->type);
    uint64_t offset = 0;
    if (object)
        object->by_size = is_size_class(located);
    uint32_t type = object ? type_of_data(object, types, located, place, &offset) : 0;
    place->typed = TYPED_NONE;
    place->untyped = operand ? operand->untyped : (uint8_t)UNTYPED_WAITING;
    /* A whole stack is not an array of one type. */
    if (object && coded && !object->declared && located->kind != OBJECT_STACK &&
        !is_nameless(located))
        vote_for_operand(object, types, located, operand, place);
    else if (object && object->by_size && place->untyped != UNTYPED_WAITING)
        object->votes.untyped_votes++;
    if (coded)
        set_type_by_code(types, operand, place);
    if (!type)
        return;
    /* An index, as of a virtual base, may lead to another member than the one it starts from. */
    if (coded && operand->indexed && operand->type == type)
        place->type_offset = (uint32_t)type_fold(types_at(types, type), offset);
    bool agreed =
        coded && type_holds_operand(types, type, offset, operand->type, place->type_offset);
    bool called = object->type && !object->declared;
    place->typed = !coded ? TYPED_DATA : agreed ? TYPED_AGREED : TYPED_DISAGREED;
    place->untyped = UNTYPED_NO_REASON;
    /* A type name that was taken from the code does not confirm the code. */
    if (called && agreed)
        place->typed = TYPED_CODE;
    /* An undeclared type is only inferred, so the code takes precedence. */
    if (place->typed == TYPED_DISAGREED && !object->declared)
        return;
    place->type = type;
    place->type_offset = (uint32_t)offset;
    place->by_member = types_at(types, type)->member_count;
}

void object_types_place(struct object_types *typed, const struct types *types,
                        const struct located *located, const struct typed_answer *operand,
                        struct place *place)
{
    place_type(typed, types, located, operand, place);
    place->unit = 0;
    if (!operand || (place->typed != TYPED_CODE && place->typed != TYPED_AGREED))
        return;
    place->type_offset += operand->bit_field_offset;
    place->unit = operand->unit;
}

static const char *object_type_text(struct object_types *typed, const struct types *types,
                                    struct object_type *object, uint32_t type)
{
    const struct type_desc *desc = types_at(types, type);
    if (object->text && object->text_type == type && object->text_count == object->count)
        return object->text;
    object->text_type = type;
    object->text_count = object->count;
    object->text = object->count > 1 ? arena_printf(&typed->strings, "%s [%llu]", desc->name,
                                                    (unsigned long long)object->count)
                                     : desc->name;
    return object->text;
}

const char *object_types_describe(struct object_types *typed, const struct types *types,
                                  uint32_t id, struct object_desc *desc)
{
    struct object_type *object = id < typed->object_count ? &typed->objects[id] : NULL;
    if (!object)
        return NULL;
    uint32_t type = object_own_type(object, types);
    if (!types_at(types, type))
        return NULL;
    desc->type_id = type;
    if (!object->declared)
        votes_count(&object->votes, types, type, &desc->type_votes, &desc->type_votes_against);
    return desc->type = object_type_text(typed, types, object, type);
}

static const double majority = 0.5;
static const double structs_min = 0.1;
static const double misfits_max = 0.2;
static const double against_max = 0.02;

/* The range of slots for a type. */
struct slots {
    unsigned first;
    unsigned end;
};

static const struct slots for_structs = {0, VOTES_STRUCTS};
static const struct slots for_scalars = {VOTES_STRUCTS, VOTES_TYPES};

static void decrement_votes(struct votes *votes, struct slots slots)
{
    for (unsigned i = slots.first; i < slots.end; i++) {
        if (votes->misfits[i] == votes->count[i])
            votes->misfits[i]--;
        if (!--votes->count[i])
            votes->type[i] = 0;
    }
}

/* Halves all votes, so that old votes count less and the leader can change. */
static void halve_votes(struct votes *votes)
{
    votes->all /= 2;
    votes->untyped_votes /= 2;
    votes->struct_votes /= 2;
    votes->computed_at = 0;
    for (unsigned i = 0; i < VOTES_TYPES; i++) {
        votes->count[i] /= 2;
        votes->misfits[i] /= 2;
        if (!votes->count[i])
            votes->type[i] = 0;
    }
}

static bool has_members(const struct types *types, uint32_t type)
{
    const struct type_desc *desc = types_at(types, type);
    return desc && desc->member_count;
}

/* Returns the slot of a type, otherwise an empty slot; slots.end: none. */
static unsigned find_vote_slot(const struct votes *votes, struct slots slots, uint32_t type)
{
    unsigned empty = slots.end;
    for (unsigned i = slots.first; i < slots.end; i++) {
        if (votes->type[i] == type)
            return i;
        if (!votes->type[i] && empty == slots.end)
            empty = i;
    }
    return empty;
}

unsigned votes_add(struct votes *votes, const struct types *types, uint32_t type, bool fits)
{
    enum { ALL_MAX = 1 << 20 };
    bool members = has_members(types, type);
    struct slots slots = members ? for_structs : for_scalars;
    if (++votes->all > ALL_MAX)
        halve_votes(votes);
    votes->struct_votes += members;
    unsigned at = find_vote_slot(votes, slots, type);
    if (at == slots.end) {
        decrement_votes(votes, slots);
        return VOTES_TYPES;
    }
    if (votes->type[at] != type)
        votes->misfits[at] = votes->count[at] = votes->past_first_element[at] = 0;
    votes->type[at] = type;
    votes->count[at]++;
    votes->misfits[at] += !fits;
    return at;
}

static uint32_t votes_explained(const struct votes *votes, const struct types *types, uint32_t type,
                                struct slots slots)
{
    uint32_t sum = 0;
    for (unsigned i = slots.first; i < slots.end; i++)
        if (votes->type[i] == type ||
            (votes->type[i] && types_contains(types, type, votes->type[i])))
            sum += votes->count[i];
    return sum;
}

static uint32_t compute_leader(const struct votes *votes, const struct types *types)
{
    uint32_t best = 0;
    uint32_t most = 0;
    bool members = votes->struct_votes >= structs_min * votes->all;
    struct slots slots = members ? for_structs : for_scalars;
    for (unsigned i = slots.first; i < slots.end; i++) {
        if (!votes->type[i] || votes->misfits[i] > misfits_max * votes->count[i])
            continue;
        uint32_t sum = votes_explained(votes, types, votes->type[i], slots);
        if (sum > most) {
            most = sum;
            best = votes->type[i];
        }
    }
    uint32_t of = members ? votes->struct_votes : votes->all;
    return most >= VOTES_MIN && most > majority * of ? best : 0;
}

uint32_t votes_leader(struct votes *votes, const struct types *types)
{
    if (votes_due(votes)) {
        uint32_t own;
        uint32_t against;
        votes->leader = compute_leader(votes, types);
        votes_count(votes, types, votes->leader, &own, &against);
        votes->is_unanimous = votes->leader && against + votes->untyped_votes <= against_max * own;
        votes->computed_at = votes->all + votes->untyped_votes;
    }
    return votes->leader;
}

void votes_count(const struct votes *votes, const struct types *types, uint32_t type, uint32_t *own,
                 uint32_t *against)
{
    static const struct slots every = {0, VOTES_TYPES};
    uint32_t sum = 0;
    for (unsigned i = 0; i < VOTES_TYPES; i++)
        sum += votes->count[i];
    *own = type ? votes_explained(votes, types, type, every) : 0;
    *against = sum - *own;
}
