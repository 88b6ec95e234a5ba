/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is summed up per id (object or function) and event, in one array that grows with the
 * dense ids up to a bound; ids beyond it are counted under id 0. Owned by objects and code.
 */
#ifndef MISSTOP_PROFILE_TALLY_H
#define MISSTOP_PROFILE_TALLY_H

#include "place.h"
#include "profile/decay.h"

#include <stddef.h>

struct tally {
    struct counted samples;
    struct counted weight;
    struct counted squares; /* of weight: stored with the scale squared */
    struct counted loads;   /* weight, as the next two */
    struct counted stores;
    struct counted inferred;
};

struct tallies {
    struct tally *at; /* [id * events + event] */
    size_t ids;
    uint16_t events;
};

enum { TALLY_IDS_MAX = 1 << 16 };

void tallies_init(struct tallies *tallies, uint16_t events);
void tallies_fini(struct tallies *tallies);
void tallies_clear(struct tallies *tallies);
void tallies_rescale(struct tallies *tallies, double factor);

/* Makes room; returns the id to count under: `id`, or 0 if there is no room for it.
 * TALLY_IDS_MAX: not even for id 0. */
uint32_t tallies_reserve(struct tallies *tallies, uint32_t id);

static inline struct tally *tallies_at(const struct tallies *tallies, uint32_t id, uint16_t event)
{
    return &tallies->at[(size_t)id * tallies->events + event];
}

void tally_add(struct tally *tally, const struct access *access, double scale);
void tally_rescale(struct tally *tally, double factor);

/* Weight an access stands for: 1 where the source gave none. */
static inline double tally_weight(const struct access *access)
{
    return access->weight ? (double)access->weight : 1.0;
}

#endif
