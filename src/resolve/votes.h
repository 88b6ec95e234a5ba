/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The type of an object that was not declared with one, by the accesses that hit it: each access
 * whose code names a type votes. Kept per object: the few types with most votes, in the manner of
 * Misra and Gries (1982), so that no count is too high; types with members apart from plain
 * numbers, of which there can be many kinds in one struct. For object_types.c.
 */
#ifndef MISSTOP_RESOLVE_VOTES_H
#define MISSTOP_RESOLVE_VOTES_H

#include "resolve/types.h"

#include <stdbool.h>
#include <stdint.h>

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
    uint32_t all;
    uint32_t unsaid;        /* accesses by code that says nothing, where the owner counts them */
    uint32_t structs;       /* of them for types with members, whichever */
    uint32_t leader;        /* as last worked out */
    bool leads_alone;       /* nearly all accesses say it, plain numbers and unsaid counted */
    uint32_t worked_out_at; /* votes there were */
};

/* One access says `type`, not 0; `fits`: it begins where an element of such an array would. */
void votes_add(struct votes *votes, const struct types *types, uint32_t type, bool fits);

/*
 * The type with members that explains more than half of the votes for such types, those for its
 * own parts included; where these are less than a tenth of all votes, the scalar with more than
 * half of all. 0: too few votes, or no majority.
 */
uint32_t votes_leader(struct votes *votes, const struct types *types);

/* Votes for a type and its members, and for others. */
void votes_count(const struct votes *votes, const struct types *types, uint32_t type, uint32_t *own,
                 uint32_t *against);

#endif
