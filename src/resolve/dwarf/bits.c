/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/dwarf/bits.h"

#include <dwarf.h>
#include <stdbool.h>

static bool number(Dwarf_Die *die, unsigned name, Dwarf_Sword *value)
{
    Dwarf_Attribute attribute;
    return dwarf_attr(die, name, &attribute) && !dwarf_formsdata(&attribute, value);
}

static bool number_unsigned(Dwarf_Die *die, unsigned name, Dwarf_Word *value)
{
    Dwarf_Attribute attribute;
    return dwarf_attr(die, name, &attribute) && !dwarf_formudata(&attribute, value);
}

/* Bits from the start of the type to the least significant one. */
static bool first_bit(Dwarf_Die *die, const struct type_member *member, uint64_t base,
                      uint64_t size, uint64_t *first)
{
    Dwarf_Word from_start;
    Dwarf_Word storage = member->size;
    Dwarf_Sword from_top;
    if (number_unsigned(die, DW_AT_data_bit_offset, &from_start)) {
        *first = from_start;
        return true;
    }
    if (!number(die, DW_AT_bit_offset, &from_top))
        return false;
    number_unsigned(die, DW_AT_byte_size, &storage);
    *first = (member->offset - base + storage) * 8 - (uint64_t)from_top - size;
    return true;
}

void bits_place(Dwarf_Die *die, struct type_member *member, uint64_t base)
{
    Dwarf_Word size;
    uint64_t first;
    if (!number_unsigned(die, DW_AT_bit_size, &size) || !size || size > 128)
        return;
    if (!first_bit(die, member, base, size, &first))
        first = (member->offset - base) * 8;
    /* From the start of the aligned word of its type that holds all of it; if it crosses one, as
     * it may in a packed struct, from the byte that it begins in. */
    uint64_t word = member->size ? member->size * 8 : 8;
    uint64_t start = first / word * word;
    if (first + size > start + word || first - start > UINT8_MAX)
        start = first / 8 * 8;
    member->offset = base + start / 8;
    member->bit_offset = (uint8_t)(first - start);
    member->bit_size = (uint8_t)size;
}
