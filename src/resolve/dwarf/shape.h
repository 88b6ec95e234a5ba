/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Types as following pointers through code needs them: interned under small numbers, without
 * typedefs and qualifiers, arrays as their elements. A record is known by its entry: two units that
 * define one type have two numbers, which shapes_same() compares. Owned by flow.c; for the files of
 * this folder.
 */
#ifndef MISSTOP_RESOLVE_DWARF_SHAPE_H
#define MISSTOP_RESOLVE_DWARF_SHAPE_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

struct shapes;

enum shape_kind {
    SHAPE_VOID,    /* void, incomplete, not known */
    SHAPE_BYTE,    /* a character: what anything may be copied as */
    SHAPE_SCALAR,  /* number, enumeration */
    SHAPE_POINTER, /* pointer, reference */
    SHAPE_RECORD,  /* struct, class */
    SHAPE_UNION,
    SHAPE_FUNCTION
};

enum { SHAPE_NOTHING = 0 }; /* number of void */

struct shape {
    Dwarf_Die die; /* peeled; not valid for void */
    uint64_t size; /* bytes, 0: not known */
    uint32_t pointee;
    uint8_t kind;    /* enum shape_kind */
    bool descriptor; /* what Fortran and the like keep of an array: begins with its address, and
                        this one word is all that is told of */
};

/* The scalar or pointer at an offset of a type, and the innermost array around it. */
struct shape_leaf {
    uint32_t shape;
    uint64_t start;  /* bytes from the start of the outermost type, arrays at element 0 */
    uint64_t stride; /* of the innermost array; 0: none */
    uint64_t first;  /* its start, from the start of the outermost type */
    uint64_t bound;  /* its end; UINT64_MAX: it is flexible */
    bool doubtful;   /* members of a union that differ */
};

struct scopes;

/* NULL: out of memory. `scopes` outlives it. */
struct shapes *shapes_new(struct scopes *scopes);
void shapes_free(struct shapes *shapes);

/* Number of a type; NULL is void. Too many types are void. */
uint32_t shapes_of(struct shapes *shapes, Dwarf_Die *type);

/* Valid until the next shapes_of(). */
const struct shape *shapes_at(const struct shapes *shapes, uint32_t shape);

/* Whether two numbers are one type: one entry, or entries of two units with the same qualified name
 * and layout, as are all types that can be reached from them. */
bool shapes_same(struct shapes *shapes, uint32_t one, uint32_t other);

/* The members of a record or union, read when they are first asked for. Valid as a shape is. */
struct parts;
const struct parts *shapes_parts(struct shapes *shapes, uint32_t shape);

/* What stands at an offset; of a union's members a pointer if it has one kind of them. False:
 * padding, outside, or not known. */
bool shapes_leaf(struct shapes *shapes, uint32_t shape, uint64_t offset, struct shape_leaf *leaf);

#endif
