/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Objects that have no name yet (doc/design/heap.md: an object keeps one identity). A heap block that
 * the walk found, memory that is accessed by code with unread debugging information, a stack slot: each
 * gets an object at its first sample. When its type or name is known, a rename (place.h) moves what it
 * counted; when it is known that none will come, it joins its size class, mapping or stack.
 *
 * A block has one object from its first sample on. What the walk cannot see is that a block was freed
 * and its memory given out again: a type that has nothing to do with the one before says so.
 *
 * Bounded: PROVISIONAL_MAX of them in a run, and PROVISIONAL_BLOCKS blocks remembered; what comes
 * beyond joins its size class at once. Owned by the resolver.
 */
#ifndef MISSTOP_RESOLVE_PROVISIONAL_H
#define MISSTOP_RESOLVE_PROVISIONAL_H

#include "resolve/finding.h"
#include "resolve/typing.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct resolver;

enum {
    PROVISIONAL_MAX = 1 << 14,
    PROVISIONAL_BLOCKS = 1 << 16,
    PROVISIONAL_OWN_ROWS = 8,     /* blocks of one size class that are shown one by one, */
    PROVISIONAL_OWN_BYTES = 4096, /* from this size on */
    PROVISIONAL_SITES = 1 << 12,
};

/* What an object waits for. */
enum provisional_kind {
    PROVISIONAL_BLOCK, /* a walked block */
    PROVISIONAL_CODE,  /* memory that one instruction accesses: the type of its operand */
    PROVISIONAL_SLOT,  /* a place in the frames of a function: the variable there */
};

struct provisional_object {
    uint32_t object;
    uint32_t part_of; /* what it is shown under, and joins if no more comes of it */
    uint32_t class;   /* object of the size class of a block */
    uint32_t type;    /* of part_of, where that is called after what the block begins with; 0 */
    uint64_t type_at; /* where that starts in the block */
    uint32_t one_of;  /* the object it turned out to be; 0: none yet */
    uint32_t bin;     /* of a block */
    uint8_t kind;     /* enum provisional_kind */
    bool waits;       /* for an answer to the question of `access`, or `pc` and `slot` */
    bool own_row;     /* shown by itself, not under part_of */
    bool by_untyped;  /* `access` is by code without a type */
    const char *name; /* of its row, with that number among those of its size */
    unsigned number;
    enum object_kind memory;
    enum allocation_kind allocation;
    uint64_t key; /* of what it is part of */
    uint64_t start;
    uint64_t end;
    struct access access;
    uint64_t pc;
    int64_t slot;
    uint64_t born_ns; /* first sample of a block */
};

/* A block and the object it is. */
struct provisional_known {
    uint64_t start;
    uint64_t size_bytes; /* 0: empty */
    uint64_t type_at;    /* where the object's type starts in it */
    uint32_t object;
    uint32_t against; /* samples in a row that found an unrelated type */
};

/*
 * An instruction without debugging information that accesses blocks of a size class, and the object that
 * these blocks were, where they were known. So a block that only such code accesses has a type, too.
 */
struct provisional_site {
    uint64_t ip;
    uint32_t class;
    uint32_t object;
    uint32_t agreed; /* blocks that were this object */
    uint32_t others; /* ... another one */
};

struct provisional {
    struct provisional_object *list;
    size_t count;
    size_t room;
    size_t first_active;             /* all before it have ended */
    uint32_t *of_object;             /* [NAMES_OBJECTS_MAX]: index + 1; 0: it is not provisional */
    struct provisional_known *known; /* [PROVISIONAL_BLOCKS], direct-mapped */
    struct provisional_site *sites;  /* [PROVISIONAL_SITES], likewise */
    uint8_t *class_of; /* [NAMES_OBJECTS_MAX]: what is known of a size class (provisional.c) */
    uint32_t *filled_by; /* [NAMES_OBJECTS_MAX]: the object that all typed blocks of a size class are;
                          * 0: none, UINT32_MAX: several */
    struct object_rename *renames;   /* since the last refresh */
    size_t rename_count;
    size_t rename_room;
};

/* 0 or -ENOMEM. */
int provisional_init(struct provisional *provisional);
void provisional_fini(struct provisional *provisional);

/* Another program runs: what has no name yet joins what it is part of. */
void provisional_forget(struct resolver *resolver);

/*
 * The object of a walked block. `named`: the block as type_instances_rename() left it, `type` what that
 * returned. Sets place->object and ->holder, and makes `named` fit the object. Returns the type that the
 * object is called after; 0: none.
 */
uint32_t provisional_block(struct resolver *resolver, const struct finding *block,
                           struct finding *named, uint32_t type, const struct access *access,
                           const struct typed_operand *operand, struct place *place);

/* The object of a walked block's size class. */
uint32_t provisional_class(struct resolver *resolver, const struct finding *block);

/* Memory whose type the debugging information of the code may tell, which is being read. Sets
 * place->object and ->holder; false: there is no room. */
bool provisional_code(struct resolver *resolver, const struct finding *memory,
                      const struct access *access, struct place *place);

/* A stack slot whose variable is being looked up. `slot`: distance from the frame's CFA. */
bool provisional_slot(struct resolver *resolver, const struct finding *stack, uint64_t pc,
                      int64_t slot, const struct access *access, struct place *place);

/* Once per refresh: answers that have come, blocks that are gone. */
void provisional_tick(struct resolver *resolver, uint64_t now_ns);

/* The object that a block is known to be; 0: none. */
uint32_t provisional_find(const struct resolver *resolver, uint64_t start, uint64_t size_bytes);

/* The object that one has turned out to be; itself as long as nothing else is known. */
uint32_t provisional_now(const struct resolver *resolver, uint32_t object);

/* Whether one that has no name yet is a block. */
bool provisional_is_block(const struct resolver *resolver, uint32_t object);

/* The name of a block's row: "malloc(32.0M)", with " #2" where there is another. NULL: it is none. */
const char *provisional_name(struct resolver *resolver, uint32_t object);

/* The object under which one without a name is shown; 0: it is shown by itself. */
uint32_t provisional_part_of(const struct resolver *resolver, uint32_t object);

#endif
