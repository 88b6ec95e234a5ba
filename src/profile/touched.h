/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which ids were counted since somebody looked, so that a look costs what was counted and not what
 * there is. Private to src/profile.
 */
#ifndef MISSTOP_PROFILE_TOUCHED_H
#define MISSTOP_PROFILE_TOUCHED_H

#include "profile/tally.h"

#include <stdbool.h>
#include <stdint.h>

struct touched {
    uint64_t bits[TALLY_IDS_MAX / 64];
};

/* `id` is below TALLY_IDS_MAX. */
static inline void touched_add(struct touched *touched, uint32_t id)
{
    touched->bits[id / 64] |= UINT64_C(1) << id % 64;
}

static inline bool touched_has(const struct touched *touched, uint32_t id)
{
    return touched->bits[id / 64] >> id % 64 & 1;
}

/* The least id touched in or after word *word, which is forgotten; TALLY_IDS_MAX: no more. */
static inline uint32_t touched_take(struct touched *touched, uint32_t *word)
{
    for (; *word < TALLY_IDS_MAX / 64; ++*word) {
        uint64_t *bits = &touched->bits[*word];
        if (!*bits)
            continue;
        uint32_t id = *word * 64 + (uint32_t)__builtin_ctzll(*bits);
        *bits &= *bits - 1;
        return id;
    }
    return TALLY_IDS_MAX;
}

#endif
