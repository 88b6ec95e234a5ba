/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where a bit-field's bits are, which DWARF 2 and DWARF 4 tell in two ways. For fields.c. Source:
 * DWARF 5, 5.7.6; DWARF 3, 5.6.6 (DW_AT_bit_offset, counted from the most significant bit).
 */
#ifndef MISSTOP_RESOLVE_DWARF_BITS_H
#define MISSTOP_RESOLVE_DWARF_BITS_H

#include "place.h"

#include <elfutils/libdw.h>

/* Sets offset, bit_offset and bit_size of a member if its entry is a bit-field's; `base` is the
 * offset of the type whose member it is. */
void bits_place(Dwarf_Die *die, struct type_member *member, uint64_t base);

#endif
