/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Types of one file under references of our own: each described once, as struct type_desc, and
 * handed out once in the order they were found. The same type defined in several units is one.
 */
#ifndef MISSTOP_RESOLVE_DWARF_DESCRIBE_H
#define MISSTOP_RESOLVE_DWARF_DESCRIBE_H

#include <elfutils/libdw.h>

#include "resolve/dwarf/question.h"

struct describe;
struct program;

/* NULL: out of memory. */
struct describe *describe_new(struct program *program);
void describe_free(struct describe *describe);

/* The reference of a type, without typedefs and qualifiers; of an array, of its elements.
 * 0: void, or there are too many. */
uint32_t describe_type(struct describe *describe, Dwarf_Die *type);

/* NULL: no such reference. */
const struct type_desc *describe_found(const struct describe *describe, uint32_t type);

/* The next that was not handed out yet; NULL: none. */
const struct dwarf_type *describe_next(struct describe *describe);

/* Used to make names. */
struct scopes;
struct scopes *describe_scopes(const struct describe *describe);

#endif
