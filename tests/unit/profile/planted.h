/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A known set of objects in the address space, as an n-way search asks for them; one at a time. */
#ifndef MISSTOP_UNIT_PROFILE_PLANTED_H
#define MISSTOP_UNIT_PROFILE_PLANTED_H

#include "place.h"
#include "profile/cache/search.h"

struct planted {
    const char *name;
    uint64_t base;
    uint64_t size; /* bytes */
    double share;  /* of the misses; whoever makes these uses it */
    enum object_kind kind;
};

/* The objects stay the caller's. Their ids are indices plus one. */
void plant(const struct planted *objects, uint32_t count);
extern const struct planted *planted;
extern uint32_t planted_count;

/* object() and extent() over the planted objects; memory between two objects belongs to none. */
extern const struct place_names planted_names;

/* Share of the misses by which the search has found the object with this id; NAN: it has not. */
double planted_found(const struct search *search, uint32_t id);

#endif
