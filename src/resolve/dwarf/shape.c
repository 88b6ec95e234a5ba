/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/dwarf/shape.h"

#include "base/hash.h"
#include "resolve/dwarf/die.h"
#include "resolve/dwarf/language.h"
#include "resolve/dwarf/parts.h"
#include "resolve/dwarf/scopes.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

enum { SHAPES_MAX = 1 << 20, POINTERS_DEEP_MAX = 8, DESCRIPTOR_BYTES = 8 };
/* Of one comparison of two records; what is beyond is taken to be alike. */
enum { PAIRS_MAX = 256 };

struct entry {
    struct shape shape;
    struct parts parts; /* of a record or union, read when first asked for */
    bool parts_read;
};

struct shapes {
    struct entry *entries;
    size_t count;
    size_t room;
    struct scopes *scopes;
    struct hash by_die;  /* address of a type's entry, as it was given */
    struct hash by_kind; /* numbers by name and size, pointers by what they point to */
    struct hash alike;   /* shapes_same() of two records: 1 or 0 */
};

struct shapes *shapes_new(struct scopes *scopes)
{
    struct shapes *shapes = calloc(1, sizeof *shapes);
    if (!shapes)
        return NULL;
    shapes->entries = calloc(64, sizeof *shapes->entries);
    shapes->room = 64;
    shapes->count = 1; /* void */
    shapes->scopes = scopes;
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
    hash_fini(&shapes->by_kind);
    hash_fini(&shapes->alike);
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

/* Numbers are one shape by name and size, pointers by what they point to. A record is known by its
 * entry alone (0): the name of a nested one is the same in every instance of a template. */
static uint64_t kind_key(Dwarf_Die *die, const struct shape *shape)
{
    const char *name = dwarf_diename(die);
    if (shape->kind == SHAPE_POINTER)
        return hash_mix(shape->pointee * 2ull + 1);
    if (!name || dwarf_tag(die) != DW_TAG_base_type)
        return 0;
    return hash_mix(hash_bytes(name, strlen(name)) ^ hash_mix(shape->size << 3 | shape->kind));
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
    uint64_t key = kind_key(die, &shape);
    uint32_t *known = key ? hash_insert(&shapes->by_kind, key, &created) : NULL;
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

/* ---- the same type in several units ---- */

struct pair {
    uint32_t one;
    uint32_t other;
};

/* A comparison goes through everything that can be reached; a pair that was met before is taken to
 * be alike, for if it is not, that is found where it was met. */
struct comparison {
    struct shapes *shapes;
    struct pair pairs[PAIRS_MAX];
    unsigned count; /* met */
    unsigned done;
};

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

/* False: they differ. Records are compared later. */
static bool compare_later(struct comparison *comparison, uint32_t one, uint32_t other)
{
    for (unsigned hops = 0; hops <= POINTERS_DEEP_MAX && one != other; hops++) {
        const struct shape *a = shapes_at(comparison->shapes, one);
        const struct shape *b = shapes_at(comparison->shapes, other);
        if (a->kind == SHAPE_VOID || b->kind == SHAPE_VOID)
            return true; /* incomplete in one of the units */
        if (a->kind != b->kind || a->size != b->size || a->descriptor != b->descriptor)
            return false;
        if (a->kind == SHAPE_FUNCTION)
            return true;
        if (a->kind != SHAPE_POINTER)
            break;
        one = a->pointee;
        other = b->pointee;
    }
    for (unsigned i = 0; i < comparison->count && one != other; i++)
        if (comparison->pairs[i].one == one && comparison->pairs[i].other == other)
            return true;
    if (one != other && comparison->count < PAIRS_MAX)
        comparison->pairs[comparison->count++] = (struct pair){one, other};
    return true;
}

static bool same_unit(Dwarf_Die *a, Dwarf_Die *b)
{
    Dwarf_Die first;
    Dwarf_Die second;
    return dwarf_diecu(a, &first, NULL, NULL) && dwarf_diecu(b, &second, NULL, NULL) &&
           first.addr == second.addr;
}

static bool same_parts(struct comparison *comparison, struct pair pair)
{
    struct shapes *shapes = comparison->shapes;
    size_t count = shapes_parts(shapes, pair.one)->count;
    if (count != shapes_parts(shapes, pair.other)->count)
        return false;
    for (size_t i = 0; i < count; i++) {
        struct part a = shapes_parts(shapes, pair.one)->parts[i];
        struct part b = shapes_parts(shapes, pair.other)->parts[i];
        if (a.offset != b.offset || a.size != b.size || a.stride != b.stride ||
            !same_text(a.name, b.name) ||
            !compare_later(comparison, shapes_of(shapes, &a.type), shapes_of(shapes, &b.type)))
            return false;
    }
    return true;
}

/* C has no scopes for types; to find them a unit is read whole. */
static bool same_scope(struct scopes *scopes, Dwarf_Die *a, Dwarf_Die *b)
{
    if (language_of(a) == LANGUAGE_C && language_of(b) == LANGUAGE_C)
        return true;
    return scopes_path(scopes, a) == scopes_path(scopes, b);
}

/* Two entries of one unit are two types. */
static bool same_entry(struct comparison *comparison, struct pair pair)
{
    struct shapes *shapes = comparison->shapes;
    Dwarf_Die a = shapes_at(shapes, pair.one)->die;
    Dwarf_Die b = shapes_at(shapes, pair.other)->die;
    return same_text(dwarf_diename(&a), dwarf_diename(&b)) && !same_unit(&a, &b) &&
           same_scope(shapes->scopes, &a, &b) && same_parts(comparison, pair);
}

static bool compare(struct shapes *shapes, uint32_t one, uint32_t other)
{
    struct comparison comparison = {.shapes = shapes};
    if (!compare_later(&comparison, one, other))
        return false;
    while (comparison.done < comparison.count)
        if (!same_entry(&comparison, comparison.pairs[comparison.done++]))
            return false;
    return true;
}

bool shapes_same(struct shapes *shapes, uint32_t one, uint32_t other)
{
    bool created = true;
    if (one == other || !one || !other)
        return one == other;
    uint64_t key = (uint64_t)(one < other ? one : other) << 32 | (one < other ? other : one);
    const uint32_t *known = hash_find(&shapes->alike, key);
    if (known)
        return *known;
    bool same = compare(shapes, one, other);
    uint32_t *slot = hash_insert(&shapes->alike, key, &created);
    if (slot)
        *slot = same;
    return same;
}
