/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A map from 64-bit keys to 32-bit values: open addressing, linear probing, grows by doubling,
 * deletes by shifting back. Used for lookups on the path of every sample. */
#ifndef MISSTOP_BASE_HASH_H
#define MISSTOP_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hash_slot {
    uint64_t key;
    uint32_t value;
    uint32_t used; /* 0: empty */
};

struct hash {
    struct hash_slot *slots; /* NULL until the first insertion */
    size_t mask;
    size_t count;
};

void hash_init(struct hash *hash);
void hash_fini(struct hash *hash);

/* Returns the value of a key, or NULL if absent. Valid until the map changes. */
uint32_t *hash_find(const struct hash *hash, uint64_t key);

/* Inserts 0 and sets *created if the key is absent. NULL: out of memory. */
uint32_t *hash_insert(struct hash *hash, uint64_t key, bool *created);

/* An absent key counts as 0 in an addition. Return false if out of memory. */
bool hash_put(struct hash *hash, uint64_t key, uint32_t value);
bool hash_add(struct hash *hash, uint64_t key, uint32_t more);

/* Returns the entry at or after index *at, and advances *at past it. NULL: no more. */
struct hash_slot *hash_next(const struct hash *hash, size_t *at);

/* Returns true if the key was present. */
bool hash_remove(struct hash *hash, uint64_t key);

/* Empties the map and keeps its memory. */
void hash_clear(struct hash *hash);

/* Returns a well mixed 64-bit value: the finaliser of SplitMix64 (Steele, Lea, Flood 2014). */
static inline uint64_t hash_mix(uint64_t value)
{
    value ^= value >> 30;
    value *= 0xbf58476d1ce4e5b9u;
    value ^= value >> 27;
    value *= 0x94d049bb133111ebu;
    return value ^ (value >> 31);
}

/* Returns the FNV-1a hash of bytes, for keys that are strings. */
uint64_t hash_bytes(const void *bytes, size_t size_bytes);

/* Pseudo-random numbers for jitter and reservoirs: SplitMix64. Not for cryptography. */
struct prng {
    uint64_t state; /* the seed; any value */
};

static inline uint64_t prng_next(struct prng *prng)
{
    return hash_mix(prng->state += 0x9e3779b97f4a7c15u);
}

/* Returns a number from 0 to bound-1; bound > 0 (Lemire's multiplication, bias below 2^-32 for
 * 32-bit bounds). */
static inline uint64_t prng_below(struct prng *prng, uint32_t bound)
{
    return ((prng_next(prng) >> 32) * bound) >> 32;
}

#endif
