/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The host's memory, counted. Used inside src/sim only. */
#ifndef MISSTOP_SIM_MEMORY_H
#define MISSTOP_SIM_MEMORY_H

#include "sim/model.h"

struct memory {
    struct model_host host;
    uint64_t allocated_bytes;
};

/* Zeroed room for `count` things; NULL: there is none, or more than an address can tell. */
static inline void *memory_new(struct memory *memory, uint64_t count, uint64_t size_bytes)
{
    uint64_t total_bytes;
    if (__builtin_mul_overflow(count, size_bytes, &total_bytes) || total_bytes > PTRDIFF_MAX)
        return NULL;
    void *room = memory->host.allocate(memory->host.context, total_bytes);
    if (room)
        memory->allocated_bytes += total_bytes;
    return room;
}

/* Bits well mixed, for hashes and for sampling by address (Fibonacci hashing, twice). */
static inline uint64_t memory_hash(uint64_t value)
{
    value *= UINT64_C(0x9e3779b97f4a7c15);
    value ^= value >> 32;
    value *= UINT64_C(0xd6e8feb86659fd93);
    return value ^ (value >> 32);
}

/* Ones in a word; the builtin calls libgcc where the processor is not told (Hacker's Delight 5-1).
 */
static inline uint32_t memory_ones(uint64_t word)
{
    word -= word >> 1 & UINT64_C(0x5555555555555555);
    word = (word & UINT64_C(0x3333333333333333)) + (word >> 2 & UINT64_C(0x3333333333333333));
    word = (word + (word >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (uint32_t)(word * UINT64_C(0x0101010101010101) >> 56);
}

static inline uint64_t memory_power_of_two(uint64_t at_least)
{
    return at_least <= 1 ? 1 : UINT64_C(1) << (64 - __builtin_clzll(at_least - 1));
}

#endif
