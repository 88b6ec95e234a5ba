/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/dwarf/fields.h"

#include "resolve/dwarf/bits.h"
#include "resolve/dwarf/descriptor.h"
#include "resolve/dwarf/die.h"
#include "resolve/dwarf/typename.h"
#include "resolve/dwarf/vbases.h"

#include <dwarf.h>
#include <stdio.h>
#include <string.h>

enum { ENTRIES_MAX = 1 << 16 };

/* Where the members of a part go: under which member, at which offset. */
struct under {
    uint64_t offset;
    uint32_t parent;
    uint16_t depth;
};

static void read_members(struct fields *fields, Dwarf_Die *type, struct under under);

static bool is_compound(int tag)
{
    return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type ||
           tag == DW_TAG_interface_type;
}

static struct type_member *append(struct fields *fields, struct under under)
{
    if (fields->count == TYPE_MEMBERS_MAX) {
        fields->cut = true;
        return NULL;
    }
    struct type_member *member = &fields->members[fields->count++];
    *member = (struct type_member){.name = "",
                                   .type = "",
                                   .offset = under.offset,
                                   .parent = under.parent,
                                   .depth = under.depth};
    return member;
}

/* Rust counts the parts of a tuple from "__0"; its programmers write ".0". */
static const char *plain_name(const char *name)
{
    if (name && !strncmp(name, "__", 2) && name[2] >= '0' && name[2] <= '9')
        return name + 2;
    return name;
}

/* g++ and clang++ call it _vptr.Class and _vptr$Class. */
static bool is_vtable(Dwarf_Die *die, const char *name)
{
    return name && !strncmp(name, "_vptr", 5) && (!name[5] || name[5] == '.' || name[5] == '$') &&
           dwarf_hasattr(die, DW_AT_artificial);
}

/* A constant, or in DWARF 2 an expression that adds one; false: computed, as of virtual bases. */
static bool member_offset(Dwarf_Die *die, uint64_t *offset)
{
    Dwarf_Attribute attribute;
    Dwarf_Word value = 0;
    Dwarf_Op *ops;
    size_t count = 0;
    *offset = 0;
    if (!dwarf_attr(die, DW_AT_data_member_location, &attribute))
        return true;
    if (dwarf_formudata(&attribute, &value)) {
        if (dwarf_getlocation(&attribute, &ops, &count) || count != 1 ||
            ops[0].atom != DW_OP_plus_uconst)
            return false;
        value = ops[0].number;
    }
    *offset = value;
    return true;
}

static void describe_array(struct type_member *member, Dwarf_Die *element, uint64_t count)
{
    uint64_t stride = 0;
    if (!die_size(element, &stride) || !stride || stride > UINT32_MAX)
        return;
    if (__builtin_mul_overflow(count, stride, &member->size))
        count = member->size = 0;
    member->count = count;
    member->stride = (uint32_t)stride;
}

/* The parts of a member that has some: a struct, the elements of an array of structs. One without
 * any takes no room, whatever its size is: an empty base, Rust's None. */
static void read_parts(struct fields *fields, Dwarf_Die *type, uint32_t member)
{
    Dwarf_Die defined;
    struct under under = {.offset = fields->members[member].offset,
                          .parent = member,
                          .depth = (uint16_t)(fields->members[member].depth + 1)};
    if (!is_compound(dwarf_tag(type)))
        return;
    if (under.depth >= TYPE_DEPTH_MAX) {
        fields->cut = true;
        return;
    }
    if (!scopes_definition(fields->scopes, type, &defined))
        return;
    read_members(fields, &defined, under);
    if (fields->count == member + 1 && !fields->cut)
        fields->members[member].size = 0;
}

/* Name, type, size and parts of one member that stands at an offset. */
static struct type_member *read_typed(struct fields *fields, Dwarf_Die *die, struct under under)
{
    char name[TYPENAME_BYTES];
    Dwarf_Die type;
    Dwarf_Die peeled;
    Dwarf_Die element;
    uint64_t count = 0;
    uint32_t index = fields->count;
    struct type_member *member = append(fields, under);
    if (!member || !die_type(die, &type) || !die_strip(&type, &peeled))
        return member;
    unsigned rank = descriptor_rank(&peeled);
    member->type = strings_keep(fields->strings, typename_write(fields->scopes, &type, name));
    if (rank) {
        die_size(&peeled, &member->size);
        return member;
    }
    scopes_definition(fields->scopes, &peeled, &element);
    if (die_array(&peeled, &element, &count))
        describe_array(member, &element, count);
    else
        die_size(&element, &member->size);
    read_parts(fields, &element, index);
    return member;
}

static void read_field(struct fields *fields, Dwarf_Die *die, struct under under)
{
    uint64_t offset;
    const char *name = plain_name(dwarf_diename(die));
    bool vtable = is_vtable(die, name);
    /* Static members stand elsewhere; DWARF 5 has them as variables. */
    if (dwarf_hasattr(die, DW_AT_external) || dwarf_hasattr(die, DW_AT_declaration) ||
        dwarf_hasattr(die, DW_AT_const_value) || !member_offset(die, &offset))
        return;
    under.offset += offset;
    struct type_member *member = read_typed(fields, die, under);
    if (!member)
        return;
    member->name = strings_keep(fields->strings, vtable ? "_vptr" : name);
    member->kind = vtable ? MEMBER_VTABLE : MEMBER_FIELD;
    bits_place(die, member, under.offset - offset);
}

static void read_base(struct fields *fields, Dwarf_Die *die, struct under under)
{
    uint64_t offset;
    /* Where a virtual base stands, only the vtable tells: see fields_read(). */
    if (!member_offset(die, &offset))
        return;
    under.offset += offset;
    struct type_member *member = read_typed(fields, die, under);
    if (member)
        member->kind = MEMBER_BASE;
}

/* One variant: a member whose type is the struct of what it holds. */
static void read_variant(struct fields *fields, Dwarf_Die *variant, struct under under)
{
    Dwarf_Die child;
    if (dwarf_child(variant, &child))
        return;
    do {
        if (fields->entries++ >= ENTRIES_MAX)
            return;
        if (dwarf_tag(&child) == DW_TAG_member)
            read_field(fields, &child, under);
    } while (!dwarf_siblingof(&child, &child));
}

/* DWARF 5, 5.7.10. What tells the variants apart is kept beside or inside them, without name. */
static void read_variants(struct fields *fields, Dwarf_Die *part, struct under under)
{
    Dwarf_Die child;
    if (dwarf_child(part, &child))
        return;
    do {
        uint32_t index = fields->count;
        if (fields->entries++ >= ENTRIES_MAX)
            return;
        if (dwarf_tag(&child) == DW_TAG_variant)
            read_variant(fields, &child, under);
        if (dwarf_tag(&child) != DW_TAG_member)
            continue;
        read_field(fields, &child, under);
        if (fields->count > index)
            fields->members[index].name = "discriminant";
    } while (!dwarf_siblingof(&child, &child));
}

static void read_members(struct fields *fields, Dwarf_Die *type, struct under under)
{
    Dwarf_Die child;
    if (dwarf_child(type, &child))
        return;
    do {
        if (fields->entries++ >= ENTRIES_MAX) {
            fields->cut = true;
            return;
        }
        switch (dwarf_tag(&child)) {
        case DW_TAG_member:
            read_field(fields, &child, under);
            break;
        case DW_TAG_inheritance:
            read_base(fields, &child, under);
            break;
        case DW_TAG_variant_part:
            fields->variants |= !under.depth;
            read_variants(fields, &child, under);
            break;
        default:
            break;
        }
    } while (!dwarf_siblingof(&child, &child));
}

static uint64_t align(uint64_t offset, uint64_t alignment)
{
    return (offset + alignment - 1) / alignment * alignment;
}

/* End and alignment of what the members from one on take, as far as scalars tell. */
static uint64_t end_of(const struct fields *fields, uint32_t first, uint64_t *alignment)
{
    uint64_t end = 0;
    *alignment = 1;
    for (uint32_t i = first; i < fields->count; i++) {
        const struct type_member *member = &fields->members[i];
        bool has_parts = i + 1 < fields->count && fields->members[i + 1].depth > member->depth;
        uint64_t own = member->stride ? member->stride : member->size;
        if (has_parts)
            continue;
        if (own == 2 || own == 4 || own == 8 || own == 16)
            *alignment = own > *alignment ? own : *alignment;
        end = member->offset + member->size > end ? member->offset + member->size : end;
    }
    return end;
}

/*
 * Virtual bases follow the rest of the complete object, in the order of the inheritance graph
 * (Itanium C++ ABI, 2.4). DWARF does not tell where; what is worked out counts only if it ends
 * where the type does.
 */
static void read_virtual_bases(struct fields *fields, Dwarf_Die *type)
{
    struct vbases bases;
    uint64_t size;
    uint64_t alignment;
    uint64_t own_alignment;
    uint32_t first = fields->count;
    uint64_t end = end_of(fields, 0, &alignment);
    vbases_find(&bases, fields->scopes, type);
    if (!bases.count)
        return;
    for (unsigned i = 0; i < bases.count; i++) {
        uint32_t at = fields->count;
        struct type_member *member =
            read_typed(fields, &bases.entries[i], (struct under){end, TYPE_NO_MEMBER, 0});
        if (!member)
            break;
        member->kind = MEMBER_BASE;
        end_of(fields, at, &own_alignment);
        uint64_t shift = align(end, own_alignment) - end;
        for (uint32_t part = at; part < fields->count; part++)
            fields->members[part].offset += shift;
        end = end_of(fields, at, &own_alignment);
        alignment = own_alignment > alignment ? own_alignment : alignment;
    }
    if (!die_size(type, &size) || align(end, alignment) != size)
        fields->count = first;
}

void fields_read(struct fields *fields, Dwarf_Die *type)
{
    read_members(fields, type, (struct under){.parent = TYPE_NO_MEMBER});
    read_virtual_bases(fields, type);
}
