/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Helpers for reading DWARF entries. All are bounded, because entries may refer to themselves. */
#ifndef MISSTOP_RESOLVE_DWARF_DIE_H
#define MISSTOP_RESOLVE_DWARF_DIE_H

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "place.h"

enum { DIE_HOPS_MAX = 64 };

/* Finds the type of an entry (DW_AT_type, through abstract origins and specifications). Returns
 * false if there is none, which means void. */
bool die_type(Dwarf_Die *die, Dwarf_Die *type);

/* Returns true if the entry itself has the attribute, and it is true. */
bool die_flag(Dwarf_Die *die, unsigned name);

/* Reads a constant attribute of the entry or of an entry it refers to. Returns false if there is
 * none; the value is then unchanged. */
bool die_number(Dwarf_Die *die, unsigned name, Dwarf_Word *value);

/* Bytes from the start of a type to a member or base class; for a bit-field, to the byte of its
 * first bit. False: computed at run time, as for virtual bases. */
bool die_offset(Dwarf_Die *member, uint64_t *offset);

/* Returns true if entries of this tag only name or qualify another type. */
bool die_is_alias(int tag);

/* Returns true if the type is only declared there and defined elsewhere. */
bool die_is_declaration(Dwarf_Die *die);

/* Finds the definition in a type unit that an entry refers to (-fdebug-types-section). Returns
 * false if the entry is itself the definition. */
bool die_signed(Dwarf_Die *type, Dwarf_Die *definition);

/* Removes typedefs, const, volatile, restrict, atomic and similar; follows the type into its own
 * type unit if it has one. Returns false for void. */
bool die_peel(Dwarf_Die *type, Dwarf_Die *peeled);

/* Like die_peel(), but returns the entry of the referring unit. */
bool die_strip(Dwarf_Die *type, Dwarf_Die *stripped);

/* Returns true if a type is itself a pointer or reference, not an alias. */
bool die_is_pointer(Dwarf_Die *type);

/* Finds the peeled target of a peeled pointer or reference. False: no pointer, or to void. */
bool die_pointee(Dwarf_Die *pointer, Dwarf_Die *pointee);

/*
 * die_member_type() finds the member type of a class by name, without the pointer around it.
 * die_sibling() finds a type in the enclosing namespaces with the same first template argument.
 * Both return false if `name` is NULL. (shape.c)
 */
bool die_member_type(Dwarf_Die *record, const char *name, Dwarf_Die *type);
bool die_sibling(Dwarf_Die *class, const char *name, Dwarf_Die *found);

/* Computes the size of a type in bytes, including arrays and typedefs; returns false if unknown. */
bool die_size(Dwarf_Die *type, uint64_t *bytes);

/* Finds the peeled element type of an array type, and the number of elements over all dimensions;
 * 0: flexible. Returns false if it is not an array. */
bool die_array(Dwarf_Die *type, Dwarf_Die *element, uint64_t *count);

/* Finds the first template argument of a class that is a type. Returns false if there is none. */
bool die_argument(Dwarf_Die *type, Dwarf_Die *argument);

/* Returns the number of elements of one dimension of an array; 0: not recorded, or an upper bound
 * below the lower bound ("[0]"). */
uint64_t die_dimension(Dwarf_Die *range);

/*
 * Fortran arrays with a descriptor (allocatable, pointer, assumed shape). DWARF describes the array
 * that the descriptor refers to, but not the descriptor itself, which has gfortran's layout
 * (libgfortran.h of gcc 9 and later).
 */
enum { DESCRIPTOR_MEMBERS = 8 };

/* Returns the number of dimensions of such an array; 0: it has no descriptor. */
unsigned descriptor_rank(Dwarf_Die *type);

/* Fills in the descriptor's members; their names are static. */
void descriptor_members(unsigned rank, struct type_member members[DESCRIPTOR_MEMBERS]);

/*
 * Scopes (namespaces, modules, classes), which DWARF links only from the outside in, and
 * definitions of types that are only declared. Units are read on demand, without function bodies.
 */
struct scopes {
    Dwfl_Module *dwfl;
    struct scope *scopes;
    uint32_t count;
    size_t room;
    struct hash enclosing; /* from the address of an entry to its scope, encoded like `parent` */
    struct hash read;      /* units with known `enclosing` */
    Dwarf_Die *definitions;
    uint32_t definition_count;
    size_t definition_room;
    struct hash by_name; /* hash of the names to an index into definitions */
    Dwarf_CU *searched;  /* the last unit searched for definitions */
    bool searched_all;
};

void scopes_fini(struct scopes *scopes);

/* Writes the prefix of an entry's name, as in "std::" or "". */
void scopes_prefix(struct scopes *scopes, Dwarf_Die *die, char *out, size_t out_size);

/* Finds the class that an entry is a member of. Returns false if there is none. */
bool scopes_class(struct scopes *scopes, Dwarf_Die *die, Dwarf_Die *class);

/* Returns a hash of the scopes' names, outermost first; 0: the entry is at the unit's top. */
uint64_t scopes_path(struct scopes *scopes, Dwarf_Die *die);

/* Finds the definition of a declared type. Returns false if there is none, or no unit read within
 * the time limit has it. *definition may be the same entry as `declared`. */
bool scopes_definition(struct scopes *scopes, Dwarf_Die *declared, Dwarf_Die *definition);

/*
 * Formats types in the notation of the source language: "const char *", "int [3][4]", "void
 * (*)(int)", "std::pair<int, int> &", "[u8; 4]". The text is as untrusted as the file: the caller
 * must sanitise it.
 */
enum { TYPENAME_BYTES = 512 };

/* Keeps typedefs; types of libraries follow their rules. NULL is void. Returns out. */
const char *typename_write(struct scopes *scopes, Dwarf_Die *type, char out[TYPENAME_BYTES]);

/* The name as the compiler writes it. typename_raw() returns false if the type has no name, or is
 * not C++ or Rust. */
struct typename_raw {
    char text[16384];
};
bool typename_raw(struct scopes *scopes, Dwarf_Die *type, struct typename_raw *raw);

/* Languages with their own notation for types. C includes unknown languages. */
enum language { LANGUAGE_C, LANGUAGE_CPP, LANGUAGE_RUST, LANGUAGE_FORTRAN, LANGUAGE_GO };

/* Returns the language of the unit that contains an entry (DWARF 5, 7.12). */
enum language language_of(Dwarf_Die *die);

#endif
