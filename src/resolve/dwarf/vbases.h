/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The virtual bases of a class and of its bases, each once. For fields.c. */
#ifndef MISSTOP_RESOLVE_DWARF_VBASES_H
#define MISSTOP_RESOLVE_DWARF_VBASES_H

#include "resolve/dwarf/scopes.h"

#include <elfutils/libdw.h>

enum { VBASES_MAX = 16 };

struct vbases {
    Dwarf_Die entries[VBASES_MAX]; /* DW_TAG_inheritance, in the order of the inheritance graph */
    const void *types[VBASES_MAX]; /* where their types' entries lie */
    unsigned count;
    unsigned left; /* entries that may still be looked at */
};

void vbases_find(struct vbases *vbases, struct scopes *scopes, Dwarf_Die *type);

#endif
