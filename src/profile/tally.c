/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/tally.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_IDS = 256 };

void tallies_init(struct tallies *tallies, uint16_t events)
{
    *tallies = (struct tallies){.events = events ? events : 1};
}

void tallies_fini(struct tallies *tallies)
{
    free(tallies->at);
    *tallies = (struct tallies){0};
}

void tallies_clear(struct tallies *tallies)
{
    if (tallies->at)
        memset(tallies->at, 0, tallies->ids * tallies->events * sizeof *tallies->at);
}

static bool tallies_grow(struct tallies *tallies, uint32_t id)
{
    size_t ids = tallies->ids ? tallies->ids : FIRST_IDS;
    while (ids <= id)
        ids *= 2;
    struct tally *at = realloc(tallies->at, ids * tallies->events * sizeof *at);
    if (!at)
        return false;
    size_t had = tallies->ids * tallies->events;
    memset(at + had, 0, (ids * tallies->events - had) * sizeof *at);
    tallies->at = at;
    tallies->ids = ids;
    return true;
}

uint32_t tallies_reserve(struct tallies *tallies, uint32_t id)
{
    if (id < tallies->ids)
        return id;
    if (id < TALLY_IDS_MAX && tallies_grow(tallies, id))
        return id;
    return tallies->ids || tallies_grow(tallies, 0) ? 0 : TALLY_IDS_MAX;
}

void tally_add(struct tally *tally, const struct access *access, double scale)
{
    double weight = tally_weight(access);
    counted_add(&tally->samples, 1, scale);
    counted_add(&tally->weight, weight, scale);
    counted_add(&tally->squares, weight * weight, scale * scale);
    if (access->kind == ACCESS_LOAD || access->kind == ACCESS_LOAD_STORE)
        counted_add(&tally->loads, weight, scale);
    if (access->kind == ACCESS_STORE || access->kind == ACCESS_LOAD_STORE)
        counted_add(&tally->stores, weight, scale);
    if (access->how >= ACCESS_INFERRED)
        counted_add(&tally->inferred, weight, scale);
}

void tally_rescale(struct tally *tally, double factor)
{
    tally->samples.at[BASIS_DECAYED] *= factor;
    tally->weight.at[BASIS_DECAYED] *= factor;
    tally->squares.at[BASIS_DECAYED] *= factor * factor;
    tally->loads.at[BASIS_DECAYED] *= factor;
    tally->stores.at[BASIS_DECAYED] *= factor;
    tally->inferred.at[BASIS_DECAYED] *= factor;
}

void tallies_rescale(struct tallies *tallies, double factor)
{
    for (size_t i = 0; i < tallies->ids * tallies->events; i++)
        tally_rescale(&tallies->at[i], factor);
}
