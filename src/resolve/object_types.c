/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/object_types.h"

#include "base/array.h"
#include "resolve/members.h"
#include "resolve/type_instances.h"

#include <errno.h>
#include <stdlib.h>

enum { MATCHES = 1 << 12, OBJECTS_FIRST = 1024 };

struct object_match {
    uint64_t question;
    bool holds;
};

int object_types_init(struct object_types *typed)
{
    *typed = (struct object_types){0};
    arena_init(&typed->strings);
    typed->matches = calloc(MATCHES, sizeof *typed->matches);
    return typed->matches ? 0 : -ENOMEM;
}

void object_types_fini(struct object_types *typed)
{
    arena_fini(&typed->strings);
    free(typed->objects);
    free(typed->matches);
}

static struct object_type *object_at(struct object_types *typed, uint32_t object)
{
    struct object_type *objects =
        array_reach(typed->objects, &typed->object_count, object, sizeof *objects, OBJECTS_FIRST);
    if (!objects)
        return NULL;
    typed->objects = objects;
    return &objects[object];
}

/* type_holds() walks over members: its answers are kept. */
static bool holds(struct object_types *typed, const struct types *types, uint32_t outer,
                  uint64_t at, uint32_t inner, uint64_t inner_at)
{
    uint64_t question =
        hash_mix(at ^ (uint64_t)outer << 32) ^ hash_mix(inner_at + ((uint64_t)inner << 32) + 1);
    struct object_match *match = &typed->matches[question % MATCHES];
    if (match->question != question) {
        match->question = question;
        match->holds =
            outer == inner
                ? at == inner_at || type_fold(types_at(types, outer), at) ==
                                        type_fold(types_at(types, inner), inner_at)
                : type_holds(types_at(types, outer), at, types_at(types, inner), inner_at);
    }
    return match->holds;
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

/* Blocks of one size class may be of several types: only what all accesses say is said of it. */
static uint32_t own_type(struct object_type *object, const struct types *types)
{
    uint32_t voted = object->type ? object->type : votes_leader(&object->votes, types);
    if (object->by_size && !object->type && voted && !object->votes.leads_alone)
        return 0;
    return voted ? voted : object->assigned;
}

/* Whether what is in an object was seen to begin where the object begins: no mapping and no stack
 * is of one type, and of a size class each block may be of another. */
static bool begins_with_type(const struct object_type *object, const struct finding *finding)
{
    return object->type || finding->kind == OBJECT_GLOBAL || finding->kind == OBJECT_TLS ||
           finding->allocation == ALLOCATION_TOLD;
}

/* The object's own type, if it is one that can be laid over its memory; *offset is in it. */
static uint32_t data_type(struct object_type *object, const struct types *types,
                          const struct finding *finding, const struct place *place,
                          uint64_t *offset)
{
    uint32_t type = own_type(object, types);
    const struct type_desc *desc = types_at(types, type);
    uint64_t into = place->access.address - (finding->of_type ? finding->type_base : place->base);
    if (!desc || !desc->size || !begins_with_type(object, finding))
        return 0;
    bool one = object->declared && !object->count;
    if (one && into >= desc->size && !type_is_flexible(desc))
        return 0;
    *offset = type_in_element(desc, into);
    return type;
}

static void by_code(const struct types *types, const struct typed_operand *operand,
                    struct place *place)
{
    const struct type_desc *desc = types_at(types, operand->type);
    place->type = operand->type;
    place->type_offset = (uint32_t)type_in_element(desc, (uint64_t)operand->offset);
    place->by_member = desc->member_count;
    place->typed = TYPED_CODE;
}

static void vote(struct votes *votes, const struct types *types, const struct finding *finding,
                 const struct typed_operand *operand, const struct place *place)
{
    const struct type_desc *desc = types_at(types, operand->type);
    uint64_t start = place->access.address - (uint64_t)operand->offset;
    bool block = finding->allocation == ALLOCATION_TOLD || finding->allocation == ALLOCATION_WALKED;
    votes_add(votes, types, operand->type,
              !block || operand->indexed || type_instances_fit(finding, start, desc->size));
}

static bool is_by_size(const struct finding *finding)
{
    return finding->allocation == ALLOCATION_WALKED && !finding->of_type;
}

void object_types_vote(struct object_types *typed, const struct types *types,
                       const struct finding *bin, uint32_t object, uint32_t type, bool fits)
{
    struct object_type *known = object_at(typed, object);
    if (!known || known->declared)
        return;
    known->by_size = is_by_size(bin);
    votes_add(&known->votes, types, type, fits);
}

static void place_type(struct object_types *typed, const struct types *types,
                       const struct finding *finding, const struct typed_operand *operand,
                       struct place *place)
{
    struct object_type *object = object_at(typed, place->object);
    bool coded = operand && types_at(types, operand->type);
    uint64_t offset = 0;
    if (object)
        object->by_size = is_by_size(finding);
    uint32_t type = object ? data_type(object, types, finding, place, &offset) : 0;
    place->typed = TYPED_NOT;
    place->untyped = operand ? operand->untyped : (uint8_t)UNTYPED_WAITING;
    /* A whole stack is no array of anything. */
    if (object && coded && !object->declared && finding->kind != OBJECT_STACK)
        vote(&object->votes, types, finding, operand, place);
    else if (object && object->by_size && place->untyped != UNTYPED_WAITING)
        object->votes.unsaid++;
    if (coded)
        by_code(types, operand, place);
    if (!type)
        return;
    bool agreed = coded && holds(typed, types, type, offset, operand->type, place->type_offset);
    bool called = object->type && !object->declared;
    place->typed = !coded ? TYPED_DATA : agreed ? TYPED_AGREED : TYPED_DISAGREED;
    place->untyped = UNTYPED_NO_REASON;
    /* What was called after what the code says is no second witness. */
    if (called && agreed)
        place->typed = TYPED_CODE;
    /* What nobody declared is a guess: then the code knows better. */
    if (place->typed == TYPED_DISAGREED && !object->declared)
        return;
    place->type = type;
    place->type_offset = (uint32_t)offset;
    place->by_member = types_at(types, type)->member_count;
}

void object_types_place(struct object_types *typed, const struct types *types,
                        const struct finding *finding, const struct typed_operand *operand,
                        struct place *place)
{
    place_type(typed, types, finding, operand, place);
    place->unit = 0;
    if (!operand || (place->typed != TYPED_CODE && place->typed != TYPED_AGREED))
        return;
    place->type_offset += operand->bits_at;
    place->unit = operand->unit;
}

static const char *words(struct object_types *typed, const struct types *types,
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
    uint32_t type = own_type(object, types);
    if (!types_at(types, type))
        return NULL;
    desc->type_id = type;
    if (!object->declared)
        votes_count(&object->votes, types, type, &desc->type_votes, &desc->type_against);
    return desc->type = words(typed, types, object, type);
}
