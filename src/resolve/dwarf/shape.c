/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "resolve/dwarf/die.h"
#include "resolve/dwarf/flow.h"
#include "resolve/library_types.h"

/* The members of one struct or union, one level deep, read from DWARF once. They include base
 * classes and the members of Rust's variants. */
struct part {
    uint64_t offset;  /* bytes from the start of the record */
    uint64_t size;    /* bytes of all elements; 0: a flexible array */
    uint64_t stride;  /* stride of an array; 0: none */
    const char *name; /* as in the file; NULL: none */
    Dwarf_Die type;
    bool link; /* a library's rule says that `type` is the pointee */
};

struct parts {
    struct part *parts;
    size_t count;
    bool links; /* links of the base class lead to records of this kind */
};

enum { PARTS_MAX = 1 << 14, VARIANTS_DEEP_MAX = 4 };

struct shape_reader {
    struct parts *parts;
    Dwarf_Die *record;
    const struct library_rule *rule;
    size_t room;
    size_t left;
};

static void parts_take(struct shape_reader *reader, const struct part *part)
{
    struct parts *parts = reader->parts;
    if (!array_reserve_next(&parts->parts, &reader->room, parts->count, sizeof *parts->parts,
                            ARRAY_UNBOUNDED))
        return;
    parts->parts[parts->count++] = *part;
}

bool die_member_type(Dwarf_Die *record, const char *name, Dwarf_Die *type)
{
    Dwarf_Die child;
    Dwarf_Die peeled;
    Dwarf_Die target;
    if (!name || dwarf_child(record, &child))
        return false;
    do {
        const char *own = dwarf_tag(&child) == DW_TAG_typedef ? dwarf_diename(&child) : NULL;
        if (!own || strcmp(own, name) || !die_type(&child, type) || !die_peel(type, &peeled))
            continue;
        *type = peeled;
        if (die_pointee(&peeled, &target))
            *type = target;
        return true;
    } while (!dwarf_siblingof(&child, &child));
    return false;
}

enum { BESIDE_MAX = 1 << 16 };

bool die_sibling(Dwarf_Die *class, const char *name, Dwarf_Die *found)
{
    Dwarf_Die *around = NULL;
    Dwarf_Die wanted;
    Dwarf_Die argument;
    unsigned left = BESIDE_MAX;
    bool is_found = false;
    int count = name && die_argument(class, &wanted) ? dwarf_getscopes_die(class, &around) : 0;
    size_t length = name ? strlen(name) : 0;
    for (int i = 1; i < count && !is_found; i++) {
        if (dwarf_tag(&around[i]) != DW_TAG_namespace || dwarf_child(&around[i], found))
            continue;
        do {
            const char *own = dwarf_diename(found);
            is_found = own && !strncmp(own, name, length) && own[length] == '<' &&
                       die_argument(found, &argument) && argument.addr == wanted.addr;
        } while (!is_found && left-- && !dwarf_siblingof(found, found));
    }
    free(around);
    return is_found;
}

/* Replaces a member's declared type by the type from a library's rule. */
static void apply_rule(const struct shape_reader *reader, struct part *part)
{
    Dwarf_Die type;
    uint64_t size;
    const char *name = part->name ? part->name : "";
    bool holds = library_member(reader->rule, name) == LIBRARY_VALUE_BYTES &&
                 die_argument(reader->record, &type) && die_size(&type, &size) &&
                 size <= part->size;
    bool links = !holds && reader->rule->link && !strcmp(reader->rule->link, name);
    part->link = links && (die_member_type(reader->record, reader->rule->link_type, &type) ||
                           die_sibling(reader->record, reader->rule->node, &type));
    if (holds) {
        part->size = size;
        part->stride = 0;
    }
    if (holds || part->link)
        part->type = type;
}

static void read_member(struct shape_reader *reader, Dwarf_Die *member)
{
    struct part part;
    Dwarf_Die element;
    uint64_t count;
    /* A static member is only declared here. */
    if (die_flag(member, DW_AT_external) || die_flag(member, DW_AT_declaration) ||
        !die_type(member, &part.type) || !die_offset(member, &part.offset))
        return;
    part.stride = 0;
    part.name = dwarf_diename(member);
    if (!die_size(&part.type, &part.size))
        part.size = 0;
    if (die_array(&part.type, &element, &count) && !die_size(&element, &part.stride))
        part.stride = 0;
    part.link = false;
    apply_rule(reader, &part);
    if (part.size || part.stride)
        parts_take(reader, &part);
}

static void read_children(struct shape_reader *reader, Dwarf_Die *die, unsigned depth)
{
    Dwarf_Die child;
    if (depth > VARIANTS_DEEP_MAX || dwarf_child(die, &child))
        return;
    do {
        if (!reader->left || !reader->left--)
            return;
        switch (dwarf_tag(&child)) {
        case DW_TAG_member:
        case DW_TAG_inheritance:
            read_member(reader, &child);
            break;
        case DW_TAG_variant_part:
        case DW_TAG_variant:
            read_children(reader, &child, depth + 1);
            break;
        default:
            break;
        }
    } while (!dwarf_siblingof(&child, &child));
}

/* Reads the parts of a peeled structure, class or union. Unreadable members are skipped. */
static void parts_read(struct parts *parts, struct scopes *scopes, Dwarf_Die *record)
{
    struct typename_raw raw;
    struct shape_reader reader = {
        .parts = parts, .record = record, .rule = &library_none, .left = PARTS_MAX};
    if (typename_raw(scopes, record, &raw))
        reader.rule = library_rule(raw.text);
    *parts = (struct parts){.links = reader.rule->has_base_links};
    read_children(&reader, record, 0);
}

enum { SHAPES_MAX = 1 << 20, POINTERS_DEEP_MAX = 8, DESCRIPTOR_BYTES = 8, POINTER_BYTES = 8 };

struct shape_entry {
    struct shape shape;
    struct parts parts; /* of a record or union, read on first use */
    bool parts_read;
};

void shapes_fini(struct shapes *shapes)
{
    for (size_t i = 0; i < shapes->count; i++)
        free(shapes->entries[i].parts.parts);
    free(shapes->entries);
    hash_fini(&shapes->by_die);
    hash_fini(&shapes->by_kind);
}

static enum shape_kind scalar_kind(Dwarf_Die *die)
{
    Dwarf_Word encoding = 0;
    uint64_t size = 0;
    die_number(die, DW_AT_encoding, &encoding);
    die_size(die, &size);
    /* Characters of Rust and Go are plain numbers. */
    bool number = encoding == DW_ATE_signed_char || encoding == DW_ATE_unsigned_char ||
                  encoding == DW_ATE_signed || encoding == DW_ATE_unsigned ||
                  encoding == DW_ATE_UTF;
    return number && size == 1 ? SHAPE_BYTE : SHAPE_SCALAR;
}

static enum shape_kind shape_kind_of(Dwarf_Die *die)
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

/* Returns a key by name and size for numbers, by pointee for pointers. A record has no key (0) but
 * is identified by its entry: a nested record has the same name in every instance of a template. */
static uint64_t shape_key(Dwarf_Die *die, const struct shape *shape)
{
    const char *name = dwarf_diename(die);
    if (shape->kind == SHAPE_POINTER)
        return hash_mix(shape->pointee * 2ull + 1);
    if (!name || dwarf_tag(die) != DW_TAG_base_type)
        return 0;
    return hash_mix(hash_bytes(name, strlen(name)) ^ hash_mix(shape->size << 3 | shape->kind));
}

static uint32_t intern_type(struct shapes *shapes, Dwarf_Die *type, unsigned depth);

static struct shape shape_describe(struct shapes *shapes, Dwarf_Die *die, unsigned depth)
{
    struct shape shape = {.die = *die, .kind = (uint8_t)shape_kind_of(die)};
    Dwarf_Die pointee;
    if (!die_size(die, &shape.size))
        shape.size = 0;
    if ((shape.kind == SHAPE_RECORD || shape.kind == SHAPE_UNION) && !shape.size)
        shape.kind = SHAPE_VOID;
    if (shape.kind == SHAPE_POINTER && die_pointee(die, &pointee))
        shape.pointee = intern_type(shapes, &pointee, depth + 1);
    return shape;
}

static uint32_t shapes_add(struct shapes *shapes, const struct shape *shape)
{
    if (!array_reserve_next(&shapes->entries, &shapes->room, shapes->count, sizeof *shapes->entries,
                            SHAPES_MAX))
        return SHAPE_NOTHING;
    shapes->entries[shapes->count++] = (struct shape_entry){.shape = *shape};
    return (uint32_t)shapes->count;
}

static uint32_t intern_peeled(struct shapes *shapes, Dwarf_Die *die, unsigned depth)
{
    bool created = true;
    struct shape shape = shape_describe(shapes, die, depth);
    if (shape.kind == SHAPE_VOID)
        return SHAPE_NOTHING;
    uint64_t key = shape_key(die, &shape);
    uint32_t *known = key ? hash_insert(&shapes->by_kind, key, &created) : NULL;
    if (known && !created)
        return *known;
    uint32_t number = shapes_add(shapes, &shape);
    if (known)
        *known = number;
    return number;
}

/* Returns true if the object begins with the address of the elements (DW_AT_data_location). */
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
                          .pointee = intern_type(shapes, element, depth + 1),
                          .kind = SHAPE_POINTER,
                          .descriptor = true};
    return shapes_add(shapes, &shape);
}

static uint32_t intern_type(struct shapes *shapes, Dwarf_Die *type, unsigned depth)
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
    return type ? intern_type(shapes, type, 0) : SHAPE_NOTHING;
}

const struct shape *shapes_at(const struct shapes *shapes, uint32_t shape)
{
    static const struct shape nothing;
    return shape && shape <= shapes->count ? &shapes->entries[shape - 1].shape : &nothing;
}

/* Returns the pointer to a record, which may have no entry of its own. */
static uint32_t pointer_to(struct shapes *shapes, uint32_t record)
{
    bool created = true;
    struct shape shape = {.die = shapes_at(shapes, record)->die,
                          .size = POINTER_BYTES,
                          .pointee = record,
                          .kind = SHAPE_POINTER};
    if (!record)
        return SHAPE_NOTHING;
    uint32_t *known = hash_insert(&shapes->by_kind, hash_mix(record * 2ull + 1), &created);
    if (!known || !created)
        return known ? *known : SHAPE_NOTHING;
    return *known = shapes_add(shapes, &shape);
}

static uint32_t shape_of_part(struct shapes *shapes, struct part *part)
{
    uint32_t shape = shapes_of(shapes, &part->type);
    return part->link ? pointer_to(shapes, shape) : shape;
}

static const struct parts *shapes_parts(struct shapes *shapes, uint32_t shape)
{
    struct shape_entry *entry = &shapes->entries[shape - 1];
    if (!entry->parts_read) {
        entry->parts_read = true;
        parts_read(&entry->parts, shapes->scopes, &entry->shape.die);
    }
    return &entry->parts;
}

/* ---- comparing types of several units ---- */

static bool is_same_text(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

/* Follows pointers to the types that must be compared; these become equal if nothing can differ.
 * Returns false if the types differ on the way. */
static bool is_same_pointed_kind(const struct shapes *shapes, uint32_t *one, uint32_t *other)
{
    for (unsigned hops = 0; hops <= POINTERS_DEEP_MAX && *one != *other; hops++) {
        const struct shape *a = shapes_at(shapes, *one);
        const struct shape *b = shapes_at(shapes, *other);
        bool incomplete = a->kind == SHAPE_VOID || b->kind == SHAPE_VOID; /* in one of the units */
        if (!incomplete &&
            (a->kind != b->kind || a->size != b->size || a->descriptor != b->descriptor))
            return false;
        if (!incomplete && a->kind != SHAPE_FUNCTION && a->kind != SHAPE_POINTER)
            break;
        bool pointers = !incomplete && a->kind == SHAPE_POINTER;
        *one = pointers ? a->pointee : SHAPE_NOTHING;
        *other = pointers ? b->pointee : SHAPE_NOTHING;
    }
    return true;
}

static bool is_same_unit(Dwarf_Die *a, Dwarf_Die *b)
{
    Dwarf_Die first;
    Dwarf_Die second;
    return dwarf_diecu(a, &first, NULL, NULL) && dwarf_diecu(b, &second, NULL, NULL) &&
           first.addr == second.addr;
}

/* Compares members by name and place, and their types by kind and size. */
static bool has_same_parts(struct shapes *shapes, uint32_t one, uint32_t other)
{
    size_t count = shapes_parts(shapes, one)->count;
    if (count != shapes_parts(shapes, other)->count)
        return false;
    for (size_t i = 0; i < count; i++) {
        struct part a = shapes_parts(shapes, one)->parts[i];
        struct part b = shapes_parts(shapes, other)->parts[i];
        uint32_t type = shape_of_part(shapes, &a);
        uint32_t its = shape_of_part(shapes, &b);
        if (a.offset != b.offset || a.size != b.size || a.stride != b.stride ||
            !is_same_text(a.name, b.name) || !is_same_pointed_kind(shapes, &type, &its))
            return false;
    }
    return true;
}

/* Returns true if the scopes are equal. Checks first for C, which has no scopes for types, because
 * finding scopes means reading a whole unit. */
static bool has_same_scope(struct scopes *scopes, Dwarf_Die *a, Dwarf_Die *b)
{
    if (language_of(a) == LANGUAGE_C && language_of(b) == LANGUAGE_C)
        return true;
    return scopes_path(scopes, a) == scopes_path(scopes, b);
}

/* Compares a pair. Two entries of one unit are different types. */
bool shapes_same(struct shapes *shapes, uint32_t one, uint32_t other)
{
    if (one == other || !one || !other)
        return one == other;
    if (!is_same_pointed_kind(shapes, &one, &other) || one == other)
        return one == other;
    Dwarf_Die a = shapes_at(shapes, one)->die;
    Dwarf_Die b = shapes_at(shapes, other)->die;
    return is_same_text(dwarf_diename(&a), dwarf_diename(&b)) && !is_same_unit(&a, &b) &&
           has_same_scope(shapes->scopes, &a, &b) && has_same_parts(shapes, one, other);
}

struct shape_search {
    struct shapes *shapes;
    unsigned left; /* members that may still be visited */
};

/* Returns true if a part covers the offset. Only the last part may be flexible: "[0]" elsewhere
 * marks a position and holds nothing. */
static bool part_covers(const struct parts *parts, size_t part, uint64_t offset)
{
    const struct part *at = &parts->parts[part];
    return offset >= at->offset &&
           (at->size ? offset - at->offset < at->size : part == parts->count - 1);
}

/* A pointer is more specific than a number; two different pointers cancel. */
static void shape_leaf_choose(struct shapes *shapes, const struct shape_leaf *other,
                              struct shape_leaf *leaf)
{
    bool mine = shapes_at(shapes, leaf->shape)->kind == SHAPE_POINTER;
    bool its = shapes_at(shapes, other->shape)->kind == SHAPE_POINTER;
    if (its && !mine)
        *leaf = *other;
    else if (its == mine && !shapes_same(shapes, other->shape, leaf->shape))
        leaf->is_ambiguous = true;
}

static bool search_shape(struct shape_search *look, uint32_t shape, uint64_t base, uint64_t offset,
                         struct shape_leaf *leaf);

static bool search_part(struct shape_search *look, struct part part, uint64_t base, uint64_t offset,
                        struct shape_leaf *leaf)
{
    uint32_t element = shape_of_part(look->shapes, &part);
    uint64_t inside = offset - part.offset;
    if (part.stride) {
        leaf->stride = part.stride;
        leaf->array_start = base + part.offset;
        leaf->array_end = part.size ? leaf->array_start + part.size : UINT64_MAX;
        inside %= part.stride;
    }
    return search_shape(look, element, base + part.offset, inside, leaf);
}

bool shapes_is_node(struct shapes *shapes, uint32_t node, uint32_t base)
{
    if (shapes_at(shapes, node)->kind != SHAPE_RECORD || !shapes_parts(shapes, node)->links)
        return false;
    for (size_t i = 0; i < shapes_parts(shapes, node)->count; i++) {
        struct part part = shapes_parts(shapes, node)->parts[i];
        if (!part.name && shapes_same(shapes, shapes_of(shapes, &part.type), base))
            return true;
    }
    return false;
}

/* Redirects a link that a node has from its base class to the node's own type. */
static void follow_link(struct shapes *shapes, uint32_t node, struct part *part,
                        struct shape_leaf *leaf)
{
    const struct shape link = *shapes_at(shapes, leaf->shape);
    if (shapes_parts(shapes, node)->links && !part->name && link.kind == SHAPE_POINTER &&
        link.pointee && shapes_same(shapes, link.pointee, shapes_of(shapes, &part->type)))
        leaf->shape = pointer_to(shapes, node);
}

/* Searches a shape. On entry `leaf` has the array around it, if any. */
static bool search_shape(struct shape_search *look, uint32_t shape, uint64_t base, uint64_t offset,
                         struct shape_leaf *leaf)
{
    const struct shape *at = shapes_at(look->shapes, shape);
    const struct shape_leaf around = *leaf;
    bool found = false;
    if (at->kind == SHAPE_VOID)
        return false;
    if (at->kind != SHAPE_RECORD && at->kind != SHAPE_UNION) {
        if (at->size && offset >= at->size)
            return false;
        leaf->shape = shape;
        leaf->start = base;
        return true;
    }
    for (size_t i = 0; i < shapes_parts(look->shapes, shape)->count && look->left; i++) {
        struct part part = shapes_parts(look->shapes, shape)->parts[i];
        struct shape_leaf other = around;
        if (!part_covers(shapes_parts(look->shapes, shape), i, offset))
            continue;
        look->left--;
        if (!search_part(look, part, base, offset, &other))
            continue;
        follow_link(look->shapes, shape, &part, &other);
        if (found)
            shape_leaf_choose(look->shapes, &other, leaf);
        else
            *leaf = other;
        found = true;
    }
    return found;
}

bool shapes_leaf(struct shapes *shapes, uint32_t shape, uint64_t offset, struct shape_leaf *leaf)
{
    struct shape_search look = {shapes, 256};
    *leaf = (struct shape_leaf){0};
    return search_shape(&look, shape, 0, offset, leaf);
}
