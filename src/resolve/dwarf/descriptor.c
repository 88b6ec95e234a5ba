/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/dwarf/descriptor.h"

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

uint64_t descriptor_size(unsigned rank)
{
    return HEAD_BYTES + (uint64_t)DIMENSION_BYTES * rank;
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
