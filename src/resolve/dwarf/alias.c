/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/dwarf/alias.h"

#include "base/array.h"
#include "resolve/dwarf/die.h"

#include <dwarf.h>
#include <stdint.h>
#include <stdlib.h>

enum { UNIT_ENTRIES_MAX = 1 << 16, ALIASES_MAX = 1 << 20 };

static uint64_t key_of(const Dwarf_Die *die)
{
    return (uint64_t)(uintptr_t)die->addr;
}

void aliases_fini(struct aliases *aliases)
{
    hash_fini(&aliases->units);
    hash_fini(&aliases->by_target);
    free(aliases->found);
}

/* The first of several stays. */
static void add(struct aliases *aliases, const Dwarf_Die *target, const Dwarf_Die *alias)
{
    bool created = false;
    Dwarf_Die *more =
        array_more(aliases->found, &aliases->room, aliases->count, sizeof *more, ALIASES_MAX);
    if (!more)
        return;
    aliases->found = more;
    uint32_t *index = hash_insert(&aliases->by_target, key_of(target), &created);
    if (!index || !created)
        return;
    *index = (uint32_t)aliases->count;
    aliases->found[aliases->count++] = *alias;
}

static void read_unit(struct aliases *aliases, Dwarf_Die *unit)
{
    bool created = false;
    Dwarf_Die child;
    Dwarf_Die target;
    if (!hash_insert(&aliases->units, key_of(unit), &created) || !created ||
        dwarf_child(unit, &child))
        return;
    for (unsigned i = 0; i < UNIT_ENTRIES_MAX; i++) {
        if (dwarf_tag(&child) == DW_TAG_typedef && die_type(&child, &target) &&
            !dwarf_diename(&target))
            add(aliases, &target, &child);
        if (dwarf_siblingof(&child, &child))
            return;
    }
}

bool alias_of(struct aliases *aliases, Dwarf_Die *type, Dwarf_Die *alias)
{
    Dwarf_Die unit;
    if (!dwarf_diecu(type, &unit, NULL, NULL))
        return false;
    read_unit(aliases, &unit);
    const uint32_t *index = hash_find(&aliases->by_target, key_of(type));
    if (index)
        *alias = aliases->found[*index];
    return index != NULL;
}
