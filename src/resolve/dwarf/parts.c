/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/dwarf/parts.h"

#include "base/array.h"
#include "resolve/dwarf/die.h"

#include <dwarf.h>
#include <stdbool.h>
#include <stdlib.h>

enum { PARTS_MAX = 1 << 14, VARIANTS_DEEP_MAX = 4, BITS = 8 };

struct reading {
    struct parts *parts;
    size_t room;
    size_t left;
};

static bool has_flag(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    bool flag = false;
    return dwarf_attr(die, name, &attribute) && !dwarf_formflag(&attribute, &flag) && flag;
}

/* A constant; in DWARF 2 "plus constant"; of a bit-field alone, in bits. */
static bool offset_of(Dwarf_Die *member, uint64_t *offset)
{
    Dwarf_Attribute attribute;
    Dwarf_Word value;
    Dwarf_Op *ops;
    size_t count = 0;
    *offset = 0;
    if (dwarf_attr(member, DW_AT_data_bit_offset, &attribute) &&
        !dwarf_formudata(&attribute, &value)) {
        *offset = value / BITS;
        return true;
    }
    if (!dwarf_attr(member, DW_AT_data_member_location, &attribute))
        return true; /* of a union */
    if (!dwarf_formudata(&attribute, &value)) {
        *offset = value;
        return true;
    }
    if (dwarf_getlocation(&attribute, &ops, &count) || count != 1 ||
        ops[0].atom != DW_OP_plus_uconst)
        return false; /* a virtual base: found through the object's own table */
    *offset = ops[0].number;
    return true;
}

static void take(struct reading *reading, const struct part *part)
{
    struct parts *parts = reading->parts;
    struct part *more =
        array_more(parts->parts, &reading->room, parts->count, sizeof *more, ARRAY_UNBOUNDED);
    if (!more)
        return;
    parts->parts = more;
    parts->parts[parts->count++] = *part;
}

static void read_member(struct reading *reading, Dwarf_Die *member)
{
    struct part part;
    Dwarf_Die element;
    uint64_t count;
    /* A static member is declared here and lives elsewhere. */
    if (has_flag(member, DW_AT_external) || has_flag(member, DW_AT_declaration) ||
        !die_type(member, &part.type) || !offset_of(member, &part.offset))
        return;
    part.stride = 0;
    part.name = dwarf_diename(member);
    if (!die_size(&part.type, &part.size))
        part.size = 0;
    if (die_array(&part.type, &element, &count) && !die_size(&element, &part.stride))
        part.stride = 0;
    if (part.size || part.stride)
        take(reading, &part);
}

static void read_children(struct reading *reading, Dwarf_Die *die, unsigned depth)
{
    Dwarf_Die child;
    if (depth > VARIANTS_DEEP_MAX || dwarf_child(die, &child))
        return;
    do {
        if (!reading->left || !reading->left--)
            return;
        switch (dwarf_tag(&child)) {
        case DW_TAG_member:
        case DW_TAG_inheritance:
            read_member(reading, &child);
            break;
        case DW_TAG_variant_part:
        case DW_TAG_variant:
            read_children(reading, &child, depth + 1);
            break;
        default:
            break;
        }
    } while (!dwarf_siblingof(&child, &child));
}

void parts_read(struct parts *parts, Dwarf_Die *record)
{
    struct reading reading = {.parts = parts, .left = PARTS_MAX};
    *parts = (struct parts){0};
    read_children(&reading, record, 0);
}

void parts_fini(struct parts *parts)
{
    free(parts->parts);
    *parts = (struct parts){0};
}
