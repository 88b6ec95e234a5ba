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

/* Whether entries of this tag only give another type a name or a quality. */
bool die_is_alias(int tag);

/* Whether a type is only declared there: what it consists of stands elsewhere. */
bool die_is_declaration(Dwarf_Die *die);

/* The definition in a type unit that an entry stands for (-fdebug-types-section); false: it
 * stands for itself. */
bool die_signed(Dwarf_Die *type, Dwarf_Die *definition);

/* Without typedefs, const, volatile, restrict, atomic and the like; a declaration is replaced by
 * its definition where the unit has one. False: void. */
bool die_peel(Dwarf_Die *type, Dwarf_Die *peeled);

/* The same without looking for a definition, which takes time. */
bool die_strip(Dwarf_Die *type, Dwarf_Die *stripped);

/* Whether a type is a pointer or a reference itself, not an alias of one. */
bool die_is_pointer(Dwarf_Die *type);

/* What a (peeled) pointer or reference points to, peeled; false: no pointer, or void. */
bool die_pointee(Dwarf_Die *pointer, Dwarf_Die *pointee);

/* Bytes of a type, arrays and typedefs included; false: not known. */
bool die_size(Dwarf_Die *type, uint64_t *bytes);

/* Element type (peeled) and number of elements, all dimensions together, of an array type;
 * count 0: flexible. False: no array. */
bool die_array(Dwarf_Die *type, Dwarf_Die *element, uint64_t *count);

/* Elements of one dimension of an array; 0: not told, or an upper bound below the lower one
 * ("[0]"). */
uint64_t die_dimension(Dwarf_Die *range);

#endif
