/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What memory that nobody named is called after: the type that was seen to be there (doc/design/heap.md).
 * Owned by the resolver.
 */
#ifndef MISSTOP_RESOLVE_TYPE_INSTANCES_H
#define MISSTOP_RESOLVE_TYPE_INSTANCES_H

#include "resolve/finding.h"
#include "resolve/typing.h"

#include <stdbool.h>
#include <stdint.h>

struct type_instance;
struct type_places;

struct type_instances {
    struct type_instance *at;   /* what was seen to begin at an address, direct-mapped */
    struct type_places *places; /* where a type is in blocks of one size, direct-mapped */
};

/* 0 or -ENOMEM. */
int type_instances_init(struct type_instances *instances);
void type_instances_fini(struct type_instances *instances);

/* Addresses mean something else now. */
void type_instances_forget(struct type_instances *instances);

/* Whether elements of `size` bytes from the start of the finding's block lie so that one begins
 * at `start`. */
bool type_instances_fit(const struct finding *finding, uint64_t start, uint64_t size);

/* Whether memory may be called after what is in it: nothing better names it. */
bool type_instances_apply(const struct finding *finding);

/*
 * Memory that is known by a size class, a mapping or not at all becomes an object of the type
 * that lies there, if the code tells: finding's key, name and bounds are then those of the type.
 * `operand` may be NULL: not known yet. The type the object is; 0: none.
 */
uint32_t type_instances_rename(struct type_instances *instances, const struct types *types,
                               struct finding *finding, const struct access *access,
                               const struct typed_operand *operand);

/* Whether what was renamed begins where the block does that it lies in; else it is a part of the
 * block, and says nothing of the rest. */
bool type_instances_is_whole(const struct finding *renamed, const struct finding *block);

#endif
