/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What entries stand in (namespaces, modules, classes), which DWARF tells only from the outside
 * in, and where a type that an entry merely declares is defined, in whichever unit. Units are
 * read as they are needed, function bodies left out. For describe.c and those who name things.
 */
#ifndef MISSTOP_RESOLVE_DWARF_SCOPES_H
#define MISSTOP_RESOLVE_DWARF_SCOPES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>

struct scopes;
struct program;

/* NULL: out of memory. */
struct scopes *scopes_new(struct program *program);
void scopes_free(struct scopes *scopes);

/* "std::" or "": what goes in front of an entry's own name. Returns out. */
const char *scopes_prefix(struct scopes *scopes, Dwarf_Die *die, char *out, size_t out_size);

/* A hash of the names of what an entry is in, from the outermost; 0: it is in the unit itself. */
uint64_t scopes_path(struct scopes *scopes, Dwarf_Die *die);

/* The definition of a declared type; false: it is none, or no unit that could be read in a
 * while has one. *definition may be the same entry as declared. */
bool scopes_definition(struct scopes *scopes, Dwarf_Die *declared, Dwarf_Die *definition);

#endif
