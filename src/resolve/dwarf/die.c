/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/dwarf/die.h"

#include <dwarf.h>
#include <string.h>

enum { HEAD_BYTES = 40, DIMENSION_BYTES = 24, RANK_MAX = 15, DIM = 4 };

unsigned descriptor_rank(Dwarf_Die *type)
{
    Dwarf_Die child;
    unsigned rank = 0;
    if (dwarf_tag(type) != DW_TAG_array_type || !dwarf_hasattr(type, DW_AT_data_location) ||
        dwarf_child(type, &child))
        return 0;
    do
        rank += dwarf_tag(&child) == DW_TAG_subrange_type;
    while (rank < RANK_MAX && !dwarf_siblingof(&child, &child));
    return rank;
}

void descriptor_members(unsigned rank, struct type_member members[DESCRIPTOR_MEMBERS])
{
    static const struct type_member parts[DESCRIPTOR_MEMBERS] = {
        {.name = "base_addr", .type = "void *", .size = 8, .parent = TYPE_NO_MEMBER},
        {.name = "offset", .type = "index", .offset = 8, .size = 8, .parent = TYPE_NO_MEMBER},
        {.name = "dtype", .type = "dtype", .offset = 16, .size = 16, .parent = TYPE_NO_MEMBER},
        {.name = "span", .type = "index", .offset = 32, .size = 8, .parent = TYPE_NO_MEMBER},
        [DIM] = {.name = "dim",
                 .type = "dim",
                 .offset = HEAD_BYTES,
                 .stride = DIMENSION_BYTES,
                 .parent = TYPE_NO_MEMBER},
        {.name = "stride", .type = "index", .offset = 40, .size = 8, .parent = DIM, .depth = 1},
        {.name = "lower", .type = "index", .offset = 48, .size = 8, .parent = DIM, .depth = 1},
        {.name = "upper", .type = "index", .offset = 56, .size = 8, .parent = DIM, .depth = 1}};
    memcpy(members, parts, sizeof parts);
    members[DIM].count = rank;
    members[DIM].size = (uint64_t)DIMENSION_BYTES * rank;
}

enum { ADDRESS_BYTES = 8 };

bool die_type(Dwarf_Die *die, Dwarf_Die *type)
{
    Dwarf_Attribute attribute;
    return dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &attribute), type);
}

bool die_flag(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    bool flag = false;
    return dwarf_attr(die, name, &attribute) && !dwarf_formflag(&attribute, &flag) && flag;
}

bool die_number(Dwarf_Die *die, unsigned name, Dwarf_Word *value)
{
    Dwarf_Attribute attribute;
    /* A computed upper bound, of a variable-length array, is not a constant. */
    return dwarf_attr_integrate(die, name, &attribute) && !dwarf_formudata(&attribute, value);
}

/* The location is a constant, or in DWARF 2 an expression that adds a constant. A bit-field may
 * have only an offset in bits. */
bool die_offset(Dwarf_Die *member, uint64_t *offset)
{
    Dwarf_Attribute attribute;
    Dwarf_Word value = 0;
    Dwarf_Op *ops;
    size_t count = 0;
    *offset = 0;
    if (die_number(member, DW_AT_data_bit_offset, &value)) {
        *offset = value / 8;
        return true;
    }
    if (!dwarf_attr(member, DW_AT_data_member_location, &attribute))
        return true; /* member of a union */
    if (dwarf_formudata(&attribute, &value)) {
        if (dwarf_getlocation(&attribute, &ops, &count) || count != 1 ||
            ops[0].atom != DW_OP_plus_uconst)
            return false;
        value = ops[0].number;
    }
    *offset = value;
    return true;
}

bool die_is_declaration(Dwarf_Die *die)
{
    return die_flag(die, DW_AT_declaration);
}

bool die_signed(Dwarf_Die *type, Dwarf_Die *definition)
{
    Dwarf_Attribute attribute;
    return dwarf_formref_die(dwarf_attr(type, DW_AT_signature, &attribute), definition);
}

bool die_is_alias(int tag)
{
    switch (tag) {
    case DW_TAG_typedef:
    case DW_TAG_const_type:
    case DW_TAG_volatile_type:
    case DW_TAG_restrict_type:
    case DW_TAG_atomic_type:
    case DW_TAG_immutable_type:
    case DW_TAG_packed_type:
    case DW_TAG_shared_type:
    case DW_TAG_template_alias:
        return true;
    default:
        return false;
    }
}

bool die_strip(Dwarf_Die *type, Dwarf_Die *stripped)
{
    Dwarf_Die at = *type;
    for (unsigned i = 0; die_is_alias(dwarf_tag(&at)); i++) {
        Dwarf_Die next;
        if (i >= DIE_HOPS_MAX || !die_type(&at, &next))
            return false;
        at = next;
    }
    *stripped = at;
    return true;
}

bool die_peel(Dwarf_Die *type, Dwarf_Die *peeled)
{
    Dwarf_Die at;
    if (!die_strip(type, &at))
        return false;
    *peeled = at;
    die_signed(&at, peeled);
    return true;
}

static bool is_pointer(int tag)
{
    return tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type ||
           tag == DW_TAG_rvalue_reference_type;
}

bool die_is_pointer(Dwarf_Die *type)
{
    return is_pointer(dwarf_tag(type));
}

bool die_pointee(Dwarf_Die *pointer, Dwarf_Die *pointee)
{
    Dwarf_Die type;
    return is_pointer(dwarf_tag(pointer)) && die_type(pointer, &type) && die_peel(&type, pointee);
}

bool die_argument(Dwarf_Die *type, Dwarf_Die *argument)
{
    Dwarf_Die child;
    if (dwarf_child(type, &child))
        return false;
    do
        if (dwarf_tag(&child) == DW_TAG_template_type_parameter)
            return die_type(&child, argument);
    while (!dwarf_siblingof(&child, &child));
    return false;
}

uint64_t die_dimension(Dwarf_Die *range)
{
    Dwarf_Word count;
    Dwarf_Word upper;
    Dwarf_Sword usual = 0;
    Dwarf_Die unit;
    if (die_number(range, DW_AT_count, &count))
        return count;
    if (!die_number(range, DW_AT_upper_bound, &upper))
        return 0;
    /* Some languages, such as Fortran, count from 1. */
    if (dwarf_diecu(range, &unit, NULL, NULL))
        dwarf_default_lower_bound(dwarf_srclang(&unit), &usual);
    Dwarf_Word lower = (Dwarf_Word)usual;
    die_number(range, DW_AT_lower_bound, &lower);
    int64_t elements = (int64_t)(upper - lower + 1);
    /* gcc describes "[0]" with an upper bound of -1 in four or eight bytes. */
    return elements > 0 && upper != UINT32_MAX ? (uint64_t)elements : 0;
}

static uint64_t multiply_or_zero(uint64_t a, uint64_t b)
{
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? 0 : product;
}

/* Returns the number of elements over all dimensions of one array type. */
static uint64_t array_elements(Dwarf_Die *array)
{
    Dwarf_Die child;
    uint64_t count = 0;
    unsigned dimensions = 0;
    if (dwarf_child(array, &child))
        return 0;
    do {
        int tag = dwarf_tag(&child);
        if (tag == DW_TAG_subrange_type || tag == DW_TAG_enumeration_type ||
            tag == DW_TAG_generic_subrange)
            count = dimensions++ ? multiply_or_zero(count, die_dimension(&child))
                                 : die_dimension(&child);
    } while (dimensions < DIE_HOPS_MAX && !dwarf_siblingof(&child, &child));
    return count;
}

bool die_array(Dwarf_Die *type, Dwarf_Die *element, uint64_t *count)
{
    Dwarf_Die at;
    uint64_t all = 1;
    if (!die_peel(type, &at) || dwarf_tag(&at) != DW_TAG_array_type)
        return false;
    for (unsigned i = 0; dwarf_tag(&at) == DW_TAG_array_type; i++) {
        Dwarf_Die next;
        all = multiply_or_zero(all, array_elements(&at));
        if (i >= DIE_HOPS_MAX || !die_type(&at, &next) || !die_peel(&next, &at))
            return false;
    }
    *element = at;
    *count = all;
    return true;
}

/* Pointers to member functions have two words, to data members one (Itanium C++ ABI, 2.3). */
static uint64_t member_pointer_size(Dwarf_Die *pointer)
{
    Dwarf_Die target;
    bool function = die_type(pointer, &target) && dwarf_tag(&target) == DW_TAG_subroutine_type;
    return function ? 2 * ADDRESS_BYTES : ADDRESS_BYTES;
}

static bool peeled_size(Dwarf_Die *peeled, uint64_t *bytes)
{
    Dwarf_Word size;
    int tag = dwarf_tag(peeled);
    if (die_number(peeled, DW_AT_byte_size, &size))
        *bytes = size;
    else if (is_pointer(tag))
        *bytes = ADDRESS_BYTES;
    else if (tag == DW_TAG_ptr_to_member_type)
        *bytes = member_pointer_size(peeled);
    else
        return false;
    return true;
}

bool die_size(Dwarf_Die *type, uint64_t *bytes)
{
    Dwarf_Die at;
    Dwarf_Die element;
    uint64_t count;
    if (!die_peel(type, &at))
        return false;
    unsigned rank = descriptor_rank(&at);
    if (rank) {
        *bytes = HEAD_BYTES + (uint64_t)DIMENSION_BYTES * rank;
        return true;
    }
    if (peeled_size(&at, bytes))
        return true;
    if (!die_array(&at, &element, &count) || !peeled_size(&element, bytes))
        return false;
    *bytes = multiply_or_zero(*bytes, count);
    return *bytes;
}
