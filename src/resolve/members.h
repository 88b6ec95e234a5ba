/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the member at an offset of a described type, and its name. Pure functions over struct
 * type_desc; also for profile and view.
 */
#ifndef MISSTOP_RESOLVE_MEMBERS_H
#define MISSTOP_RESOLVE_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "place.h"

/*
 * The innermost member at an offset from the start of the type, arrays inside folded to one
 * element; of a union's members the one of size `size` (0: any), else the first. TYPE_NO_MEMBER:
 * padding, outside, or the type has no members.
 */
uint32_t type_member_at(const struct type_desc *type, uint64_t offset, uint64_t size);

/*
 * Bit-fields, of an access that uses the bits [first, end) from `offset` on: the byte distance at
 * which type_member_at() finds the one that has them all; *several: more than one has.
 */
int64_t type_bits_at(const struct type_desc *type, uint64_t offset, uint64_t first, uint64_t end,
                     bool *several);

/* Whether a bit-field shares a byte with others: an access to that is for any of them. */
bool type_shares_byte(const struct type_desc *type, uint32_t member, uint64_t offset);

/* Whether a bit-field has some of its bits in the bytes [offset, offset + bytes). */
bool type_has_bits(const struct type_member *member, uint64_t offset, uint64_t bytes);

/* Whether it ends in an array without a length: its size says nothing of how long one is, and
 * there can be no array of it. */
bool type_is_flexible(const struct type_desc *type);

/* Its size, with one element of an array without a length. */
uint64_t type_extent(const struct type_desc *type);

/* An offset from the start of an array of such a type, into its element: below type_extent(). */
uint64_t type_in_element(const struct type_desc *type, uint64_t offset);

/* The same offset with the arrays it is in folded to element 0: where the member's row says. */
uint64_t type_fold(const struct type_desc *type, uint64_t offset);

/* "pos.x", "atoms[*].mass", "flags"; anonymous members leave no trace. Returns out. */
const char *type_path(const struct type_desc *type, uint32_t member, char *out, size_t out_size);

/* "particle": without "struct " and the like. */
const char *type_bare_name(const struct type_desc *type);

/* "particle.vy" of a member, "particle.+8" where nothing on the way to it has a name. */
const char *type_member_name(const struct type_desc *type, uint32_t member, char *out,
                             size_t out_size);

/* type_field_name(), and "flags.lo..hi" of several bit-fields in so many bytes. 0: in one, of an
 * access to no bit-field in particular. */
const char *type_bits_name(const struct type_desc *type, uint64_t offset, uint64_t bytes, char *out,
                           size_t out_size);

/* "particle.vy": the type without "struct ", then the path; the bare type if it has no members;
 * "+12" for padding. Returns out. */
const char *type_field_name(const struct type_desc *type, uint64_t offset, uint64_t size, char *out,
                            size_t out_size);

/* Where in `outer` its one part of a type with members is; false: none, several, or in an array. */
bool type_find_part(const struct type_desc *outer, const struct type_desc *inner, uint64_t *offset);

/* Whether one has the other as a member, however deep. */
bool type_has_part(const struct type_desc *outer, const struct type_desc *inner);

/*
 * Whether a part of `outer` at `offset` can be what `inner` describes at `inner_offset`: the same
 * type there, an element of an array of it, or scalars of the same size.
 */
bool type_holds(const struct type_desc *outer, uint64_t offset, const struct type_desc *inner,
                uint64_t inner_offset);

#endif
