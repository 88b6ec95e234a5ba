/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * All types seen in any file of the process, under dense ids from 1. The same type told by two
 * files is one (name, size and members equal). Copies are kept until the end; bounded: when it
 * is full, what is new is not known. For typing.c.
 */
#ifndef MISSTOP_RESOLVE_TYPES_H
#define MISSTOP_RESOLVE_TYPES_H

#include "base/array.h"
#include "base/hash.h"
#include "place.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct types {
    struct arena memory;
    struct type_desc *types; /* [count], from 1 */
    uint32_t count;
    size_t room;
    struct hash of_content; /* newest of a content hash: id */
    struct hash of_file;    /* (module serial, its reference): id */
};

void types_init(struct types *types);
void types_fini(struct types *types);

/* The id of a type that a file calls `reference`; 0: full. */
uint32_t types_add(struct types *types, uint32_t serial, uint32_t reference,
                   const struct type_desc *desc);

/* The id behind a file's reference; 0: none was told. */
uint32_t types_of_file(const struct types *types, uint32_t serial, uint32_t reference);

/* NULL: no such id. */
const struct type_desc *types_at(const struct types *types, uint32_t type);

/* Whether one has the other as a member, however deep. */
bool types_contains(const struct types *types, uint32_t outer, uint32_t inner);

#endif
