/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/tally.h"

void tally_init(struct tally *tally, uint32_t pairs_max)
{
    *tally = (struct tally){.room = pairs_max, .mask = tally_places(pairs_max) - 1};
}

void tally_count(struct tally *tally, struct memory *memory, uint32_t first, uint32_t second,
               uint64_t count)
{
    if (!tally->pairs)
        tally->pairs = memory_new(memory, tally->mask + 1, sizeof *tally->pairs);
    if (!tally->pairs || !count) {
        tally->overflow += count;
        return;
    }
    uint64_t slot = memory_hash((uint64_t)first << 32 | second) & tally->mask;
    while (tally->pairs[slot].count &&
           (tally->pairs[slot].first != first || tally->pairs[slot].second != second))
        slot = (slot + 1) & tally->mask;
    struct tally_pair *pair = &tally->pairs[slot];
    if (!pair->count && tally->used == tally->room) {
        tally->overflow += count;
        return;
    }
    tally->used += !pair->count;
    pair->first = first;
    pair->second = second;
    __atomic_store_n(&pair->count, pair->count + count, __ATOMIC_RELEASE);
}
