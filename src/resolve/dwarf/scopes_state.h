/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What scopes.c, which reads units, and scopes_definition.c, which searches them, share. */
#ifndef MISSTOP_RESOLVE_DWARF_SCOPES_STATE_H
#define MISSTOP_RESOLVE_DWARF_SCOPES_STATE_H

#include "base/hash.h"
#include "resolve/dwarf/scopes.h"

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct scope {
    Dwarf_Die die;
    uint64_t hash;   /* of the names from the outermost to this one */
    uint32_t parent; /* index + 1; 0: the unit */
};

struct scopes {
    struct program *program;
    struct scope *scopes;
    uint32_t count;
    size_t room;
    struct hash enclosing; /* from where an entry lies to its scope, as `parent` is */
    struct hash read;      /* units whose `enclosing` is known */
    Dwarf_Die *definitions;
    uint32_t definition_count;
    size_t definition_room;
    struct hash by_name; /* hash of the names to an index into definitions */
    Dwarf_CU *searched;  /* the last unit gone through for definitions */
    bool searched_all;
};

/* Of a name and those around it, whose hash is `hash`; 0: none are. NULL: it has no name. */
uint64_t scopes_hash(uint64_t hash, const char *name);

/* Index + 1 of the scope an entry stands in; 0: the unit. */
uint32_t scopes_around(struct scopes *scopes, Dwarf_Die *die);

/* Adds the types that a unit defines to by_name, and nothing of what stands in what. */
void scopes_read_definitions(struct scopes *scopes, Dwarf_Die *unit);

#endif
