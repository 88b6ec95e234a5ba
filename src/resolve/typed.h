/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The type of each access, from both sides: what the code says its pointer points to, and what
 * the object is known to be (declared, or by the votes of the accesses that hit it). And what
 * memory that nobody named is called after: the type of what lies there (DESIGN.md section 5).
 * Owned by the resolver.
 */
#ifndef MISSTOP_RESOLVE_TYPED_H
#define MISSTOP_RESOLVE_TYPED_H

#include "resolve/finding.h"
#include "resolve/typing.h"
#include "resolve/votes.h"

#include <stdbool.h>
#include <stdint.h>

/* What is known of an object by its id. */
struct typed_object {
    uint32_t type; /* declared, or of what it was named after; 0: by votes */
    uint64_t count;
    bool declared;
    struct votes votes;
    uint32_t text_type; /* what `text` was made of */
    uint64_t text_count;
    const char *text; /* "struct particle [1000]" */
};

struct typed_instance;
struct typed_match;

struct typed {
    struct typed_object *objects; /* by id */
    size_t object_count;
    struct typed_instance *instances; /* what was seen to begin at an address, direct-mapped */
    struct typed_match *matches;      /* answers of type_holds(), direct-mapped */
    struct arena strings;
};

/* 0 or -ENOMEM. */
int typed_init(struct typed *typed);
void typed_fini(struct typed *typed);

/* Addresses mean something else now; objects keep their types. */
void typed_forget(struct typed *typed);

/*
 * Memory that is known by a size class, a mapping or not at all becomes an object of the type
 * that lies there, if the code tells: finding's key, name and bounds are then those of the type.
 * `operand` may be NULL: not known yet. The type the object is; 0: none.
 */
uint32_t typed_rename(struct typed *typed, const struct types *types, struct finding *finding,
                      const struct access *access, const struct typed_operand *operand);

/* An object's type as declared, or as it is called after. */
void typed_declare(struct typed *typed, uint32_t object, uint32_t type, uint64_t count);

/* Decides place->type, type_offset, typed and untyped; place->object, base and size are set. */
void typed_place(struct typed *typed, const struct types *types, const struct finding *finding,
                 const struct typed_operand *operand, struct place *place);

/* Type of an object in words, and its votes; NULL: not known. */
const char *typed_describe(struct typed *typed, const struct types *types, uint32_t object,
                           struct object_desc *desc);

#endif
