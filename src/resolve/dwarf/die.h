/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Small questions about DWARF entries that several files of this folder ask. Bounded against
 * entries that refer to themselves.
 */
#ifndef MISSTOP_RESOLVE_DWARF_DIE_H
#define MISSTOP_RESOLVE_DWARF_DIE_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

enum { DIE_HOPS_MAX = 64 };

/* The type an entry has (DW_AT_type, through abstract origins and specifications); false: none,
 * that is void. */
bool die_type(Dwarf_Die *die, Dwarf_Die *type);

/* Without typedefs, const, volatile, restrict, atomic and the like; a declaration is replaced by
 * its definition where the unit has one. False: void. */
bool die_peel(Dwarf_Die *type, Dwarf_Die *peeled);

/* What a (peeled) pointer or reference points to, peeled; false: no pointer, or void. */
bool die_pointee(Dwarf_Die *pointer, Dwarf_Die *pointee);

/* Bytes of a type, arrays and typedefs included; false: not known. */
bool die_size(Dwarf_Die *type, uint64_t *bytes);

/* Element type (peeled) and number of elements, all dimensions together, of an array type;
 * count 0: flexible. False: no array. */
bool die_array(Dwarf_Die *type, Dwarf_Die *element, uint64_t *count);

#endif
