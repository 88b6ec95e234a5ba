/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A type as debugging information describes it: values, made by src/resolve/dwarf, looked up by
 * resolve/members.h, shown by the views. All strings are sanitised. Type ids are dense from 1 and
 * stay valid, as the descriptions do, for the resolver's lifetime; 0 is "not known".
 */
#ifndef MISSTOP_TYPE_H
#define MISSTOP_TYPE_H

#include <stdbool.h>
#include <stdint.h>

enum type_kind {
    TYPE_OTHER,
    TYPE_STRUCT, /* struct, class, Rust struct or tuple, Fortran derived type: has members */
    TYPE_UNION,  /* union, Rust enum with data: has members */
    TYPE_SCALAR, /* integer, floating, bool, enumeration, complex */
    TYPE_POINTER /* pointer, reference */
};

enum member_kind {
    MEMBER_FIELD,
    MEMBER_BASE,  /* a base class, as an unnamed part */
    MEMBER_VTABLE /* the pointer to the virtual functions */
};

enum { TYPE_NO_MEMBER = 0xffffffff, TYPE_MEMBERS_MAX = 4096, TYPE_DEPTH_MAX = 12 };

/*
 * One member, members of members following it, depth first, as declared. Of an array of
 * structs the members of one element follow; offsets are those of element 0.
 */
struct type_member {
    const char *name;   /* "": anonymous */
    const char *type;   /* "double [3]", "struct list_head *" */
    uint64_t offset;    /* bytes from the start of the outermost type */
    uint64_t size;      /* bytes, all elements; 0: flexible array member, or empty */
    uint64_t count;     /* elements of an array, 0: no array (a flexible one: 0 with a stride) */
    uint32_t stride;    /* bytes from element to element; 0: no array */
    uint32_t parent;    /* index of the member this one is part of; TYPE_NO_MEMBER: the type */
    uint16_t depth;     /* 0: a member of the type itself */
    uint8_t kind;       /* enum member_kind */
    uint8_t bit_offset; /* of a bit-field, from `offset`, least significant bit first */
    uint8_t bit_size;   /* 0: no bit-field */
};

struct type_desc {
    const char *name; /* "struct particle", "std::vector<int>", "double" */
    enum type_kind kind;
    uint64_t size; /* bytes; 0: not known (incomplete) */
    const struct type_member *members;
    uint32_t member_count;
    bool cut; /* more members than can be kept */
};

/* How an access came by its type. Every attributed sample is one of these. */
enum typed {
    TYPED_NOT,      /* see enum untyped */
    TYPED_CODE,     /* by what the instruction's pointer points to */
    TYPED_DATA,     /* by the object's own type */
    TYPED_AGREED,   /* by both, and they agree */
    TYPED_DISAGREED /* by both, and they do not; the data's is taken */
};
enum { TYPED_COUNT = TYPED_DISAGREED + 1 };

/* Why an access has no type. */
enum untyped {
    UNTYPED_NO_REASON,
    UNTYPED_WAITING,     /* the debugging information is still being read */
    UNTYPED_NO_DEBUG,    /* the code's file has none */
    UNTYPED_NO_UNIT,     /* it has some, but not of this code */
    UNTYPED_NO_CODE,     /* the instruction could not be read from the file (JIT, vdso) */
    UNTYPED_NO_VARIABLE, /* nothing tells what the base register holds */
    UNTYPED_NO_POINTER,  /* it holds something that is no pointer by its type */
    UNTYPED_VOID,        /* it points to void, or bytes to be copied */
    UNTYPED_OUTSIDE,     /* the displacement leaves the type */
    UNTYPED_CONFLICT,    /* ways that lead here say different things */
    UNTYPED_SPILL,       /* a stack slot that is no variable: spill, saved register, argument */
    UNTYPED_GAVE_UP,     /* the reader of debugging information failed or was stopped */
    UNTYPED_COUNT
};

/* "by-code", "by-data", "agreed", "disagreed"; "no-debug-information" ... as in JSON; and a
 * plain sentence. In src/resolve/members.c. */
const char *typed_name(enum typed typed);
const char *untyped_name(enum untyped untyped);
const char *untyped_text(enum untyped untyped);

#endif
