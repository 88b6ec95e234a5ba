/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/dwarf/vbases.h"

#include "resolve/dwarf/die.h"

#include <dwarf.h>
#include <stdbool.h>

enum { DEPTH_MAX = 12, ENTRIES_MAX = 1 << 14 };

static bool is_virtual(Dwarf_Die *inheritance)
{
    Dwarf_Attribute attribute;
    Dwarf_Word virtuality;
    return dwarf_attr(inheritance, DW_AT_virtuality, &attribute) &&
           !dwarf_formudata(&attribute, &virtuality) && virtuality == DW_VIRTUALITY_virtual;
}

static void add(struct vbases *vbases, const Dwarf_Die *inheritance, const Dwarf_Die *type)
{
    for (unsigned i = 0; i < vbases->count; i++)
        if (vbases->types[i] == type->addr)
            return;
    if (vbases->count == VBASES_MAX)
        return;
    vbases->entries[vbases->count] = *inheritance;
    vbases->types[vbases->count++] = type->addr;
}

static void find(struct vbases *vbases, struct scopes *scopes, Dwarf_Die *type, unsigned depth)
{
    Dwarf_Die child;
    if (depth >= DEPTH_MAX || dwarf_child(type, &child))
        return;
    do {
        Dwarf_Die of;
        Dwarf_Die stripped;
        Dwarf_Die base;
        if (!vbases->left || !vbases->left--)
            return;
        if (dwarf_tag(&child) != DW_TAG_inheritance || !die_type(&child, &of) ||
            !die_strip(&of, &stripped) || !scopes_definition(scopes, &stripped, &base))
            continue;
        if (is_virtual(&child))
            add(vbases, &child, &base);
        find(vbases, scopes, &base, depth + 1);
    } while (!dwarf_siblingof(&child, &child));
}

void vbases_find(struct vbases *vbases, struct scopes *scopes, Dwarf_Die *type)
{
    vbases->count = 0;
    vbases->left = ENTRIES_MAX;
    find(vbases, scopes, type, 0);
}
