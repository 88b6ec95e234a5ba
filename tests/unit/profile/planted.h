/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A known set of objects in the address space, for n-way searches; one set at a time. */
#ifndef MISSTOP_UNIT_PROFILE_PLANTED_H
#define MISSTOP_UNIT_PROFILE_PLANTED_H

#include "place.h"
#include "profile/cache/search.h"

struct planted {
    const char *name;
    uint64_t base;
    uint64_t size; /* bytes */
    double share;  /* of the misses; used by the code that generates them */
    enum object_kind kind;
};

/* Sets the objects, which stay owned by the caller. Their ids are index + 1. */
void plant(const struct planted *objects, uint32_t count);
extern const struct planted *planted;
extern uint32_t planted_count;

/* object() and extent() for the planted objects; memory between objects belongs to none. */
extern const struct place_names planted_names;

/* Returns the share of misses that the search found for the object with this id; NAN: not found. */
double planted_found(const struct search *search, uint32_t id);

#endif
