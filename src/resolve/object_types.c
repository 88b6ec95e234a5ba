/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/object_types.h"

#include "resolve/members.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { INSTANCES = 1 << 13, MATCHES = 1 << 12, OBJECTS_FIRST = 1024 };

struct object_instance {
    uint64_t start;
    uint32_t type; /* 0: empty */
    uint32_t size; /* of the block: another size is another block; 0: it was none */
    uint64_t only; /* where the only one in the block begins, not at its start: that may be chance;
                      0: it is settled */
};

struct object_match {
    uint64_t question;
    bool holds;
};

int object_types_init(struct object_types *typed)
{
    *typed = (struct object_types){0};
    arena_init(&typed->strings);
    typed->instances = calloc(INSTANCES, sizeof *typed->instances);
    typed->matches = calloc(MATCHES, sizeof *typed->matches);
    return typed->instances && typed->matches ? 0 : -ENOMEM;
}

void object_types_fini(struct object_types *typed)
{
    arena_fini(&typed->strings);
    free(typed->objects);
    free(typed->instances);
    free(typed->matches);
}

void object_types_forget(struct object_types *typed)
{
    for (size_t i = 0; i < INSTANCES; i++)
        typed->instances[i] = (struct object_instance){0};
}

static struct object_type *object_at(struct object_types *typed, uint32_t object)
{
    size_t room = typed->object_count ? typed->object_count : OBJECTS_FIRST;
    if (object < typed->object_count)
        return &typed->objects[object];
    while (room <= object)
        room *= 2;
    struct object_type *more = realloc(typed->objects, room * sizeof *more);
    if (!more)
        return NULL;
    for (size_t i = typed->object_count; i < room; i++)
        more[i] = (struct object_type){0};
    typed->objects = more;
    typed->object_count = room;
    return &typed->objects[object];
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

static bool is_inside(const struct type_desc *type, int64_t offset)
{
    return type->size && offset >= 0 && ((uint64_t)offset < type->size || type_is_flexible(type));
}

static bool fits_in_block(const struct finding *finding, uint64_t start, uint64_t size)
{
    return finding->allocation != ALLOCATION_MAPPING && size &&
           size <= finding->end - finding->base && start >= finding->base &&
           (start - finding->base) % size == 0;
}

/* On the path of every sample: no printf. */
static const char *name_array(struct finding *finding, const char *name)
{
    static const char brackets[] = " []";
    size_t length = strnlen(name, sizeof finding->text - sizeof brackets);
    memcpy(finding->text, name, length);
    memcpy(finding->text + length, brackets, sizeof brackets);
    return finding->text;
}

static void name_after(struct finding *finding, const struct type_desc *type, uint32_t id,
                       uint64_t start, uint64_t end)
{
    enum { KEY_TYPE = 9, /* beside those of finding.c */ SMALLEST = 24 };
    /* Of mapped files and shared memory each is its own; private memory is the heap. */
    uint64_t whose = finding->kind == OBJECT_MAP ? finding->key : 0;
    /* One of its kind to a block, or many: two different things to a programmer. malloc() has no
     * smaller blocks than those of SMALLEST bytes. */
    bool array = end - start >= 2 * type->size && end - start > SMALLEST && !type_is_flexible(type);
    id = id * 2 + array;
    finding->key = (hash_mix(hash_mix(id) + whose) & ~UINT64_C(15)) | KEY_TYPE;
    finding->type_base = start;
    /* A block keeps its bounds where the type is in its middle. */
    if (finding->allocation != ALLOCATION_WALKED) {
        finding->base = start;
        finding->end = end;
    }
    finding->bin = 0;
    finding->module = "";
    finding->name = array ? name_array(finding, type->name) : type->name;
    finding->of_type = true;
    if (finding->kind != OBJECT_MAP)
        finding->kind = OBJECT_HEAP;
}

/* The larger of what was seen here before and what is seen now, if one is part of the other. */
static uint32_t join(const struct types *types, uint32_t before, uint32_t now)
{
    const struct type_desc *old = types_at(types, before);
    if (!old || before == now)
        return now;
    return types_contains(types, before, now) ? before : now;
}

static struct object_instance *instance_at(struct object_types *typed, uint64_t start)
{
    return &typed->instances[hash_mix(start) % INSTANCES];
}

static bool may_be_named(const struct finding *finding)
{
    bool memory =
        finding->kind == OBJECT_HEAP || finding->kind == OBJECT_ANON || finding->kind == OBJECT_MAP;
    return memory && finding->allocation != ALLOCATION_TOLD;
}

/* What was seen to lie at a place, in a block of this size; 0: nothing. */
static uint32_t seen_at(const struct object_instance *known, uint64_t start, uint32_t size)
{
    return known->start == start && known->size == size && !known->only ? known->type : 0;
}

/* One that lies at a multiple of its size may have something else before it, as a page has its
 * header behind it: an array has them in more than one place. */
static bool seen_elsewhere(struct object_instance *known, const struct object_instance *now)
{
    bool elsewhere = known->start == now->start && known->size == now->size &&
                     known->type == now->type && known->only && known->only != now->only;
    if (!elsewhere)
        *known = *now;
    return elsewhere;
}

/* By what lay at the start of the walked block before; the code says nothing. */
static uint32_t rename_by_memory(struct object_types *typed, const struct types *types,
                                 struct finding *finding)
{
    if (finding->allocation != ALLOCATION_WALKED)
        return 0;
    uint32_t size = (uint32_t)(finding->end - finding->base);
    uint32_t known = seen_at(instance_at(typed, finding->base), finding->base, size);
    const struct type_desc *type = types_at(types, known);
    if (!type)
        return 0;
    name_after(finding, type, known, finding->base, finding->end);
    return known;
}

uint32_t object_types_rename(struct object_types *typed, const struct types *types,
                             struct finding *finding, const struct access *access,
                             const struct typed_operand *operand)
{
    const struct type_desc *type = operand ? types_at(types, operand->type) : NULL;
    if (!may_be_named(finding))
        return 0;
    if (!type || !type->member_count || !is_inside(type, operand->offset))
        return rename_by_memory(typed, types, finding);
    uint64_t start = access->address - (uint64_t)operand->offset;
    bool block = finding->allocation == ALLOCATION_WALKED;
    bool fits = block && fits_in_block(finding, start, type->size);
    uint64_t at = block ? finding->base : start;
    uint32_t size = block ? (uint32_t)(finding->end - finding->base) : 0;
    struct object_instance *known = instance_at(typed, at);
    uint32_t before = seen_at(known, at, size);
    if (fits && !before && start != at)
        fits = seen_elsewhere(known, &(struct object_instance){at, operand->type, size, start});
    /* A part of something larger, whose block it does not begin: that has the name. */
    if (block && !fits && before && types_contains(types, before, operand->type))
        return rename_by_memory(typed, types, finding);
    uint32_t now = block && !fits ? operand->type : join(types, before, operand->type);
    if (!block || fits)
        *known = (struct object_instance){at, now, size, 0};
    const struct type_desc *whole = types_at(types, now);
    if (fits)
        name_after(finding, whole, now, finding->base, finding->end);
    else
        name_after(finding, whole, now, start, start + whole->size);
    return now;
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

void object_types_assign(struct object_types *typed, uint32_t object, uint32_t type)
{
    struct object_type *known = object_at(typed, object);
    if (known)
        known->assigned = type;
}

static uint32_t own_type(struct object_type *object, const struct types *types)
{
    uint32_t voted = object->type ? object->type : votes_leader(&object->votes, types);
    return voted ? voted : object->assigned;
}

/* Whether what lies in an object was seen to begin where the object begins: no mapping and no
 * stack is of one type. */
static bool begins_with_type(const struct object_type *object, const struct finding *finding)
{
    return object->type || finding->kind == OBJECT_GLOBAL || finding->kind == OBJECT_TLS ||
           finding->allocation == ALLOCATION_TOLD || finding->allocation == ALLOCATION_WALKED;
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
              !block || operand->indexed || fits_in_block(finding, start, desc->size));
}

void object_types_vote(struct object_types *typed, const struct types *types, uint32_t object,
                       uint32_t type, bool fits)
{
    struct object_type *known = object_at(typed, object);
    if (known && !known->declared)
        votes_add(&known->votes, types, type, fits);
}

void object_types_place(struct object_types *typed, const struct types *types,
                        const struct finding *finding, const struct typed_operand *operand,
                        struct place *place)
{
    struct object_type *object = object_at(typed, place->object);
    bool coded = operand && types_at(types, operand->type);
    uint64_t offset = 0;
    uint32_t type = object ? data_type(object, types, finding, place, &offset) : 0;
    place->typed = TYPED_NOT;
    place->untyped = operand ? operand->untyped : (uint8_t)UNTYPED_WAITING;
    /* A whole stack is no array of anything. */
    if (object && coded && !object->declared && finding->kind != OBJECT_STACK)
        vote(&object->votes, types, finding, operand, place);
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
