/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The typedef that gives a nameless type its only name ("typedef struct {...} point;") and may come
 * after it: those at the top of a unit, of which each is read once. For describe.c.
 */
#ifndef MISSTOP_RESOLVE_DWARF_ALIAS_H
#define MISSTOP_RESOLVE_DWARF_ALIAS_H

#include "base/hash.h"

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>

struct aliases {
    struct hash units;     /* read ones, by where their entry lies */
    struct hash by_target; /* from where the type lies to an index of `found` */
    Dwarf_Die *found;
    size_t count;
    size_t room;
};

/* All 0 at first. */
void aliases_fini(struct aliases *aliases);

/* False: the type has none, or there are too many. */
bool alias_of(struct aliases *aliases, Dwarf_Die *type, Dwarf_Die *alias);

#endif
