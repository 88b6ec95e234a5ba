/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts of pairs in a bounded table, which tells what found no room. Used inside src/sim only. */
#ifndef MISSTOP_SIM_TALLY_H
#define MISSTOP_SIM_TALLY_H

#include "sim/memory.h"

struct tally_pair {
    uint64_t count; /* 0: empty */
    uint32_t first;
    uint32_t second;
};

struct tally {
    struct tally_pair *pairs; /* NULL until the first is counted; who reads beside finds `first` and
                                 `second` settled where the count is not 0 */
    uint64_t mask;
    uint64_t used;
    uint64_t room;
    uint64_t overflow; /* events of pairs that found no room */
};

/* How many pairs a table has places for, that keeps at most so many. */
static inline uint64_t tally_places(uint32_t pairs_max)
{
    /* Probes stay short as long as a quarter is free. */
    return memory_power_of_two((uint64_t)pairs_max + pairs_max / 3 + 1);
}

void tally_init(struct tally *tally, uint32_t pairs_max);

void tally_count(struct tally *tally, struct memory *memory, uint32_t first, uint32_t second,
               uint64_t count);

#endif
