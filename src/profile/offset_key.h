/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where in an object an access counts: by its place in a type with members; by its offset, where it
 * is a number; of no known type, by its place in an inferred element. Private to src/profile.
 */
#ifndef MISSTOP_PROFILE_OFFSET_KEY_H
#define MISSTOP_PROFILE_OFFSET_KEY_H

#include "place.h"

#include <stdint.h>

#define OFFSET_FOLDED  (UINT64_C(1) << 63)
#define OFFSET_TYPED   (UINT64_C(1) << 62)
#define OFFSET_SHIFT   32 /* of the type or the size of the element */
#define OFFSET_UNIT    58 /* of the binary logarithm of place.unit, plus 1; 3 bits above the type */
#define OFFSET_IN_TYPE UINT64_C(0xffffffff)

/* Place in a type, without OFFSET_TYPED. */
static inline uint64_t offset_in_type(const struct place *place)
{
    uint64_t unit = place->unit ? (uint64_t)__builtin_ctz(place->unit) + 1 : 0;
    return (unit & 7) << OFFSET_UNIT | (uint64_t)place->type << OFFSET_SHIFT | place->type_offset;
}

static inline uint64_t offset_key(const struct place *place, uint32_t element)
{
    uint64_t offset = place->access.address - place->base;
    if (place->by_member)
        return OFFSET_TYPED | offset_in_type(place);
    if (element > 8 && !place->type)
        return OFFSET_FOLDED | (uint64_t)element << OFFSET_SHIFT | offset % element;
    return offset & ~(OFFSET_FOLDED | OFFSET_TYPED);
}

/* Of a place in a type; of a key with either flag. */
static inline uint32_t offset_key_type(uint64_t key)
{
    return (uint32_t)((key & ((UINT64_C(1) << OFFSET_UNIT) - 1)) >> OFFSET_SHIFT);
}
static inline uint8_t offset_key_unit(uint64_t key)
{
    unsigned unit = (unsigned)(key >> OFFSET_UNIT & 7);
    return unit ? (uint8_t)(1u << (unit - 1)) : 0;
}
static inline uint32_t offset_key_offset(uint64_t key)
{
    return (uint32_t)(key & OFFSET_IN_TYPE);
}

#endif
