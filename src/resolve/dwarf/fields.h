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
#include "place.h"

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

#endif
