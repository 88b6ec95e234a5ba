/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pure functions on struct type_desc, also used by profile and view. */
#ifndef MISSTOP_RESOLVE_MEMBERS_H
#define MISSTOP_RESOLVE_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "place.h"

/* The innermost member, with inner arrays folded to one element. In a union, prefers one of size
 * `size` (0: any), otherwise the first. TYPE_NO_MEMBER: padding, outside, or no members. */
uint32_t type_member_at(const struct type_desc *type, uint64_t offset, uint64_t size);

/* For an access to the bits [first, end) from `offset` on: returns the distance in bytes at which
 * type_member_at() finds the bit-field that contains all of them. *several: more than one does. */
int64_t type_bits_at(const struct type_desc *type, uint64_t offset, uint64_t first, uint64_t end,
                     bool *several);

/* An access to a shared byte may be for any of its bit-fields. */
bool type_shares_byte(const struct type_desc *type, uint32_t member, uint64_t offset);

/* Returns true if a bit-field has bits in the bytes [offset, offset + bytes). */
bool type_has_bits(const struct type_member *member, uint64_t offset, uint64_t bytes);

/* An array without a length at the end: instances have no known size, and there are no arrays. */
bool type_is_flexible(const struct type_desc *type);

/* Returns the size of the type, including one element of an array without a length. */
uint64_t type_extent(const struct type_desc *type);

/* Converts an offset in an array of the type to one in its element, below type_extent(). */
uint64_t type_in_element(const struct type_desc *type, uint64_t offset);

/* Returns the same offset with the arrays around it folded to element 0, as in the member's row. */
uint64_t type_fold(const struct type_desc *type, uint64_t offset);

/* Formats a member's path, without anonymous members: "pos.x", "atoms[*].mass". Returns out. */
const char *type_path(const struct type_desc *type, uint32_t member, char *out, size_t out_size);

/* Returns the name without "struct " and similar: "particle". */
const char *type_bare_name(const struct type_desc *type);

/* Formats a member with its type: "particle.vy", or "particle.+8" if the path has no names. */
const char *type_member_name(const struct type_desc *type, uint32_t member, char *out,
                             size_t out_size);

/* Like type_field_name(), or "flags.lo..hi" for several bit-fields in `bytes` bytes. 0: in one
 * byte, for an access to no bit-field in particular. */
const char *type_bits_name(const struct type_desc *type, uint64_t offset, uint64_t bytes, char *out,
                           size_t out_size);

/* Formats the field at an offset: "particle.vy" (the type without "struct ", then the path), the
 * bare type if it has no members, or "+12" for padding. Returns out. */
const char *type_field_name(const struct type_desc *type, uint64_t offset, uint64_t size, char *out,
                            size_t out_size);

/* Returns false if the part is in an array, or there is none or several. */
bool type_find_part(const struct type_desc *outer, const struct type_desc *inner, uint64_t *offset);

bool type_has_part(const struct type_desc *outer, const struct type_desc *inner);

/* Returns true if a part of `outer` at `offset` may be described by `inner` at `inner_offset`: the
 * same type there, an element of an array of it, or scalars of the same size. */
bool type_holds(const struct type_desc *outer, uint64_t offset, const struct type_desc *inner,
                uint64_t inner_offset);

#endif
