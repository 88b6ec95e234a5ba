/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The type of each access, from both sides: the target type of the code's pointer, and the type of
 * the object (declared, or by the votes of the accesses that hit it; doc/design/heap.md). Owned by
 * the resolver.
 */
#ifndef MISSTOP_RESOLVE_OBJECT_TYPES_H
#define MISSTOP_RESOLVE_OBJECT_TYPES_H

#include <stdbool.h>
#include <stdint.h>

#include "resolve/objects.h"
#include "resolve/typing.h"

/*
 * The type of an object that was not declared with one, by the accesses that hit it: each access by
 * code with a known type votes. Kept per object: the few types with most votes, in the manner of
 * Misra and Gries (1982), so that no count is too high; types with members apart from plain
 * numbers, because one struct can have many kinds of those.
 */
enum {
    VOTES_STRUCTS = 4, /* types with members */
    VOTES_SCALARS = 2, /* without */
    VOTES_TYPES = VOTES_STRUCTS + VOTES_SCALARS,
    VOTES_MIN = 8
};

struct votes {
    uint32_t type[VOTES_TYPES]; /* 0: empty; those with members first */
    uint32_t count[VOTES_TYPES];
    uint32_t misfits[VOTES_TYPES]; /* of them where the type begins at no multiple of its size */
    bool elements[VOTES_TYPES];    /* some access was to another than the first element */
    uint32_t all;
    uint32_t unsaid;        /* accesses by code that says nothing, where the owner counts them */
    uint32_t structs;       /* of them for types with members, whichever */
    uint32_t leader;        /* as last worked out */
    bool leads_alone;       /* nearly all accesses say it, plain numbers and unsaid counted */
    uint32_t worked_out_at; /* votes there were */
};

/* One access says `type`, not 0; `fits`: it begins where an element of such an array would. Returns
 * the type's place among those kept; VOTES_TYPES: it has none. */
unsigned votes_add(struct votes *votes, const struct types *types, uint32_t type, bool fits);

/* Whether the leader is to be worked out anew, as the votes grow by an eighth: it walks over
 * members. */
static inline bool votes_due(const struct votes *votes)
{
    return votes->all + votes->unsaid > votes->worked_out_at + votes->worked_out_at / 8;
}

/*
 * The type with members that explains more than half of the votes for such types, those for its
 * own parts included; where these are less than a tenth of all votes, the scalar with more than
 * half of all. 0: too few votes, or no majority.
 */
uint32_t votes_leader(struct votes *votes, const struct types *types);

/* Votes for a type and its members, and for others. */
void votes_count(const struct votes *votes, const struct types *types, uint32_t type, uint32_t *own,
                 uint32_t *against);

/* Type data of an object, by its id. */
struct object_type {
    uint32_t type; /* declared, or the type it is named after; 0: by votes */
    uint64_t count;
    bool declared;     /* in debugging information */
    bool by_size;      /* a size class: its blocks were allocated by whatever code */
    uint32_t assigned; /* type of the variable it is assigned to; 0: not known */
    struct votes votes;
    uint32_t text_type; /* the type `text` was made of */
    uint64_t text_count;
    const char *text; /* "struct particle [1000]" */
};

/* Starts as zeros. */
struct object_types {
    struct object_type *objects; /* by id */
    size_t object_count;
    struct arena strings;
};

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

/* A part of an object was named after a type: that is a vote for the object's type. `of`: where the
 * object was found; `fits`: the type begins where the object does, or an element of it would. */
void object_types_vote(struct object_types *typed, const struct types *types,
                       const struct located *of, uint32_t object, uint32_t type, bool fits);

/* Decides place->type, type_offset, typed and untyped; place->object, base and size are set. */
void object_types_place(struct object_types *typed, const struct types *types,
                        const struct located *located, const struct typed_answer *operand,
                        struct place *place);

/* Type of an object in words, and its votes; NULL: not known. */
const char *object_types_describe(struct object_types *typed, const struct types *types,
                                  uint32_t object, struct object_desc *desc);

/*
 * The name of memory without a name of its own: the type that was seen to be there
 * (doc/design/heap.md). Owned by the resolver.
 */
struct type_instance;
struct type_places;

struct type_instances {
    struct type_instance *at;   /* types seen to begin at an address, direct-mapped */
    struct type_places *places; /* where a type is in blocks of one size, direct-mapped */
};

/* 0 or -ENOMEM. */
int type_instances_init(struct type_instances *instances);
void type_instances_fini(struct type_instances *instances);

/* Addresses mean something else now. */
void type_instances_forget(struct type_instances *instances);

/* Whether memory may be named after the type in it: there is no better name. */
bool type_instances_apply(const struct located *located);

/*
 * Memory that is known by a size class, a mapping or not at all becomes an object of the type that
 * is there, if the code shows it: located's key, name and bounds are then those of the type.
 * `operand` may be NULL: not known yet. Returns the object's type; 0: none.
 */
uint32_t type_instances_rename(struct type_instances *instances, const struct types *types,
                               struct located *located, const struct access *access,
                               const struct typed_answer *operand);

/* A located walked block becomes an array of the type, if blocks of its size are known to be
 * one. */
bool type_instances_array(struct type_instances *instances, const struct types *types,
                          struct located *located, uint32_t type);

/* Whether a renamed object begins where its block does; else it is a part of the block, and does
 * not give the rest a type. */
bool type_instances_is_whole(const struct located *renamed, const struct located *block);

#endif
