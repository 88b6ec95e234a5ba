/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Looking into a described type: which member stands at an offset and what it is called. Pure
 * functions over struct type_desc; also for profile and view.
 */
#ifndef MISSTOP_RESOLVE_MEMBERS_H
#define MISSTOP_RESOLVE_MEMBERS_H

#include "type.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The innermost member at an offset from the start of the type, arrays inside folded to one
 * element; of a union's members the one whose size is `size` (0: any), else the first.
 * TYPE_NO_MEMBER: padding, outside, or the type has no members.
 */
uint32_t type_member_at(const struct type_desc *type, uint64_t offset, uint64_t size);

/* Whether it ends in an array without a length: its size says nothing of how long one is, and
 * there can be no array of it. */
bool type_is_flexible(const struct type_desc *type);

/* Its size, with one element of an array without a length. */
uint64_t type_extent(const struct type_desc *type);

/* An offset from the start of an array of such a type, into its element: below type_extent(). */
uint64_t type_in_element(const struct type_desc *type, uint64_t offset);

/* The same offset with the arrays it lies in folded to element 0: where the member's row says. */
uint64_t type_fold(const struct type_desc *type, uint64_t offset);

/* "pos.x", "atoms[*].mass", "flags"; anonymous members leave no trace. Returns out. */
const char *type_path(const struct type_desc *type, uint32_t member, char *out, size_t out_size);

/* "particle": without "struct " and the like. */
const char *type_bare_name(const struct type_desc *type);

/* "particle.vy" of a member, "particle.+8" where nothing on the way to it has a name. */
const char *type_member_name(const struct type_desc *type, uint32_t member, char *out,
                             size_t out_size);

/* "particle.vy": the type without "struct ", then the path; the bare type if it has no members;
 * "+12" for padding. Returns out. */
const char *type_field_name(const struct type_desc *type, uint64_t offset, uint64_t size, char *out,
                            size_t out_size);

/*
 * Whether a part of `outer` at `offset` can be what `inner` describes at `inner_offset`: the same
 * type there, an element of an array of it, or scalars of the same size.
 */
bool type_holds(const struct type_desc *outer, uint64_t offset, const struct type_desc *inner,
                uint64_t inner_offset);

#endif
