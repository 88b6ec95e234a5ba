/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The type of each access, from both sides: what the code says its pointer points to, and what
 * the object is known to be (declared, or by the votes of the accesses that hit it; doc/design/heap.md).
 * Owned by the resolver.
 */
#ifndef MISSTOP_RESOLVE_OBJECT_TYPES_H
#define MISSTOP_RESOLVE_OBJECT_TYPES_H

#include "resolve/finding.h"
#include "resolve/typing.h"
#include "resolve/votes.h"

#include <stdbool.h>
#include <stdint.h>

/* What is known of an object by its id. */
struct object_type {
    uint32_t type; /* declared, or what it is called after; 0: by votes */
    uint64_t count;
    bool declared;     /* in debugging information */
    bool by_size;      /* a size class: its blocks were allocated by whatever code */
    uint32_t assigned; /* type of what it is assigned to; 0: not known */
    struct votes votes;
    uint32_t text_type; /* what `text` was made of */
    uint64_t text_count;
    const char *text; /* "struct particle [1000]" */
};

struct object_match;

struct object_types {
    struct object_type *objects; /* by id */
    size_t object_count;
    struct object_match *matches; /* answers of type_holds(), direct-mapped */
    struct arena strings;
};

/* 0 or -ENOMEM. */
int object_types_init(struct object_types *typed);
void object_types_fini(struct object_types *typed);

/* An object's type as declared. */
void object_types_declare(struct object_types *typed, uint32_t object, uint32_t type,
                          uint64_t count);

/* Where an object's blocks are allocated they are assigned to something of this type: it holds as
 * long as the accesses have not voted. */
void object_types_assign(struct object_types *typed, uint32_t object, uint32_t type);

/* An object is called after its type. */
void object_types_call(struct object_types *typed, uint32_t object, uint32_t type);

/* The type that an object is called after; 0: none. */
uint32_t object_types_called(const struct object_types *typed, uint32_t object);

/* What is in an object is called after a type: that is a vote for what the object is. `of`: where the
 * object was found; `fits`: the type begins where the object does, or an element of it would. */
void object_types_vote(struct object_types *typed, const struct types *types,
                       const struct finding *of, uint32_t object, uint32_t type, bool fits);

/* Decides place->type, type_offset, typed and untyped; place->object, base and size are set. */
void object_types_place(struct object_types *typed, const struct types *types,
                        const struct finding *finding, const struct typed_operand *operand,
                        struct place *place);

/* Type of an object in words, and its votes; NULL: not known. */
const char *object_types_describe(struct object_types *typed, const struct types *types,
                                  uint32_t object, struct object_desc *desc);

#endif
