/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Small questions about DWARF entries that several files of this folder ask. Bounded against
 * entries that refer to themselves.
 */
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

/* The type an entry has (DW_AT_type, through abstract origins and specifications); false: none,
 * that is void. */
bool die_type(Dwarf_Die *die, Dwarf_Die *type);

/* Whether an entry itself has an attribute that is true. */
bool die_flag(Dwarf_Die *die, unsigned name);

/* An attribute that is a constant, of the entry or where it refers to; false: it has none, and the
 * value stays as it was. */
bool die_number(Dwarf_Die *die, unsigned name, Dwarf_Word *value);

/* Bytes from the start of a type to a member or base class, of a bit-field those before its first
 * bit; false: computed at run time, as of virtual bases. */
bool die_offset(Dwarf_Die *member, uint64_t *offset);

/* Whether entries of this tag only give another type a name or a quality. */
bool die_is_alias(int tag);

/* Whether a type is only declared there, and defined elsewhere. */
bool die_is_declaration(Dwarf_Die *die);

/* The definition in a type unit that an entry represents (-fdebug-types-section); false: it
 * represents itself. */
bool die_signed(Dwarf_Die *type, Dwarf_Die *definition);

/* Without typedefs, const, volatile, restrict, atomic and the like; in the unit of its own that the
 * type may have. False: void. */
bool die_peel(Dwarf_Die *type, Dwarf_Die *peeled);

/* The same as it is in the unit that refers to it. */
bool die_strip(Dwarf_Die *type, Dwarf_Die *stripped);

/* Whether a type is a pointer or a reference itself, not an alias of one. */
bool die_is_pointer(Dwarf_Die *type);

/* The peeled target of a (peeled) pointer or reference; false: no pointer, or void. */
bool die_pointee(Dwarf_Die *pointer, Dwarf_Die *pointee);

/* In shape.c: the type of that name that a class has as a member, without the pointer around it; a
 * type with the same first template argument in the namespaces around it. `name` NULL: false. */
bool die_member_type(Dwarf_Die *record, const char *name, Dwarf_Die *type);
bool die_beside(Dwarf_Die *class, const char *name, Dwarf_Die *found);

/* Bytes of a type, arrays and typedefs included; false: not known. */
bool die_size(Dwarf_Die *type, uint64_t *bytes);

/* Element type (peeled) and number of elements, all dimensions together, of an array type;
 * count 0: flexible. False: no array. */
bool die_array(Dwarf_Die *type, Dwarf_Die *element, uint64_t *count);

/* The first template argument of a class that is a type; false: it has none. */
bool die_argument(Dwarf_Die *type, Dwarf_Die *argument);

/* Elements of one dimension of an array; 0: not reported, or an upper bound below the lower one
 * ("[0]"). */
uint64_t die_dimension(Dwarf_Die *range);

/*
 * Fortran's arrays that are kept as a descriptor (allocatable, pointer, assumed shape): DWARF
 * describes the array behind it, not the descriptor itself, which is gfortran's (libgfortran.h of
 * gcc 9 and later).
 */
enum { DESCRIPTOR_MEMBERS = 8 };

/* Dimensions of such an array; 0: it is none. */
unsigned descriptor_rank(Dwarf_Die *type);

/* Its members; names live for ever. */
void descriptor_members(unsigned rank, struct type_member members[DESCRIPTOR_MEMBERS]);

/*
 * Scopes of entries (namespaces, modules, classes), which DWARF links only from the outside in, and
 * the definition of a type that an entry merely declares, in whichever unit. Units are read as they
 * are needed, function bodies left out.
 */
struct scopes {
    Dwfl_Module *dwfl;
    struct scope *scopes;
    uint32_t count;
    size_t room;
    struct hash enclosing; /* from an entry's address to its scope, as `parent` is */
    struct hash read;      /* units with known `enclosing` */
    Dwarf_Die *definitions;
    uint32_t definition_count;
    size_t definition_room;
    struct hash by_name; /* hash of the names to an index into definitions */
    Dwarf_CU *searched;  /* the last unit gone through for definitions */
    bool searched_all;
};

void scopes_fini(struct scopes *scopes);

/* "std::" or "": what goes in front of an entry's own name. Returns out. */
const char *scopes_prefix(struct scopes *scopes, Dwarf_Die *die, char *out, size_t out_size);

/* The class that an entry is a member of; false: none. */
bool scopes_class(struct scopes *scopes, Dwarf_Die *die, Dwarf_Die *class);

/* A hash of the names of an entry's scopes, from the outermost; 0: it is in the unit itself. */
uint64_t scopes_path(struct scopes *scopes, Dwarf_Die *die);

/* The definition of a declared type; false: it is none, or no unit that could be read in a
 * while has one. *definition may be the same entry as declared. */
bool scopes_definition(struct scopes *scopes, Dwarf_Die *declared, Dwarf_Die *definition);

/*
 * Types as a programmer of the language writes them: "const char *", "int [3][4]", "void (*)(int)",
 * "std::pair<int, int> &", "[u8; 4]". The text is as untrusted as the file: the caller must
 * sanitise it.
 */
enum { TYPENAME_BYTES = 512 };

/* The name of a type, typedefs as they are written, libraries' types by their rules. NULL is void.
 * Returns out. */
const char *typename_write(struct scopes *scopes, Dwarf_Die *type, char out[TYPENAME_BYTES]);

/* The same as the compiler writes it; false: no type with a name, or not of C++ or Rust. */
struct typename_raw {
    char text[16384];
};
bool typename_raw(struct scopes *scopes, Dwarf_Die *type, struct typename_raw *raw);

/* Languages with a notation of their own for types. */
/* C includes languages written as C is, and unknown ones. */
enum language { LANGUAGE_C, LANGUAGE_CPP, LANGUAGE_RUST, LANGUAGE_FORTRAN, LANGUAGE_GO };

/* Language of the unit that an entry is in (DWARF 5, 7.12). */
enum language language_of(Dwarf_Die *die);

#endif
