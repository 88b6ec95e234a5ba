/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A heap block without its start, in 16 bytes: the payload of the block index (blocks.h).
 *
 * Kept exactly: usable size, bin, walked. Waste (usable - requested) below 4 KiB exactly,
 * above it rounded down by less than a thousandth, 4 TiB at most. Birth in steps of 256 ns
 * from the first one seen, rounded down, for 52 days; earlier births become the first,
 * later ones the last that can be told.
 */
#ifndef MISSTOP_RESOLVE_PACKED_H
#define MISSTOP_RESOLVE_PACKED_H

#include "resolve/blocks.h"

#include <stdint.h>

enum { PACKED_SIZE_BITS = 47, PACKED_WASTE_BITS = 16, PACKED_BIN_BITS = 20, PACKED_BORN_SHIFT = 8 };

struct packed {
    uint64_t size; /* from bit 0: usable bytes; waste; bit 63: walked */
    uint64_t born; /* from bit 0: bin; steps since the epoch, plus 1, or 0: not known */
};

struct packed packed_from(const struct block *block, uint64_t epoch_ns);
void packed_to(const struct packed *packed, uint64_t start, uint64_t epoch_ns, struct block *block);

static inline uint64_t packed_usable_bytes(const struct packed *packed)
{
    return packed->size & ((UINT64_C(1) << PACKED_SIZE_BITS) - 1);
}

/* What it covers: a block of no bytes still has the address it starts at. */
static inline uint64_t packed_extent_bytes(const struct packed *packed)
{
    uint64_t bytes = packed_usable_bytes(packed);
    return bytes ? bytes : 1;
}

#endif
