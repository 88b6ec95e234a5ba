/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/packed.h"

_Static_assert(BLOCKS_BINS_END == 1 << PACKED_BIN_BITS, "bins too small");

/* Waste as a number of 12 bits times 4 to the power of 4 bits. */
enum { WASTE_DIGITS_BITS = 12, WASTE_DIGITS = 1 << WASTE_DIGITS_BITS, WASTE_BITS_MAX = 42 };

static uint64_t waste_encode(uint64_t waste_bytes)
{
    uint64_t power = 0;
    if (waste_bytes >> WASTE_BITS_MAX)
        waste_bytes = (UINT64_C(1) << WASTE_BITS_MAX) - 1;
    while (waste_bytes >= WASTE_DIGITS) {
        waste_bytes >>= 2;
        power++;
    }
    return power << WASTE_DIGITS_BITS | waste_bytes;
}

static uint64_t waste_decode(uint64_t code)
{
    return (code & (WASTE_DIGITS - 1)) << 2 * (code >> WASTE_DIGITS_BITS);
}

static uint64_t born_encode(uint64_t born_ns, uint64_t epoch_ns)
{
    const uint64_t most = (UINT64_C(1) << (64 - PACKED_BIN_BITS)) - 1;
    if (!born_ns)
        return 0;
    uint64_t steps = born_ns > epoch_ns ? (born_ns - epoch_ns) >> PACKED_BORN_SHIFT : 0;
    return steps < most ? steps + 1 : most;
}

struct packed packed_from(const struct block *block, uint64_t epoch_ns)
{
    uint64_t waste = block->requested_bytes < block->usable_bytes
                         ? block->usable_bytes - block->requested_bytes
                         : 0;
    return (struct packed){
        .size = block->usable_bytes | waste_encode(waste) << PACKED_SIZE_BITS |
                (uint64_t)block->walked << (PACKED_SIZE_BITS + PACKED_WASTE_BITS),
        .born = born_encode(block->born_ns, epoch_ns) << PACKED_BIN_BITS | block->bin,
    };
}

void packed_to(const struct packed *packed, uint64_t start, uint64_t epoch_ns, struct block *block)
{
    uint64_t waste = packed->size >> PACKED_SIZE_BITS & ((1u << PACKED_WASTE_BITS) - 1);
    uint64_t born = packed->born >> PACKED_BIN_BITS;
    block->start = start;
    block->usable_bytes = packed_usable_bytes(packed);
    block->requested_bytes = block->usable_bytes - waste_decode(waste);
    block->born_ns = born ? epoch_ns + ((born - 1) << PACKED_BORN_SHIFT) : 0;
    block->bin = packed->born & (BLOCKS_BINS_END - 1);
    block->walked = packed->size >> (PACKED_SIZE_BITS + PACKED_WASTE_BITS);
}
