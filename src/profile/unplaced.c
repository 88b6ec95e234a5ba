/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/unplaced.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { UNPLACED_PAIRS = 1 << 12 };

int unplaced_init(struct unplaced *unplaced, uint16_t events)
{
    *unplaced = (struct unplaced){0};
    tallies_init(&unplaced->functions, events);
    unplaced->sorted = malloc(UNPLACED_PAIRS * sizeof *unplaced->sorted);
    return unplaced->sorted ? pairs_init(&unplaced->code, UNPLACED_PAIRS) : -ENOMEM;
}

void unplaced_fini(struct unplaced *unplaced)
{
    tallies_fini(&unplaced->functions);
    pairs_fini(&unplaced->code);
    free(unplaced->sorted);
    unplaced->sorted = NULL;
}

void unplaced_clear(struct unplaced *unplaced)
{
    tallies_clear(&unplaced->functions);
    pairs_clear(&unplaced->code);
    memset(unplaced->all, 0, sizeof unplaced->all);
    memset(unplaced->waited, 0, sizeof unplaced->waited);
    memset(unplaced->by_reason, 0, sizeof unplaced->by_reason);
}

void unplaced_rescale(struct unplaced *unplaced, double factor)
{
    tallies_rescale(&unplaced->functions, factor);
    pairs_rescale(&unplaced->code, factor);
    for (int i = 0; i < SAMPLE_EVENTS_MAX; i++) {
        tally_rescale(&unplaced->all[i], factor);
        tally_rescale(&unplaced->waited[i], factor);
        for (int k = 0; k < REASON_COUNT; k++)
            unplaced->by_reason[i][k].at[BASIS_DECAYED] *= factor;
    }
}

/* Whether it is data that the sample waited for. */
static bool has_waited(const struct place *place)
{
    switch (place->access.reason) {
    case REASON_KERNEL:
    case REASON_NO_MEMORY: /* it was computing */
    case REASON_FOREIGN:
        return false;
    default:
        return true;
    }
}

void unplaced_add(struct unplaced *unplaced, struct tallies *functions, const struct place *place,
                  double scale)
{
    const struct access *access = &place->access;
    tally_add(&unplaced->all[access->event], access, scale);
    enum reason reason = access->reason < REASON_COUNT ? access->reason : REASON_BAD_ADDRESS;
    counted_add(&unplaced->by_reason[access->event][reason], tally_weight(access), scale);
    if (!has_waited(place))
        return;
    tally_add(&unplaced->waited[access->event], access, scale);
    if (!place->function)
        return;
    uint32_t id = tallies_reserve(functions, place->function);
    if (id == TALLY_IDS_MAX || tallies_reserve(&unplaced->functions, id) != id)
        return;
    tally_add(tallies_at(&unplaced->functions, id, access->event), access, scale);
    uint32_t owner = PAIR_OWNER(id, access->event);
    struct pair *pair =
        pairs_take(&unplaced->code, pairs_hash(owner, access->ip), owner, access->ip, scale);
    if (!pair)
        return;
    pair_vote(pair, access->reason, scale); /* the reason most of them have */
    counted_add(&pair->samples, 1, scale);
    counted_add(&pair->weight, tally_weight(access), scale);
}

const struct tally *unplaced_tally(const struct unplaced *unplaced, uint32_t function,
                                   uint16_t event)
{
    return function < unplaced->functions.ids ? tallies_at(&unplaced->functions, function, event)
                                              : NULL;
}
