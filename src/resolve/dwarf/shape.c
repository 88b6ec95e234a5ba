/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/dwarf/shape.h"

#include "base/hash.h"
#include "resolve/dwarf/die.h"
#include "resolve/dwarf/parts.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

enum { SHAPES_MAX = 1 << 20, POINTERS_DEEP_MAX = 8, DESCRIPTOR_BYTES = 8 };

struct entry {
    struct shape shape;
    struct parts parts; /* of a record or union, read when first asked for */
    bool parts_read;
};

struct shapes {
    struct entry *entries;
    size_t count;
    size_t room;
    struct hash by_die;  /* where a type's entry lies, as it was given */
    struct hash by_name; /* hash of what makes it the same type in another unit */
};

struct shapes *shapes_new(void)
{
    struct shapes *shapes = calloc(1, sizeof *shapes);
    if (!shapes)
        return NULL;
    shapes->entries = calloc(64, sizeof *shapes->entries);
    shapes->room = 64;
    shapes->count = 1; /* void */
    if (!shapes->entries) {
        free(shapes);
        return NULL;
    }
    return shapes;
}

void shapes_free(struct shapes *shapes)
{
    if (!shapes)
        return;
    for (size_t i = 0; i < shapes->count; i++)
        parts_fini(&shapes->entries[i].parts);
    free(shapes->entries);
    hash_fini(&shapes->by_die);
    hash_fini(&shapes->by_name);
    free(shapes);
}

static enum shape_kind scalar_kind(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    Dwarf_Word encoding = 0;
    uint64_t size = 0;
    dwarf_formudata(dwarf_attr_integrate(die, DW_AT_encoding, &attribute), &encoding);
    die_size(die, &size);
    bool character = encoding == DW_ATE_signed_char || encoding == DW_ATE_unsigned_char ||
                     encoding == DW_ATE_UTF;
    return character && size == 1 ? SHAPE_BYTE : SHAPE_SCALAR;
}

static enum shape_kind kind_of(Dwarf_Die *die)
{
    switch (dwarf_tag(die)) {
    case DW_TAG_base_type:
    case DW_TAG_enumeration_type:
    case DW_TAG_subrange_type:
        return scalar_kind(die);
    case DW_TAG_pointer_type:
    case DW_TAG_reference_type:
    case DW_TAG_rvalue_reference_type:
        return SHAPE_POINTER;
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_interface_type:
        return SHAPE_RECORD;
    case DW_TAG_union_type:
        return SHAPE_UNION;
    case DW_TAG_subroutine_type:
        return SHAPE_FUNCTION;
    case DW_TAG_ptr_to_member_type:
        return SHAPE_SCALAR;
    default:
        return SHAPE_VOID;
    }
}

/* Types of several units are one if name, size, kind and the line they stand on agree. */
static uint64_t same_key(Dwarf_Die *die, const struct shape *shape)
{
    Dwarf_Attribute attribute;
    Dwarf_Word line = 0;
    const char *name = dwarf_diename(die);
    if (shape->kind == SHAPE_POINTER)
        return hash_mix(shape->pointee * 2ull + 1);
    if (!name || shape->kind == SHAPE_FUNCTION)
        return 0;
    dwarf_formudata(dwarf_attr_integrate(die, DW_AT_decl_line, &attribute), &line);
    return hash_mix(hash_bytes(name, strlen(name)) ^ hash_mix(shape->size << 3 | shape->kind) ^
                    line << 32);
}

static uint32_t intern(struct shapes *shapes, Dwarf_Die *type, unsigned depth);

static struct shape describe(struct shapes *shapes, Dwarf_Die *die, unsigned depth)
{
    struct shape shape = {.die = *die, .kind = (uint8_t)kind_of(die)};
    Dwarf_Die pointee;
    if (!die_size(die, &shape.size))
        shape.size = 0;
    if ((shape.kind == SHAPE_RECORD || shape.kind == SHAPE_UNION) && !shape.size)
        shape.kind = SHAPE_VOID;
    if (shape.kind == SHAPE_POINTER && die_pointee(die, &pointee))
        shape.pointee = intern(shapes, &pointee, depth + 1);
    return shape;
}

static uint32_t add(struct shapes *shapes, const struct shape *shape)
{
    if (shapes->count == shapes->room) {
        size_t room = shapes->room * 2;
        struct entry *more =
            room > SHAPES_MAX ? NULL : realloc(shapes->entries, room * sizeof *more);
        if (!more)
            return SHAPE_NOTHING;
        shapes->entries = more;
        shapes->room = room;
    }
    shapes->entries[shapes->count] = (struct entry){.shape = *shape};
    return (uint32_t)shapes->count++;
}

static uint32_t intern_peeled(struct shapes *shapes, Dwarf_Die *die, unsigned depth)
{
    bool created = true;
    struct shape shape = describe(shapes, die, depth);
    if (shape.kind == SHAPE_VOID)
        return SHAPE_NOTHING;
    uint64_t key = same_key(die, &shape);
    uint32_t *known = key ? hash_insert(&shapes->by_name, key, &created) : NULL;
    if (known && !created)
        return *known;
    uint32_t number = add(shapes, &shape);
    if (known)
        *known = number;
    return number;
}

/* DW_AT_data_location: the object begins with the address of the elements. */
static bool is_descriptor(Dwarf_Die *array)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *ops;
    size_t count = 0;
    return dwarf_attr(array, DW_AT_data_location, &attribute) &&
           !dwarf_getlocation(&attribute, &ops, &count) && count == 2 &&
           ops[0].atom == DW_OP_push_object_address && ops[1].atom == DW_OP_deref;
}

static uint32_t intern_descriptor(struct shapes *shapes, Dwarf_Die *array, Dwarf_Die *element,
                                  unsigned depth)
{
    struct shape shape = {.die = *array,
                          .size = DESCRIPTOR_BYTES,
                          .pointee = intern(shapes, element, depth + 1),
                          .kind = SHAPE_POINTER,
                          .descriptor = true};
    return add(shapes, &shape);
}

static uint32_t intern(struct shapes *shapes, Dwarf_Die *type, unsigned depth)
{
    Dwarf_Die peeled;
    Dwarf_Die element;
    uint64_t count;
    const uint32_t *known = hash_find(&shapes->by_die, (uint64_t)(uintptr_t)type->addr);
    if (known)
        return *known;
    if (depth > POINTERS_DEEP_MAX || !die_peel(type, &peeled))
        return SHAPE_NOTHING;
    bool array = die_array(&peeled, &element, &count);
    bool described = array && is_descriptor(&peeled);
    uint32_t number = described ? intern_descriptor(shapes, &peeled, &element, depth)
                                : intern_peeled(shapes, array ? &element : &peeled, depth);
    uint32_t *slot = hash_insert(&shapes->by_die, (uint64_t)(uintptr_t)type->addr, NULL);
    if (slot)
        *slot = number;
    return number;
}

uint32_t shapes_of(struct shapes *shapes, Dwarf_Die *type)
{
    return type ? intern(shapes, type, 0) : SHAPE_NOTHING;
}

const struct shape *shapes_at(const struct shapes *shapes, uint32_t shape)
{
    return &shapes->entries[shape < shapes->count ? shape : SHAPE_NOTHING].shape;
}

const struct parts *shapes_parts(struct shapes *shapes, uint32_t shape)
{
    struct entry *entry = &shapes->entries[shape];
    if (!entry->parts_read) {
        entry->parts_read = true;
        parts_read(&entry->parts, &entry->shape.die);
    }
    return &entry->parts;
}
