/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The members of a struct, class or union as rows of struct type_desc: members of members after
 * them, base classes as unnamed parts, the variants of a Rust enum as members that overlap. For
 * describe.c.
 */
#ifndef MISSTOP_RESOLVE_DWARF_FIELDS_H
#define MISSTOP_RESOLVE_DWARF_FIELDS_H

#include "resolve/dwarf/scopes.h"
#include "resolve/dwarf/strings.h"
#include "type.h"

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

/* One type being read. */
struct fields {
    struct scopes *scopes;
    struct strings *strings;
    struct type_member *members; /* TYPE_MEMBERS_MAX of them, the owner's */
    uint32_t count;
    unsigned entries; /* looked at so far */
    bool cut;
    bool variants; /* the type itself has some: Rust's enum with data */
};

/* Appends the members of a (peeled, defined) type. */
void fields_read(struct fields *fields, Dwarf_Die *type);

/* Rank of an array that is kept as a descriptor (gfortran: allocatable, pointer, assumed shape);
 * 0: it is none. And its size and parts (libgfortran.h of gcc 9 and later). */
unsigned fields_descriptor_rank(Dwarf_Die *type);
uint64_t fields_descriptor_size(unsigned rank);
void fields_read_descriptor(struct fields *fields, unsigned rank);

#endif
