/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/dwarf/location.h"

#include "resolve/dwarf/die.h"

#include <dwarf.h>
#include <string.h>

/* The number an operation pushes: an address, its index in a table (DWARF 5), or a constant. */
static bool pushed(Dwarf_Attribute *attribute, const Dwarf_Op *op, Dwarf_Addr *value)
{
    Dwarf_Attribute indexed;
    switch (op->atom) {
    case DW_OP_addr:
    case DW_OP_const4u:
    case DW_OP_const8u:
        *value = op->number;
        return true;
    case DW_OP_addrx:
    case DW_OP_GNU_addr_index:
        return !dwarf_getlocation_attr(attribute, op, &indexed) && !dwarf_formaddr(&indexed, value);
    case DW_OP_constx:
    case DW_OP_GNU_const_index:
        return !dwarf_getlocation_attr(attribute, op, &indexed) &&
               !dwarf_formudata(&indexed, value);
    default:
        return false;
    }
}

/* Go writes expressions of DWARF 4 as blocks, in which libdw 0.188 finds no location. */
static bool block_address(Dwarf_Attribute *attribute, Dwarf_Addr *address)
{
    Dwarf_Block block;
    if (dwarf_formblock(attribute, &block) || block.length != 1 + sizeof *address ||
        block.data[0] != DW_OP_addr)
        return false;
    memcpy(address, block.data + 1, sizeof *address);
    return true;
}

static void take_piece(struct location *location, const Dwarf_Op *ops, size_t *at, size_t count)
{
    if (*at < count && ops[*at].atom == DW_OP_plus_uconst)
        location->value += ops[(*at)++].number;
    if (*at < count && ops[*at].atom == DW_OP_piece)
        location->size = ops[(*at)++].number;
}

static bool read_ops(Dwarf_Attribute *attribute, const Dwarf_Op *ops, size_t count,
                     struct location *location)
{
    size_t at = 1;
    if (!count || !pushed(attribute, &ops[0], &location->value))
        return false;
    location->is_tls = at < count && (ops[at].atom == DW_OP_form_tls_address ||
                                      ops[at].atom == DW_OP_GNU_push_tls_address);
    if (location->is_tls)
        return true;
    if (ops[0].atom == DW_OP_const4u || ops[0].atom == DW_OP_const8u)
        return false;
    take_piece(location, ops, &at, count);
    return at == count;
}

bool location_read(Dwarf_Die *variable, struct location *location)
{
    Dwarf_Attribute attribute;
    Dwarf_Die type;
    Dwarf_Op *ops;
    size_t count = 0;
    *location = (struct location){0};
    if (!dwarf_attr(variable, DW_AT_location, &attribute))
        return false;
    if (die_type(variable, &type))
        die_size(&type, &location->size);
    if (dwarf_getlocation(&attribute, &ops, &count))
        return block_address(&attribute, &location->value);
    return read_ops(&attribute, ops, count, location);
}
