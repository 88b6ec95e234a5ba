/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fortran's arrays that are kept as a descriptor (allocatable, pointer, assumed shape): DWARF
 * describes the array behind it, not the descriptor itself, which is gfortran's (libgfortran.h of
 * gcc 9 and later). For describe.c, fields.c and variable.c.
 */
#ifndef MISSTOP_RESOLVE_DWARF_DESCRIPTOR_H
#define MISSTOP_RESOLVE_DWARF_DESCRIPTOR_H

#include "place.h"

#include <elfutils/libdw.h>
#include <stdint.h>

enum { DESCRIPTOR_MEMBERS = 8 };

/* Dimensions of such an array; 0: it is none. */
unsigned descriptor_rank(Dwarf_Die *type);

uint64_t descriptor_size(unsigned rank);

/* Its members; names live for ever. */
void descriptor_members(unsigned rank, struct type_member members[DESCRIPTOR_MEMBERS]);

#endif
