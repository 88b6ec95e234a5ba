/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Types as a programmer of the language writes them: "const char *", "int [3][4]",
 * "void (*)(int)", "std::pair<int, int> &", "[u8; 4]". For describe.c and its like. What is
 * written is as untrusted as the file: to be sanitised by whoever keeps it.
 */
#ifndef MISSTOP_RESOLVE_DWARF_TYPENAME_H
#define MISSTOP_RESOLVE_DWARF_TYPENAME_H

#include "resolve/dwarf/scopes.h"

#include <elfutils/libdw.h>
#include <stddef.h>

enum { TYPENAME_BYTES = 512 };

/* The name of a type, typedefs as they are written. NULL is void. Returns out. */
const char *typename_write(struct scopes *scopes, Dwarf_Die *type, char out[TYPENAME_BYTES]);

#endif
