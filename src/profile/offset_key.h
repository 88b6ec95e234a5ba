/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where in an object an access counts: by its place in a type with members; in an object with
 * an inferred element by its place in that; else by its offset. Private to src/profile.
 */
#ifndef MISSTOP_PROFILE_OFFSET_KEY_H
#define MISSTOP_PROFILE_OFFSET_KEY_H

#include "place.h"

#include <stdint.h>

#define OFFSET_FOLDED  (UINT64_C(1) << 63)
#define OFFSET_TYPED   (UINT64_C(1) << 62)
#define OFFSET_SHIFT   32 /* of the type or the size of the element */
#define OFFSET_IN_TYPE UINT64_C(0xffffffff)

static inline uint64_t offset_key(const struct place *place, uint32_t element)
{
    uint64_t offset = place->access.address - place->base;
    if (place->by_member)
        return OFFSET_TYPED | (uint64_t)place->type << OFFSET_SHIFT | place->type_offset;
    if (element > 8)
        return OFFSET_FOLDED | (uint64_t)element << OFFSET_SHIFT | offset % element;
    return offset & ~(OFFSET_FOLDED | OFFSET_TYPED);
}

/* Of a key with OFFSET_TYPED; of one with either. */
static inline uint32_t offset_key_type(uint64_t key)
{
    return (uint32_t)((key & ~OFFSET_TYPED) >> OFFSET_SHIFT);
}
static inline uint32_t offset_key_offset(uint64_t key)
{
    return (uint32_t)(key & OFFSET_IN_TYPE);
}

#endif
