/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The members of one struct or union, one level deep, read from DWARF once: base classes and
 * members of Rust's variants among them. For shape.c.
 */
#ifndef MISSTOP_RESOLVE_DWARF_PARTS_H
#define MISSTOP_RESOLVE_DWARF_PARTS_H

#include <elfutils/libdw.h>
#include <stddef.h>
#include <stdint.h>

struct part {
    uint64_t offset; /* bytes from the start of the record */
    uint64_t size;   /* bytes, all elements; 0: a flexible array */
    uint64_t stride; /* of an array; 0: none */
    const char *name; /* as in the file; NULL: it has none */
    Dwarf_Die type;
};

struct parts {
    struct part *parts;
    size_t count;
};

/* `record` is a peeled structure, class or union. What cannot be read is left out. */
void parts_read(struct parts *parts, Dwarf_Die *record);
void parts_fini(struct parts *parts);

#endif
