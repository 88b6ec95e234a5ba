/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decides the type of each access: the target type of the code's pointer, or the type of the object
 * (declared, or by votes of the accesses to it; doc/design/heap.md). */
#ifndef MISSTOP_RESOLVE_OBJECT_TYPES_H
#define MISSTOP_RESOLVE_OBJECT_TYPES_H

#include <stdbool.h>
#include <stdint.h>

#include "resolve/objects.h"
#include "resolve/typing.h"

/*
 * The type of an object without a declared type, from its accesses: each access by code with a
 * known type votes. Keeps the few types with most votes per object, as in Misra and Gries (1982),
 * so that no count is too high. Types with members are kept apart from plain numbers, because one
 * struct can have many kinds of numbers.
 */
enum {
    VOTES_STRUCTS = 4, /* types with members */
    VOTES_SCALARS = 2, /* types without members */
    VOTES_TYPES = VOTES_STRUCTS + VOTES_SCALARS,
    VOTES_MIN = 8
};

struct votes {
    uint32_t type[VOTES_TYPES]; /* 0: empty; types with members first */
    uint32_t count[VOTES_TYPES];
    uint32_t misfits[VOTES_TYPES]; /* votes for positions at no multiple of the type's size */
    bool past_first_element[VOTES_TYPES]; /* some access was past the first element */
    uint32_t all;
    uint32_t untyped_votes; /* accesses by code without a type, if the owner counts them */
    uint32_t struct_votes;  /* votes for any types with members */
    uint32_t leader;        /* as last computed */
    bool is_unanimous;    /* nearly all accesses agree, including plain numbers and untyped votes */
    uint32_t computed_at; /* number of votes at the last computation */
};

/* Adds a vote for `type`, not 0; `fits`: it begins at a possible element of an array. Returns the
 * slot of the type, or VOTES_TYPES if it has none. */
unsigned votes_add(struct votes *votes, const struct types *types, uint32_t type, bool fits);

/* Returns true if the leader must be recomputed, which happens each time the votes grow by an
 * eighth because it visits all members. */
static inline bool votes_due(const struct votes *votes)
{
    return votes->all + votes->untyped_votes > votes->computed_at + votes->computed_at / 8;
}

/*
 * Returns the type with members that explains more than half of the votes for such types, including
 * votes for its own parts. If these are less than a tenth of all votes, returns the scalar with
 * more than half of all votes. 0: too few votes, or no majority.
 */
uint32_t votes_leader(struct votes *votes, const struct types *types);

/* Counts the votes for a type and its members, and against them. */
void votes_count(const struct votes *votes, const struct types *types, uint32_t type, uint32_t *own,
                 uint32_t *against);

/* Type data of an object, indexed by its id. */
struct object_type {
    uint32_t type; /* declared, or the type it is named after; 0: decided by votes */
    uint64_t count;
    bool declared;     /* from debug information */
    bool by_size;      /* a size class: any code may have allocated its blocks */
    uint32_t assigned; /* type of the variable that it is assigned to; 0: not known */
    struct votes votes;
    uint32_t text_type; /* type for which `text` was made */
    uint64_t text_count;
    const char *text; /* "struct particle [1000]" */
};

/* Initialised with zeros. */
struct object_types {
    struct object_type *objects; /* by id */
    size_t object_count;
    struct arena strings;
};

void object_types_fini(struct object_types *typed);

void object_types_declare(struct object_types *typed, uint32_t object, uint32_t type,
                          uint64_t count);

/* Sets the type of the variables that an object's blocks are assigned to. It is used until there
 * are enough votes. */
void object_types_assign(struct object_types *typed, uint32_t object, uint32_t type);

void object_types_call(struct object_types *typed, uint32_t object, uint32_t type);

uint32_t object_types_called(const struct object_types *typed, uint32_t object);

/* Counts a vote for an object's type because a part of it was named after that type. `of`: the
 * located object; `fits`: the type begins at the start of the object, or of a possible element. */
void object_types_vote(struct object_types *typed, const struct types *types,
                       const struct located *of, uint32_t object, uint32_t type, bool fits);

/* Sets place->type, type_offset, typed and untyped; place->object, base and size must be set. */
void object_types_place(struct object_types *typed, const struct types *types,
                        const struct located *located, const struct typed_answer *operand,
                        struct place *place);

/* Formats the type of an object and sets its votes in `desc`; NULL: not known. */
const char *object_types_describe(struct object_types *typed, const struct types *types,
                                  uint32_t object, struct object_desc *desc);

/* Names memory without a name after the type seen in it (doc/design/heap.md). */
struct type_instance;
struct type_places;

struct type_instances {
    struct type_instance *at;   /* types seen at an address, direct-mapped */
    struct type_places *places; /* positions of a type in blocks of one size, direct-mapped */
};

/* Initialises the tables. Returns 0 or -ENOMEM. */
int type_instances_init(struct type_instances *instances);
void type_instances_fini(struct type_instances *instances);

/* Drops all entries: addresses have a new meaning. */
void type_instances_forget(struct type_instances *instances);

/* Returns true if memory has no better name than that of the type in it. */
bool type_instances_apply(const struct located *located);

/*
 * Turns memory known only by a size class, a mapping or not at all into an object of the type that
 * the code shows there: located gets the key, name and bounds of the type. `operand` NULL: not
 * known yet. Returns the object's type; 0: none.
 */
uint32_t type_instances_rename(struct type_instances *instances, const struct types *types,
                               struct located *located, const struct access *access,
                               const struct typed_answer *operand);

/* Turns a located walked block into an array of the type, if blocks of its size are arrays. */
bool type_instances_array(struct type_instances *instances, const struct types *types,
                          struct located *located, uint32_t type);

/* Returns true if a renamed object begins at the start of its block; otherwise it is a part of the
 * block, and the other parts get no type from it. */
bool type_instances_is_whole(const struct located *renamed, const struct located *block);

#endif
